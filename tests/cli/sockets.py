"""Recounts a layout of rows on sockets from exported mini-batches. Prints one line per finding; nothing is well.

usage: sockets.py P G B R

P, G: a plan with the DRAM of two sockets, and its graph; B, R: mini-batches that simulate --export-batches wrote, and what simulate --json said of the
same seed and epochs.
Shares nothing with hotset but the files: lines, draws and who serves whom are restated here.
"""
import json
import sys

from recount import mini_batches, npy, reached

P, G, B, R = sys.argv[1:5]
plan, said, about = (json.load(open(f)) for f in (P + "/plan.json", R, B + "/batches.json"))
graph = json.load(open(G + "/graph.json"))
row, line, epochs, n = graph["feature_dim"] * graph["feature_bytes"], 64, about["epochs"], graph["vertices"]
indptr, fanout = npy(G + "/indptr.npy"), about["workload"]["fanout"]
places, readers = plan["memories"]["places"], plan["memories"]["readers"]
counted = said["rows"][0]["simulated"]["memories"]["places"]
holds = {k: [set(npy("%s/dram%d_%s.npy" % (P, p["socket"], k))) for p in places] for k in ("feature", "topology")}
for s, p in enumerate(places):
    used = row * len(holds["feature"][s]) + sum(8 + 4 * (indptr[v + 1] - indptr[v]) for v in holds["topology"][s])
    if used != p["feature"]["bytes"] + p["topology"]["bytes"] or used > p["capacity_bytes"]:
        print("%s holds %d bytes" % (p["name"], used))
for k in holds:
    if set().union(*holds[k]) != set(range(n)):
        print("a row of %s has no home" % k)


def lines(at, length):
    return range(at // line, (at + length - 1) // line + 1)


read = crossing = 0
for gpu in plan["gpus"]:
    socket = next(x["socket"] for x in readers if gpu["id"] in x["gpus"])
    own = next(i for i, p in enumerate(places) if p["socket"] == socket)
    near_f, near_t = reached(P, gpu, "feature"), reached(P, gpu, "topology")
    a = mini_batches(B, gpu)
    levels, hops = len(fanout) + 1, len(fanout)
    for b in range((len(a["vertices_at"]) - 1) // levels):
        for v in a["vertices"][a["vertices_at"][b * levels]:a["vertices_at"][(b + 1) * levels]]:
            if v not in near_f:
                touched = len(lines(v * row, row))
                read += touched
                crossing += 0 if v in holds["feature"][own] else touched
        for h in range(hops):
            at = a["edges_at"][b * hops + h]
            for v in a["expanded"][a["expanded_at"][b * hops + h]:a["expanded_at"][b * hops + h + 1]]:
                drawn = min(fanout[h], indptr[v + 1] - indptr[v])
                edges, at = a["edges"][at:at + drawn], at + drawn
                if v not in near_t:
                    touched = len(lines(8 * v, 16)) + len({4 * e // line for e in edges})
                    read += touched
                    crossing += 0 if v in holds["topology"][own] else touched
for what, mine, theirs in (("read", read, sum(p["feature_lines"] + p["topology_lines"] for p in counted)),
                           ("between sockets", crossing, sum(p["other_socket_lines"] for p in counted))):
    if abs(mine / epochs - theirs) > 2 + len(places):  # every place rounds its own
        print("lines %s: %g recounted, %d stated" % (what, mine / epochs, theirs))
