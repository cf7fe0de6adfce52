/* plan_says.h - what 'hotset plan' tells of a plan on stderr. */
#ifndef PLANNER_COMMANDS_PLAN_SAYS_H
#define PLANNER_COMMANDS_PLAN_SAYS_H

#include "base/cmd.h"
#include "planner/engine/study_recording.h"

/* What was recorded although a trace was given (NULL: none was), and how the graph was cut. */
void plan_say_recording(const struct call *call, const struct study *s, const struct study_cell *cell,
                        const struct trace *given);
/* More budget than PCIe reads can gain from, too few epochs for the prediction, too few training vertices. */
void plan_say_doubts(const struct call *call, const struct study *s, const struct study_cell *cell);

/* The trace at `path` must be of this server's GPUs and cliques, and count transactions of its size; ST_INPUT. */
enum st plan_check_trace(const struct trace *t, const char *path, const struct server *s, struct err *err) MUST_USE;

#endif
