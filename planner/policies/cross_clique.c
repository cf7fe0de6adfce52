#include "planner/policies/cross_clique.h"

#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/policies/cross_worth.h"
#include "planner/policies/density.h"

enum { CLIQUES_MOST = CROSS_CLIQUES_MOST, GPUS_MOST = CROSS_GPUS_MOST };

/* What does not change while rows are placed. */
struct cross {
    const struct policy_input *in;
    struct plan *plan;
    struct cross_worth worth;
    uint64_t items, room[GPUS_MAX];
    int cliques;
    struct count_row covered[2]; /* the GPUs that already have a copy in reach */
    double *kept;                /* [items][gpus] what ranking found each row to be worth; owned; NULL: too many */
    uint64_t *key;               /* [cliques][items] of all copies; owned; NULL: too many */
};
#define KEPT_MOST ((uint64_t)64 << 20)  /* bytes of both */
#define KEYS_MOST ((uint64_t)512 << 20) /* bytes of keys alone */

uint64_t cross_clique_kept_bytes(uint64_t items, int gpus, int cliques)
{
    uint64_t keys = sizeof(uint64_t) * (uint64_t)cliques, each = sizeof(double) * (uint64_t)gpus + keys;
    return items <= KEPT_MOST / each ? each * items : items <= KEYS_MOST / keys ? keys * items : 0;
}

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

static void set_peers(const struct server *s, struct plan *plan)
{
    const struct assignment *a = &plan->assignment;
    struct placement *p = &plan->placement;
    for (int g = 0; g < a->gpus; g++) {
        p->peers[g] = 0;
        for (int i = 0; i < a->gpus; i++)
            if (server_reads(s, g, i)) p->peer[g][p->peers[g]++] = i;
    }
}

/* key[k]: of the row's k-th copy, each on the GPU where it saves most. */
static void rank_copies(const struct cross *cross, const double *worth, uint64_t bytes, uint64_t *key)
{
    uint32_t covered = 0;
    for (int k = 0; k < cross->cliques; k++) {
        int best = 0;
        double most = -1;
        for (int g = 0; g < cross->plan->assignment.gpus; g++) {
            double gain = cross_worth_gain(&cross->worth, g, covered, worth);
            if (gain > most) {
                most = gain;
                best = g;
            }
        }
        covered |= cross->worth.reach[best];
        key[k] = bytes ? density_key(most, bytes) : 0;
    }
}

