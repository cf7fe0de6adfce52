/* server_bandwidth_print.h - constants of the time model and aggregate bandwidths of a server, for terminals. */
#ifndef HWPROFILES_SHOW_SERVER_BANDWIDTH_PRINT_H
#define HWPROFILES_SHOW_SERVER_BANDWIDTH_PRINT_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* Writes what is known of memories, peak and sampling rates, PCIe rates by request size, and the aggregate bandwidth by
 * number of GPUs (bandwidth.h). Nothing where nothing is known. */
void server_bandwidth_print(const struct server *s, FILE *to);

#endif
