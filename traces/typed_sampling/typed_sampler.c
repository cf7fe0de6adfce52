#include "traces/typed_sampling/typed_sampler.h"

#include <omp.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "traces/sampling/draw.h"
#include "traces/sampling/marks.h"
#include "traces/sampling/order.h"

/* The draws of a mini-batch that is wanted whole. */
struct kept {
    bool on;
    struct typed_draw *draw;
    uint64_t count, room;
    struct typed_steps steps;
    struct err failed; /* why a draw could not be kept */
};

/* One thread's scratch memory. */
struct scratch {
    uint64_t *marks; /* [n] which vertices the mini-batch has found (marks.h) */
    uint32_t *found; /* [capacity] distinct vertices, in the order of discovery */
    uint32_t *picks; /* [2 widest] positions in a row; together: those in all rows, behind those in one */
    struct draw_set set;
    uint64_t count; /* of found */
    struct kept *kept;
};

struct typed_sampler {
    const struct graph *g;
    const struct typed_workload *w;
    uint64_t line_bytes, capacity;
    uint32_t widest; /* largest fan-out, at least 1 */
    int threads, gpu;
    struct scratch *scratch;
    uint64_t train_count, batches, epochs;
    uint32_t *order; /* [epochs][train_count] */
};

/* Most distinct vertices of a mini-batch. */
static uint64_t largest(const struct graph *g, const struct typed_workload *w)
{
    uint64_t level = w->batch, all = level;
    for (int h = 0; h < w->hops && all < g->n; h++) {
        uint64_t most = 0;
        for (int t = 0; t < g->types; t++) {
            uint64_t sum = 0;
            for (int i = 0; i < g->type[t].into_count; i++) {
                uint32_t fanout = w->fanout[g->type[t].into[i]][h];
                sum = w->together ? fanout : sum + fanout;
            }
            most = sum > most ? sum : most;
        }
        if (__builtin_mul_overflow(w->frontier_all ? all : level, most, &level) ||
            __builtin_add_overflow(all, level, &all))
            return g->n;
    }
    return all < g->n ? all : g->n;
}

uint64_t typed_sampler_bytes(const struct graph *g, const struct typed_workload *w, int threads, uint64_t train,
                             uint64_t epochs)
{
    uint64_t each = g->n / 8 + 4 * (largest(g, w) + 1) + 16 * train; /* of a thread: marks, frontier, shuffle keys */
    return (uint64_t)threads * each + 4 * train * epochs;
}

static enum st scratch_make(const struct typed_sampler *s, struct scratch *b, struct err *err)
{
    enum st st = ST_OK;
    NEW_NEAR(b->marks, marks_words(s->g->n), "the sampler's marks");
    NEW_NEAR(b->found, s->capacity + 1, "the sampler's frontier");
    NEW(b->picks, 2 * (uint64_t)s->widest, "the sampler's draws");
    NEW(b->kept, 1, "the sampler's draws");
    TRY(draw_set_new(&b->set, s->widest, err));
done:
    return st;
}

/* Positions in all rows of a vertex together are 32-bit numbers. */
static enum st check_pools(const struct graph *g, const struct typed_workload *w, int threads, struct err *err)
{
    for (int t = 0; w->together && t < g->types; t++) {
        uint64_t most = 0;
        if (!g->type[t].into_count) continue;
#pragma omp parallel for num_threads(threads) reduction(max : most)
        for (uint64_t v = 0; v < g->type[t].count; v++) {
            uint64_t pool = typed_pool(g, w, g->type[t].into[0], v);
            most = pool > most ? pool : most;
        }
        if (most > UINT32_MAX)
            return err_set(err, ST_LIMIT,
                           "--fanout-over vertex: a vertex of %s has %llu neighbours in all relations together, at "
                           "most "
                           "2^32 - 1 can be drawn from; use --fanout-over relation",
                           g->type[t].name, (unsigned long long)most);
    }
    return ST_OK;
}

