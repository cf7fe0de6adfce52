/* plan_give.h - hands a plan that was placed and predicted to the other ranks (base/ranks.h). */
#ifndef SIMULATOR_PLAN_PLAN_GIVE_H
#define SIMULATOR_PLAN_PLAN_GIVE_H

#include "simulator/plan/plan.h"

/* The members of a plan without those that point to memory. */
void plan_flat(const struct plan *p, struct plan *flat);
/* Gives the plan that rank `from` has to all ranks, without `simulated`, `baselines` and `bound`; what the
 * others have in *p is replaced. of: the assignment that it was planned for, which every rank has; copied. ST_LIMIT
 * when memory is out; ST_MISSING when the exchange fails. */
enum st plan_give(struct plan *p, int from, const struct assignment *of, struct err *err) MUST_USE;

#endif
