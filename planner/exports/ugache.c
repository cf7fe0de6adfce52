/* ugache - the file that describes a server to UGache, for its COLL_TOPO_FILE (ugache-artifacts 77ca09e): lines of
 * text, '#' begins a remark, empty lines are skipped, so that a GPU without NVLink cannot be written. Its solver
 * places features by itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export.h"

/* Position on the server of the plan's GPU g; -1: not there. */
static int on_server(const struct export_input *in, int g)
{
    for (int i = 0; i < in->server->gpus; i++)
        if (in->server->gpu[i].id == in->plan->assignment.id[g]) return i;
    return -1;
}

/* Neighbours of the plan's GPU g as positions of the plan, widest link first (ties: the lower position). */
static int neighbours(const struct export_input *in, int g, int *out)
{
    int count = 0, a = on_server(in, g);
    for (int i = 0; i < in->plan->assignment.gpus; i++) {
        int b = on_server(in, i), at = count;
        if (i == g || b < 0 || !in->server->links[a][b]) continue;
        for (; at > 0 && in->server->links[a][on_server(in, out[at - 1])] < in->server->links[a][b]; at--)
            out[at] = out[at - 1];
        out[at] = i;
        count++;
    }
    return count;
}

static double pcie(const struct export_input *in) { return in->pcie_gbps > 0 ? in->pcie_gbps : in->server->pcie_gbps; }

/* GB/s of GPU memory: as given, else the least that the profile states; 0: not known. */
static double hbm(const struct export_input *in)
{
    double least = 0;
    if (in->hbm_gbps > 0) return in->hbm_gbps;
    for (int g = 0; g < in->plan->assignment.gpus; g++) {
        int a = on_server(in, g);
        if (a >= 0 && in->server->gpu[a].memory_gbps > 0 && (least <= 0 || in->server->gpu[a].memory_gbps < least))
            least = in->server->gpu[a].memory_gbps;
    }
    return least;
}

static enum st check_gpu(const struct export_input *in, int g, struct err *err)
{
    int next[GPUS_MAX], a = on_server(in, g), id = in->plan->assignment.id[g], count;
    if (a < 0)
        return err_set(err, ST_INPUT,
                       "ugache: the plan has GPU %d, but server %s does not; name the plan's server with --server", id,
                       in->server->name);
    count = neighbours(in, g, next);
    if (!count)
        return err_set(err, ST_NO,
                       "ugache: GPU %d has no NVLink to another GPU of the plan, which the file cannot express (an "
                       "empty line is skipped); plan without that GPU",
                       id);
    for (int i = 0; i < count; i++)
        if (!(in->server->link_gbps[a][on_server(in, next[i])] > 0))
            return err_set(err, ST_INPUT,
                           "ugache: server %s does not state the GB/s of the NVLink between GPU %d and GPU %d; add "
                           "\"gbps\" to its nvlinks",
                           in->server->name, id, in->plan->assignment.id[next[i]]);
    return ST_OK;
}

static enum st ugache_check(const struct export_input *in, struct err *err)
{
    PASS(export_limits("ugache", in->graph->n, in->graph->m, UINT32_MAX - 1, UINT32_MAX, err));
    if (!in->server)
        return err_set(err, ST_INPUT,
                       "ugache: the plan's server '%.60s' is neither a shipped profile nor a file; name its profile "
                       "with --server",
                       in->plan->server_name);
    if (!in->server->links_known)
        return err_set(err, ST_INPUT,
                       "ugache: server %s does not state its NVLinks; name a profile that does with --server",
                       in->server->name);
    if (!(pcie(in) > 0))
        return err_set(err, ST_INPUT, "ugache: server %s does not state the GB/s of its PCIe links; give --pcie-gbps",
                       in->server->name);
    if (!(hbm(in) > 0))
        return err_set(err, ST_INPUT,
                       "ugache: the profile does not state the GB/s of GPU memory; give --hbm-gbps (half of what "
                       "p2pBandwidthLatencyTest prints on the diagonal)");
    for (int g = 0; g < in->plan->assignment.gpus; g++) PASS(check_gpu(in, g, err));
    return ST_OK;
}