enum st typed_sampler_new(const struct graph *g, const struct typed_workload *w, uint64_t line_bytes, int threads,
                          struct typed_sampler **out, struct err *err)
{
    enum st st = ST_OK;
    struct typed_sampler *s = NULL;
    NEW(s, 1, "the sampler");
    *s = (struct typed_sampler){.g = g,
                                .w = w,
                                .line_bytes = line_bytes,
                                .threads = threads,
                                .capacity = largest(g, w),
                                .widest = 1};
    for (int r = 0; r < g->relations; r++)
        for (int h = 0; h < w->hops; h++) s->widest = w->fanout[r][h] > s->widest ? w->fanout[r][h] : s->widest;
    TRY(check_pools(g, w, threads, err));
    NEW(s->scratch, threads, "sampler threads");
    for (int t = 0; t < threads; t++) TRY(scratch_make(s, &s->scratch[t], err));
    *out = s;
    s = NULL;
done:
    typed_sampler_free(s);
    return st;
}

void typed_sampler_free(struct typed_sampler *s)
{
    if (!s) return;
    for (int t = 0; s->scratch && t < s->threads; t++) {
        mem_free(s->scratch[t].marks);
        mem_free(s->scratch[t].found);
        mem_free(s->scratch[t].picks);
        if (s->scratch[t].kept) mem_free(s->scratch[t].kept->draw);
        mem_free(s->scratch[t].kept);
        draw_set_free(&s->scratch[t].set);
    }
    mem_free(s->scratch);
    mem_free(s->order);
    mem_free(s);
}

/* No count of a row can exceed 32 bits: a visit adds at most its draws and 6 lines. */
static enum st check_counts(const struct typed_sampler *s, struct err *err)
{
    uint64_t each = 0, most;
    for (int h = 0; h < s->w->hops; h++) {
        uint64_t widest = 0;
        for (int r = 0; r < s->w->relations; r++) widest = s->w->fanout[r][h] > widest ? s->w->fanout[r][h] : widest;
        each += widest + 6;
    }
    if (s->epochs >= 1u << 24 || s->batches >> 32 || __builtin_mul_overflow(s->batches * s->epochs, each, &most) ||
        most >= UINT32_MAX)
        return err_set(err, ST_LIMIT,
                       "%llu epochs of %llu mini-batches could overflow 32-bit counts of one row; use fewer epochs or "
                       "larger mini-batches",
                       (unsigned long long)s->epochs, (unsigned long long)s->batches);
    return ST_OK;
}

enum st typed_sampler_gpu(struct typed_sampler *s, int id, const uint32_t *train, uint64_t count, uint64_t epochs,
                          struct err *err)
{
    enum st st = ST_OK;
    uint64_t *room = NULL;
    const struct order_rule rule = {ORDER_SHUFFLE, s->w->batch, 0, s->w->seed, id};
    mem_free(s->order);
    s->order = NULL;
    s->gpu = id;
    s->train_count = count;
    s->epochs = epochs;
    s->batches = typed_batches(s->w, count);
    TRY(check_counts(s, err));
    NEW(s->order, count * epochs, "shuffled training vertices");
    NEW(room, 2 * count * (uint64_t)s->threads, "shuffle keys");
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads)
    for (uint64_t e = 0; e < epochs; e++)
        order_epoch(&rule, train, count, e, room + (uint64_t)omp_get_thread_num() * 2 * count, s->order + e * count);
done:
    mem_free(room);
    return st;
}

uint64_t typed_sampler_batches(const struct typed_sampler *s) { return s->batches; }

/* ---- one mini-batch ---- */

static void add(uint32_t *cell, uint32_t by) { __atomic_fetch_add(cell, by, __ATOMIC_RELAXED); }

static void discover(struct scratch *b, uint32_t v)
{
    b->found[b->count] = v;
    b->count += marks_add(b->marks, v);
}

/* Draws from row v of a relation: its picks become positions in the row. Returns the transactions. */
static uint64_t choose(const struct typed_sampler *s, struct scratch *b, const struct draw_key *key,
                       const struct graph_relation *r, uint64_t v, uint32_t fanout, uint32_t *taken)
{
    uint64_t start = (uint64_t)r->indptr[v], degree = relation_degree(r, v),
             lines = cachelines_of_offsets(v, s->line_bytes);
    if (degree <= fanout) {
        for (uint64_t i = 0; i < degree; i++) b->picks[i] = (uint32_t)i;
        *taken = (uint32_t)degree;
        return lines + cachelines_touched(4 * start, 4 * degree, s->line_bytes);
    }
    draw_distinct(&b->set, key, (uint32_t)degree, fanout, b->picks);
    *taken = fanout;
    return lines + draw_lines(&b->set, b->picks, fanout, 4 * start, degree, s->line_bytes);
}

