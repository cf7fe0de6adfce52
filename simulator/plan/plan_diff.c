#include "simulator/plan/plan_diff.h"

#include <string.h>

#include "base/mem.h"

#define WORDS_OF(gpus) (((gpus) + 63) / 64)
enum { WORDS_MAX = WORDS_OF(DIFF_GPUS_MAX), TILE = 1 << 24 /* rows whose holders are in memory at a time */ };

struct work;

/* What is compared: lists of rows, cut into parts. */
struct lists {
    int (*gpus)(const void *plan);
    int (*id)(const void *plan, int gpu);
    /* The list that has the rows of a part on GPU number gpu. */
    const uint32_t *(*list)(const struct work *w, const void *plan, int gpu, int part, uint64_t *count);
    uint64_t (*bytes)(const struct work *w, int part, uint64_t row);
};

/* Rows [first, first + rows) of a list; moves are counted with those of the group. */
struct part {
    uint64_t first, rows;
    int group;
};

struct work {
    const struct lists *of;
    const void *plan[2];
    const struct graph *graph; /* of plans of several types */
    const int64_t *indptr;     /* of others, or NULL */
    uint64_t arc_bytes, row_bytes;
    const struct part *part; /* [parts of the diff] */
    int words;               /* of a set of holders */
    uint64_t *holders[2];    /* [tile][words] before and after */
};

/* Adds an id to ids[gpus], ascending, unless it is there. Returns how many there are then. */
static int add_gpu(int *ids, int gpus, int id)
{
    int at = 0;
    while (at < gpus && ids[at] < id) at++;
    if (at < gpus && ids[at] == id) return gpus;
    memmove(ids + at + 1, ids + at, (size_t)(gpus - at) * sizeof *ids);
    ids[at] = id;
    return gpus + 1;
}

static enum st check_same_graph(const hotset_plan *a, const hotset_plan *b, struct err *err)
{
    const char *x = hotset_text(a, HOTSET_TEXT_CACHE_TYPE), *y = hotset_text(b, HOTSET_TEXT_CACHE_TYPE);
    if (hotset_vertices(a) != hotset_vertices(b))
        return err_set(err, ST_INPUT,
                       "the two plans are for different graphs, of %llu and of %llu vertices; compare plans of one "
                       "graph, or of one whose training set or edges changed",
                       (unsigned long long)hotset_vertices(a), (unsigned long long)hotset_vertices(b));
    if (hotset_row_bytes(a) != hotset_row_bytes(b))
        return err_set(err, ST_INPUT,
                       "the two plans are for feature rows of %llu and of %llu bytes; compare plans of one feature "
                       "size",
                       (unsigned long long)hotset_row_bytes(a), (unsigned long long)hotset_row_bytes(b));
    if (strcmp(x, y))
        return err_set(err, ST_INPUT,
                       "GPUs of the two plans hold features in different element types (%s and %s), so all rows are "
                       "loaded again; compare plans with the same --cache-type",
                       *x ? x : "the host's", *y ? y : "the host's");
    return ST_OK;
}

/* Sets the bits of all GPUs that hold rows of part k, from row `from` of it on. */
static void mark(const struct work *w, const struct diff *d, int side, int k, uint64_t from, uint64_t count)
{
    const void *plan = w->plan[side];
    uint64_t begin = w->part[k].first + from, words = (uint64_t)w->words;
    memset(w->holders[side], 0, count * words * sizeof(uint64_t));
    for (int g = 0; g < w->of->gpus(plan); g++) {
        uint64_t listed;
        const uint32_t *ids = w->of->list(w, plan, g, k, &listed);
        int x = 0;
        while (d->id[x] != w->of->id(plan, g)) x++;
        for (uint64_t i = 0; i < listed; i++)
            if (ids[i] - begin < count)
                w->holders[side][(ids[i] - begin) * words + (uint64_t)(x / 64)] |= (uint64_t)1 << (x % 64);
    }
}