static enum st ugache_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum { ROOM = 1 << 17 };
    char visible[400] = "";
    int next[GPUS_MAX], gpus = in->plan->assignment.gpus;
    OWNED_NEW(char, text, ROOM, "the text of a topology");
    text_append(text, ROOM,
                "%d # GPUs\n%.6g # GB/s of GPU memory\n%.6g # GB/s from the host over PCIe\n# GPUs joined by NVLink, a "
                "line per GPU\n",
                gpus, hbm(in), pcie(in));
    for (int pass = 0; pass < 2; pass++) {
        if (pass) text_append(text, ROOM, "# GB/s of those links\n");
        for (int g = 0; g < gpus; g++) {
            int count = neighbours(in, g, next), a = on_server(in, g);
            for (int i = 0; i < count; i++)
                if (pass)
                    text_append(text, ROOM, "%s%.6g", i ? " " : "", in->server->link_gbps[a][on_server(in, next[i])]);
                else text_append(text, ROOM, "%s%d", i ? " " : "", next[i]);
            text_append(text, ROOM, "\n");
        }
    }
    for (int g = 0; g < gpus; g++)
        text_append(visible, sizeof visible, "%s%d", g ? "," : "", in->plan->assignment.id[g]);
    PASS(export_text(to, "coll_topo.txt", "the server, for COLL_TOPO_FILE", text, err));
    export_use(to, EXPORT_PASS,
               "CUDA_VISIBLE_DEVICES=%s COLL_TOPO_FILE=<this folder>/coll_topo.txt, with COLL_NUM_REPLICA=%d", visible,
               gpus);
    export_use(to, EXPORT_ADD,
               "the data set has GNNLab's layout: 'hotset export P --to gnnlab' writes it; add the lines "
               "NUM_LINK_* and FEAT_DATA_TYPE to meta.txt where UGache asks for them");
    export_use(to, EXPORT_NOTE,
               "bandwidths are those of the profile; UGache's authors advise measured ones, because random reads "
               "reach less");
    DOC_PUT(to->settings, IS("cuda_visible_devices", visible), IS("replicas", gpus));
    return ST_OK;
}

/* ---- what it makes of the plan ---- */

/* Every NVLink neighbour serves, widest first. */
static void join_neighbours(const struct export_input *in, struct placement *p)
{
    for (int g = 0; g < p->gpus; g++) p->peers[g] = neighbours(in, g, p->peer[g]);
}

/* Keeps the peers that an NVLink leads to; true when there were others. */
static bool only_neighbours(const struct export_input *in, struct placement *p)
{
    bool others = false;
    for (int g = 0; g < p->gpus; g++) {
        int kept = 0;
        for (int i = 0; i < p->peers[g]; i++) {
            int peer = p->peer[g][i];
            if (in->server->links[on_server(in, g)][on_server(in, peer)]) p->peer[g][kept++] = peer;
            else others = true;
        }
        p->peers[g] = kept;
    }
    return others;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    PASS(export_lack(to, NULL, "which features are held", err,
                     "UGache's own solver (Gurobi) places them from its own pre-sampling. Only the server is "
                     "exported."));
    PASS(export_lack(to, &run, "topology rows in GPU memory", err, "UGache caches features only."));
    run->simulate = export_run_no_topology(run);
    if (!run->simulate) to->count--;
    PASS(export_lack(to, &run, "reads over several NVLinks", err, "UGache reads over direct NVLinks only."));
    run->simulate = only_neighbours(in, &run->placement);
    if (!run->simulate) to->count--;
    PASS(export_lack_workload(in, to, "UGache", false, err));
    PASS(export_lack_frontier(in, to, "UGache", err));
    PASS(export_as_run(to, &run, err,
                       "the plan's feature rows in place of those that its solver will choose, read over every NVLink "
                       "of the server; topology stays on the host."));
    export_run_no_topology(run);
    join_neighbours(in, &run->placement);
    export_run_reads(run);
    return ST_OK;
}

extern const struct export_target export_target_ugache;
const struct export_target export_target_ugache = {.name = "ugache",
                                                   .summary = "UGache topology file (COLL_TOPO_FILE)",
                                                   .source = "SJTU-IPADS/ugache-artifacts 77ca09e",
                                                   .build = "ugache-artifacts 77ca09e, with Gurobi",
                                                   .one_type = "has one table of rows",
                                                   .made.why = "its own solver places the rows",
                                                   .check = ugache_check,
                                                   .write = ugache_write,
                                                   .runs = runs};
