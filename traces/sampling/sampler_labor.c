/* sampler_labor.c - layer-neighbour sampling (law: labor.h; what a visit reads: sampler.h).
 *
 * LABOR-0 passes once over the frontier's rows. The iterations of LABOR-i pass over them again and keep two numbers per
 * vertex: its pi, and the largest c of the rows that list it.
 */
#include "base/cacheline.h"
#include "traces/sampling/labor.h"
#include "traces/sampling/normal.h"
#include "traces/sampling/sampler_scratch.h"

/* A row that a hop visits: its neighbours are ids[start .. start + degree), counted from vertex `first`. */
struct row {
    const uint32_t *ids;
    uint64_t start, degree, row, item; /* number of the row in its relation, and of the topology row */
    uint32_t fanout, first;
    uint32_t *edge; /* counts of the relation's edges, or NULL */
};

/* Row number *k of vertex v, of several types the next one with a fan-out. false: there are no more. */
static inline bool next_row(const struct sampler *s, uint32_t hop, uint32_t v, const struct sample_counts *c, int *k,
                            struct row *out)
{
    const struct graph *g = s->g;
    if (graph_plain(g)) { /* without the search for the type */
        *out = (struct row){g->indices, (uint64_t)g->indptr[v], graph_degree(g, v), v, v, s->w->fanout[hop], 0, NULL};
        return !(*k)++;
    }
    const struct graph_type *t = &g->type[graph_type_of(g, v)];
    while (*k < t->into_count) {
        int relation = t->into[(*k)++];
        const struct graph_csr csr = graph_csr(g, relation);
        uint64_t row = v - t->first;
        uint32_t fanout = workload_fanout(s->w, relation, (int)hop);
        if (!fanout) continue;
        *out = (struct row){csr.indices,
                            (uint64_t)csr.indptr[row],
                            csr_degree(&csr, row),
                            row,
                            csr.first_row + row,
                            fanout,
                            (uint32_t)csr.first_source,
                            c && c->edge && csr.edge_features ? c->edge + csr.first_edge : NULL};
        return true;
    }
    return false;
}
/* Rows are passed by value: writes to counts cannot change them, which compilers see then. */
static inline uint32_t neighbour(struct row r, uint64_t j) { return r.first + r.ids[r.start + j]; }

/* ---- the iterations ---- */

/* c of a row for the weights as they are. */
static double scale_of(struct sampler_scratch *b, struct row r)
{
    if (r.fanout == FANOUT_ALL) return 1; /* as with a fan-out of its length */
    if (r.degree <= r.fanout) return (double)r.fanout / (double)r.degree;
    for (uint64_t i = 0; i < r.degree; i++) b->inverse[i] = 1 / b->weight[neighbour(r, i)].pi;
    return labor_scale(b->inverse, r.degree, r.fanout);
}

/* pi = 1 wherever the frontier's rows lead. */
static void begin_weights(const struct sampler *s, struct sampler_scratch *b, uint32_t hop, struct frontier f)
{
    struct row r;
    for (uint64_t i = f.from; i < f.to; i++)
        for (int k = 0; next_row(s, hop, b->found[i], NULL, &k, &r);)
            for (uint64_t j = 0; j < r.degree; j++) b->weight[neighbour(r, j)] = (struct labor_weight){1, 0};
}

/* The largest c of the rows that list a vertex. */
static void find_scales(const struct sampler *s, struct sampler_scratch *b, uint32_t hop, struct frontier f)
{
    struct row r;
    for (uint64_t i = f.from; i < f.to; i++)
        for (int k = 0; next_row(s, hop, b->found[i], NULL, &k, &r);) {
            double scale = r.degree ? scale_of(b, r) : 0;
            for (uint64_t j = 0; j < r.degree; j++) {
                struct labor_weight *w = &b->weight[neighbour(r, j)];
                if (w->most < scale) w->most = scale;
            }
        }
}

/* One iteration; returns the expected rows that the hop takes with the weights before it. */
static double reweigh(const struct sampler *s, struct sampler_scratch *b, uint32_t hop, struct frontier f)
{
    double rows = 0;
    struct row r;
    find_scales(s, b, hop, f);
    for (uint64_t i = f.from; i < f.to; i++)
        for (int k = 0; next_row(s, hop, b->found[i], NULL, &k, &r);)
            for (uint64_t j = 0; j < r.degree; j++) {
                struct labor_weight *w = &b->weight[neighbour(r, j)];
                if (!(w->most > 0)) continue; /* its turn was at an earlier row */
                w->pi *= w->most;
                w->most = 0;
                rows += w->pi < 1 ? w->pi : 1;
            }
    return rows;
}

