/* pyg - the rows of each GPU, and a script that gives PyTorch Geometric's loaders a feature store that reads them where
 * the plan puts them and a graph store over the graph directory (torch_geometric 2.8.1, data/feature_store.py,
 * data/graph_store.py, loader/neighbor_loader.py).
 *
 * hotset's Python package does the same from the plan itself, with memories of several processes, neighbour lists in
 * GPU memory and feature rows of edges; this folder needs no package. */
#include "planner/exports/export_clique.h"
#include "planner/exports/export_loader.h"

static enum st check(const struct export_input *in, struct err *err)
{
    return export_limits("pyg", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

static const char about[] = "Loads a plan into PyTorch Geometric: features where the plan puts them, the graph from "
                            "the host.\n"
                            "\n"
                            "Needs torch, numpy and torch_geometric 2.8. For each GPU of the plan:\n"
                            "    graph = Graph('G')                                     # the graph directory of "
                            "hotset\n"
                            "    store = Features('features.npy', device)               # [VERTICES, DIM]\n"
                            "    loader = make_loader(store, graph, device, epoch)      # the plan's training "
                            "vertices, fan-outs and batch\n"
                            "Of a graph with several types: Features({'paper': 'paper.npy', ..}, device), "
                            "make_loader(store, graph, device, epoch, 'paper').\n"
                            "The memories of GPUs are tensors that filled_memory makes; on GPUs, give Features "
                            "memory=, with place=lambda gpu: 'cuda:%d' % gpu.\n";

static const char functions[] =
    "def Features(features, device, memory=None, name='x'):\n"
    "    \"\"\"A FeatureStore for one GPU, whose rows are PlannedRows. memory: that of PlannedRows, of several types "
    "{type: ..}.\"\"\"\n"
    "    import torch\n"
    "    from torch_geometric.data import FeatureStore, TensorAttr\n"
    "    given = {None: features} if TYPES is None else features\n"
    "    rows = {k: PlannedRows(f, device, k, memory if memory is None or k is None else memory[k]) for k, f in "
    "given.items()}\n"
    "\n"
    "    # types without rows are known to loaders by an attribute, too\n"
    "    bare = {k: torch.arange(VERTICES[k]) for k in TYPES or () if k not in rows}\n"
    "\n"
    "    class Planned(FeatureStore):\n"
    "        def __init__(self):\n"
    "            super().__init__()\n"
    "            self.rows = rows\n"
    "\n"
    "        def _get_tensor(self, attr):\n"
    "            if attr.attr_name == 'n_id':\n"
    "                return bare[attr.group_name] if attr.index is None else attr.index\n"
    "            found = rows.get(attr.group_name)\n"
    "            return None if found is None else found.host if attr.index is None else found[attr.index]\n"
    "\n"
    "        def _get_tensor_size(self, attr):\n"
    "            host = bare[attr.group_name] if attr.attr_name == 'n_id' else rows[attr.group_name].host\n"
    "            return tuple(host.shape)\n"
    "\n"
    "        def _put_tensor(self, tensor, attr):\n"
    "            return False  # the rows are copied into GPU memory\n"
    "\n"
    "        def _remove_tensor(self, attr):\n"
    "            return False\n"
    "\n"
    "        def get_all_tensor_attrs(self):\n"
    "            named = [(k, name) for k in rows] + [(k, 'n_id') for k in bare]\n"
    "            return [TensorAttr(*n) for n in named]  # new ones each time: loaders write into them\n"
    "\n"
    "    return Planned()\n"
    "\n"
    "\n"
    "def Graph(path):\n"
    "    \"\"\"A GraphStore of a graph directory: column v lists the vertices that v draws from, so e_id is a place in "
    "indices.\"\"\"\n"
    "    import numpy\n"
    "    import torch\n"
    "    from torch_geometric.data import EdgeAttr, GraphStore\n"
    "    from torch_geometric.data.graph_store import EdgeLayout\n"
    "    relations = {None: ''} if TYPES is None else {r: 'relation%d_' % i for i, r in enumerate(FANOUT)}\n"
    "    sizes = {r: (VERTICES, VERTICES) if r is None else (VERTICES[r[0]], VERTICES[r[2]]) for r in relations}\n"
    "    lists = {r: tuple(torch.from_numpy(numpy.load(os.path.join(path, name + part + '.npy')).astype('i8'))\n"
    "                      for part in ('indices', 'indptr')) for r, name in relations.items()}\n"
    "\n"
    "    class Lists(GraphStore):\n"
    "        def _get_edge_index(self, attr):\n"
    "            return lists.get(attr.edge_type) if attr.layout == EdgeLayout.CSC else None\n"
    "\n"
    "        def _put_edge_index(self, edge_index, attr):\n"
    "            return False\n"
    "\n"
    "        def _remove_edge_index(self, attr):\n"
    "            return False\n"
    "\n"
    "        def get_all_edge_attrs(self):\n"
    "            return [EdgeAttr(edge_type=r, layout=EdgeLayout.CSC, is_sorted=True, size=sizes[r]) for r in "
    "relations]\n"
    "\n"
    "    return Lists()\n"
    "\n"
    "\n"
    "def make_loader(store, graph, device, epoch=0, kind=None, vertices=None, **options):\n"
    "    \"\"\"A NeighborLoader for one epoch. vertices: the plan's training vertices of the GPU in the plan's order "
    "when left\n"
    "    out.\"\"\"\n"
    "    from torch_geometric.loader import NeighborLoader\n"
    "    options = dict({'batch_size': BATCH, 'shuffle': False, 'filter_per_worker': False}, **options)\n"
    "    vertices = epoch_ids(device, epoch, kind) if vertices is None else vertices\n"
    "    return NeighborLoader((store, graph), FANOUT, input_nodes=vertices if kind is None else (kind, vertices), "
    "**options)\n";

static enum st write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    static const struct export_loader own = {.name = "load_pyg.py",
                                             .what = "makes the stores and the loader of a GPU",
                                             .about = about,
                                             .planned = true,
                                             .constants = "",
                                             .functions = functions};
    PASS(export_planned_lists(in, to, err));
    PASS(export_train_files(in, to, err));
    PASS(export_sets_npy(in, to, err));
    PASS(export_loader_write(in, to, &own, err));
    export_use(to,
               "in Python, from load_pyg import Features, Graph, make_loader, with the graph directory and the "
               "features as one .npy%s; Python's hotset.pyg does the same from the plan itself",
               export_each_type(in->graph));
    return ST_OK;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    return export_planned_runs(in, to, "PyTorch Geometric", false, err);
}

extern const struct export_target export_target_pyg;
const struct export_target export_target_pyg = {.name = "pyg",
                                                .summary = "rows of each GPU for PyTorch Geometric, with a script that "
                                                           "makes its stores and loaders",
                                                .source = "pyg-team/pytorch_geometric 2.8.1",
                                                .order = true,
                                                .holds = EXPORT_HOLDS_ALL,
                                                .made = {.keeps = "no topology rows; any GPU in reach serves features",
                                                         .no_topology = true},
                                                .check = check,
                                                .write = write,
                                                .runs = runs};
