"""Holds graphs and plans of several types in Python against the program and the files: graphs from a dict (and from PyG's HeteroData where it is installed).

usage: check_typed.py HOTSET FOLDER
"""
import gc
import json
import subprocess
import sys

import numpy as np
import hotset as hotset_package
from hotset import load_graph

hotset, folder = sys.argv[1:3]
RATED = ("item", "rated", "user")


def run(*words):
    return json.loads(subprocess.run([hotset, *words, "--quiet", "--json"], check=True, stdout=subprocess.PIPE).stdout)


def equal(a, b):
    assert list(a["types"]) == list(b["types"]) and list(a["relations"]) == list(b["relations"])
    for name, t in a["types"].items():
        other = b["types"][name]
        assert t["count"] == other["count"] and t.get("feature_dim") == other.get("feature_dim") and t.get("feature_type") == other.get("feature_type")
        assert np.array_equal(t.get("train", []), other.get("train", []))
    for triple, r in a["relations"].items():
        pairs = lambda e: sorted(zip(map(int, e[0]), map(int, e[1])))
        assert pairs(r["edge_index"]) == pairs(b["relations"][triple]["edge_index"]), triple


rng = np.random.default_rng(3)
user, item = 200, 90
buys = np.unique(rng.integers(0, (user, item), (900, 2)), axis=0).T
rates = rng.integers(0, (item, user), (700, 2)).T  # edges with features: duplicates stay
graph = {"types": {"user": {"count": user, "feature_dim": 20, "feature_type": "f32", "train": np.arange(0, user, 2)}, "item": {"count": item, "feature_dim": 300, "feature_type": "f16"}},
         "relations": {("user", "buys", "item"): {"edge_index": buys}, ("item", "bought_by", "user"): {"edge_index": buys[::-1]},
                       ("item", "rated", "user"): {"edge_index": rates, "feature_dim": 7, "feature_type": "f32"}}}
hotset_package.graph(graph, folder + "/G", quiet=True)
hotset_package.graph(graph, folder + "/G", quiet=True)  # again, in place of the first
equal(graph, load_graph(folder + "/G"))
back = load_graph(folder + "/G")["relations"]["item", "rated", "user"]
assert np.array_equal(rates[:, back["edge_ids"]], np.array(back["edge_index"])), "edge_ids say which edge each entry was"
info = run("graph", "info", folder + "/G")
assert [t["count"] for t in info["types"]] == [user, item] and info["edges"] == 2 * buys.shape[1] + 700 and info["train_vertices"] == user // 2
run("plan", "--graph", folder + "/G", "--server", "siton", "--budget", "2%", "--fanout", "4,2", "--batch", "10", "--sampling", "gpu", "--objective", "transactions", "-o", folder + "/P")
plan = hotset_package.Plan(folder + "/P")
assert sum(len(plan.train_ids(g, "user")) for g in plan.gpus) == user // 2
first = plan.gpus[0]
memory, slot = plan.table("feature", "item").lookup(first).find(np.arange(item))
for v in range(item):
    if memory[v] >= 0:
        assert plan.feature_ids(plan.gpus[memory[v]], "item")[slot[v]] == v
    else:
        assert all(v not in plan.feature_ids(g, "item") for g in [first] + plan.peers(first))
held = sum(len(plan.edge_ids(g, ("item", "rated", "user"))) + len(plan.topology_ids(g, ("user", "buys", "item"))) for g in plan.gpus)
assert held > 0


class Files:
    """The lists of a plan, read by nobody but NumPy."""

    def __init__(self, path):
        self.document = json.load(open(path + "/plan.json"))
        self.gpus, self.path = [g["id"] for g in self.document["gpus"]], path
        self.types = [t["name"] for t in self.document["graph"]["types"]]
        self.relations = [(r["source"], r["name"], r["target"]) for r in self.document["graph"]["relations"]]

    def ids(self, gpu, entries, **match):
        for x in self.document["gpus"][self.gpus.index(gpu)][entries]:
            if all(x.get(k) == v for k, v in match.items()):
                return np.load("%s/%s" % (self.path, x["file"]))
        return np.empty(0, np.uint32)

    def peers(self, gpu):
        return self.document["gpus"][self.gpus.index(gpu)]["peers"]

    def held(self, kind, name):
        of = {"type": name} if kind == "feature" else dict(zip(("source", "relation", "target"), name))
        return lambda gpu: self.ids(gpu, "lists", kind=kind, **of)


