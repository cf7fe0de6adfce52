#include "planner/policies/place.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "kernels/search.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/cslp_rows.h"
#include "planner/policies/density.h"
#include "traces/recording/trace_rows.h"
#include "traces/recording/wide_counts.h"

static struct row_list *lists_of(struct plan *plan, bool topology)
{
    return topology ? plan->placement.topology : plan->placement.feature;
}

static int members(const struct plan *plan, int clique, int *out)
{
    int k = 0;
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == clique) out[k++] = g;
    return k;
}

/* Filling in an order. The first row that fits nowhere ends its table. */
struct filling {
    const struct graph *g;
    int tables; /* that go on */
    bool ended[GRAPH_TABLES_MAX];
};

static void filling_begin(struct filling *f, const struct graph *g, bool topology)
{
    memset(f, 0, sizeof *f);
    f->g = g;
    for (int k = 0; k < graph_tables(g); k++)
        f->tables += graph_table_there(g, k) && (graph_table(g, k).kind == ROWS_TOPOLOGY) == topology;
}

/* Bytes of an item; 0: it is passed over. */
static inline uint64_t filling_bytes(const struct filling *f, uint64_t item)
{
    if (f->ended[graph_table_of(f->g, item)]) return 0;
    return graph_item_bytes(f->g, item);
}

/* The item fits nowhere. Returns whether nothing can follow. */
static bool filling_ends(struct filling *f, uint64_t item)
{
    f->ended[graph_table_of(f->g, item)] = true;
    return --f->tables == 0;
}

/* Item of row 0 of a kind. */
static inline uint64_t first_item(const struct graph *g, bool topology)
{
    return topology ? 0 : graph_topology_rows(g);
}

enum st place_dealt(const struct graph *g, const uint32_t *order, uint64_t count, bool topology, int clique,
                    struct plan *plan, uint64_t *room, struct err *err)
{
    struct filling f;
    int gpu[GPUS_MAX], k = members(plan, clique, gpu), next = 0;
    filling_begin(&f, g, topology);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t item = first_item(g, topology) + order[i], bytes = filling_bytes(&f, item);
        int tries = 0;
        if (!bytes) continue;
        while (tries < k && room[gpu[next]] < bytes) {
            next = (next + 1) % k;
            tries++;
        }
        if (tries == k) {
            if (filling_ends(&f, item)) break;
            continue;
        }
        PASS(row_list_add(&lists_of(plan, topology)[gpu[next]], order[i], err));
        room[gpu[next]] -= bytes;
        next = (next + 1) % k;
    }
    return ST_OK;
}

enum st place_prefix(const struct graph *g, const uint32_t *order, uint64_t count, bool topology, int gpu,
                     struct plan *plan, uint64_t *room, struct err *err)
{
    struct filling f;
    filling_begin(&f, g, topology);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t item = first_item(g, topology) + order[i], bytes = filling_bytes(&f, item);
        if (!bytes) continue;
        if (room[gpu] >= bytes) {
            PASS(row_list_add(&lists_of(plan, topology)[gpu], order[i], err));
            room[gpu] -= bytes;
        } else if (filling_ends(&f, item)) {
            break;
        }
    }
    return ST_OK;
}

uint64_t place_fitting(const struct graph *g, const uint32_t *order, uint64_t count, uint64_t bytes)
{
    uint64_t i = 0, held = 0;
    while (i < count && (held += graph_item_bytes(g, first_item(g, false) + order[i])) <= bytes) i++;
    return i;
}

enum st place_prefix_items(const struct graph *g, const uint32_t *order, uint64_t count, int gpu, struct plan *plan,
                           uint64_t *room, struct err *err)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = graph_item_bytes(g, order[i]);
        if (bytes > room[gpu]) break;
        if (bytes) PASS(placement_add(&plan->placement, g, gpu, order[i], err));
        room[gpu] -= bytes;
    }
    return ST_OK;
}

enum st place_topology_of(const struct graph *g, const uint32_t *vertices, uint64_t count, struct row_order *out,
                          struct err *err)
{
    struct row_order o = {vertices, count, NULL};
    if (!graph_plain(g)) {
        MAKE(o.own, g->topology_rows, "an order of rows");
        o.row = o.own;
        o.count = 0;
        for (uint64_t i = 0; i < count; i++) {
            const struct graph_type *t = &g->type[graph_type_of(g, vertices[i])];
            for (int k = 0; k < t->into_count; k++)
                o.own[o.count++] = (uint32_t)(g->relation[t->into[k]].first_row + vertices[i] - t->first);
        }
    }
    *out = o;
    return ST_OK;
}

