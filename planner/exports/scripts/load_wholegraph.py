"""Loads a plan into WholeGraph: planned rows in GPU memory, the others on the host.

Needs torch, numpy, pylibwholegraph and cugraph-pyg 26.10; written against their sources, not run on a GPU.
In every process, after pylibwholegraph.torch.initialize.init:
    rows = PlannedRows('features.npy', device)      # [VERTICES, DIM]; device: the server's number of the GPU
    x = rows[ids]                                   # as features[ids]
    store = feature_store(rows)                     # data[0] of cugraph-pyg's loaders
Of a graph with several types: tables for each, PlannedRows('paper.npy', device, 'paper'); feature_store({'paper': rows, ..}).
"""
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
CLIQUES = [[0, 1, 2, 3]]
TYPES = None
VERTICES = 1500
DIM = 20
ELEMENT = ''
FANOUT = [5, 4]
BATCH = 40
SEED = 1
ORDER = 'blocks'
BLOCKS = 2
BOOKS = [[32, 37, 34, 32]]  # rows of the hot table on each GPU of a clique
COVERAGE = [355]  # of WholeGraph's own cache, for striped_cache
BACKEND = {'cpu': 'vmm', 'cuda': 'vmm'}  # of tensors that all processes share: see use[] of export.json

from ids import *
from cliques import *
from rows import *


def communicator(clique):
    """The processes of a clique; every process calls it, also with one clique."""
    import pylibwholegraph.torch as wgth
    everyone = wgth.get_global_communicator()
    return everyone if len(CLIQUES) == 1 else wgth.split_communicator(everyone, clique)


def fill(table, source):
    """Each process writes its part of a table."""
    part, first = table.get_local_tensor()
    part.copy_(source[first:first + len(part)])


class PlannedRows:
    """Rows by vertex: those of the plan from the memories of the clique's GPUs, others from the host.
    Peers' memories are read without their help, so processes need not make equally many mini-batches."""

    def __init__(self, features, device, kind=None):
        import numpy
        import torch
        import pylibwholegraph.torch as wgth
        self.clique = clique_of(device)
        rows = load_rows(features, kind)
        book, shape = of(BOOKS, kind)[self.clique], [of(VERTICES, kind), of(DIM, kind)]
        self.hot_rows, self.shape = sum(book), tuple(shape)
        order = ids('clique%d_order.npy' % self.clique, kind)[:self.hot_rows].numpy()
        self.type = tensor_of(rows[:1]).dtype
        held = {'f16': torch.float16, 'bf16': torch.bfloat16}.get(of(ELEMENT, kind), self.type)
        self.hot = wgth.create_embedding(communicator(self.clique), 'continuous', 'cuda', held, [self.hot_rows, shape[1]],
                                         embedding_entry_partition=numpy.asarray(book, numpy.uintp)) if self.hot_rows else None
        if self.hot_rows:
            fill(self.hot.get_embedding_tensor(), torch.from_numpy(rows[order]).to(held))
        self.cold = wgth.create_embedding(wgth.get_global_communicator(), 'continuous', 'cpu', self.type, shape)
        fill(self.cold.get_embedding_tensor(), tensor_of(rows))
        wgth.get_global_communicator().barrier()
        self.position = ids('clique%d_position.npy' % self.clique, kind).cuda()
        self.counts = {'gpu': 0, 'host': 0}

    def __getitem__(self, vertices):
        import torch
        vertices = vertices.to(self.position.device)
        at = self.position[vertices]
        here = at < self.hot_rows
        cold = self.cold.gather(vertices[~here])
        out = torch.empty((len(vertices), self.shape[1]), dtype=self.type, device=cold.device)
        if self.hot_rows:
            out[here] = self.hot.gather(at[here]).to(self.type)
        out[~here] = cold
        self.counts['host'] += len(cold)
        self.counts['gpu'] += len(vertices) - len(cold)
        return out


def feature_store(rows, name='x', group=None, location='cpu'):
    """A FeatureStore of cugraph-pyg, as data[0] of its loaders, that reads rows in place: a PlannedRows, or of several
    types {type: PlannedRows}. location: where it keeps attributes that you add, with the backend that is safe there."""
    from cugraph_pyg.data import FeatureStore
    from cugraph_pyg.tensor import DistTensor

    class InPlace(DistTensor):  # 26.10 keeps a DistTensor by reference, and asks for rows by [ids]
        def __init__(self, rows):
            self.rows = rows

        @property
        def shape(self):
            return self.rows.shape

        def __getitem__(self, vertices):
            return self.rows[vertices]

    store = FeatureStore(location=location, backend=BACKEND[location])
    for kind, planned in (rows if isinstance(rows, dict) else {group: rows}).items():
        store[kind, name, None] = InPlace(planned)
    return store


def striped_cache(clique, kind=None):
    """(rows, place, ratio): for WholeGraph's own cache in front of a host table of that many rows. Vertex v lies at
    place[v]; pass ratio to create_builtin_cache_policy, gather the first sum(BOOKS[clique]) of clique<i>_order.npy
    once, then call set_adjust_cache(False): the cache holds exactly the plan's rows."""
    coverage = of(COVERAGE, kind)[clique]
    return -(-of(VERTICES, kind) // coverage) * coverage, ids('clique%d_striped.npy' % clique, kind), 32.0 / coverage
