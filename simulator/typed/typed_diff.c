#include "simulator/typed/typed_diff.h"

#include <string.h>

#include "base/mem.h"

struct work {
    const struct typed_plan *plan[2];
    uint64_t *holders[2]; /* [tile][words] */
    int words;
};

static int position(const struct typed_diff *d, int id)
{
    int at = 0;
    while (d->id[at] != id) at++;
    return at;
}

/* Sets the bit of every GPU that has an id of [from, from + count). */
static void mark(const struct work *w, const struct typed_diff *d, const struct graph *rows, int side, bool train,
                 uint64_t from, uint64_t count)
{
    const struct typed_plan *p = w->plan[side];
    memset(w->holders[side], 0, count * (uint64_t)w->words * sizeof(uint64_t));
    for (int g = 0; g < p->assignment.gpus; g++) {
        uint64_t n = train ? p->assignment.train_count[g] : placement_count(&p->placement, g);
        int x = position(d, p->assignment.id[g]);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t row = (train ? p->assignment.train[g][i] : placement_item(&p->placement, rows, g, i)) - from;
            if (row < count) w->holders[side][row * (uint64_t)w->words + (uint64_t)(x / 64)] |= (uint64_t)1 << (x % 64);
        }
    }
}

/* The rows [from, from + count) of one table, or of the training vertices (table == tables). */
static void count_tile(const struct work *w, struct typed_diff *d, const struct graph *rows, int table, uint64_t from,
                       uint64_t count)
{
    bool train = table == rows->tables;
    for (int side = 0; side < 2; side++) mark(w, d, rows, side, train, from, count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t *a = w->holders[0] + i * (uint64_t)w->words, *b = w->holders[1] + i * (uint64_t)w->words;
        uint64_t any = 0;
        for (int k = 0; k < w->words; k++) any |= a[k] | b[k];
        if (!any) continue;
        uint64_t bytes = train ? sizeof(uint32_t) : graph_row_bytes(rows, table, from + i - rows->table[table].first);
        diff_count(a, b, w->words, bytes, d->table[table], d->moved + (train ? DIFF_GPUS_MAX : 0));
    }
}

enum st typed_diff_make(const struct typed_plan *before, const struct typed_plan *after, const struct graph *rows,
                        struct typed_diff *out, struct err *err)
{
    struct work w = {.plan = {before, after}};
    struct typed_diff d = {.tables = rows->tables};
    uint64_t largest = rows->n;
    enum st st = ST_OK;
    for (int s = 0; s < 2; s++)
        for (int g = 0; g < w.plan[s]->assignment.gpus; g++)
            d.gpus = diff_add_gpu(d.id, d.gpus, w.plan[s]->assignment.id[g]);
    for (int t = 0; t < rows->tables; t++) largest = rows->table[t].count > largest ? rows->table[t].count : largest;
    if (largest > DIFF_TILE) largest = DIFF_TILE;
    w.words = DIFF_WORDS(d.gpus);
    NEW(d.table, rows->tables + 1, "rows that move");
    NEW(d.moved, 2 * DIFF_GPUS_MAX, "rows that move"); /* the second half: training vertices */
    for (int s = 0; s < 2; s++) NEW(w.holders[s], largest * (uint64_t)w.words, "the holders of every row");
    for (int t = 0; t <= rows->tables; t++) {
        uint64_t first = t < rows->tables ? rows->table[t].first : 0,
                 end = first + (t < rows->tables ? rows->table[t].count : rows->n);
        for (uint64_t from = first; from < end; from += largest)
            count_tile(&w, &d, rows, t, from, end - from < largest ? end - from : largest);
        for (int g = 0; g < d.gpus; g++) diff_sum(&d.table[t][g]);
    }
    *out = d;
    memset(&d, 0, sizeof d);
done:
    for (int s = 0; s < 2; s++) mem_free(w.holders[s]);
    typed_diff_release(&d);
    return st;
}

void typed_diff_release(struct typed_diff *d)
{
    mem_free(d->table);
    mem_free(d->moved);
    memset(d, 0, sizeof *d);
}
