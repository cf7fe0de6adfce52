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
    int cliques;
    uint32_t reach[GPUS_MAX]; /* bit i: a copy on the GPU serves GPU i */
    /* [rows] per kind, as many bits as there are GPUs: those that already have a copy in reach. */
    struct count_row covered[2];
    struct side_counts counts; /* of all GPUs */
};

bool cross_clique_links(const struct server *s)
{
    bool any = false;
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < s->gpus; j++) any |= s->clique_of[i] != s->clique_of[j] && server_reads(s, i, j);
    return any;
}

bool cross_clique_reads(const struct plan *plan)
{
    const int *clique_of = plan->assignment.clique_of;
    bool any = false;
    for (int g = 0; g < plan->assignment.gpus; g++)
        for (int i = 0; i < plan->placement.peers[g]; i++) any |= clique_of[plan->placement.peer[g][i]] != clique_of[g];
    return any;
}

bool cross_clique_usable(const struct server *s, const struct plan *plan, uint64_t items)
{
    const struct assignment *a = &plan->assignment;
    return cross_clique_links(s) && a->cliques <= CLIQUES_MOST && a->gpus <= GPUS_MOST &&
           items <= UINT32_MAX / CLIQUES_MOST;
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
    for (int g = 0; g < a->gpus; g++) {
        cross->reach[g] = 1u << g;
        p->peers[g] = 0;
        for (int i = 0; i < a->gpus; i++) {
            if (!server_reads(cross->in->server, g, i)) continue;
            cross->reach[g] |= 1u << i;
            p->peer[g][p->peers[g]++] = i;
        }
    }
}

static double saved_by_clique(const struct cross *cross, int clique, uint64_t v, bool topology)
{
    const struct estimates *e = &cross->in->estimates[clique];
    if (topology ? cross->in->no_topology : cross->in->no_edges && v >= cross->in->graph->n) return 0;
    return topology ? (double)e->topology[v] : (double)e->feature[v];
}

/* worth[i]: what GPU i saves when it reaches the row: its share of its clique's reads. */
static void set_worth(const struct cross *cross, uint64_t v, bool topology, double *worth)
{
    const struct assignment *a = &cross->plan->assignment;
    uint64_t count[GPUS_MAX], sum = side_reads(&cross->counts, topology, v, count);
    uint32_t share[GPUS_MAX];
    for (int c = 0; c < cross->cliques; c++)
        reader_shares_counted(cross->in->trace, cross->in->estimates[c].readers, c, topology, count, sum, share);
    for (int i = 0; i < a->gpus; i++)
        worth[i] = saved_by_clique(cross, a->clique_of[i], v, topology) * share[i] / READER_UNITS;
}

/* What a copy on g saves for the GPUs that have none in reach. */
static double gain_of(const struct cross *cross, int g, uint32_t covered, const double *worth)
{
    double gain = 0;
    for (uint32_t fresh = cross->reach[g] & ~covered; fresh; fresh &= fresh - 1) gain += worth[__builtin_ctz(fresh)];
    return gain;
}

/* key[k]: of the row's k-th copy, each on the GPU where it saves most. */
static void rank_copies(const struct cross *cross, const double *worth, uint64_t bytes, uint64_t *key)
{
    uint32_t covered = 0;
    for (int k = 0; k < cross->cliques; k++) {
        int best = 0;
        double most = -1;
        for (int g = 0; g < cross->plan->assignment.gpus; g++) {
            double gain = gain_of(cross, g, covered, worth);
            if (gain > most) {
                most = gain;
                best = g;
            }
        }
        covered |= cross->reach[best];
        key[k] = bytes ? density_key(most, bytes) : 0;
    }
}

/* The same of an item. */
static void rank_item(const struct cross *cross, uint64_t item, uint64_t *key)
{
    bool topology = item < cross->rows[1];
    double worth[GPUS_MOST];
    set_worth(cross, topology ? item : item - cross->rows[1], topology, worth);
    rank_copies(cross, worth, graph_item_bytes(cross->in->graph, item), key);
}

/* What is known of a copy before its turn: per GPU what it saves there and how hot it is, as long as the row's other
 * copies do not change. */
struct weighed {
    bool topology;
    uint32_t v, covered; /* covered: the GPUs that had a copy in reach */
    uint64_t bytes, key; /* key: by which the copy was sorted */
};

