#include "planner/policies/cross_clique.h"

#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/hotness/reader_shares.h"
#include "planner/policies/density.h"
#include "planner/policies/side_counts.h"

enum { CLIQUES_MOST = 4, GPUS_MOST = 32 };

/* What does not change while rows are placed. */
struct cross {
    const struct policy_input *in;
    struct plan *plan;
    uint64_t rows[2], items, room[GPUS_MAX]; /* rows of features [0] and topology [1] */
    int cliques, size[GPUS_MAX];
    bool even;                /* all GPUs of a clique read a row equally often */
    uint32_t reach[GPUS_MAX]; /* bit i: a copy on the GPU serves GPU i */
    double serves[CLIQUES_MOST]
                 [CLIQUES_MOST]; /* share of clique c' that a copy in clique c serves, mean over its GPUs */
    /* [rows] per kind, as many bits as there are GPUs: those that already have a copy in reach. What is saved is
     * counted by them; with two cliques they do not change where copies go, because any copy in a clique serves all of
     * it. */
    struct count_row covered[2];
    struct side_counts counts; /* of all GPUs */
};

bool cross_clique_usable(const struct server *s, const struct plan *plan, uint64_t items)
{
    const struct assignment *a = &plan->assignment;
    bool any = false;
    for (int i = 0; i < a->gpus; i++)
        for (int j = 0; j < a->gpus; j++) any |= a->clique_of[i] != a->clique_of[j] && server_reads(s, i, j);
    return any && a->cliques <= CLIQUES_MOST && a->gpus <= GPUS_MOST && items <= UINT32_MAX / CLIQUES_MOST;
}

uint64_t cross_clique_side_bytes(uint64_t n, int gpus, int cliques)
{
    uint64_t each = 3 * (uint64_t)gpus, marks = gpus <= 8 ? 2 : 8;
    return each + marks <= 16 * (uint64_t)cliques ? each * n : 0; /* 8 bytes per row and clique: the keys of ranking */
}

static void set_reach(struct cross *cross)
{
    const struct assignment *a = &cross->plan->assignment;
    struct placement *p = &cross->plan->placement;
    for (int g = 0; g < a->gpus; g++) cross->size[a->clique_of[g]]++;
    for (int g = 0; g < a->gpus; g++) {
        cross->reach[g] = 1u << g;
        p->peers[g] = 0;
        for (int i = 0; i < a->gpus; i++) {
            if (!server_reads(cross->in->server, g, i)) continue;
            cross->reach[g] |= 1u << i;
            p->peer[g][p->peers[g]++] = i;
        }
    }
    for (int g = 0; g < a->gpus; g++)
        for (int i = 0; i < a->gpus; i++)
            if (cross->reach[g] >> i & 1)
                cross->serves[a->clique_of[g]][a->clique_of[i]] += 1.0 / cross->size[a->clique_of[g]] /
                                                                   cross->size[a->clique_of[i]];
}

static double saved_by_clique(const struct cross *cross, int clique, uint64_t v, bool topology)
{
    const struct estimates *e = &cross->in->estimates[clique];
    if (topology ? cross->in->no_topology : cross->in->no_edges && v >= cross->in->graph->n) return 0;
    return topology ? (double)e->topology[v] : (double)e->feature[v];
}

/* Ranks the copies of one row: key[k * items + item] and home[..] of its k-th copy. */
static void rank_copies(const struct cross *cross, uint64_t item, uint64_t *key, uint8_t *home)
{
    bool topology = item < cross->rows[1];
    uint64_t v = topology ? item : item - cross->rows[1], bytes = graph_item_bytes(cross->in->graph, item);
    double left[CLIQUES_MOST];
    for (int c = 0; c < cross->cliques; c++) left[c] = saved_by_clique(cross, c, v, topology);
    for (int k = 0; k < cross->cliques; k++) {
        int best = 0;
        double most = -1;
        for (int c = 0; c < cross->cliques; c++) {
            double gain = 0;
            for (int d = 0; d < cross->cliques; d++) gain += left[d] * cross->serves[c][d];
            if (gain > most) {
                most = gain;
                best = c;
            }
        }
        for (int d = 0; d < cross->cliques; d++) left[d] *= cross->serves[best][d] < 1 ? 1 - cross->serves[best][d] : 0;
        key[(uint64_t)k * cross->items + item] = bytes ? density_key(most, bytes) : 0;
        home[(uint64_t)k * cross->items + item] = (uint8_t)best;
    }
}

/* share[i]: of GPU i in its clique's reads of the row, where they differ. */
static void set_shares(const struct cross *cross, uint64_t v, bool topology, uint32_t *share)
{
    const struct trace *t = cross->in->trace;
    uint64_t count[GPUS_MAX], sum = side_reads(&cross->counts, topology, v, count);
    for (int c = 0; c < cross->cliques; c++)
        reader_shares_counted(t, cross->in->estimates[c].readers, c, topology, count, sum, share);
}

