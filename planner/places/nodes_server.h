/* nodes_server.h - the GPUs of several nodes as one server, by which training vertices are dealt. */
#ifndef PLANNER_PLACES_NODES_SERVER_H
#define PLANNER_PLACES_NODES_SERVER_H

#include "hwprofiles/model/server.h"

/* nodes * gpus (at most SERVER_GPUS_MAX) GPUs, the id of each its position; those of a node are linked, so each node is
 * a clique. Owned by the caller (mem_free). NULL, with ST_LIMIT in *err, without memory. */
struct server *nodes_server(int nodes, int gpus, struct err *err);

#endif
