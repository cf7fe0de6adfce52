/* observe_print.h - a job beside its plan: the document observation/1, and the same for people. */
#ifndef PLANNER_COMMANDS_OBSERVE_PRINT_H
#define PLANNER_COMMANDS_OBSERVE_PRINT_H

#include "planner/running/observed_compare.h"

/* What was observed, simulated and predicted. time: epoch_time of the simulation that the plan states. Owned by the
 * caller; NULL members where something is not known. */
doc *observe_document(const struct observed *o, const struct compared *c, const struct plan *p, const doc *time,
                      const struct graph *graph);
/* Prints such a document. */
void observe_print(const doc *d, FILE *to);

#endif
