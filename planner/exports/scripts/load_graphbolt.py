"""Sets GraphBolt up for a plan: the data set, the features where the plan puts them, and the training vertices of a GPU.

Needs torch and dgl 2.4 or later. Copy the folder to where the data set is loaded from, and leave this one as it is: GraphBolt
hashes every file of a data set, and one that changes or is added after the first load makes it preprocess everything again.
    loader = make_loader('FOLDER', device, epoch)    # of an epoch: the plan's training vertices in the plan's order
Of a graph with several types: make_loader('FOLDER', device, epoch, kind='paper').
On GPUs hotset's op gathers each mini-batch by one launch where the wheel of hotset is installed; a line on standard error says so. In a job
of one process per GPU, all of them call make_loader, after torch.distributed.init_process_group, and end together (a barrier): GPUs read
each other's memory. Without the wheel torch gathers. Without a GPU take_features works, with the same rows and counts; make_loader needs one.
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
# GPU: (bytes of features, edges of topology) to cache
CACHES = {0: (2560, 1083), 1: (2960, 982), 2: (2720, 1039), 3: (2560, 1099)}
PLANNED = True  # else features are in GraphBolt's own caches
SAMPLE = 'sample_layer_neighbor'

from ids import *
from rows import *
from planned import *


def with_known(function, *words, **options):
    """Calls function with those options that this version of it has."""
    import inspect
    known = inspect.signature(function).parameters
    return function(*words, **{k: v for k, v in options.items() if k in known})


def planned_feature(rows):
    """What rows_of gives, as a gb.Feature."""
    import types
    import dgl.graphbolt as gb

    class Planned(gb.Feature):
        def read(self, ids=None):
            return rows.host if ids is None else rows[ids]

        def size(self):
            return rows.host.size()[1:]

        def count(self):
            return rows.host.size(0)

        def update(self, value, ids=None):
            raise RuntimeError('rows of a plan are copied into the memories of GPUs and cannot be updated')

        def metadata(self):
            return {}

        def read_async(self, ids):  # DGL 2.4: in stages, here one
            value = rows[ids]
            yield types.SimpleNamespace(wait=lambda: value)

        def read_async_num_stages(self, ids_device):
            return 1

    return Planned()


HOST = {}  # {(folder, type): its rows}: GPUs of one process fill their memories from one copy, once


def take_features(features, device, memory=None, where=None):
    """Puts the plan's rows in front of the data set's features. memory: that of PlannedRows, of several types {type: ..}. where: its folder.
    Returns {type: what rows_of gives}."""
    import dgl.graphbolt as gb
    store = features if hasattr(features, '__setitem__') else features._features  # before DGL 2.4
    kinds, taken = [None] if TYPES is None else list(ELEMENT), {}
    for kind in kinds:
        key = ('node', kind, 'feat')
        if key not in store.keys():
            raise ValueError('metadata.yaml names no features yet: put feat*.npy next to it and uncomment its '
                             'feature_data lines')
        if PLANNED:
            if where is None or (where, kind) not in HOST:
                HOST[where, kind] = store[key].read()
            taken[kind] = rows_of(HOST[where, kind], device, kind, memory if memory is None or kind is None else memory[kind])
            store[key] = planned_feature(taken[kind])
        elif CACHES[device][0]:
            if not callable(getattr(gb, 'gpu_cached_feature', None)):
                import dgl
                raise RuntimeError('dgl %s has no gb.gpu_cached_feature(feature, bytes); install 2.4 or later' % dgl.__version__)
            store[key] = gb.gpu_cached_feature(store[key], CACHES[device][0])
    return taken


def fanouts(graph):
    """GraphBolt counts fan-outs from the last hop, hotset from the seeds."""
    if TYPES is None:
        return FANOUT[::-1]
    import torch
    known = {':'.join(r): hops for r, hops in FANOUT.items()}
    order = sorted(graph.edge_type_to_id, key=graph.edge_type_to_id.get)
    return [torch.tensor([known[r][h] for r in order]) for h in reversed(range(len(known[order[0]])))]


LOADED = {}  # {(folder, GPU): (graph, features)}: an epoch goes on with those of the one before


def loaded(folder, device, memory=None):
    """The graph and the features of a data set, pinned, with the plan's rows in front."""
    import dgl.graphbolt as gb
    key = os.path.abspath(folder), device
    if key not in LOADED or memory is not None:
        dataset = gb.OnDiskDataset(folder).load()
        dataset.graph.pin_memory_()
        if not PLANNED:
            dataset.feature.pin_memory_()
        take_features(dataset.feature, device, memory, os.path.abspath(folder))
        LOADED[key] = dataset.graph, dataset.feature
    return LOADED[key]


def make_loader(folder, device, epoch=0, kind=None, memory=None):
    """A DataLoader over the training vertices that the plan gives to GPU `device` (a number), for one epoch."""
    import torch
    import dgl.graphbolt as gb
    torch.cuda.set_device(device)
    graph, features = loaded(folder, device, memory)
    seeds = epoch_ids(device, epoch, kind).to(graph.indices.dtype)  # which the sampler asks for
    items = gb.ItemSet(seeds, names='seeds')
    if os.path.exists(os.path.join(folder, 'labels.npy')):
        items = gb.ItemSet((seeds, ids('labels.npy')[seeds.long()]), names=('seeds', 'labels'))
    if kind is not None:
        items = getattr(gb, 'HeteroItemSet', getattr(gb, 'ItemSetDict', None))({kind: items})
    pipe = gb.ItemSampler(items, batch_size=BATCH, shuffle=False).copy_to(torch.device('cuda', device))
    cache = {'num_gpu_cached_edges': CACHES[device][1], 'gpu_cache_threshold': 1}
    pipe = getattr(pipe, SAMPLE)(graph, fanouts(graph), **({'overlap_fetch': True, **cache} if sampler_has_cache(gb) else {}))
    names = ['feat'] if TYPES is None else {k: ['feat'] for k in ELEMENT}
    return with_known(gb.DataLoader, pipe.fetch_feature(features, node_feature_keys=names), overlap_graph_fetch=True, **cache)


def sampler_has_cache(gb):
    """DGL 2.4 moved the cache of edges from the DataLoader to the sampler."""
    import inspect
    return 'num_gpu_cached_edges' in inspect.signature(gb.NeighborSampler.__init__).parameters
