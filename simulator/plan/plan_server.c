#include "simulator/plan/plan_server.h"

#include <stdio.h>
#include <string.h>

void plan_set_server(struct plan *p, const struct server *s)
{
    snprintf(p->server_name, sizeof p->server_name, "%s", s->name);
    snprintf(p->server_fingerprint, sizeof p->server_fingerprint, "%s", s->fingerprint);
    p->line_bytes = s->line_bytes;
    p->server = doc_copy(s->document);
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

enum st plan_server_load(const struct plan *p, const char *named, struct server *out, struct err *err)
{
    enum st st = ST_OK;
    if (named) return server_load(named, out, err);
    if (p->server) return server_of_document(p->server, "the server in plan.json", out, err);
    TRY(server_load(p->server_name, out, err));
    if (strcmp(out->fingerprint, p->server_fingerprint)) {
        server_release(out);
        FAIL(ST_INPUT,
             "%s: has other GPUs than the server of this name that the plan was made for; name its file with --server",
             p->server_name);
    }
done:
    if (st != ST_OK) err_prefix(err, "the plan does not contain its server; ");
    return st;
}
