/* server_tree_print.h - the PCIe tree of a server, for terminals. */
#ifndef HWPROFILES_SHOW_SERVER_TREE_PRINT_H
#define HWPROFILES_SHOW_SERVER_TREE_PRINT_H

#include <stdio.h>
#include "hwprofiles/model/server.h"

/* Writes sockets, switches and GPUs as a tree. On a server with more than SERVER_FOLD_ABOVE GPUs sockets that look
 * alike share a line. */
void server_tree_print(const struct server *s, FILE *to);

#endif
