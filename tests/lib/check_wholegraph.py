"""Replays exported mini-batches through WholeGraph and cugraph-pyg: the script of the export, and hotset.pyg's store. Prints "ok name" or "failed name", and
"ok end".

usage: check_wholegraph.py P EXPORT B JUDGED FEATURES G     JUDGED: of a plan made with --for wholegraph

pylibwholegraph is C++ on CUDA, so a stand-in has its functions that are called here: create_embedding with a partition book, gather, communicators. It counts
the part of the book that serves each row. Where cugraph-pyg 26.10 is installed its own Python runs on top: FeatureStore, DistTensor and the function that
attaches features to a mini-batch; cupy and pylibcugraph, which they import, are empty. Elsewhere these are written out below.
"""
import importlib.machinery
import importlib.util
import os
import sys
import types

import numpy as np
import torch

import hotset

sys.dont_write_bytecode = True
from replayed import batches, check, features, folder, judged, plan
graph_path = sys.argv[6]


class Table:
    """An embedding: the parts of all processes of a communicator in one tensor. served: rows by part."""

    def __init__(self, communicator, kind, place, dtype, shape, embedding_entry_partition=None):
        assert kind == "continuous" and place in ("cuda", "cpu")
        book = [shape[0]] if embedding_entry_partition is None else embedding_entry_partition.astype(np.int64).tolist()
        assert sum(book) == shape[0] and min(book) > 0
        self.rows, self.ends, self.served = torch.zeros(shape, dtype=dtype), torch.tensor(book).cumsum(0), np.zeros(len(book), np.int64)

    def get_embedding_tensor(self):
        return self

    def get_local_tensor(self):
        return self.rows, 0

    def gather(self, at):
        part = torch.bucketize(at, self.ends, right=True)
        self.served += np.bincount(part.numpy(), minlength=len(self.served))
        return self.rows.index_select(0, at)


class _Empty(types.ModuleType):
    """A module whose every name is a class."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def stand_in(name, module=types.ModuleType, **members):
    made = module(name)
    made.__spec__ = importlib.machinery.ModuleSpec(name, None)
    made.__path__ = []
    vars(made).update(members)
    sys.modules[name] = made
    return made


torch.Tensor.cuda = lambda self: self
everyone = types.SimpleNamespace(barrier=lambda: None)
wgth = stand_in("pylibwholegraph.torch", _Empty, get_global_communicator=lambda: everyone, split_communicator=lambda c, number: everyone, create_embedding=Table,
                WholeMemoryEmbedding=Table)
stand_in("pylibwholegraph", torch=wgth)


class DistTensor:
    pass


class FeatureStore:
    def __init__(self, location="cpu", backend=None):
        assert (location, backend) == ("cpu", "vmm")
        self.features = {}

    def __setitem__(self, key, tensor):
        assert isinstance(tensor, DistTensor)
        self.features[key[:2]] = tensor

    def get_all_tensor_attrs(self):
        return [types.SimpleNamespace(group_name=g, attr_name=n, index=None) for g, n in self.features]

    def multi_get_tensor(self, attrs):
        return [self.features[a.group_name, a.attr_name][a.index] for a in attrs]


def attach(store, graph, node, row, col, edge, clx):
    data, attrs = types.SimpleNamespace(edge_index=torch.stack([row, col])), store.get_all_tensor_attrs()
    for attr in attrs:
        attr.index = edge if isinstance(attr.group_name, tuple) else node
    for attr, rows in zip(attrs, store.multi_get_tensor(attrs)):
        setattr(data, attr.attr_name, rows)
    return data


for name in ("cupy", "pylibcugraph", "pylibcugraph.comms", *(() if importlib.util.find_spec("pandas") else ("pandas",))):
    stand_in(name, _Empty)
try:
    from cugraph_pyg.data import FeatureStore
    from cugraph_pyg.sampler.sampler_utils import filter_cugraph_pyg_store as attach
except ImportError:
    print("skipped wholegraph in cugraph-pyg's own Python: cugraph-pyg is not installed, its classes are written out")
    stand_in("cugraph_pyg.tensor", DistTensor=DistTensor)
    stand_in("cugraph_pyg.data", FeatureStore=FeatureStore)
    stand_in("cugraph_pyg", tensor=sys.modules["cugraph_pyg.tensor"], data=sys.modules["cugraph_pyg.data"])

spec = importlib.util.spec_from_file_location("load_wholegraph", os.path.join(folder, "load_wholegraph.py"))
loader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(loader)


def replay(store, gpu):
    """All mini-batches of a GPU through cugraph-pyg's function: whether x has the rows asked for."""
    good = True
    for batch in batches.of(gpu):
        row, col, edge = (torch.from_numpy(np.concatenate([getattr(h, k) for h in batch.hops]).astype(np.int64)) for k in ("columns", "rows", "edges"))
        ids = torch.from_numpy(batch.vertices.astype(np.int64))
        data = attach(store, None, ids, row, col, edge, None)
        good = good and torch.equal(data.x, features[ids]) and torch.equal(data.edge_index[0], row)
    return good


rows_equal, counts_equal, seen = True, True, dict.fromkeys(("local", "peer", "host"), 0)
for gpu in plan.gpus:
    rows = loader.PlannedRows(features.numpy(), gpu)
    rows_equal = replay(loader.feature_store(rows), gpu) and rows_equal
    mine, hot = loader.CLIQUES[rows.clique].index(gpu), rows.hot.served
    counts = {"local": int(hot[mine]), "peer": int(hot.sum() - hot[mine]), "host": int(rows.cold.served.sum())}
    counts_equal = counts_equal and counts == judged[gpu]["feature_rows"] and rows.counts == {"gpu": int(hot.sum()), "host": counts["host"]}
    if counts != judged[gpu]["feature_rows"]:
        print("# GPU %d: %s, simulated %s" % (gpu, counts, judged[gpu]["feature_rows"]))
    for place, n in counts.items():
        seen[place] += n
check("wholegraph through cugraph-pyg's FeatureStore, replayed: rows are those of the mini-batches", rows_equal)
check("wholegraph, replayed: own, peer and host rows are those of the simulation", counts_equal and all(seen.values()))
# cugraph-pyg's GraphStore holds the whole graph in GPU memory, WholeGraph alone none of it; hotset models it on the host, and a plan made for it has no
# topology rows
visits = [batches.visits(plan, gpu) for gpu in plan.gpus]
check("wholegraph: the host serves every visit of such a plan, as simulated", all(v["own"] == v["peer"] == 0 < v["host"] == judged[g]["topology_visits"]["host"]
                                                                                for g, v in zip(plan.gpus, visits)))
try:
    import torch_geometric  # noqa: F401
except ImportError:
    print("skipped hotset.pyg's store in cugraph-pyg: torch_geometric is not installed")
else:
    import hotset.pyg
    data = hotset.pyg.Planned(plan, graph_path, features, y=torch.arange(plan.vertices))
    good = all(replay(data.store(gpu), gpu) for gpu in plan.gpus)
    check("hotset.pyg's store as data[0] of cugraph-pyg, replayed: rows are those of the mini-batches", good)
    check("hotset.pyg's store in cugraph-pyg, replayed: own, peer and host rows are those of the simulation",
          all(dict(zip(("local", "peer", "host"), data.counts(gpu).values())) == judged[gpu]["feature_rows"] for gpu in plan.gpus))
print("ok end")
