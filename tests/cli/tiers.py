"""Recounts what the memories of one server serve, from mini-batches that the plan of its GPUs draws. Prints findings; nothing is well.

usage: tiers.py D G B

D: directory of hotset tiers for one node; G: graph; B: mini-batches that 'simulate D/node0 --export-batches' wrote for the seed and epochs
that tiers.json states. Shares nothing with hotset but the files. Costs are those of the server hand.json that tiers.sh writes:
four GPUs in cliques of two, one clique below one switch per socket, 12 GB/s per switch, 40 GB/s per NVLink, 4 GB/s between sockets.
"""
import json
import math
import os
import sys

from recount import npy


def near(a, b, tolerance=1e-5):
    return abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-12)


D, G, B = sys.argv[1:4]
said, plan, graph = (json.load(open(p)) for p in (D + "/tiers.json", D + "/node0/plan.json", G + "/graph.json"))
n, row, line, epochs = graph["vertices"], said["row_bytes"], said["line_bytes"], said["epochs"]
indptr = npy(G + "/indptr.npy")
list_bytes = [8 + 4 * (indptr[v + 1] - indptr[v]) for v in range(n)]
way = said["ways"][0]

# what each place holds, from the files
held = []
for p in said["places"]:
    if p["kind"] == "gpus":
        files = [[npy("%s/node0/gpu%d_%s.npy" % (D, g, k)) for g in p["gpus"]] for k in ("topology", "feature")]
        for g, t, f in zip(p["gpus"], *files):
            budget = next(x["budget_bytes"] for x in plan["gpus"] if x["id"] == g)
            if sum(list_bytes[v] for v in t) + row * len(f) > budget: print("GPU %d holds more than its budget" % g)
        for lists in files:
            if len(set().union(*map(set, lists))) != sum(map(len, lists)): print(p["name"], "holds a row twice")
        held.append([set().union(*map(set, lists)) for lists in files])
    elif p["kind"] == "dram":
        held.append([set(npy("%s/node0/dram%d_%s.npy" % (D, p["socket"], k))) for k in ("topology", "feature")])
    else:
        held.append([set(), set()])
homes = [h for p, h in zip(said["places"], held) if p["kind"] == "dram"]
for k, name in enumerate(("list", "row")):
    lost = set(range(n)) - set().union(*(h[k] for h in homes))
    if said["ssd"] is None and lost: print("%d %ss without a home" % (len(lost), name))
    if said["ssd"]: held[-1][k] = lost  # rows that only the SSDs have
for p, h, w in zip(said["places"], held, way["places"]):
    used = sum(list_bytes[v] for v in h[0]) + row * len(h[1])
    if (len(h[0]), len(h[1])) != (w["topology_rows"], w["feature_rows"]) or used != w["used_bytes"]: print(p["name"], "holds", used, w)
    if p["capacity_bytes"] is not None and used > p["capacity_bytes"]: print(p["name"], "is too full")


# what a read costs, by hand
def cost(reader, place, size):
    if place["kind"] == "ssd":
        block = said["ssd"]["block_bytes"]
        blocks = 1 + (row - math.gcd(row, block)) / block
        return 4 * blocks * max(1 / said["ssd"]["reads_per_second"], block / (said["ssd"]["read_gbps"] * 1e9))
    if place["kind"] == "gpus":
        return size / 40e9 / 2 if place["gpus"] == reader["gpus"] else None
    return size / 6e9 if place["socket"] == reader["socket"] else size / 2e9


for r in said["readers"]:
    for i, p in enumerate(said["places"]):
        want, got = cost(r, p, row), r["feature_row_seconds"][i]
        if (want is None) != (got is None) or want is not None and not near(want, got): print("a row from", p["name"], "costs", got, "not", want)
        want, got = cost(r, p, line), r["topology_line_seconds"][i]
        if p["kind"] != "ssd" and ((want is None) != (got is None) or want is not None and not near(want, got)):
            print("a line from", p["name"], "costs", got, "not", want)

# what each place serves
about = json.load(open(B + "/batches.json"))
levels = len(about["workload"]["fanout"]) + 1
reads = [0] * len(held)
for gpu in plan["gpus"]:
    r = next(r for r in said["readers"] if gpu["id"] in r["gpus"])
    order = sorted((c, i) for i, c in enumerate(r["feature_row_seconds"]) if c is not None)
    vertices, at = (npy("%s/gpu%d_%s.npy" % (B, gpu["id"], k)) for k in ("vertices", "vertices_at"))
    for b in range((len(at) - 1) // levels):
        for v in vertices[at[b * levels]:at[(b + 1) * levels]]:
            reads[next(i for _, i in order if v in held[i][1])] += 1
for p, count, w in zip(said["places"], reads, way["places"]):
    if not near(count / epochs, w["feature_reads"]): print(p["name"], "serves", count / epochs, "rows, stated", w["feature_reads"])
for w in said["ways"]:
    if not near(sum(p["seconds"] for p in w["places"]), w["simulated_seconds"]): print(w["way"], "has seconds of places that do not add up")
one, order, homes_only = (w["predicted_seconds"] for w in said["ways"])
if not said["bound_seconds"] <= one * (1 + 1e-9) <= order * (1 + 1e-6) + 1e-12 or not order <= homes_only * (1 + 1e-9):
    print("bound, one problem, tier by tier, homes only:", said["bound_seconds"], one, order, homes_only)
if said["above_bound"] > 0.01: print("one problem is", said["above_bound"], "above its bound")
for w in said["ways"]:
    if abs(w["prediction_error"]) > 0.1: print(w["way"], "is predicted", w["prediction_error"], "off")
