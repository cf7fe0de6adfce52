#include "simulator/curves/curve_part.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/kernel.h"
#include "simulator/curves/curve_exact.h"
#include "simulator/curves/curve_samples.h"

/* One part while it is made. */
struct work {
    const struct curve_input *in;
    struct curve_part *out;
    struct curve_sizes sizes; /* points 1..points */
    uint64_t *capacity, *requested, *key, *hits, *held;
    uint32_t *order;
    uint64_t *lru; /* [points] misses; NULL: LRU is not exact */
    struct curve_samples *samples;
};

void curve_part_release(struct curve_part *p, int lines)
{
    for (int i = 0; i < lines; i++) {
        mem_free(p->line[i].hits);
        mem_free(p->line[i].bar);
        mem_free(p->line[i].between);
    }
}

/* ---- lines ---- */

static enum st new_line(struct curve *c, uint64_t points, struct err *err)
{
    MAKE(c->hits, points + 1, "a curve");
    MAKE(c->bar, points + 1, "a curve");
    MAKE(c->between, points + 1, "a curve");
    c->there = true;
    return ST_OK;
}

static enum st exact_line(const struct work *w, const uint64_t *hits, uint64_t known, struct curve *c, struct err *err)
{
    enum st st = new_line(c, w->sizes.count, err);
    c->exact = true;
    c->groups = 1;
    for (uint64_t i = 0; i < w->sizes.count && st == ST_OK; i++) c->hits[i + 1] = i < known ? (double)hits[i] : NAN;
    return st;
}

/* Keys become keys per byte where rows differ in size. */
static void keys_per_byte(const struct curve_table *t, uint64_t *key)
{
    uint64_t most = 1;
    if (!t->bytes) return;
    for (uint64_t i = 0; i < t->count; i++) most = key[i] > most ? key[i] : most;
    int spare = __builtin_clzll(most);
    for (uint64_t i = 0; i < t->count; i++) key[i] = (key[i] << spare) / (t->bytes[i] ? t->bytes[i] : 1);
}

static enum st ranked_line(struct work *w, uint64_t *key, struct curve *c, struct err *err)
{
    const struct curve_table *t = w->in->table;
    keys_per_byte(t, key);
    PASS(kernels_cpu.sort_hottest(w->in->threads, key, t->count, w->order, err));
    curve_exact_ranked(w->requested, w->order, t->count, &w->sizes, w->hits, NULL);
    return exact_line(w, w->hits, w->sizes.count, c, err);
}

/* The keys of a metric, for the rows of all tables of the kind. */
static enum st metric_line(struct work *w, const char *name, struct curve *c, struct err *err)
{
    const struct curve_request *r = w->in->request;
    const struct curve_table *t = w->in->table;
    OWNED_NEW(uint64_t, all, graph_kind_rows(r->replay->graph, r->topology), "the keys of a ranking");
    PASS(r->rank(r->of, name, w->in->clique, all, err));
    return ranked_line(w, all + t->first, c, err);
}

/* The table of the graph that a row of the kind belongs to; tables of a kind ascend. */
static int table_of(const struct curve_request *r, uint64_t row)
{
    const struct graph *g = r->replay->graph;
    uint64_t before = r->topology ? 0 : graph_topology_rows(g);
    int found = 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if ((t.kind == ROWS_TOPOLOGY) == r->topology && row >= t.first - before) found = k;
    }
    return found;
}

/* Merges a list whose rows are of several tables, one table behind the other, so that equal shares of each are taken:
 * what a smaller plan with the same split holds. out: [count of the list]. */
static void merge_tables(const struct curve_request *r, const struct row_list *l, uint32_t *out)
{
    uint64_t of[GRAPH_TABLES_MAX] = {0}, taken[GRAPH_TABLES_MAX] = {0}, at[GRAPH_TABLES_MAX] = {0};
    for (uint64_t i = 0; i < l->count; i++) of[table_of(r, l->id[i])]++;
    for (uint64_t i = 0; i < l->count; i++) {
        int next = -1;
        for (int k = 0; k < GRAPH_TABLES_MAX; k++)
            if (taken[k] < of[k] && (next < 0 || (unsigned __int128)(taken[k] + 1) * of[next] <
                                                     (unsigned __int128)(taken[next] + 1) * of[k]))
                next = k;
        while (table_of(r, l->id[at[next]]) != next) at[next]++;
        out[i] = l->id[at[next]++];
        taken[next]++;
    }
}

