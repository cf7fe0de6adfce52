"""A plan for GIDS: the options of its scripts, the graph, and the vertices that each GPU trains.

    options()                    # for the command line of GIDS's training scripts
    g = graph('G')               # a DGLGraph of hotset's graph directory: v draws from its in-neighbours
    train_ids(device)            # int64 ids; ids('valid.npy'), ids('test.npy'), ids('labels.npy') where they are
    buffered()                   # the ids whose rows GIDS puts into host memory, as it computes them
Of a graph with several types: train_ids(device, 'paper'), HETEROGRAPH_MAP for GIDS, whose ids count all types.
"""
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
TYPES = None
VERTICES = 1500
DIM = 20
ELEMENT = ''
FANOUT = [5, 4]
BATCH = 40
SEED = 1
ORDER = 'blocks'
BLOCKS = 2
PERCENT = 0.0903333333333  # of the vertices, as a share; int(VERTICES * PERCENT) is the number of rows that the plan holds
CACHED = {0: 2560, 1: 2960, 2: 2720, 3: 2560}  # bytes of feature rows that the plan holds on each GPU: room for GIDS's page cache
HETEROGRAPH_MAP = {'paper': 0}

from ids import *


def pin_file():
    return os.path.join(FOLDER, 'pin_file.pt')


def options(percent=PERCENT):
    return ['--cpu_buffer', '--cpu_buffer_percent', str(percent), '--pin_file', pin_file(), '--batch_size', str(BATCH),
            *(['--fan_out', ','.join(map(str, FANOUT))] if TYPES is None else [])]


def buffered(percent=PERCENT):
    import torch
    return torch.load(pin_file())[:int((VERTICES if TYPES is None else sum(VERTICES.values())) * percent)]


def graph(path):
    import numpy
    import torch
    import dgl
    load = lambda name: torch.from_numpy(numpy.load(os.path.join(path, name + '.npy')).astype('i8'))
    lists = lambda name: ('csc', (load(name + 'indptr'), load(name + 'indices'), torch.empty(0, dtype=torch.int64)))
    if TYPES is None:
        return dgl.graph(lists(''), num_nodes=VERTICES)
    return dgl.heterograph({r: lists('relation%d_' % i) for i, r in enumerate(FANOUT)}, num_nodes_dict=VERTICES)
