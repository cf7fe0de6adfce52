/* glt - feature order and split for GraphLearn-for-PyTorch's Feature, and a script that makes its data set (GLT 0.2.4,
 * graphlearn_torch/python/data/feature.py).
 *
 * A Feature puts the first int(n * split_ratio) rows of its tensor on the GPUs of a group, in blocks of equal size; the
 * last GPU takes what is left over. id2index says where the row of a vertex lies. All groups of a Feature hold the same
 * rows, so every clique gets a Feature of its own, and one group: its GPUs. A row lies once in a clique. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export_clique.h"
#include "planner/exports/export_script.h"

static enum st glt_check(const struct export_input *in, struct err *err)
{
    return export_limits("glt", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

static enum st write_clique(const struct export_input *in, struct export_folder *to, int clique,
                            const struct export_rows *rows, uint32_t *order, uint32_t *inverse, void *own,
                            struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    char stem[48], name[EXPORT_NAME];
    uint64_t held = export_clique_order(a, rows->list, clique, rows->n, order, inverse);
    doc_append(export_script_list(own, "ROWS", in->graph, rows->type), doc_unsigned(held));
    snprintf(stem, sizeof stem, "clique%d_order", clique);
    PASS(export_ids_npy(to, export_rows_file(rows, stem, name),
                        "int64: the vertex of each row: GPU by GPU, then the host's", order, rows->n, 8, err));
    snprintf(stem, sizeof stem, "clique%d_id2index", clique);
    return export_ids_npy(to, export_rows_file(rows, stem, name), "int64: the row of each vertex", inverse, rows->n, 8,
                          err);
}

static enum st glt_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    OWNED_DOC doc *own = doc_object();
    if (!graph_plain(in->graph)) doc_put(own, "ROWS", doc_object()); /* also where no type has rows */
    PASS(export_cliques_write(in, to, write_clique, own, err));
    PASS(export_script_write(in, to, "load_glt.py", "makes the data set and the loader of a GPU", own, err));
    export_use(to, EXPORT_CALL,
               "in Python, from load_glt import make_dataset, make_loader: in the process of each GPU, with the graph "
               "directory and the features as one .npy%s",
               export_each_type(in->graph));
    return ST_OK;
}

/* ---- what it makes of the plan ---- */

/* Shares each clique's rows out anew: equal blocks of their sequence, the rest to the last GPU. *moved: whether a row
 * changed its GPU. */
static enum st equal_blocks(const struct export_input *in, struct export_runs *to, struct export_run *run, bool *moved,
                            struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    struct row_list *lists = run->placement.feature;
    *moved = false;
    for (int c = 0; c < a->cliques; c++) {
        uint64_t all = 0, at = 0, gpus = 0, block;
        uint32_t *sequence = NULL;
        for (int g = 0; g < a->gpus; g++)
            if (a->clique_of[g] == c) {
                all += lists[g].count;
                gpus++;
            }
        if (!all) continue;
        PASS(export_runs_list(to, all, &sequence, err));
        for (int g = 0; g < a->gpus; g++)
            if (a->clique_of[g] == c && lists[g].count) {
                memcpy(sequence + at, lists[g].id, lists[g].count * sizeof *sequence);
                at += lists[g].count;
            }
        block = all / gpus;
        at = 0;
        for (int g = 0; g < a->gpus; g++)
            if (a->clique_of[g] == c) {
                uint64_t count = --gpus ? block : all - at;
                *moved = *moved || count != lists[g].count;
                lists[g] = (struct row_list){.id = sequence + at, .count = count};
                at += count;
            }
    }
    return ST_OK;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    bool moved;
    PASS(export_clique_lacks(in, to,
                             "GraphLearn-for-PyTorch reads the whole graph from the host (ZERO_COPY) or holds it whole "
                             "on every GPU (CUDA); it cannot hold a part.",
                             "a Feature spans the GPUs of one group.",
                             "a group's tensor has each row once: the copy that is placed first in its GPU's list is "
                             "kept, and the memory of the others stays unused.",
                             err));
    PASS(export_lack_workload(in, to, "GraphLearn-for-PyTorch", false, err));
    PASS(export_lack_frontier(in, to, "GraphLearn-for-PyTorch", err));
    PASS(export_as_run(to, &run, err,
                       "the plan's feature rows, each once per clique, in blocks of equal size on its GPUs, with the "
                       "whole topology read from the host."));
    PASS(export_clique_as_run(in, to, run, err));
    PASS(equal_blocks(in, to, run, &moved, err));
    export_run_reads(run);
    return ST_OK;
}

extern const struct export_target export_target_glt;
const struct export_target export_target_glt = {.name = "glt",
                                                .summary = "row order and split per clique for GraphLearn-for-PyTorch, "
                                                           "with a loader script",
                                                .features_from = "load_glt.py takes them in Python: make_dataset('G', "
                                                                 "'FILE.npy', device)",
                                                .source = "alibaba/graphlearn-for-pytorch 0.2.4",
                                                .install = "pip install graphlearn-torch (0.2.4) torch (2.5) numpy",
                                                .cliques = true,
                                                .order = true,
                                                .whole_rows = true,
                                                .made = {.keeps = "no topology rows; a feature row once per clique, in "
                                                                  "blocks of equal size, served inside it",
                                                         .no_topology = true,
                                                         .clique = true},
                                                .check = glt_check,
                                                .write = glt_write,
                                                .runs = runs};
