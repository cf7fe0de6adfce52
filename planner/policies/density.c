#include "planner/policies/density.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "planner/policies/side_counts.h"
#include "traces/graph/rows.h"

uint64_t density_key(double saved, uint64_t bytes)
{
    double d = saved / (double)bytes * 0x1p40;
    return d > 0x1p62 ? (uint64_t)1 << 62 : d > 0 ? (uint64_t)d : 0;
}

bool density_possible(const struct graph *g, struct policy_verdict *verdict)
{
    if (graph_items(g) < UINT32_MAX) return true;
    verdict->status = POLICY_UNSUPPORTED;
    snprintf(verdict->reason, sizeof verdict->reason,
             "ranks rows of all kinds together, which works for fewer than 2^32 - 1 of them; of one type a vertex has "
             "two");
    return false;
}

void density_keys(const struct policy_input *in, const float *topology, const float *feature, uint64_t unseen,
                  uint64_t *key)
{
    const struct graph *g = in->graph;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        const float *saved = table.kind == ROWS_TOPOLOGY ? topology + table.first
                                                         : feature + (table.first - graph_topology_rows(g));
        bool there = graph_table_there(g, k);
        float price = table.kind == ROWS_TOPOLOGY ? policy_list_price(in) : 1.0F;
#pragma omp parallel for num_threads(in->threads)
        for (uint64_t i = 0; i < table.count; i++)
            key[table.first + i] = there ? density_key(saved[i] * price, row_table_bytes(g, &table, i)) | unseen : 0;
    }
}

/* ---- which items can matter ---- */

/* Keys by their leading bit and the six bits below it: 64 buckets per factor of two. */
enum { BUCKETS = 64 * 64 };
static inline int bucket_of(uint64_t key)
{
    int top = 63 - __builtin_clzll(key);
    return top < 6 ? (int)key : top * 64 + (int)(key >> (top - 6) & 63);
}

uint64_t density_bytes(const struct policy_input *in, uint64_t item)
{
    return graph_item_bytes(in->graph, item % graph_items(in->graph));
}

struct density_histogram {
    uint64_t bytes[2][BUCKETS], items[2][BUCKETS];
}; /* per kind: features, topology */

/* First item of thread t. */
static inline uint64_t cut(uint64_t items, int t, int parts) { return items * (uint64_t)t / (uint64_t)parts; }

static void count_items(const struct policy_input *in, const uint64_t *key, uint64_t items, struct density_histogram *h)
{
    int parts = in->threads;
    const struct graph *g = in->graph;
    const uint64_t all = graph_items(g), topology = graph_topology_rows(g);
#pragma omp parallel for num_threads(in->threads)
    for (int t = 0; t < parts; t++)
        for (uint64_t i = cut(items, t, parts); i < cut(items, t + 1, parts); i++) {
            if (!key[i]) continue;
            int kind = i % all < topology, b = bucket_of(key[i]);
            h[t].bytes[kind][b] += graph_item_bytes(g, i % all);
            h[t].items[kind][b]++;
        }
}

/* Lowest bucket of each kind that is needed for `enough` bytes. */
static void find_floors(const struct density_histogram *h, int threads, uint64_t enough, int floor[2])
{
    for (int kind = 0; kind < 2; kind++) {
        uint64_t sum = 0;
        int b = BUCKETS;
        while (b > 1 && sum < enough) {
            b--;
            for (int t = 0; t < threads; t++) sum += h[t].bytes[kind][b];
        }
        floor[kind] = b;
    }
}

/* Buckets low..high-1, of each kind from its floor on. */
struct slice {
    int low, high;
    const int *floor;
    uint64_t items, topology; /* of the graph */
};

static inline bool matters(const uint64_t *key, uint64_t item, const struct slice *s)
{
    if (!key[item]) return false;
    int b = bucket_of(key[item]);
    return b >= s->low && b < s->high && b >= s->floor[item % s->items < s->topology];
}

static uint64_t items_in(const struct density_histogram *h, const struct slice *s)
{
    uint64_t sum = 0;
    for (int kind = 0; kind < 2; kind++)
        for (int b = s->low > s->floor[kind] ? s->low : s->floor[kind]; b < s->high; b++) sum += h->items[kind][b];
    return sum;
}

