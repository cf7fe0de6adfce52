/* sampler_device.c - mini-batches drawn by a device (contract: kernels/sampling.h; declared in sampler.h). */
#include <string.h>

#include "base/mem.h"
#include "traces/sampling/sampler_scratch.h"

const char *sampler_why_cpu(const struct kernels *k, const struct workload *w)
{
    if (!k || !k->sampling) return NULL;
    if (w->sampler != SAMPLER_UNIFORM) return "the GPU has only the uniform sampler";
    if (workload_takes_all(w)) return "the GPU does not take all neighbours of a vertex (--fanout -1)";
    if (workload_edges(w)) return "the GPU does not draw mini-batches that start from edges";
    if (w->frontier == FRONTIER_LAYERS) return "the GPU does not draw with the frontier rule `layers`";
    return NULL;
}

bool sampler_on_device(const struct sampler *s) { return s->device != NULL; }

static struct sampling_problem make_problem(const struct graph *g, const struct workload *w, uint64_t line_bytes,
                                            int threads)
{
    struct sampling_problem p = {.n = g->n,
                                 .indptr = g->indptr,
                                 .indices = g->indices,
                                 .hops = w->hops,
                                 .fanout = w->fanout,
                                 .frontier_all = w->frontier == FRONTIER_ALL,
                                 .seed = w->seed,
                                 .batch = w->batch,
                                 .line_bytes = line_bytes,
                                 .capacity = sampler_largest(g, w),
                                 .threads = threads,
                                 .counted = true};
    return p;
}

static bool can_draw(const struct kernels *k, const struct graph *g, const struct workload *w)
{
    return k && k->sampling && g->n && graph_plain(g) && !sampler_why_cpu(k, w);
}

uint64_t sampler_device_bytes(const struct graph *g, const struct workload *w, uint64_t line_bytes,
                              const struct kernels *k)
{
    enum { RANKS = 17 }; /* bytes per vertex: positions of rows, more than their ranks before */
    struct sampling_problem p = make_problem(g, w, line_bytes, 1);
    struct sampling_facts facts;
    struct err ignored = {0};
    if (!can_draw(k, g, w) || k->sampling->survey(&p, &facts, &ignored) != ST_OK)
        return 0; /* the error is reported when the device is used */
    return facts.pinned_bytes + (facts.where == SAMPLING_DEVICE ? 0 : 8 * (g->n + 1) + 4 * g->m + RANKS * g->n);
}

/* Expected savings of keeping a row, per byte: how often its vertex can be drawn, times the reads of a visit. */
static uint64_t row_savings(const struct sampler *s, uint32_t listed, uint64_t degree)
{
    uint64_t most = 1;
    for (int h = 0; h < s->w->hops; h++) most = s->w->fanout[h] > most ? s->w->fanout[h] : most;
    return (uint64_t)listed * ((degree < most ? degree : most) + 1) * 1024 /
           (4 * degree + 12); /* below 2^32 * 2^16 * 2^10 */
}

/* *out: all vertices, those whose rows save most first; the caller frees it. The choice changes no count. */
static enum st rank_rows(const struct sampler *s, const struct kernels *k, uint32_t **out, struct err *err)
{
    enum st st = ST_OK;
    OWNED uint32_t *listed = NULL, *order = NULL;
    uint64_t n = s->g->n;
    OWNED uint64_t *key = NULL;
    NEW(listed, n, "numbers of rows that list a vertex");
    NEW(key, n, "the savings of rows");
    NEW(order, n, "an order of rows");
    st = k->count(s->threads, s->g->indices, s->g->m, n, listed, err);
    if (st == ST_LIMIT) st = kernels_cpu.count(s->threads, s->g->indices, s->g->m, n, listed, err);
    if (st != ST_OK) goto done;
#pragma omp parallel for num_threads(s->threads)
    for (uint64_t v = 0; v < n; v++) key[v] = row_savings(s, listed[v], graph_degree(s->g, v));
    TRY(kernels_cpu.sort_hottest(s->threads, key, n, order, err));
    *out = TAKE(order);
done:
    return st;
}

enum st sampler_use_device(struct sampler *s, const struct kernels *k, struct sampling_facts *facts, struct err *err)
{
    struct sampling_problem p = make_problem(s->g, s->w, s->line_bytes, s->threads);
    struct sampling_rows rows = {.count = s->g->n, .some = true};
    struct sampling_facts found = {0};
    OWNED uint32_t *order = NULL;
    if (facts) *facts = found;
    if (!can_draw(k, s->g, s->w)) return ST_OK;
    PASS(k->sampling->survey(&p, &found, err));
    if (found.where == SAMPLING_HOST) {
        PASS(rank_rows(s, k, &order, err));
        rows.ids = order;
        p.rows = &rows;
        p.sources = 1;
    }
    PASS(k->sampling->open(&p, &s->session, &found, err));
    s->device = k->sampling;
    sampler_release_scratch(s);
    if (facts) *facts = found;
    return ST_OK;
}

/* Reports a failure of an earlier run. */
static enum st report_failure(const struct sampler *s, struct err *err)
{
    if (s->failed.code != ST_OK) *err = s->failed;
    return s->failed.code;
}

enum st sampler_device_counts(struct sampler *s, struct sample_counts *there, struct err *err)
{
    enum st st;
    struct sampling_counts c = {0};
    BUG_IF(!s->device);
    TRY(report_failure(s, err));
    TRY(s->device->lend(s->session, &c, err));
    *there = (struct sample_counts){.feature = c.feature, .lines = c.lines, .total_lines = c.total_lines};
    memcpy(there->visits, c.visits, sizeof there->visits);
done:
    return st;
}

enum st sampler_clear_counts(struct sampler *s, struct err *err)
{
    enum st st = ST_OK;
    BUG_IF(!s->device);
    st = s->device->forget(s->session, err);
done:
    return st;
}

enum st sampler_collect(struct sampler *s, struct sample_counts *counts, struct err *err)
{
    enum st st;
    struct sampling_counts to = {.feature = counts->feature, .lines = counts->lines};
    if (!s->device) return ST_OK;
    st = report_failure(s, err);
    if (st != ST_OK) return st;
    memcpy(to.visits, counts->visits, sizeof to.visits);
    st = s->device->take(s->session, &to, err);
    counts->total_lines += to.total_lines;
    return st;
}