static void weigh(const struct sampler *s, struct sampler_scratch *b, uint32_t hop, struct frontier f)
{
    static const double helps = 1 - 1e-4;
    int most = s->w->labor_iterations == LABOR_CONVERGE ? LABOR_ITERATIONS_MAX : s->w->labor_iterations;
    double before = 0;
    begin_weights(s, b, hop, f);
    for (int i = 0; i < most; i++) {
        double rows = reweigh(s, b, hop, f);
        if (i && rows >= helps * before) break;
        before = rows;
    }
}

/* ---- draws ---- */

/* Takes neighbour number j of a row. */
static inline void sampler_labor_take(struct sampler_scratch *b, struct row r, uint64_t j, bool shared)
{
    scratch_discover(b, neighbour(r, j));
    if (r.edge) scratch_count(&r.edge[r.start + j], 1, shared);
    if (b->steps) steps_draw(b->steps, r.start + j);
}

/* LABOR-0: takes neighbours of a row longer than the fan-out; returns how many. */
static uint64_t take_equally(struct sampler_scratch *b, const struct labor_variates *v, struct row r, bool shared)
{
    uint64_t taken = 0, share = labor_share(r.fanout, r.degree);
    double quantile = normal_quantile(share);
    for (uint64_t from = 0; from < r.degree; from += LABOR_SOME) {
        int count = r.degree - from < LABOR_SOME ? (int)(r.degree - from) : LABOR_SOME;
        uint32_t here[LABOR_SOME];
        const uint32_t *t = r.ids + r.start + from;
        for (int i = 0; r.first && i < count; i++) here[i] = neighbour(r, from + (uint64_t)i);
        uint32_t below = labor_below_some(v, r.first ? here : t, count, share, quantile);
        taken += (uint64_t)__builtin_popcount(below);
        for (; below; below &= below - 1) sampler_labor_take(b, r, from + (uint64_t)__builtin_ctz(below), shared);
    }
    return taken;
}

/* The same by weights. */
static uint64_t take_weighted(struct sampler_scratch *b, const struct labor_variates *v, struct row r, bool shared)
{
    uint64_t taken = 0;
    double scale = scale_of(b, r);
    for (uint64_t j = 0; j < r.degree; j++) {
        uint32_t t = neighbour(r, j);
        if (!labor_takes(scale * b->weight[t].pi, labor_variate(v, t))) continue;
        sampler_labor_take(b, r, j, shared);
        taken++;
    }
    return taken;
}

/* Takes the neighbours of a row; returns how many. */
static uint64_t take_row(const struct sampler *s, struct sampler_scratch *b, const struct labor_variates *v,
                         struct row r)
{
    const bool shared = s->threads > 1;
    if (r.degree > r.fanout)
        return s->w->labor_iterations ? take_weighted(b, v, r, shared) : take_equally(b, v, r, shared);
    for (uint64_t j = 0; j < r.degree; j++) sampler_labor_take(b, r, j, shared);
    return r.degree;
}

void sampler_labor(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, struct frontier f,
                   struct sample_counts *c, uint64_t *lines)
{
    struct labor_variates variates = labor_variates_of(s->w, key->hop, key->batch, key->who);
    struct row r;
    const bool plain = graph_plain(s->g), shared = s->threads > 1;
    if (s->w->labor_iterations) weigh(s, b, key->hop, f);
    for (uint64_t i = f.from; i < f.to; i++) {
        uint32_t v = b->found[i];
        if (plain && i + 1 < f.to) scratch_prefetch(s, c, key->hop, b->found[i + 1]);
        if (c) scratch_count(&c->visits[key->hop][v - s->first], 1, shared);
        for (int k = 0; next_row(s, key->hop, v, c, &k, &r);) {
            uint64_t cost = cachelines_of_offsets(r.row, s->line_bytes) +
                            cachelines_touched(4 * r.start, 4 * r.degree, s->line_bytes);
            scratch_keep(b, (uint32_t)r.item, NULL, 0);
            uint64_t taken = take_row(s, b, &variates, r);
            *lines += cost;
            if (c && c->lines) scratch_count(&c->lines[r.item - s->first], (uint32_t)cost, shared);
            if (c && c->draws && taken) scratch_count(&c->draws[r.item], (uint32_t)taken, shared);
        }
    }
}