/* The slice below `high` that holds at most `most` items, or one bucket. */
static uint64_t next_slice(const struct density_histogram *h, int parts, int high, uint64_t most, struct slice *s)
{
    uint64_t held = 0;
    s->low = s->high = high;
    while (s->low > 1) {
        struct slice one = {s->low - 1, s->low, s->floor, 0, 0};
        uint64_t more = 0;
        for (int t = 0; t < parts; t++) more += items_in(&h[t], &one);
        if (held && held + more > most) break;
        held += more;
        s->low--;
    }
    return held;
}

/* Writes the slice's items, ascending; each thread has a range of its own, and knows from its histogram where it
 * begins. */
static enum st density_choose(const struct policy_input *in, const uint64_t *key, uint64_t items,
                              const struct density_histogram *h, const struct slice *s, uint32_t *chosen,
                              struct err *err)
{
    OWNED uint64_t *start = NULL;
    int parts = in->threads;
    MAKE(start, parts + 1, "an order of rows");
    for (int t = 0; t < parts; t++) start[t + 1] = start[t] + items_in(&h[t], s);
#pragma omp parallel for num_threads(in->threads)
    for (int t = 0; t < parts; t++) {
        uint64_t at = start[t];
        for (uint64_t i = cut(items, t, parts); i < cut(items, t + 1, parts); i++)
            if (matters(key, i, s)) chosen[at++] = (uint32_t)i;
    }
    return ST_OK;
}

/* Sorts chosen items by their keys, in place. */
static enum st sort_chosen(const struct policy_input *in, const uint64_t *key, uint32_t *chosen, uint64_t count,
                           struct err *err)
{
    OWNED_NEW(uint64_t, few, count, "an order of rows");
    OWNED_NEW(uint32_t, sorted, count, "an order of rows");
    for (uint64_t i = 0; i < count; i++) few[i] = key[chosen[i]];
    PASS(in->kernels->sort_hottest(in->threads, few, count, sorted, err));
    for (uint64_t i = 0; i < count; i++) sorted[i] = chosen[sorted[i]];
    memcpy(chosen, sorted, count * sizeof *chosen);
    return ST_OK;
}

/* Slice by slice from the top, so that the work space of sorting is one slice's. */
enum st density_order_by(const struct policy_input *in, const uint64_t *key, uint64_t items, uint64_t enough,
                         uint64_t slice, uint32_t **order, uint64_t *count, struct err *err)
{
    enum { ONE_KEY = 64 }; /* buckets below hold one key each, whose items are in order as they are chosen */
    int floor[2], parts = in->threads;
    uint64_t total = 0, at = 0;
    OWNED_NEW(struct density_histogram, h, parts, "an order of rows");
    count_items(in, key, items, h);
    find_floors(h, parts, enough, floor);
    struct slice s = {1, BUCKETS, floor, graph_items(in->graph), graph_topology_rows(in->graph)};
    for (int t = 0; t < parts; t++) total += items_in(&h[t], &s);
    OWNED_NEW(uint32_t, made, total, "an order of rows");
    for (int high = BUCKETS; high > 1; high = s.low) {
        uint64_t held = next_slice(h, parts, high, slice, &s);
        if (!held) continue;
        PASS(density_choose(in, key, items, h, &s, made + at, err));
        if (s.high - s.low > 1 || s.low >= ONE_KEY) PASS(sort_chosen(in, key, made + at, held, err));
        at += held;
    }
    *order = made;
    *count = total;
    made = NULL;
    return ST_OK;
}

enum st density_order(const struct policy_input *in, const uint64_t *key, uint64_t items, uint64_t enough,
                      uint32_t **order, uint64_t *count, struct err *err)
{
    return density_order_by(in, key, items, enough, DENSITY_SLICE, order, count, err);
}

/* ---- one order for many budgets ---- */

uint64_t density_all_bytes(uint64_t items) { return sizeof(uint32_t) * items + sizeof(struct density_histogram); }

void density_all_release(struct density_all *all)
{
    mem_free(all->order);
    mem_free(all->histogram);
    *all = (struct density_all){0};
}

enum st density_all_make(const struct policy_input *in, int clique, struct density_all *out, struct err *err)
{
    const uint64_t items = graph_items(in->graph);
    OWNED_BY(density_all_release) struct density_all all = {0};
    OWNED_NEW(uint64_t, key, items, "densities");
    OWNED_NEW(struct density_histogram, h, in->threads, "an order of rows");
    MAKE(all.histogram, 1, "an order of rows");
    density_keys(in, in->estimates[clique].topology, in->estimates[clique].feature, DENSITY_UNSEEN, key);
    PASS(density_order(in, key, items, UINT64_MAX, &all.order, &all.count, err));
    count_items(in, key, items, h);
    for (int t = 0; t < in->threads; t++)
        for (int kind = 0; kind < 2; kind++)
            for (int b = 0; b < BUCKETS; b++) {
                all.histogram->bytes[kind][b] += h[t].bytes[kind][b];
                all.histogram->items[kind][b] += h[t].items[kind][b];
            }
    *out = all;
    all = (struct density_all){0};
    return ST_OK;
}

