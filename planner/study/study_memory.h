/* study_memory.h - what the stages of a study take, estimated before anything is taken
 * (held against runs in planner/BENCH.md). */
#ifndef PLANNER_STUDY_STUDY_MEMORY_H
#define PLANNER_STUDY_STUDY_MEMORY_H

#include "planner/study/study_recording.h"

enum { STUDY_STAGES = 6 };
struct study_memory {
    struct study_stage {
        const char *name, *remedy; /* remedy: what takes less, as a clause for a message */
        uint64_t arrays;           /* bytes that --memory bounds; METIS's own included */
        uint64_t pages;            /* bytes of files that are mapped at the time, which the system takes back */
    } stage[STUDY_STAGES];
    int count, peak; /* peak: the stage with most arrays */
    uint64_t disk;   /* bytes that the checkpoint grows to */
};

/* cells[0..count): what will be planned together; only policy, options and count matter. */
struct study_memory study_memory_estimate(const struct study_options *o, const struct study_cell *cells, int count);

#endif
