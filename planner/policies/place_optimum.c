#include "planner/policies/place_optimum.h"

#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"
#include "traces/recording/trace_rows.h"

enum { PASSES = 8 };

/* One component while its rows are placed. Items as in blocks.h. */
struct placing {
    const struct policy_input *in;
    struct plan *plan; /* its lists get the rows */
    const struct reach *r;
    const struct items *items;
    const struct component *x;
    const struct blocks *blocks;
    int index;                       /* of the component */
    double *miss;                    /* [patterns][cliques] weighted shares that still read from the host */
    uint16_t *state, *wish;          /* [items] pattern of an item, and the one it would move to */
    uint8_t *owner[SERVER_GPUS_MAX]; /* [items] GPU within a pool of several */
    int pool_gpu[SERVER_GPUS_MAX];   /* the GPU of a pool of one; -1: several */
    uint64_t *key;                   /* [items] */
    uint32_t *order;                 /* [items] */
    uint64_t *room;                  /* [gpus] bytes */
};

/* ---- room ---- */

static uint64_t pool_room(const struct placing *w, int k)
{
    uint64_t most = 0;
    for (int g = 0; g < w->r->gpus; g++)
        if (w->r->pool_of[g] == k && w->room[g] > most) most = w->room[g];
    return most;
}

/* How often GPU g was recorded to read the item: the GPU of a pool that reads it most gets it. */
static uint64_t heat_of(const struct policy_input *in, int g, uint64_t x)
{
    return in->trace ? trace_item_heat(in->trace, in->graph, x, g) : 0;
}

/* The GPU of pool k that reads the item most, among those with room; -1: none. */
static int choose_gpu(const struct placing *w, int k, uint64_t x, uint64_t bytes)
{
    int best = -1;
    uint64_t top = 0;
    for (int g = 0; g < w->r->gpus; g++) {
        if (w->r->pool_of[g] != k || w->room[g] < bytes) continue;
        uint64_t hot = heat_of(w->in, g, x);
        if (best < 0 || hot > top || (hot == top && w->room[g] > w->room[best])) {
            best = g;
            top = hot;
        }
    }
    return best;
}

static int gpu_of(const struct placing *w, int k, uint64_t x)
{
    return w->pool_gpu[k] >= 0 ? w->pool_gpu[k] : w->owner[k][x];
}

/* Gives item x pattern p: copies that it has beyond it are dropped, new ones taken. False, and nothing done, when a
 * pool has no room. */
static bool move(struct placing *w, uint64_t x, int p)
{
    pool_set now = w->x->pattern[w->state[x]].pools, next = w->x->pattern[p].pools, more = next & ~now;
    uint64_t bytes = items_bytes(w->items, x);
    int gpu[SERVER_GPUS_MAX];
    for (int k = 0; k < w->r->pools; k++)
        if (more >> k & 1 && (gpu[k] = choose_gpu(w, k, x, bytes)) < 0) return false;
    for (int k = 0; k < w->r->pools; k++) {
        if (now >> k & 1 && !(next >> k & 1)) w->room[gpu_of(w, k, x)] += bytes;
        if (!(more >> k & 1)) continue;
        w->room[gpu[k]] -= bytes;
        if (w->pool_gpu[k] < 0) w->owner[k][x] = (uint8_t)gpu[k];
    }
    w->state[x] = (uint16_t)p;
    return true;
}

/* ---- shares to rows ---- */

static enum st sort_by_density(struct placing *w, struct err *err)
{
    uint64_t all = items_count(w->items);
#pragma omp parallel for num_threads(w->in->threads)
    for (uint64_t x = 0; x < all; x++) {
        uint64_t top = 0, bytes = items_bytes(w->items, x);
        for (int c = 0; c < w->blocks->cliques; c++) {
            uint64_t rate = items_rate(w->items, w->blocks->clique[c], x);
            if (rate > top) top = rate;
        }
        w->key[x] = bytes <= w->blocks->largest ? density_key((double)top * 0x1p-20, bytes) : 0;
    }
    return w->in->kernels->sort_hottest(w->in->threads, w->key, all, w->order, err);
}

