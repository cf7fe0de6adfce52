"""Loads a plan into GraphLearn-for-PyTorch: features over the GPUs of a clique, the rest on the host.

Needs torch, numpy and graphlearn-torch 0.2.4. In the process of each GPU:
    dataset = make_dataset('G', 'features.npy', device)    # the graph directory; features [VERTICES, DIM]
    loader = make_loader(dataset, device, epoch)           # the plan's training vertices, fan-outs and batch
Of a graph with several types: make_dataset('G', {'paper': 'paper.npy', ..}, device), make_loader(dataset, device, epoch, 'paper').
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
ROWS = [135]  # of each clique, on its GPUs together

from ids import *
from cliques import *
from rows import *


def features_of(features, device, kind=None):
    """(rows, row of each vertex, share of the rows on GPUs)."""
    import torch
    clique, rows = clique_of(device), load_rows(features, kind)
    order, held = ids('clique%d_order.npy' % clique, kind), of(ROWS, kind)[clique]
    # half a row more: the product is rounded down, and must not lose one to the rounding of the ratio
    ratio = min((held + 0.5) / of(VERTICES, kind), 1.0) if held else 0.0
    return torch.from_numpy(rows[order.numpy()]), ids('clique%d_id2index.npy' % clique, kind), ratio


def node_features(features, device):
    """The arguments of Dataset.init_node_features. features: as for load_rows; of several types {type: ..}."""
    from graphlearn_torch.data import DeviceGroup
    if TYPES is None:
        data, index, ratio = features_of(features, device)
    else:
        data, index, ratio = ({kind: x[i] for kind, x in ((k, features_of(f, device, k)) for k, f in features.items())}
                              for i in range(3))
    return dict(node_feature_data=data, id2idx=index, split_ratio=ratio,
                device_group_list=[DeviceGroup(0, CLIQUES[clique_of(device)])], device=device)


def lists_of(graph, name=''):
    """(indptr, indices) of a graph directory: row v lists the vertices that v draws from."""
    import numpy
    import torch
    indptr, indices = (numpy.load(os.path.join(graph, name + part + '.npy')) for part in ('indptr', 'indices'))
    return torch.from_numpy(indptr), torch.from_numpy(indices.astype('i8'))


def make_dataset(graph, features, device, graph_mode='ZERO_COPY'):
    """graph: the graph directory of hotset."""
    import graphlearn_torch as glt
    dataset = glt.data.Dataset(edge_dir='out' if TYPES is None else 'in')
    if TYPES is None:
        lists, layout = lists_of(graph), 'CSR'
    else:  # (source, name, target): targets draw sources
        lists = {r: lists_of(graph, 'relation%d_' % i)[::-1] for i, r in enumerate(FANOUT)}
        layout = 'CSC'
    dataset.init_graph(lists, layout=layout, graph_mode=graph_mode, directed=True, device=device)
    dataset.init_node_features(**node_features(features, device))
    if os.path.exists(os.path.join(FOLDER, 'labels.npy')):
        dataset.init_node_labels(ids('labels.npy'))
    return dataset


def make_loader(dataset, device, epoch=0, kind=None, vertices=None, **options):
    """For one epoch. vertices: the plan's training vertices of the GPU in the plan's order when left out;
    ids('valid.npy') to validate."""
    import torch
    import graphlearn_torch as glt
    options = dict({'batch_size': BATCH, 'shuffle': False, 'device': torch.device('cuda', device)}, **options)
    vertices = epoch_ids(device, epoch, kind) if vertices is None else vertices
    return glt.loader.NeighborLoader(dataset, FANOUT, vertices if kind is None else (kind, vertices), **options)
