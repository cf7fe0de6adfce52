"""Runs the Python blocks of the documents, statement by statement. usage: blocks.py ROOT

In a folder with the folders one, with a graph G and a plan P of it, and types, which is empty. Of each block BLOCKS says what its reader has, and what must hold after it. A statement that needs
a module of LACKING, or what such a statement made, is skipped with the reason; every other fault of a block is a failure.
"""
import ast
import builtins
import contextlib
import os
import re
import sys
import traceback

import numpy as np

import hotset

DOCUMENTS = ("planner/GUIDE.md", "planner/RUNTIMES.md")


def data():
    return {"data": "G"}


def data_of_pyg():
    import torch
    from torch_geometric.data import Data
    arcs, x = np.random.default_rng(1).integers(0, 500, (2, 4000)), torch.zeros(500, 8)
    return {"data": Data(edge_index=torch.as_tensor(arcs), x=x, train_mask=torch.arange(500) % 3 == 0)}


def loading():
    import torch
    return {"plan": hotset.Plan("P"), "rank": 0, "dataset": torch.utils.data.TensorDataset(torch.arange(600)), "DataLoader": torch.utils.data.DataLoader}


def lightning():
    import lightning
    return {"lightning": lightning}


def accelerator():
    import accelerate
    import torch
    model = torch.nn.Linear(6, 3)
    return {"accelerator": accelerate.Accelerator(cpu=True), "model": model, "optimizer": torch.optim.Adam(model.parameters())}


def training():
    import torch
    from torch_geometric.nn import SAGEConv
    x = np.random.default_rng(1).normal(size=(600, 6)).astype(np.float32)
    np.save("features.npy", x)
    np.save("labels.npy", x[:, :3].argmax(1))
    model = SAGEConv(6, 3)
    return {"F": torch.nn.functional, "model": model, "optimizer": torch.optim.Adam(model.parameters(), 0.01)}


def drifting():
    import torch
    import hotset.pyg
    n = 600
    hotset.run("graph import", "G/indptr.npy", "G/indices.npy", train=np.arange(0, n, 5), feature_dim=6, output="G1", quiet=True)
    torch.distributed.init_process_group("gloo", init_method="file://" + os.path.abspath("meet"), rank=0, world_size=1)
    return {"p": hotset.make_plan("G", "dgx-v100:1", "P1", budget="5%", fanout=[5, 3], batch=32, sampling="gpu", quiet=True), "x": np.zeros((n, 6), np.float32), "rank": 0,
            "server": "dgx-v100:1", "folder": "job7", "torch": torch}


def types():
    import torch
    from torch_geometric.data import HeteroData
    rng, data = np.random.default_rng(1), HeteroData()
    data["paper"].x, data["author"].x, data["paper"].train_mask = torch.zeros(400, 8), torch.zeros(300, 8), torch.arange(400) % 3 == 0
    data["author", "writes", "paper"].edge_index = torch.as_tensor(rng.integers(0, 300, (2, 3000)))
    data["paper", "cites", "paper"].edge_index = torch.as_tensor(rng.integers(0, 400, (2, 3000)))
    hotset.graph(data, "G")
    hotset.make_plan("G", "dgx-v100:2", budget="10%", fanout=[5, 3], batch=32, simulate_epochs=0, path="P")
    np.save("authors.npy", rng.normal(size=(300, 8)).astype(np.float32))
    return {"papers": rng.normal(size=(400, 8)).astype(np.float32), "labels": np.arange(400) % 5}


def job():
    import hotset.pyg
    from torch_geometric.loader import NeighborLoader
    asked = hotset.pyg.plan
    hotset.pyg.plan = lambda data, server, **options: asked(data, server="dgx-v100:1", path="plans", quiet=True, **options)  # "auto" needs a GPU
    return {"NeighborLoader": NeighborLoader, **data_of_pyg()}


def compared(*policies):
    def check(n):
        rows = n["r"].document["rows"]
        assert {(r["policy"], r["budget"]) for r in rows} == {(p, b) for p in policies for b in ("1%", "5%")}, rows
        assert all(r["status"] == "ok" and r["simulated"]["total_transactions"] > 0 for r in rows), rows
    return check


def made(n):
    compared("legion", "hotset")(n)
    assert n["p"].policy == "hotset" and n["p"].workload["fanout"] == [25, 10] and len(n["p"].gpus) == 8, n["p"].document["policy"]


