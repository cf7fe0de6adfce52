#include "simulator/plan/plan_diff.h"

#include <string.h>

#include "base/mem.h"

#define WORDS_OF(gpus) (((gpus) + 63) / 64)
enum { WORDS_MAX = WORDS_OF(DIFF_GPUS_MAX), TILE = 1 << 24 /* rows whose holders are in memory at a time */ };

struct work;
struct pass;

/* What is compared: lists of rows, cut into parts. */
struct lists {
    int (*gpus)(const void *plan);
    int (*id)(const void *plan, int gpu);
    /* The list of GPU number gpu that has the rows of a pass, of plan number `side`; nothing where it has them in
     * another form. */
    const uint32_t *(*list)(const struct work *w, int side, int gpu, const struct pass *p, uint64_t *count);
    uint64_t (*bytes)(const struct work *w, const struct pass *p, uint64_t row);
};

/* Rows [first, first + rows) of a list, in one form; counted in a part of the diff, moves with those of the kind. */
struct pass {
    uint64_t first, rows;
    int part, kind;
    enum precision form; /* of features */
};

struct work {
    const struct lists *of;
    const void *plan[2];
    const struct graph *graph;       /* of plans of several types */
    const enum precision *cached[2]; /* [tables] likewise */
    const int64_t *indptr;           /* of others, or NULL */
    uint64_t arc_bytes;
    const struct pass *pass; /* [passes] */
    int passes, words;       /* words: of a set of holders */
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
    return ST_OK;
}

