/* hotset graph - the group of commands about graphs. */
#include "base/cmd.h"

extern const struct command cmd_graph;
const struct command cmd_graph = {.name = "graph",
                                  .stage = COMMAND_DAILY,
                                  .rank = 2,
                                  .summary = "import, generate, renumber and describe graphs"};
