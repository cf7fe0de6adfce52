"""Recounts what the memories of one server serve, from mini-batches that the plan of its GPUs draws. Prints findings; nothing is well.

usage: tiers.py D G B

D: a plan of one node with memories below its GPUs; G: graph; B: mini-batches that 'simulate D --export-batches' wrote for the seed and epochs
that plan.json states. Shares nothing with hotset but the files. Costs are those of the server hand.json that tiers.sh writes:
four GPUs in cliques of two, one clique below one switch per socket, 12 GB/s per switch, 40 GB/s per NVLink, 4 GB/s between sockets.
"""
import json
import math
import sys

from recount import npy


def near(a, b, tolerance=1e-5):
    return abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-12)


D, G, B = sys.argv[1:4]
plan, graph = (json.load(open(p)) for p in (D + "/plan.json", G + "/graph.json"))
said, counted = plan["memories"], plan["simulated"]
n, row, line, epochs = graph["vertices"], graph["feature_dim"] * graph["feature_bytes"], 64, counted["epochs"]
indptr = npy(G + "/indptr.npy")
list_bytes = [8 + 4 * (indptr[v + 1] - indptr[v]) for v in range(n)]

# what each place holds, from the files
cliques = [([g for g in plan["gpus"] if g["id"] in pair]) for pair in ((0, 1), (2, 3))]
held = []
for gpus in cliques:
    files = [[npy("%s/gpu%d_%s.npy" % (D, g["id"], k)) for g in gpus] for k in ("topology", "feature")]
    for g, t, f in zip(gpus, *files):
        if sum(list_bytes[v] for v in t) + row * len(f) > g["budget_bytes"]: print("GPU %d holds more than its budget" % g["id"])
    for lists in files:
        if len(set().union(*map(set, lists))) != sum(map(len, lists)): print("the clique of GPU %d holds a row twice" % gpus[0]["id"])
    held.append([set().union(*map(set, lists)) for lists in files])
below = []
for p in said["places"]:
    lists = [set(npy("%s/%s" % (D, p[k]["file"]))) for k in ("topology", "feature")] if p["kind"] == "dram" else [set(), set()]
    used = sum(list_bytes[v] for v in lists[0]) + row * len(lists[1])
    if p["kind"] == "dram" and [len(x) for x in lists] != [p[k]["count"] for k in ("topology", "feature")]: print(p["name"], "has other lists")
    if p["kind"] == "dram" and used > p["capacity_bytes"]: print(p["name"], "is too full")
    below.append(lists)
for k, name in enumerate(("list", "row")):
    lost = set(range(n)) - set().union(*(h[k] for h in below))
    if said["ssd"] is None and lost: print("%d %ss without a home" % (len(lost), name))
    if said["ssd"]: below[-1][k] = set(range(n))


# what a read costs, by hand
def cost(reader, place, size):
    if place["kind"] == "ssd":
        block = said["ssd"]["block_bytes"]
        blocks = 1 + (row - math.gcd(row, block)) / block
        return 4 * blocks * max(1 / said["ssd"]["reads_per_second"], block / (said["ssd"]["read_gbps"] * 1e9))
    return size / 6e9 if place["socket"] == reader["socket"] else size / 2e9


for r in said["readers"]:
    for i, p in enumerate(said["places"]):
        want, got = cost(r, p, row), r["feature_row_seconds"][i]
        if not near(want, got): print("a row from", p["name"], "costs", got, "not", want)
        want, got = cost(r, p, line), r["topology_line_seconds"][i]
        if p["kind"] != "ssd" and not near(want, got): print("a line from", p["name"], "costs", got, "not", want)

# what each place serves
about = json.load(open(B + "/batches.json"))
levels = len(about["workload"]["fanout"]) + 1
reads, of_gpus = [0] * len(below), 0
for gpu in plan["gpus"]:
    r = next(r for r in said["readers"] if gpu["id"] in r["gpus"])
    order = [i for _, i in sorted((c, i) for i, c in enumerate(r["feature_row_seconds"]))]
    own = held[next(k for k, gpus in enumerate(cliques) if gpu in gpus)][1]
    vertices, at = (npy("%s/gpu%d_%s.npy" % (B, gpu["id"], k)) for k in ("vertices", "vertices_at"))
    for b in range((len(at) - 1) // levels):
        for v in vertices[at[b * levels]:at[(b + 1) * levels]]:
            if v in own: of_gpus += 1
            else: reads[next(i for i in order if v in below[i][1])] += 1
for p, count, w in zip(said["places"], reads, counted["memories"]["places"]):
    if (2 * count + epochs) // (2 * epochs) != w["feature_rows"]: print(p["name"], "serves", count / epochs, "rows, stated", w["feature_rows"])
stated = sum(g["feature_rows"][k] for g in counted["gpus"] for k in ("local", "peer"))
if of_gpus != stated: print("GPUs serve", of_gpus, "rows, stated", stated)
if not near(sum(p["seconds"] for p in counted["memories"]["places"]), counted["memories"]["seconds"]): print("seconds of places do not add up")
one, order = said["predicted_seconds"], said["tier_by_tier_seconds"]
if not said["bound_seconds"] <= one * (1 + 1e-9) <= order * (1 + 1e-6) + 1e-12: print("bound, one problem, tier by tier:", said["bound_seconds"], one, order)
if said["above_bound"] > 0.01: print("one problem is", said["above_bound"], "above its bound")
if abs(counted["prediction_error"]) > 0.1: print("transactions are predicted", counted["prediction_error"], "off")
if not 0.9 * counted["memories"]["seconds"] < one: print("reads are expected to take", one, "but those below the GPUs alone take", counted["memories"]["seconds"])
