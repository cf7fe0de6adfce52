#include "planner/partition/locality.h"

#include <string.h>

#include "base/mem.h"
#include "planner/partition/coarsen.h"
#include "planner/partition/multilevel.h"
#include "traces/sampling/bfs.h"

enum { LEVELS_MOST = 16, GROWTH = 4, SEED = 1 };

void locality_release(struct locality *l)
{
    if (!l->borrowed_along) mem_free(l->along);
    if (!l->borrowed_searched) mem_free(l->searched);
    mem_free(l->community);
    memset(l, 0, sizeof *l);
}

/* The same clusters as multilevel parts (multilevel_bytes), and the maps between all levels, places and communities. */
uint64_t locality_bytes(const struct graph *g, int threads)
{
    enum { MAPS = 28 };
    return multilevel_bytes(g, threads) + MAPS * g->n;
}

/* ---- clusters of clusters ---- */

struct hierarchy {
    uint32_t *cluster[LEVELS_MOST]; /* [count[i]] cluster of each vertex of level i, a vertex of level i + 1; owned */
    uint64_t count[LEVELS_MOST + 1];
    int levels, communities; /* steps; the level whose vertices are the communities */
};

static void hierarchy_release(struct hierarchy *h)
{
    for (int i = 0; i < h->levels; i++) mem_free(h->cluster[i]);
}

/* *trains: most training vertices of a cluster; false: a further level would be no smaller. */
static enum st step(struct hierarchy *h, struct level *fine, uint64_t per_train, uint64_t trains, int threads,
                    struct err *err)
{
    struct level coarse = {0};
    PASS(level_coarsen(fine, trains * per_train, trains, SEED, threads, &coarse, err));
    h->cluster[h->levels] = fine->cluster;
    h->count[h->levels++] = fine->n;
    h->count[h->levels] = coarse.n;
    fine->cluster = NULL;
    level_release(fine);
    *fine = coarse;
    return ST_OK;
}

static enum st build(const struct graph *g, uint64_t batch, int threads, struct hierarchy *h, struct err *err)
{
    OWNED_BY(level_release) struct level l = {0};
    uint64_t per_train = g->train_count ? (g->n + g->train_count - 1) / g->train_count : 1, trains = GROWTH;
    h->count[0] = g->n;
    PASS(level_of_graph(g, threads, &l, err));
    for (; h->levels < LEVELS_MOST && l.n > 1; trains *= GROWTH) {
        uint64_t most = trains <= UINT32_MAX / 2 / per_train ? trains : UINT32_MAX / 2 / per_train;
        PASS(step(h, &l, per_train, most, threads, err));
        if (trains <= batch) h->communities = h->levels;
        if (trains >= g->train_count) break;
    }
    return ST_OK;
}

/* Places of the vertices of a level: by the place of their cluster, then by number. above: [clusters]. */
static enum st places_below(const uint32_t *cluster, uint64_t n, uint64_t clusters, const uint32_t *above,
                            uint32_t **out, struct err *err)
{
    OWNED_NEW(uint32_t, next, clusters + 1, "an order of clusters");
    OWNED_NEW(uint32_t, place, n, "an order of clusters");
    for (uint64_t v = 0; v < n; v++) next[above[cluster[v]] + 1]++;
    for (uint64_t c = 0; c < clusters; c++) next[c + 1] += next[c];
    for (uint64_t v = 0; v < n; v++) place[v] = next[above[cluster[v]]]++;
    *out = TAKE(place);
    return ST_OK;
}

static enum st places(const struct hierarchy *h, uint32_t **out, struct err *err)
{
    uint32_t *below = NULL;
    OWNED_NEW(uint32_t, place, h->count[h->levels], "an order of clusters");
    for (uint64_t c = 0; c < h->count[h->levels]; c++) place[c] = (uint32_t)c;
    for (int i = h->levels; i-- > 0;) {
        PASS(places_below(h->cluster[i], h->count[i], h->count[i + 1], place, &below, err));
        mem_free(place);
        place = TAKE(below);
    }
    *out = TAKE(place);
    return ST_OK;
}