/* A clique's counts, and the search over them while candidates live. */
struct clique_search {
    struct wide_counts hot[SEARCH_KINDS];
    struct search *search;
    const struct trace *trace;
    int gpus, gpu[GPUS_MAX];
};

/* Appends order[i] to the list of gpu[owner[i]]. */
static enum st take_rows(struct row_list *lists, const int *gpu, int gpus, const uint32_t *order, const uint8_t *owner,
                         uint64_t held, struct err *err)
{
    enum st st = ST_OK;
    uint64_t each[GPUS_MAX] = {0};
    for (uint64_t i = 0; i < held; i++) each[owner[i]]++;
    for (int i = 0; i < gpus; i++) {
        struct row_list *l = &lists[gpu[i]];
        GROW(l->id, l->count + each[i], "the rows of a plan");
        l->capacity = l->count + each[i];
    }
    for (uint64_t i = 0; i < held; i++) {
        struct row_list *l = &lists[gpu[owner[i]]];
        l->id[l->count++] = order[i];
    }
done:
    return st;
}

/* Whether the search was over the counts of these GPUs. */
static bool searched(const struct clique_search *s, const struct trace *t, const int *gpu, int gpus)
{
    return s && s->trace == t && s->gpus == gpus && !memcmp(gpu, s->gpu, (size_t)gpus * sizeof *gpu);
}

/* CSLP of a prefix, of several types: row by row, as density_fill chooses GPUs. */
static enum st assign_types(const struct policy_input *in, const uint32_t *order, uint64_t count, bool topology,
                            int clique, struct plan *plan, uint64_t *room, struct err *err)
{
    const struct graph *g = in->graph;
    struct filling f;
    int gpu[GPUS_MAX], k = members(plan, clique, gpu);
    filling_begin(&f, g, topology);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t item = first_item(g, topology) + order[i], bytes = filling_bytes(&f, item);
        if (!bytes) continue;
        int to = density_hottest(in, gpu, k, item, room);
        if (to >= 0) {
            PASS(placement_add(&plan->placement, g, to, item, err));
            room[to] -= bytes;
        } else if (filling_ends(&f, item)) {
            break;
        }
    }
    return ST_OK;
}

/* CSLP of a prefix, by the search where there is one. */
static enum st assign_prefix(const struct policy_input *in, const struct clique_search *s, const uint32_t *order,
                             uint64_t count, bool topology, int clique, struct plan *plan, uint64_t *room,
                             struct err *err)
{
    int gpu[GPUS_MAX], k = members(plan, clique, gpu);
    struct count_row counts[GPUS_MAX];
    uint64_t left[GPUS_MAX], held = 0;
    if (!graph_plain(in->graph)) return assign_types(in, order, count, topology, clique, plan, room, err);
    for (int i = 0; i < k; i++) {
        counts[i] = topology ? in->trace->topology[gpu[i]] : in->trace->feature[gpu[i]];
        left[i] = room[gpu[i]];
    }
    OWNED_NEW(uint8_t, owner, count, "owners of rows");
    if (!searched(s, in->trace, gpu, k)) s = NULL;
    if (!s || !search_facts(s->search).resident) trace_prefetch_pages(in->trace, clique);
    if (s)
        PASS(search_assign(s->search, 0, topology ? SEARCH_TOPOLOGY : SEARCH_FEATURE, order, count, left, owner, &held,
                           err));
    else PASS(cslp_rows(in, counts, k, order, count, topology, left, owner, &held, err));
    PASS(take_rows(lists_of(plan, topology), gpu, k, order, owner, held, err));
    for (int i = 0; i < k; i++) room[gpu[i]] = left[i];
    return ST_OK;
}

enum st place_cslp(const struct policy_input *in, const uint32_t *order, uint64_t count, bool topology, int clique,
                   struct plan *plan, uint64_t *room, struct err *err)
{
    return assign_prefix(in, NULL, order, count, topology, clique, plan, room, err);
}

/* ---- Legion's candidates ---- */

/* Whether rows are ranked by the trace's own counts. */
static bool by_counts(const struct policy_input *in) { return !strcmp(in->hotness, "presample"); }

/* hot[v]: the clique's keys; order: hottest first. */
static enum st rank_clique(const struct policy_input *in, int clique, bool topology, uint64_t *hot, uint32_t *order,
                           struct err *err)
{
    struct hotness_input h = {.graph = in->graph,
                              .trace = in->trace,
                              .kernels = in->kernels,
                              .threads = in->threads,
                              .seed = in->seed,
                              .one_clique = true,
                              .clique = clique,
                              .topology = topology};
    enum st st = hotness_keys(in->hotness, &h, hot, err);
    return st == ST_OK ? in->kernels->sort_hottest(in->threads, hot, graph_kind_rows(in->graph, topology), order, err)
                       : st;
}