/* Of each kind the first ones in the order of all: those from the floor on. */
enum st density_all_order(const struct policy_input *in, const struct density_all *all, uint64_t enough,
                          uint32_t **order, uint64_t *count, struct err *err)
{
    int floor[2];
    uint64_t left[2] = {0}, at = 0;
    const uint64_t items = graph_items(in->graph), topology = graph_topology_rows(in->graph);
    find_floors(all->histogram, 1, enough, floor);
    for (int kind = 0; kind < 2; kind++)
        for (int b = floor[kind]; b < BUCKETS; b++) left[kind] += all->histogram->items[kind][b];
    OWNED_NEW(uint32_t, made, left[0] + left[1], "an order of rows");
    for (uint64_t i = 0; left[0] + left[1]; i++) {
        uint64_t *of = &left[all->order[i] % items < topology];
        if (!*of) continue;
        made[at++] = all->order[i];
        --*of;
    }
    *count = at;
    *order = TAKE(made);
    return ST_OK;
}

/* ---- filling a clique ---- */

/* The GPU gpu[best] or gpu[i], of which both have room for the item: the hotter one; ties: more room. */
static inline bool hotter(const struct side_counts *c, uint32_t hot, uint32_t top, int i, int best,
                          const uint64_t *room)
{
    return best < 0 || hot > top || (hot == top && room[c->gpu[i]] > room[c->gpu[best]]);
}

/* The index of the GPU for the item, or -1. */
static int hottest(const struct policy_input *in, const struct side_counts *c, uint64_t item, uint64_t bytes,
                   const uint64_t *room)
{
    int best = -1;
    uint32_t top = 0;
    uint64_t n = graph_topology_rows(in->graph), v = item < n ? item : item - n;
    for (int i = 0; i < c->gpus; i++) {
        if (room[c->gpu[i]] < bytes) continue;
        uint32_t hot = side_hot(c, item < n, v, i);
        if (!hotter(c, hot, top, i, best, room)) continue;
        best = i;
        top = hot;
    }
    return best;
}

int density_hottest(const struct policy_input *in, const int *gpu, int k, uint64_t item, const uint64_t *room)
{
    struct side_counts none = side_counts_none(in->graph, in->trace, gpu, k);
    int i = hottest(in, &none, item, density_bytes(in, item), room);
    return i < 0 ? -1 : gpu[i];
}

static uint64_t most_room(const int *gpu, int k, const uint64_t *room)
{
    uint64_t most = 0;
    for (int i = 0; i < k; i++) most = room[gpu[i]] > most ? room[gpu[i]] : most;
    return most;
}

/* A block of items, looked at by all threads before the first of them is placed: bytes, and which GPUs are the hottest
 * (bit i: gpu[i]). */
enum { BLOCK = 1 << 14 };
struct block {
    uint64_t *bytes, *hottest; /* [BLOCK] */
};

static uint64_t hottest_gpus(const struct side_counts *c, bool topology, uint64_t v)
{
    uint64_t set = 0;
    uint32_t top = 0;
    if (c->gpus > 64) return 0; /* roomiest knows none then */
    for (int i = 0; i < c->gpus; i++) {
        uint32_t hot = side_hot(c, topology, v, i);
        if (hot > top) set = 0;
        if (hot >= top) set |= (uint64_t)1 << i;
        top = hot > top ? hot : top;
    }
    return set;
}

static void prefetch(const struct policy_input *in, const struct side_counts *c, uint32_t item)
{
    uint64_t n = graph_topology_rows(in->graph), v = item < n ? item : item - n;
    if (item < n && graph_plain(in->graph)) __builtin_prefetch(&in->graph->indptr[v]);
    side_prefetch(c, item < n, v);
}

/* Side by side where many rows are looked up and that takes no more than the keys did, which are gone by now. */
static enum st make_counts(const struct policy_input *in, int clique, const int *gpu, int k, uint64_t rows,
                           struct side_counts *c, struct err *err)
{
    enum { GPUS_MOST = 8 }; /* 2 bytes per GPU; keys take 16 bytes per vertex */
    if (k <= GPUS_MOST && rows >= in->graph->n / DENSITY_FEW && graph_plain(in->graph))
        return side_counts_make(in->graph, in->trace, gpu, k, false, in->threads, c, err);
    trace_prefetch_pages(in->trace, clique);
    *c = side_counts_none(in->graph, in->trace, gpu, k);
    return ST_OK;
}

