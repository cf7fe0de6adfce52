/* legion - CSLP over pre-sampled hotness, topology and features in one budget, split by the cost model's sweep (Legion, ATC'23, sections 4.2-4.3;
 * model: sections 5 and 7.1). */
#include "base/mem.h"
#include "planner/policy.h"

enum { STEPS = 100 };

/* Index of the smallest stated total, ties to the smaller alpha. */
static int best_point(const struct sweep_point *points)
{
    int best = 0;
    for (int i = 1; i <= STEPS; i++)
        if (points[i].topology + points[i].feature < points[best].topology + points[best].feature) best = i;
    return best;
}

static enum st keep_sweep(const struct sweep_point *points, struct plan_clique *k, struct err *err)
{
    enum st st = ST_OK;
    NEW(k->sweep, STEPS + 1, "the sweep");
    k->sweep_count = STEPS + 1;
    for (int i = 0; i <= STEPS; i++) k->sweep[i] = (struct plan_sweep){i / 100.0, points[i].topology, points[i].feature};
done:
    return st;
}

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    struct candidates c = {0};
    uint64_t room[GPUS_MAX];
    (void)verdict;
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int k = 0; k < plan->assignment.cliques; k++) {
        TRY(candidates_make(in, plan, k, STEPS, &c, err));
        int best = best_point(c.points);
        plan->clique[k].alpha = best / 100.0;
        TRY(keep_sweep(c.points, &plan->clique[k], err));
        TRY(place_cslp(in, c.topology, c.points[best].rows_topology, true, k, plan, room, err));
        TRY(place_cslp(in, c.feature, c.points[best].rows_feature, false, k, plan, room, err));
        candidates_free(&c);
    }
done:
    candidates_free(&c);
    return st;
}

const struct policy policy_legion = {.name = "legion", .summary = "topology and features by CSLP, split by the cost model's sweep", .source = "Legion (ATC'23)",
                                     .hotness = "presample", .assignment = ASSIGNMENT_HIERARCHICAL, .aligned_rows = true, .place = place};
