"""Replays exported mini-batches through PaGraph's own cache server (PaGraph/storage/storage.py), filled by the script of the export. Prints "ok name" or
"failed name", and "ok end".

usage: check_pagraph.py P EXPORT B JUDGED FEATURES G SOURCES     JUDGED: of a plan of policy pagraph; SOURCES: a clone of zhiqi-0/PaGraph

The server is for GPUs and DGL 0.4, whose NodeFlow, Frame and graph store are written out below as far as it calls them; tensors stay in CPU memory where it
asks for a GPU's. Its own code decides which rows are cached, gathers the others from the host, and counts them.
"""
import contextlib
import importlib.util
import os
import sys
import types

import numpy as np
import torch

sys.dont_write_bytecode = True
from replayed import batches, check, features, folder, judged, plan

for name, members in (("numba", {}), ("dgl", dict(DGLGraph=object)), ("dgl.frame", dict(Frame=dict, FrameRef=lambda frame: frame)), ("dgl.utils", {})):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
sys.modules["dgl"].utils = sys.modules["dgl.utils"]
torch.Tensor.cuda = lambda self, *where, **how: self
torch.cuda.device = lambda gpu: contextlib.nullcontext()
torch.cuda.LongTensor, torch.cuda.FloatTensor = torch.LongTensor, torch.FloatTensor


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


storage, loader = load("storage", os.path.join(sys.argv[7], "PaGraph", "storage", "storage.py")), load("load_pagraph", os.path.join(folder, "load_pagraph.py"))
column = types.SimpleNamespace(data=features)
store = types.SimpleNamespace(_node_frame=types.SimpleNamespace(_frame={"features": column}))
rows_equal, counts_equal, seen = True, True, [0, 0]
for k, gpu in enumerate(plan.gpus):
    full = torch.from_numpy(np.load(os.path.join(folder, "sub_train2fullid_%d.npy" % k)))
    number = torch.full((plan.vertices,), -1)
    number[full] = torch.arange(len(full))
    server = storage.GraphCacheServer(store, len(full), full, gpu)
    server.init_field(["features"])
    loader.fill_cache(server, k, ["features"])
    server.log = True
    for batch in batches.of(gpu):
        ids = torch.from_numpy(batch.vertices.astype(np.int64))
        assert int(number[ids].min()) >= 0  # a partition relies on itself
        flow = types.SimpleNamespace(_node_mapping=types.SimpleNamespace(tousertensor=lambda ids=ids: number[ids]), _layer_offsets=[0, len(ids)], num_layers=1, _node_frames={})
        server.fetch_data(flow)
        rows_equal = rows_equal and torch.equal(flow._node_frames[0]["features"], features[ids])
    want = judged[gpu]["feature_rows"]
    counts_equal = counts_equal and (server.try_num - server.miss_num, server.miss_num) == (want["local"], want["host"]) and not want["peer"]
    seen = [seen[0] + server.try_num - server.miss_num, seen[1] + server.miss_num]
check("pagraph's own cache server, replayed: rows are those of the mini-batches", rows_equal)
check("pagraph's own cache server, replayed: hits and misses are those of the simulation", counts_equal and all(seen))
print("ok end")
