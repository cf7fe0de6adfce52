/* ref.c - the reference backend: every operation as short serial code. Other backends are compared with it bit for bit,
 * so it shares no code with them. */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "kernels/kernel.h"
#include "kernels/tally.h"

static const char *ref_missing(void) { return NULL; }

static enum st ref_column_sum(int threads, const uint32_t *const *rows, int count, uint64_t n, uint64_t *out,
                              struct err *err)
{
    (void)threads, (void)err;
    for (uint64_t v = 0; v < n; v++) {
        out[v] = 0;
        for (int r = 0; r < count; r++) out[v] += rows[r][v];
    }
    return ST_OK;
}

struct keyed {
    uint64_t key;
    uint32_t id;
};

static int hotter_first(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static enum st ref_sort_hottest(int threads, const uint64_t *key, uint64_t n, uint32_t *order, struct err *err)
{
    (void)threads;
    OWNED_NEW(struct keyed, list, n, "sorting by hotness");
    for (uint64_t v = 0; v < n; v++) list[v] = (struct keyed){key[v], (uint32_t)v};
    qsort(list, n, sizeof *list, hotter_first);
    for (uint64_t i = 0; i < n; i++) order[i] = list[i].id;
    return ST_OK;
}

static enum st ref_scan(int threads, const uint64_t *in, const uint32_t *order, uint64_t count, uint64_t *out,
                        struct err *err)
{
    uint64_t sum = 0;

    (void)threads, (void)err;
    for (uint64_t i = 0; i < count; i++) out[i] = sum += in[order ? order[i] : i];
    return ST_OK;
}

/* The GPU for a row of this size: among those with room the highest local hotness, then the most room, then the lowest
 * index; -1 when none has room. */
static int best_gpu(const struct cslp_problem *p, const uint64_t *room, uint32_t v, uint64_t bytes)
{
    int best = -1;
    for (int g = 0; g < p->gpus; g++) {
        if (room[g] < bytes) continue;
        if (best < 0 || p->hot[g][v] > p->hot[best][v] || (p->hot[g][v] == p->hot[best][v] && room[g] > room[best]))
            best = g;
    }
    return best;
}

static enum st ref_cslp(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held,
                        struct err *err)
{
    enum st st = ST_OK;
    uint64_t i;

    (void)threads;
    BUG_IF(p->gpus < 1 || p->gpus > KERNEL_GPUS_MAX);
    for (i = 0; i < p->count; i++) {
        uint32_t v = p->order[i];
        uint64_t bytes = p->indptr ? 4 * (uint64_t)(p->indptr[v + 1] - p->indptr[v]) + 8 : p->row_bytes;
        int g = best_gpu(p, room, v, bytes);
        if (g < 0) break;
        room[g] -= bytes;
        owner[i] = (uint8_t)g;
    }
    *held = i;
done:
    return st;
}

static uint64_t rounded(unsigned __int128 over, unsigned __int128 under)
{
    unsigned __int128 rest = over % under;
    return (uint64_t)(over / under + (rest >= under - rest));
}

static void sweep_one(const struct sweep_problem *p, int steps, struct sweep_point *points)
{
    uint64_t all_topology = p->n ? p->hot_topology[p->n - 1] : 0, all_feature = p->n ? p->hot_feature[p->n - 1] : 0,
             k = 0;
    for (int i = 0; i <= steps; i++) {
        uint64_t for_topology = (uint64_t)((unsigned __int128)i * p->budget / (unsigned)steps);
        uint64_t f = (p->budget - for_topology) / p->row_bytes;
        while (k < p->n && p->size_topology[k] <= for_topology) k++;
        if (f > p->n) f = p->n;
        uint64_t cold_topology = all_topology - (k ? p->hot_topology[k - 1] : 0),
                 cold_feature = all_feature - (f ? p->hot_feature[f - 1] : 0);
        points[i].rows_topology = k;
        points[i].rows_feature = f;
        points[i].topology = all_topology ? rounded((unsigned __int128)p->n_tsum * cold_topology,
                                                    (unsigned __int128)all_topology * p->epochs)
                                          : rounded(p->n_tsum, p->epochs);
        points[i].feature = rounded((unsigned __int128)p->lines * cold_feature, p->epochs);
    }
}

static enum st ref_sweep(int threads, const struct sweep_problem *p, int count, struct sweep_point *points,
                         struct err *err)
{
    (void)threads, (void)err;
    for (int c = 0; c < count; c++) sweep_one(&p[c], p[c].steps, points + (uint64_t)c * ((uint64_t)p[c].steps + 1));
    return ST_OK;
}

static enum st ref_pagerank_step(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share,
                                 uint64_t *y, uint64_t *change, struct err *err)
{
    (void)threads, (void)err;
    for (uint64_t v = 0; v < p->n; v++) {
        uint64_t degree = (uint64_t)(p->indptr[v + 1] - p->indptr[v]);
        share[v] = degree ? x[v] / degree : 0;
        y[v] = 0;
    }
    for (uint64_t v = 0; v < p->n; v++)
        for (int64_t e = p->indptr[v]; e < p->indptr[v + 1]; e++) y[p->indices[e]] += share[v];
    *change = 0;
    for (uint64_t u = 0; u < p->n; u++) {
        y[u] = p->base + (uint64_t)((unsigned __int128)y[u] * p->damping_permille / 1000);
        *change += y[u] > x[u] ? y[u] - x[u] : x[u] - y[u];
    }
    return ST_OK;
}

static enum st ref_count(int threads, const uint32_t *ids, uint64_t m, uint64_t n, uint32_t *out, struct err *err)
{
    (void)threads, (void)err;
    if (n) memset(out, 0, n * sizeof *out);
    for (uint64_t i = 0; i < m; i++) out[ids[i]]++;
    return ST_OK;
}

static enum st ref_tally_open(int threads, const struct tally_problem *p, void **session, struct err *err)
{
    struct tally_problem *own = NULL;

    (void)threads;
    MAKE(own, 1, "the simulator's sums");
    *own = *p;
    *session = own;
    return ST_OK;
}

/* Counts the visits of v in hop h. */
static void tally_hop(const struct tally_problem *p, const struct tally_counts *c, uint64_t v, int h,
                      struct tally_sums *s, struct tally_hops *hops, uint64_t *drawn)
{
    uint64_t degree = (uint64_t)(p->indptr[v + 1] - p->indptr[v]), visits = c->visits[h][v];
    uint64_t draws = visits * (degree < p->fanout[h] ? degree : p->fanout[h]);
    int source = p->where[0][v];

    *drawn += draws;
    if (hops) {
        hops->visits[h] += visits;
        hops->draws[h] += draws;
    }
    s->visits[source] += visits;
    s->degrees[source] += visits * degree;
    if (p->whole_rows)
        s->entries[source] += visits * degree * (degree > p->fanout[h] || p->whole_rows > 8 ? p->whole_rows : 4);
}

static void tally_vertex(const struct tally_problem *p, const struct tally_counts *c, uint64_t v, struct tally_sums *s,
                         struct tally_hops *hops)
{
    uint64_t draws = 0, visits = 0, from = v * p->row_bytes,
             lines = p->row_bytes ? (from + p->row_bytes - 1) / p->line_bytes - from / p->line_bytes + 1 : 0;
    uint8_t at = p->where[0][v], source = p->where[1][v];

    for (int h = 0; h < p->hops; h++) {
        tally_hop(p, c, v, h, s, hops, &draws);
        visits += c->visits[h][v];
    }
    if (c->draws) draws = visits ? c->draws[v] : 0;
    if (hops) hops->all_draws += draws;
    s->draws[at] += draws;
    s->entries[at] += p->whole_rows ? 0 : 4 * draws;
    s->rows[source] += c->feature[v];
    s->lines += c->lines[v];
    s->topology += at ? 0 : c->lines[v];
    s->feature += source ? 0 : c->feature[v] * lines;
}

static enum st ref_tally_add(void *session, const struct tally_counts *c, struct tally_sums *sums,
                             struct tally_hops *hops, struct err *err)
{
    struct tally_problem p = *(struct tally_problem *)session;

    (void)err;
    for (int i = 0; i < p.placements; i++, p.where += 2)
        for (uint64_t v = 0; v < p.n; v++)
            if (c->feature[v]) tally_vertex(&p, c, v, &sums[i], i ? NULL : hops);
    return ST_OK;
}

static const struct tally ref_tally = {ref_tally_open, ref_tally_add, mem_free};

const struct kernels kernels_ref = {
    .name = "ref",
    .summary = "serial reference, with which the others are tested",
    .missing = ref_missing,
    .column_sum = ref_column_sum,
    .sort_hottest = ref_sort_hottest,
    .scan = ref_scan,
    .cslp = ref_cslp,
    .sweep = ref_sweep,
    .pagerank_step = ref_pagerank_step,
    .count = ref_count,
    .tally = &ref_tally,
};
