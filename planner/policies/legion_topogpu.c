/* legion-topogpu - Legion with the whole topology replicated on every GPU; features by CSLP in what is left, or out
 * of memory (Legion, section 6.4). */
#include <stdio.h>

#include "base/units.h"
#include "planner/policies/place.h"

/* Sets the verdict when some GPU's budget cannot hold the topology. */
static void check_room(const struct policy_input *in, const struct plan *plan, struct policy_verdict *verdict)
{
    uint64_t need = 4 * in->graph->m + 8 * graph_topology_rows(in->graph);
    char want[UNIT_TEXT], have[UNIT_TEXT];
    for (int i = 0; i < plan->assignment.gpus; i++) {
        if (plan->budget[i] >= need) continue;
        verdict->status = POLICY_OOM;
        snprintf(verdict->reason, sizeof verdict->reason,
                 "every GPU must hold the whole topology, %s (%llu bytes), but GPU %d's budget is %s",
                 units_bytes(want, need), (unsigned long long)need, plan->assignment.id[i],
                 units_bytes(have, plan->budget[i]));
        return;
    }
}

static enum st legion_topogpu_fill(const struct policy_input *in, const struct candidates *c, int clique,
                                   const void *context, struct plan *plan, uint64_t *room, struct err *err)
{
    (void)context;
    for (int i = 0; i < plan->assignment.gpus; i++)
        if (plan->assignment.clique_of[i] == clique)
            PASS(place_prefix(in->graph, c->topology, c->topologies, true, i, plan, room, err));
    return place_cslp(in, c->feature, c->features, false, clique, plan, room, err);
}

static enum st legion_topogpu_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                    struct err *err)
{
    check_room(in, plan, verdict);
    if (verdict->status != POLICY_OK) return ST_OK;
    return place_cliques(in, false, legion_topogpu_fill, NULL, plan, err);
}

const struct policy policy_legion_topogpu = {.name = "legion-topogpu",
                                             .summary = "legion with the whole topology on every GPU, or out of memory",
                                             .source = "Legion, section 6.4",
                                             .hotness = "presample",
                                             .choice = HOTNESS_ANY,
                                             .assignment = ASSIGNMENT_HIERARCHICAL,
                                             .any_deal = true,
                                             .aligned_rows = true,
                                             .place = legion_topogpu_place};
