/* quiver - feature order, GPU parts and local orders for torch-quiver's Feature.from_mmap, and a script that loads
 * them (torch-quiver 5a3bc77).
 *
 * Under p2p_clique_replicate a Feature is one tensor per clique: the shards of the clique's devices in their order,
 * then the rows of the host; row v lies at feature_order[v], the inverse of the local order. Every clique gets a
 * Feature of its own, for its order is its own. A row lies once in a clique. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export_clique.h"
#include "planner/exports/export_loader.h"

static enum st check(const struct export_input *in, struct err *err)
{
    return export_limits("quiver", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

static const char about[] = "Loads a plan into torch-quiver: features over the GPUs of a clique, the rest on the "
                            "host.\n"
                            "\n"
                            "Needs torch, numpy and quiver (torch-quiver). Written against quiver.Feature.from_mmap "
                            "and set_local_order of torch-quiver 5a3bc77.\n"
                            "    feature, clique = load_plan('features.npy', rank)     # in one process per clique; "
                            "features.npy: [VERTICES, DIM]\n"
                            "    reopen(feature, clique)                                # in every other process that "
                            "receives `feature`\n"
                            "Quiver hands a Feature to other processes without its order, so each of them calls reopen "
                            "before the first read.\n";

static const char functions[] = "def load_plan(features, device):\n"
                                "    \"\"\"features: as for load_rows; device: a GPU of the clique to load. Returns "
                                "(quiver.Feature, clique).\"\"\"\n"
                                "    import quiver\n"
                                "    from quiver.feature import DeviceConfig\n"
                                "    clique = clique_of(device)\n"
                                "    rows, devices = load_rows(features), CLIQUES[clique]\n"
                                "    if len(devices) > 1:\n"
                                "        quiver.init_p2p(devices)\n"
                                "    parts = {d: ids('gpu%d_part.npy' % d) for d in devices}\n"
                                "    feature = quiver.Feature(rank=device, device_list=devices, device_cache_size=0, "
                                "cache_policy='p2p_clique_replicate')\n"
                                "    feature.from_mmap(rows, DeviceConfig(parts, ids('clique%d_cpu_part.npy' % "
                                "clique)))\n"
                                "    feature.set_local_order(ids('clique%d_local_order.npy' % clique))\n"
                                "    return feature, clique\n"
                                "\n"
                                "\n"
                                "def reopen(feature, clique):\n"
                                "    \"\"\"Restores the order of a Feature that came from another process.\"\"\"\n"
                                "    feature.lazy_init_from_ipc_handle()\n"
                                "    feature.set_local_order(ids('clique%d_local_order.npy' % clique))\n";

static enum st write_loader(const struct export_input *in, struct export_folder *to, struct err *err)
{
    static const struct export_loader own = {.name = "load_quiver.py",
                                             .what = "makes the Feature of a clique",
                                             .about = about,
                                             .cliques = true,
                                             .constants = "",
                                             .functions = functions};
    return export_loader_write(in, to, &own, err);
}

/* What one clique needs; lists: feature rows of its GPUs, each row once. */
static enum st write_clique(const struct export_input *in, struct export_folder *to, int clique,
                            const struct row_list *lists, uint32_t *order, uint32_t *inverse, struct err *err)
{
    enum st st;
    const struct assignment *a = &in->plan->assignment;
    uint64_t n = in->graph->n, held = export_clique_order(a, lists, clique, n, order, inverse);
    char name[64];
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique) continue;
        snprintf(name, sizeof name, "gpu%d_part.npy", a->id[g]);
        TRY(export_ids_npy(to, name, "int64: feature rows of the GPU's shard", lists[g].id, lists[g].count, 8, err));
    }
    snprintf(name, sizeof name, "clique%d_cpu_part.npy", clique);
    TRY(export_ids_npy(to, name, "int64: feature rows of the host", order + held, n - held, 8, err));
    snprintf(name, sizeof name, "clique%d_local_order.npy", clique);
    TRY(export_ids_npy(to, name, "int64: GPU parts in the clique's order, then the host's", order, n, 8, err));
    snprintf(name, sizeof name, "clique%d_feature_order.npy", clique);
    TRY(export_ids_npy(to, name, "int64: storage row of each vertex", inverse, n, 8, err));
done:
    return st;
}

static enum st write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    const struct plan *p = in->plan;
    struct export_runs once = {0};
    uint32_t *order = NULL, *inverse = NULL;
    bool taken;
    NEW(order, in->graph->n, "an order of rows");
    NEW(inverse, in->graph->n, "an order of rows");
    TRY(export_runs_begin(&once, p, err));
    TRY(export_run_once_per_clique(&once, once.run, in->graph->n, &taken, err));
    for (int c = 0; c < p->assignment.cliques; c++)
        TRY(write_clique(in, to, c, once.run->placement.feature, order, inverse, err));
    TRY(export_train_files(in, to, err));
    TRY(export_sets_npy(in, to, err));
    TRY(write_loader(in, to, err));
    export_use(to,
               "in Python, from load_quiver import load_plan; it takes the features as one .npy of shape (%" PRIu64
               ", %" PRIu64 ") from anywhere",
               in->graph->n, in->graph->feature_dim);
    for (int g = 0; g < p->assignment.gpus; g++)
        if (!once.run->placement.feature[g].count) {
            export_use(to,
                       "GPU %d caches no feature row; if Quiver refuses an empty shard, remove that GPU from CLIQUES "
                       "in load_quiver.py",
                       p->assignment.id[g]);
            break;
        }
done:
    export_runs_release(&once);
    mem_free(order);
    mem_free(inverse);
    return st;
}

/* ---- what it makes of the plan ---- */

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    enum st st;
    struct export_run *run = NULL;
    TRY(export_clique_lacks(in, to,
                            "Quiver's sampler reads the whole graph from the host (UVA) or holds it whole on every "
                            "GPU; it "
                            "cannot hold a part.",
                            "a Feature spans the devices of one clique.",
                            "a clique's tensor has each row once: the copy that is placed first in its GPU's list is "
                            "kept, and the memory of the others stays unused.",
                            err));
    TRY(export_lack_types(in, to, "Quiver", err));
    TRY(export_lack_workload(in, to, "Quiver", false, err));
    TRY(export_lack_frontier(in, to, "Quiver", err));
    TRY(export_as_run(to, &run, err,
                      "the plan's feature rows, each once per clique, with the whole topology read from the host."));
    TRY(export_clique_as_run(in, to, run, err));
    export_run_reads(run);
    if (in->graph->feature_bytes != 4) run->row_bytes = 4 * in->graph->feature_dim;
done:
    return st;
}

extern const struct export_target export_target_quiver;
const struct export_target export_target_quiver = {.name = "quiver",
                                                   .summary = "Quiver feature order, GPU parts and local orders, with "
                                                              "a loader script",
                                                   .source = "quiver-team/torch-quiver 5a3bc77",
                                                   .cliques = true,
                                                   .check = check,
                                                   .write = write,
                                                   .runs = runs};