/* Sets the bits of all GPUs that hold rows of a pass, from row `from` of it on. */
static void mark(const struct work *w, const struct diff *d, int side, const struct pass *p, uint64_t from,
                 uint64_t count)
{
    const void *plan = w->plan[side];
    uint64_t begin = p->first + from, words = (uint64_t)w->words;
    memset(w->holders[side], 0, count * words * sizeof(uint64_t));
    for (int g = 0; g < w->of->gpus(plan); g++) {
        uint64_t listed;
        const uint32_t *ids = w->of->list(w, side, g, p, &listed);
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

static void count_tile(const struct work *w, struct diff *d, const struct pass *p, uint64_t from, uint64_t count)
{
    for (int s = 0; s < 2; s++) mark(w, d, s, p, from, count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *a = w->holders[0] + i * (uint64_t)w->words, *b = w->holders[1] + i * (uint64_t)w->words;
        if (any_of(a, w->words) || any_of(b, w->words))
            count_pairs(a, b, w->words, w->of->bytes(w, p, from + i), d->gpu[p->part], d->moved[p->kind]);
    }
}

static void add_amount(struct diff_amount *to, const struct diff_amount *a)
{
    to->rows += a->rows;
    to->bytes += a->bytes;
}

void diff_add(struct diff_gpu *to, const struct diff_gpu *gpu)
{
    add_amount(&to->before, &gpu->before);
    add_amount(&to->after, &gpu->after);
    add_amount(&to->kept, &gpu->kept);
    add_amount(&to->added, &gpu->added);
    add_amount(&to->removed, &gpu->removed);
    add_amount(&to->moved_in, &gpu->moved_in);
    add_amount(&to->moved_out, &gpu->moved_out);
}

/* Totals of parts and kinds. A part's passes are of one kind. */
static void add_all(const struct work *w, struct diff *d)
{
    for (int k = 0; k < w->passes; k++) {
        const struct pass *p = &w->pass[k];
        bool again = k > 0 && w->pass[k - 1].part == p->part;
        for (int g = 0; g < d->gpus && !again; g++) {
            add_up(&d->gpu[p->part][g]);
            diff_add(&d->kind[p->kind][g], &d->gpu[p->part][g]);
        }
    }
}

static enum st compare(struct work *w, int parts, struct diff *out, struct err *err)
{
    struct diff d = {.parts = parts, .bytes_known = {true, w->indptr || w->graph, true}};
    uint64_t tile = 0;
    enum st st = ST_OK;
    for (int s = 0; s < 2; s++)
        for (int g = 0; g < w->of->gpus(w->plan[s]); g++) d.gpus = add_gpu(d.id, d.gpus, w->of->id(w->plan[s], g));
    for (int k = 0; k < w->passes; k++) tile = w->pass[k].rows > tile ? w->pass[k].rows : tile;
    if (tile > TILE) tile = TILE;
    w->words = WORDS_OF(d.gpus);
    NEW(d.gpu, parts, "rows that move");
    NEW(d.kind, DIFF_KINDS, "rows that move");
    NEW(d.moved, DIFF_KINDS, "rows that move");
    for (int s = 0; s < 2; s++) NEW(w->holders[s], tile * (uint64_t)w->words, "the holders of every row");
    for (int k = 0; k < w->passes; k++)
        for (uint64_t from = 0, rows = w->pass[k].rows; from < rows; from += tile)
            count_tile(w, &d, &w->pass[k], from, rows - from < tile ? rows - from : tile);
    add_all(w, &d);
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

static enum precision lib_form(const hotset_plan *plan)
{
    const char *name = hotset_text(plan, HOTSET_TEXT_CACHE_TYPE);
    return *name ? precision_named(name) : PRECISION_HOST;
}

static const uint32_t *lib_list(const struct work *w, int side, int gpu, const struct pass *p, uint64_t *count)
{
    const uint32_t *ids = hotset_ids(w->plan[side], gpu, (enum hotset_list)p->kind, count);
    if (p->kind == HOTSET_FEATURE && lib_form(w->plan[side]) != p->form) *count = 0;
    return ids;
}

static uint64_t lib_bytes(const struct work *w, const struct pass *p, uint64_t v)
{
    if (p->kind == HOTSET_FEATURE) return hotset_cached_row_bytes(w->plan[lib_form(w->plan[0]) != p->form]);
    if (p->kind == HOTSET_TRAIN) return sizeof(uint32_t);
    return w->indptr ? 8 + w->arc_bytes * (uint64_t)(w->indptr[v + 1] - w->indptr[v]) : 0;
}

enum st diff_make(const hotset_plan *before, const hotset_plan *after, const int64_t *indptr, uint64_t arc_bytes,
                  struct diff *out, struct err *err)
{
    static const struct lists lists = {lib_gpus, lib_id, lib_list, lib_bytes};
    const uint64_t n = hotset_vertices(before);
    const enum precision old = lib_form(before), new = lib_form(after);
    const struct pass pass[] = {{0, n, HOTSET_TOPOLOGY, HOTSET_TOPOLOGY, PRECISION_HOST},
                                {0, n, HOTSET_TRAIN, HOTSET_TRAIN, PRECISION_HOST},
                                {0, n, HOTSET_FEATURE, HOTSET_FEATURE, old},
                                {0, n, HOTSET_FEATURE, HOTSET_FEATURE, new}};
    struct work w = {.of = &lists,
                     .plan = {before, after},
                     .indptr = indptr,
                     .arc_bytes = arc_bytes,
                     .pass = pass,
                     .passes = old == new ? 3 : 4};
    enum st st;
    TRY(check_same_graph(before, after, err));
    TRY(compare(&w, DIFF_KINDS, out, err));
done:
    return st;
}

/* ---- plans of several types: a part per table of rows, and the training vertices */

static int plan_gpus(const void *plan) { return ((const struct plan *)plan)->assignment.gpus; }
static int plan_id(const void *plan, int gpu) { return ((const struct plan *)plan)->assignment.id[gpu]; }

static const uint32_t *plan_list(const struct work *w, int side, int gpu, const struct pass *p, uint64_t *count)
{
    const struct plan *plan = w->plan[side];
    const struct row_list *l = p->kind == HOTSET_TOPOLOGY ? &plan->placement.topology[gpu]
                                                          : &plan->placement.feature[gpu];
    *count = p->kind == HOTSET_TRAIN ? plan->assignment.train_count[gpu] : l->count;
    if (p->kind == HOTSET_FEATURE && w->cached[side][p->part] != p->form) *count = 0;
    return p->kind == HOTSET_TRAIN ? plan->assignment.train[gpu] : l->id;
}

static uint64_t plan_bytes(const struct work *w, const struct pass *p, uint64_t row)
{
    if (p->kind == HOTSET_TRAIN) return sizeof(uint32_t);
    if (p->kind == HOTSET_TOPOLOGY) return graph_row_bytes(w->graph, p->part, row);
    return p->form == PRECISION_HOST ? graph_table(w->graph, p->part).row_bytes
                                     : precision_row_bytes(p->form, graph_table_dim(w->graph, p->part));
}

enum st diff_tables(const struct plan *const plan[2], const enum precision *const cached[2], const struct graph *graph,
                    struct diff *out, struct err *err)
{
    static const struct lists lists = {plan_gpus, plan_id, plan_list, plan_bytes};
    struct pass *pass = NULL;
    struct work w = {.of = &lists, .plan = {plan[0], plan[1]}, .graph = graph, .cached = {cached[0], cached[1]}};
    enum st st = ST_OK;
    NEW(pass, 2 * graph->tables + 1, "rows that move");
    for (int t = 0; t < graph->tables; t++) {
        const struct row_table *table = &graph->table[t];
        bool topology = table->kind == ROWS_TOPOLOGY;
        int forms = topology || cached[0][t] == cached[1][t] ? 1 : 2;
        for (int f = 0; f < forms; f++)
            pass[w.passes++] = (struct pass){topology ? table->first : table->first - graph->topology_rows,
                                             table->count, t, topology ? HOTSET_TOPOLOGY : HOTSET_FEATURE,
                                             topology ? PRECISION_HOST : cached[f][t]};
    }
    pass[w.passes++] = (struct pass){0, graph->n, graph->tables, HOTSET_TRAIN, PRECISION_HOST};
    w.pass = pass;
    TRY(compare(&w, graph->tables + 1, out, err));
done:
    mem_free(pass);
    return st;
}

void diff_release(struct diff *d)
{
    mem_free(d->gpu);
    mem_free(d->kind);
    mem_free(d->moved);
    memset(d, 0, sizeof *d);
}
