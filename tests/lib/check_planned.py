"""Replays exported mini-batches through PlannedRows, which the script of the pyg export has (and that of the dgl export). Prints "ok name" or "failed name",
and "ok end".

usage: check_planned.py P EXPORT B JUDGED FEATURES G TP TEXPORT M     JUDGED: of a plan of one type; TP, TEXPORT, M: plan, export, graph of several types, of
which type paper is held as f16 and trains in the order blocks:2
"""
import importlib.util
import os
import sys
import warnings

import numpy as np
import torch

sys.dont_write_bytecode = True
import hotset
from replayed import batches, check, features, features_path, folder, judged, plan

typed_path, typed_folder, typed_graph = sys.argv[7:10]


def script(folder):
    spec = importlib.util.spec_from_file_location("load_pyg", os.path.join(folder, "load_pyg.py"))
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    return loader


loader = script(folder)
memory, rows_equal, counts_equal, seen = loader.filled_memory(features), True, True, dict.fromkeys(("local", "peer", "host"), 0)
for gpu in plan.gpus:
    rows = loader.PlannedRows(features_path, gpu, memory=memory)
    for batch in batches.of(gpu):
        ids = torch.from_numpy(batch.vertices.astype(np.int64))
        rows_equal = rows_equal and torch.equal(rows[ids], features[ids])
    counts = dict(zip(("local", "peer", "host"), rows.counts.values()))
    counts_equal = counts_equal and counts == judged[gpu]["feature_rows"]
    for place, n in counts.items():
        seen[place] += n
check("pyg's export, replayed: rows are those of the mini-batches", rows_equal)
check("pyg's export, replayed: own, peer and host rows are those of the simulation", counts_equal and all(seen.values()))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    loader.PlannedRows(features_path, plan.gpus[0])
check("pyg's export: a file of features is mapped without a warning", not said)
epochs = [loader.epoch_ids(plan.gpus[0], e) for e in (0, 0, 1)]
check("pyg's export: an epoch shuffles the planned vertices, each in its own way",
      all(sorted(e.tolist()) == plan.train_ids(plan.gpus[0]).tolist() for e in epochs) and torch.equal(epochs[0], epochs[1]) and not torch.equal(epochs[0], epochs[2]))

# several types: every row from the nearest GPU that holds it, in its element type
loader, several = script(typed_folder), hotset.Plan(typed_path)
draw, good, seen = np.random.default_rng(3), True, dict.fromkeys(("own", "peer", "host"), 0)
for kind in loader.ELEMENT:
    host = torch.from_numpy(draw.normal(size=(loader.VERTICES[kind], loader.DIM[kind])).astype(np.float32))
    for gpu in several.gpus[:3]:
        rows, own = loader.PlannedRows(host, gpu, kind), set(several.feature_ids(gpu, kind).tolist())
        held = own.union(*(several.feature_ids(p, kind).tolist() for p in several.peers(gpu)))
        ids = torch.from_numpy(draw.integers(0, len(host), 4000))
        want = torch.where(torch.tensor([v in held for v in ids.tolist()])[:, None], host[ids].half().float(), host[ids]) if loader.ELEMENT[kind] == "f16" else host[ids]
        places = {"own": sum(v in own for v in ids.tolist()), "peer": sum(v in held and v not in own for v in ids.tolist()), "host": sum(v not in held for v in ids.tolist())}
        good = good and torch.equal(rows[ids], want) and rows.counts == places
        for place, n in places.items():
            seen[place] += n
check("several types: rows of the nearest place, rounded where GPUs hold them so", good and loader.ELEMENT["paper"] == "f16" and all(seen.values()))
size, gpu = max(loader.BATCH // loader.BLOCKS, 1), several.gpus[0]
circle, order = loader.ids("gpu%d_order.npy" % gpu, "paper").tolist(), loader.epoch_ids(gpu, 5, "paper").tolist()
place = {v: i for i, v in enumerate(circle)}
near = [len({(place[v] - place[b[0]]) % len(circle) // size for v in b}) for b in (order[i:i + loader.BATCH] for i in range(0, len(order), loader.BATCH))]
check("several types: a mini-batch of blocks:2 comes from few places of the circle",
      loader.ORDER == "blocks" and sorted(order) == sorted(circle) == several.train_ids(gpu, "paper").tolist() and max(near[:-1]) <= 4 and order != circle)
try:
    from torch_geometric.loader import NodeLoader
    from torch_geometric.sampler import BaseSampler, HeteroSamplerOutput
except ImportError:
    print("skipped pyg's export in PyG's loaders: torch_geometric is not installed")
else:
    class Draw(BaseSampler):
        """The seeds, and the first neighbour of each along one relation."""

        def sample_from_nodes(self, index, **kwargs):
            r, seeds = next(r for r in loader.FANOUT if r[2] == "paper"), index.node
            lists = graph.get_edge_index(r, "csc")
            found = [int(lists[0][lists[1][v]]) for v in seeds.tolist() if lists[1][v + 1] > lists[1][v]]
            empty = torch.empty(0, dtype=torch.int64)
            node = {k: empty for k in loader.TYPES}
            node[r[0]] = torch.tensor(found)
            node["paper"] = torch.cat([seeds, node["paper"]])
            none = {r: empty for r in loader.FANOUT}
            return HeteroSamplerOutput(node=node, row=none, col=none, edge=none, batch=None, metadata=(index.input_id, index.time))

        def sample_from_edges(self, index, neg_sampling=None):
            raise NotImplementedError

    x = {k: torch.from_numpy(draw.normal(size=(loader.VERTICES[k], loader.DIM[k])).astype(np.float32)) for k in loader.ELEMENT}
    graph, store = loader.Graph(typed_graph), loader.Features(x, gpu)
    good = True
    for batch in NodeLoader((store, graph), node_sampler=Draw(), input_nodes=("paper", loader.epoch_ids(gpu, 0, "paper")), batch_size=loader.BATCH, filter_per_worker=False):
        good = good and all(torch.allclose(batch[k].x, x[k][batch[k].n_id], atol=1e-2) for k in x if "x" in batch[k])
    from torch_geometric import typing
    had, typing.WITH_PYG_LIB, typing.WITH_TORCH_SPARSE = (typing.WITH_PYG_LIB, typing.WITH_TORCH_SPARSE), False, False
    try:
        loader.make_loader(store, graph, gpu, kind="paper")
        said = ""
    except ImportError as e:
        said = str(e)
    typing.WITH_PYG_LIB, typing.WITH_TORCH_SPARSE = had
    check("pyg's export: without pyg-lib and torch-sparse make_loader says what to install", "names the wheels of pyg_lib for torch" in said)
    check("pyg's export in PyG's loaders: rows of several types", good and sum(store.rows["paper"].counts.values()) >= len(circle))
print("ok end")