/* Adds the lists to the order, a row of each in turn, as far as the table has them; returns how many rows. */
static uint64_t take_turns(struct work *w, const struct row_list *lists, uint32_t *const *ids, uint8_t *held,
                           uint64_t *size)
{
    const struct curve_input *in = w->in;
    uint64_t rows = 0, longest = 0;
    for (int m = 0; m < in->members; m++)
        longest = lists[in->readers[m]].count > longest ? lists[in->readers[m]].count : longest;
    for (uint64_t i = 0; i < longest; i++)
        for (int m = 0; m < in->members; m++) {
            const struct row_list *l = &lists[in->readers[m]];
            uint64_t id = i < l->count ? ids[m] ? ids[m][i] : l->id[i] : 0,
                     row = i < l->count ? id - in->table->first : in->table->count;
            if (row >= in->table->count || held[row]) continue; /* rows before the table wrap around */
            held[row] = 1;
            w->order[rows++] = (uint32_t)row;
            *size += curve_size_of(&w->sizes, (uint32_t)row);
        }
    return rows;
}

/* The lists of the cache's GPUs; the line ends where a size is not full any more. */
static enum st plan_line(struct work *w, struct curve *c, struct err *err)
{
    const struct curve_input *in = w->in;
    const struct curve_request *r = in->request;
    const struct row_list *lists = r->topology ? r->placement->topology : r->placement->feature;
    uint64_t size = 0, known = 0;
    OWNED uint8_t *held = NULL;
    uint32_t *merged[GPUS_MAX] = {NULL};
    enum st st = ST_OK;
    NEW(held, in->table->count, "the rows of a plan");
    for (int m = 0; m < in->members && in->table->several; m++) {
        NEW(merged[m], lists[in->readers[m]].count, "the rows of a plan");
        merge_tables(r, &lists[in->readers[m]], merged[m]);
    }
    uint64_t rows = take_turns(w, lists, merged, held, &size);
    curve_exact_ranked(w->requested, w->order, rows, &w->sizes, w->hits, w->held);
    while (known < w->sizes.count && w->capacity[known] <= size) known++;
    TRY(exact_line(w, w->hits, known, c, err));
done:
    for (int m = 0; m < in->members; m++) mem_free(merged[m]);
    return st;
}

static enum st sampled_line(struct work *w, const struct cache *rule, struct curve *c, struct err *err)
{
    const struct curve_input *in = w->in;
    uint64_t points = w->sizes.count;
    OWNED_NEW(struct curve_estimate, e, points, "a curve");
    PASS(new_line(c, points, err));
    PASS(curve_samples_run(w->samples, rule, in->request->admission, in->threads, e, err));
    c->groups = curve_samples_groups(w->samples);
    c->exact = c->groups == 1;
    for (uint64_t i = 0; i < points; i++) {
        c->hits[i + 1] = (double)in->stream->requests - e[i].misses;
        c->bar[i + 1] = e[i].bar;
        c->between[i + 1] = e[i].between;
    }
    return ST_OK;
}

static enum st cache_line(struct work *w, const struct cache *rule, struct curve *c, struct err *err)
{
    const struct curve_input *in = w->in;
    if (strcmp(rule->name, "lru") || !w->lru) return in->table->bytes ? ST_OK : sampled_line(w, rule, c, err);
    for (uint64_t i = 0; i < w->sizes.count; i++) w->hits[i] = in->stream->requests - w->lru[i];
    return exact_line(w, w->hits, w->sizes.count, c, err);
}

