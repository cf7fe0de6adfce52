/* option_uses.h - which policies an option has an effect on: the one table that `plan`, `compare`, `size` and `advise`
 * ask.
 *
 * An option that nothing reads is never silently accepted. Where no policy of the list can use it, it is refused. In a
 * comparison where only some can, the rows of the others are planned as their systems do it: stderr names them, and
 * their rows state the option (member `ignored`).
 */
#ifndef PLANNER_OPTIONS_OPTION_USES_H
#define PLANNER_OPTIONS_OPTION_USES_H

#include "planner/options/options.h"

/* What the options say together. Borrowed. */
struct options_given {
    const struct call *call;
    const struct study_args *study;
    const struct workload_args *workload;
    bool trace;         /* a trace states the deal and the order; the caller says what it makes of those options */
    bool dealt;         /* --from-lists with train files: who trains what is given */
    bool budget;        /* per GPU or clique; without one, --reserve says what it is */
    bool clique_budget; /* is divided among the GPUs of a clique, which the reach decides */
    bool nodes;         /* several: the graph is cut among them, whatever the policy does on one */
};

/* Refuses each option that none of policy[count] can use (ST_USAGE, with the reason of the first), and says on stderr
 * which policies do not use an option that others do. */
enum st option_uses_check(const struct options_given *o, const struct policy *const *policy, int count, struct err *err)
    MUST_USE;
/* [{option, why}] for the options that this policy does not use; NULL when there are none. The caller frees it. */
doc *option_uses_ignored(const struct options_given *o, const struct policy *p);

#endif
