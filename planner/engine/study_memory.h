/* study_memory.h - what the stages of a study take, estimated before anything is taken
 * (held against runs in planner/BENCH.md). */
#ifndef PLANNER_ENGINE_STUDY_MEMORY_H
#define PLANNER_ENGINE_STUDY_MEMORY_H

#include "base/cmd.h"
#include "planner/engine/study_recording.h"

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
/* Says the memory of stages on stderr from 1 GiB on. ST_LIMIT, with the stage and what would take less, when one
 * exceeds --memory. */
enum st study_memory_check(const struct call *call, const struct study_memory *m, struct err *err) MUST_USE;
/* Estimates the memory of the study's stages before any is taken: says so on stderr from 1 GiB on. ST_LIMIT, with the
 * stage and what would take less, when a stage exceeds --memory. */
enum st study_memory_say(const struct call *call, const struct study_options *o, const struct study_cell *cells,
                         int count, struct err *err) MUST_USE;

#endif
