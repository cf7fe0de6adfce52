/* hotset - rows of both kinds in the order of expected transactions saved per byte, from calibrated estimates; one
 * budget per clique, exact to the last row that fits (model/density.md and model/estimates.md). Three remedies over
 * Legion: density instead of hotness, a marginal merge instead of a grid, and estimates that the choice has not seen.
 */
#include <string.h>

#include "base/mem.h"
#include "planner/policies/cross_clique.h"
#include "planner/policies/density.h"
#include "planner/policies/exchange.h"

enum { STEPS = 100 };

static void set_keys(const struct policy_input *in, int clique, uint64_t *key)
{
    density_keys(in, in->estimates[clique].topology, in->estimates[clique].feature, DENSITY_UNSEEN, key);
    if (policy_no_topology(in)) memset(key, 0, graph_topology_rows(in->graph) * sizeof *key);
    if (in->no_edges)
        memset(key + graph_items(in->graph) - in->graph->edge_rows, 0, in->graph->edge_rows * sizeof *key);
}

/* The order of the clique's rows for that budget: from the one that the study keeps, where these are its keys. */
static enum st order_rows(const struct policy_input *in, int clique, uint64_t budget, uint32_t **order, uint64_t *count,
                          struct err *err)
{
    const bool usual = !policy_no_topology(in) && !in->no_edges && !(in->list_price > 0);
    if (usual && in->orders && in->orders[clique].order)
        return density_all_order(in, &in->orders[clique], DENSITY_ENOUGH(budget), order, count, err);
    OWNED_NEW(uint64_t, key, graph_items(in->graph), "densities");
    set_keys(in, clique, key);
    return density_order(in, key, graph_items(in->graph), DENSITY_ENOUGH(budget), order, count, err);
}

/* One kind of rows in density order: what a share of the budget would hold and save. Walks with the shares, which
 * rise for topology and fall for features. */
struct walker {
    const struct policy_input *in;
    const uint32_t *order;
    const struct estimates *e;
    uint64_t count, at, bytes;
    double saved;
    bool topology;
};

/* Takes rows while they fit into `room` bytes. */
static double walk(struct walker *w, uint64_t room)
{
    uint64_t n = graph_topology_rows(w->in->graph);
    for (; w->at < w->count; w->at++) {
        uint32_t x = w->order[w->at];
        if ((x < n) != w->topology) continue;
        uint64_t v = x < n ? x : x - n, bytes = graph_item_bytes(w->in->graph, x);
        if (w->bytes + bytes > room) break;
        w->bytes += bytes;
        w->saved += w->topology ? (double)w->e->topology[v] : (double)w->e->feature[v];
    }
    return w->saved;
}

/* The 1 % grid over the same orders, for the alpha curve and the regret of a grid. */
static enum st make_sweep(const struct policy_input *in, const uint32_t *order, uint64_t count, int clique,
                          uint64_t budget, struct plan_clique *k, struct err *err)
{
    double all_t = 0, all_f = 0;
    const struct estimates *e = &in->estimates[clique];
    struct walker t = {in, order, e, count, 0, 0, 0, true}, f = {in, order, e, count, 0, 0, 0, false};
    MAKE(k->sweep, STEPS + 1, "the sweep");
    k->sweep_count = STEPS + 1;
    for (uint64_t v = 0; v < graph_topology_rows(in->graph); v++) all_t += (double)e->topology[v];
    for (uint64_t v = 0; v < graph_feature_rows(in->graph); v++) all_f += (double)e->feature[v];
    for (int i = 0; i <= STEPS; i++) {
        uint64_t m_t = (uint64_t)((unsigned __int128)budget * (unsigned)i / STEPS),
                 m_f = (uint64_t)((unsigned __int128)budget * (unsigned)i / STEPS);
        double left_t = all_t - walk(&t, m_t), left_f = all_f - walk(&f, m_f);
        k->sweep[i].alpha = i / 100.0;
        k->sweep[i].topology = (uint64_t)(left_t > 0 ? left_t + 0.5 : 0);
        k->sweep[STEPS - i].feature = (uint64_t)(left_f > 0 ? left_f + 0.5
                                                            : 0); /* features have the rest of the budget */
    }
    return ST_OK;
}

