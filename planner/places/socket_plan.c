#include "planner/places/socket_plan.h"

#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/places/place_solve.h"
#include "planner/policies/density.h"

enum { PAGE_BYTES = 4096 };

const char *socket_way_name(enum socket_way w)
{
    static const char *const names[] = {"interleave", "replicate", "place"};
    return names[w];
}

void socket_plan_release(struct socket_plan *p)
{
    for (int w = 0; w < SOCKET_WAYS; w++) {
        if (p->way[w]) plan_places_release(p->way[w]);
        mem_free(p->way[w]);
    }
    memset(p, 0, sizeof *p);
}

/* Rows are items (traces/graph/rows.h). */
struct work {
    const struct socket_request *r;
    uint64_t lists, items, total; /* rows of topology, and all; total: bytes of all rows */
    uint64_t *bytes;              /* [items] */
    float *demand[SOCKETS_MAX];   /* [items] expected bytes per epoch by the readers of a socket */
    uint8_t *page;                /* [items] the socket of the row when pages are interleaved */
    uint64_t room[SOCKETS_MAX];   /* what that leaves of each socket */
};

static void work_release(struct work *w)
{
    mem_free(w->bytes);
    mem_free(w->page);
    for (int s = 0; s < SOCKETS_MAX; s++) mem_free(w->demand[s]);
}

static void add_reads(const struct place_source *h, const struct estimates *e, int g, bool topology,
                      const uint8_t *where, void *to)
{
    struct work *w = to;
    float *demand = w->demand[w->r->socket_of[g]] + (topology ? 0 : w->lists), line = (float)h->line_bytes;
    const float *lines = topology ? e->topology : e->feature;
#pragma omp parallel for num_threads(h->threads)
    for (uint64_t v = 0; v < (topology ? w->lists : w->items - w->lists); v++)
        if (!where[v] && lines[v] > 0) demand[v] += line * lines[v] * place_reads_share(h, e, g, topology, v);
}

static enum st check_room(const struct work *w, struct err *err)
{
    char needs[UNIT_TEXT], more[UNIT_TEXT], has[UNIT_TEXT];
    uint64_t room = 0, largest = 0, split;
    for (int s = 0; s < w->r->sockets; s++) room += w->r->capacity[s];
    for (uint64_t i = 0; i < w->items; i++) largest = w->bytes[i] > largest ? w->bytes[i] : largest;
    split = largest * (uint64_t)(w->r->sockets - 1); /* the ends of sockets may stay free */
    if (room >= w->total + split) return ST_OK;
    return err_set(err, ST_NO,
                   "topology and features take %s, and up to %s more because rows are not split, but the DRAM of %d "
                   "sockets holds %s; give more --host-memory, or plan SSDs below it with 'hotset storage'",
                   units_bytes(needs, w->total), units_bytes(more, split), w->r->sockets, units_bytes(has, room));
}

/* Pages in turn; a row whose socket is full is on the next one with room (check_room: there is one). */
static void turn_pages(struct work *w)
{
    uint64_t at = 0, sockets = (uint64_t)w->r->sockets;
    memcpy(w->room, w->r->capacity, sizeof w->room);
    for (uint64_t i = 0; i < w->items; i++) {
        uint64_t s = at / PAGE_BYTES % sockets;
        while (w->bytes[i] > w->room[s]) s = (s + 1) % sockets;
        w->room[s] -= w->bytes[i];
        w->page[i] = (uint8_t)s;
        at += w->bytes[i];
    }
}

static enum st work_make(const struct socket_request *r, struct work *w, struct err *err)
{
    const struct graph *g = r->reads.graph;
    *w = (struct work){.r = r, .lists = graph_topology_rows(g), .items = graph_items(g)};
    MAKE(w->bytes, w->items, "the bytes of rows");
    MAKE(w->page, w->items, "the pages of rows");
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        for (uint64_t i = 0; i < t.count; i++) w->total += w->bytes[t.first + i] = row_table_host_bytes(g, &t, i);
    }
    PASS(check_room(w, err));
    turn_pages(w);
    for (int s = 0; s < r->sockets; s++) MAKE(w->demand[s], w->items, "the reads of sockets");
    return place_reads_each(&r->reads, add_reads, w, err);
}

/* Sockets as places: those of another socket cost 1. */
static enum st new_places(const struct work *w, struct plan_places **out, struct err *err)
{
    MAKE(*out, 1, "the sockets of rows");
    (*out)->places = (*out)->readers = w->r->sockets;
    (*out)->nodes = 1;
    memcpy((*out)->reader_of, w->r->socket_of, sizeof w->r->socket_of);
    for (int a = 0; a < w->r->sockets; a++) {
        (*out)->place[a] = (struct place){.kind = PLACE_KIND_DRAM,
                                          .socket = w->r->number[a],
                                          .capacity = w->r->capacity[a]};
        for (int b = 0; b < w->r->sockets; b++)
            (*out)->cost[LIST_TOPOLOGY][a][b] = (*out)->cost[LIST_FEATURE][a][b] = a != b;
    }
    return ST_OK;
}