static enum st one_line(struct work *w, int i, struct err *err)
{
    const struct curve_line *l = &w->in->request->line[i];
    struct curve *c = &w->out->line[i];
    switch (l->order) {
    case CURVE_OPTIMUM: memcpy(w->key, w->requested, w->in->table->count * sizeof *w->key); break;
    case CURVE_PLAN: return plan_line(w, c, err);
    case CURVE_RANKING: return metric_line(w, l->name, c, err);
    case CURVE_CACHE: return cache_line(w, l->cache, c, err);
    }
    return ranked_line(w, w->key, c, err);
}

/* ---- the part ---- */

/* What the lines share: LRU, and samples where a rule needs them. */
static enum st prepare(struct work *w, struct err *err)
{
    const struct curve_request *r = w->in->request;
    const struct stream *s = w->in->stream;
    bool lru = false, others = false, future = false;
    for (int i = 0; i < r->lines; i++) {
        if (r->line[i].order != CURVE_CACHE) continue;
        bool one_pass = r->admission == ADMISSION_REQUEST && !strcmp(r->line[i].cache->name, "lru");
        lru |= one_pass;
        others |= !one_pass;
        future |= r->line[i].cache->future;
    }
    if (r->admission == ADMISSION_REQUEST && (lru || others)) {
        MAKE(w->lru, w->sizes.count, "a curve");
        PASS(curve_exact_lru(s, &w->sizes, w->lru, err));
        for (uint64_t i = 0; i < w->sizes.count; i++) w->lru[i] = s->requests - w->lru[i];
    }
    if (others && !w->in->table->bytes)
        PASS(curve_samples_new(s, w->capacity, w->sizes.count, w->lru, future, w->in->seed, &w->samples, err));
    return ST_OK;
}

static enum st curve_part_begin(struct work *w, struct err *err)
{
    const struct curve_table *t = w->in->table;
    uint64_t points = w->in->request->points;
    MAKE(w->capacity, points, "a curve");
    MAKE(w->hits, points, "a curve");
    MAKE(w->held, points, "a curve");
    MAKE(w->requested, t->count, "the requests of rows");
    MAKE(w->key, t->count, "the requests of rows");
    MAKE(w->order, t->count, "the order of rows");
    uint64_t all = t->bytes ? t->all : t->count;
    for (uint64_t i = 0; i < points; i++) w->capacity[i] = (uint64_t)((unsigned __int128)all * (i + 1) / points);
    w->sizes = (struct curve_sizes){w->capacity, points, t->bytes};
    curve_exact_requests(w->in->stream, w->requested);
    return ST_OK;
}

enum st curve_part_make(const struct curve_input *in, struct curve_part *out, struct err *err)
{
    enum st st;
    struct work w = {.in = in, .out = out};
    TRY(curve_part_begin(&w, err));
    TRY(prepare(&w, err));
    out->caches = 1;
    out->requests = in->stream->requests;
    for (uint64_t i = 0; i < in->table->count; i++) out->distinct += w.requested[i] > 0;
    for (int i = 0; i < in->request->lines; i++) TRY(one_line(&w, i, err));
done:
    curve_samples_free(w.samples);
    mem_free(w.capacity);
    mem_free(w.hits);
    mem_free(w.held);
    mem_free(w.requested);
    mem_free(w.key);
    mem_free(w.order);
    mem_free(w.lru);
    return st;
}

/* Bars of caches are independent, so their squares add up. */
enum st curve_part_add(struct curve_part *all, const struct curve_part *p, int lines, uint64_t points, struct err *err)
{
    all->caches += p->caches;
    all->requests += p->requests;
    all->distinct += p->distinct;
    for (int i = 0; i < lines; i++) {
        const struct curve *from = &p->line[i];
        struct curve *to = &all->line[i];
        if (!from->there) continue;
        if (!to->there) {
            PASS(new_line(to, points, err));
            to->exact = true;
        }
        to->exact &= from->exact;
        to->groups = from->groups > to->groups ? from->groups : to->groups;
        for (uint64_t k = 0; k <= points; k++) {
            to->hits[k] += from->hits[k];
            to->bar[k] = sqrt(to->bar[k] * to->bar[k] + from->bar[k] * from->bar[k]);
            to->between[k] |= from->between[k];
        }
    }
    return ST_OK;
}
