/* study_checkpoint.h - what a study leaves in its store when a step is finished (base/checkpoint.h), and takes up
 * again.
 *
 * `part` begins every name, so that the recordings of several servers and kinds of assignment lie side by side.
 * Everything is kept bit by bit: what a resumed run writes is what an undisturbed one writes. Taking sets *there to
 * false when the step was not finished; then nothing else is set.
 */
#ifndef PLANNER_STUDY_STUDY_CHECKPOINT_H
#define PLANNER_STUDY_STUDY_CHECKPOINT_H

#include "base/checkpoint.h"
#include "hwprofiles/model/server.h"
#include "planner/partition/partition.h"
#include "simulator/plan/plan.h"
#include "traces/recording/assignment.h"

struct study_checkpoint {
    const struct checkpoint *checkpoint;
    char part[64];
}; /* store NULL: nothing is kept, nothing is there */

/* Who trains what. parts: [n] of the graph, or NULL. */
enum st study_checkpoint_save_assignment(const struct study_checkpoint *k, const struct assignment *a,
                                         const uint8_t *parts, uint64_t n, const struct partition_report *r,
                                         struct err *err) MUST_USE;
/* server: gives ids and cliques. parts: NULL when not wanted. */
enum st study_checkpoint_load_assignment(const struct study_checkpoint *k, const struct server *server,
                                         struct assignment *a, uint8_t *parts, uint64_t n, struct partition_report *r,
                                         bool *there, struct err *err) MUST_USE;

/* A plan that was placed and predicted, but for what is judged later (`simulated`, `bound`). */
enum st study_checkpoint_save_plan(const struct study_checkpoint *k, const struct plan *p, struct err *err) MUST_USE;
/* of: the assignment that it was planned for. */
enum st study_checkpoint_load_plan(const struct study_checkpoint *k, const struct assignment *of, struct plan *p,
                                   bool *there, struct err *err) MUST_USE;

#endif
