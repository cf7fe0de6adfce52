#include "traces/sampling/sampler.h"

#include <omp.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "traces/graph/graph_union.h"
#include "traces/sampling/bfs.h"
#include "traces/sampling/sampler_scratch.h"

/* What a block of the frontier draws: its neighbours' ids are on their way into the L1 cache together, which has as
 * many lines. */
enum { PICKS = 512 };

enum { NEAR_BYTES = 256 << 10 }; /* of a cache that every processor has */

/* ---- set-up ---- */

/* Most seeds of a mini-batch. */
static uint64_t most_seeds(const struct graph *g, const struct workload *w)
{
    uint64_t seeds = w->batch * workload_seed_vertices(w);
    return seeds < g->n ? seeds : g->n;
}

/* The largest fan-out of a hop that is a number of draws; 0 where all take whole rows. */
static uint32_t widest_in(const struct workload *w, int hop)
{
    uint32_t widest = w->fanout[hop] < FANOUT_ALL ? w->fanout[hop] : 0;
    for (int k = 0; k < w->lists; k++) {
        uint32_t fanout = w->list[k][hop];
        widest = fanout > widest && fanout < FANOUT_ALL ? fanout : widest;
    }
    return widest;
}

/* The most entries that a visit takes of a row in a hop. */
static uint64_t most_in(const struct sampler *s, int hop)
{
    uint64_t widest = widest_in(s->w, hop);
    return workload_hop_takes_all(s->w, hop) && s->longest > widest ? s->longest : widest;
}

uint64_t sampler_largest(const struct graph *g, const struct workload *w)
{
    uint64_t level = most_seeds(g, w), all = level;
    if (w->sampler == SAMPLER_LABOR) /* one vertex may take all its neighbours, though it hardly will */
        return g->n * (w->frontier == FRONTIER_LAYERS ? (uint64_t)w->hops + 1 : 1);
    if (workload_temporal(w)) all = sampler_temporal_members(g, w);
    if (workload_temporal(w)) return all < g->n ? all : g->n;
    if (w->sampler == SAMPLER_WALK) level *= w->walks;
    for (int h = 0; h < w->hops; h++) {
        bool so_far = w->frontier == FRONTIER_ALL && !workload_layer_wise(w);
        if (workload_layer_wise(w)) level = 1; /* the fan-out is the whole hop's */
        level = workload_hop_draws(g, w, h, so_far ? all : level);
        if (level > g->n) level = g->n;
        all += level;
        if (all >= g->n && w->frontier != FRONTIER_LAYERS) return g->n;
    }
    return all;
}

/* The longest row of the sampler's vertices, where rows are read or taken whole; else 0. */
static uint64_t longest_row(const struct sampler *s)
{
    uint64_t most = 0;
    if (!workload_entry_bytes(s->w) && !workload_takes_all(s->w)) return 0;
    for (int r = 0; r < graph_relation_count(s->g); r++) {
        const struct graph_csr csr = graph_csr(s->g, r);
        for (uint64_t v = s->first; v < s->end && v < csr.rows; v++)
            most = csr_degree(&csr, v) > most ? csr_degree(&csr, v) : most;
    }
    return most;
}

static bool has_weights(const struct workload *w) { return w->sampler == SAMPLER_LABOR && w->labor_iterations; }

uint64_t sampler_weights_bytes(const struct graph *g, const struct workload *w)
{
    return has_weights(w) ? sizeof(struct labor_weight) * g->n + sizeof(double) * (g->m < g->n ? g->m : g->n) : 0;
}

uint64_t sampler_rows_bytes(const struct graph *g, const struct workload *w)
{
    uint64_t rows = graph_plain(g) ? 1 : 2; /* of a plain graph a block is one such row */
    return workload_takes_all(w) ? (sizeof(uint32_t) + sizeof(uint64_t)) * rows * workload_longest_row(g) : 0;
}

