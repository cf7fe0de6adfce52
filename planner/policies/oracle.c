/* oracle - the best static plan for the evaluated epochs themselves: rows of both kinds in the order of transactions
 * saved per byte, then what still fits (model/density.md and model/policies.md). It stays inside cliques, so links
 * between cliques can beat it. It has seen what it is judged on: a ceiling to compare with, not a method. */
#include "planner/policies/density.h"

static void set_keys(const struct policy_input *in, int clique, uint64_t *key)
{
    const struct graph *g = in->graph;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        const uint64_t *saved = table.kind == ROWS_TOPOLOGY
                                    ? in->benefit_topology[clique] + table.first
                                    : in->benefit_feature[clique] + table.first - graph_topology_rows(g);
        for (uint64_t i = 0; i < table.count && graph_table_there(g, k); i++)
            key[table.first + i] = density_key((double)saved[i], row_table_bytes(g, &table, i));
    }
}

static enum st oracle_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    return density_place_by(in, set_keys, plan, verdict, err);
}

const struct policy policy_oracle = {.name = "oracle",
                                     .summary = "rows that save most in the held-out epochs themselves, per clique: a "
                                                "reference, not a method",
                                     .source = "PaGraph, figure 11",
                                     .hotness = "evaluation",
                                     .assignment = ASSIGNMENT_HIERARCHICAL,
                                     .any_deal = true,
                                     .plans_deal = true,
                                     .saw_evaluation = true,
                                     .one_order = true,
                                     .reaches = REACHES_ALL,
                                     .place = oracle_place};
