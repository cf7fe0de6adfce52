"""Distinct vertices of each type per epoch, from PyG's own sampler (NeighborLoader on HeteroData) and from `hotset trace record`.

usage: check_typed_sampler.py GRAPH TRACE  (TRACE: of one GPU, --frontier new, which is PyG's law)
Both draw without replacement, mini-batches of shuffled training vertices. Epochs are drawn anew until the bound is narrow; means may
differ by four standard errors.
"""
import json
import sys

import numpy as np
import torch
import torch_geometric.typing
from torch_geometric.data import HeteroData
from torch_geometric.loader import NeighborLoader

import hotset

EPOCHS = 8
graph, trace = sys.argv[1:3]
if not (torch_geometric.typing.WITH_PYG_LIB or torch_geometric.typing.WITH_TORCH_SPARSE):
    print("# PyG's own sampler needs pyg-lib or torch-sparse, which are not installed: not run")
    sys.exit(0)
torch.manual_seed(1)
parts, about = hotset.load_graph(graph), json.load(open(trace + "/trace.json"))
data, train = HeteroData(), None
for name, x in parts["types"].items():
    data[name].num_nodes = x["count"]
    if "train" in x:
        train = name, torch.from_numpy(x["train"].astype(np.int64))
for r, x in parts["relations"].items():
    data[r].edge_index = torch.stack([torch.from_numpy(np.asarray(ids, np.int64)) for ids in x["edge_index"]])
fanout = {r: about["fanout"]["%s-%s->%s" % r] for r in parts["relations"]}
loader = NeighborLoader(data, fanout, input_nodes=train, batch_size=about["batch"], shuffle=True)
theirs = np.zeros((EPOCHS, len(data.node_types)))
for e in range(EPOCHS):
    for batch in loader:
        theirs[e] += [batch[t].num_nodes for t in data.node_types]

counts = np.load(trace + "/hotness_feature.npy").astype(np.int64).reshape(-1)
ends = np.cumsum([parts["types"][t]["count"] for t in data.node_types])
ours = np.array([p.sum() for p in np.split(counts, ends)[:-1]]) / about["epochs"]
error = theirs.std(axis=0, ddof=1) * np.sqrt(1 / EPOCHS + 1 / about["epochs"])
for t, a, b, s in zip(data.node_types, ours, theirs.mean(axis=0), error):
    print("%s %s: %.1f distinct per epoch, PyG %.1f, standard error %.1f" % ("ok" if abs(a - b) <= 4 * s and s < 0.02 * b else "failed", t, a, b, s))
print("ok end")
