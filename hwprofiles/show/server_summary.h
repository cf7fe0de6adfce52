/* server_summary.h - what matters of a server, in a screen. */
#ifndef HWPROFILES_SHOW_SERVER_SUMMARY_H
#define HWPROFILES_SHOW_SERVER_SUMMARY_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* Writes a table: GPUs and their memory, links, PCIe, host, NICs, SSDs, and which numbers are assumed. */
void server_summary_print(const struct server *s, FILE *to);

#endif