/* Takes a layout over: sets of sockets (a byte per row), bytes, and expected bytes between sockets. */
static enum st take(const struct work *w, enum socket_way way, const uint8_t *held, struct socket_plan *out,
                    struct err *err)
{
    PASS(new_places(w, &out->way[way], err));
    for (uint64_t i = 0; i < w->items; i++)
        for (int s = 0; s < w->r->sockets && w->bytes[i]; s++) { /* rows of no bytes are not there */
            enum list_kind kind = i < w->lists ? LIST_TOPOLOGY : LIST_FEATURE;
            if (!(held[i] >> s & 1)) out->crossing[way] += (double)w->demand[s][i];
            else {
                out->used[way][s] += w->bytes[i];
                PASS(row_list_add(&out->way[way]->list[kind][s], (uint32_t)(i < w->lists ? i : i - w->lists), err));
            }
        }
    return ST_OK;
}

/* Puts row i on all sockets, if each of them has room. */
static void copy_everywhere(const struct work *w, uint64_t i, uint64_t room[SOCKETS_MAX], uint8_t *held)
{
    for (int s = 0; s < w->r->sockets; s++)
        if (!(*held >> s & 1) && w->bytes[i] > room[s]) return;
    for (int s = 0; s < w->r->sockets; s++)
        if (!(*held >> s & 1)) room[s] -= w->bytes[i];
    *held = (uint8_t)((1u << w->r->sockets) - 1);
}

/* Interleaved, with the hottest rows on all sockets where `copies`. */
static enum st lay_pages(const struct work *w, bool copies, struct socket_plan *out, struct err *err)
{
    const uint64_t items = w->items;
    OWNED uint64_t *key = NULL;
    OWNED uint32_t *order = NULL;
    OWNED_NEW(uint8_t, held, items, "the sockets of rows");
    for (uint64_t i = 0; i < items; i++) held[i] = (uint8_t)(1u << w->page[i]);
    if (copies) {
        uint64_t room[SOCKETS_MAX];
        memcpy(room, w->room, sizeof room);
        MAKE(key, items, "the order of rows");
        MAKE(order, items, "the order of rows");
        for (uint64_t i = 0; i < items; i++) {
            double sum = 0;
            for (int s = 0; s < w->r->sockets; s++) sum += (double)w->demand[s][i];
            key[i] = density_key(sum, w->bytes[i]);
        }
        PASS(w->r->reads.kernels->sort_hottest(w->r->reads.threads, key, items, order, err));
        for (uint64_t k = 0; k < items && key[order[k]]; k++) copy_everywhere(w, order[k], room, &held[order[k]]);
    }
    return take(w, copies ? SOCKETS_REPLICATE : SOCKETS_INTERLEAVE, held, out, err);
}

static enum st lay_by_readers(const struct work *w, struct socket_plan *out, struct err *err)
{
    enum st st;
    ON_HEAP(struct place_solution, s);
    ON_HEAP(struct place_prices, prices);
    const float *demand[SOCKETS_MAX];
    ON_HEAP(struct place_problem, p);
    *p = (struct place_problem){.rows = w->items,
                                .topology_rows = w->lists,
                                .bytes = w->bytes,
                                .nodes = 1,
                                .sockets = w->r->sockets,
                                .readers = w->r->sockets,
                                .demand = demand};
    for (int a = 0; a < w->r->sockets; a++) {
        demand[a] = w->demand[a];
        p->clique_of[a] = -1;
        p->capacity[a] = w->r->capacity[a];
        for (int b = 0; b < w->r->sockets; b++) p->dram[PLACE_TOPOLOGY][a][b] = p->dram[PLACE_FEATURE][a][b] = a != b;
    }
    TRY(place_check(p, err));
    TRY(place_solve(p, NULL, w->r->reads.threads, s, prices, err));
    out->bound = prices->value > 0 ? prices->value : 0;
    TRY(take(w, SOCKETS_PLACE, s->held, out, err));
done:
    place_solution_release(s);
    return st;
}

enum st socket_plan_make(const struct socket_request *r, struct socket_plan *out, struct err *err)
{
    enum st st;
    ON_HEAP(struct work, w);
    TRY(work_make(r, w, err));
    TRY(lay_pages(w, false, out, err));
    TRY(lay_pages(w, true, out, err));
    TRY(lay_by_readers(w, out, err));
done:
    work_release(w);
    return st;
}
