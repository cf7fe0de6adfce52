/* hotset lab - the group of commands that measure hotset itself, or study caches beyond one plan. Each is found without
 * the word, too. */
#include "base/cmd.h"

extern const struct command cmd_lab;
const struct command cmd_lab = {.name = "lab",
                                .stage = COMMAND_MORE,
                                .rank = 5,
                                .summary = "measure and study: bench, curve, drift, execute, reproduce, validate"};