enum { SCALE_BITS = 10 }; /* the cost model counts foreign keys in 1/1024 of a read */

/* Keys of another metric, so that they sum to the reads that the clique recorded: the metric says which share a row
 * has, the trace how many. */
static void scale_keys(const struct policy_input *in, int clique, bool topology, uint64_t *hot)
{
    unsigned __int128 all = 0, reads = 0;
    const struct graph *graph = in->graph;
    for (uint64_t v = 0; v < graph_kind_rows(graph, topology); v++) {
        all += hot[v];
        for (int g = 0; g < in->trace->assignment.gpus; g++) {
            if (in->trace->assignment.clique_of[g] != clique) continue;
            reads += trace_item_heat(in->trace, graph, first_item(graph, topology) + v, g);
        }
    }
    for (uint64_t v = 0; v < graph_kind_rows(graph, topology) && all; v++) {
        unsigned __int128 part = hot[v], whole = all;
        while (whole >> 64) { /* sums of hashes may pass 64 bits; the product below must not pass 128 */
            whole >>= 1;
            part >>= 1;
        }
        hot[v] = (uint64_t)(part * (reads << SCALE_BITS) / whole);
    }
}

/* Legion's cost model over another metric's keys. */
static enum st sweep_keys(const struct policy_input *in, const struct plan *plan, int clique, uint64_t *hot_topology,
                          uint64_t *hot_feature, struct candidates *c, struct err *err)
{
    const struct sweep_scale s = {in->trace->n_tsum[clique] << SCALE_BITS, in->trace->epochs << SCALE_BITS, 1};
    scale_keys(in, clique, true, hot_topology);
    scale_keys(in, clique, false, hot_feature);
    candidates_weigh_lines(in->graph, plan->line_bytes, hot_feature);
    return candidates_sweep(in, plan, clique, &s, hot_topology, hot_feature, c, err);
}

static void rest_rows(const void *trace) { trace_drop_pages(trace); }

/* The clique's own counts: orders and points from one search, which stays open. */
static enum st search_counts(const struct policy_input *in, const struct plan *plan, int clique, bool sweep,
                             struct candidates *c, struct err *err)
{
    const struct graph *g = in->graph;
    const struct trace *t = in->trace;
    struct search_variant v = {0, t->n_tsum[clique], (g->row_bytes + plan->line_bytes - 1) / plan->line_bytes,
                               t->epochs};
    struct search_problem p = {.n = g->n,
                               .indptr = g->indptr,
                               .row_bytes = graph_cached_bytes(g),
                               .variant = &v,
                               .variants = sweep,
                               .steps = SWEEP_STEPS,
                               .was_read = rest_rows,
                               .of = t};
    MAKE(c->search, 1, "the candidate search");
    struct count_row hot[SEARCH_KINDS][GPUS_MAX];
    for (int i = 0; i < t->assignment.gpus; i++) {
        if (t->assignment.clique_of[i] != clique) continue;
        hot[SEARCH_TOPOLOGY][p.gpus] = t->topology[i];
        hot[SEARCH_FEATURE][p.gpus] = t->feature[i];
        c->search->gpu[p.gpus++] = i;
    }
    for (int i = 0; i < plan->assignment.gpus; i++)
        if (plan->assignment.clique_of[i] == clique) v.budget += plan->budget[i];
    c->search->gpus = p.gpus;
    c->search->trace = t;
    for (int kind = 0; kind < SEARCH_KINDS; kind++) {
        PASS(wide_counts_make(hot[kind], p.gpus, 0, g->n, in->threads, &c->search->hot[kind], err));
        p.hot[kind] = c->search->hot[kind].row;
    }
    if (sweep) MAKE(c->points, SWEEP_STEPS + 1, "the sweep");
    struct search_result r = {{c->topology, c->feature}, c->points};
    return search_run(in->kernels, in->threads, &p, 1, &r, &c->search->search, err);
}

/* Keys of any metric, one kind after the other; the trace's own counts are summed stretch by stretch, and need no scale
 * (with one, the sweep would be the same). */
static enum st rank_keys(const struct policy_input *in, const struct plan *plan, int clique, bool sweep,
                         struct candidates *c, struct err *err)
{
    const struct sweep_scale scale = {in->trace->n_tsum[clique], in->trace->epochs, 1};
    OWNED_NEW(uint64_t, hot_t, c->topologies, "topology hotness");
    PASS(rank_clique(in, clique, true, hot_t, c->topology, err));
    trace_drop_pages(in->trace);
    OWNED_NEW(uint64_t, hot_f, c->features, "feature hotness");
    PASS(rank_clique(in, clique, false, hot_f, c->feature, err));
    candidates_there(in->graph, c);
    if (sweep && by_counts(in)) candidates_weigh_lines(in->graph, plan->line_bytes, hot_f);
    if (sweep)
        PASS(by_counts(in) ? candidates_sweep(in, plan, clique, &scale, hot_t, hot_f, c, err)
                           : sweep_keys(in, plan, clique, hot_t, hot_f, c, err));
    trace_drop_pages(in->trace);
    return ST_OK;
}

