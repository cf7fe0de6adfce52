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
#include "planner/exports/export_script.h"

static enum st quiver_check(const struct export_input *in, struct err *err)
{
    const struct graph *g = in->graph;
    PASS(export_limits("quiver", g->n, g->m, UINT32_MAX, INT64_MAX, err));
    for (int t = 0; t < g->types; t++)
        if (g->type[t].features.dim && strcmp(g->type[t].features.element, "f32"))
            return err_set(err, ST_NO,
                           "quiver: reads float32 rows, and those of type %s are %s; import the graph with "
                           "--feature-type f32",
                           g->type[t].name, g->type[t].features.element);
    return ST_OK;
}

static enum st write_clique(const struct export_input *in, struct export_folder *to, int clique,
                            const struct export_rows *rows, uint32_t *order, uint32_t *inverse, void *own,
                            struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    uint64_t n = rows->n, held = export_clique_order(a, rows->list, clique, n, order, inverse);
    bool *empty = own;
    char stem[48], name[EXPORT_NAME];
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique) continue;
        *empty |= !rows->list[g].count;
        snprintf(stem, sizeof stem, "gpu%d_part", a->id[g]);
        PASS(export_ids_npy(to, export_rows_file(rows, stem, name), "int64: feature rows of the GPU's shard",
                            rows->list[g].id, rows->list[g].count, 8, err));
    }
    snprintf(stem, sizeof stem, "clique%d_cpu_part", clique);
    PASS(export_ids_npy(to, export_rows_file(rows, stem, name), "int64: feature rows of the host", order + held,
                        n - held, 8, err));
    snprintf(stem, sizeof stem, "clique%d_local_order", clique);
    PASS(export_ids_npy(to, export_rows_file(rows, stem, name),
                        "int64: GPU parts in the clique's order, then the host's", order, n, 8, err));
    snprintf(stem, sizeof stem, "clique%d_feature_order", clique);
    return export_ids_npy(to, export_rows_file(rows, stem, name), "int64: storage row of each vertex", inverse, n, 8,
                          err);
}

static enum st quiver_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    bool empty = false;
    PASS(export_cliques_write(in, to, write_clique, &empty, err));
    PASS(export_script_write(in, to, "load_quiver.py", "makes the Feature of a clique", NULL, err));
    export_use(to, EXPORT_CALL,
               "in Python, from load_quiver import load_plan; it takes the features of %s as one .npy from anywhere",
               graph_plain(in->graph) ? "the graph" : "a type");
    if (empty)
        export_use(to, EXPORT_CALL,
                   "some GPU caches no feature row; if Quiver refuses an empty shard, remove that GPU from CLIQUES "
                   "in load_quiver.py");
    return ST_OK;
}

/* ---- what it makes of the plan ---- */

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    PASS(export_clique_lacks(in, to,
                             "Quiver's sampler reads the whole graph from the host (UVA) or holds it whole on every "
                             "GPU; it cannot hold a part.",
                             "a Feature spans the devices of one clique.",
                             "a clique's tensor has each row once: the copy that is placed first in its GPU's list is "
                             "kept, and the memory of the others stays unused.",
                             err));
    PASS(export_lack_types(in, to, "Quiver", err));
    PASS(export_lack_workload(in, to, "Quiver", false, err));
    PASS(export_lack_frontier(in, to, "Quiver", err));
    PASS(export_as_run(to, &run, err,
                       "the plan's feature rows, each once per clique, with the whole topology read from the host."));
    PASS(export_clique_as_run(in, to, run, err));
    export_run_reads(run);
    if (graph_plain(in->graph) && in->graph->feature_bytes != 4) run->row_bytes = 4 * in->graph->feature_dim;
    return ST_OK;
}

extern const struct export_target export_target_quiver;
const struct export_target export_target_quiver = {.name = "quiver",
                                                   .summary = "Quiver feature order, GPU parts and local orders, with "
                                                              "a loader script",
                                                   .features_from = "load_quiver.py takes them in Python: "
                                                                    "load_plan('FILE.npy', rank)",
                                                   .source = "quiver-team/torch-quiver 5a3bc77",
                                                   .build = "torch-quiver 5a3bc77, with torch and numpy",
                                                   .cliques = true,
                                                   .order = true,
                                                   .whole_rows = true,
                                                   .made = {.keeps = "no topology rows; a feature row once per clique, "
                                                                     "served inside it",
                                                            .no_topology = true,
                                                            .clique = true},
                                                   .check = quiver_check,
                                                   .write = quiver_write,
                                                   .runs = runs};