static enum st kept_room(struct kept *k, uint64_t more, struct err *err)
{
    enum st st = ST_OK;
    if (k->count + more <= k->room) return ST_OK;
    uint64_t room = (k->count + more) / 2 * 3 + 64;
    GROW(k->draw, room, "the edges of a mini-batch");
    k->room = room;
done:
    return st;
}

/* Keeps the picks, positions in a row that begins at entry `start`. */
static void keep(struct scratch *b, const struct graph *g, int relation, uint32_t v, uint64_t start, uint32_t taken)
{
    const struct graph_relation *r = &g->relation[relation];
    uint32_t first = (uint32_t)g->type[r->source].first;
    struct kept *k = b->kept;
    if (k->failed.code != ST_OK || kept_room(k, taken, &k->failed) != ST_OK) return;
    for (uint32_t i = 0; i < taken; i++) {
        uint64_t edge = start + b->picks[i];
        k->draw[k->count++] = (struct typed_draw){edge, v, first + r->indices[edge], relation};
    }
}

struct place {
    uint32_t hop, batch, who; /* who = GPU id << 24 | epoch */
};

/* Counts a visit of vertex v's row that took picks[0..taken) and cost so many transactions, and finds the neighbours.
 */
static void take(const struct typed_sampler *s, struct scratch *b, int relation, uint32_t v, uint32_t taken,
                 uint64_t cost, struct typed_counts *c, uint64_t *lines)
{
    const struct graph_relation *r = &s->g->relation[relation];
    const uint32_t first = (uint32_t)s->g->type[r->source].first;
    uint64_t row = v - s->g->type[r->target].first, start = (uint64_t)r->indptr[row];
    *lines += cost;
    if (c && c->lines) add(&c->lines[r->first_row + row], (uint32_t)cost);
    if (c && c->drawn) add(&c->drawn[r->first_row + row], taken);
    for (uint32_t i = 0; c && c->edge && r->features.row_bytes && i < taken; i++)
        add(&c->edge[r->first_edge + start + b->picks[i]], 1);
    if (b->kept->on) keep(b, s->g, relation, v, start, taken);
    for (uint32_t i = 0; i < taken; i++) { /* first all loads, so that they are in flight together */
        b->picks[i] = first + r->indices[start + b->picks[i]];
        marks_prefetch(b->marks, b->picks[i]);
    }
    for (uint32_t i = 0; i < taken; i++) discover(b, b->picks[i]);
}

/* Expands vertex v of the frontier in one relation. */
static void visit(const struct typed_sampler *s, struct scratch *b, const struct place *at, int relation, uint32_t v,
                  struct typed_counts *c, uint64_t *lines)
{
    const struct graph_relation *r = &s->g->relation[relation];
    uint64_t row = v - s->g->type[r->target].first;
    struct draw_key key = {s->w->seed, (uint32_t)(r->first_row + row), at->hop, at->batch, at->who};
    uint32_t taken;
    uint64_t cost = choose(s, b, &key, r, row, s->w->fanout[relation][at->hop], &taken);
    take(s, b, relation, v, taken, cost, c, lines);
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
static void visit_together(const struct typed_sampler *s, struct scratch *b, const struct place *at,
                           const struct graph_type *t, uint32_t v, struct typed_counts *c, uint64_t *lines)
{
    uint32_t *all = b->picks + s->widest, fanout = s->w->fanout[0][at->hop], left = fanout;
    struct draw_key key = {s->w->seed, v, at->hop, at->batch, at->who};
    uint64_t row = v - t->first, begin = 0, pool = typed_pool(s->g, s->w, t->into[0], row);
    if (pool > fanout) draw_distinct(&b->set, &key, (uint32_t)pool, fanout, all);
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
        take(s, b, t->into[k], v, taken, cost, c, lines);
        begin += degree;
    }
}