static enum st communities(const struct hierarchy *h, uint32_t **out, struct err *err)
{
    uint32_t *of = NULL;
    MAKE(of, h->count[0], "communities");
    for (uint64_t v = 0; v < h->count[0]; v++) {
        uint32_t c = (uint32_t)v;
        for (int i = 0; i < h->communities; i++) c = h->cluster[i][c];
        of[v] = c;
    }
    *out = of;
    return ST_OK;
}

enum st locality_find(struct locality *l, const struct graph *g, uint64_t batch, int threads, struct err *err)
{
    OWNED_BY(hierarchy_release) struct hierarchy h = {0};
    if (l->community && l->batch == batch) return ST_OK;
    mem_free(l->community);
    l->community = NULL;
    PASS(build(g, batch, threads, &h, err));
    if (!l->along) PASS(places(&h, &l->along, err));
    PASS(communities(&h, &l->community, err));
    l->communities = h.count[h.communities];
    l->batch = batch;
    return ST_OK;
}

/* ---- circles ---- */

enum st locality_circles(struct locality *l, const struct graph *g, const struct workload *w, int threads,
                         struct assignment *a, struct err *err)
{
    const uint32_t *place;
    assignment_drop_circles(a);
    if (w->order == ORDER_SHUFFLE || workload_edges(w)) return ST_OK;
    if (w->order == ORDER_BLOCKS && !l->along) PASS(locality_find(l, g, w->batch, threads, err));
    if (w->order == ORDER_BFS && !l->searched) PASS(bfs_positions(g, &l->searched, err));
    place = w->order == ORDER_BFS ? l->searched : l->along;
    for (int i = 0; i < a->gpus; i++) {
        MAKE(a->circle[i], a->train_count[i], "the order of training vertices");
        if (a->train_count[i]) memcpy(a->circle[i], a->train[i], a->train_count[i] * sizeof(uint32_t));
        PASS(bfs_sort(place, a->circle[i], a->train_count[i], err));
    }
    return ST_OK;
}

enum st locality_order(const struct graph *g, const struct workload *w, int threads, struct assignment *a,
                       struct err *err)
{
    struct locality l = {0};
    enum st st = locality_circles(&l, g, w, threads, a, err);
    locality_release(&l);
    return st;
}

/* ---- how random ---- */

/* Training vertices that the largest community has in each mini-batch of one GPU, added up. seen: [communities], 0. */
static uint64_t largest(const struct locality *l, const uint32_t *order, uint64_t count, uint64_t batch, uint32_t *seen)
{
    uint64_t sum = 0;
    for (uint64_t from = 0; from < count; from += batch) {
        uint64_t to = count - from < batch ? count : from + batch;
        uint32_t most = 0;
        for (uint64_t i = from; i < to; i++) {
            uint32_t c = ++seen[l->community[order[i]]];
            most = c > most ? c : most;
        }
        for (uint64_t i = from; i < to; i++) seen[l->community[order[i]]] = 0;
        sum += most;
    }
    return sum;
}

static enum st share_of(const struct locality *l, const struct workload *w, const struct assignment *a, uint64_t all,
                        double *share, struct err *err)
{
    uint64_t sum = 0;
    OWNED_NEW(uint64_t, room, 2 * all, "keys of an order");
    OWNED_NEW(uint32_t, order, all, "an order");
    OWNED_NEW(uint32_t, seen, l->communities, "communities");
    for (int g = 0; g < a->gpus; g++) {
        const struct order_rule rule = workload_order(w, a->id[g]);
        order_epoch(&rule, assignment_seeds(a, g), a->train_count[g], 0, room, order);
        sum += largest(l, order, a->train_count[g], w->batch, seen);
    }
    *share = all ? (double)sum / (double)all : 1;
    return ST_OK;
}

enum st locality_mixture(const struct locality *l, const struct workload *w, const struct assignment *a,
                         struct mixture *out, struct err *err)
{
    struct mixture m = {0};
    struct workload shuffled = *w;
    uint64_t all = 0;
    shuffled.order = ORDER_SHUFFLE;
    for (int g = 0; g < a->gpus; g++) {
        all += a->train_count[g];
        m.batches += (a->train_count[g] + w->batch - 1) / w->batch;
    }
    PASS(share_of(l, w, a, all, &m.share, err));
    PASS(share_of(l, &shuffled, a, all, &m.shuffled, err));
    *out = m;
    return ST_OK;
}
