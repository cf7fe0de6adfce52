/* hotset trace - the group of commands that record or import what mini-batches touch. */
#include "base/cmd.h"

extern const struct command cmd_trace;
const struct command cmd_trace = {.name = "trace",
                                  .stage = COMMAND_JOB,
                                  .rank = 1,
                                  .summary = "record what mini-batches read, or import such counts"};
