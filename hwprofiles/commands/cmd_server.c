/* hotset server - the group of commands about servers. */
#include "base/cmd.h"

extern const struct command cmd_server;
const struct command cmd_server = {.name = "server",
                                   .stage = COMMAND_DAILY,
                                   .rank = 3,
                                   .summary = "describe machines: GPUs, NVLink cliques, PCIe tree"};
