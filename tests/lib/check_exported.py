"""Checks that the scripts of exports gather by hotset's op where it is, and say so where it is not. libhotset_cuda runs on the PTX interpreter.

usage: check_exported.py PYG DGL P HALF LIBRARY     exports of a plan for two GPUs; the plan; an export of one whose GPUs hold f16. Prints "ok NAME", "ok end"
"""
import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import types

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as processes

sys.dont_write_bytecode = True
pyg, dgl, plan_path, half, library = map(os.path.abspath, sys.argv[1:6]) if len(sys.argv) > 5 else [""] * 5


def check(name, good):
    print("ok" if good else "failed", name, flush=True)


def script(folder, name="load_pyg.py"):
    spec = importlib.util.spec_from_file_location(name[:-3], os.path.join(folder, name))
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    return loader


def features_of(loader):
    return torch.randn(loader.VERTICES, loader.DIM, generator=torch.Generator().manual_seed(3))


def emulate(library, devices=2):
    """GPUs of the interpreter stand in for the machine's."""
    os.environ.update(HOTSET_CUDA_LIBRARY=library, HOTSET_EMULATED_DEVICES=str(devices))
    from check_store import Emulated
    from hotset import _exported
    _exported.device_of = Emulated


def said(call):
    """(what it gives, what it says)."""
    with contextlib.redirect_stderr(io.StringIO()) as text:
        out = call()
    return out, text.getvalue()


def right(rows, host, gpu, loader):
    """Rows and counts of all vertices, twice and in another order."""
    ids = torch.randperm(len(host)).repeat(2)
    held = {g: set(loader.ids("gpu%d_feature.npy" % g).tolist()) for g in loader.PEERS}
    own, near = held[gpu], set().union(*(held[p] for p in loader.PEERS[gpu]))
    want = {"own": 2 * len(own), "peer": 2 * len(near - own), "host": 2 * (len(host) - len(own | near))}
    before = dict(rows.counts)
    good = torch.equal(rows[ids], host[ids]) and torch.equal(rows[ids.int()[:7]], host[ids[:7]]) and torch.equal(rows[ids[:0]], host[:0])
    few = rows.counts["own"] + rows.counts["peer"] + rows.counts["host"] - sum(before.values())
    again = dict(rows.counts)
    rows[ids]
    return good and few == len(ids) + 7 and {k: rows.counts[k] - again[k] for k in want} == want


def serve(rank, world, folder, library, export, lacking):
    """One process per GPU. lacking: the process that has no package."""
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=world)
    loader = script(export)
    if rank == lacking:
        sys.modules["hotset"] = None
    else:
        emulate(library, world)
    host = features_of(loader)
    gpu = list(loader.PEERS)[rank]
    rows, text = said(lambda: loader.rows_of(host, gpu))
    good = right(rows, host, gpu, loader)
    stored, again = isinstance(rows, loader.StoredRows), said(lambda: loader.rows_of(host, gpu))
    good = good and stored == (lacking < 0) and again[1] == "" and (not stored or again[0] is rows)
    good = good and ("one launch per mini-batch" in text) == stored and ("hotset is not there" in text) == (lacking >= 0)
    dist.barrier()
    loader.STORED.clear()
    del rows, again
    dist.barrier()
    with open(os.path.join(folder, "said%d" % rank), "w") as f:
        f.write(str(good))
    dist.destroy_process_group()


def several(name, export, lacking):
    with tempfile.TemporaryDirectory() as folder:
        try:
            processes.start_processes(serve, (2, folder, library, export, lacking), 2, start_method="spawn")
            good = all(open(os.path.join(folder, "said%d" % rank)).read() == "True" for rank in range(2))
        except Exception as e:
            print(e, file=sys.stderr)
            good = False
    check(name, good)