/* gain, hot: [gpus]. */
static struct weighed weigh(const struct cross *cross, uint32_t copy, double *gain, uint32_t *hot)
{
    uint64_t item = copy % cross->items, v = item < cross->rows[1] ? item : item - cross->rows[1];
    struct weighed w = {.topology = item < cross->rows[1], .v = (uint32_t)v};
    double worth[GPUS_MOST];
    uint64_t key[CLIQUES_MOST];
    w.bytes = graph_item_bytes(cross->in->graph, item);
    w.covered = count_at(cross->covered[w.topology], v);
    set_worth(cross, v, w.topology, worth);
    rank_copies(cross, worth, w.bytes, key);
    w.key = key[copy / cross->items];
    for (int g = 0; g < cross->plan->assignment.gpus; g++) {
        gain[g] = gain_of(cross, g, w.covered, worth);
        hot[g] = side_hot(&cross->counts, w.topology, v, g);
    }
    return w;
}

/* The GPU with room where the copy saves most; ties: the hottest reader, most room, the lower position. -1: none. */
static int cross_clique_choose(const struct cross *cross, const struct weighed *w, const double *gain,
                               const uint32_t *hot)
{
    int best = -1;
    for (int g = 0; g < cross->plan->assignment.gpus; g++) {
        if (cross->room[g] < w->bytes) continue;
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
        return side_counts_make(graph, cross->in->trace, gpu, gpus, true, cross->in->threads, &cross->counts, err);
    for (int c = 0; c < cross->cliques; c++) trace_prefetch_pages(cross->in->trace, c);
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

static void block_weigh(const struct cross *cross, const uint32_t *order, uint64_t count, struct block *b)
{
    enum { AHEAD = 32 };
    uint64_t gpus = (uint64_t)cross->plan->assignment.gpus;
#pragma omp parallel for schedule(static) num_threads(cross->in->threads)
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count) prefetch(cross, order[i + AHEAD]);
        b->copy[i] = weigh(cross, order[i], b->gain + i * gpus, b->hot + i * gpus);
    }
}

/* Copies whose best GPU was full, so that they save less than the next ones in the order: the densest on top. */
struct late {
    uint64_t key;
    uint32_t copy;
};
struct heap {
    struct late *at; /* owned */
    uint64_t count, capacity;
};

static void heap_free(struct heap *h) { mem_free(h->at); }

static bool later(struct late a, struct late b) { return a.key < b.key || (a.key == b.key && a.copy > b.copy); }

