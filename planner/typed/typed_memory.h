/* typed_memory.h - what the stages of a typed study take, estimated before anything is taken. Private to planner/typed.
 */
#ifndef PLANNER_TYPED_TYPED_MEMORY_H
#define PLANNER_TYPED_TYPED_MEMORY_H

#include "planner/study/study_memory.h"
#include "planner/typed/typed_work.h"

/* What the sizes depend on; pointers are borrowed. */
struct typed_memory_facts {
    const struct graph *rows;
    const struct server *server;
    const struct workload *workload;
    const char *deal, *partition; /* words of --deal and --partition; of a recording that is made here */
    uint64_t epochs;
    int threads, samplers;
    bool recorded; /* the trace is there, in files */
    struct typed_kept kept;
};

/* Stages have the names that stage_begin gets. Lists are counted as if every clique held all rows. */
struct study_memory typed_memory_estimate(const struct typed_memory_facts *f);

#endif
