"""storage.py and sockets.py for graphs with several types: recounts from exported mini-batches. Prints a line per finding; nothing is well.

usage: below_types.py P G B S

P: plan; G: graph; B: mini-batches that 'simulate P --export-batches' wrote for the same seed and epochs; S: what 'hotset storage' wrote, or what
'simulate P --json' said of a plan with the DRAM of sockets. Shares nothing with hotset but the files. A table is (kind, type) or (kind, source, relation, target).
"""
import collections
import json
import os
import sys

from recount import npy

P, G, B, S = sys.argv[1:5]
storage = os.path.isdir(S)
plan, graph, batches, said = (json.load(open(f)) for f in (P + "/plan.json", G + "/graph.json", B + "/batches.json", S + ("/storage.json" if storage else "")))
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1, "u8": 1}
types, relations, hops, epochs = [t["name"] for t in graph["types"]], graph["relations"], batches["hops"], batches["epochs"]
count = {t["name"]: t["count"] for t in graph["types"]}
name = lambda r: (r["source"], r.get("relation", r.get("name")), r["target"])
size = lambda of: of["feature_dim"] * BYTES[of["feature_type"]] if of.get("feature_dim") else 0
indptr = {name(r): npy("%s/relation%d_indptr.npy" % (G, i)) for i, r in enumerate(relations)}
rows = {("topology",) + name(r): count[r["target"]] for r in relations}
files = {("topology",) + name(r): "topology_%d" % i for i, r in enumerate(relations)}
width = {}
for i, t in enumerate(graph["types"]):
    if size(t): rows["feature", t["name"]], width["feature", t["name"]], files["feature", t["name"]] = t["count"], size(t), "feature_%d" % i
for i, r in enumerate(relations):
    key = ("edge_feature",) + name(r)
    if size(r): rows[key], width[key], files[key] = r["edges"], size(r), "edge_feature_%d" % i
offsets = 0 if storage else 8  # of DRAM on SSD machines they are counted apart
weigh = lambda key, v: width[key] if key in width else offsets + 4 * (indptr[key[1:]][v + 1] - indptr[key[1:]][v])


def held_by(prefix):
    """Rows by table that a memory holds."""
    path = lambda key: "%s/%s_%s.npy" % (S if storage else P, prefix, files[key])
    out = {key: list(npy(path(key))) if os.path.exists(path(key)) else [] for key in rows}
    for key, ids in out.items():
        if ids != sorted(set(ids)) or (ids and ids[-1] >= rows[key]): print(path(key), "is not ascending, or beyond the table")
    return {key: set(ids) for key, ids in out.items()}


total = lambda held: sum(weigh(key, v) for key in held for v in held[key])
if storage:
    memory = [held_by("dram")]
    if 8 * sum(count[r["target"]] + 1 for r in relations) + total(memory[0]) > said["host_memory_bytes"]: print("DRAM is too full")
    if total(memory[0]) != sum(said["dram"][k]["bytes"] for k in ("topology", "feature")): print("DRAM holds", total(memory[0]))
    for k in ("topology", "feature"):
        mine = {key: ids for key, ids in memory[0].items() if (key[0] == "topology") == (k == "topology")}
        if abs(said["dram"][k]["share"] - sum(map(len, mine.values())) / sum(rows[key] for key in mine)) > 1e-6: print("share of", k)
    position, block = {}, said["block_bytes"]
    for key in width:
        order = npy("%s/disk_order_%s.npy" % (S, files[key]))
        if sorted(order) != list(range(rows[key])): print(key, "has no order of all rows")
        position[key] = {v: i for i, v in enumerate(order)}
else:
    places, counted = plan["memories"]["places"], said["rows"][0]["simulated"]["memories"]["places"]
    memory = [held_by("dram%d" % p["socket"]) for p in places]
    for p, held in zip(places, memory):
        if total(held) != sum(l["bytes"] for l in p["lists"]) or total(held) > p["capacity_bytes"]: print(p["name"], "holds", total(held))
    for key in rows:
        if len(set().union(*(held[key] for held in memory))) != rows[key]: print(key, "rows without a home")
    block = 64
cached = {g["id"]: collections.defaultdict(set) for g in plan["gpus"]}
for g in plan["gpus"]:
    for l in g["lists"]:
        cached[g["id"]][("feature", l["type"]) if l["kind"] == "feature" else (l["kind"],) + name(l)] |= set(npy("%s/%s" % (P, l["file"])))
