/* legion-public - what Legion's released code makes of Legion's plan, for those who must predict that runtime.
 *
 * Followed, because they change what is held: the r-th hottest row goes to GPU r mod Kg instead of where it is
 * hottest; PCM is switched off, so topology saves nothing in the cost model; its sweep starts at alpha = 1 %; a split
 * whose features all fit counts as saving nothing. Together: the smallest alpha of 1 % and more that leaves a feature
 * out. Not followed: the row that overruns the topology's share (budgets are kept here), and what is about input
 * rather than plans (contiguous GPU ids, fixed fan-outs, float features). */
#include "kernels/kernel.h"
#include "planner/policies/place.h"

/* All of the budget for topology leaves every feature out, so there is one. */
static const struct sweep_point *split(const struct candidates *c, uint64_t n)
{
    int i = 1;
    while (i < SWEEP_STEPS && c->points[i].rows_feature >= n) i++;
    return &c->points[i];
}

static enum st legion_public_fill(const struct policy_input *in, const struct candidates *c, int clique,
                                  const void *context, struct plan *plan, uint64_t *room, struct err *err)
{
    const struct sweep_point *p = split(c, in->graph->n);
    (void)context;
    PASS(place_dealt(in->graph, c->topology, p->rows_topology, true, clique, plan, room, err));
    return place_dealt(in->graph, c->feature, p->rows_feature, false, clique, plan, room, err);
}

static enum st legion_public_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                   struct err *err)
{
    (void)verdict;
    return place_cliques(in, true, legion_public_fill, NULL, plan, err);
}

const struct policy policy_legion_public = {.name = "legion-public",
                                            .summary = "legion as its released code places rows: round-robin over a "
                                                       "clique, almost all memory for features",
                                            .source = "Legion's released code",
                                            .hotness = "presample",
                                            .choice = HOTNESS_ANY,
                                            .assignment = ASSIGNMENT_HIERARCHICAL,
                                            .any_deal = true,
                                            .aligned_rows = true,
                                            .one_relation = "Legion's released code reads one matrix of features and "
                                                            "one CSR",
                                            .place = legion_public_place};
