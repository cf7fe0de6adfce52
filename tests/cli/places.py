"""Recounts what the memories below a plan's GPUs serve, from mini-batches that 'simulate P --export-batches' wrote. Prints findings.

usage: places.py P G B R

P: a plan with memories; G: graph; B: its mini-batches; R: what 'simulate P --json' printed for the same seed and epochs. Shares nothing
with hotset but the files.
"""
import json
import sys

from recount import npy

P, G, B, R = sys.argv[1:5]
plan, graph, results = (json.load(open(f)) for f in (P + "/plan.json", G + "/graph.json", R))
n, row = graph["vertices"], graph["feature_dim"] * graph["feature_bytes"]
indptr = npy(G + "/indptr.npy")
m = plan["memories"]
listed = {f["name"] for f in plan["files"]}
held = []
for p in m["places"]:
    held.append({})
    for kind in ("topology", "feature"):
        if p["kind"] == "ssd":
            held[-1][kind] = set(range(n))
            continue
        ids = npy("%s/%s" % (P, p[kind]["file"]))
        if p[kind]["file"] not in listed: print(p[kind]["file"], "is not in files[]")
        if len(ids) != p[kind]["count"] or list(ids) != sorted(set(ids)): print(p[kind]["file"], "is not ascending, or of another length")
        held[-1][kind] = set(ids)
    if p["kind"] == "dram":
        used = sum(8 + 4 * (indptr[v + 1] - indptr[v]) for v in held[-1]["topology"]) + row * len(held[-1]["feature"])
        if used > p["capacity_bytes"]: print(p["name"], "is too full")
for kind in ("topology", "feature"):
    if len(set().union(*(h[kind] for h in held))) != n: print(kind, "rows without a memory")
gpus = {g["id"]: g for g in plan["gpus"]}
cached = {i: set(npy("%s/gpu%d_feature.npy" % (P, i))) for i in gpus}
result = next(r for r in results["rows"] if r.get("node", 0) == m["node"])["simulated"]
epochs = result["epochs"]
said = result["memories"]["places"]
levels = len(plan["workload"]["fanout"]) + 1
reads = [0] * len(held)
for i, g in gpus.items():
    reader = next(r for r in m["readers"] if i in r["gpus"])
    order = sorted((c, k) for k, c in enumerate(reader["feature_row_seconds"]))
    reach = cached[i].union(*(cached[q] for q in g["peers"])) if g["peers"] else cached[i]
    vertices, at = (npy("%s/gpu%d_%s.npy" % (B, i, k)) for k in ("vertices", "vertices_at"))
    for b in range((len(at) - 1) // levels):
        for v in vertices[at[b * levels]:at[(b + 1) * levels]]:
            if v not in reach: reads[next(k for _, k in order if v in held[k]["feature"])] += 1
for p, count, s in zip(m["places"], reads, said):
    if int(count / epochs + 0.5) != s["feature_rows"]: print(p["name"], "serves", count / epochs, "rows, stated", s["feature_rows"])
host = sum(g["feature_rows"]["host"] for g in result["gpus"])
if sum(reads) != host: print("all places serve", sum(reads), "rows, the host", host)