/* Whether a search takes the clique's counts: on a device, or where they have 32 bits. Narrow ones would have to be
 * copied, all rows of all GPUs. */
static bool searchable(const struct policy_input *in, const struct plan *plan, int clique)
{
    int gpu[GPUS_MAX], k = members(plan, clique, gpu);
    bool wide = true;
    if (!graph_plain(in->graph) || in->graph->weight_bytes) return false; /* it knows rows of ids alone */
    for (int i = 0; i < k; i++)
        wide &= wide_counts_are(&in->trace->topology[gpu[i]], 1) && wide_counts_are(&in->trace->feature[gpu[i]], 1);
    return by_counts(in) && (wide || in->kernels->search);
}

enum st candidates_make(const struct policy_input *in, const struct plan *plan, int clique, bool sweep,
                        struct candidates *out, struct err *err)
{
    OWNED_BY(candidates_free)
    struct candidates c = {.topologies = graph_topology_rows(in->graph), .features = graph_feature_rows(in->graph)};
    MAKE(c.topology, c.topologies, "an order of vertices");
    MAKE(c.feature, c.features, "an order of vertices");
    PASS(searchable(in, plan, clique) ? search_counts(in, plan, clique, sweep, &c, err)
                                      : rank_keys(in, plan, clique, sweep, &c, err));
    *out = c;
    memset(&c, 0, sizeof c);
    return ST_OK;
}

void candidates_free(struct candidates *c)
{
    mem_free(c->topology);
    mem_free(c->feature);
    mem_free(c->points);
    if (c->search) search_free(c->search->search);
    for (int kind = 0; c->search && kind < SEARCH_KINDS; kind++) wide_counts_release(&c->search->hot[kind]);
    mem_free(c->search);
    memset(c, 0, sizeof *c);
}

/* Index of the smallest stated total, ties to the smaller alpha. */
static int best_point(const struct sweep_point *points)
{
    int best = 0;
    for (int i = 1; i <= SWEEP_STEPS; i++)
        if (points[i].topology + points[i].feature < points[best].topology + points[best].feature) best = i;
    return best;
}

bool place_alpha(double alpha, int *point, struct policy_verdict *verdict)
{
    double at = alpha * SWEEP_STEPS;
    *point = -1;
    if (isnan(alpha)) return true;
    if (fabs(at - round(at)) > 1e-6) {
        verdict->status = POLICY_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason,
                 "alpha is swept in steps of %g, and %g lies between two steps; take %.2f", 1.0 / SWEEP_STEPS, alpha,
                 round(at) / SWEEP_STEPS);
        return false;
    }
    *point = (int)round(at);
    return true;
}

enum st place_swept(const struct policy_input *in, const struct candidates *c, int point, int clique, struct plan *plan,
                    uint64_t *room, struct err *err)
{
    struct plan_clique *k = &plan->clique[clique];
    int best = point < 0 ? best_point(c->points) : point;
    k->alpha = best / 100.0;
    MAKE(k->sweep, SWEEP_STEPS + 1, "the sweep");
    k->sweep_count = SWEEP_STEPS + 1;
    for (int i = 0; i <= SWEEP_STEPS; i++)
        k->sweep[i] = (struct plan_sweep){i / 100.0, c->points[i].topology, c->points[i].feature};
    PASS(assign_prefix(in, c->search, c->topology, c->points[best].rows_topology, true, clique, plan, room, err));
    PASS(assign_prefix(in, c->search, c->feature, c->points[best].rows_feature, false, clique, plan, room, err));
    trace_drop_pages(in->trace);
    return ST_OK;
}

void place_no_peers(struct plan *plan) { memset(plan->placement.peers, 0, sizeof plan->placement.peers); }

enum st place_cliques(const struct policy_input *in, bool sweep, place_clique *place, const void *context,
                      struct plan *plan, struct err *err)
{
    OWNED_BY(candidates_free) struct candidates c = {0};
    uint64_t room[GPUS_MAX];
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int k = 0; k < plan->assignment.cliques; k++) {
        PASS(candidates_make(in, plan, k, sweep, &c, err));
        PASS(place(in, &c, k, context, plan, room, err));
        candidates_free(&c);
    }
    return ST_OK;
}
