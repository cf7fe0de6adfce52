"""Recounts a layout of rows on sockets from exported mini-batches. Prints one line per finding; nothing is well.

usage: sockets.py P G B S

P, G: plan and graph directories; B: mini-batches that simulate --export-batches wrote for the same seed and epochs; S: sockets directory.
Shares nothing with hotset but the files: lines, draws and who serves whom are restated here.
"""
import json
import os
import sys

from recount import mini_batches, npy, reached

P, G, B, S = sys.argv[1:5]
plan, said, about = (json.load(open(os.path.join(d, f))) for d, f in ((P, "plan.json"), (S, "sockets.json"), (B, "batches.json")))
graph = json.load(open(G + "/graph.json"))
row, line, epochs, n = graph["feature_dim"] * graph["feature_bytes"], said["cls"], about["epochs"], graph["vertices"]
indptr, fanout = npy(G + "/indptr.npy"), about["workload"]["fanout"]
numbers = [s["socket"] for s in said["sockets"]]
holds = {k: [set(npy("%s/socket%d_%s.npy" % (S, s, k))) for s in numbers] for k in ("feature", "topology")}
way = next(w for w in said["ways"] if w["way"] == said["chosen"])
for s, number in enumerate(numbers):
    used = row * len(holds["feature"][s]) + sum(8 + 4 * (indptr[v + 1] - indptr[v]) for v in holds["topology"][s])
    if used != way["held_bytes"][s] or used > said["sockets"][s]["capacity_bytes"]:
        print("socket %d holds %d bytes, stated %d" % (number, used, way["held_bytes"][s]))
for k in holds:
    if set().union(*holds[k]) != set(range(n)):
        print("a row of %s has no home" % k)


def lines(at, length):
    return range(at // line, (at + length - 1) // line + 1)


read = crossing = 0
for gpu in plan["gpus"]:
    own = next(i for i, s in enumerate(said["sockets"]) if gpu["id"] in s["gpus"])
    near_f, near_t = reached(P, gpu, "feature"), reached(P, gpu, "topology")
    a = mini_batches(B, gpu)
    levels, hops = len(fanout) + 1, len(fanout)
    for b in range((len(a["vertices_at"]) - 1) // levels):
        for v in a["vertices"][a["vertices_at"][b * levels]:a["vertices_at"][(b + 1) * levels]]:
            if v not in near_f:
                bytes_ = line * len(lines(v * row, row))
                read += bytes_
                crossing += 0 if v in holds["feature"][own] else bytes_
        for h in range(hops):
            at = a["edges_at"][b * hops + h]
            for v in a["expanded"][a["expanded_at"][b * hops + h]:a["expanded_at"][b * hops + h + 1]]:
                drawn = min(fanout[h], indptr[v + 1] - indptr[v])
                edges, at = a["edges"][at:at + drawn], at + drawn
                if v not in near_t:
                    bytes_ = line * (len(lines(8 * v, 16)) + len({4 * e // line for e in edges}))
                    read += bytes_
                    crossing += 0 if v in holds["topology"][own] else bytes_
for what, mine, theirs in (("read", read, way["simulated"]["host_bytes"]), ("between sockets", crossing, way["simulated"]["crossing_bytes"])):
    if (mine + epochs // 2) // epochs != theirs:
        print("bytes %s: %d recounted, %d stated" % (what, (mine + epochs // 2) // epochs, theirs))
