/* sampler_labor.c - layer-neighbour sampling (law: labor.h; what a visit reads: sampler.h).
 *
 * LABOR-0 passes once over the frontier's rows. The iterations of LABOR-i pass over them again and keep two numbers per
 * vertex: its pi, and the largest c of the rows that list it.
 */
#include "base/cacheline.h"
#include "traces/sampling/labor.h"
#include "traces/sampling/normal.h"
#include "traces/sampling/sampler_scratch.h"

static inline const uint32_t *row_of(const struct graph *g, uint32_t v, uint64_t *degree)
{
    *degree = (uint64_t)(g->indptr[v + 1] - g->indptr[v]);
    return g->indices + g->indptr[v];
}

/* ---- the iterations ---- */

/* c of a frontier vertex for the weights as they are. */
static double scale_of(struct sampler_scratch *b, const uint32_t *row, uint64_t degree, uint32_t fanout)
{
    if (degree <= fanout) return (double)fanout / (double)degree;
    for (uint64_t i = 0; i < degree; i++) b->inverse[i] = 1 / b->weight[row[i]].pi;
    return labor_scale(b->inverse, degree, fanout);
}

/* pi = 1 wherever the frontier's rows lead. */
static void begin_weights(const struct graph *g, struct sampler_scratch *b, struct frontier f)
{
    for (uint64_t i = f.from; i < f.to; i++) {
        uint64_t degree;
        const uint32_t *row = row_of(g, b->found[i], &degree);
        for (uint64_t j = 0; j < degree; j++) b->weight[row[j]] = (struct labor_weight){1, 0};
    }
}

/* One iteration; returns the expected rows that the hop takes with the weights before it. */
static double reweigh(const struct graph *g, struct sampler_scratch *b, struct frontier f, uint32_t fanout)
{
    double rows = 0;
    for (uint64_t i = f.from; i < f.to; i++) {
        uint64_t degree;
        const uint32_t *row = row_of(g, b->found[i], &degree);
        double scale = degree ? scale_of(b, row, degree, fanout) : 0;
        for (uint64_t j = 0; j < degree; j++)
            if (b->weight[row[j]].most < scale) b->weight[row[j]].most = scale;
    }
    for (uint64_t i = f.from; i < f.to; i++) {
        uint64_t degree;
        const uint32_t *row = row_of(g, b->found[i], &degree);
        for (uint64_t j = 0; j < degree; j++) {
            struct labor_weight *w = &b->weight[row[j]];
            if (!(w->most > 0)) continue; /* its turn was at an earlier row */
            w->pi *= w->most;
            w->most = 0;
            rows += w->pi < 1 ? w->pi : 1;
        }
    }
    return rows;
}

static void weigh(const struct sampler *s, struct sampler_scratch *b, struct frontier f, uint32_t fanout)
{
    static const double helps = 1 - 1e-4;
    int most = s->w->labor_iterations == LABOR_CONVERGE ? LABOR_ITERATIONS_MAX : s->w->labor_iterations;
    double before = 0;
    begin_weights(s->g, b, f);
    for (int i = 0; i < most; i++) {
        double rows = reweigh(s->g, b, f, fanout);
        if (i && rows >= helps * before) break;
        before = rows;
    }
}

/* ---- draws ---- */

/* A row of the frontier: its neighbours begin at `start` in indices. */
struct row {
    uint64_t start, degree;
};

static void take(const struct graph *g, struct sampler_scratch *b, uint64_t place)
{
    scratch_discover(b, g->indices[place]);
    if (b->steps) steps_draw(b->steps, place);
}

/* LABOR-0: takes neighbours of a row longer than the fan-out; returns how many. */
static uint64_t take_equally(const struct graph *g, struct sampler_scratch *b, const struct labor_variates *r,
                             struct row row, uint32_t fanout)
{
    uint64_t taken = 0, share = labor_share(fanout, row.degree);
    double quantile = normal_quantile(share);
    for (uint64_t i = row.start; i < row.start + row.degree; i++) {
        if (!labor_below(r, g->indices[i], share, quantile)) continue;
        take(g, b, i);
        taken++;
    }
    return taken;
}

/* The same by weights. */
static uint64_t take_weighted(const struct graph *g, struct sampler_scratch *b, const struct labor_variates *r,
                              struct row row, uint32_t fanout)
{
    uint64_t taken = 0;
    double scale = scale_of(b, g->indices + row.start, row.degree, fanout);
    for (uint64_t i = row.start; i < row.start + row.degree; i++) {
        uint32_t t = g->indices[i];
        if (!labor_takes(scale * b->weight[t].pi, labor_variate(r, t))) continue;
        take(g, b, i);
        taken++;
    }
    return taken;
}

/* Takes the neighbours of a row; returns how many. */
static uint64_t take_row(const struct sampler *s, struct sampler_scratch *b, const struct labor_variates *r,
                         struct row row, uint32_t fanout)
{
    if (row.degree > fanout)
        return s->w->labor_iterations ? take_weighted(s->g, b, r, row, fanout) : take_equally(s->g, b, r, row, fanout);
    for (uint64_t i = row.start; i < row.start + row.degree; i++) take(s->g, b, i);
    return row.degree;
}

void sampler_labor(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, struct frontier f,
                   struct sample_counts *c, uint64_t *lines)
{
    uint32_t fanout = s->w->fanout[key->hop];
    struct labor_variates r = labor_variates_of(s->w, key->hop, key->batch, key->who);
    if (s->w->labor_iterations) weigh(s, b, f, fanout);
    for (uint64_t i = f.from; i < f.to; i++) {
        uint32_t v = b->found[i];
        struct row row = {(uint64_t)s->g->indptr[v], graph_degree(s->g, v)};
        uint64_t cost = cachelines_of_offsets(v, s->line_bytes) +
                        cachelines_touched(4 * row.start, 4 * row.degree, s->line_bytes);
        if (i + 1 < f.to) scratch_prefetch(s, c, key->hop, b->found[i + 1]);
        scratch_keep(b, v, NULL, 0);
        uint64_t taken = take_row(s, b, &r, row, fanout);
        scratch_visit(s, c, key->hop, v, cost, lines);
        if (taken && c) scratch_count(&c->draws[v], (uint32_t)taken, s->threads > 1);
    }
}