static void block_look_up(const struct policy_input *in, const struct side_counts *c, const uint32_t *order,
                          uint64_t count, struct block *b)
{
    enum { AHEAD = 32 };
    uint64_t n = graph_topology_rows(in->graph);
#pragma omp parallel for schedule(static) num_threads(in->threads)
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count) prefetch(in, c, order[i + AHEAD]);
        uint64_t x = order[i];
        b->bytes[i] = graph_item_bytes(in->graph, x);
        b->hottest[i] = hottest_gpus(c, x < n, x < n ? x : x - n);
    }
}

/* The one of a set of GPUs with most room, the first of them; -1: one of them has less than `bytes`. */
static int roomiest(const struct side_counts *c, uint64_t set, uint64_t bytes, const uint64_t *room)
{
    int best = -1;
    for (; set; set &= set - 1) {
        int i = __builtin_ctzll(set);
        if (room[c->gpu[i]] < bytes) return -1;
        if (best < 0 || room[c->gpu[i]] > room[c->gpu[best]]) best = i;
    }
    return best;
}

static enum st fill_density(const struct policy_input *in, const struct side_counts *c, const uint32_t *order,
                            uint64_t count, struct plan *plan, uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    struct block b = {0};
    uint64_t n = graph_topology_rows(in->graph), most = most_room(c->gpu, c->gpus, room), skipped = 0;
    NEW(b.bytes, BLOCK, "rows to be placed");
    NEW(b.hottest, BLOCK, "rows to be placed");
    for (uint64_t i = 0; i < count && most >= density_smallest_row(in->graph) && skipped < DENSITY_SKIPPED_MOST; i++) {
        uint64_t x = order[i], k = i % BLOCK;
        if (!k) block_look_up(in, c, order + i, count - i < BLOCK ? count - i : BLOCK, &b);
        if (b.bytes[k] > most) { /* a smaller row may still fit */
            skipped++;
            continue;
        }
        skipped = 0;
        int best = roomiest(c, b.hottest[k], b.bytes[k], room), g;
        g = c->gpu[best >= 0 ? best : hottest(in, c, x, b.bytes[k], room)];
        TRY(row_list_add(x < n ? &plan->placement.topology[g] : &plan->placement.feature[g],
                         (uint32_t)(x < n ? x : x - n), err));
        if (room[g] == most) most = 0; /* it may be another GPU's now */
        room[g] -= b.bytes[k];
        if (!most) most = most_room(c->gpu, c->gpus, room);
    }
done:
    mem_free(b.bytes);
    mem_free(b.hottest);
    return st;
}

enum st density_place_by(const struct policy_input *in, density_set *set, struct plan *plan,
                         struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    uint64_t items = graph_items(in->graph), room[GPUS_MAX], count, *key = NULL;
    OWNED uint32_t *order = NULL;
    if (!density_possible(in->graph, verdict)) return ST_OK;
    memcpy(room, plan->budget, sizeof room);
    for (int c = 0; c < plan->assignment.cliques; c++) {
        uint64_t budget = 0;
        for (int g = 0; g < plan->assignment.gpus; g++)
            budget += plan->assignment.clique_of[g] == c ? plan->budget[g] : 0;
        NEW(key, items, "densities");
        set(in, c, key);
        TRY(density_order(in, key, items, DENSITY_ENOUGH(budget), &order, &count, err));
        mem_free(key);
        key = NULL;
        TRY(density_fill(in, order, count, c, plan, room, err));
        mem_free(order);
        order = NULL;
    }
done:
    mem_free(key);
    return st;
}

enum st density_fill(const struct policy_input *in, const uint32_t *order, uint64_t count, int clique,
                     struct plan *plan, uint64_t *room, struct err *err)
{
    OWNED_BY(side_counts_release) struct side_counts made = {0}; /* where the study keeps none */
    int gpu[GPUS_MAX], k = 0;
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == clique) gpu[k++] = g;
    const struct side_counts *c = in->sides && in->sides[clique].hot[0] ? &in->sides[clique] : &made;
    if (c == &made) PASS(make_counts(in, clique, gpu, k, count, &made, err));
    return fill_density(in, c, order, count, plan, room, err);
}
