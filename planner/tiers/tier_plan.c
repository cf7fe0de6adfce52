#include "planner/tiers/tier_plan.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/nodes/nodes_server.h"
#include "planner/partition/assign.h"
#include "planner/partition/locality.h"
#include "planner/places/place_in_order.h"
#include "planner/places/place_solve.h"

const char *tier_way_name(enum tier_way w)
{
    static const char *const names[] = {"one problem", "tier by tier", "homes only"};
    return names[w];
}

void tier_result_release(struct tier_result *x)
{
    assignment_release(&x->assignment);
    mem_free(x->bytes);
    for (int w = 0; w < TIER_WAYS; w++) place_solution_release(&x->way[w]);
    tier_lists_release(&x->lists);
    memset(x, 0, sizeof *x);
}

/* ---- who trains what ---- */

/* Several nodes: parts of the graph per node first, then per GPU; cliques are those of each node's server. */
static enum st assign_nodes(const struct tier_work *w, uint8_t *part, struct tier_result *x, struct err *err)
{
    enum st st;
    const struct server *s = w->request.server;
    struct assignment *a = &x->assignment;
    struct server *all = nodes_server(w->request.nodes, s->gpus, err);
    if (!all) return err->code;
    TRY(assign_nested(w->graph, all, &w->partition, part, a, &x->report, err));
    a->cliques = w->request.nodes * s->cliques;
    for (int i = 0; i < a->gpus; i++) a->clique_of[i] = i / s->gpus * s->cliques + s->clique_of[i % s->gpus];
done:
    mem_free(all);
    return st;
}

static enum st assign(const struct tier_work *w, struct tier_result *x, struct err *err)
{
    enum st st;
    uint8_t *part = NULL;
    NEW(part, w->graph->n, "the parts of GPUs");
    if (w->request.nodes > 1) TRY(assign_nodes(w, part, x, err));
    else TRY(assign_nested(w->graph, w->request.server, &w->partition, part, &x->assignment, &x->report, err));
    TRY(locality_order(w->graph, w->workload, w->threads, &x->assignment, err));
done:
    mem_free(part);
    return st;
}

static enum st record(const struct tier_work *w, const struct tier_result *x, uint64_t seed, uint64_t epochs,
                      bool folds, struct trace *out, struct err *err)
{
    struct workload workload = *w->workload;
    struct trace_options o = {.epochs = epochs,
                              .line_bytes = w->request.line_bytes,
                              .threads = w->threads,
                              .progress = w->progress,
                              .folds = folds,
                              .server_name = w->request.server->name,
                              .server_fingerprint = w->request.server->fingerprint,
                              .kernels = w->kernels};
    workload.seed = seed;
    return trace_record(w->graph, &x->assignment, &workload, &o, out, err);
}

static struct tier_source source_of(const struct tier_work *w, const struct trace *t)
{
    return (struct tier_source){.graph = w->graph,
                                .trace = t,
                                .kernels = w->kernels,
                                .line_bytes = w->request.line_bytes,
                                .threads = w->threads,
                                .server_gpus = w->request.server->gpus};
}

/* ---- the problem ---- */

/* Every reader stands for two in the problem: one that needs lines of neighbour lists, one that needs feature rows,
 * because the two cost differently. */
static void set_problem(const struct tier_result *x, const struct tier_reads *reads, struct place_problem *p)
{
    const struct tier_machine *m = &x->machine;
    *p = (struct place_problem){.rows = 2 * reads->n,
                                .readers = TIER_ROWS * m->readers,
                                .places = m->places,
                                .bytes = x->bytes,
                                .homes = tier_homes(m)};
    for (int k = 0; k < m->places; k++) p->capacity[k] = m->place[k].capacity;
    for (int row = 0; row < TIER_ROWS; row++)
        for (int i = 0; i < m->readers; i++) {
            int at = row * m->readers + i;
            p->demand[at] = tier_reads_of(reads, i, (enum tier_row)row);
            memcpy(p->cost[at], m->cost[row][i], sizeof p->cost[at]);
        }
}

static enum st set_bytes(const struct graph *g, struct tier_result *x, struct err *err)
{
    enum st st = ST_OK;
    NEW(x->bytes, 2 * g->n + 1, "the bytes of rows");
    for (uint64_t v = 0; v < g->n; v++) {
        x->bytes[v] = graph_topology_bytes(g, v);
        x->bytes[g->n + v] = g->row_bytes;
    }
done:
    return st;
}

/* What the clique at place k reads, and what of it the solution does not have there. */
static struct tier_asked ask(const struct tier_work *w, const struct tier_result *x, const struct tier_reads *reads,
                             int k)
{
    const struct tier_place *place = &x->machine.place[k];
    const place_set *held = x->way[TIERS_ONE].held;
    struct tier_asked sum = {0};
    uint64_t n = reads->n;
    for (int i = 0; i < x->machine.readers; i++) {
        const struct tier_reader *r = &x->machine.reader[i];
        const float *lines = tier_reads_of(reads, i, TIER_TOPOLOGY), *rows = tier_reads_of(reads, i, TIER_FEATURE) + n;
        for (uint64_t v = 0; r->node == place->node && r->clique == place->clique && v < n; v++) {
            sum.features += (double)rows[v];
            if (!(held[v] >> k & 1)) sum.lines_missed += (double)lines[v];
            if (held[n + v] >> k & 1) continue;
            sum.features_missed += (double)rows[v];
            sum.feature_lines_missed += (double)rows[v] *
                                        (double)cachelines_of_feature(v, w->request.row_bytes, w->request.line_bytes);
        }
    }
    return sum;
}

