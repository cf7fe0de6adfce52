#include "planner/exports/export_reach.h"

#include "base/mem.h"
#include "hwprofiles/model/server_cliques.h"
#include "planner/exports/export_clique.h"

static bool same_switch(const struct plan *p, int a, int b)
{
    return p->pcie_switch[a] >= 0 && p->pcie_switch[a] == p->pcie_switch[b];
}

/* How GPUs of one clique read each other where no NVLink joins them. */
static struct export_reach reach_of_plan(const struct plan *p)
{
    struct export_reach r = {0};
    const struct placement *placement = &p->placement;
    for (int g = 0; g < placement->gpus; g++)
        for (int i = 0; i < placement->peers[g]; i++) {
            int peer = placement->peer[g][i];
            if (p->assignment.clique_of[g] != p->assignment.clique_of[peer] || p->links[g][peer]) continue;
            if (same_switch(p, g, peer)) r.over_pcie = true;
            else r.forwards = true;
        }
    return r;
}

enum st export_reach_narrow(struct plan *p, struct export_reach *reach, struct err *err)
{
    *reach = reach_of_plan(p);
    if (!reach->forwards) return ST_OK;
    OWNED_NEW(struct server, s, 1, "a server");
    s->gpus = p->assignment.gpus;
    s->reach = REACH_DIRECT;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++)
            s->links[a][b] = p->links[a][b] || (a != b && reach->over_pcie && same_switch(p, a, b));
    server_find_cliques(s);
    p->assignment.cliques = s->cliques;
    for (int g = 0; g < s->gpus; g++) p->assignment.clique_of[g] = s->clique_of[g];
    return ST_OK;
}

enum st export_lack_reach(const struct export_input *in, struct export_runs *to, const char *runtime, struct err *err)
{
    char cliques[1200];
    struct export_run *run = NULL;
    if (in->reach.forwards) {
        export_cliques_text(&in->plan->assignment, cliques, sizeof cliques);
        PASS(export_lack(to, &run, "rows that GPUs pass on over several NVLinks", err,
                         "%s reads GPUs directly, and the plan's GPUs forward (--peer-access forward or p2p). Its "
                         "cliques are those of direct links, %s; plan with --peer-access direct.",
                         runtime, cliques));
        run->simulate = export_run_clique_peers(run, &in->plan->assignment);
    }
    if (in->reach.over_pcie)
        PASS(export_lack(to, NULL, "reads of GPU memory over PCIe", err,
                         "GPUs below a PCIe switch read each other (--peer-access p2p), which needs peer access among "
                         "them ('nvidia-smi topo -p2p r'). All runs below have it."));
    return ST_OK;
}
