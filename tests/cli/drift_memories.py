"""Holds windows of 'hotset drift' with memories against plans that 'hotset plan' made of their graphs. Prints findings.

usage: drift_memories.py G D A B [moves]

G: the graph; D: the document, whose windows 1 and 2 train the same vertices; A, B: plans of windows 0 and 1. moves: one GPU, and what
its DRAM and SSDs load between windows is counted once more from the lists of A and B.
"""
import json
import sys

from recount import npy

G, D, A, B = sys.argv[1:5]
d, before, after, graph = (json.load(open(f)) for f in (D, A + "/plan.json", B + "/plan.json", G + "/graph.json"))
scheme = {s["scheme"]: s for s in d["schemes"]}
said, plan = scheme["replan"]["windows"][1], after["simulated"]
if said["total_transactions"] != plan["total_transactions"]: print("replan reads", said["total_transactions"], "the plan", plan["total_transactions"])
for member in ("places", "seconds", "ssd"):
    if said["memories"][member] != plan["memories"][member]: print(member, said["memories"][member], "the plan has", plan["memories"][member])
for name, s in scheme.items():
    for w in s["windows"]:
        ssd = w["memories"]["ssd"]
        if ssd and w["transfer_seconds"] < ssd["seconds"]: print(name, "waits less than its SSDs take")
    mean = sum(w["memories"]["seconds"] for w in s["windows"]) / len(s["windows"])
    if abs(mean - s["memories"]["seconds"]) > 1e-6 * mean: print(name, "mean", s["memories"]["seconds"], "of", mean)
    for k, v in s["memories"]["dram"].items():
        if v != sum(w["memories"]["dram"][k] for w in s["windows"]): print(name, k, v)
    moves = s["memories"]["dram"]["rows_loaded"] > 0
    if d["drives"] and moves != (name in ("refresh", "auto", "replan")): print(name, "loads", s["memories"]["dram"])
if sys.argv[5:] == ["moves"]:
    indptr = npy(G + "/indptr.npy")
    size = {"topology": lambda v: 8 + 4 * (indptr[v + 1] - indptr[v]), "feature": lambda v: graph["feature_dim"] * graph["feature_bytes"]}
    lists = lambda p, kind: [set(npy(f"{p}/{x[kind]['file']}")) for x in json.load(open(p + "/plan.json"))["memories"]["places"] if x["kind"] == "dram"]
    count = dict.fromkeys(("rows_loaded", "rows_dropped", "bytes_loaded"), 0)
    from_ssd = gpu_bytes = 0
    for kind in size:
        was, now = lists(A, kind), lists(B, kind)
        had = set().union(*was)
        on_gpu = [set(npy(f"{p}/gpu0_{kind}.npy")) for p in (A, B)]
        fresh = [v for o, n in zip(was, now) for v in n - o]
        loaded = on_gpu[1] - on_gpu[0]
        count["rows_loaded"] += len(fresh)
        count["rows_dropped"] += sum(len(o - n) for o, n in zip(was, now))
        count["bytes_loaded"] += sum(map(size[kind], fresh))
        gpu_bytes += sum(map(size[kind], loaded))
        from_ssd += sum(size[kind](v) for v in [*fresh, *loaded] if v not in had)
    if count != said["memories"]["dram"]: print("DRAM", said["memories"]["dram"], "counted", count)
    if gpu_bytes != said["bytes_loaded"]: print("GPUs load", said["bytes_loaded"], "counted", gpu_bytes)
    drives = d["drives"]
    took = max(from_ssd / drives["block_bytes"] / drives["reads_per_second"], from_ssd / (1e9 * drives["read_gbps"]))
    if abs(took - said["seconds_loading"]) > 1e-6 * took: print("loading takes", said["seconds_loading"], "counted", took)