/* The same of an item. */
static void rank_item(const struct cross *cross, uint64_t item, uint64_t *key)
{
    bool topology = item < cross->worth.rows[1];
    double worth[GPUS_MOST];
    uint64_t count[GPUS_MAX];
    cross_worth_row(&cross->worth, topology, topology ? item : item - cross->worth.rows[1], worth, count);
    rank_copies(cross, worth, graph_item_bytes(cross->in->graph, item), key);
    const uint64_t gpus = (uint64_t)cross->plan->assignment.gpus;
    if (cross->kept) memcpy(cross->kept + item * gpus, worth, gpus * sizeof *worth);
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
    uint64_t item = copy % cross->items, topology = cross->worth.rows[1], v = item < topology ? item : item - topology;
    struct weighed w = {.topology = item < topology, .v = (uint32_t)v};
    const int gpus = cross->plan->assignment.gpus;
    double found[GPUS_MOST];
    const double *worth = cross->kept ? cross->kept + item * (uint64_t)gpus : found;
    uint64_t key[CLIQUES_MOST], count[GPUS_MAX];
    w.bytes = graph_item_bytes(cross->in->graph, item);
    w.covered = count_at(cross->covered[w.topology], v);
    if (!cross->kept) cross_worth_row(&cross->worth, w.topology, v, found, count);
    if (!cross->key) rank_copies(cross, found, w.bytes, key);
    w.key = cross->key ? cross->key[copy] : key[copy / cross->items];
    for (int g = 0; g < gpus; g++) {
        gain[g] = cross_worth_gain(&cross->worth, g, w.covered, worth);
        hot[g] = side_hot(&cross->worth.counts, w.topology, v, g);
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
    bool topology = copy % cross->items < cross->worth.rows[1];
    uint64_t v = copy % cross->items - (topology ? 0 : cross->worth.rows[1]);
    if (topology && graph_plain(cross->in->graph)) __builtin_prefetch(&cross->in->graph->indptr[v]);
    side_prefetch(&cross->worth.counts, topology, v);
    count_prefetch(cross->covered[topology], v);
    for (int c = 0; c < cross->cliques; c++)
        __builtin_prefetch(topology ? &cross->in->estimates[c].topology[v] : &cross->in->estimates[c].feature[v]);
}

/* Side by side where that takes no more memory than ranking did, and many rows are looked up. */
static enum st make_counts(struct cross *cross, uint64_t rows, struct err *err)
{
    int gpu[GPUS_MOST], gpus = cross->plan->assignment.gpus;
    for (int g = 0; g < gpus; g++) gpu[g] = g;
    const struct graph *graph = cross->in->graph;
    if (graph_plain(graph) && cross_clique_side_bytes(graph->n, gpus, cross->cliques) && rows >= graph->n / DENSITY_FEW)
        return side_counts_make(graph, cross->in->trace, gpu, gpus, true, cross->in->threads, &cross->worth.counts,
                                err);
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

/* Copies in the order of what they save: those of the order, and those whose best GPU was full, so that they save less
 * than the next ones in the order. */
struct filling {
    struct cross *cross;
    const uint32_t *order;
    uint64_t at, count;
    struct block block;
    struct copies late;
    double saved;
};

static void filling_free(struct filling *f)
{
    block_free(&f->block);
    copies_free(&f->late);
}

/* Of the next one in the order; 0: there is none. */
static uint64_t first_key(const struct filling *f)
{
    uint64_t key[CLIQUES_MOST], items = f->cross->items;
    if (f->at == f->count) return 0;
    if (f->at % BLOCK) return f->block.copy[f->at % BLOCK].key;
    if (f->cross->key) return f->cross->key[f->order[f->at]];
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
        return copies_push(&f->late, (struct copy){key, copy}, err);
    PASS(row_list_add(w->topology ? &p->topology[g] : &p->feature[g], w->v, err));
    cross->room[g] -= w->bytes;
    cross_worth_mark(cross->covered[w->topology], w->v, w->covered | cross->worth.reach[g]);
    f->saved += gain[g];
    return ST_OK;
}

/* The next copy; *fits as above. */
static enum st place_next(struct filling *f, bool *fits, struct err *err)
{
    const struct cross *cross = f->cross;
    uint64_t gpus = (uint64_t)cross->plan->assignment.gpus, k = f->at % BLOCK;
    bool put_off = late_is_next(f);
    uint32_t copy = put_off ? copies_pop(&f->late).number : f->order[f->at];
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

static enum st sort_copies(struct cross *cross, uint32_t **order, uint64_t *count, struct err *err)
{
    const uint64_t items = cross->items * (uint64_t)cross->cliques,
                   worths = cross->items * (uint64_t)cross->plan->assignment.gpus;
    uint64_t budget = 0;
    OWNED_NEW(uint64_t, key, items, "densities");
    const uint64_t kept = cross_clique_kept_bytes(cross->items, cross->plan->assignment.gpus, cross->cliques);
    if (kept > sizeof *key * items) MAKE(cross->kept, worths, "what copies of rows are worth");
    for (int g = 0; g < cross->plan->assignment.gpus; g++) budget += cross->plan->budget[g];
#pragma omp parallel for schedule(static, 4096) num_threads(cross->in->threads)
    for (uint64_t i = 0; i < cross->items; i++) {
        uint64_t mine[CLIQUES_MOST];
        rank_item(cross, i, mine);
        for (int k = 0; k < cross->cliques; k++) key[(uint64_t)k * cross->items + i] = mine[k];
    }
    PASS(density_order(cross->in, key, items, 2 * budget, order, count,
                       err)); /* twice: some copies turn out to be of no use */
    if (kept) cross->key = TAKE(key);
    return ST_OK;
}

enum st cross_clique_fill(const struct policy_input *in, struct plan *plan, double *saved, struct err *err)
{
    enum st st = ST_OK;
    uint64_t count = 0;
    OWNED uint32_t *order = NULL;
    char *covered[2] = {NULL, NULL};
    struct cross cross = {.in = in, .plan = plan, .items = graph_items(in->graph), .cliques = plan->assignment.cliques};
    memcpy(cross.room, plan->budget, sizeof cross.room);
    set_peers(in->server, plan);
    cross.worth = cross_worth_of(in, plan);
    TRY(sort_copies(&cross, &order, &count, err));
    TRY(cross_worth_marks(&cross.worth, cross.covered, covered, err));
    TRY(make_counts(&cross, count, err));
    TRY(fill_cross_clique(&cross, order, count, saved, err));
done:
    for (int k = 0; k < 2; k++) mem_free(covered[k]);
    mem_free(cross.kept);
    mem_free(cross.key);
    side_counts_release(&cross.worth.counts);
    return st;
}
