/* compare_reach.h - the default policy at each reach that a comparison's rows have.
 *
 * Systems read as far as their papers say (policy.own_memory, policy.forwards), so rows of one table need not be
 * equals. Where policy hotset is compared with some that read less far or farther than its own default, it is planned
 * once more at each of their reaches: a row "hotset --reach own" per budget, behind the others. Each costs what a plan
 * of hotset costs.
 */
#ifndef PLANNER_RESULTS_COMPARE_REACH_H
#define PLANNER_RESULTS_COMPARE_REACH_H

#include "planner/results/compare.h"

enum { REACHES_MORE = 2 };
struct compare_reaches {
    int policy; /* place of hotset in c->policy */
    int count;  /* reaches that others have and hotset has not; 0: all are equals */
    enum server_reach reach[REACHES_MORE];
};

/* On that server. None where the user said how far all read, or who trains what of the cliques that follow from the
 * reach (--parts, --from-lists, --clique-budget). */
struct compare_reaches compare_reaches_find(const struct comparison *c, const struct study_args *a,
                                            const struct server *s);
/* What a row of such a policy is called; name: of the policy. */
enum { REACH_LABEL = 160 };
const char *compare_reach_label(const char *name, enum server_reach reach, char out[REACH_LABEL]);

#endif
