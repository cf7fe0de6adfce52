/* legion+density - first step from legion to hotset: both kinds in the order of expected transactions saved per byte,
 * from the same raw counts, split by the same 1 % grid (model/density.md, first remedy). */
#include "base/mem.h"
#include "planner/policies/density.h"
#include "planner/policies/place.h"

enum { FIXED_BITS = 20 }; /* the sweep adds transactions in units of 2^-20 */

/* key: density; hot: transactions saved per epoch. Returns their sum. */
static uint64_t set_keys(const struct policy_input *in, const float *saved, bool topology, uint64_t *key, uint64_t *hot)
{
    const struct graph *g = in->graph;
    uint64_t sum = 0, first = topology ? 0 : graph_topology_rows(g), rows = graph_kind_rows(g, topology);
    for (uint64_t v = 0; v < rows; v++) {
        uint64_t bytes = graph_item_bytes(g, first + v);
        key[v] = bytes ? density_key(saved[v], bytes) : 0;
        sum += hot[v] = saved[v] > 0 ? (uint64_t)((double)saved[v] * (1 << FIXED_BITS)) : 0;
    }
    return sum;
}

static enum st rank(const struct policy_input *in, const struct plan *plan, int clique, struct candidates *out,
                    struct err *err)
{
    OWNED_BY(candidates_free)
    struct candidates c = {.topologies = graph_topology_rows(in->graph), .features = graph_feature_rows(in->graph)};
    struct sweep_scale scale = {.epochs = (uint64_t)1 << FIXED_BITS, .lines = 1};
    OWNED_NEW(uint64_t, key, graph_most_rows(in->graph), "densities");
    OWNED_NEW(uint64_t, hot_t, c.topologies, "savings of rows");
    OWNED_NEW(uint64_t, hot_f, c.features, "savings of rows");
    MAKE(c.topology, c.topologies, "an order of vertices");
    MAKE(c.feature, c.features, "an order of vertices");
    scale.n_tsum = set_keys(in, in->estimates[clique].topology, true, key, hot_t);
    PASS(in->kernels->sort_hottest(in->threads, key, c.topologies, c.topology, err));
    set_keys(in, in->estimates[clique].feature, false, key, hot_f);
    PASS(in->kernels->sort_hottest(in->threads, key, c.features, c.feature, err));
    candidates_there(in->graph, &c);
    PASS(candidates_sweep(in, plan, clique, &scale, hot_t, hot_f, &c, err));
    *out = c;
    c = (struct candidates){0};
    return ST_OK;
}

static enum st legion_density_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                    struct err *err)
{
    OWNED_BY(candidates_free) struct candidates c = {0};
    uint64_t room[GPUS_MAX];
    int point;
    if (!place_alpha(in->option[0], &point, verdict)) return ST_OK;
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int k = 0; k < plan->assignment.cliques; k++) {
        PASS(rank(in, plan, k, &c, err));
        PASS(place_swept(in, &c, point, k, plan, room, err));
        candidates_free(&c);
    }
    return ST_OK;
}

const struct policy policy_legion_density = {.name = "legion+density",
                                             .summary = "legion with rows ranked by transactions saved per byte; split "
                                                        "in steps of 1 %",
                                             .source = "this project",
                                             .hotness = "presample",
                                             .choice = HOTNESS_RATES,
                                             .assignment = ASSIGNMENT_HIERARCHICAL,
                                             .any_deal = true,
                                             .needs_estimates = true,
                                             .options = {PLACE_ALPHA},
                                             .place = legion_density_place};
