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

static void set_reach(struct cross *x)
{
    const struct assignment *a = &x->plan->assignment;
    struct placement *p = &x->plan->placement;
    for (int g = 0; g < a->gpus; g++) x->size[a->clique_of[g]]++;
    for (int g = 0; g < a->gpus; g++) {
        x->reach[g] = 1u << g;
        p->peers[g] = 0;
        for (int i = 0; i < a->gpus; i++) {
            if (!server_reads(x->in->server, g, i)) continue;
            x->reach[g] |= 1u << i;
            p->peer[g][p->peers[g]++] = i;
        }
    }
    for (int g = 0; g < a->gpus; g++)
        for (int i = 0; i < a->gpus; i++)
            if (x->reach[g] >> i & 1)
                x->serves[a->clique_of[g]][a->clique_of[i]] += 1.0 / x->size[a->clique_of[g]] /
                                                               x->size[a->clique_of[i]];
}

static double saved_by_clique(const struct cross *x, int clique, uint64_t v, bool topology)
{
    const struct estimates *e = &x->in->estimates[clique];
    if (topology ? x->in->no_topology : x->in->no_edges && v >= x->in->graph->n) return 0;
    return topology ? (double)e->topology[v] : (double)e->feature[v];
}

/* Ranks the copies of one row: key[k * items + item] and home[..] of its k-th copy. */
static void rank_copies(const struct cross *x, uint64_t item, uint64_t *key, uint8_t *home)
{
    bool topology = item < x->rows[1];
    uint64_t v = topology ? item : item - x->rows[1], bytes = graph_item_bytes(x->in->graph, item);
    double left[CLIQUES_MOST];
    for (int c = 0; c < x->cliques; c++) left[c] = saved_by_clique(x, c, v, topology);
    for (int k = 0; k < x->cliques; k++) {
        int best = 0;
        double most = -1;
        for (int c = 0; c < x->cliques; c++) {
            double gain = 0;
            for (int d = 0; d < x->cliques; d++) gain += left[d] * x->serves[c][d];
            if (gain > most) {
                most = gain;
                best = c;
            }
        }
        for (int d = 0; d < x->cliques; d++) left[d] *= x->serves[best][d] < 1 ? 1 - x->serves[best][d] : 0;
        key[(uint64_t)k * x->items + item] = bytes ? density_key(most, bytes) : 0;
        home[(uint64_t)k * x->items + item] = (uint8_t)best;
    }
}

/* share[i]: of GPU i in its clique's reads of the row, where they differ. */
static void set_shares(const struct cross *x, uint64_t v, bool topology, uint32_t *share)
{
    const struct trace *t = x->in->trace;
    uint64_t count[GPUS_MAX], sum = side_reads(&x->counts, topology, v, count);
    for (int c = 0; c < x->cliques; c++)
        reader_shares_counted(t, x->in->estimates[c].readers, c, topology, count, sum, share);
}

/* What a copy on g saves for the GPUs that have none in reach. */
static double gain_of(const struct cross *x, int g, uint64_t v, bool topology, const uint32_t *share)
{
    uint32_t fresh = x->reach[g] & ~count_at(x->covered[topology], v);
    double per_clique[CLIQUES_MOST] = {0}, gain = 0;
    for (; !x->even && fresh; fresh &= fresh - 1) {
        int i = __builtin_ctz(fresh);
        gain += saved_by_clique(x, x->plan->assignment.clique_of[i], v, topology) * share[i] / READER_UNITS;
    }
    for (; fresh; fresh &= fresh - 1) per_clique[x->plan->assignment.clique_of[__builtin_ctz(fresh)]]++;
    for (int c = 0; c < x->cliques; c++)
        if (per_clique[c] > 0) gain += per_clique[c] * saved_by_clique(x, c, v, topology) / x->size[c];
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
static struct weighed weigh(const struct cross *x, uint32_t copy, const uint8_t *home, double *gain, uint32_t *hot)
{
    uint64_t item = copy % x->items, v = item < x->rows[1] ? item : item - x->rows[1];
    struct weighed w = {.topology = item < x->rows[1], .clique = home[copy], .v = (uint32_t)v};
    uint32_t share[GPUS_MAX];
    w.bytes = graph_item_bytes(x->in->graph, item);
    w.covered = count_at(x->covered[w.topology], v);
    if (!x->even) set_shares(x, v, w.topology, share);
    for (int g = 0; g < x->plan->assignment.gpus; g++) {
        if (x->plan->assignment.clique_of[g] != w.clique) continue;
        gain[g] = gain_of(x, g, v, w.topology, share);
        hot[g] = side_hot(&x->counts, w.topology, v, g);
    }
    return w;
}

/* The GPU of the clique with room where the copy saves most; ties: the hottest reader, most room, the lower position.
 * -1: none. */
static int choose(const struct cross *x, const struct weighed *w, const double *gain, const uint32_t *hot)
{
    int best = -1;
    for (int g = 0; g < x->plan->assignment.gpus; g++) {
        if (x->plan->assignment.clique_of[g] != w->clique || x->room[g] < w->bytes) continue;
        bool better = best < 0 || gain[g] > gain[best] ||
                      (gain[g] == gain[best] &&
                       (hot[g] > hot[best] || (hot[g] == hot[best] && x->room[g] > x->room[best])));
        if (better) best = g;
    }
    return best;
}

static uint64_t most_room(const struct cross *x)
{
    uint64_t most = 0;
    for (int g = 0; g < x->plan->assignment.gpus; g++) most = x->room[g] > most ? x->room[g] : most;
    return most;
}

static void prefetch(const struct cross *x, uint32_t copy)
{
    bool topology = copy % x->items < x->rows[1];
    uint64_t v = copy % x->items - (topology ? 0 : x->rows[1]);
    if (topology && graph_plain(x->in->graph)) __builtin_prefetch(&x->in->graph->indptr[v]);
    side_prefetch(&x->counts, topology, v);
    count_prefetch(x->covered[topology], v);
    for (int c = 0; c < x->cliques; c++)
        __builtin_prefetch(topology ? &x->in->estimates[c].topology[v] : &x->in->estimates[c].feature[v]);
}

static void cover(struct cross *x, bool topology, uint64_t v, uint32_t gpus)
{
    struct count_row c = x->covered[topology];
    count_put((void *)(uintptr_t)c.data, c.bytes, v, count_at(c, v) | gpus);
}

static enum st make_covered(struct cross *x, char *bits[2], struct err *err)
{
    int gpus = x->plan->assignment.gpus, bytes = gpus <= 8 ? 1 : gpus <= 16 ? 2 : 4;
    for (int k = 0; k < 2; k++) {
        MAKE(bits[k], x->rows[k] * (uint64_t)bytes, "marks of copies");
        x->covered[k] = (struct count_row){bits[k], bytes};
    }
    return ST_OK;
}

/* Side by side where that takes no more memory than ranking did, and many rows are looked up. */
static enum st make_counts(struct cross *x, uint64_t rows, struct err *err)
{
    int gpu[GPUS_MOST], gpus = x->plan->assignment.gpus;
    for (int g = 0; g < gpus; g++) gpu[g] = g;
    const struct graph *graph = x->in->graph;
    if (graph_plain(graph) && cross_clique_side_bytes(graph->n, gpus, x->cliques) && rows >= graph->n / DENSITY_FEW)
        return side_counts_make(graph, x->in->trace, gpu, gpus, !x->even, x->in->threads, &x->counts, err);
    for (int c = 0; c < x->cliques; c++) trace_prefetch_pages(x->in->trace, c);
    x->counts = side_counts_none(graph, x->in->trace, gpu, gpus);
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

static void block_weigh(const struct cross *x, const uint8_t *home, const uint32_t *order, uint64_t count,
                        struct block *b)
{
    enum { AHEAD = 32 };
    uint64_t gpus = (uint64_t)x->plan->assignment.gpus;
#pragma omp parallel for schedule(static) num_threads(x->in->threads)
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count) prefetch(x, order[i + AHEAD]);
        b->copy[i] = weigh(x, order[i], home, b->gain + i * gpus, b->hot + i * gpus);
    }
}