static enum st scratch_make(const struct sampler *s, struct sampler_scratch *b, uint32_t widest, struct err *err)
{
    enum st st = ST_OK;
    const struct workload *w = s->w;
    uint64_t n = s->g->n, walkers = most_seeds(s->g, w) * w->walks;
    NEW_NEAR(b->marks, marks_words(s->end - s->first),
             "the sampler's marks"); /* first touched by its thread, so its pages are on that memory node */
    b->near = (s->end - s->first) / 8 <= NEAR_BYTES;
    if (!s->ranged) NEW_NEAR(b->found, s->capacity + 1, "the sampler's frontier");
    NEW(b->picks, (uint64_t)s->block * s->most, "the sampler's draws");
    NEW(b->places, (uint64_t)s->block * s->most, "the sampler's draws");
    TRY(draw_set_new(&b->set, widest, err));
    NEW(b->words, draw_words_room((uint64_t)s->block, DRAW_TOGETHER), "the sampler's random words");
    if (w->sampler == SAMPLER_BIASED) NEW(b->keys, widest, "the sampler's keys");
    if (w->sampler == SAMPLER_WALK) NEW(b->at, walkers, "walks");
    if (workload_temporal(w)) TRY(sampler_trees_new(&b->trees, s, err));
    if (has_weights(w)) {
        NEW_NEAR(b->weight, n, "the sampler's weights of neighbours");
        NEW(b->inverse, s->longest, "the sampler's weights of a row");
    }
    if (!workload_layer_wise(w)) goto done;
    NEW(b->before, s->capacity + 1, "the sampler's layers");
    TRY(place_set_new(&b->drawn, widest, err));
done:
    return st;
}

/* Numbers the vertices for ORDER_BFS; of several types by all relations together. */
static enum st find_positions(struct sampler *s, struct err *err)
{
    OWNED_BY(graph_union_release) struct graph_union u = {.indptr = NULL};
    const struct graph *g;
    PASS(graph_connections_of(s->g, &u, &g, err));
    return bfs_positions(g, &s->position, err);
}

/* What expands a hop. */
static sampler_expander *expander_of(const struct graph *g, const struct workload *w)
{
    static sampler_expander *const expanders[SAMPLER_KINDS] = {sampler_uniform,    sampler_biased,  sampler_layer_wise,
                                                               sampler_layer_wise, sampler_walk,    sampler_labor,
                                                               sampler_temporal,   sampler_temporal};
    bool drawn = w->sampler == SAMPLER_UNIFORM || w->sampler == SAMPLER_BIASED;
    return graph_plain(g) || !drawn ? expanders[w->sampler] : sampler_types;
}

/* made: everything that does not take memory. */
static enum st make(const struct sampler *made, struct sampler **out, struct err *err)
{
    enum st st = ST_OK;
    struct sampler *s = NULL;
    const struct workload *w = made->w;
    uint32_t widest = 1, most = 1;
    NEW(s, 1, "the sampler");
    *s = *made;
    if (!graph_plain(s->g)) TRY(sampler_types_check(s->g, w, s->threads, err));
    s->expand = expander_of(s->g, w);
    s->longest = longest_row(s);
    TRY(workload_needs(w, s->g, err));
    if (workload_takes_all(w) && s->longest >= FANOUT_ALL)
        FAIL(ST_LIMIT,
             "--fanout -1: %s has a row of %llu neighbours, at most 2^32 - 2 can be taken at once; give a number",
             s->g->path, (unsigned long long)s->longest);
    for (int h = 0; h < w->hops; h++) {
        if (widest_in(w, h) > widest) widest = widest_in(w, h);
        if (most_in(s, h) > most) most = (uint32_t)most_in(s, h);
    }
    s->widest = widest;
    s->most = most > widest ? most : widest;
    s->block = (int)(PICKS / s->most) + 1;
    if (s->block > SAMPLER_BLOCK) s->block = SAMPLER_BLOCK;
    if (!graph_plain(s->g)) s->block = 2; /* picks of one row, and of all rows of a vertex */
    NEW(s->scratch, s->threads, "sampler threads");
    for (int t = 0; t < s->threads; t++) TRY(scratch_make(s, &s->scratch[t], widest, err));
    *out = TAKE(s);
done:
    sampler_free(s);
    return st;
}

enum st sampler_new(const struct graph *g, const struct workload *w, uint64_t line_bytes, int threads,
                    struct sampler **out, struct err *err)
{
    const struct sampler made =
        {.g = g, .w = w, .line_bytes = line_bytes, .threads = threads, .end = g->n, .capacity = sampler_largest(g, w)};
    return make(&made, out, err);
}

enum st sampler_new_range(const struct graph *g, const struct workload *w, uint64_t line_bytes, int threads,
                          uint64_t first, uint64_t end, struct sampler **out, struct err *err)
{
    const struct sampler made =
        {.g = g, .w = w, .line_bytes = line_bytes, .threads = threads, .first = first, .end = end, .ranged = true};
    return make(&made, out, err);
}