static bool any_of(const uint64_t *set, int words)
{
    uint64_t any = 0;
    for (int k = 0; k < words; k++) any |= set[k];
    return any != 0;
}

static void count_row(struct diff_amount *a, uint64_t bytes)
{
    a->rows++;
    a->bytes += bytes;
}

/* The lowest GPU of a set at or above `from`; -1: none. */
static int next_of(const uint64_t *set, int words, int from)
{
    for (int k = from / 64; k < words; k++) {
        uint64_t left = set[k] & (k == from / 64 ? ~(uint64_t)0 << (from % 64) : ~(uint64_t)0);
        if (left) return 64 * k + __builtin_ctzll(left);
    }
    return -1;
}

/* Pairs the holders of one row before and after (sets of `words` words), and counts it: in gpu[] all but before and
 * after, in moved[from][to] the pairs. */
static void count_pairs(const uint64_t *before, const uint64_t *after, int words, uint64_t bytes, struct diff_gpu *gpu,
                        struct diff_amount (*moved)[DIFF_GPUS_MAX])
{
    uint64_t kept[WORDS_MAX], lost[WORDS_MAX], won[WORDS_MAX];
    for (int k = 0; k < words; k++) {
        kept[k] = before[k] & after[k];
        lost[k] = before[k] & ~after[k];
        won[k] = after[k] & ~before[k];
    }
    for (int g = next_of(kept, words, 0); g >= 0; g = next_of(kept, words, g + 1)) count_row(&gpu[g].kept, bytes);
    int from = next_of(lost, words, 0), to = next_of(won, words, 0);
    while (from >= 0 || to >= 0) {
        if (from < 0) count_row(&gpu[to].added, bytes);
        else if (to < 0) count_row(&gpu[from].removed, bytes);
        else {
            count_row(&gpu[from].moved_out, bytes);
            count_row(&gpu[to].moved_in, bytes);
            count_row(&moved[from][to], bytes);
        }
        from = from < 0 ? from : next_of(lost, words, from + 1);
        to = to < 0 ? to : next_of(won, words, to + 1);
    }
}

/* Adds up before and after. */
static void add_up(struct diff_gpu *g)
{
    g->before = (struct diff_amount){g->kept.rows + g->removed.rows + g->moved_out.rows,
                                     g->kept.bytes + g->removed.bytes + g->moved_out.bytes};
    g->after = (struct diff_amount){g->kept.rows + g->added.rows + g->moved_in.rows,
                                    g->kept.bytes + g->added.bytes + g->moved_in.bytes};
}

static void count_tile(const struct work *w, struct diff *d, int k, uint64_t from, uint64_t count)
{
    for (int s = 0; s < 2; s++) mark(w, d, s, k, from, count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *a = w->holders[0] + i * (uint64_t)w->words, *b = w->holders[1] + i * (uint64_t)w->words;
        if (any_of(a, w->words) || any_of(b, w->words))
            count_pairs(a, b, w->words, w->of->bytes(w, k, from + i), d->gpu[k], d->moved[w->part[k].group]);
    }
}

static enum st compare(struct work *w, int parts, int groups, struct diff *out, struct err *err)
{
    struct diff d = {.parts = parts, .bytes_known = {true, w->indptr || w->graph, true}};
    uint64_t tile = 0;
    enum st st = ST_OK;
    for (int s = 0; s < 2; s++)
        for (int g = 0; g < w->of->gpus(w->plan[s]); g++) d.gpus = add_gpu(d.id, d.gpus, w->of->id(w->plan[s], g));
    for (int k = 0; k < parts; k++) tile = w->part[k].rows > tile ? w->part[k].rows : tile;
    if (tile > TILE) tile = TILE;
    w->words = WORDS_OF(d.gpus);
    NEW(d.gpu, parts, "rows that move");
    NEW(d.moved, groups, "rows that move");
    for (int s = 0; s < 2; s++) NEW(w->holders[s], tile * (uint64_t)w->words, "the holders of every row");
    for (int k = 0; k < parts; k++) {
        for (uint64_t from = 0, rows = w->part[k].rows; from < rows; from += tile)
            count_tile(w, &d, k, from, rows - from < tile ? rows - from : tile);
        for (int g = 0; g < d.gpus; g++) add_up(&d.gpu[k][g]);
    }
    *out = d;
    d = (struct diff){0};
done:
    for (int s = 0; s < 2; s++) mem_free(w->holders[s]);
    diff_release(&d);
    return st;
}

