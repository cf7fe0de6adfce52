/* elsewhere.h - options that a command does not take though others do, each with its reason: what the user meant is
 * answered, not that the word is not known. */
#ifndef PLANNER_COMMANDS_ELSEWHERE_H
#define PLANNER_COMMANDS_ELSEWHERE_H

#include "base/cmd.h"

/* Each ends with a row without option. */
extern const struct option_elsewhere size_elsewhere[], drift_elsewhere[];

#endif
