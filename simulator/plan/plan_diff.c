#include "simulator/plan/plan_diff.h"

#include <string.h>

#include "base/mem.h"

enum { WORDS_MAX = DIFF_WORDS(DIFF_GPUS_MAX) };

struct work {
    const hotset_plan *plan[2];
    const int64_t *indptr;
    uint64_t arc_bytes, row_bytes;
    int words;            /* of a set of holders */
    uint64_t from, count; /* vertices of the tile */
    uint64_t *holders[2]; /* [count][words] before and after */
};

int diff_add_gpu(int *ids, int gpus, int id)
{
    int at = 0;
    while (at < gpus && ids[at] < id) at++;
    if (at < gpus && ids[at] == id) return gpus;
    memmove(ids + at + 1, ids + at, (size_t)(gpus - at) * sizeof *ids);
    ids[at] = id;
    return gpus + 1;
}

/* Lists the GPUs of both plans. */
static void unite_gpus(const struct work *w, struct diff *d)
{
    for (int s = 0; s < 2; s++)
        for (int g = 0; g < hotset_gpus(w->plan[s]); g++)
            d->gpus = diff_add_gpu(d->id, d->gpus, hotset_gpu_id(w->plan[s], g));
}

static enum st check_same_graph(const hotset_plan *a, const hotset_plan *b, struct err *err)
{
    const char *x = hotset_text(a, HOTSET_TEXT_FINGERPRINT), *y = hotset_text(b, HOTSET_TEXT_FINGERPRINT);
    if (hotset_vertices(a) != hotset_vertices(b) || hotset_edges(a) != hotset_edges(b) || (*x && *y && strcmp(x, y)))
        return err_set(err, ST_INPUT,
                       "the two plans are for different graphs (vertices, edges or fingerprint differ); compare plans "
                       "of one graph");
    if (hotset_row_bytes(a) != hotset_row_bytes(b))
        return err_set(err, ST_INPUT,
                       "the two plans are for feature rows of %llu and of %llu bytes; compare plans of one feature "
                       "size",
                       (unsigned long long)hotset_row_bytes(a), (unsigned long long)hotset_row_bytes(b));
    x = hotset_text(a, HOTSET_TEXT_CACHE_TYPE);
    y = hotset_text(b, HOTSET_TEXT_CACHE_TYPE);
    if (strcmp(x, y))
        return err_set(err, ST_INPUT,
                       "GPUs of the two plans hold features in different element types (%s and %s), so all rows are "
                       "loaded again; compare plans with the same --cache-type",
                       *x ? x : "the host's", *y ? y : "the host's");
    return ST_OK;
}

/* Sets the bit of every GPU that holds a vertex of the tile. */
static void mark(const struct work *w, const struct diff *d, int side, int kind)
{
    memset(w->holders[side], 0, w->count * (uint64_t)w->words * sizeof(uint64_t));
    for (int x = 0; x < d->gpus; x++) {
        uint64_t count;
        const uint32_t *ids = hotset_ids(w->plan[side], hotset_find_gpu(w->plan[side], d->id[x]),
                                         (enum hotset_list)kind, &count);
        for (uint64_t i = 0; i < count; i++)
            if (ids[i] - w->from < w->count)
                w->holders[side][(ids[i] - w->from) * (uint64_t)w->words + (uint64_t)(x / 64)] |= (uint64_t)1
                                                                                                  << (x % 64);
    }
}

static uint64_t bytes_of(const struct work *w, int kind, uint64_t v)
{
    if (kind == HOTSET_FEATURE) return w->row_bytes;
    if (kind == HOTSET_TRAIN) return sizeof(uint32_t);
    return w->indptr ? 8 + w->arc_bytes * (uint64_t)(w->indptr[v + 1] - w->indptr[v]) : 0;
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

void diff_count(const uint64_t *before, const uint64_t *after, int words, uint64_t bytes, struct diff_gpu *gpu,
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

void diff_sum(struct diff_gpu *g)
{
    g->before = (struct diff_amount){g->kept.rows + g->removed.rows + g->moved_out.rows,
                                     g->kept.bytes + g->removed.bytes + g->moved_out.bytes};
    g->after = (struct diff_amount){g->kept.rows + g->added.rows + g->moved_in.rows,
                                    g->kept.bytes + g->added.bytes + g->moved_in.bytes};
}

enum st diff_make(const hotset_plan *before, const hotset_plan *after, const int64_t *indptr, uint64_t arc_bytes,
                  struct diff *out, struct err *err)
{
    struct work w = {.plan = {before, after},
                     .indptr = indptr,
                     .arc_bytes = arc_bytes,
                     .row_bytes = hotset_cached_row_bytes(before)};
    struct diff d = {.bytes_known = {true, indptr != NULL, true}};
    uint64_t n = hotset_vertices(before), tile = n < DIFF_TILE ? n : DIFF_TILE;
    enum st st;
    TRY(check_same_graph(before, after, err));
    unite_gpus(&w, &d);
    w.words = DIFF_WORDS(d.gpus);
    NEW(d.moved, DIFF_KINDS, "rows that move");
    for (int s = 0; s < 2; s++) NEW(w.holders[s], tile * (uint64_t)w.words, "the holders of every row");
    for (w.from = 0; w.from < n; w.from += tile) {
        w.count = n - w.from < tile ? n - w.from : tile;
        for (int kind = 0; kind < DIFF_KINDS; kind++) {
            for (int s = 0; s < 2; s++) mark(&w, &d, s, kind);
            for (uint64_t i = 0; i < w.count; i++) {
                uint64_t *a = w.holders[0] + i * (uint64_t)w.words, *b = w.holders[1] + i * (uint64_t)w.words;
                if (any_of(a, w.words) || any_of(b, w.words))
                    diff_count(a, b, w.words, bytes_of(&w, kind, w.from + i), d.gpu[kind], d.moved[kind]);
            }
        }
    }
    for (int kind = 0; kind < DIFF_KINDS; kind++)
        for (int g = 0; g < d.gpus; g++) diff_sum(&d.gpu[kind][g]);
    *out = d;
    d.moved = NULL;
done:
    for (int s = 0; s < 2; s++) mem_free(w.holders[s]);
    diff_release(&d);
    return st;
}

void diff_release(struct diff *d)
{
    mem_free(d->moved);
    memset(d, 0, sizeof *d);
}