/* Places the copy where it saves most, if it saves anything, and adds that to *saved. */
static enum st place_copy(struct cross *x, uint32_t copy, const uint8_t *home, struct weighed *w, double *gain,
                          uint32_t *hot, double *saved, struct err *err)
{
    struct placement *p = &x->plan->placement;
    if (count_at(x->covered[w->topology], w->v) != w->covered) *w = weigh(x, copy, home, gain, hot);
    int g = choose(x, w, gain, hot);
    if (g < 0 || gain[g] <= 0) return ST_OK;
    PASS(row_list_add(w->topology ? &p->topology[g] : &p->feature[g], w->v, err));
    x->room[g] -= w->bytes;
    cover(x, w->topology, w->v, x->reach[g]);
    *saved += gain[g];
    return ST_OK;
}

static enum st fill(struct cross *x, const uint8_t *home, const uint32_t *order, uint64_t count, double *saved,
                    struct err *err)
{
    OWNED_BY(block_free) struct block b = {0};
    uint64_t most = most_room(x), skipped = 0, gpus = (uint64_t)x->plan->assignment.gpus;
    *saved = 0;
    PASS(block_new((int)gpus, &b, err));
    for (uint64_t i = 0; i < count && most >= density_smallest_row(x->in->graph) && skipped < DENSITY_SKIPPED_MOST;
         i++) {
        uint64_t k = i % BLOCK;
        if (!k) block_weigh(x, home, order + i, count - i < BLOCK ? count - i : BLOCK, &b);
        if (b.copy[k].bytes > most) {
            skipped++;
            continue;
        }
        skipped = 0;
        PASS(place_copy(x, order[i], home, &b.copy[k], b.gain + k * gpus, b.hot + k * gpus, saved, err));
        most = most_room(x);
    }
    return ST_OK;
}

enum st cross_clique_fill(const struct policy_input *in, struct plan *plan, double *saved, struct err *err)
{
    enum st st = ST_OK;
    struct cross x = {.in = in,
                      .plan = plan,
                      .rows = {graph_feature_rows(in->graph), graph_topology_rows(in->graph)},
                      .items = graph_items(in->graph),
                      .cliques = plan->assignment.cliques,
                      .even = assignment_even(&plan->assignment)};
    uint64_t items = x.items * (uint64_t)x.cliques, count = 0, budget = 0, *key = NULL;
    OWNED uint32_t *order = NULL;
    OWNED uint8_t *home = NULL;
    char *covered[2] = {NULL, NULL};
    memcpy(x.room, plan->budget, sizeof x.room);
    set_reach(&x);
    NEW(key, items, "densities");
    NEW(home, items, "homes of copies");
    for (int g = 0; g < plan->assignment.gpus; g++) budget += plan->budget[g];
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t i = 0; i < x.items; i++) rank_copies(&x, i, key, home);
    TRY(density_order(in, key, items, 2 * budget, &order, &count,
                      err)); /* twice: some copies turn out to be of no use */
    mem_free(key);
    key = NULL;
    TRY(make_covered(&x, covered, err));
    TRY(make_counts(&x, count, err));
    TRY(fill(&x, home, order, count, saved, err));
done:
    mem_free(key);
    for (int k = 0; k < 2; k++) mem_free(covered[k]);
    side_counts_release(&x.counts);
    return st;
}
