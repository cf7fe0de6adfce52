"""Holds hotset.typed against the program: graphs saved from a dict (and from PyG's HeteroData where it is installed), and plans of them.

usage: check_typed.py HOTSET FOLDER
"""
import gc
import json
import subprocess
import sys

import numpy as np
import hotset as hotset_package
from hotset.typed import TypedPlan, load_graph, save_graph

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
save_graph(folder + "/G", graph)
save_graph(folder + "/G", graph)  # again, in place of the first
equal(graph, load_graph(folder + "/G"))
back = load_graph(folder + "/G")["relations"]["item", "rated", "user"]
assert np.array_equal(rates[:, back["edge_ids"]], np.array(back["edge_index"])), "edge_ids say which edge each entry was"
info = run("graph", "info", folder + "/G")
assert [t["count"] for t in info["types"]] == [user, item] and info["edges"] == 2 * buys.shape[1] + 700 and info["train_vertices"] == user // 2
run("plan", "--graph", folder + "/G", "--server", "siton", "--budget", "2%", "--fanout", "4,2", "--batch", "10", "-o", folder + "/P")
plan = TypedPlan(folder + "/P")
assert sum(len(plan.train_ids(g, "user")) for g in plan.gpus) == user // 2
first = plan.gpus[0]
memory, slot = plan.find_features(first, "item", np.arange(item))
for v in range(item):
    if memory[v] >= 0:
        assert plan.feature_ids(plan.gpus[memory[v]], "item")[slot[v]] == v
    else:
        assert all(v not in plan.feature_ids(g, "item") for g in [first] + plan.peers(first))
held = sum(len(plan.edge_ids(g, ("item", "rated", "user"))) + len(plan.topology_ids(g, ("user", "buys", "item"))) for g in plan.gpus)
assert held > 0


def tables_of(path):
    """libhotset's tables of a plan against the files as TypedPlan reads them."""
    files, tables = TypedPlan(path), hotset_package.PlanTables(path)
    assert tables.gpus == files.gpus and len(tables.tables) == 2 + 3 + 1
    for kind, names, ids in (("feature", files.types, files.feature_ids), ("topology", files.relations, files.topology_ids), ("edge_feature", [RATED], files.edge_ids)):
        for name in names:
            table = tables.find(kind, name)
            assert (table.kind, table.name, table.exact, table.trains) == (kind, name, False, kind == "feature" and table.trains), table
            mine = table.topology_ids if kind == "topology" else table.feature_ids
            for gpu in files.gpus:
                assert np.array_equal(mine(gpu), ids(gpu, name)) and table.peers(gpu) == files.peers(gpu), (table, gpu)
    users, items = tables.find("feature", "user"), tables.find("feature", "item")
    assert users.trains and users.vertices == user and users.row_bytes == 80 and items.element == "f16" and items.row_bytes == 600
    assert tables.find("edge_feature", RATED).vertices == 700 and tables.find("topology", RATED).edges == 700
    for gpu in files.gpus:
        assert np.array_equal(users.train_ids(gpu), files.train_ids(gpu, "user"))
        assert all(np.array_equal(a, b) for a, b in zip(items.lookup(gpu).find(np.arange(item)), found(files, gpu)))
    rows = np.arange(user * 20, dtype=np.float32).reshape(user, 20)
    gathered = hotset_package.PlannedRows(users, files.gpus[0], rows)
    del tables, users, items, table, mine  # the gathering keeps the plan open
    gc.collect()
    want = np.arange(user)[::-1]
    assert np.array_equal(gathered.gather(want), rows[want]) and sum(gathered.counts.values()) == user and min(gathered.counts.values()) > 0, gathered.counts


def found(files, gpu):
    """Memory and slot of every item; on the host the slot is the item."""
    memory, slot = files.find_features(gpu, "item", np.arange(item))
    return memory, np.where(memory < 0, np.arange(item), slot)


def refused(kind, words, call):
    try:
        call()
    except kind as e:
        assert words in str(e), e
    else:
        raise SystemExit("accepted: " + words)


tables_of(folder + "/P")
P = hotset_package.PlanTables(folder + "/P", check=False)
refused(KeyError, "no table of edge_feature rows of user-buys->item", lambda: P.find("edge_feature", ("user", "buys", "item")))
refused(KeyError, "exact", lambda: P.find("feature", "user", exact=True))
refused(hotset_package.Error, "no kind of rows", lambda: P.find("edges", RATED))
refused(hotset_package.Error, "all types together", lambda: P.find("feature", "user").epoch_order(first, 1, 0))
refused(hotset_package.Error, "hotset_typed_open", lambda: hotset_package.Plan(folder + "/P"))
open(folder + "/P/" + plan.document["files"][0]["name"], "ab").write(b"x")
try:
    TypedPlan(folder + "/P")
    raise SystemExit("a damaged plan was opened")
except Exception as e:
    assert "SHA-256" in str(e), e
refused(hotset_package.Error, plan.document["files"][0]["name"], lambda: hotset_package.PlanTables(folder + "/P"))
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
    save_graph(folder + "/H", data)
    d = load_graph(folder + "/H")
    equal({"types": {"user": graph["types"]["user"], "item": {"count": item}}, "relations": {("user", "buys", "item"): {"edge_index": buys}}}, d)
    print("typed graphs and plans are what the program says, also from HeteroData")
