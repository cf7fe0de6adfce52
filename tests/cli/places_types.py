"""places.py for graphs with several types: recounts what the memories below a plan's GPUs serve. Prints findings.

usage: places_types.py P G B R

P: a plan with memories; G: graph; B: mini-batches that 'simulate P --export-batches' wrote; R: what 'simulate P --json' printed for the
same seed and epochs. Shares nothing with hotset but the files. A table is (kind, type) or (kind, source, relation, target).
"""
import json
import sys

from recount import npy

P, G, B, R = sys.argv[1:5]
plan, graph, results, batches = (json.load(open(f)) for f in (P + "/plan.json", G + "/graph.json", R, B + "/batches.json"))
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1, "u8": 1}
size = lambda of: of["feature_dim"] * BYTES[of["feature_type"]] if of.get("feature_dim") else 0
types, relations, m = graph["types"], graph["relations"], plan["memories"]
counts = {t["name"]: t["count"] for t in types}
name = lambda r: (r["source"], r.get("relation", r.get("name")), r["target"])
indptr = {name(r): npy("%s/relation%d_indptr.npy" % (G, i)) for i, r in enumerate(relations)}
rows, width = {}, {}  # of each table: how many, and bytes of a feature row
for t in types:
    if size(t): rows["feature", t["name"]], width["feature", t["name"]] = t["count"], size(t)
for r in relations:
    rows[("topology",) + name(r)] = counts[r["target"]]
    if size(r): rows[("edge_feature",) + name(r)], width[("edge_feature",) + name(r)] = r["edges"], size(r)
table = lambda l: ("feature", l["type"]) if l["kind"] == "feature" else (l["kind"],) + name(l)
if m["feature_row_bytes"] != sorted(set(width.values())): print("sizes of rows", m["feature_row_bytes"])


def bytes_of(key, ids):
    if key in width: return width[key] * len(ids)
    at = indptr[key[1:]]
    return sum(8 + 4 * (at[v + 1] - at[v]) for v in ids)


listed, held = {f["name"] for f in plan["files"]}, []
for p in m["places"]:
    held.append({k: set(range(rows[k])) for k in rows} if p["kind"] == "ssd" else {k: set() for k in rows})
    used = 0
    for l in p.get("lists", []):
        ids = npy("%s/%s" % (P, l["file"]))
        if l["file"] not in listed: print(l["file"], "is not in files[]")
        if not ids or len(ids) != l["count"] or list(ids) != sorted(set(ids)): print(l["file"], "is empty, not ascending, or of another length")
        held[-1][table(l)] = set(ids)
        if bytes_of(table(l), ids) != l["bytes"]: print(l["file"], "has other bytes")
        used += l["bytes"]
    if p["kind"] == "dram" and used > p["capacity_bytes"]: print(p["name"], "is too full")
for k in rows:
    if len(set().union(*(h[k] for h in held))) != rows[k]: print(k, "rows without a memory")
cached = {g["id"]: {k: set() for k in rows} for g in plan["gpus"]}
for g in plan["gpus"]:
    for l in g["lists"]: cached[g["id"]][table(l)] |= set(npy("%s/%s" % (P, l["file"])))
result = next(r for r in results["rows"] if r["node"] == m["node"])["simulated"]
hops, epochs = batches["hops"], result["epochs"]
reads, blocks, block = [0] * len(held), 0, (m["ssd"] or {}).get("block_bytes", 1)
for g in plan["gpus"]:
    reader = next(r for r in m["readers"] if g["id"] in r["gpus"])
    reach = {k: set().union(*(cached[i][k] for i in [g["id"]] + g["peers"])) for k in rows}
    vertices, at, edges, edges_at, targets = (npy("%s/gpu%d_%s.npy" % (B, g["id"], k)) for k in ("vertices", "vertices_at", "edges", "edges_at", "rows"))

    def place(key, v):
        """The place that serves a row; None: a GPU does."""
        if v in reach[key]: return None
        cost = reader["feature_row_seconds"][m["feature_row_bytes"].index(width[key])] if key in width else reader["topology_line_seconds"]
        return next(k for _, k in sorted((c, k) for k, c in enumerate(cost)) if v in held[k][key])

    def on_ssd(key, v, first, length):
        """Adds the blocks of length bytes of a table's file, from `first` on, where row v is read from the SSDs."""
        k = place(key, v)
        if key in width and k is not None: reads[k] += 1
        if k is not None and m["places"][k]["kind"] == "ssd":
            touched.update((key, i) for i in range(first // block, (first + length - 1) // block + 1))

    for batch in range((len(at) - 1) // len(types) // (hops + 1)):
        touched = set()
        for t, of in enumerate(types):
            part, key = (batch * len(types) + t) * (hops + 1), ("feature", of["name"])
            for v in vertices[at[part]:at[part + hops + 1]] if key in width else ():
                on_ssd(key, v, v * width[key], width[key])
        for r, of in enumerate(relations):
            part, key = (batch * len(relations) + r) * hops, ("edge_feature",) + name(of)
            first = at[(batch * len(types) + [t["name"] for t in types].index(of["target"])) * (hops + 1)]
            for i in range(edges_at[part], edges_at[part + hops]):
                if key in width: on_ssd(key, edges[i], edges[i] * width[key], width[key])
                if plan.get("topology_access") != "samplers": on_ssd(("topology",) + name(of), vertices[first + targets[i]], 4 * edges[i], 4)
        blocks += len(touched)
if m["ssd"] and plan["workload"].get("sampler", "uniform") == "uniform":  # labor reads whole rows, also of vertices that draw nothing
    if abs(blocks / epochs - result["memories"]["ssd"]["blocks"]) > 1e-6: print("blocks", blocks / epochs, "stated", result["memories"]["ssd"]["blocks"])
for p, count, s in zip(m["places"], reads, result["memories"]["places"]):
    if int(count / epochs + 0.5) != s["feature_rows"]: print(p["name"], "serves", count / epochs, "rows, stated", s["feature_rows"])
host = sum(t["reads"]["host"] for t in result["tables"] if t["kind"] != "topology")
if sum(reads) != host: print("all places serve", sum(reads), "rows, the host", host)
