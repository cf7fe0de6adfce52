/* hotset server - the group of commands about servers. */
#include "base/cmd.h"

extern const struct command cmd_server;
const struct command cmd_server = {.name = "server", .summary = "describe servers: GPUs, NVLink cliques, PCIe tree"};
