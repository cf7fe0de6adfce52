/* single-type - feature rows of the one type that saves the most if all of it is held, in the order of hotset: what
 * planning for one node type of a graph with several comes to. */
#include <string.h>

#include "planner/policies/density.h"

/* The table of the type whose feature rows would save the most if all were held. */
static int best_type(const struct graph *g, const struct estimates *e)
{
    double most = -1;
    int best = 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        double sum = 0;
        if (table.kind != ROWS_FEATURE) continue;
        for (uint64_t i = 0; i < table.count; i++) sum += (double)e->feature[table.first - graph_topology_rows(g) + i];
        if (sum > most) best = k;
        most = sum > most ? sum : most;
    }
    return best;
}

static void set_keys(const struct policy_input *in, int clique, uint64_t *key)
{
    const struct graph *g = in->graph;
    const struct estimates *e = &in->estimates[clique];
    int k = best_type(g, e);
    const struct row_table table = graph_table(g, k);
    memset(key, 0, graph_items(g) * sizeof *key);
    for (uint64_t i = table.first; i < table.first + table.count && graph_table_there(g, k); i++)
        key[i] = density_key((double)e->feature[i - graph_topology_rows(g)], table.cached_bytes) | 1;
}

static enum st single_type_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                 struct err *err)
{
    return density_place_by(in, set_keys, plan, verdict, err);
}

const struct policy policy_single_type = {.name = "single-type",
                                          .summary = "feature rows of the one type that saves the most",
                                          .source = "this project",
                                          .hotness = "calibrated",
                                          .choice = HOTNESS_RATES,
                                          .assignment = ASSIGNMENT_HIERARCHICAL,
                                          .any_deal = true,
                                          .needs_estimates = true,
                                          .of_types = true,
                                          .reaches = REACHES_ALL,
                                          .place = single_type_place};
