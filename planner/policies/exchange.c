#include "planner/policies/exchange.h"

#include <string.h>

#include "base/mem.h"
#include "planner/hotness/reader_shares.h"

enum { ROWS_MOST = 512, GPUS_MOST = 16, PASSES_MOST = 64 };

/* Who holds what: bit g of held[x], and the bytes that are left. */
struct holding {
    uint32_t held[ROWS_MOST];
    uint64_t room[GPUS_MOST];
};

struct exchange {
    int rows, gpus;
    uint32_t serves[GPUS_MOST];          /* bit i: a copy on the GPU serves GPU i */
    uint64_t bytes[ROWS_MOST];           /* UINT64_MAX of a row that may not be held */
    uint64_t rate[ROWS_MOST][GPUS_MOST]; /* transactions per epoch in units of 2^-20 */
    struct holding now, next;
};

/* ---- what rows save ---- */

static uint32_t served(const struct exchange *e, uint32_t held)
{
    uint32_t all = 0;
    for (; held; held &= held - 1) all |= e->serves[__builtin_ctz(held)];
    return all;
}

static uint64_t rate_of(const struct exchange *e, int x, uint32_t readers)
{
    uint64_t sum = 0;
    for (; readers; readers &= readers - 1) sum += e->rate[x][__builtin_ctz(readers)];
    return sum;
}

/* What a copy on g adds to those on `others`. */
static uint64_t worth(const struct exchange *e, int x, int g, uint32_t others)
{
    return rate_of(e, x, e->serves[g] & ~served(e, others));
}

/* What is saved; of equal placements, how far the room that is left lies together, so that a larger row may fit. */
struct value {
    uint64_t saved;
    double together;
};

static struct value value_of(const struct exchange *e, const struct holding *h)
{
    struct value v = {0, 0};
    for (int x = 0; x < e->rows; x++) v.saved += rate_of(e, x, served(e, h->held[x]));
    for (int g = 0; g < e->gpus; g++) v.together += (double)h->room[g] * (double)h->room[g];
    return v;
}

static bool exceeds(struct value a, struct value b)
{
    return a.saved > b.saved || (a.saved == b.saved && a.together > b.together);
}

/* a / m > b / n. */
static bool denser(uint64_t a, uint64_t m, uint64_t b, uint64_t n)
{
    return (unsigned __int128)a * n > (unsigned __int128)b * m;
}

/* ---- moves ---- */

static void take(const struct exchange *e, struct holding *h, int x, int g)
{
    h->held[x] |= 1u << g;
    h->room[g] -= e->bytes[x];
}

static void drop(const struct exchange *e, struct holding *h, int x, int g)
{
    h->held[x] &= ~(1u << g);
    h->room[g] += e->bytes[x];
}

/* The row on g, other than `kept`, that saves least per byte; -1: none. */
static int least_dense(const struct exchange *e, const struct holding *h, int g, int kept)
{
    int least = -1;
    uint64_t of_least = 0;
    for (int x = 0; x < e->rows; x++) {
        if (x == kept || !(h->held[x] >> g & 1)) continue;
        uint64_t w = worth(e, x, g, h->held[x] & ~(1u << g));
        if (least >= 0 && !denser(of_least, e->bytes[least], w, e->bytes[x])) continue;
        least = x;
        of_least = w;
    }
    return least;
}

/* Fills g with what saves most per byte of what fits; not with `without`. */
static void fill(const struct exchange *e, struct holding *h, int g, int without)
{
    for (int best = 0; best >= 0;) {
        uint64_t most = 0;
        best = -1;
        for (int x = 0; x < e->rows; x++) {
            if (x == without || h->held[x] >> g & 1 || e->bytes[x] > h->room[g]) continue;
            uint64_t w = worth(e, x, g, h->held[x]);
            if (!w || (best >= 0 && !denser(w, e->bytes[x], most, e->bytes[best]))) continue;
            best = x;
            most = w;
        }
        if (best >= 0) take(e, h, best, g);
    }
}

/* All GPUs: first the one whose rows changed. */
static void fill_all(const struct exchange *e, struct holding *h, int first)
{
    fill(e, h, first, -1);
    for (int g = 0; g < e->gpus; g++)
        if (g != first) fill(e, h, g, -1);
}

/* Into e->next: with row x forced on g, or without it where g holds it. False: it does not fit. */
static bool try_move(struct exchange *e, int x, int g, uint64_t budget)
{
    struct holding *h = &e->next;
    if (e->bytes[x] > budget) return false;
    *h = e->now;
    if (h->held[x] >> g & 1) {
        drop(e, h, x, g);
        fill(e, h, g, x);
    } else {
        if (!rate_of(e, x, e->serves[g])) return false;
        for (int y; h->room[g] < e->bytes[x] && (y = least_dense(e, h, g, x)) >= 0;) drop(e, h, y, g);
        take(e, h, x, g);
        /* a copy elsewhere that now serves nobody makes room there */
        for (int k = 0; k < e->gpus; k++)
            if (k != g && h->held[x] >> k & 1 && !worth(e, x, k, h->held[x] & ~(1u << k))) drop(e, h, x, k);
    }
    fill_all(e, h, g);
    return true;
}

