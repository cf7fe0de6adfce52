#include "planner/enough.h"

#include <math.h>
#include <string.h>

#include "base/lines.h"
#include "base/mem.h"
#include "planner/density.h"
#include "planner/predict.h"

/* ---- the maths -------------------------------------------------------------------------------------------------------------- */

double enough_student(int freedom)
{
    static const double table[] = {0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36};
    return freedom < 8 ? table[freedom] : 1.96 + 2.4 / freedom;
}

struct enough enough_spread(const double *left, const double *epochs, int folds)
{
    struct enough e = {0};
    double all = 0, covered = 0, squares = 0;
    for (int f = 0; f < folds; f++) {
        if (!(epochs[f] > 0)) continue;
        all += left[f];
        covered += epochs[f];
        e.folds++;
    }
    if (e.folds < 2) return e;
    e.known = true;
    e.mean = all / covered;
    for (int f = 0; f < folds; f++) {
        if (!(epochs[f] > 0)) continue;
        double off = left[f] / epochs[f] - e.mean;
        squares += epochs[f] * off * off;
    }
    e.deviation = sqrt(squares / (e.folds - 1));
    return e;
}

double enough_half_width(const struct enough *e, uint64_t epochs)
{
    if (!e->known || !(e->mean > 0)) return 0;
    return enough_student(e->folds - 1) * e->deviation / sqrt((double)epochs) / e->mean;
}

uint64_t enough_epochs(const struct enough *e, double error)
{
    double one = enough_half_width(e, 1) / error, k = ceil(one * one * (1 - 1e-12)); /* a whole number is not to be missed by a rounding */
    return k < 1 ? 1 : k > ENOUGH_MOST ? ENOUGH_MOST : (uint64_t)k;
}

/* ---- folds of a trace ------------------------------------------------------------------------------------------------------- */

void enough_read_folds(const struct graph *g, const struct trace *t, int clique, uint64_t readers, const uint8_t *at_topology, const uint8_t *at_feature,
                       int threads, uint64_t *left)
{
    for (int f = 0; f < t->folds; f++) {
        const uint16_t *rows = trace_fold(t, clique, f, 0);
        uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
        for (uint64_t v = 0; v < g->n; v++) {
            if (!rows[v]) continue;
            if (!at_feature[v]) sum += ((uint64_t)rows[v] * lines_of_feature(v, g->row_bytes, t->cls)) << 10;
            for (int h = 0; h < t->workload.hops && !at_topology[v]; h++) {
                uint16_t visits = trace_fold(t, clique, f, 1 + h)[v];
                if (visits) sum += (uint64_t)(visits * expected_visit(g, v, t->workload.fanout[h], t->cls) * 1024);
            }
        }
        left[f] += sum / readers;
    }
}

/* How much of an epoch fold f covers: whole epochs, or its share of the training vertices of the only one. */
static double covered(const struct trace *t, int f)
{
    const struct assignment *a = &t->assignment;
    uint64_t all = 0, here = 0, batch = t->workload.batch, folds = (uint64_t)t->folds, at = (uint64_t)f;
    if (t->epochs > 1) return 1 / t->folds_per_epoch;
    for (int g = 0; g < a->gpus; g++) {
        uint64_t train = a->train_count[g], batches = (train + batch - 1) / batch, end = batches * (at + 1) / folds * batch;
        all += train;
        here += (end < train ? end : train) - batches * at / folds * batch;
    }
    return all ? (double)here / (double)all : 0;
}

static struct enough spread_of(const struct trace *t, const uint64_t *sum)
{
    double left[FOLDS_MAX], epochs[FOLDS_MAX];
    for (int f = 0; f < t->folds; f++) {
        left[f] = (double)sum[f] / 1024;
        epochs[f] = covered(t, f);
    }
    return enough_spread(left, epochs, t->folds);
}

enum st enough_of_plan(const struct graph *g, const struct trace *t, const struct plan *p, int threads, struct enough *out, struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &t->assignment;
    uint64_t sum[FOLDS_MAX] = {0};
    uint8_t *at[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) NEW(at[i], g->n, "the look-up of a plan");
    for (int c = 0; c < a->cliques; c++) {
        uint64_t readers = 0, all;
        bool alike = predict_reach_alike(p, c, &all), done_once = false;
        for (int i = 0; i < a->gpus; i++) readers += a->clique_of[i] == c && a->train_count[i];
        for (int i = 0; i < a->gpus; i++) {
            if (a->clique_of[i] != c || !a->train_count[i] || (alike && done_once)) continue;
            placement_locate(&p->placement, i, p->placement.topology, g->n, at[0]);
            placement_locate(&p->placement, i, p->placement.feature, g->n, at[1]);
            enough_read_folds(g, t, c, alike ? 1 : readers, at[0], at[1], threads, sum);
            done_once = true;
        }
    }
    *out = spread_of(t, sum);
done:
    mem_free(at[0]);
    mem_free(at[1]);
    return st;
}

/* ---- a typical plan --------------------------------------------------------------------------------------------------------- */

/* Marks rows in the order of what the counted means save per byte while they fit. */
static enum st hold_share(const struct policy_input *in, const struct estimates *e, uint64_t budget, uint8_t *const at[2], struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    uint64_t n = g->n, *key = NULL;
    uint32_t *order = NULL;
    NEW(key, 2 * n, "densities");
    NEW(order, 2 * n, "an order of rows");
    for (uint64_t v = 0; v < n; v++) {
        key[v] = density_key(e->topology[v], graph_topology_bytes(g, v));
        key[n + v] = density_key(e->feature[v], g->row_bytes);
    }
    TRY(density_order(in, key, order, err));
    memset(at[0], 0, n);
    memset(at[1], 0, n);
    for (uint64_t i = 0; i < 2 * n && key[order[i]]; i++) {
        bool topology = order[i] < n;
        uint64_t v = topology ? order[i] : order[i] - n, bytes = topology ? graph_topology_bytes(g, v) : g->row_bytes;
        if (bytes > budget) continue;
        budget -= bytes;
        at[topology ? 0 : 1][v] = 1;
    }
done:
    mem_free(key);
    mem_free(order);
    return st;
}

enum st enough_of_share(const struct graph *g, const struct trace *t, const struct kernels *k, double share, int threads, struct enough *out, struct err *err)
{
    enum st st = ST_OK;
    uint64_t sum[FOLDS_MAX] = {0};
    uint8_t *at[2] = {NULL, NULL};
    struct estimates e = {0};
    struct policy_input in = {.graph = g, .trace = t, .kernels = k, .threads = threads};
    *out = (struct enough){0};
    if (t->folds < 2 || g->n > UINT32_MAX / 2) return ST_OK;
    for (int i = 0; i < 2; i++) NEW(at[i], g->n, "the look-up of a plan");
    for (int c = 0; c < t->assignment.cliques; c++) {
        struct estimates_input i = {.graph = g, .trace = t, .kernels = k, .clique = c, .threads = threads, .cls = t->cls, .rates = RATES_PRESAMPLE};
        estimates_release(&e);
        TRY(estimates_make(&i, &e, err));
        TRY(hold_share(&in, &e, (uint64_t)(share * (double)graph_total_bytes(g)), at, err));
        enough_read_folds(g, t, c, 1, at[0], at[1], threads, sum);
    }
    *out = spread_of(t, sum);
done:
    estimates_release(&e);
    mem_free(at[0]);
    mem_free(at[1]);
    return st;
}