pieces = lambda at, length: set(range(at // block, (at + length - 1) // block + 1)) if length else set()
sums = collections.Counter()


def read(key, v, touched, own, seen):
    """A read of feature row v by a GPU: from GPUs, from memory, or from the SSDs."""
    sums["rows"] += 1
    if v in seen[key]: return
    if not storage:
        lines = len(pieces(v * width[key], width[key]))
        sums["read"] += lines
        sums["crossing"] += 0 if v in memory[own][key] else lines
    elif v in memory[0][key]: sums["from_dram"] += 1
    else:
        sums["from_ssd"] += 1
        sums["ssd_bytes"] += width[key]
        touched["id"].update((key, i) for i in pieces(v * width[key], width[key]))
        touched["heat"].update((key, i) for i in pieces(position[key][v] * width[key], width[key]))


def visit(key, v, drawn, touched, own, seen):
    """A visit of neighbour list v that drew these entries."""
    sums["visits"] += 1
    if v in seen[key]: return
    if not storage:
        lines = len(pieces(8 * v, 16)) + len(set().union(*(pieces(4 * e, 4) for e in drawn)))
        sums["read"] += lines
        sums["crossing"] += 0 if v in memory[own][key] else lines
    elif v in memory[0][key]: sums["visits_dram"] += 1
    else:
        sums["visits_ssd"] += 1
        touched["topology"].update((key, 4 * e // block) for e in drawn)


for g in plan["gpus"]:
    socket = None if storage else next(x["socket"] for x in plan["memories"]["readers"] if g["id"] in x["gpus"])
    own = 0 if storage else next(i for i, p in enumerate(places) if p["socket"] == socket)
    seen = {key: set().union(*(cached[i][key] for i in [g["id"]] + g["peers"])) for key in rows}
    if plan.get("topology_access") == "cpu": seen.update({key: set() for key in rows if key[0] == "topology"})
    vertices, at, edges, edges_at, targets = (npy("%s/gpu%d_%s.npy" % (B, g["id"], k)) for k in ("vertices", "vertices_at", "edges", "edges_at", "rows"))
    for batch in range((len(at) - 1) // len(types) // (hops + 1)):
        touched = collections.defaultdict(set)
        level = lambda t, h: (batch * len(types) + types.index(t)) * (hops + 1) + h
        for t in types:
            if ("feature", t) in width:
                for v in vertices[at[level(t, 0)]:at[level(t, hops + 1)]]: read(("feature", t), v, touched, own, seen)
        for r, of in enumerate(relations):
            first, lists, features = at[level(of["target"], 0)], ("topology",) + name(of), ("edge_feature",) + name(of)
            for h in range(hops):
                part = (batch * len(relations) + r) * hops + h
                drawn = {i: [] for i in range(at[level(of["target"], h)] - first, at[level(of["target"], h + 1)] - first)}
                for i in range(edges_at[part], edges_at[part + 1]):
                    drawn[targets[i]].append(edges[i])
                    if features in width: read(features, edges[i], touched, own, seen)
                for i in drawn if plan.get("topology_access") != "samplers" else (): visit(lists, vertices[first + i], drawn[i], touched, own, seen)
        for k in touched: sums["blocks " + k] += len(touched[k])


mean = lambda x: (x + epochs // 2) // epochs
if storage:
    f, t = said["simulated"]["feature"], said["simulated"]["topology"]
    pairs = [("rows", f["rows"]), ("from_dram", f["from_dram"]), ("from_ssd", f["from_ssd"]), ("visits", t["visits"]), ("visits_dram", t["from_dram"]), ("visits_ssd", t["from_ssd"]),
             ("blocks id", f["blocks"]["id"]), ("blocks heat", f["blocks"]["heat"]), ("blocks topology", t["blocks"])]
    for how in ("id", "heat"):
        if f["amplification"][how] and abs(f["amplification"][how] - sums["blocks " + how] * block / sums["ssd_bytes"]) > 1e-5 * f["amplification"][how]: print("amplification by", how)
else:
    pairs = [("read", sum(p["feature_lines"] + p["topology_lines"] for p in counted)), ("crossing", sum(p["other_socket_lines"] for p in counted))]
for what, theirs in pairs:
    if abs(mean(sums[what]) - theirs) > (0 if storage else 4): print("%s: %d recounted, %d stated" % (what, mean(sums[what]), theirs))
