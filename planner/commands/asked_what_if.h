/* asked_what_if.h - --what-if of other commands: what `hotset what-if` tells of their answer, made and printed. */
#ifndef PLANNER_COMMANDS_ASKED_WHAT_IF_H
#define PLANNER_COMMANDS_ASKED_WHAT_IF_H

#include "base/cmd.h"

/* Asks of a plan's folder or of a document of `hotset size`. graph: the plan's, NULL: as the plan says. *out: the
 * answer, which the caller frees. Errors of what-if: ST_NO where it has no answer. */
enum st asked_what_if(const struct call *call, const char *of, const char *graph, doc **out, struct err *err) MUST_USE;
/* The same of the plan that `hotset plan` makes of a graph and a server with these options; it is not kept. name: what
 * the answer calls it. */
enum st asked_what_if_planned(const struct call *call, const char *graph, const char *server, const char *options,
                              const char *name, doc **out, struct err *err) MUST_USE;
/* Prints the member `what_if` of an answer below the answer. Returns whether it has one. */
bool asked_what_if_print(const struct call *call, const doc *answer, bool explain);

#endif