/* ---- plans of plain graphs */

static int lib_gpus(const void *plan) { return hotset_gpus(plan); }
static int lib_id(const void *plan, int gpu) { return hotset_gpu_id(plan, gpu); }

static const uint32_t *lib_list(const struct work *w, const void *plan, int gpu, int part, uint64_t *count)
{
    (void)w;
    return hotset_ids(plan, gpu, (enum hotset_list)part, count);
}

static uint64_t lib_bytes(const struct work *w, int part, uint64_t v)
{
    if (part == HOTSET_FEATURE) return w->row_bytes;
    if (part == HOTSET_TRAIN) return sizeof(uint32_t);
    return w->indptr ? 8 + w->arc_bytes * (uint64_t)(w->indptr[v + 1] - w->indptr[v]) : 0;
}

enum st diff_make(const hotset_plan *before, const hotset_plan *after, const int64_t *indptr, uint64_t arc_bytes,
                  struct diff *out, struct err *err)
{
    static const struct lists lists = {lib_gpus, lib_id, lib_list, lib_bytes};
    uint64_t n = hotset_vertices(before);
    const struct part part[DIFF_KINDS] = {{0, n, 0}, {0, n, 1}, {0, n, 2}};
    struct work w = {.of = &lists,
                     .plan = {before, after},
                     .indptr = indptr,
                     .arc_bytes = arc_bytes,
                     .row_bytes = hotset_cached_row_bytes(before),
                     .part = part};
    enum st st;
    TRY(check_same_graph(before, after, err));
    TRY(compare(&w, DIFF_KINDS, DIFF_KINDS, out, err));
done:
    return st;
}

/* ---- plans of several types: a part per table of rows, and the training vertices */

static int plan_gpus(const void *plan) { return ((const struct plan *)plan)->assignment.gpus; }
static int plan_id(const void *plan, int gpu) { return ((const struct plan *)plan)->assignment.id[gpu]; }

static const uint32_t *plan_list(const struct work *w, const void *plan, int gpu, int part, uint64_t *count)
{
    const struct plan *p = plan;
    const struct row_list *l = part < w->graph->relations ? &p->placement.topology[gpu] : &p->placement.feature[gpu];
    *count = part < w->graph->tables ? l->count : p->assignment.train_count[gpu];
    return part < w->graph->tables ? l->id : p->assignment.train[gpu];
}

static uint64_t plan_bytes(const struct work *w, int part, uint64_t row)
{
    return part < w->graph->tables ? graph_row_bytes(w->graph, part, row) : sizeof(uint32_t);
}

enum st diff_tables(const struct plan *before, const struct plan *after, const struct graph *graph, struct diff *out,
                    struct err *err)
{
    static const struct lists lists = {plan_gpus, plan_id, plan_list, plan_bytes};
    struct part *part = NULL;
    struct work w = {.of = &lists, .plan = {before, after}, .graph = graph};
    enum st st = ST_OK;
    NEW(part, graph->tables + 1, "rows that move");
    for (int t = 0; t < graph->tables; t++) {
        const struct row_table *x = &graph->table[t];
        part[t] = (struct part){x->kind == ROWS_TOPOLOGY ? x->first : x->first - graph->topology_rows, x->count, 0};
    }
    part[graph->tables] = (struct part){0, graph->n, 1};
    w.part = part;
    TRY(compare(&w, graph->tables + 1, 2, out, err));
done:
    mem_free(part);
    return st;
}

void diff_release(struct diff *d)
{
    mem_free(d->gpu);
    mem_free(d->moved);
    memset(d, 0, sizeof *d);
}
