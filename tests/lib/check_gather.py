"""Replays exported mini-batches through Python's hotset: bytes and counts must be those of the graph and of `hotset simulate`. Prints "ok name" or
"failed name" per check and "ok end" at the end. torch is used where it is installed.

usage: check_gather.py P G B JUDGED.json
"""
import gc
import json
import os
import sys
import threading

import numpy as np

import hotset

plan_path, graph_path, batches_path, judged_path = sys.argv[1:5]


def check(name, good):
    print("ok" if good else "failed", name)


def refuses(kind, call):
    try:
        call()
    except kind as e:
        return len(str(e)) > 20
    return False


plan, batches = hotset.Plan(plan_path), hotset.Batches(batches_path)
judged = {g["id"]: g for g in json.load(open(judged_path))["rows"][0]["simulated"]["gpus"]}
about = json.load(open(os.path.join(batches_path, "batches.json")))
rng = np.random.default_rng(3)
# 20 bytes per row, all different, so that a row from elsewhere is noticed
features = np.ascontiguousarray(np.concatenate([np.arange(plan.vertices, dtype=np.int32)[:, None], rng.integers(0, 1 << 30, (plan.vertices, 4), np.int32)], 1))
batches.check(plan)
check("facts of mini-batches", batches.gpus == [g["id"] for g in about["gpus"]] and batches.epochs == about["epochs"] and batches.seed == about["seed"]
      and batches.hops == len(about["workload"]["fanout"]) and all(batches.per_epoch(g["id"]) == g["batches"] for g in about["gpus"]))

# ---- the replay
memory = hotset.fill(plan, features)
check("memories are filled in slot order", all(np.array_equal(memory[g], features[plan.feature_ids(g)]) for g in plan.gpus))
places, bytes_equal, counts_equal, visits_equal, seen = ("own", "peer", "host"), True, True, True, {"own": 0, "peer": 0, "host": 0}
by_library = [batches.visits(plan, gpu) for gpu in plan.gpus]
for layout in ("dense", "ranked"):
    for gpu in plan.gpus:
        rows, topology = hotset.PlannedRows(plan, gpu, features, memory, layout=layout), plan.lookup(gpu, "topology")
        visits, own = {"local": 0, "peer": 0, "host": 0}, plan.gpus.index(gpu)
        for batch in batches.of(gpu):
            bytes_equal = bytes_equal and np.array_equal(rows.gather(batch.vertices), features[batch.vertices])
            for hop in batch.hops:
                m, _ = topology.find(hop.expanded)
                for place, n in (("local", (m == own).sum()), ("peer", ((m >= 0) & (m != own)).sum()), ("host", (m < 0).sum())):
                    visits[place] += int(n)
        want = judged[gpu]["feature_rows"]
        counts_equal = counts_equal and [rows.counts[k] for k in places] == [want["local"], want["peer"], want["host"]]
        visits_equal = visits_equal and visits == judged[gpu]["topology_visits"]
        for k in places:
            seen[k] += rows.counts[k]
check("gathered bytes are the features'", bytes_equal)
check("rows by place are what simulate counts", counts_equal and all(seen.values()))
check("visits by place are what simulate counts", visits_equal)
want = [judged[gpu]["topology_visits"] for gpu in plan.gpus]
check("the library counts them, too", by_library == [{"own": w["local"], "peer": w["peer"], "host": w["host"]} for w in want] and all(sum(w[k] for w in want) for k in want[0]))
parts = [batches.visits(plan, plan.gpus[0], e) for e in range(batches.epochs)]
check("epoch by epoch", {k: sum(p[k] for p in parts) for k in places} == by_library[0] and batches.epochs > 1 and parts[0] != by_library[0])

# ---- what mini-batches say of the graph
indices, good, total = np.load(os.path.join(graph_path, "indices.npy")), True, 0
for gpu in batches.gpus:
    for e in range(batches.epochs):
        for number, b in enumerate(batches.of(gpu, e)):
            good = good and (b.gpu, b.epoch, b.number) == (gpu, e, number) and np.array_equal(b.vertices[:b.seed_vertices], b.seeds)
            for h in b.hops:
                good = good and np.array_equal(indices[h.edges], b.vertices[h.columns]) and set(b.vertices[h.rows]) <= set(h.expanded) and h.rows.dtype == np.int32
                total += len(h.edges)
            good = good and b.hops[-1].found == len(b.vertices)
check("edges lead to columns", good and total > 1000)
check("another GPU is a KeyError", refuses(KeyError, lambda: batches.read(99, 0)) and refuses(hotset.Error, lambda: batches.read(batches.gpus[0], 1 << 40)))

