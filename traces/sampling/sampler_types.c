/* sampler_types.c - draws without replacement on a graph of several types, uniform or by weight (law: workload.h). */
#include "base/cacheline.h"
#include "traces/sampling/sampler_scratch.h"

/* Positions in all rows of a vertex together are 32-bit numbers. */
enum st sampler_types_check(const struct graph *g, const struct workload *w, int threads, struct err *err)
{
    PASS(workload_check(g, w, g->path, err));
    for (int t = 0; w->together && t < g->types; t++) {
        uint64_t most = 0;
        if (!g->type[t].into_count) continue;
#pragma omp parallel for num_threads(threads) reduction(max : most)
        for (uint64_t v = 0; v < g->type[t].count; v++) {
            uint64_t pool = workload_pool(g, w, g->type[t].into[0], v);
            most = pool > most ? pool : most;
        }
        if (most > UINT32_MAX)
            return err_set(err, ST_LIMIT,
                           "--fanout-over vertex: a vertex of %s has %llu neighbours in all relations together, at "
                           "most 2^32 - 1 can be drawn from; use --fanout-over relation",
                           g->type[t].name, (unsigned long long)most);
    }
    return ST_OK;
}

/* Draws from row v of a relation: its picks become positions in the row. Returns the transactions. */
static uint64_t sampler_types_choose(const struct sampler *s, struct sampler_scratch *b, const struct draw_key *key,
                                     const struct graph_relation *r, uint64_t v, uint32_t fanout, uint32_t *taken)
{
    uint64_t start = (uint64_t)r->indptr[v], degree = relation_degree(r, v),
             lines = cachelines_of_offsets(v, s->line_bytes);
    if (degree <= fanout) {
        for (uint64_t i = 0; i < degree; i++) b->picks[i] = (uint32_t)i;
        *taken = (uint32_t)degree;
        return lines + cachelines_touched(4 * start, 4 * degree, s->line_bytes);
    }
    *taken = fanout;
    if (workload_by_weight(s->w, r->weights)) { /* all of the row and of its weights */
        biased_draw(key, r->weights + start, degree, fanout, b->keys);
        for (uint32_t i = 0; i < fanout; i++) b->picks[i] = b->keys[i].position;
        return lines + 2 * cachelines_touched(4 * start, 4 * degree, s->line_bytes);
    }
    draw_distinct(&b->set, key, (uint32_t)degree, fanout, b->picks);
    return lines + draw_lines(&b->set, b->picks, fanout, 4 * start, degree, s->line_bytes);
}

/* Keeps the picks, positions in a row that begins at entry `start`. */
static void keep(struct sampler_scratch *b, uint64_t row, uint64_t start, uint32_t taken)
{
    for (uint32_t i = 0; i < taken; i++) b->places[i] = start + b->picks[i];
    scratch_keep(b, (uint32_t)row, b->places, taken);
}

/* Counts a visit of vertex v's row that took picks[0..taken) and cost so many transactions, and finds the neighbours.
 */
static void sampler_types_take(const struct sampler *s, struct sampler_scratch *b, int relation, uint32_t v,
                               uint32_t taken, uint64_t cost, struct sample_counts *c, uint64_t *lines)
{
    const struct graph_relation *r = &s->g->relation[relation];
    const uint32_t first = (uint32_t)s->g->type[r->source].first;
    const bool shared = s->threads > 1;
    uint64_t row = v - s->g->type[r->target].first, item = r->first_row + row, start = (uint64_t)r->indptr[row];
    *lines += cost;
    if (c && c->lines) scratch_count(&c->lines[item], (uint32_t)cost, shared);
    if (c && c->draws) scratch_count(&c->draws[item], taken, shared);
    for (uint32_t i = 0; c && c->edge && r->features.row_bytes && i < taken; i++)
        scratch_count(&c->edge[r->first_edge + start + b->picks[i]], 1, shared);
    if (b->steps) keep(b, item, start, taken);
    for (uint32_t i = 0; i < taken; i++) { /* first all loads, so that they are in flight together */
        b->picks[i] = first + r->indices[start + b->picks[i]];
        marks_prefetch(b->marks, b->picks[i]);
    }
    for (uint32_t i = 0; i < taken; i++) scratch_discover(b, b->picks[i]);
}

