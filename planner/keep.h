/* keep.h - what a study leaves in its store when a step is finished (base/store.h), and takes up again.
 *
 * `part` begins every name, so that the recordings of several servers and kinds of assignment lie side by side. Everything is kept bit by bit: what a
 * resumed run writes is what an undisturbed one writes. Taking sets *there to false when the step was not finished; then nothing else is set.
 */
#ifndef PLANNER_KEEP_H
#define PLANNER_KEEP_H

#include "base/store.h"
#include "hwprofiles/server.h"
#include "planner/partition.h"
#include "simulator/plan.h"
#include "traces/assignment.h"

struct keep { const struct store *store; char part[64]; }; /* store NULL: nothing is kept, nothing is there */

/* Who trains what. parts: [n] of the graph, or NULL. */
enum st keep_assignment(const struct keep *k, const struct assignment *a, const uint8_t *parts, uint64_t n, const struct partition_report *r, struct err *err) MUST_USE;
/* server: gives ids and cliques. parts: NULL when not wanted. */
enum st keep_take_assignment(const struct keep *k, const struct server *server, struct assignment *a, uint8_t *parts, uint64_t n, struct partition_report *r, bool *there,
                             struct err *err) MUST_USE;

/* A plan that was placed and predicted, but for what is judged later (`simulated`, `bound`). */
enum st keep_plan(const struct keep *k, const struct plan *p, struct err *err) MUST_USE;
/* of: the assignment that it was planned for. */
enum st keep_take_plan(const struct keep *k, const struct assignment *of, struct plan *p, bool *there, struct err *err) MUST_USE;

#endif
