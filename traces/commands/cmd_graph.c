/* hotset graph - the group of commands about graphs. */
#include "base/cmd.h"

extern const struct command cmd_graph;
const struct command cmd_graph = {.name = "graph", .summary = "import, make, renumber and describe graphs"};
