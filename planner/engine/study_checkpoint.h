/* study_checkpoint.h - what a study keeps on disk when a step is finished, to continue from (base/checkpoint.h).
 *
 * `part` begins every name, so the recordings of several servers and kinds of assignment lie side by side. Everything
 * is kept bit by bit: a resumed run writes what an undisturbed one writes. Loading sets *there to false when the step
 * was not finished, and then nothing else. Saving does nothing without a checkpoint. Errors: ST_LIMIT without disk or
 * memory, ST_INPUT for a file that cannot be read.
 */
#ifndef PLANNER_ENGINE_STUDY_CHECKPOINT_H
#define PLANNER_ENGINE_STUDY_CHECKPOINT_H

#include "base/checkpoint.h"
#include "hwprofiles/model/server.h"
#include "planner/partition/partition.h"
#include "simulator/plan/plan.h"
#include "traces/recording/assignment.h"

struct study_checkpoint {
    const struct checkpoint *checkpoint; /* borrowed; NULL: nothing is kept, nothing is there */
    char part[64];
};

/* Keeps the assignment of training vertices. parts: [n] of the graph, or NULL. */
enum st study_checkpoint_save_assignment(const struct study_checkpoint *k, const struct assignment *a,
                                         const uint8_t *parts, uint64_t n, const struct partition_report *r,
                                         struct err *err) MUST_USE;
/* The same back; ids and cliques are the server's. *a: released by the caller. parts: [n], set; NULL when not wanted.
 */
enum st study_checkpoint_load_assignment(const struct study_checkpoint *k, const struct server *server,
                                         struct assignment *a, uint8_t *parts, uint64_t n, struct partition_report *r,
                                         bool *there, struct err *err) MUST_USE;

/* Keeps a plan that was placed and predicted, without what is simulated later (`simulated`, `bound`). */
enum st study_checkpoint_save_plan(const struct study_checkpoint *k, const struct plan *p, struct err *err) MUST_USE;
/* Whether a plan was kept. */
bool study_checkpoint_has_plan(const struct study_checkpoint *k);
/* The same back. of: the assignment that it was planned for, copied. *p: released by the caller. */
enum st study_checkpoint_load_plan(const struct study_checkpoint *k, const struct graph *graph,
                                   const struct assignment *of, struct plan *p, bool *there, struct err *err) MUST_USE;

#endif