def tables_of(path):
    """The tables of a plan against the files."""
    files, tables = Files(path), hotset_package.Plan(path)
    assert tables.gpus == files.gpus and len(tables.tables) == 2 + 3 + 1 and (tables.types, tables.relations) == (files.types, files.relations)
    assert tables.vertices == user + item and tables.document == files.document and tables.bytes(tables.gpus[0]).lookup > 0
    for kind, names, short in (("feature", files.types, tables.feature_ids), ("topology", files.relations, tables.topology_ids), ("edge_feature", [RATED], tables.edge_ids)):
        for name in names:
            table, ids = tables.table(kind, name), files.held(kind, name)
            assert (table.kind, table.name, table.trains) == (kind, name, kind == "feature" and table.trains), table
            mine = table.topology_ids if kind == "topology" else table.feature_ids
            for gpu in files.gpus:
                assert np.array_equal(mine(gpu), ids(gpu)) and np.array_equal(short(gpu, name), ids(gpu)) and table.peers(gpu) == files.peers(gpu), (table, gpu)
    users, items = tables.table("feature", "user"), tables.table("feature", "item")
    assert users.trains and users.vertices == user and users.row_bytes == 80 and items.element == "f16" and items.row_bytes == 600
    assert tables.table("edge_feature", RATED).vertices == 700 and tables.table("topology", RATED).edges == 700
    for gpu in files.gpus:
        assert np.array_equal(tables.train_ids(gpu, "user"), users.train_ids(gpu)) and np.array_equal(users.train_ids(gpu), files.ids(gpu, "train", type="user"))
        assert all(np.array_equal(a, b) for a, b in zip(items.lookup(gpu).find(np.arange(item)), found(files, gpu)))
    rows = np.arange(user * 20, dtype=np.float32).reshape(user, 20)
    gathered = hotset_package.PlannedRows(users, files.gpus[0], rows)
    del tables, users, items, table, mine  # the gathering keeps the plan open
    gc.collect()
    want = np.arange(user)[::-1]
    assert np.array_equal(gathered.gather(want), rows[want]) and sum(gathered.counts.values()) == user and min(gathered.counts.values()) > 0, gathered.counts


def found(files, gpu):
    """Memory and slot of every item; on the host the slot is the item."""
    memory, slot = np.full(item, -1), np.arange(item)
    for source in reversed([gpu] + files.peers(gpu)):  # nearer sources overwrite
        held = files.held("feature", "item")(source)
        memory[held], slot[held] = files.gpus.index(source), np.arange(len(held))
    return memory, slot


def refused(kind, words, call):
    try:
        call()
    except kind as e:
        assert words in str(e), e
    else:
        raise SystemExit("accepted: " + words)


tables_of(folder + "/P")
P = hotset_package.Plan(folder + "/P", check=False)
refused(KeyError, "no table of edge_feature rows of user-buys->item", lambda: P.table("edge_feature", ("user", "buys", "item")))
refused(hotset_package.Error, "no kind of rows", lambda: P.table("edges", RATED))
refused(hotset_package.Error, "all types together", lambda: P.table("feature", "user").epoch_order(first, 1, 0))
refused(hotset_package.Error, "several tables of rows", lambda: P.lookup(first))
open(folder + "/P/" + plan.document["files"][0]["name"], "ab").write(b"x")
refused(hotset_package.Error, plan.document["files"][0]["name"], lambda: hotset_package.Plan(folder + "/P"))
try:
    import torch
    from torch_geometric.data import HeteroData
except ImportError:
    print("typed graphs and plans are what the program says (PyG is not installed)")
else:
    data = HeteroData()
    data["user"].x, data["item"].num_nodes = torch.zeros(user, 20), item
    data["user"].train_mask = torch.arange(user) % 2 == 0
    data["user", "buys", "item"].edge_index = torch.tensor(np.ascontiguousarray(buys))
    hotset_package.graph(data, folder + "/H", quiet=True)
    d = load_graph(folder + "/H")
    equal({"types": {"user": graph["types"]["user"], "item": {"count": item}}, "relations": {("user", "buys", "item"): {"edge_index": buys}}}, d)
    print("typed graphs and plans are what the program says, also from HeteroData")
