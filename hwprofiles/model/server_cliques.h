/* server_cliques.h - cliques: groups of GPUs that all read each other's memory (model/cliques.md). */
#ifndef HWPROFILES_MODEL_SERVER_CLIQUES_H
#define HWPROFILES_MODEL_SERVER_CLIQUES_H

#include "hwprofiles/model/server.h"

/* Fills groups and group_of, and cliques, clique_of, clique_size and clique of s from its links and its reach
 * (server_reach.h): repeatedly the maximum clique of the GPUs that are left, the lexicographically smallest one among
 * equals. Cliques are numbered in that order. Exact for any graph of SERVER_GPUS_MAX GPUs; no error is possible. */
void server_find_cliques(struct server *s);

#endif