void sampler_release_scratch(struct sampler *s)
{
    for (int t = 0; s->scratch && t < s->threads; t++) {
        struct sampler_scratch *b = &s->scratch[t];
        mem_free(b->marks);
        mem_free(b->found);
        mem_free(b->picks);
        mem_free(b->places);
        draw_set_free(&b->set);
        mem_free(b->words);
        mem_free(b->keys);
        mem_free(b->at);
        mem_free(b->weight);
        mem_free(b->inverse);
        mem_free(b->before);
        place_set_free(&b->drawn);
        sampler_trees_free(&b->trees);
        if (b->steps) steps_release(b->steps);
        mem_free(b->steps);
    }
    mem_free(s->scratch);
    s->scratch = NULL;
}

void sampler_free(struct sampler *s)
{
    if (!s) return;
    sampler_release_scratch(s);
    if (s->device) s->device->close(s->session);
    mem_free(s->order);
    mem_free(s->position);
    edge_seeds_release(&s->edges);
    mem_free(s);
}

/* Whether they are a set, which is kept by ids; a circle that is so, too, is the same when it is sorted again. */
static bool ascending(const uint32_t *train, uint64_t count)
{
    uint64_t i = 1;
    while (i < count && train[i - 1] < train[i]) i++;
    return i >= count;
}

/* The training vertices as a circle of the breadth-first search, which takes long and is made once. */
static enum st searched(struct sampler *s, const uint32_t *train, uint32_t **out, struct err *err)
{
    if (!s->position) PASS(find_positions(s, err));
    OWNED_NEW(uint32_t, circle, s->train_count, "training vertices in BFS order");
    if (s->train_count) memcpy(circle, train, s->train_count * sizeof *circle);
    PASS(bfs_sort(s->position, circle, s->train_count, err));
    *out = TAKE(circle);
    return ST_OK;
}

/* The orders of all epochs. */
static enum st order_epochs(struct sampler *s, const uint32_t *train, struct err *err)
{
    uint64_t count = s->train_count;
    OWNED uint64_t *room = NULL;
    OWNED uint32_t *circle = NULL;
    const struct order_rule rule = workload_order(s->w, s->gpu);
    MAKE(s->order, count * s->epochs, "shuffled training vertices");
    if (rule.kind == ORDER_BFS && count > 1 && ascending(train, count)) PASS(searched(s, train, &circle, err));
    MAKE(room, 2 * count * (uint64_t)s->threads, "shuffle keys");
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads)
    for (uint64_t e = 0; e < s->epochs; e++)
        order_epoch(&rule, circle ? circle : train, count, e, room + (uint64_t)omp_get_thread_num() * 2 * count,
                    s->order + e * count);
    return ST_OK;
}

enum st sampler_gpu(struct sampler *s, int id, const uint32_t *train, uint64_t count, uint64_t epochs, struct err *err)
{
    s->gpu = id;
    s->train_count = count;
    s->epochs = epochs;
    s->batches = seeds_batches(s->w, s->g, train, count);
    mem_free(s->order);
    s->order = NULL;
    edge_seeds_release(&s->edges);
    if (epochs >= 1u << 24 || s->batches >> 32)
        return err_set(err, ST_LIMIT, "%llu epochs of %llu mini-batches are more than 2^32 mini-batches",
                       (unsigned long long)epochs, (unsigned long long)s->batches);
    if (workload_edges(s->w))
        return edge_seeds_make(s->w, s->g, train, count, &s->edges, err); /* their orders are computed as they go */
    PASS(order_epochs(s, train, err));
    if (s->device) PASS(s->device->gpu(s->session, id, s->order, count, epochs, err));
    return ST_OK;
}

const uint32_t *sampler_order(const struct sampler *s) { return s->order; }

uint64_t sampler_batches(const struct sampler *s) { return s->batches; }

/* What one visit may add to a count beyond its fan-out, where rows are read whole: lines of the longest row and of its
 * weights, or draws. LABOR-0 takes as many as a binomial variate of mean k: 16 k + 256 have a chance below 1e-190. */
static uint64_t most_of_a_row(const struct sampler *s)
{
    uint64_t lines = 3 * (4 * s->longest / s->line_bytes + 2), draws = 0;
    uint64_t usual = 16 * (uint64_t)s->widest + 256;
    if (s->w->sampler == SAMPLER_LABOR) draws = s->longest;
    if (draws > usual && !s->w->labor_iterations) draws = usual;
    return lines > draws ? lines : draws;
}