static enum st heap_push(struct heap *h, struct late x, struct err *err)
{
    enum st st = ST_OK;
    uint64_t i = h->count;
    if (i == h->capacity) {
        uint64_t more = 2 * i + 1024;
        GROW(h->at, more, "copies of rows");
        h->capacity = more;
    }
    h->count++;
    for (; i && later(h->at[(i - 1) / 2], x); i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = x;
done:
    return st;
}

static struct late heap_pop(struct heap *h)
{
    struct late top = h->at[0], last = h->at[--h->count];
    uint64_t i = 0;
    for (uint64_t next; (next = 2 * i + 1) < h->count; i = next) {
        next += next + 1 < h->count && later(h->at[next], h->at[next + 1]);
        if (!later(last, h->at[next])) break;
        h->at[i] = h->at[next];
    }
    h->at[i] = last;
    return top;
}

/* Copies in the order of what they save: those of the order, and those that were put off. */
struct filling {
    struct cross *cross;
    const uint32_t *order;
    uint64_t at, count;
    struct block block;
    struct heap late;
    double saved;
};

static void filling_free(struct filling *f)
{
    block_free(&f->block);
    heap_free(&f->late);
}

/* Of the next one in the order; 0: there is none. */
static uint64_t first_key(const struct filling *f)
{
    uint64_t key[CLIQUES_MOST], items = f->cross->items;
    if (f->at == f->count) return 0;
    if (f->at % BLOCK) return f->block.copy[f->at % BLOCK].key;
    rank_item(f->cross, f->order[f->at] % items, key); /* its block is weighed when its turn comes */
    return key[f->order[f->at] / items];
}

static bool late_is_next(const struct filling *f)
{
    return f->late.count && (f->at == f->count || f->late.at[0].key > first_key(f));
}

/* Places the copy where it saves most, if it saves anything, or puts it off where others save more. *fits: there is
 * room. */
static enum st place_copy(struct filling *f, uint32_t copy, const struct weighed *w, const double *gain,
                          const uint32_t *hot, bool *fits, struct err *err)
{
    struct cross *cross = f->cross;
    struct placement *p = &cross->plan->placement;
    int g = cross_clique_choose(cross, w, gain, hot);
    *fits = g >= 0;
    if (g < 0 || gain[g] <= 0) return ST_OK;
    uint64_t key = density_key(gain[g], w->bytes);
    if (key < (late_is_next(f) ? f->late.at[0].key : first_key(f)))
        return heap_push(&f->late, (struct late){key, copy}, err);
    PASS(row_list_add(w->topology ? &p->topology[g] : &p->feature[g], w->v, err));
    cross->room[g] -= w->bytes;
    cover(cross, w->topology, w->v, cross->reach[g]);
    f->saved += gain[g];
    return ST_OK;
}

/* The next copy; *fits as above. */
static enum st place_next(struct filling *f, bool *fits, struct err *err)
{
    const struct cross *cross = f->cross;
    uint64_t gpus = (uint64_t)cross->plan->assignment.gpus, k = f->at % BLOCK;
    bool put_off = late_is_next(f);
    uint32_t copy = put_off ? heap_pop(&f->late).copy : f->order[f->at];
    double late_gain[GPUS_MOST], *gain = put_off ? late_gain : f->block.gain + k * gpus;
    uint32_t late_hot[GPUS_MOST], *hot = put_off ? late_hot : f->block.hot + k * gpus;
    struct weighed w;
    if (!put_off) {
        if (!k) block_weigh(cross, f->order + f->at, f->count - f->at < BLOCK ? f->count - f->at : BLOCK, &f->block);
        f->at++;
        w = f->block.copy[k];
    }
    if (put_off || count_at(cross->covered[w.topology], w.v) != w.covered) w = weigh(cross, copy, gain, hot);
    return place_copy(f, copy, &w, gain, hot, fits, err);
}

static enum st fill_cross_clique(struct cross *cross, const uint32_t *order, uint64_t count, double *saved,
                                 struct err *err)
{
    OWNED_BY(filling_free) struct filling f = {.cross = cross, .order = order, .count = count};
    uint64_t skipped = 0;
    PASS(block_new(cross->plan->assignment.gpus, &f.block, err));
    while ((f.at < f.count || f.late.count) && skipped < DENSITY_SKIPPED_MOST &&
           most_room(cross) >= density_smallest_row(cross->in->graph)) {
        bool fits;
        PASS(place_next(&f, &fits, err));
        skipped = fits ? 0 : skipped + 1;
    }
    *saved = f.saved;
    return ST_OK;
}

static enum st sort_copies(const struct cross *cross, uint32_t **order, uint64_t *count, struct err *err)
{
    const uint64_t items = cross->items * (uint64_t)cross->cliques;
    uint64_t budget = 0;
    OWNED_NEW(uint64_t, key, items, "densities");
    for (int g = 0; g < cross->plan->assignment.gpus; g++) budget += cross->plan->budget[g];
#pragma omp parallel for num_threads(cross->in->threads)
    for (uint64_t i = 0; i < cross->items; i++) {
        uint64_t mine[CLIQUES_MOST];
        rank_item(cross, i, mine);
        for (int k = 0; k < cross->cliques; k++) key[(uint64_t)k * cross->items + i] = mine[k];
    }
    return density_order(cross->in, key, items, 2 * budget, order, count,
                         err); /* twice: some copies turn out to be of no use */
}

enum st cross_clique_fill(const struct policy_input *in, struct plan *plan, double *saved, struct err *err)
{
    enum st st = ST_OK;
    struct cross cross = {.in = in,
                          .plan = plan,
                          .rows = {graph_feature_rows(in->graph), graph_topology_rows(in->graph)},
                          .items = graph_items(in->graph),
                          .cliques = plan->assignment.cliques};
    uint64_t count = 0;
    OWNED uint32_t *order = NULL;
    char *covered[2] = {NULL, NULL};
    int gpu[GPUS_MOST];
    for (int g = 0; g < plan->assignment.gpus; g++) gpu[g] = g;
    memcpy(cross.room, plan->budget, sizeof cross.room);
    set_reach(&cross);
    cross.counts = side_counts_none(in->graph, in->trace, gpu, plan->assignment.gpus); /* ranking goes row by row */
    TRY(sort_copies(&cross, &order, &count, err));
    TRY(make_covered(&cross, covered, err));
    TRY(make_counts(&cross, count, err));
    TRY(fill_cross_clique(&cross, order, count, saved, err));
done:
    for (int k = 0; k < 2; k++) mem_free(covered[k]);
    side_counts_release(&cross.counts);
    return st;
}
