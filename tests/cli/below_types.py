"""storage.py and sockets.py for graphs with several types: recounts from exported mini-batches. Prints a line per finding; nothing is well.

usage: below_types.py P G B R

P: plan with DRAM of sockets, or DRAM and SSDs; G: graph; B, R: mini-batches that 'simulate P --export-batches' wrote, and what 'simulate P --json' said
of the same seed and epochs. Shares nothing with hotset but the files. A table is (kind, type) or (kind, source, relation, target).
"""
import collections
import json
import os
import sys

from recount import npy

P, G, B, R = sys.argv[1:5]
plan, graph, batches, said = (json.load(open(f)) for f in (P + "/plan.json", G + "/graph.json", B + "/batches.json", R))
ssd = plan["memories"]["ssd"]
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
weigh = lambda key, v: width[key] if key in width else 8 + 4 * (indptr[key[1:]][v + 1] - indptr[key[1:]][v])


def held_by(prefix):
    """Rows by table that a memory holds."""
    path = lambda key: "%s/%s_%s.npy" % (P, prefix, files[key])
    out = {key: list(npy(path(key))) if os.path.exists(path(key)) else [] for key in rows}
    for key, ids in out.items():
        if ids != sorted(set(ids)) or (ids and ids[-1] >= rows[key]): print(path(key), "is not ascending, or beyond the table")
    return {key: set(ids) for key, ids in out.items()}


total = lambda held: sum(weigh(key, v) for key in held for v in held[key])
places, counted = plan["memories"]["places"], said["rows"][0]["simulated"]["memories"]["places"]
dram = [p for p in places if p["kind"] == "dram"]
memory = [held_by("dram%d" % p["socket"]) for p in dram]
for p, held in zip(dram, memory):
    if total(held) != sum(l["bytes"] for l in p["lists"]) or total(held) > p["capacity_bytes"]: print(p["name"], "holds", total(held))
for key in rows:
    if not ssd and len(set().union(*(held[key] for held in memory))) != rows[key]: print(key, "rows without a home")
LINE, block = 64, ssd["block_bytes"] if ssd else 0
cached = {g["id"]: collections.defaultdict(set) for g in plan["gpus"]}
for g in plan["gpus"]:
    for l in g["lists"]:
        cached[g["id"]][("feature", l["type"]) if l["kind"] == "feature" else (l["kind"],) + name(l)] |= set(npy("%s/%s" % (P, l["file"])))
pieces = lambda at, length, of: set(range(at // of, (at + length - 1) // of + 1)) if length else set()
sums = collections.Counter()


def read(key, v, touched, own, seen):
    """A read of feature row v by a GPU: from GPUs, from memory, or from the SSDs."""
    if v in seen[key]: return
    lines = len(pieces(v * width[key], width[key], LINE))
    if any(v in held[key] for held in memory):
        sums["read"] += lines
        sums["crossing"] += 0 if v in memory[own][key] else lines
        sums["from_dram"] += 1
    else:
        sums["from_ssd"] += 1
        touched["blocks"].update((key, i) for i in pieces(v * width[key], width[key], block))


def visit(key, v, drawn, touched, own, seen):
    """A visit of neighbour list v that drew these entries."""
    if v in seen[key]: return
    lines = len(pieces(8 * v, 16, LINE)) + len(set().union(*(pieces(4 * e, 4, LINE) for e in drawn)))
    if any(v in held[key] for held in memory):
        sums["read"] += lines
        sums["crossing"] += 0 if v in memory[own][key] else lines
        sums["visits_dram"] += 1
    else:
        sums["visits_ssd"] += 1
        touched["blocks"].update((key, 4 * e // block) for e in drawn)


for g in plan["gpus"]:
    socket = next(x["socket"] for x in plan["memories"]["readers"] if g["id"] in x["gpus"])
    own = next(i for i, p in enumerate(dram) if p["socket"] == socket)
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
        for k in touched: sums[k] += len(touched[k])


by_kind = lambda kind, *keys: sum(p[key] for p in counted for key in keys if p["kind"] == kind)
pairs = [("read", by_kind("dram", "feature_lines", "topology_lines")), ("from_dram", by_kind("dram", "feature_rows")), ("visits_dram", by_kind("dram", "topology_visits")),
         ("crossing", sum(p.get("other_socket_lines", 0) for p in counted))]
if ssd: pairs += [("from_ssd", by_kind("ssd", "feature_rows")), ("visits_ssd", by_kind("ssd", "topology_visits")),
                  ("blocks", said["rows"][0]["simulated"]["memories"]["ssd"]["blocks"])]
for what, theirs in pairs:
    if abs(sums[what] / epochs - theirs) > 4: print("%s: %g recounted, %g stated" % (what, sums[what] / epochs, theirs))  # every place rounds its own