/* One pass over all moves; whether one was made. */
static bool improve(struct exchange *e, const uint64_t *budget, struct value *best)
{
    bool any = false;
    for (int x = 0; x < e->rows; x++)
        for (int g = 0; g < e->gpus; g++) {
            if (!try_move(e, x, g, budget[g])) continue;
            struct value then = value_of(e, &e->next);
            if (!exceeds(then, *best)) continue;
            *best = then;
            e->now = e->next;
            any = true;
        }
    return any;
}

/* ---- in and out ---- */

static void set_rates(const struct policy_input *in, struct exchange *e)
{
    const struct assignment *a = &in->trace->assignment;
    const uint64_t lists = graph_topology_rows(in->graph);
    for (uint64_t x = 0; x < (uint64_t)e->rows; x++) {
        const bool topology = x < lists;
        const uint64_t v = topology ? x : x - lists;
        uint64_t count[GPUS_MAX], sum = reader_counts(in->graph, in->trace, topology, v, count);
        uint32_t share[GPUS_MAX];
        for (int c = 0; c < a->cliques; c++)
            reader_shares_counted(in->trace, in->estimates[c].readers, c, topology, count, sum, share);
        for (int g = 0; g < e->gpus; g++) {
            const struct estimates *of = &in->estimates[a->clique_of[g]];
            double rate = (double)(topology ? of->topology[v] * policy_list_price(in) : of->feature[v]) * share[g] / READER_UNITS;
            e->rate[x][g] = rate > 0 ? (uint64_t)(rate * 0x1p20) : 0;
        }
        e->bytes[x] = graph_item_bytes(in->graph, x);
        if (!e->bytes[x]) e->bytes[x] = UINT64_MAX;
    }
}

/* kind 0: features. */
static struct row_list *list_of(struct placement *p, int g, int kind)
{
    return kind ? &p->topology[g] : &p->feature[g];
}

static void set_holding(const struct policy_input *in, struct plan *plan, struct exchange *e)
{
    struct placement *p = &plan->placement;
    memcpy(e->now.room, plan->budget, sizeof e->now.room);
    for (int g = 0; g < e->gpus; g++) {
        e->serves[g] |= 1u << g;
        for (int i = 0; i < p->peers[g]; i++) e->serves[p->peer[g][i]] |= 1u << g;
        for (int kind = 0; kind < 2; kind++)
            for (uint64_t i = 0; i < list_of(p, g, kind)->count; i++)
                take(e, &e->now, (int)((kind ? 0 : graph_topology_rows(in->graph)) + list_of(p, g, kind)->id[i]), g);
    }
}

/* Rows that left leave the lists, those that came follow at the end. */
static enum st set_lists(const struct policy_input *in, struct exchange *e, struct plan *plan, struct err *err)
{
    struct placement *p = &plan->placement;
    for (int g = 0; g < e->gpus; g++) {
        for (int kind = 0; kind < 2; kind++) {
            struct row_list *l = list_of(p, g, kind);
            uint64_t kept = 0, first = kind ? 0 : graph_topology_rows(in->graph);
            for (uint64_t i = 0; i < l->count; i++) {
                uint32_t *held = &e->now.held[first + l->id[i]];
                if (*held >> g & 1) l->id[kept++] = l->id[i];
                *held &= ~(1u << g); /* what is left has come */
            }
            l->count = kept;
        }
        for (int x = 0; x < e->rows; x++)
            if (e->now.held[x] >> g & 1) PASS(placement_add(p, in->graph, g, (uint64_t)x, err));
    }
    return ST_OK;
}

enum st exchange_rows(const struct policy_input *in, struct plan *plan, struct err *err)
{
    const int gpus = plan->assignment.gpus;
    if (!in->trace || policy_no_topology(in) || in->no_edges || gpus > GPUS_MOST || graph_items(in->graph) > ROWS_MOST)
        return ST_OK;
    OWNED_NEW(struct exchange, e, 1, "the exchange of rows");
    e->rows = (int)graph_items(in->graph);
    e->gpus = gpus;
    set_rates(in, e);
    set_holding(in, plan, e);
    struct value best = value_of(e, &e->now);
    bool any = false;
    for (int pass = 0; pass < PASSES_MOST && improve(e, plan->budget, &best); pass++) any = true;
    return any ? set_lists(in, e, plan, err) : ST_OK;
}
