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
#include "planner/exports/export_loader.h"

static enum st check(const struct export_input *in, struct err *err)
{
    return export_limits("glt", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

static const char about[] = "Loads a plan into GraphLearn-for-PyTorch: features over the GPUs of a clique, the rest on "
                            "the host.\n"
                            "\n"
                            "Needs torch, numpy and graphlearn-torch 0.2.4. In the process of each GPU:\n"
                            "    dataset = make_dataset('G', 'features.npy', device)    # the graph directory; "
                            "features [VERTICES, DIM]\n"
                            "    loader = make_loader(dataset, device)                  # the plan's training "
                            "vertices, fan-outs and batch\n";

static const char functions[] =
    "def node_features(features, device):\n"
    "    \"\"\"The arguments of Dataset.init_node_features. features: as for load_rows.\"\"\"\n"
    "    import torch\n"
    "    from graphlearn_torch.data import DeviceGroup\n"
    "    clique, rows = clique_of(device), load_rows(features)\n"
    "    order = ids('clique%d_order.npy' % clique)\n"
    "    # half a row more: the product is rounded down, and must not lose one to the rounding of the ratio\n"
    "    ratio = min((ROWS[clique] + 0.5) / VERTICES, 1.0) if ROWS[clique] else 0.0\n"
    "    return dict(node_feature_data=torch.from_numpy(rows[order.numpy()]), id2idx=ids('clique%d_id2index.npy' % "
    "clique),\n"
    "                split_ratio=ratio, device_group_list=[DeviceGroup(0, CLIQUES[clique])], device=device)\n"
    "\n"
    "\n"
    "def make_dataset(graph, features, device, graph_mode='ZERO_COPY'):\n"
    "    \"\"\"graph: the graph directory of hotset; row v lists the vertices that v draws from.\"\"\"\n"
    "    import numpy\n"
    "    import torch\n"
    "    import graphlearn_torch as glt\n"
    "    indptr = numpy.load(os.path.join(graph, 'indptr.npy'))\n"
    "    indices = numpy.load(os.path.join(graph, 'indices.npy'))\n"
    "    dataset = glt.data.Dataset(edge_dir='out')\n"
    "    dataset.init_graph((torch.from_numpy(indptr), torch.from_numpy(indices.astype('i8'))), layout='CSR',\n"
    "                       graph_mode=graph_mode, directed=True, device=device)\n"
    "    dataset.init_node_features(**node_features(features, device))\n"
    "    if os.path.exists(os.path.join(FOLDER, 'labels.npy')):\n"
    "        dataset.init_node_labels(ids('labels.npy'))\n"
    "    return dataset\n"
    "\n"
    "\n"
    "def make_loader(dataset, device, vertices=None, **options):\n"
    "    \"\"\"vertices: the plan's training vertices of the GPU when left out; ids('valid.npy') to validate.\"\"\"\n"
    "    import torch\n"
    "    import graphlearn_torch as glt\n"
    "    options = dict({'batch_size': BATCH, 'shuffle': True, 'device': torch.device('cuda', device)}, **options)\n"
    "    vertices = train_ids(device) if vertices is None else vertices\n"
    "    return glt.loader.NeighborLoader(dataset, FANOUT, vertices, **options)\n";

static enum st write_loader(const struct export_input *in, struct export_folder *to, const uint64_t *rows,
                            struct err *err)
{
    char constants[GPUS_MAX * 24 + 100] = "ROWS = [";
    for (int c = 0; c < in->plan->assignment.cliques; c++)
        text_append(constants, sizeof constants, "%s%" PRIu64, c ? ", " : "", rows[c]);
    text_append(constants, sizeof constants, "]  # of each clique, on its GPUs together\n");
    const struct export_loader own = {.name = "load_glt.py",
                                      .what = "makes the data set and the loader of a GPU",
                                      .about = about,
                                      .cliques = true,
                                      .constants = constants,
                                      .functions = functions};
    return export_loader_write(in, to, &own, err);
}

static enum st write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    const struct assignment *a = &in->plan->assignment;
    struct export_runs once = {0};
    uint32_t *order = NULL, *inverse = NULL;
    uint64_t n = in->graph->n, rows[GPUS_MAX] = {0};
    bool taken;
    char name[64];
    NEW(order, n, "an order of rows");
    NEW(inverse, n, "an order of rows");
    TRY(export_runs_begin(&once, in->plan, err));
    TRY(export_run_once_per_clique(&once, once.run, n, &taken, err));
    for (int c = 0; c < a->cliques; c++) {
        rows[c] = export_clique_order(a, once.run->placement.feature, c, n, order, inverse);
        snprintf(name, sizeof name, "clique%d_order.npy", c);
        TRY(export_ids_npy(to, name, "int64: the vertex of each row: GPU by GPU, then the host's", order, n, 8, err));
        snprintf(name, sizeof name, "clique%d_id2index.npy", c);
        TRY(export_ids_npy(to, name, "int64: the row of each vertex", inverse, n, 8, err));
    }
    TRY(export_train_files(in, to, err));
    TRY(export_sets_npy(in, to, err));
    TRY(write_loader(in, to, rows, err));
    export_use(to, "in Python, from load_glt import make_dataset, make_loader: in the process of each GPU, with the "
                   "graph directory and the features as one .npy");
done:
    export_runs_release(&once);
    mem_free(order);
    mem_free(inverse);
    return st;
}

/* ---- what it makes of the plan ---- */

/* Shares each clique's rows out anew: equal blocks of their sequence, the rest to the last GPU. *moved: whether a row
 * changed its GPU. */
static enum st equal_blocks(const struct export_input *in, struct export_runs *to, struct export_run *run, bool *moved,
                            struct err *err)
{
    enum st st = ST_OK;
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
        TRY(export_runs_list(to, all, &sequence, err));
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
done:
    return st;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    enum st st;
    struct export_run *run = NULL;
    bool moved;
    TRY(export_clique_lacks(in, to,
                            "GraphLearn-for-PyTorch reads the whole graph from the host (ZERO_COPY) or holds it whole "
                            "on every "
                            "GPU (CUDA); it cannot hold a part.",
                            "a Feature spans the GPUs of one group.",
                            "a group's tensor has each row once: the copy that is placed first in its GPU's list is "
                            "kept, and "
                            "the memory of the others stays unused.",
                            err));
    TRY(export_lack_workload(in, to, "GraphLearn-for-PyTorch", false, err));
    TRY(export_lack_frontier(in, to, "GraphLearn-for-PyTorch", err));
    TRY(export_as_run(to, &run, err,
                      "the plan's feature rows, each once per clique, in blocks of equal size on its GPUs, with the "
                      "whole topology read from the host."));
    TRY(export_clique_as_run(in, to, run, err));
    TRY(equal_blocks(in, to, run, &moved, err));
    export_run_reads(run);
done:
    return st;
}

extern const struct export_target export_target_glt;
const struct export_target export_target_glt = {.name = "glt",
                                                .summary = "row order and split per clique for GraphLearn-for-PyTorch, "
                                                           "with a loader script",
                                                .source = "alibaba/graphlearn-for-pytorch 0.2.4",
                                                .cliques = true,
                                                .check = check,
                                                .write = write,
                                                .runs = runs};
