"""Recounts a storage plan from exported mini-batches. Prints one line per finding; nothing is well.

usage: storage.py P G B S

P, G: plan and graph directories; B: mini-batches that simulate --export-batches wrote for the same seed and epochs; S: storage directory.
Shares nothing with hotset but the files: places, blocks and an LRU cache are restated here.
"""
import bisect
import collections
import json
import os
import sys

from recount import mini_batches, npy, reached

P, G, B, S = sys.argv[1:5]
plan, storage, about = (json.load(open(os.path.join(d, f))) for d, f in ((P, "plan.json"), (S, "storage.json"), (B, "batches.json")))
graph = json.load(open(G + "/graph.json"))
row, block, epochs = graph["feature_dim"] * graph["feature_bytes"], storage["block_bytes"], about["epochs"]
n = graph["vertices"]
dram_f, dram_t = set(npy(S + "/host_feature.npy")), set(npy(S + "/host_topology.npy"))
disk = npy(S + "/disk_order.npy")
position = {v: i for i, v in enumerate(disk)}
indptr = npy(G + "/indptr.npy")
if sorted(disk) != list(range(n)):
    print("disk_order.npy is no order of all vertices")
held_bytes = 8 * (n + 1) + row * len(dram_f) + sum(4 * (indptr[v + 1] - indptr[v]) for v in dram_t)
if held_bytes > storage["host_memory_bytes"]:
    print("DRAM holds %d bytes of %d" % (held_bytes, storage["host_memory_bytes"]))


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
        total["heat"] += len({k for v in ssd for k in blocks_of(position[v] * row, row)})
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


said = storage["simulated"]
f, t = said["feature"], said["topology"]
for what, own, theirs in (("rows", total["rows"], f["rows"]), ("rows from DRAM", total["from_dram"], f["from_dram"]), ("rows from SSDs", total["from_ssd"], f["from_ssd"]),
                          ("blocks, by id", total["id"], f["blocks"]["id"]), ("blocks, by heat", total["heat"], f["blocks"]["heat"]),
                          ("visits", total["visits"], t["visits"]), ("visits in DRAM", total["visits_dram"], t["from_dram"]), ("visits on SSDs", total["visits_ssd"], t["from_ssd"]),
                          ("blocks of topology", total["topology_blocks"], t["blocks"])):
    if mean(own) != theirs:
        print("%s: %d recounted, %d stated" % (what, mean(own), theirs))

lru, room, misses, cache_blocks = collections.OrderedDict(), len(dram_f), 0, 0
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
for c in storage["caches"]:
    if c["cache"] == "lru" and (c["misses"] != misses or round(c["blocks_per_epoch"] * epochs) != cache_blocks):
        print("lru: %d misses and %d blocks recounted, %d and %g stated" % (misses, cache_blocks, c["misses"], c["blocks_per_epoch"] * epochs))
if storage["caches"] and not any(c["cache"] == "lru" for c in storage["caches"]):
    print("lru is not there")
ssd = storage["ssd"]
if ssd:
    chosen = f["blocks"][storage["disk_order"]["chosen"]] + t["blocks"]
    rates = [x for x in (ssd["reads_per_second"], ssd["read_gbps"] and ssd["read_gbps"] * 1e9 / block) if x]
    if abs(said["ssd_seconds"] - said["blocks"] / min(rates)) > 1e-6 * said["ssd_seconds"] or abs(said["blocks"] - chosen) > 1:
        print("%g seconds for %g blocks" % (said["ssd_seconds"], said["blocks"]))
