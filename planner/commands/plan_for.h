/* plan_for.h - plans for what a runtime can express (plan --for), and what that costs.
 *
 * A free plan that is handed to a runtime loses what the runtime cannot express. A plan that is made for the runtime
 * keeps to that from the start, so its memory is spent on rows that will be served. Both, as the runtime will execute
 * them, are simulated on the same held-out epochs beside the free plan itself.
 */
#ifndef PLANNER_COMMANDS_PLAN_FOR_H
#define PLANNER_COMMANDS_PLAN_FOR_H

#include "base/cmd.h"
#include "planner/study/study.h"

#define PLAN_FOR_WORDS "pyg|wholegraph|glt|graphbolt|dgl|quiver|legion"

struct plan_for;
/* The runtime of that name; never NULL for a word of PLAN_FOR_WORDS. */
const struct plan_for *plan_for_find(const char *name);
/* Sets the limits of a study and the policy of its cell; own: room for a policy, to live as long as the cell. ST_USAGE
 * for another policy than hotset and for another objective than transactions. */
enum st plan_for_begin(const struct plan_for *f, const char *policy, struct study_options *o, struct study_cell *cell,
                       struct policy *own, struct err *err) MUST_USE;
/* Says what the runtime does otherwise than the workload; to be called once. */
void plan_for_warn(const struct plan_for *f, const struct call *call, const struct workload *w);
/* Plans freely, with the same options, and simulates; states the member `for` in the cell's plan. s: the study of the
 * cell, which is planned. Does nothing where no epochs are simulated. */
enum st plan_for_compare(const struct plan_for *f, struct call *call, const struct study *s, struct study_cell *cell,
                         struct err *err) MUST_USE;
/* Prints the member `for` of a plan.json; nothing for NULL. */
void plan_for_print(const doc *d, FILE *to);

#endif
