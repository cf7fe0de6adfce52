#include "simulator/plan/plan_server.h"

#include <stdio.h>

void plan_set_server(struct plan *p, const struct server *s)
{
    snprintf(p->server_name, sizeof p->server_name, "%s", s->name);
    snprintf(p->server_fingerprint, sizeof p->server_fingerprint, "%s", s->fingerprint);
    p->line_bytes = s->line_bytes;
    p->placement.gpus = s->gpus;
    for (int a = 0; a < s->gpus; a++) {
        p->pcie_switch[a] = s->gpu[a].pcie_switch;
        p->socket[a] = s->gpu[a].socket;
        for (int b = 0; b < s->gpus; b++) {
            p->links[a][b] = s->links[a][b];
            if (a != b && s->clique_of[a] == s->clique_of[b])
                p->placement.peer[a][p->placement.peers[a]++] = b; /* the rule: the clique */
        }
    }
}
