/* server_print.h - a server for people: what `hotset server show` prints. */
#ifndef HWPROFILES_SHOW_SERVER_PRINT_H
#define HWPROFILES_SHOW_SERVER_PRINT_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* Writes what matters and the cliques, which end it. explain: everything that is known, in the order: GPUs, NVLink
 * matrix, PCIe tree, NUMA nodes, NICs, drives, cliques, bandwidths, where the numbers come from. */
void server_print(const struct server *s, bool explain, FILE *to);

#endif