/* What a copy on g saves for the GPUs that have none in reach. */
static double gain_of(const struct cross *cross, int g, uint64_t v, bool topology, const uint32_t *share)
{
    uint32_t fresh = cross->reach[g] & ~count_at(cross->covered[topology], v);
    double per_clique[CLIQUES_MOST] = {0}, gain = 0;
    for (; !cross->even && fresh; fresh &= fresh - 1) {
        int i = __builtin_ctz(fresh);
        gain += saved_by_clique(cross, cross->plan->assignment.clique_of[i], v, topology) * share[i] / READER_UNITS;
    }
    for (; fresh; fresh &= fresh - 1) per_clique[cross->plan->assignment.clique_of[__builtin_ctz(fresh)]]++;
    for (int c = 0; c < cross->cliques; c++)
        if (per_clique[c] > 0) gain += per_clique[c] * saved_by_clique(cross, c, v, topology) / cross->size[c];
    return gain;
}

/* What is known of a copy before its turn: per GPU of its clique what it saves there and how hot it is, as long as the
 * row's other copies do not change. */
struct weighed {
    bool topology;
    uint8_t clique;
    uint32_t v, covered; /* covered: the GPUs that had a copy in reach */
    uint64_t bytes;
};

/* gain, hot: [gpus], set for the GPUs of the clique. */
static struct weighed weigh(const struct cross *cross, uint32_t copy, const uint8_t *home, double *gain, uint32_t *hot)
{
    uint64_t item = copy % cross->items, v = item < cross->rows[1] ? item : item - cross->rows[1];
    struct weighed w = {.topology = item < cross->rows[1], .clique = home[copy], .v = (uint32_t)v};
    uint32_t share[GPUS_MAX];
    w.bytes = graph_item_bytes(cross->in->graph, item);
    w.covered = count_at(cross->covered[w.topology], v);
    if (!cross->even) set_shares(cross, v, w.topology, share);
    for (int g = 0; g < cross->plan->assignment.gpus; g++) {
        if (cross->plan->assignment.clique_of[g] != w.clique) continue;
        gain[g] = gain_of(cross, g, v, w.topology, share);
        hot[g] = side_hot(&cross->counts, w.topology, v, g);
    }
    return w;
}

/* The GPU of the clique with room where the copy saves most; ties: the hottest reader, most room, the lower position.
 * -1: none. */
static int cross_clique_choose(const struct cross *cross, const struct weighed *w, const double *gain,
                               const uint32_t *hot)
{
    int best = -1;
    for (int g = 0; g < cross->plan->assignment.gpus; g++) {
        if (cross->plan->assignment.clique_of[g] != w->clique || cross->room[g] < w->bytes) continue;
        bool better = best < 0 || gain[g] > gain[best] ||
                      (gain[g] == gain[best] &&
                       (hot[g] > hot[best] || (hot[g] == hot[best] && cross->room[g] > cross->room[best])));
        if (better) best = g;
    }
    return best;
}

static uint64_t most_room(const struct cross *cross)
{
    uint64_t most = 0;
    for (int g = 0; g < cross->plan->assignment.gpus; g++) most = cross->room[g] > most ? cross->room[g] : most;
    return most;
}

static void prefetch(const struct cross *cross, uint32_t copy)
{
    bool topology = copy % cross->items < cross->rows[1];
    uint64_t v = copy % cross->items - (topology ? 0 : cross->rows[1]);
    if (topology && graph_plain(cross->in->graph)) __builtin_prefetch(&cross->in->graph->indptr[v]);
    side_prefetch(&cross->counts, topology, v);
    count_prefetch(cross->covered[topology], v);
    for (int c = 0; c < cross->cliques; c++)
        __builtin_prefetch(topology ? &cross->in->estimates[c].topology[v] : &cross->in->estimates[c].feature[v]);
}

static void cover(struct cross *cross, bool topology, uint64_t v, uint32_t gpus)
{
    struct count_row c = cross->covered[topology];
    count_put((void *)(uintptr_t)c.data, c.bytes, v, count_at(c, v) | gpus);
}

static enum st make_covered(struct cross *cross, char *bits[2], struct err *err)
{
    int gpus = cross->plan->assignment.gpus, bytes = gpus <= 8 ? 1 : gpus <= 16 ? 2 : 4;
    for (int k = 0; k < 2; k++) {
        MAKE(bits[k], cross->rows[k] * (uint64_t)bytes, "marks of copies");
        cross->covered[k] = (struct count_row){bits[k], bytes};
    }
    return ST_OK;
}

/* Side by side where that takes no more memory than ranking did, and many rows are looked up. */
static enum st make_counts(struct cross *cross, uint64_t rows, struct err *err)
{
    int gpu[GPUS_MOST], gpus = cross->plan->assignment.gpus;
    for (int g = 0; g < gpus; g++) gpu[g] = g;
    const struct graph *graph = cross->in->graph;
    if (graph_plain(graph) && cross_clique_side_bytes(graph->n, gpus, cross->cliques) && rows >= graph->n / DENSITY_FEW)
        return side_counts_make(graph, cross->in->trace, gpu, gpus, !cross->even, cross->in->threads, &cross->counts,
                                err);
    for (int c = 0; c < cross->cliques; c++) trace_prefetch_pages(cross->in->trace, c);
    cross->counts = side_counts_none(graph, cross->in->trace, gpu, gpus);
    return ST_OK;
}