/* Deals the rows of cliques to single GPUs, of both ways, so that both can be had; of one problem the cheaper. */
static enum st deal(const struct tier_work *w, const struct trace *t, const struct place_problem *p,
                    struct tier_result *x, struct err *err)
{
    enum st st;
    struct tier_lists other = {0};
    struct place_solution *one = &x->way[TIERS_ONE], *order = &x->way[TIERS_ORDER];
    TRY(tier_lists_make(&w->request, &x->machine, p, t, one, &x->lists, err));
    TRY(tier_lists_make(&w->request, &x->machine, p, t, order, &other, err));
    if (order->cost < one->cost) {
        struct tier_lists lists = x->lists;
        x->lists = other;
        other = lists;
        memcpy(one->held, order->held, p->rows * sizeof *one->held);
        TRY(place_judge(p, one, err));
    }
done:
    tier_lists_release(&other);
    return st;
}

static enum st solve(const struct tier_work *w, const struct trace *t, const struct tier_reads *reads,
                     struct tier_result *x, struct err *err)
{
    enum st st;
    struct place_problem p;
    const place_set tier[] = {tier_places_of(&x->machine, TIER_GPUS), tier_places_of(&x->machine, TIER_DRAM)};
    set_problem(x, reads, &p);
    TRY(place_check(&p, err));
    TRY(place_in_order(&p, tier, 0, &x->way[TIERS_HOMES], err));
    TRY(place_in_order(&p, tier, 2, &x->way[TIERS_ORDER], err));
    TRY(place_solve(&p, &x->way[TIERS_ORDER], w->threads, &x->way[TIERS_ONE], &x->prices, err));
    TRY(deal(w, t, &p, x, err));
    for (int i = 0; i < TIER_WAYS; i++) x->predicted[i] = x->way[i].cost;
    for (int k = 0; k < p.places; k++)
        if (x->machine.place[k].kind == TIER_GPUS) x->asked[k] = ask(w, x, reads, k);
done:
    return st;
}

/* ---- held-out epochs ---- */

/* The place of the set that is cheapest for the reader; the lowest of equal ones. */
static int cheapest(const struct place_problem *p, int reader, place_set held)
{
    int best = -1;
    for (int k = 0; k < p->places; k++)
        if (held >> k & 1 && (best < 0 || p->cost[reader][k] < p->cost[reader][best])) best = k;
    return best;
}

static void count_way(const struct place_problem *p, const struct place_solution *s, struct tier_served *served)
{
    for (int r = 0; r < p->readers; r++)
        for (uint64_t i = 0; i < p->rows; i++) {
            double demand = (double)p->demand[r][i];
            if (!(demand > 0)) continue;
            int k = cheapest(p, r, s->held[i]);
            *(i < p->rows / 2 ? &served[k].lines : &served[k].features) += demand;
            served[k].seconds += demand * p->cost[r][k];
        }
}

static enum st count(const struct tier_work *w, struct tier_result *x, struct err *err)
{
    enum st st;
    struct trace t = {0};
    struct tier_reads reads = {0};
    struct place_problem p;
    TRY(record(w, x, w->seed, w->epochs, false, &t, err));
    struct tier_source s = source_of(w, &t);
    TRY(tier_reads_count(&s, &x->machine, &reads, err));
    set_problem(x, &reads, &p);
    for (int i = 0; i < TIER_WAYS; i++) {
        count_way(&p, &x->way[i], x->served[i]);
        for (int k = 0; k < p.places; k++) x->simulated[i] += x->served[i][k].seconds;
    }
done:
    tier_reads_release(&reads);
    trace_release(&t);
    return st;
}

enum st tier_plan_make(const struct tier_work *w, struct tier_result *out, struct err *err)
{
    enum st st;
    struct trace t = {0};
    struct tier_reads reads = {0};
    struct tier_request r = w->request;
    r.line_blocks = 1;
    TRY(tier_machine_make(&r, &out->machine, err)); /* early: what cannot be planned is said before work begins */
    TRY(set_bytes(w->graph, out, err));
    TRY(assign(w, out, err));
    TRY(record(w, out, w->workload->seed, w->presample_epochs, true, &t, err));
    struct tier_source s = source_of(w, &t);
    if (r.drives.count) TRY(tier_line_blocks(&s, r.drives.block_bytes, &r.line_blocks, err));
    TRY(tier_costs_set(&r, &out->machine, err));
    TRY(tier_reads_expect(&s, &out->machine, &reads, err));
    TRY(solve(w, &t, &reads, out, err));
    tier_reads_release(&reads);
    trace_release(&t);
    TRY(count(w, out, err));
done:
    tier_reads_release(&reads);
    trace_release(&t);
    return st;
}
