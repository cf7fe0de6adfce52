/* plan_for.h - plans for what a runtime can express (plan --for), and what that costs.
 *
 * A free plan that is handed to a runtime loses what the runtime cannot express. A plan that is made for the runtime
 * keeps to that from the start, so its memory is spent on rows that will be served. Both, as the runtime will execute
 * them, are simulated on the same held-out epochs beside the free plan itself.
 */
#ifndef PLANNER_COMMANDS_PLAN_FOR_H
#define PLANNER_COMMANDS_PLAN_FOR_H

#include "base/cmd.h"
#include "planner/exports/export.h"
#include "planner/engine/study.h"

/* Sets the limits of a study and the policy of its cell; own: room for a policy, to live as long as the cell. ST_USAGE
 * for a runtime that plans are not made for or that has no such graph, for another policy than hotset and for another
 * objective than transactions. */
enum st plan_for_begin(const struct call *call, const struct export_target *t, const char *policy,
                       struct study_options *o, struct study_cell *cell, struct policy *own, struct err *err) MUST_USE;
/* Has the hops of a mini-batch expand what the runtime's do, where neither an option nor a trace says otherwise; true:
 * the workload is another now. */
bool plan_for_hops(const struct export_target *t, const struct call *call, struct workload *w);
/* Says what the runtime does otherwise than the workload; to be called once. */
void plan_for_warn(const struct export_target *t, const struct call *call, const struct workload *w);
/* Plans freely, with the same options, and simulates; states the member `for` in the cell's plan. s: the study of the
 * cell, which is planned. Does nothing where no epochs are simulated. */
enum st plan_for_compare(const struct export_target *t, struct call *call, const struct study *s,
                         struct study_cell *cell, struct err *err) MUST_USE;
/* Prints the member `for` of a plan.json; nothing for NULL. */
void plan_for_print(const doc *d, FILE *to);

#endif