/* Bytes of every share, and where a block's shares begin. */
static void set_quotas(const struct placing *w, const struct optimum *o, double *whole, int *first)
{
    for (int b = 0, s = 0; b <= w->blocks->count; b++) {
        while (s < o->shares &&
               (o->share[s].component < w->index || (o->share[s].component == w->index && o->share[s].block < b)))
            s++;
        first[b] = s;
    }
    for (int s = first[0]; s < first[w->blocks->count]; s++)
        whole[s] = o->share[s].share * (double)w->blocks->bytes[o->share[s].block];
}

/* The share of which most is left, in proportion: patterns of one block take turns, so that GPUs which are alike get
 * rows that are alike. */
static int next_share(const double *left, const double *whole, int from, int to, double least)
{
    int best = -1;
    for (int s = from; s < to; s++)
        if (left[s] >= least && (best < 0 || left[s] * whole[best] > left[best] * whole[s])) best = s;
    return best;
}

static enum st deal_shares(struct placing *w, const struct optimum *o, struct err *err)
{
    OWNED_NEW(double, left, o->shares + 1, "shares of blocks");
    OWNED_NEW(int, first, w->blocks->count + 1, "shares of blocks");
    OWNED_NEW(double, whole, o->shares + 1, "shares of blocks");
    set_quotas(w, o, whole, first);
    memcpy(left, whole, (size_t)o->shares * sizeof *left);
    for (uint64_t i = 0; i < items_count(w->items) && w->key[w->order[i]]; i++) {
        uint64_t x = w->order[i];
        double bytes = (double)items_bytes(w->items, x);
        int b = blocks_find(w->blocks, w->items, x),
            s = b < 0 ? -1 : next_share(left, whole, first[b], first[b + 1], bytes / 2);
        if (s < 0) continue;
        left[s] -= bytes;
        if (o->share[s].pattern) (void)move(w, x, o->share[s].pattern); /* what does not fit waits for the next stage */
    }
    return ST_OK;
}

/* ---- what is left of the room ---- */

static double reads(const struct placing *w, int p, const double *rate)
{
    double sum = 0;
    for (int c = 0; c < w->blocks->cliques; c++) sum += w->miss[p * w->blocks->cliques + c] * rate[c];
    return sum;
}

/* The pattern with most spared per added byte among those that fit by themselves; its worth per byte, 0: none. */
static double best_move(const struct placing *w, const uint64_t *room, uint64_t x, uint16_t *to)
{
    double rate[SERVER_GPUS_MAX], best = 0, now;
    uint64_t bytes = items_bytes(w->items, x);
    pool_set have = w->x->pattern[w->state[x]].pools, fits = 0;
    for (int k = 0; k < w->r->pools; k++)
        if (w->r->component_of[k] == w->index && room[k] >= bytes) fits |= (pool_set)1 << k;
    if (!(fits & ~have)) return 0;
    for (int c = 0; c < w->blocks->cliques; c++)
        rate[c] = (double)items_rate(w->items, w->blocks->clique[c], x) * 0x1p-20;
    now = reads(w, w->state[x], rate);
    if (!(now > 0)) return 0;
    for (int p = 1; p < w->x->patterns; p++) {
        pool_set more = w->x->pattern[p].pools & ~have;
        if (!more || more & ~fits) continue;
        int copies = __builtin_popcountll((uint64_t)more) + __builtin_popcountll((uint64_t)(more >> 64));
        double worth = (now - reads(w, p, rate)) / ((double)bytes * copies);
        if (worth <= best) continue;
        best = worth;
        *to = (uint16_t)p;
    }
    return best;
}