/* Expands vertex v of the frontier in one relation. */
static void visit(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, int relation,
                  uint32_t fanout, uint32_t v, struct sample_counts *c, uint64_t *lines)
{
    const struct graph_relation *r = &s->g->relation[relation];
    uint64_t row = v - s->g->type[r->target].first;
    struct draw_key counter = {s->w->seed, (uint32_t)(r->first_row + row), key->hop, key->batch, key->who};
    uint32_t taken;
    uint64_t cost = sampler_types_choose(s, b, &counter, r, row, fanout, &taken);
    sampler_types_take(s, b, relation, v, taken, cost, c, lines);
}

/* Moves those of all[0..*left) that are below `end` into picks, as positions from `begin` on. Returns how many. */
static uint32_t split(uint32_t *all, uint32_t *left, uint64_t begin, uint64_t end, uint32_t *picks)
{
    uint32_t taken = 0, kept = 0;
    for (uint32_t i = 0; i < *left; i++) {
        if (all[i] < end) picks[taken++] = all[i] - (uint32_t)begin;
        else all[kept++] = all[i];
    }
    *left = kept;
    return taken;
}

/* Expands vertex v of type t in all relations together: one draw from its rows, one behind the other. */
static void visit_together(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key,
                           const struct graph_type *t, uint32_t v, struct sample_counts *c, uint64_t *lines)
{
    uint32_t *all = b->picks + s->most, fanout = s->w->fanout[key->hop], left = fanout;
    struct draw_key counter = {s->w->seed, v, key->hop, key->batch, key->who};
    uint64_t row = v - t->first, begin = 0, pool = workload_pool(s->g, s->w, t->into[0], row);
    if (pool > fanout) draw_distinct(&b->set, &counter, (uint32_t)pool, fanout, all);
    for (int k = 0; k < t->into_count; k++) {
        const struct graph_relation *r = &s->g->relation[t->into[k]];
        uint64_t start = (uint64_t)r->indptr[row], degree = relation_degree(r, row),
                 cost = cachelines_of_offsets(row, s->line_bytes);
        uint32_t taken = (uint32_t)degree;
        if (pool > fanout) {
            taken = split(all, &left, begin, begin + degree, b->picks);
            cost += draw_lines(&b->set, b->picks, taken, 4 * start, degree, s->line_bytes);
        } else {
            for (uint32_t i = 0; i < taken; i++) b->picks[i] = i;
            cost += cachelines_touched(4 * start, 4 * degree, s->line_bytes);
        }
        sampler_types_take(s, b, t->into[k], v, taken, cost, c, lines);
        begin += degree;
    }
}

static void expand(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, uint32_t v,
                   struct sample_counts *c, uint64_t *lines)
{
    const struct graph_type *t = &s->g->type[graph_type_of(s->g, v)];
    if (c) scratch_count(&c->visits[key->hop][v], 1, s->threads > 1);
    if (s->w->together && t->into_count && s->w->fanout[key->hop]) {
        visit_together(s, b, key, t, v, c, lines);
        return;
    }
    for (int k = 0; k < t->into_count; k++) {
        uint32_t fanout = workload_fanout(s->w, t->into[k], (int)key->hop);
        if (fanout) visit(s, b, key, t->into[k], fanout, v, c, lines);
    }
}

/* Starts loading what a visit of v needs, in all relations: far ahead offsets and counts, then the row. */
static void prefetch(const struct sampler *s, uint32_t v, uint32_t hop, bool row, const struct sample_counts *c)
{
    const struct graph_type *t = &s->g->type[graph_type_of(s->g, v)];
    uint64_t local = v - t->first;
    if (c && !row) __builtin_prefetch(&c->visits[hop][v], 1);
    for (int k = 0; k < t->into_count; k++) {
        const struct graph_relation *r = &s->g->relation[t->into[k]];
        if (!workload_fanout(s->w, t->into[k], (int)hop)) continue;
        if (row) {
            __builtin_prefetch(&r->indices[r->indptr[local]]);
            continue;
        }
        __builtin_prefetch(&r->indptr[local]);
        if (c && c->lines) __builtin_prefetch(&c->lines[r->first_row + local], 1);
    }
}

void sampler_types(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, struct frontier f,
                   struct sample_counts *c, uint64_t *lines)
{
    enum { FAR = 16, NEAR = 8 };
    for (uint64_t i = f.from; i < f.to; i++) {
        if (i + FAR < f.to) prefetch(s, b->found[i + FAR], key->hop, false, c);
        if (i + NEAR < f.to) prefetch(s, b->found[i + NEAR], key->hop, true, c);
        expand(s, b, key, b->found[i], c, lines);
    }
}
