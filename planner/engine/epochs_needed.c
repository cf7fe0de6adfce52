#include "planner/engine/epochs_needed.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/hotness/reader_shares.h"
#include "planner/policies/cross_clique.h"
#include "planner/policies/density.h"
#include "planner/engine/misses.h"

/* ---- the maths ---- */

double epochs_needed_student(int freedom)
{
    static const double table[] = {0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36};
    return freedom < 8 ? table[freedom] : 1.96 + 2.4 / freedom;
}

struct epochs_needed epochs_needed_spread(const double *left, const double *epochs, int folds)
{
    struct epochs_needed e = {0};
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

double epochs_needed_half_width(const struct epochs_needed *e, uint64_t epochs)
{
    if (!e->known || !(e->mean > 0)) return 0;
    return epochs_needed_student(e->folds - 1) * e->deviation / sqrt((double)epochs) / e->mean;
}

uint64_t epochs_needed_count(const struct epochs_needed *e, double error)
{
    double one = epochs_needed_half_width(e, 1) / error,
           k = ceil(one * one * (1 - 1e-12)); /* a whole number is not to be missed by a rounding */
    return k < 1 ? 1 : k > EPOCHS_NEEDED_MOST ? EPOCHS_NEEDED_MOST : (uint64_t)k;
}

/* ---- folds of a trace ---- */

static struct epochs_needed spread_of(const struct trace *t, const uint64_t *sum)
{
    double left[FOLDS_MAX], epochs[FOLDS_MAX];
    /* folds of one epoch share out the training vertices: their spread is not that of epochs */
    if (t->epochs == 1) return (struct epochs_needed){0};
    for (int f = 0; f < t->folds; f++) {
        left[f] = (double)sum[f] / 1024;
        epochs[f] = 1 / t->folds_per_epoch;
    }
    return epochs_needed_spread(left, epochs, t->folds);
}

/* Work space: look-ups of one reader, and what is missing. */
struct workspace {
    uint8_t *at;
    struct misses misses;
    struct visit_costs costs;
};

static void workspace_release(struct workspace *d)
{
    mem_free(d->at);
    misses_release(&d->misses);
    visit_costs_release(&d->costs);
}

static enum st workspace_make(const struct graph *g, const struct trace *t, int threads, struct workspace *d,
                              struct err *err)
{
    MAKE(d->at, graph_most_rows(g), "the look-up of a plan");
    PASS(misses_new(g, &d->misses, err));
    return visit_costs_make(g, NULL, t, t->line_bytes, threads, &d->costs, err);
}

static bool all_train(const struct trace *t)
{
    bool all = true;
    for (int g = 0; g < t->assignment.gpus; g++) all &= t->assignment.train_count[g] > 0;
    return all;
}

enum st epochs_needed_of_plan(const struct graph *g, const struct trace *t, const struct plan *p, int threads,
                              struct epochs_needed *out, struct err *err)
{
    uint64_t sum[FOLDS_MAX] = {0};
    OWNED_BY(workspace_release) struct workspace d = {0};
    if (p->folds_known && all_train(t)) { /* the prediction counted the same */
        *out = spread_of(t, p->fold_left);
        return ST_OK;
    }
    PASS(workspace_make(g, t, threads, &d, err));
    OWNED_NEW(struct reader_rates, readers, t->assignment.cliques, "rates of readers");
    bool apart = !assignment_even(&t->assignment) || cross_clique_reads(p);
    if (apart) PASS(reader_rates_counted(t, threads, readers, err));
    for (int c = 0; c < t->assignment.cliques; c++) {
        PASS(misses_find(g, p, t, c, apart ? &readers[c] : NULL, true, threads, d.at, &d.misses, err));
        if (d.misses.all) misses_by_fold(g, t, &d.costs, c, &d.misses, threads, sum);
    }
    *out = spread_of(t, sum);
    return ST_OK;
}

/* ---- a typical plan ---- */

/* Takes rows in the order of what the counted means save per byte while they fit. */
static enum st hold_share(const struct policy_input *in, const struct estimates *e, uint64_t budget, struct misses *m,
                          struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    uint64_t topologies = graph_topology_rows(g), count = 0, *key = NULL;
    OWNED uint32_t *order = NULL;
    NEW(key, graph_items(g), "densities");
    density_keys(in, e->topology, e->feature, 0, key);
    TRY(density_order(in, key, graph_items(g), DENSITY_ENOUGH(budget), &order, &count, err));
    for (uint64_t v = 0; v < topologies; v++) m->topology[v] = 1;
    for (uint64_t v = 0; v < graph_feature_rows(g); v++) m->feature[v] = 1;
    m->all = 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = graph_item_bytes(g, order[i]);
        if (bytes > budget) continue;
        budget -= bytes;
        *(order[i] < topologies ? &m->topology[order[i]] : &m->feature[order[i] - topologies]) = 0;
    }
done:
    mem_free(key);
    return st;
}

enum st epochs_needed_of_share(const struct graph *g, const struct trace *t, const struct kernels *k, double share,
                               int threads, struct epochs_needed *out, struct err *err)
{
    uint64_t sum[FOLDS_MAX] = {0};
    OWNED_BY(workspace_release) struct workspace d = {0};
    OWNED_BY(estimates_release) struct estimates e = {0};
    struct policy_input in = {.graph = g, .trace = t, .kernels = k, .threads = threads};
    *out = (struct epochs_needed){0};
    if (t->folds < 2 || t->epochs == 1 || graph_items(g) >= UINT32_MAX) return ST_OK;
    PASS(workspace_make(g, t, threads, &d, err));
    for (int c = 0; c < t->assignment.cliques; c++) {
        struct estimates_input i = {.graph = g,
                                    .trace = t,
                                    .kernels = k,
                                    .costs = &d.costs,
                                    .clique = c,
                                    .threads = threads,
                                    .line_bytes = t->line_bytes,
                                    .source = RATE_PRESAMPLE};
        estimates_release(&e);
        PASS(estimates_make(&i, &e, err));
        PASS(hold_share(&in, &e, (uint64_t)(share * (double)graph_total_bytes(g)), &d.misses, err));
        misses_by_fold(g, t, &d.costs, c, &d.misses, threads, sum);
    }
    *out = spread_of(t, sum);
    return ST_OK;
}
