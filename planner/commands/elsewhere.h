/* elsewhere.h - options that a command does not take though others do, each with its reason: what the user meant is
 * answered, not that the word is not known. */
#ifndef PLANNER_COMMANDS_ELSEWHERE_H
#define PLANNER_COMMANDS_ELSEWHERE_H

#include "base/cmd.h"

/* Who is asked for how many nodes, and which network. */
#define NODES_SIZES                                                                                                    \
    "how many nodes with which network and memory is 'hotset size's: 'hotset size --graph G --server S --price 0 "     \
    "--nodes LIST --nic-gbps LIST --host-memory LIST --target epoch-time<=T'"

/* Each ends with a row without option. */
extern const struct option_elsewhere size_elsewhere[], nodes_elsewhere[], drift_elsewhere[];

#endif
