"""Recounts what SSDs are read for from exported mini-batches. Prints one line per finding; nothing is well.

usage: storage.py P G B R

P, G: a plan with SSDs, and its graph; B, R: mini-batches that simulate --export-batches wrote, and what simulate --cache --json said of the same seed
and epochs. Shares nothing with hotset but the files: places, blocks and an LRU cache are restated here.
"""
import bisect
import collections
import json
import sys

from recount import mini_batches, npy, reached

P, G, B, R = sys.argv[1:5]
plan, answer, about = (json.load(open(f)) for f in (P + "/plan.json", R, B + "/batches.json"))
below, said = plan["memories"], answer["rows"][0]["simulated"]["memories"]
graph = json.load(open(G + "/graph.json"))
row, block, epochs = graph["feature_dim"] * graph["feature_bytes"], below["ssd"]["block_bytes"], about["epochs"]
n = graph["vertices"]
dram = [p for p in below["places"] if p["kind"] == "dram"]
dram_f, dram_t = (set().union(*(npy("%s/%s" % (P, p[k]["file"])) for p in dram)) for k in ("feature", "topology"))
indptr = npy(G + "/indptr.npy")
for p in dram:
    held = row * p["feature"]["count"] + sum(8 + 4 * (indptr[v + 1] - indptr[v]) for v in npy("%s/%s" % (P, p["topology"]["file"])))
    if held > p["capacity_bytes"]:
        print("%s holds %d bytes of %d" % (p["name"], held, p["capacity_bytes"]))


def blocks_of(at, length):
    return range(at // block, (at + length - 1) // block + 1)


total = collections.Counter()
requests = {}  # (epoch, number, reader): rows that no GPU holds
for reader, gpu in enumerate(plan["gpus"]):
    near_f, near_t = reached(P, gpu, "feature"), reached(P, gpu, "topology")
    a = mini_batches(B, gpu)
    levels = len(about["workload"]["fanout"]) + 1
    batches = (len(a["vertices_at"]) - 1) // levels
    for b in range(batches):
        vertices = a["vertices"][a["vertices_at"][b * levels]:a["vertices_at"][(b + 1) * levels]]
        host = [v for v in vertices if v not in near_f]
        requests[(b // (batches // epochs), b % (batches // epochs), reader)] = host
        ssd = [v for v in host if v not in dram_f]
        total["rows"] += len(vertices)
        total["from_dram"] += len(host) - len(ssd)
        total["from_ssd"] += len(ssd)
        total["id"] += len({k for v in ssd for k in blocks_of(v * row, row)})
        hops = levels - 1
        visited = a["expanded"][a["expanded_at"][b * hops]:a["expanded_at"][(b + 1) * hops]]
        edges = a["edges"][a["edges_at"][b * hops]:a["edges_at"][(b + 1) * hops]]
        total["visits"] += len(visited)
        total["visits_dram"] += sum(v not in near_t and v in dram_t for v in visited)
        total["visits_ssd"] += sum(v not in near_t and v not in dram_t for v in visited)
        from_ssd = {v for v in visited if v not in near_t and v not in dram_t}
        spans = sorted((indptr[v], indptr[v + 1]) for v in from_ssd)
        starts = [s for s, _ in spans]
        touched = set()
        for e in edges:
            i = bisect.bisect_right(starts, e) - 1
            if i >= 0 and e < spans[i][1]:
                touched.add(4 * e // block)
        total["topology_blocks"] += len(touched)


def mean(x):
    return (x + epochs // 2) // epochs


by_kind = lambda kind, key: sum(p[key] for p in said["places"] if p["kind"] == kind)
for what, own, theirs in (("rows from DRAM", total["from_dram"], by_kind("dram", "feature_rows")), ("rows from SSDs", total["from_ssd"], by_kind("ssd", "feature_rows")),
                          ("visits in DRAM", total["visits_dram"], by_kind("dram", "topology_visits")), ("visits on SSDs", total["visits_ssd"], by_kind("ssd", "topology_visits")),
                          ("blocks", total["id"] + total["topology_blocks"], said["ssd"]["blocks"])):
    if abs(own / epochs - theirs) > len(dram):  # every place rounds its own
        print("%s: %g recounted, %g stated" % (what, own / epochs, theirs))

lru, room, misses, cache_blocks = collections.OrderedDict(), sum(p["feature"]["count"] for p in dram), 0, 0
for key in sorted(requests):
    missed = []
    for v in requests[key]:
        if v in lru:
            lru.move_to_end(v)
        else:
            missed.append(v)
    misses += len(missed)
    cache_blocks += len({k for v in missed for k in blocks_of(v * row, row)})
    for v in missed:
        if room and len(lru) == room:
            lru.popitem(last=False)
        if room:
            lru[v] = None
for c in said.get("caches", []):
    if c["cache"] == "lru" and (c["misses"] != misses or round(c["blocks_per_epoch"] * epochs) != cache_blocks):
        print("lru: %d misses and %d blocks recounted, %d and %g stated" % (misses, cache_blocks, c["misses"], c["blocks_per_epoch"] * epochs))
if said.get("caches") and not any(c["cache"] == "lru" for c in said["caches"]):
    print("lru is not there")
ssd = below["ssd"]
rates = [x for x in (ssd["reads_per_second"], ssd["read_gbps"] and ssd["read_gbps"] * 1e9 / block) if x]
if abs(said["ssd"]["seconds"] - said["ssd"]["blocks"] / min(rates)) > 1e-6 * said["ssd"]["seconds"]:
    print("%g seconds for %g blocks" % (said["ssd"]["seconds"], said["ssd"]["blocks"]))
