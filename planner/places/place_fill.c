#include "planner/places/place_fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool before(const struct place_next *a, const struct place_next *b)
{
    return a->value > b->value || (a->value == b->value && a->row < b->row);
}

int place_next_order(const void *x, const void *y)
{
    const struct place_next *a = x, *b = y;
    return before(a, b) ? -1 : before(b, a);
}

void place_fill_put(struct place_filling *g, uint64_t row, int place)
{
    place_add(place_set_of(&g->s, row), place);
    if (g->room[place] != UINT64_MAX) g->room[place] -= place_bytes(g->p, place, row);
}

static bool has_home(const struct place_filling *g, uint64_t row)
{
    const uint8_t *set = place_set_of(&g->s, row);
    for (int k = 0; k < place_count(g->p); k++)
        if (place_is_home(g->p, k) && place_holds(set, k)) return true;
    return !place_needs_home(g->p, row);
}

/* ---- homes ---- */

/* The cheapest of the homes in `open` that has room for the row, of equal ones that with more room, and what the second
 * cheapest costs more. False when there is none. The row has no home; copies may be there. */
static bool best_home(const struct place_filling *g, const bool *open, uint32_t row, struct place_next *out)
{
    const struct place_problem *p = g->p;
    double least = INFINITY, second = INFINITY, own = 0;
    bool any = false;
    int node = -1, each = p->cliques + p->homes;
    uint8_t *set = place_set_of(&g->s, row);
    *out = (struct place_next){.row = row};
    for (int k = 0; k < place_count(p); k++) {
        if (!open[k] || p->bytes[row] > g->room[k]) continue;
        if (k / each != node) own = p->nodes > 1 ? place_node_cost(&g->t, row, k / each, set, true) : 0;
        node = k / each;
        place_add(set, k);
        double cost = place_node_cost(&g->t, row, node, set, false) - own; /* the others' reads cost the same */
        place_drop(set, k);
        bool roomier = any && !(cost > least) && g->room[k] > g->room[out->place];
        if (!any || cost < least || roomier) {
            second = least;
            least = cost;
            out->place = (uint32_t)k;
        } else if (cost < second) second = cost;
        any = true;
    }
    if (any) out->value = (second - least) / (double)p->bytes[row]; /* infinite: the only one */
    return any;
}

static int count_open(const struct place_filling *g, const bool *open)
{
    int count = 0;
    for (int k = 0; k < place_count(g->p); k++) count += open[k];
    return count;
}

static void open_homes(const struct place_filling *g, bool *open)
{
    for (int k = 0; k < place_count(g->p); k++) open[k] = place_is_home(g->p, k);
}

/* One round: the rows without a home in the order of what they lose, until one finds its place full. That place is
 * closed, unless it was the only one that was open: then smaller rows may still fit. Returns the rows that are left. */
static uint64_t home_round(struct place_filling *g, bool *open)
{
    uint64_t left = 0;
    bool alone = count_open(g, open) == 1;
    qsort(g->next, g->waiting, sizeof *g->next, place_next_order);
    for (uint64_t i = 0; i < g->waiting; i++) {
        struct place_next next = g->next[i];
        if (!(next.value > 0)) best_home(g, open, next.row, &next); /* of equal ones the one with more room now */
        bool closed = !open[next.place];
        if (!closed && g->p->bytes[next.row] <= g->room[next.place]) {
            place_fill_put(g, next.row, (int)next.place);
            continue;
        }
        if (!closed && !alone) open[next.place] = false;
        g->next[left++] = next;
    }
    return left;
}

enum st place_fill_homes(struct place_filling *g, struct err *err)
{
    bool open[PLACES_MAX], homes[PLACES_MAX];
    if (g->p->has_last && !g->p->topology_home) return ST_OK;
    open_homes(g, homes);
    open_homes(g, open);
    g->waiting = 0;
    for (uint64_t i = 0; i < g->p->rows; i++)
        if (!has_home(g, i)) g->next[g->waiting++].row = (uint32_t)i;
    while (g->waiting) {
        bool last = count_open(g, open) < 2;
        for (uint64_t i = 0; i < g->waiting; i++) {
            uint32_t row = g->next[i].row;
            /* at the end also closed homes, which may have room for small rows */
            if (best_home(g, open, row, &g->next[i]) || best_home(g, homes, row, &g->next[i])) continue;
            return err_set(err, ST_NO, "places: no home has %llu bytes left for row %llu; give the homes more memory",
                           (unsigned long long)g->p->bytes[row], (unsigned long long)row);
        }
        if (last) open_homes(g, open);
        const uint64_t waited = g->waiting;
        const int opened = count_open(g, open);
        g->waiting = home_round(g, open);
        /* all that wait fit closed homes only */
        if (g->waiting == waited && count_open(g, open) == opened) open_homes(g, open);
    }
    return ST_OK;
}

