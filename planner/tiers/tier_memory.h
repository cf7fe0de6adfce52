/* tier_memory.h - what the stages of tier_plan_make take, estimated before anything is taken. */
#ifndef PLANNER_TIERS_TIER_MEMORY_H
#define PLANNER_TIERS_TIER_MEMORY_H

#include "planner/tiers/tier_plan.h"

struct tier_memory { /* bytes of arrays */
    uint64_t partition, recording, planning, held_out;
};
/* w: with graph, workload, server, nodes and threads. The graph itself is mapped and not counted. */
struct tier_memory tier_memory_estimate(const struct tier_work *w);

#endif
