"""Checks Python's hotset against the files of a plan. Prints "ok name" or "failed name" per check and "ok end" at the end.

usage: check_python.py P G SERVED   (SERVED: what the C example said for GPU 2, or a file that is not there)
"""
import gc
import hashlib
import json
import os
import sys
import threading

import numpy as np

import hotset

path, graph_path, served = sys.argv[1:4]


def check(name, good):
    print("ok" if good else "failed", name)


def refuses(code, call):
    try:
        call()
    except hotset.Error as e:
        return e.code == code and len(str(e)) > 30
    return False


plan = hotset.Plan(path)
about = json.load(open(os.path.join(path, "plan.json")))
graph = json.load(open(os.path.join(graph_path, "graph.json")))
file_of = {(g["id"], k): np.load(os.path.join(path, "gpu%d_%s.npy" % (g["id"], k))) for g in about["gpus"] for k in ("feature", "topology", "train")}
check("version", hotset.library_version()[0] == 2)
check("facts", plan.gpus == [g["id"] for g in about["gpus"]] and plan.vertices == graph["vertices"] and plan.policy == about["policy"]
      and plan.row_bytes == graph["feature_dim"] * graph["feature_bytes"] and plan.fingerprint == graph["fingerprint"])
check("ids are the files'", all(np.array_equal(f(g), file_of[g, k]) for g in plan.gpus
                                for k, f in (("feature", plan.feature_ids), ("topology", plan.topology_ids), ("train", plan.train_ids))))
check("ids are views, not copies", not plan.feature_ids(0).flags.owndata and not plan.feature_ids(0).flags.writeable
      and plan.feature_ids(0).ctypes.data == plan.feature_ids(0).ctypes.data)
check("peers", all(plan.peers(g["id"]) == g["peers"] and plan.peer_links(g["id"]) == g["peer_links"] for g in about["gpus"]))
check("bytes", all(plan.bytes(g["id"])[:3] == (g["budget_bytes"], g["feature"]["bytes"], g["topology"]["bytes"]) and plan.bytes(g["id"]).index == g["index_bytes"]
                   for g in about["gpus"]))


def truth(reader, kind):
    memory, slot = np.full(plan.vertices, -1), np.zeros(plan.vertices, np.int64)
    for gpu in [*reversed(plan.peers(reader)), reader]:
        ids = file_of[gpu, kind]
        memory[ids], slot[ids] = plan.gpus.index(gpu), np.arange(len(ids))
    return memory, slot


good, everyone = True, np.arange(plan.vertices)
for reader in plan.gpus:
    for kind in ("feature", "topology"):
        memory, slot = truth(reader, kind)
        for layout in ("dense", "ranked", "smallest"):
            table = plan.lookup(reader, kind, layout)
            m, s = table.find(everyone)
            held = memory >= 0
            good = good and np.array_equal(m, memory) and np.array_equal(s[held], slot[held]) and table.rows == held.sum()
            good = good and len(table.block) <= plan.lookup_bytes(reader, kind, layout)[0]
check("tables answer as the files do", good)
if os.path.exists(served):
    m, s = plan.lookup(2).find(everyone)
    lines = ["%d GPU %d slot %d" % (v, plan.gpus[m[v]], s[v]) if m[v] >= 0 else "%d host" % v for v in everyone]
    check("tables answer as the C example does", lines == open(served).read().split("\n")[:-1])
try:
    plan.lookup(0).find([plan.vertices])
    check("a vertex beyond the graph is refused", False)
except IndexError:
    check("a vertex beyond the graph is refused", True)
indptr = np.load(os.path.join(graph_path, "indptr.npy"))
plan.check_graph(graph["vertices"], graph["edges"], graph["fingerprint"], indptr)
check("another graph is refused", refuses(3, lambda: plan.check_graph(graph["vertices"], graph["edges"] + 1)))
check("a folder without a plan is refused", refuses(3, lambda: hotset.Plan("nowhere")))
check("a memory limit holds", refuses(5, lambda: hotset.Plan(path, memory_limit=1)))
try:
    plan.feature_ids(99)
    check("an unknown GPU is a KeyError", False)
except KeyError:
    check("an unknown GPU is a KeyError", True)

ids, part = plan.feature_ids(1), plan.train_ids(1)[1:3]
table = plan.lookup(1)
want = file_of[1, "feature"].copy()
del plan
gc.collect()
others = [hotset.Plan(path) for _ in range(20)]  # memory that was let go would be taken again
check("arrays outlive the plan object", np.array_equal(ids, want) and np.array_equal(part, file_of[1, "train"][1:3]))
check("tables outlive the plan object", table.find(want[:1])[1][0] == 0)
maps = open("/proc/self/maps").read().count("gpu1_feature.npy")
del others, ids, part
gc.collect()
check("the last view closes the plan", maps > 0 and open("/proc/self/maps").read().count("gpu1_feature.npy") == 0)

failed = []


def work():
    for _ in range(10):
        p = hotset.Plan(path, threads=2)
        if not np.array_equal(p.feature_ids(0), file_of[0, "feature"]) or p.lookup(0, threads=2).find(file_of[0, "feature"][:1])[1][0] != 0:
            failed.append(1)


threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check("threads do not meet", not failed)


def wide_plan(folder, rows):
    """A plan for 72 GPUs of one clique whose last holds so many rows that memory and slot no longer fit 31 bits."""
    os.mkdir(folder)
    gpus, files = [], []
    like = json.load(open(os.path.join(sys.argv[1], "plan.json")))
    for g in range(72):
        one = {"id": g, "clique": 0, "budget_bytes": rows * 4, "peers": [71] if g < 71 else [0]}
        for part in ("feature", "topology", "train"):
            name, held = "gpu%d_%s.npy" % (g, part), rows if (g, part) == (71, "feature") else 0
            np.save(os.path.join(folder, name), np.arange(held, dtype=np.uint32)[::-1])
            raw = open(os.path.join(folder, name), "rb").read()
            one[part] = {"file": name, "count": held, "bytes": held * 4}
            files.append({"name": name, "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()})
        gpus.append(one)
    json.dump({"schema": "plan/1", "policy": "wide", "server": {"cls": 64}, "graph": {"vertices": rows + 5, "edges": 0, "feature_dim": 1, "feature_bytes": 4},
               "workload": like["workload"], "predicted": like["cliques"][0]["predicted"], "cliques": [{"gpus": list(range(72)), "predicted": like["cliques"][0]["predicted"]}], "gpus": gpus, "files": files},
              open(os.path.join(folder, "plan.json"), "w"))


rows = (1 << 24) + 1
wide_plan("wide", rows)
wide, good = hotset.Plan("wide"), True
for layout in ("dense", "ranked"):
    table = wide.lookup(5, layout=layout)
    ask = np.array([0, 1, rows - 1, rows, rows + 4])
    m, s = table.find(ask)
    good = good and table.entries.itemsize == 8 and m.tolist() == [71, 71, 71, -1, -1] and s[:3].tolist() == [rows - 1, rows - 2, 0] and table.rows == rows
check("entries are wide where memory and slot need it", good)
print("ok end")