/* One round of moves, the most worthy first; *moved: how many were made. */
static enum st improve(struct placing *w, uint64_t *moved, struct err *err)
{
    uint64_t all = items_count(w->items), room[SERVER_GPUS_MAX];
    for (int k = 0; k < w->r->pools; k++) room[k] = pool_room(w, k);
#pragma omp parallel for num_threads(w->in->threads) schedule(dynamic, 4096)
    for (uint64_t x = 0; x < all; x++) w->key[x] = density_key(best_move(w, room, x, &w->wish[x]), 1);
    PASS(w->in->kernels->sort_hottest(w->in->threads, w->key, all, w->order, err));
    *moved = 0;
    for (uint64_t i = 0; i < all && w->key[w->order[i]]; i++) *moved += move(w, w->order[i], w->wish[w->order[i]]);
    return ST_OK;
}

/* ---- one component ---- */

static enum st emit(struct placing *w, struct err *err)
{
    uint64_t all = items_count(w->items);
    PASS(sort_by_density(w, err));
    for (uint64_t i = 0; i < all && w->key[w->order[i]]; i++) {
        uint64_t x = w->order[i];
        pool_set held = w->x->pattern[w->state[x]].pools;
        for (int k = 0; held && k < w->r->pools; k++) {
            if (!(held >> k & 1)) continue;
            PASS(placement_add(&w->plan->placement, w->in->graph, gpu_of(w, k, x), x, err));
        }
    }
    return ST_OK;
}

static void set_misses(struct placing *w, const struct optimum *o)
{
    int cliques = w->blocks->cliques;
    for (int p = 0; p < w->x->patterns; p++)
        for (int i = 0; i < w->x->groups; i++) {
            int q = w->x->group[i], c = 0;
            while (w->blocks->clique[c] != w->r->clique_of_group[q]) c++;
            w->miss[p * cliques + c] += w->x->pattern[p].miss[i] * o->weight[w->r->switch_of_group[q]];
        }
}

static enum st new_owners(struct placing *w, struct err *err)
{
    for (int k = 0; k < w->r->pools; k++) {
        int members = 0;
        for (int g = 0; g < w->r->gpus; g++) {
            if (w->r->pool_of[g] != k) continue;
            w->pool_gpu[k] = members++ ? -1 : g;
        }
        if (w->r->component_of[k] == w->index && w->pool_gpu[k] < 0)
            MAKE(w->owner[k], items_count(w->items), "owners of rows");
    }
    return ST_OK;
}

static enum st place_component(struct placing *w, const struct optimum *o, struct err *err)
{
    enum st st;
    uint64_t moved = 1;
    memset(w->state, 0, items_count(w->items) * sizeof *w->state);
    NEW(w->miss, w->x->patterns * w->blocks->cliques, "patterns of copies");
    set_misses(w, o);
    TRY(new_owners(w, err));
    TRY(sort_by_density(w, err));
    TRY(deal_shares(w, o, err));
    for (int pass = 0; pass < PASSES && moved; pass++) TRY(improve(w, &moved, err));
    TRY(emit(w, err));
done:
    mem_free(w->miss);
    w->miss = NULL;
    for (int k = 0; k < w->r->pools; k++) {
        mem_free(w->owner[k]);
        w->owner[k] = NULL;
    }
    return st;
}

enum st optimum_place(const struct policy_input *in, const struct reach *r, const struct items *items,
                      const struct optimum *optimum, struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    uint64_t room[GPUS_MAX], all = items_count(items);
    struct placing w = {.in = in, .plan = plan, .r = r, .items = items, .room = room};
    memcpy(room, plan->budget, sizeof room);
    NEW(w.state, all, "patterns of rows");
    NEW(w.wish, all, "patterns of rows");
    NEW(w.key, all, "densities");
    NEW(w.order, all, "an order of rows");
    for (int i = 0; i < r->components; i++) {
        w.index = i;
        w.x = &r->component[i];
        w.blocks = &optimum->blocks[i];
        TRY(place_component(&w, optimum, err));
    }
done:
    mem_free(w.state);
    mem_free(w.wish);
    mem_free(w.key);
    mem_free(w.order);
    return st;
}