static void expand(const struct typed_sampler *s, struct scratch *b, const struct place *at, uint32_t v,
                   struct typed_counts *c, uint64_t *lines)
{
    const struct graph_type *t = &s->g->type[graph_type_of(s->g, v)];
    if (c) add(&c->visits[at->hop][v], 1);
    if (s->w->together && t->into_count && s->w->fanout[0][at->hop]) {
        visit_together(s, b, at, t, v, c, lines);
        return;
    }
    for (int k = 0; k < t->into_count; k++)
        if (s->w->fanout[t->into[k]][at->hop]) visit(s, b, at, t->into[k], v, c, lines);
}

/* Starts loading what a visit of v needs, in all relations: far ahead offsets and counts, then the row. */
static void prefetch(const struct typed_sampler *s, uint32_t v, uint32_t hop, bool row, const struct typed_counts *c)
{
    const struct graph_type *t = &s->g->type[graph_type_of(s->g, v)];
    uint64_t local = v - t->first;
    if (c && !row) __builtin_prefetch(&c->visits[hop][v], 1);
    for (int k = 0; k < t->into_count; k++) {
        const struct graph_relation *r = &s->g->relation[t->into[k]];
        if (!s->w->fanout[t->into[k]][hop]) continue;
        if (row) {
            __builtin_prefetch(&r->indices[r->indptr[local]]);
            continue;
        }
        __builtin_prefetch(&r->indptr[local]);
        if (c && c->lines) __builtin_prefetch(&c->lines[r->first_row + local], 1);
    }
}

static void draw_batch(const struct typed_sampler *s, struct scratch *b, uint64_t task, struct typed_counts *c,
                       uint64_t *lines)
{
    enum { FAR = 16, NEAR = 8 };
    uint64_t epoch = task / s->batches, batch = task % s->batches, from = 0, first = batch * s->w->batch,
             count = s->train_count - first < s->w->batch ? s->train_count - first : s->w->batch;
    struct place at = {0, (uint32_t)batch, (uint32_t)s->gpu << 24 | (uint32_t)epoch};
    marks_clear(b->marks, s->g->n, 0, b->found, b->count);
    b->count = 0;
    for (uint64_t i = 0; i < count; i++) discover(b, s->order[epoch * s->train_count + first + i]);
    b->kept->steps.level[0] = b->count;
    for (int h = 0; h < s->w->hops; h++) {
        uint64_t to = b->count;
        at.hop = (uint32_t)h;
        for (uint64_t i = from; i < to; i++) {
            if (i + FAR < to) prefetch(s, b->found[i + FAR], at.hop, false, c);
            if (i + NEAR < to) prefetch(s, b->found[i + NEAR], at.hop, true, c);
            expand(s, b, &at, b->found[i], c, lines);
        }
        if (!s->w->frontier_all) from = to;
        b->kept->steps.level[h + 1] = b->count;
        b->kept->steps.drawn[h] = b->kept->count;
    }
    for (uint64_t i = 0; c && i < b->count; i++) {
        if (i + FAR < b->count) __builtin_prefetch(&c->feature[b->found[i + FAR]], 1);
        add(&c->feature[b->found[i]], 1);
    }
}

void typed_sampler_run(struct typed_sampler *s, uint64_t first, uint64_t last, struct typed_counts *counts)
{
    uint64_t lines = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads) reduction(+ : lines)
    for (uint64_t task = first; task < last; task++)
        draw_batch(s, &s->scratch[omp_get_thread_num()], task, counts, &lines);
    counts->total_lines += lines;
}

enum st typed_sampler_steps(struct typed_sampler *s, int thread, uint64_t task, const struct typed_steps **out,
                            struct err *err)
{
    struct scratch *b = &s->scratch[thread];
    struct kept *k = b->kept;
    uint64_t lines = 0;
    k->on = true;
    k->count = 0;
    err_clear(&k->failed);
    draw_batch(s, b, task, NULL, &lines);
    k->on = false;
    if (k->failed.code != ST_OK) return err_set(err, k->failed.code, "%s", k->failed.text);
    k->steps.hops = s->w->hops;
    k->steps.found = b->found;
    k->steps.draw = k->draw;
    *out = &k->steps;
    return ST_OK;
}