enum st sampler_fits(const struct sampler *s, uint64_t tasks, struct err *err)
{
    uint64_t draws = 0, most;
    const struct workload *w = s->w;
    for (int h = 0; h < w->hops; h++)
        draws +=
            most_in(s, h) +
            6; /* a visit touches at most its draws, 5 lines of the offset pair and 1 of a row that is not aligned */
    if (workload_entry_bytes(w)) draws += (uint64_t)w->hops * most_of_a_row(s);
    if (workload_temporal(w)) draws *= most_seeds(s->g, w);                  /* a vertex may be in all trees */
    if (w->sampler == SAMPLER_WALK) draws *= most_seeds(s->g, w) * w->walks; /* all walks may meet */
    if (__builtin_mul_overflow(tasks, draws, &most) || most >= UINT32_MAX)
        return err_set(err, ST_LIMIT,
                       "%llu mini-batches could overflow 32-bit counts of one vertex; use fewer epochs or larger "
                       "mini-batches",
                       (unsigned long long)tasks);
    return ST_OK;
}

/* ---- one mini-batch ---- */

/* Writes the seeds of a mini-batch into found. */
static void sampler_begin(const struct sampler *s, struct sampler_scratch *b, uint64_t epoch, uint64_t batch,
                          uint32_t who)
{
    uint64_t first = batch * s->w->batch, all = workload_edges(s->w) ? s->edges.trained : s->train_count;
    uint64_t count = all - first < s->w->batch ? all - first : s->w->batch;
    if (!workload_edges(s->w)) {
        const uint32_t *order = s->order + epoch * s->train_count + first;
        for (uint64_t i = 0; i < count; i++) {
            scratch_discover(b, order[i]);
            if (b->steps) steps_seed(b->steps, order[i]);
        }
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t end[2], vertices = 2 + s->w->negatives;
        edge_seeds_at(&s->edges, s->w->seed, who, first + i, end);
        for (uint32_t k = 0; k < vertices; k++) {
            uint32_t v = k < 2 ? end[k] : edge_seeds_negative(&s->edges, s->w->seed, who, first + i, k - 2);
            scratch_discover(b, v);
            if (b->steps) steps_seed(b->steps, v);
        }
    }
}

static void draw_batch(const struct sampler *s, struct sampler_scratch *b, uint64_t task, struct sample_counts *c,
                       uint64_t *lines)
{
    enum { AHEAD = 16 };
    uint64_t epoch = task / s->batches, batch = task % s->batches, from = 0;
    struct visit_key key = {0, (uint32_t)batch, (uint32_t)s->gpu << 24 | (uint32_t)epoch};
    scratch_forget(s, b);
    b->count = b->marked = 0;
    if (b->steps) steps_begin(b->steps);
    sampler_begin(s, b, epoch, batch, key.who);
    b->seeds = b->count;
    if (b->steps) steps_end_level(b->steps, b->count);
    for (int h = 0; h < s->w->hops; h++) {
        uint64_t to = b->count;
        key.hop = (uint32_t)h;
        if (s->w->frontier == FRONTIER_LAYERS) scratch_forget(s, b); /* each layer finds its own */
        s->expand(s, b, &key, (struct frontier){from, to}, c, lines);
        if (s->w->frontier != FRONTIER_ALL) from = to;
        if (b->steps) steps_end_level(b->steps, b->count);
    }
    for (uint64_t i = 0; c && i < b->count; i++) {
        if (i + AHEAD < b->count) __builtin_prefetch(&c->feature[b->found[i + AHEAD]], 1);
        scratch_count(&c->feature[b->found[i]], 1, s->threads > 1);
    }
}

void sampler_run(struct sampler *s, uint64_t first, uint64_t last, struct sample_counts *counts)
{
    uint64_t lines = 0;
    if (s->device) {
        if (s->failed.code == ST_OK) (void)s->device->run(s->session, first, last, &s->failed);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads) reduction(+ : lines)
    for (uint64_t task = first; task < last; task++)
        draw_batch(s, &s->scratch[omp_get_thread_num()], task, counts, &lines);
    counts->total_lines += lines;
}

uint64_t sampler_batch(struct sampler *s, int thread, uint64_t task, struct sample_counts *counts, const uint32_t **ids)
{
    uint64_t lines = 0;
    draw_batch(s, &s->scratch[thread], task, counts, &lines);
    if (counts) counts->total_lines += lines;
    *ids = s->scratch[thread].found;
    return s->scratch[thread].count;
}

enum st sampler_keep_steps(struct sampler *s, struct err *err)
{
    for (int t = 0; t < s->threads; t++)
        if (!s->scratch[t].steps) MAKE(s->scratch[t].steps, 1, "the draws of a mini-batch");
    return ST_OK;
}

enum st sampler_steps(const struct sampler *s, int thread, const struct sample_steps **out, struct err *err)
{
    const struct sample_steps *steps = s->scratch[thread].steps;
    if (steps->failed.code != ST_OK) return err_set(err, steps->failed.code, "%s", steps->failed.text);
    *out = steps;
    return ST_OK;
}