/* A block of copies, weighed by all threads before the first of them is placed. */
enum { BLOCK = 1 << 13 };
struct block {
    struct weighed *copy; /* [BLOCK] */
    double *gain;         /* [BLOCK][gpus] */
    uint32_t *hot;        /* the same */
};

static enum st block_new(int gpus, struct block *b, struct err *err)
{
    MAKE(b->copy, BLOCK, "copies of rows");
    MAKE(b->gain, BLOCK * gpus, "copies of rows");
    MAKE(b->hot, BLOCK * gpus, "copies of rows");
    return ST_OK;
}

static void block_free(struct block *b)
{
    mem_free(b->copy);
    mem_free(b->gain);
    mem_free(b->hot);
}

static void block_weigh(const struct cross *cross, const uint8_t *home, const uint32_t *order, uint64_t count,
                        struct block *b)
{
    enum { AHEAD = 32 };
    uint64_t gpus = (uint64_t)cross->plan->assignment.gpus;
#pragma omp parallel for schedule(static) num_threads(cross->in->threads)
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count) prefetch(cross, order[i + AHEAD]);
        b->copy[i] = weigh(cross, order[i], home, b->gain + i * gpus, b->hot + i * gpus);
    }
}

/* Places the copy where it saves most, if it saves anything, and adds that to *saved. */
static enum st place_copy(struct cross *cross, uint32_t copy, const uint8_t *home, struct weighed *w, double *gain,
                          uint32_t *hot, double *saved, struct err *err)
{
    struct placement *p = &cross->plan->placement;
    if (count_at(cross->covered[w->topology], w->v) != w->covered) *w = weigh(cross, copy, home, gain, hot);
    int g = cross_clique_choose(cross, w, gain, hot);
    if (g < 0 || gain[g] <= 0) return ST_OK;
    PASS(row_list_add(w->topology ? &p->topology[g] : &p->feature[g], w->v, err));
    cross->room[g] -= w->bytes;
    cover(cross, w->topology, w->v, cross->reach[g]);
    *saved += gain[g];
    return ST_OK;
}

static enum st fill_cross_clique(struct cross *cross, const uint8_t *home, const uint32_t *order, uint64_t count,
                                 double *saved, struct err *err)
{
    OWNED_BY(block_free) struct block b = {0};
    uint64_t most = most_room(cross), skipped = 0, gpus = (uint64_t)cross->plan->assignment.gpus;
    *saved = 0;
    PASS(block_new((int)gpus, &b, err));
    for (uint64_t i = 0; i < count && most >= density_smallest_row(cross->in->graph) && skipped < DENSITY_SKIPPED_MOST;
         i++) {
        uint64_t k = i % BLOCK;
        if (!k) block_weigh(cross, home, order + i, count - i < BLOCK ? count - i : BLOCK, &b);
        if (b.copy[k].bytes > most) {
            skipped++;
            continue;
        }
        skipped = 0;
        PASS(place_copy(cross, order[i], home, &b.copy[k], b.gain + k * gpus, b.hot + k * gpus, saved, err));
        most = most_room(cross);
    }
    return ST_OK;
}

enum st cross_clique_fill(const struct policy_input *in, struct plan *plan, double *saved, struct err *err)
{
    enum st st = ST_OK;
    struct cross cross = {.in = in,
                          .plan = plan,
                          .rows = {graph_feature_rows(in->graph), graph_topology_rows(in->graph)},
                          .items = graph_items(in->graph),
                          .cliques = plan->assignment.cliques,
                          .even = assignment_even(&plan->assignment)};
    uint64_t items = cross.items * (uint64_t)cross.cliques, count = 0, budget = 0, *key = NULL;
    OWNED uint32_t *order = NULL;
    OWNED uint8_t *home = NULL;
    char *covered[2] = {NULL, NULL};
    memcpy(cross.room, plan->budget, sizeof cross.room);
    set_reach(&cross);
    NEW(key, items, "densities");
    NEW(home, items, "homes of copies");
    for (int g = 0; g < plan->assignment.gpus; g++) budget += plan->budget[g];
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t i = 0; i < cross.items; i++) rank_copies(&cross, i, key, home);
    TRY(density_order(in, key, items, 2 * budget, &order, &count,
                      err)); /* twice: some copies turn out to be of no use */
    mem_free(key);
    key = NULL;
    TRY(make_covered(&cross, covered, err));
    TRY(make_counts(&cross, count, err));
    TRY(fill_cross_clique(&cross, home, order, count, saved, err));
done:
    mem_free(key);
    for (int k = 0; k < 2; k++) mem_free(covered[k]);
    side_counts_release(&cross.counts);
    return st;
}