# ---- kinds of ids, rows and outputs
rows, ids = hotset.PlannedRows(plan, plan.gpus[1], features, memory), rng.integers(0, plan.vertices, 500)
want = features[ids]
good = all(np.array_equal(rows.gather(ids.astype(kind)), want) for kind in (np.int32, np.uint32, np.int64, np.uint64))
small = np.arange(200, dtype=np.uint8)
check("ids of all kinds", good and np.array_equal(rows.gather(small), features[:200]) and np.array_equal(rows.gather(ids[::3]), want[::3])
      and np.array_equal(rows.gather(ids.tolist()), want) and np.array_equal(rows.gather(ids.astype(">i8")), want) and rows.gather([]).shape == (0, 5))
out = np.full((500, 5), -1, np.int32)
check("a given output is written and returned", rows.gather(ids, out) is out and np.array_equal(out, want))
wide = hotset.PlannedRows(plan, plan.gpus[0], memoryview(features.tobytes()).cast("B", (plan.vertices, 4, 5)))
check("a buffer of any shape is a host", np.array_equal(wide.gather(ids).reshape(500, 20), want.view(np.uint8)))
np.save("features.npy", features)
check("a mapped file is a host", np.array_equal(hotset.PlannedRows(plan, plan.gpus[0], np.load("features.npy", mmap_mode="r")).gather(ids), want))
before = rows.counts
check("an id beyond the graph is an IndexError", refuses(IndexError, lambda: rows.gather([plan.vertices])) and refuses(IndexError, lambda: rows.gather([-1])))
check("its row is counted nowhere", rows.counts == before and sum(rows.served.values()) == sum(before.values()))
for name, call in (("floats as ids", lambda: rows.gather([0.5])), ("small floats as ids", lambda: rows.gather(np.ones(3, np.float16))),
                   ("a mask as ids", lambda: rows.gather(ids > 3)), ("a table as ids", lambda: rows.gather([[1]])),
                   ("an output of another size", lambda: rows.gather(ids, out[1:])), ("an output of other rows", lambda: rows.gather(ids, np.empty((500, 4), np.int32))),
                   ("an output that is read-only", lambda: rows.gather(ids, np.frombuffer(bytes(10000), np.int32).reshape(500, 5))),
                   ("rows that lie apart", lambda: hotset.PlannedRows(plan, 0, np.asfortranarray(features))),
                   ("a list as host", lambda: hotset.PlannedRows(plan, 0, features.tolist())),
                   ("memories of other rows", lambda: hotset.PlannedRows(plan, 0, features, {g: m[:, :3].copy() for g, m in memory.items()}))):
    check("refused: " + name, refuses(hotset.Error, call))
short = {g: m[:1].copy() for g, m in memory.items()}
check("a memory that holds less than the plan says is an IndexError", refuses(IndexError, lambda: hotset.PlannedRows(plan, 0, features, short).gather(ids)))

# ---- threads, lifetime
rows, failed = hotset.PlannedRows(plan, plan.gpus[0], features, memory), []


def work():
    for _ in range(200):
        if not np.array_equal(rows.gather(ids), want):
            failed.append(1)


threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check("threads share an object", not failed and sum(rows.counts.values()) == 4 * 200 * 500)
kept = batches.read(batches.gpus[0], 0).vertices
copy = kept.copy()
del batches, batch, b, h, hop
gc.collect()
check("arrays outlive the mini-batches", np.array_equal(kept, copy))
maps = open("/proc/self/maps").read().count("gpu%d_vertices.npy" % plan.gpus[0])
del kept
gc.collect()
check("the last view closes them", maps > 0 and open("/proc/self/maps").read().count("gpu%d_vertices.npy" % plan.gpus[0]) == 0)

# ---- torch, which Python's hotset does not import
if "torch" in sys.modules:
    check("torch is not imported", False)
try:
    import torch
except ImportError:
    torch = None
if torch:
    host = torch.from_numpy(features).to(torch.float64).to(torch.bfloat16)
    rows, at = hotset.PlannedRows(plan, plan.gpus[2], host), torch.from_numpy(ids)
    got = rows.gather(at)
    check("torch: rows of any type", isinstance(got, torch.Tensor) and got.dtype == torch.bfloat16 and torch.equal(got, host[at]))
    out = torch.empty_like(got)
    check("torch: a given output", rows.gather(at.int(), out) is out and torch.equal(out, got))
    check("torch: float ids are refused", refuses(hotset.Error, lambda: rows.gather(at.float())) and refuses(hotset.Error, lambda: rows.gather(at.to(torch.complex64))))
    check("torch: a tensor elsewhere is refused", refuses(hotset.Error, lambda: hotset.PlannedRows(plan, 0, host.to("meta"))))
print("ok end")
