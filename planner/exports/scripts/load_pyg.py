"""Loads a plan into PyTorch Geometric: features where the plan puts them, the graph from the host.

Needs torch, numpy and torch_geometric 2.8, and for make_loader pyg-lib or torch-sparse, by which PyG samples. For each GPU of the plan:
    graph = Graph('G')                                     # the graph directory of hotset
    store = Features('features.npy', device)               # [VERTICES, DIM]
    loader = make_loader(store, graph, device, epoch)      # the plan's training vertices, fan-outs and batch
Of a graph with several types: Features({'paper': 'paper.npy', ..}, device), make_loader(store, graph, device, epoch, 'paper').
On GPUs hotset's op gathers each mini-batch by one launch where the wheel of hotset is installed; a line on standard error says so. In a job
of one process per GPU, all of them make Features, after torch.distributed.init_process_group, and end together (a barrier): GPUs read each
other's memory. Without the wheel torch gathers place by place, from tensors that filled_memory makes: give Features memory=, with
place=lambda gpu: 'cuda:%d' % gpu. Without a GPU all of it runs on the CPU, with the same rows and the same counts of rows by place
(store.rows[None].counts): device is then only the number of a GPU of the plan.
"""
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
PEERS = {0: [3, 1, 2], 1: [2, 0, 3], 2: [1, 3, 0], 3: [0, 2, 1]}
TYPES = None
VERTICES = 1500
DIM = 20
ELEMENT = ''
FANOUT = [5, 4]
BATCH = 40
SEED = 1
ORDER = 'blocks'
BLOCKS = 2

from ids import *
from rows import *
from planned import *


def Features(features, device, memory=None, name='x'):
    """A FeatureStore for one GPU, whose rows are those of rows_of. memory: that of PlannedRows, of several types {type: ..}."""
    import torch
    from torch_geometric.data import FeatureStore, TensorAttr
    given = {None: features} if TYPES is None else features
    rows = {k: rows_of(f, device, k, memory if memory is None or k is None else memory[k]) for k, f in given.items()}

    # types without rows are known to loaders by an attribute, too
    bare = {k: torch.arange(VERTICES[k]) for k in TYPES or () if k not in rows}

    class Planned(FeatureStore):
        def __init__(self):
            super().__init__()
            self.rows = rows

        def _get_tensor(self, attr):
            if attr.attr_name == 'n_id':
                return bare[attr.group_name] if attr.index is None else attr.index
            found = rows.get(attr.group_name)
            return None if found is None else found.host if attr.index is None else found[attr.index]

        def _get_tensor_size(self, attr):
            host = bare[attr.group_name] if attr.attr_name == 'n_id' else rows[attr.group_name].host
            return tuple(host.shape)

        def _put_tensor(self, tensor, attr):
            return False  # the rows are copied into GPU memory

        def _remove_tensor(self, attr):
            return False

        def get_all_tensor_attrs(self):
            named = [(k, name) for k in rows] + [(k, 'n_id') for k in bare]
            return [TensorAttr(*n) for n in named]  # new ones each time: loaders write into them

    return Planned()


def Graph(path):
    """A GraphStore of a graph directory: column v lists the vertices that v draws from, so e_id is a place in indices."""
    import numpy
    import torch
    from torch_geometric.data import EdgeAttr, GraphStore
    from torch_geometric.data.graph_store import EdgeLayout
    relations = {None: ''} if TYPES is None else {r: 'relation%d_' % i for i, r in enumerate(FANOUT)}
    sizes = {r: (VERTICES, VERTICES) if r is None else (VERTICES[r[0]], VERTICES[r[2]]) for r in relations}
    lists = {r: tuple(torch.from_numpy(numpy.load(os.path.join(path, name + part + '.npy')).astype('i8'))
                      for part in ('indices', 'indptr')) for r, name in relations.items()}

    class Lists(GraphStore):
        def _get_edge_index(self, attr):
            return lists.get(attr.edge_type) if attr.layout == EdgeLayout.CSC else None

        def _put_edge_index(self, edge_index, attr):
            return False

        def _remove_edge_index(self, attr):
            return False

        def get_all_edge_attrs(self):
            return [EdgeAttr(edge_type=r, layout=EdgeLayout.CSC, is_sorted=True, size=sizes[r]) for r in relations]

    return Lists()


def sampler_lacks():
    """What to install before PyG can sample; '': nothing."""
    import torch
    from torch_geometric import typing
    if typing.WITH_PYG_LIB or typing.WITH_TORCH_SPARSE:
        return ''
    return ("PyG's sampler needs pyg-lib or torch-sparse: PyG's installation page names the wheels of pyg_lib for torch %s, or "
            "pip install --no-build-isolation torch_scatter torch_sparse, which compiles; or give a sampler of your own, neighbor_sampler="
            % torch.__version__)


def make_loader(store, graph, device, epoch=0, kind=None, vertices=None, **options):
    """A NeighborLoader for one epoch. vertices: the plan's training vertices of the GPU in the plan's order when left
    out. options: those of NeighborLoader."""
    from torch_geometric.loader import NeighborLoader
    if options.get('neighbor_sampler') is None and sampler_lacks():
        raise ImportError(sampler_lacks())
    options = dict({'batch_size': BATCH, 'shuffle': False, 'filter_per_worker': False}, **options)
    vertices = epoch_ids(device, epoch, kind) if vertices is None else vertices
    return NeighborLoader((store, graph), FANOUT, input_nodes=vertices if kind is None else (kind, vertices), **options)