def read(n):
    assert len(n["plan"]["gpus"]) == 2 and n["rows"].tolist() == hotset.Plan("P").feature_ids(0).tolist() and len(n["rows"]) > 5


def loaded(n):
    seen = np.concatenate([b[0].numpy() for b in n["loader"]])
    assert set(seen.tolist()) == set(n["plan"].train_ids(n["plan"].gpus[0]).tolist()), seen


def trained(n):
    assert n["epoch"] == 9 and all(n["data"].counts(0).values()), n["data"].counts(0)


def served(n):
    assert sum(n["store"].hits().values()) > 0 and n["batch"].x.shape[1] == 8, n["store"].hits()


def drifted(n):
    assert n["running"].plan.path == "P2" and sum(n["running"].counts().values()) > 0, n["running"].plan


def typed(n):
    counts = n["data"].counts(0)
    assert sum(counts["paper"].values()) > 0 and sum(counts["author"].values()) > 0, counts


# how a block begins: what its reader has, by functions of which one that lacks a module is left out; what holds after it, if nothing was skipped; its folder
BLOCKS = {
    "import json, numpy": ([], read, "one"),
    "g = hotset.graph(data)": ([data, data_of_pyg], made, "one"),
    "loader = DataLoader": ([loading, lightning, accelerator], loaded, "one"),
    "import hotset.pyg\ndata = hotset.pyg.Planned(": ([training], trained, "one"),
    "plan = hotset.pyg.plan(": ([job], served, "one"),
    "running = hotset.pyg.Planned(": ([drifting], drifted, "one"),
    "import hotset.pyg\ndata = hotset.pyg.PlannedHetero(": ([types], typed, "types"),
    "def mine(rows):": ([lambda: {"g": hotset.graph("G"), "np": np}], compared("legion", "mine"), "one"),
}
GIVEN = {"DataLoader": "torch", "lightning": "lightning", "accelerator": "accelerate", "F": "torch", "data": "torch", "NeighborLoader": "torch", "papers": "torch", "p": "torch", "torch": "torch"}  # by whom, where it is not there
LACKING = {"torch", "torch_geometric", "lightning", "accelerate"}
used = set()


def run(name, text):
    """One block, in a namespace of its own. Returns how many statements ran."""
    begin = next((b for b in BLOCKS if text.startswith(b)), None)
    assert begin, "no line of BLOCKS says what its reader has"
    used.add(begin)
    setups, check, _ = BLOCKS[begin]
    names, lost, ran, body = {"hotset": hotset}, {}, 0, ast.parse(text).body
    for setup in setups:
        try:
            names.update(setup())
        except ModuleNotFoundError as e:
            if e.name not in LACKING:
                raise
    for statement in body:
        line = ast.get_source_segment(text, statement).split("\n")[0]
        needs = {x.id for x in ast.walk(statement) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)} - set(names) - set(dir(builtins))
        makes = {x.id for x in ast.walk(statement) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
        why = next((lost.get(x) or GIVEN.get(x) for x in sorted(needs - makes) if x in lost or x in GIVEN), None)
        if not why:
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    exec(compile(ast.Module([statement], []), name, "exec"), names)
                ran += 1
                continue
            except ModuleNotFoundError as e:
                if e.name not in LACKING:
                    raise
                why = e.name
        lost.update(dict.fromkeys(makes, why))
        if isinstance(statement, ast.Import):
            line = "all of it"
        print("skip %s: %s|%s is not installed" % (name, line, why))
        if isinstance(statement, ast.Import):
            break
    if ran == len(body):
        check(names)
    return ran


def main(root):
    here = os.getcwd()
    for document in DOCUMENTS:
        for text in re.findall(r"^```python\n(.*?)^```$", open(os.path.join(root, document)).read(), re.M | re.S):
            name = "%s: %s" % (document, re.sub("  +#.*", "", text.split("\n")[text.startswith("import hotset.")])[:80])
            folder = next((f for b, (_, _, f) in BLOCKS.items() if text.startswith(b)), "one")
            os.chdir(os.path.join(here, folder))
            try:
                if run(name, text):
                    print("ok", name)
            except Exception:
                traceback.print_exc()
                print("failed", name)
    print("ok" if used == set(BLOCKS) else "failed", "BLOCKS has no line too many")
    print("ok end")


main(sys.argv[1])