static uint64_t clique_budget(const struct plan *plan, int clique)
{
    uint64_t sum = 0;
    for (int g = 0; g < plan->assignment.gpus; g++)
        sum += plan->assignment.clique_of[g] == clique ? plan->budget[g] : 0;
    return sum;
}

void density_set_alpha(const struct policy_input *in, struct plan *plan)
{
    for (int c = 0; c < plan->assignment.cliques; c++) {
        uint64_t topology = 0, budget = clique_budget(plan, c);
        for (int g = 0; g < plan->assignment.gpus; g++)
            topology += plan->assignment.clique_of[g] == c ? placement_topology_bytes(&plan->placement, g, in->graph)
                                                           : 0;
        plan->clique[c].alpha = budget ? (double)topology / (double)budget : 0;
    }
}

/* What the clique-only placement saves, in expected transactions of features. */
static double saved_in_cliques(const struct policy_input *in, const struct plan *plan)
{
    double saved = 0;
    float price = policy_list_price(in);
    for (int g = 0; g < plan->assignment.gpus; g++) {
        const struct estimates *e = &in->estimates[plan->assignment.clique_of[g]];
        const struct row_list *t = &plan->placement.topology[g], *f = &plan->placement.feature[g];
        for (uint64_t i = 0; i < t->count; i++) saved += (double)(e->topology[t->id[i]] * price);
        for (uint64_t i = 0; i < f->count; i++) saved += (double)e->feature[f->id[i]];
    }
    return saved;
}

/* One pool per clique; no GPU reads beyond its own. */
static enum st place_pools(const struct policy_input *in, struct plan *plan, struct err *err)
{
    uint64_t room[GPUS_MAX], count;
    OWNED uint32_t *order = NULL;
    memcpy(room, plan->budget, sizeof room);
    for (int c = 0; c < plan->assignment.cliques; c++) {
        uint64_t budget = clique_budget(plan, c);
        PASS(order_rows(in, c, budget, &order, &count, err));
        PASS(make_sweep(in, order, count, c, budget, &plan->clique[c], err));
        PASS(density_fill(in, order, count, c, plan, room, err));
        trace_drop_pages(in->trace);
        mem_free(order);
        order = NULL;
    }
    return ST_OK;
}

/* Uses links between cliques where that saves more. */
static enum st try_cross_clique(const struct policy_input *in, struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    ON_HEAP(struct placement, alone);
    *alone = plan->placement;
    double with = 0, without = saved_in_cliques(in, plan);
    memset(plan->placement.topology, 0, sizeof plan->placement.topology);
    memset(plan->placement.feature, 0, sizeof plan->placement.feature);
    TRY(cross_clique_fill(in, plan, &with, err));
    if (with > without) {
        placement_release(alone);
    } else { /* its copies serve neighbours beyond their cliques, too */
        memcpy(alone->peer, plan->placement.peer, sizeof alone->peer);
        memcpy(alone->peers, plan->placement.peers, sizeof alone->peers);
        placement_release(&plan->placement);
        plan->placement = *alone;
    }
    return exchange_rows(in, plan, err);
done:
    placement_release(alone);
    return st;
}

enum st density_place(const struct policy_input *in, bool cross_clique, struct plan *plan,
                      struct policy_verdict *verdict, struct err *err)
{
    if (!density_possible(in->graph, verdict)) return ST_OK;
    PASS(place_pools(in, plan, err));
    if (cross_clique && !in->clique_only && cross_clique_usable(in->server, plan, graph_items(in->graph)))
        PASS(try_cross_clique(in, plan, err));
    density_set_alpha(in, plan);
    return ST_OK;
}

static enum st place_hotset(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    plan->placement.access = in->access;
    plan->placement.copies_features = in->cpu_gathers;
    return density_place(in, true, plan, verdict, err);
}

const struct policy policy_hotset = {.name = "hotset",
                                     .summary = "topology and features by expected transactions saved per byte, from "
                                                "calibrated read rates",
                                     .source = "this project",
                                     .hotness = "calibrated",
                                     .choice = HOTNESS_RATES,
                                     .assignment = ASSIGNMENT_HIERARCHICAL,
                                     .any_deal = true,
                                     .plans_deal = true,
                                     .needs_estimates = true,
                                     .one_order = true,
                                     .objectives = 1 << OBJECTIVE_EPOCH,
                                     .plans_sampling = true,
                                     .reaches = REACHES_ALL,
                                     .place = place_hotset};
