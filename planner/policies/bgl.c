/* bgl - training vertices in the order of a breadth-first search, features in a FIFO cache per GPU that begins empty,
 * topology on the host (BGL, NSDI'23, as Legion describes it in section 7). The order is that of
 * traces/sampling/bfs.h in stretches, one per GPU. */
#include <stdio.h>

#include "planner/policies/place.h"

static enum st bgl_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                         struct err *err)
{
    (void)err;
    place_no_peers(plan);
    if (in->trace->workload.order == ORDER_BFS && in->trace->workload.frontier != FRONTIER_LAYERS) return ST_OK;
    verdict->status = POLICY_UNSUPPORTED; /* the study orders what can be ordered */
    if (in->trace->workload.frontier == FRONTIER_LAYERS) {
        snprintf(verdict->reason, sizeof verdict->reason,
                 "asks its cache once per mini-batch for a row; --frontier layers reads it once per layer");
        return ST_OK;
    }
    snprintf(verdict->reason, sizeof verdict->reason,
             "orders training vertices breadth-first, but with --seeds edges mini-batches start from edges");
    return ST_OK;
}

const struct policy policy_bgl = {.name = "bgl",
                                  .summary = "a FIFO cache of features per GPU, training vertices in BFS order, no "
                                             "NVLink",
                                  .source = "BGL (NSDI'23)",
                                  .hotness = "none",
                                  .assignment = ASSIGNMENT_BFS,
                                  .cache = "fifo",
                                  .one_relation = "dynamic caches are not replayed for rows of several sizes",
                                  .own_memory = true,
                                  .reaches = REACHES_ALL,
                                  .place = bgl_place};
