/* server_cliques.h - from NVLinks to cliques: groups of GPUs that are pairwise joined (MODEL.md, section 2.1). */
#ifndef HWPROFILES_MODEL_SERVER_CLIQUES_H
#define HWPROFILES_MODEL_SERVER_CLIQUES_H

#include "hwprofiles/model/server.h"

/* Fills cliques, clique_of, clique_size and clique of s from its links: repeatedly the maximum clique of the GPUs that
 * are left, the lexicographically smallest one among equals. Cliques are numbered in that order. Exact for any graph
 * of SERVER_GPUS_MAX GPUs; no error is possible. */
void server_find_cliques(struct server *s);

#endif
