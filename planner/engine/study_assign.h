/* study_assign.h - who trains what in a recording: copied from another recording, taken from a checkpoint, or made.
 *
 * Several ranks (base/ranks.h) hold the same assignment, which one of them makes, because cutting a graph takes much
 * memory and one thread. Assignments that cells will ask for are made side by side, by different ranks.
 */
#ifndef PLANNER_ENGINE_STUDY_ASSIGN_H
#define PLANNER_ENGINE_STUDY_ASSIGN_H

#include "planner/engine/study_recording.h"

/* *out: the assignment of a recording, released by the caller; sets r->partition, and r->part where it is kept. Errors
 * of partitioning; ST_LIMIT without memory. */
enum st study_assign(struct study *s, struct study_recording *r, struct assignment *out, struct err *err) MUST_USE;
/* Makes the assignments of those keys that take long, shared by the ranks; does nothing for one rank. key:
 * [count]. Errors of partitioning. */
enum st study_assign_keys(struct study *s, const struct recording_key *key, int count, struct err *err) MUST_USE;
/* Frees what was made ahead. */
void study_assigned_release(struct study *s);

#endif
