"""Holds windows of 'hotset drift' of several nodes against plans that 'hotset plan' made of their graphs. Prints findings.

usage: drift_nodes.py D A B C G

D: the document, whose windows 1 and 2 train the same vertices; A, B: plans of windows 0 and 1; C: B's row of 'hotset compare'; G: the graph.
Which node of A goes on with which part of B is not stated, so the loads are those of one way to pair them.
"""
import itertools
import json
import sys

from recount import npy

D, A, B, C, G = sys.argv[1:]
d, graph = (json.load(open(f)) for f in (D, G + "/graph.json"))
together = json.load(open(C))["rows"][0]["simulated"]
nodes = range(d["nodes"])
plan = {p: [json.load(open(f"{p}/node{n}/plan.json")) for n in nodes] for p in (A, B)}
scheme = {s["scheme"]: s for s in d["schemes"]}
said, simulated = scheme["replan"]["windows"][1], [p["simulated"] for p in plan[B]]


def same(what, a, b):
    if a != b: print(what, a, "expected", b)


def near(what, a, b):
    if abs(a - b) > 1e-6 * abs(b): print(what, a, "expected", b)


# ---- reads: of the nodes' plans, summed here and by compare
same("transactions", said["total_transactions"], sum(x["total_transactions"] for x in simulated))
for rate, key in (("feature_hit_rate", "feature_rows"), ("topology_hit_rate", "topology_visits")):
    of = [g[key] for x in simulated for g in x["gpus"]]
    near(rate, said[rate], 1 - sum(x["host"] for x in of) / sum(sum(x.values()) for x in of))
for member in ("places", "seconds", "ssd"): same(member, said["memories"][member], together["memories"][member])
for kind in {x["kind"] for x in said["memories"]["places"]}:
    for key in ("feature_rows", "feature_lines", "topology_visits", "topology_lines"):
        total = lambda m: sum(x[key] for x in m["places"] if x["kind"] == kind)
        same(f"{kind} {key}", total(said["memories"]), sum(total(x["memories"]) for x in simulated))
near("seconds", said["memories"]["seconds"], sum(x["memories"]["seconds"] for x in simulated) / len(nodes))
if said["memories"]["ssd"]: same("SSDs of the slowest", said["memories"]["ssd"]["seconds"], max(x["memories"]["ssd"]["seconds"] for x in simulated))
for name, s in scheme.items():
    for w in s["windows"]:
        if w["memories"]["ssd"] and w["transfer_seconds"] < w["memories"]["ssd"]["seconds"]: print(name, "waits less than its SSDs take")

# ---- loads: rows that GPUs and DRAM of each node did not have, from where A reads them
indptr = list(npy(G + "/indptr.npy"))
size = {"topology": lambda v: 8 + 4 * (indptr[v + 1] - indptr[v]), "feature": lambda v: graph["feature_dim"] * graph["feature_bytes"]}
network = d["network"]["nic_gbps"]
if d["network"]["cluster"]:
    c = d["network"]["cluster"]
    network = sum(c["nics"][n]["gbps"] for n in {n for r in c["routes"] for n in r["nics"]}) / c["oversubscription"]


def lists(p, n, name, kind):
    """Rows of a list of a node's plan, by place or GPU."""
    if name == "gpu": return [set(npy(f"{p}/node{n}/gpu{g['id']}_{kind}.npy")) for g in plan[p][n]["gpus"]]
    return [set(npy(f"{p}/node{n}/{x[kind]['file']}")) for x in plan[p][n]["memories"]["places"] if x["kind"] == name]


def loads(old, new):
    """What node `old` of A loads to serve as node `new` of B: GPU bytes, rows and bytes of DRAM, seconds below."""
    gpu = dram = rows = dropped = ssd = away = 0
    for kind in size:
        reader = plan[A][old]["memories"]["readers"][0]
        cost = reader["topology_line_seconds" if kind == "topology" else "feature_row_seconds"]
        held = [(cost[i], i, x["kind"], set(npy(f"{A}/node{old}/{x[kind]['file']}")) if kind in x else None) for i, x in enumerate(plan[A][old]["memories"]["places"])]
        where = lambda v: min(h[:3] for h in held if h[3] is None or v in h[3])[2]
        on_gpus = [(b - a, set().union(*lists(A, old, "gpu", kind))) for a, b in zip(lists(A, old, "gpu", kind), lists(B, new, "gpu", kind))]
        below = [v for fresh, peers in on_gpus for v in fresh if v not in peers]
        into = [(a, b) for a, b in zip(lists(A, old, "dram", kind), lists(B, new, "dram", kind))]
        fresh = [v for a, b in into for v in b - a]
        gpu += sum(size[kind](v) for new_rows, _ in on_gpus for v in new_rows)
        rows, dropped, dram = rows + len(fresh), dropped + sum(len(a - b) for a, b in into), dram + sum(map(size[kind], fresh))
        ssd += sum(size[kind](v) for v in below + fresh if where(v) == "ssd")
        away += sum(size[kind](v) for v in below + fresh if where(v) == "node")
    seconds = away / (network * 1e9)
    if d["drives"]: seconds = max(seconds, ssd / d["drives"]["block_bytes"] / d["drives"]["reads_per_second"], ssd / (1e9 * d["drives"]["read_gbps"]))
    return gpu, {"rows_loaded": rows, "rows_dropped": dropped, "bytes_loaded": dram}, seconds


ways = []
for pairs in itertools.permutations(nodes):
    of = [loads(old, new) for new, old in enumerate(pairs)]
    ways.append((sum(x[0] for x in of), {k: sum(x[1][k] for x in of) for k in of[0][1]}, max(x[2] for x in of)))
right = [w for w in ways if w[:2] == (said["bytes_loaded"], said["memories"]["dram"])]
if not right: print("loads", said["bytes_loaded"], said["memories"]["dram"], "expected one of", ways)
elif all(abs(w[2] - said["seconds_loading"]) > 1e-6 * w[2] for w in right): print("loading takes", said["seconds_loading"], "expected", [w[2] for w in right])
if not said["memories"]["dram"]["rows_loaded"]: print("nothing comes into DRAM")
