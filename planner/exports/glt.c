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
                            "    loader = make_loader(dataset, device, epoch)           # the plan's training "
                            "vertices, fan-outs and batch\n"
                            "Of a graph with several types: make_dataset('G', {'paper': 'paper.npy', ..}, device), "
                            "make_loader(dataset, device, epoch, 'paper').\n";

static const char functions[] =
    "def features_of(features, device, kind=None):\n"
    "    \"\"\"(rows, row of each vertex, share of the rows on GPUs).\"\"\"\n"
    "    import torch\n"
    "    clique, rows = clique_of(device), load_rows(features, kind)\n"
    "    order, held = ids('clique%d_order.npy' % clique, kind), of(ROWS, kind)[clique]\n"
    "    # half a row more: the product is rounded down, and must not lose one to the rounding of the ratio\n"
    "    ratio = min((held + 0.5) / of(VERTICES, kind), 1.0) if held else 0.0\n"
    "    return torch.from_numpy(rows[order.numpy()]), ids('clique%d_id2index.npy' % clique, kind), ratio\n"
    "\n"
    "\n"
    "def node_features(features, device):\n"
    "    \"\"\"The arguments of Dataset.init_node_features. features: as for load_rows; of several types {type: "
    "..}.\"\"\"\n"
    "    from graphlearn_torch.data import DeviceGroup\n"
    "    if TYPES is None:\n"
    "        data, index, ratio = features_of(features, device)\n"
    "    else:\n"
    "        data, index, ratio = ({kind: x[i] for kind, x in ((k, features_of(f, device, k)) for k, f in "
    "features.items())}\n"
    "                              for i in range(3))\n"
    "    return dict(node_feature_data=data, id2idx=index, split_ratio=ratio,\n"
    "                device_group_list=[DeviceGroup(0, CLIQUES[clique_of(device)])], device=device)\n"
    "\n"
    "\n"
    "def lists_of(graph, name=''):\n"
    "    \"\"\"(indptr, indices) of a graph directory: row v lists the vertices that v draws from.\"\"\"\n"
    "    import numpy\n"
    "    import torch\n"
    "    indptr, indices = (numpy.load(os.path.join(graph, name + part + '.npy')) for part in ('indptr', 'indices'))\n"
    "    return torch.from_numpy(indptr), torch.from_numpy(indices.astype('i8'))\n"
    "\n"
    "\n"
    "def make_dataset(graph, features, device, graph_mode='ZERO_COPY'):\n"
    "    \"\"\"graph: the graph directory of hotset.\"\"\"\n"
    "    import graphlearn_torch as glt\n"
    "    dataset = glt.data.Dataset(edge_dir='out' if TYPES is None else 'in')\n"
    "    if TYPES is None:\n"
    "        lists, layout = lists_of(graph), 'CSR'\n"
    "    else:  # (source, name, target): targets draw sources\n"
    "        lists = {r: lists_of(graph, 'relation%d_' % i)[::-1] for i, r in enumerate(FANOUT)}\n"
    "        layout = 'CSC'\n"
    "    dataset.init_graph(lists, layout=layout, graph_mode=graph_mode, directed=True, device=device)\n"
    "    dataset.init_node_features(**node_features(features, device))\n"
    "    if os.path.exists(os.path.join(FOLDER, 'labels.npy')):\n"
    "        dataset.init_node_labels(ids('labels.npy'))\n"
    "    return dataset\n"
    "\n"
    "\n"
    "def make_loader(dataset, device, epoch=0, kind=None, vertices=None, **options):\n"
    "    \"\"\"For one epoch. vertices: the plan's training vertices of the GPU in the plan's order when left out;\n"
    "    ids('valid.npy') to validate.\"\"\"\n"
    "    import torch\n"
    "    import graphlearn_torch as glt\n"
    "    options = dict({'batch_size': BATCH, 'shuffle': False, 'device': torch.device('cuda', device)}, **options)\n"
    "    vertices = epoch_ids(device, epoch, kind) if vertices is None else vertices\n"
    "    return glt.loader.NeighborLoader(dataset, FANOUT, vertices if kind is None else (kind, vertices), "
    "**options)\n";

static enum st write_loader(const struct export_input *in, struct export_folder *to, const struct export_values *rows,
                            struct err *err)
{
    size_t size = strlen(rows->text) + 100;
    OWNED_NEW(char, constants, size, "constants of a script");
    text_append(constants, size, "ROWS = %s  # of each clique, on its GPUs together\n", rows->text);
    const struct export_loader own = {.name = "load_glt.py",
                                      .what = "makes the data set and the loader of a GPU",
                                      .about = about,
                                      .cliques = true,
                                      .constants = constants,
                                      .functions = functions};
    return export_loader_write(in, to, &own, err);
}

static void begin_type(void *own, const struct export_rows *rows) { export_values_key(own, rows->type); }

static enum st write_clique(const struct export_input *in, struct export_folder *to, int clique,
                            const struct export_rows *rows, uint32_t *order, uint32_t *inverse, void *own,
                            struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    struct export_values *held = own;
    char stem[48], name[EXPORT_NAME];
    text_append(held->text, held->size, "%s%" PRIu64 "%s", clique ? ", " : "[",
                export_clique_order(a, rows->list, clique, rows->n, order, inverse),
                clique + 1 < a->cliques ? "" : "]");
    snprintf(stem, sizeof stem, "clique%d_order", clique);
    PASS(export_ids_npy(to, export_rows_file(rows, stem, name),
                        "int64: the vertex of each row: GPU by GPU, then the host's", order, rows->n, 8, err));
    snprintf(stem, sizeof stem, "clique%d_id2index", clique);
    return export_ids_npy(to, export_rows_file(rows, stem, name), "int64: the row of each vertex", inverse, rows->n, 8,
                          err);
}

static enum st write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    OWNED_BY(export_values_release) struct export_values rows = {0};
    PASS(export_values_begin(in->graph, GPUS_MAX * 24, &rows, err));
    PASS(export_cliques_write(in, to, write_clique, begin_type, &rows, err));
    export_values_end(&rows);
    PASS(write_loader(in, to, &rows, err));
    export_use(to,
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
                                                .source = "alibaba/graphlearn-for-pytorch 0.2.4",
                                                .cliques = true,
                                                .order = true,
                                                .made = {.keeps = "no topology rows; a feature row once per clique, in "
                                                                  "blocks of equal size, served inside it",
                                                         .no_topology = true,
                                                         .clique = true},
                                                .check = check,
                                                .write = write,
                                                .runs = runs};
