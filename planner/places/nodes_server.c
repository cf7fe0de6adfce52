#include "planner/places/nodes_server.h"

#include <stdio.h>

#include "base/mem.h"
#include "hwprofiles/model/server_cliques.h"

struct server *nodes_server(int nodes, int gpus, struct err *err)
{
    enum st st = ST_OK;
    struct server *s = NULL;
    NEW(s, 1, "the nodes");
    s->gpus = nodes * gpus;
    s->links_known = true;
    snprintf(s->name, sizeof s->name, "%d nodes", nodes);
    for (int i = 0; i < s->gpus; i++) {
        s->gpu[i] = (struct server_gpu){.id = i, .pcie_switch = -1, .socket = -1};
        for (int j = 0; j < s->gpus; j++) s->links[i][j] = i != j && i / gpus == j / gpus;
    }
    server_find_cliques(s);
done:
    return st == ST_OK ? s : NULL;
}
