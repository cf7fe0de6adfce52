/* server_links_print.h - the NVLink matrix of a server, for terminals. */
#ifndef HWPROFILES_SHOW_SERVER_LINKS_PRINT_H
#define HWPROFILES_SHOW_SERVER_LINKS_PRINT_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* Writes the matrix. On a server with more than SERVER_FOLD_ABOVE GPUs those with the same links to all others share a
 * row; where too many rows are left, one character stands for a pair. */
void server_links_print(const struct server *s, FILE *to);

#endif
