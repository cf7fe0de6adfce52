#include "planner/tiers/tier_lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "planner/hotness/reader_shares.h"
#include "planner/places/place_fill.h"

void tier_lists_release(struct tier_lists *l)
{
    for (int g = 0; g < l->gpus; g++) {
        mem_free(l->topology[g].id);
        mem_free(l->feature[g].id);
    }
    memset(l, 0, sizeof *l);
}

static int by_value(const void *x, const void *y)
{
    const struct place_next *a = x, *b = y;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* One clique's place while its rows are dealt. */
struct dealing {
    const struct tier_request *r;
    const struct tier_place *place;
    const struct trace *trace;
    uint64_t n, room[SERVER_GPUS_MAX]; /* of the server's GPUs */
    struct tier_lists *out;
};

static int position_of(const struct dealing *d, int g) { return d->place->node * d->r->server->gpus + g; }

/* The server's GPU that takes the row; -1: none has room. */
static int choose_gpu(const struct dealing *d, uint64_t row, uint64_t bytes)
{
    const struct server *s = d->r->server;
    bool topology = row < d->n;
    int best = -1, roomiest = -1;
    uint64_t most = 0;
    for (int i = 0; i < s->clique_size[d->place->clique]; i++) {
        int g = s->clique[d->place->clique][i];
        uint64_t reads = reader_vertex_count(d->trace, position_of(d, g), topology, topology ? row : row - d->n);
        if (bytes > d->room[g]) continue;
        if (roomiest < 0 || d->room[g] > d->room[roomiest]) roomiest = g;
        if (reads <= most) continue;
        most = reads;
        best = g;
    }
    return best >= 0 ? best : roomiest;
}

static enum st deal_row(struct dealing *d, uint64_t row, uint64_t bytes, bool *fits, struct err *err)
{
    int g = choose_gpu(d, row, bytes);
    *fits = g >= 0;
    if (g < 0) return ST_OK;
    d->room[g] -= bytes;
    struct row_list *to = row < d->n ? &d->out->topology[position_of(d, g)] : &d->out->feature[position_of(d, g)];
    return row_list_add(to, (uint32_t)(row < d->n ? row : row - d->n), err);
}

enum st tier_lists_make(const struct tier_request *r, const struct tier_machine *m, const struct place_problem *p,
                        const struct trace *t, struct place_solution *s, struct tier_lists *out, struct err *err)
{
    enum st st = ST_OK;
    struct place_next *next = NULL;
    out->gpus = r->nodes * r->server->gpus;
    NEW(next, p->rows + 1, "the order of rows");
    for (int k = 0; k < m->places; k++) {
        struct dealing d = {.r = r, .place = &m->place[k], .trace = t, .n = p->rows / 2, .out = out};
        place_set bit = (place_set)(1u << k);
        uint64_t count = 0;
        if (m->place[k].kind != TIER_GPUS) continue;
        memcpy(d.room, r->budget, sizeof d.room);
        for (uint64_t i = 0; i < p->rows; i++) {
            if (!(s->held[i] & bit)) continue;
            double saves = place_row_cost(p, i, s->held[i] & (place_set)~bit) - place_row_cost(p, i, s->held[i]);
            next[count++] = (struct place_next){.value = saves / (double)p->bytes[i], .row = (uint32_t)i};
        }
        qsort(next, count, sizeof *next, by_value);
        for (uint64_t i = 0; i < count; i++) {
            bool fits;
            TRY(deal_row(&d, next[i].row, p->bytes[next[i].row], &fits, err));
            if (!fits) s->held[next[i].row] &= (place_set)~bit;
        }
    }
    TRY(place_judge(p, s, err));
done:
    mem_free(next);
    return st;
}
