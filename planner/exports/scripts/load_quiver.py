"""Loads a plan into torch-quiver: features over the GPUs of a clique, the rest on the host.

Needs torch, numpy and quiver (torch-quiver). Written against quiver.Feature.from_mmap and set_local_order of torch-quiver 5a3bc77.
    feature, clique = load_plan('features.npy', rank)     # in one process per clique; features.npy: [VERTICES, DIM]
    reopen(feature, clique)                                # in every other process that receives `feature`
Quiver hands a Feature to other processes without its order, so each of them calls reopen before the first read.
Of a graph with several types: a Feature for each, load_plan('paper.npy', rank, 'paper').
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

from ids import *
from cliques import *
from rows import *


def load_plan(features, device, kind=None):
    """features: as for load_rows; device: a GPU of the clique to load. Returns (quiver.Feature, clique)."""
    import quiver
    from quiver.feature import DeviceConfig
    clique = clique_of(device)
    rows, devices = load_rows(features, kind), CLIQUES[clique]
    if len(devices) > 1:
        quiver.init_p2p(devices)
    parts = {d: ids('gpu%d_part.npy' % d, kind) for d in devices}
    feature = quiver.Feature(rank=device, device_list=devices, device_cache_size=0, cache_policy='p2p_clique_replicate')
    feature.from_mmap(rows, DeviceConfig(parts, ids('clique%d_cpu_part.npy' % clique, kind)))
    feature.set_local_order(ids('clique%d_local_order.npy' % clique, kind))
    return feature, clique


def reopen(feature, clique, kind=None):
    """Restores the order of a Feature that came from another process."""
    feature.lazy_init_from_ipc_handle()
    feature.set_local_order(ids('clique%d_local_order.npy' % clique, kind))
