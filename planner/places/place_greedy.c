#include "planner/places/place_greedy.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

/* A row that waits, and what it waits with. */
struct next {
    double value; /* per byte: what the second best home costs more; what a copy saves */
    uint32_t row;
    uint32_t place;
};

struct greedy {
    const struct place_problem *p;
    place_set *held;
    uint64_t room[PLACES_MAX];
    struct next *next; /* [waiting] */
    uint64_t waiting;
};

static bool before(const struct next *a, const struct next *b)
{
    return a->value > b->value || (a->value == b->value && a->row < b->row);
}

static int by_value(const void *x, const void *y) { return before(x, y) ? -1 : 1; }

static void put(struct greedy *g, uint32_t row, int place)
{
    g->held[row] |= (place_set)(1u << place);
    if (g->room[place] != UINT64_MAX) g->room[place] -= g->p->bytes[row];
}

/* ---- homes ---- */

/* The cheapest of the homes in `open` that has room for the row, and what the second cheapest costs more. False when
 * there is none. */
static bool best_home(const struct greedy *g, place_set open, uint32_t row, struct next *out)
{
    double least = INFINITY, second = INFINITY;
    bool any = false;
    *out = (struct next){.row = row};
    for (int k = 0; k < g->p->places; k++) {
        if (!(open >> k & 1) || g->p->bytes[row] > g->room[k]) continue;
        double cost = place_row_cost(g->p, row, (place_set)(1u << k));
        if (!any || cost < least) {
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
static uint64_t home_round(struct greedy *g, place_set *open)
{
    uint64_t left = 0;
    bool alone = !(*open & (*open - 1));
    qsort(g->next, g->waiting, sizeof *g->next, by_value);
    for (uint64_t i = 0; i < g->waiting; i++) {
        struct next x = g->next[i];
        bool closed = !(*open >> x.place & 1);
        if (!closed && g->p->bytes[x.row] <= g->room[x.place]) {
            put(g, x.row, (int)x.place);
            continue;
        }
        if (!closed && !alone) *open &= (place_set) ~(1u << x.place);
        g->next[left++] = x;
    }
    return left;
}

static enum st find_homes(struct greedy *g, struct err *err)
{
    enum st st = ST_OK;
    place_set open = g->p->homes;
    for (uint64_t i = 0; i < g->p->rows; i++) g->next[i].row = (uint32_t)i;
    g->waiting = g->p->rows;
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
        g->waiting = home_round(g, &open);
    }
done:
    return st;
}

/* ---- copies ---- */

/* The copy that saves most per byte where it fits. False when none saves anything. */
static bool best_copy(const struct greedy *g, uint32_t row, struct next *out)
{
    double now = place_row_cost(g->p, row, g->held[row]);
    *out = (struct next){.row = row};
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
static void sink(struct next *heap, uint64_t count, uint64_t at)
{
    for (;;) {
        uint64_t child = 2 * at + 1;
        struct next x = heap[at];
        if (child >= count) return;
        if (child + 1 < count && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &x)) return;
        heap[at] = heap[child];
        heap[child] = x;
        at = child;
    }
}

static void find_copies(struct greedy *g)
{
    struct next *heap = g->next;
    g->waiting = 0;
    for (uint64_t i = 0; i < g->p->rows; i++) g->waiting += best_copy(g, (uint32_t)i, &heap[g->waiting]);
    for (uint64_t i = g->waiting / 2; i-- > 0;) sink(heap, g->waiting, i);
    while (g->waiting) {
        struct next x = heap[0];
        if (g->p->bytes[x.row] <= g->room[x.place]) put(g, x.row, (int)x.place);
        if (!best_copy(g, x.row, &heap[0])) heap[0] = heap[--g->waiting];
        sink(heap, g->waiting, 0);
    }
}

enum st place_greedy(const struct place_problem *p, struct place_solution *out, struct err *err)
{
    enum st st;
    struct greedy g = {.p = p};
    NEW(g.held, p->rows, "the places of rows");
    NEW(g.next, p->rows + 1, "the order of rows");
    for (int k = 0; k < p->places; k++) g.room[k] = p->capacity[k];
    TRY(find_homes(&g, err));
    find_copies(&g);
    out->held = g.held;
    g.held = NULL;
    TRY(place_judge(p, out, err));
done:
    mem_free(g.held);
    mem_free(g.next);
    return st;
}
