/* size_premises.h - what the answer of hotset size rests on (base/premises.h). */
#ifndef PLANNER_DECISIONS_SIZE_PREMISES_H
#define PLANNER_DECISIONS_SIZE_PREMISES_H

#include "planner/decisions/size_document.h"

/* Of the graph, the workload and every server, weighed by every cache that was simulated. out: zeroed. Errors of
 * options_workload and server_load. */
enum st size_premises(const struct call *call, const struct size_result *r, const struct workload_args *given,
                      const struct study_args *study, struct premises *out, struct err *err) MUST_USE;

#endif