/* ---- copies ---- */

/* What the reads of a row cost in every node, as it is held; by whether another node has it. */
struct costs {
    double of[PLACES_MAX][2];
    int holders, holder; /* nodes whose homes have it; one of them */
    double if_first;     /* saved in all nodes when a home has it, the first one */
};

static void find_costs(const struct place_filling *g, uint32_t row, struct costs *costs)
{
    const struct place_problem *p = g->p;
    const uint8_t *set = place_set_of(&g->s, row);
    costs->holders = costs->holder = 0;
    costs->if_first = 0;
    for (int i = 0; i < p->nodes; i++) {
        int at = i * (p->cliques + p->homes) + p->cliques, has = 0;
        for (int s = 0; s < p->homes; s++) has |= place_holds(set, at + s);
        costs->holders += has;
        if (has) costs->holder = i;
        for (int e = 0; e < (p->nodes > 1 ? 2 : 1); e++) costs->of[i][e] = place_node_cost(&g->t, row, i, set, e);
        if (p->nodes > 1) costs->if_first += costs->of[i][0] - costs->of[i][1];
    }
}

/* What one more copy on place k saves. */
static double saving(const struct place_filling *g, uint32_t row, const struct costs *costs, int k)
{
    const struct place_problem *p = g->p;
    uint8_t *set = place_set_of(&g->s, row);
    int node = k / (p->cliques + p->homes);
    bool elsewhere = p->nodes > 1 && costs->holders > (costs->holders == 1 && costs->holder == node);
    place_add(set, k);
    double saved = costs->of[node][elsewhere] - place_node_cost(&g->t, row, node, set, elsewhere);
    place_drop(set, k);
    if (p->nodes > 1 && place_is_home(p, k)) {
        if (!costs->holders) saved += costs->if_first - (costs->of[node][0] - costs->of[node][1]);
        if (costs->holders == 1 && costs->holder != node)
            saved += costs->of[costs->holder][0] - costs->of[costs->holder][1];
    }
    return saved;
}

/* The copy that saves most per byte where it fits. False when none saves anything. */
static bool best_copy(const struct place_filling *g, uint32_t row, struct place_next *out)
{
    const uint8_t *set = place_set_of(&g->s, row);
    struct costs costs;
    find_costs(g, row, &costs);
    *out = (struct place_next){.row = row};
    for (int k = 0; k < place_count(g->p); k++) {
        if (place_holds(set, k) || place_bytes(g->p, k, row) > g->room[k]) continue;
        double saved = saving(g, row, &costs, k) / (double)place_bytes(g->p, k, row);
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
        struct place_next next = heap[at];
        if (child >= count) return;
        if (child + 1 < count && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &next)) return;
        heap[at] = heap[child];
        heap[child] = next;
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
        struct place_next next = heap[0];
        if (place_bytes(g->p, (int)next.place, next.row) <= g->room[next.place])
            place_fill_put(g, next.row, (int)next.place);
        if (!best_copy(g, next.row, &heap[0])) heap[0] = heap[--g->waiting];
        sink(heap, g->waiting, 0);
    }
}

/* ---- begin and end ---- */

enum st place_fill_begin(const struct place_problem *p, struct place_filling *g, struct err *err)
{
    *g = (struct place_filling){.p = p, .s.stride = place_stride(p)};
    PASS(place_table_make(p, &g->t, err));
    MAKE(g->s.held, p->rows * (uint64_t)g->s.stride + 1, "the places of rows");
    MAKE(g->next, p->rows + 1, "the order of rows");
    memcpy(g->room, p->capacity, sizeof g->room);
    return ST_OK;
}

enum st place_fill_end(struct place_filling *g, struct place_solution *out, struct err *err)
{
    *out = g->s;
    g->s = (struct place_solution){0};
    return place_judge(g->p, out, err);
}

void place_fill_release(struct place_filling *g)
{
    place_table_release(&g->t);
    place_solution_release(&g->s);
    mem_free(g->next);
    memset(g, 0, sizeof *g);
}

enum st place_greedy(const struct place_problem *p, struct place_solution *out, struct err *err)
{
    enum st st;
    ON_HEAP(struct place_filling, g);
    TRY(place_fill_begin(p, g, err));
    TRY(place_fill_homes(g, err));
    place_fill_copies(g);
    TRY(place_fill_end(g, out, err));
done:
    place_fill_release(g);
    return st;
}
