/* tier_count.h - what every memory of all nodes serves in held-out epochs, when rows lie in one of several ways. */
#ifndef PLANNER_ENGINE_TIER_COUNT_H
#define PLANNER_ENGINE_TIER_COUNT_H

#include "planner/engine/study_memories.h"

struct tier_served {                 /* what a place serves in a held-out epoch */
    double features, lines, seconds; /* of all GPUs together */
};

struct tier_counts {
    uint64_t epochs, seed; /* set by the caller */
    bool progress;
    struct tier_served served[MEMORIES_WAYS][PLACES_MAX + 1]; /* by place; behind the last one: SSDs */
    double seconds[MEMORIES_WAYS];
};

/* Records the held-out epochs of every node and counts all ways of m (joint, solved). Takes 8 n bytes per reader, and
 * a recording of one node. ST_LIMIT without memory; errors of trace_record. */
enum st tier_count(const struct study_nodes *x, const struct study_cell *cell, const struct memories *m,
                   struct tier_counts *out, struct err *err) MUST_USE;

#endif