def graphbolt():
    """take_features over a stand-in of GraphBolt, of which it needs the class Feature."""
    sys.modules["dgl"], sys.modules["dgl.graphbolt"] = types.ModuleType("dgl"), types.ModuleType("dgl.graphbolt")
    sys.modules["dgl"].graphbolt = sys.modules["dgl.graphbolt"]
    sys.modules["dgl.graphbolt"].Feature = type("Feature", (), {})
    loader = script(dgl, "load_graphbolt.py")
    host, gpu = features_of(loader), list(loader.PEERS)[1]
    store = {("node", None, "feat"): types.SimpleNamespace(read=lambda: host)}
    taken, text = said(lambda: loader.take_features(store, gpu))
    feature, ids = store["node", None, "feat"], torch.arange(len(host)).flip(0)
    good = torch.equal(feature.read(ids), host[ids]) and torch.equal(next(feature.read_async(ids[:9])).wait(), host[ids[:9]]) and feature.read() is host
    read = []
    for g in loader.PEERS:  # each loads the data set
        loader.take_features({("node", None, "feat"): types.SimpleNamespace(read=lambda: read.append(0) or host.clone())}, g, where="here")
    check("GPUs of a process share one copy of a data set's features", len(read) == 1)
    check("GraphBolt's features are read by the op", good and isinstance(taken[None], loader.StoredRows) and "one launch" in text and right(taken[None], host, gpu, loader))


def main():
    loader = script(pyg)
    host, gpus = features_of(loader), list(loader.PEERS)
    rows, text = said(lambda: loader.rows_of(host, gpus[0]))
    check("without a GPU torch gathers, and it is said", isinstance(rows, loader.PlannedRows) and "torch, place by place, because this process sees 0 GPUs" in text
          and right(rows, host, gpus[0], loader) or torch.cuda.is_available())
    emulate(library)
    rows, text = said(lambda: [loader.rows_of(host, g) for g in gpus])
    check("one process: every GPU by one launch, said once", all(isinstance(r, loader.StoredRows) for r in rows) and text.count("one launch per mini-batch") == 1)
    check("rows are right, from the places of the plan", all(right(r, host, g, loader) for r, g in zip(rows, gpus)))
    check("and as many come from each as Python's plan says", rows[0].rows.plan.lookup(gpus[0]).rows == plan_rows(gpus[0]))
    from hotset._exported import Lists
    memory, slot = Lists({4: [7], 7: [4], 9: []}, {4: [3, 4], 7: np.array([4, 5, 0]), 9: np.array([1])}, 6).lookup(4).find([3, 4, 5, 0, 1, 2])
    check("rows come from the own memory first, then from peers", memory.tolist() == [0, 0, 1, 1, -1, -1] and slot.tolist() == [0, 1, 1, 2, 1, 2])
    np.save("rows.npy", host.numpy())
    paths = [loader.rows_of("rows.npy", g) for g in (gpus[0], gpus[0])]
    check("rows of a file are read once", paths[0] is paths[1] and right(paths[0], host, gpus[0], loader))
    for value in 1, 2:  # the first may be freed, and the second lie where it was
        given = loader.rows_of(np.full(tuple(host.shape), value, np.float32), gpus[0])
    check("rows are those that were given last, wherever they lie", torch.equal(given[torch.arange(9)], torch.full((9, host.shape[1]), 2.0)))
    np.save("rows.npy", 2 * host.numpy())
    check("a file that was written anew is read anew", right(loader.rows_of("rows.npy", gpus[0]), 2 * host, gpus[0], loader))
    given, text = said(lambda: loader.rows_of(host, gpus[0], memory=loader.filled_memory(host)))
    check("memory that is given is taken", isinstance(given, loader.PlannedRows) and "memory= is given" in text)
    rounded = script(half)
    given, text = said(lambda: rounded.rows_of(features_of(rounded), gpus[0]))
    check("rows that GPUs hold rounded go by torch", isinstance(given, rounded.PlannedRows) and "GPUs hold rows as f16" in text)
    spoilt = script(pyg)
    ids = spoilt.ids
    spoilt.ids = lambda name, kind=None: ids(name, kind) + (len(host) if name == "gpu%d_feature.npy" % gpus[1] else 0)
    check("lists of other vertices are refused", "no list of ids below" in spoilt.stored_rows(host, gpus[0])[1])
    if pyg_is_there():
        features = loader.Features(host, gpus[0])
        check("PyG's store hands them out", torch.equal(features.get_tensor(group_name=None, attr_name="x", index=torch.arange(5)), host[:5]) and features.rows[None] is rows[0])
    graphbolt()
    several("two processes: peers are opened, rows are right", pyg, -1)
    several("one of two processes has no package: both gather by torch, and say so", pyg, 1)
    check("end", True)


def plan_rows(gpu):
    import hotset
    return hotset.Plan(plan_path).lookup(gpu).rows


def pyg_is_there():
    return importlib.util.find_spec("torch_geometric") is not None


if __name__ == "__main__":
    main()
