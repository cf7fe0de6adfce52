#include "planner/places/place_fill.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool before(const struct place_next *a, const struct place_next *b)
{
    return a->value > b->value || (a->value == b->value && a->row < b->row);
}

static int by_value(const void *x, const void *y) { return before(x, y) ? -1 : 1; }

void place_fill_put(struct place_filling *g, uint64_t row, int place)
{
    g->held[row] |= (place_set)(1u << place);
    if (g->room[place] != UINT64_MAX) g->room[place] -= g->p->bytes[row];
}

/* ---- homes ---- */

/* The cheapest of the homes in `open` that has room for the row, of equal ones that with more room, and what the second
 * cheapest costs more. False when there is none. */
static bool best_home(const struct place_filling *g, place_set open, uint32_t row, struct place_next *out)
{
    double least = INFINITY, second = INFINITY;
    bool any = false;
    *out = (struct place_next){.row = row};
    for (int k = 0; k < g->p->places; k++) {
        if (!(open >> k & 1) || g->p->bytes[row] > g->room[k]) continue;
        double cost = place_row_cost(g->p, row, (place_set)(g->held[row] | 1u << k)); /* copies may be there */
        bool roomier = any && !(cost > least) && g->room[k] > g->room[out->place];
        if (!any || cost < least || roomier) {
            second = least;
            least = cost;
            out->place = (uint32_t)k;
        } else if (cost < second) second = cost;
        any = true;
    }
    if (any) out->value = (second - least) / (double)g->p->bytes[row]; /* infinite: the only one */
    return any;
}

/* One round: the rows without a home in the order of what they lose, until one finds its place full. That place is
 * closed, unless it was the only one that was open: then smaller rows may still fit. Returns the rows that are left. */
static uint64_t home_round(struct place_filling *g, place_set *open)
{
    uint64_t left = 0;
    bool alone = !(*open & (*open - 1));
    qsort(g->next, g->waiting, sizeof *g->next, by_value);
    for (uint64_t i = 0; i < g->waiting; i++) {
        struct place_next x = g->next[i];
        if (!(x.value > 0)) best_home(g, *open, x.row, &x); /* of equal ones the one with more room now */
        bool closed = !(*open >> x.place & 1);
        if (!closed && g->p->bytes[x.row] <= g->room[x.place]) {
            place_fill_put(g, x.row, (int)x.place);
            continue;
        }
        if (!closed && !alone) *open &= (place_set) ~(1u << x.place);
        g->next[left++] = x;
    }
    return left;
}

enum st place_fill_homes(struct place_filling *g, struct err *err)
{
    enum st st = ST_OK;
    place_set open = g->p->homes;
    g->waiting = 0;
    for (uint64_t i = 0; i < g->p->rows; i++)
        if (!(g->held[i] & g->p->homes)) g->next[g->waiting++].row = (uint32_t)i;
    while (g->waiting) {
        bool last = !(open & (open - 1));
        for (uint64_t i = 0; i < g->waiting; i++) {
            uint32_t row = g->next[i].row;
            /* at the end also closed homes, which may have room for small rows */
            if (best_home(g, open, row, &g->next[i]) || best_home(g, g->p->homes, row, &g->next[i])) continue;
            FAIL(ST_NO, "places: no home has %llu bytes left for row %llu; give the homes more memory",
                 (unsigned long long)g->p->bytes[row], (unsigned long long)row);
        }
        if (last) open = g->p->homes;
        const uint64_t waited = g->waiting;
        const place_set opened = open;
        g->waiting = home_round(g, &open);
        /* all that wait fit closed homes only */
        if (g->waiting == waited && open == opened) open = g->p->homes;
    }
done:
    return st;
}

/* ---- copies ---- */

/* The copy that saves most per byte where it fits. False when none saves anything. */
static bool best_copy(const struct place_filling *g, uint32_t row, struct place_next *out)
{
    double now = place_row_cost(g->p, row, g->held[row]);
    *out = (struct place_next){.row = row};
    for (int k = 0; k < g->p->places; k++) {
        place_set with = (place_set)(g->held[row] | 1u << k);
        if (with == g->held[row] || g->p->bytes[row] > g->room[k]) continue;
        double saved = (now - place_row_cost(g->p, row, with)) / (double)g->p->bytes[row];
        if (!(saved > out->value)) continue;
        out->value = saved;
        out->place = (uint32_t)k;
    }
    return out->value > 0;
}

/* Moves the entry at `at` down to its place in the heap. */
static void sink(struct place_next *heap, uint64_t count, uint64_t at)
{
    for (;;) {
        uint64_t child = 2 * at + 1;
        struct place_next x = heap[at];
        if (child >= count) return;
        if (child + 1 < count && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &x)) return;
        heap[at] = heap[child];
        heap[child] = x;
        at = child;
    }
}

void place_fill_copies(struct place_filling *g)
{
    struct place_next *heap = g->next;
    g->waiting = 0;
    for (uint64_t i = 0; i < g->p->rows; i++) g->waiting += best_copy(g, (uint32_t)i, &heap[g->waiting]);
    for (uint64_t i = g->waiting / 2; i-- > 0;) sink(heap, g->waiting, i);
    while (g->waiting) {
        struct place_next x = heap[0];
        if (g->p->bytes[x.row] <= g->room[x.place]) place_fill_put(g, x.row, (int)x.place);
        if (!best_copy(g, x.row, &heap[0])) heap[0] = heap[--g->waiting];
        sink(heap, g->waiting, 0);
    }
}

enum st place_fill_begin(const struct place_problem *p, struct place_filling *g, struct err *err)
{
    enum st st = ST_OK;
    *g = (struct place_filling){.p = p};
    NEW(g->held, p->rows + 1, "the places of rows");
    NEW(g->next, p->rows + 1, "the order of rows");
    for (int k = 0; k < p->places; k++) g->room[k] = p->capacity[k];
done:
    return st;
}

enum st place_fill_end(struct place_filling *g, struct place_solution *out, struct err *err)
{
    enum st st;
    out->held = g->held;
    g->held = NULL;
    TRY(place_judge(g->p, out, err));
done:
    return st;
}

void place_fill_release(struct place_filling *g)
{
    mem_free(g->held);
    mem_free(g->next);
    memset(g, 0, sizeof *g);
}
