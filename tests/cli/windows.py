#!/usr/bin/env python3
"""windows.py GRAPH TRACE backward|forward [WINDOW]: grows the tree of every training vertex, two hops of all arcs whose
time lies on that side of the seed's time and at most WINDOW away, and compares what the trace counts: rows read in
mini-batches of one seed, and visits per hop. Shares no code with hotset."""
import json
import struct
import sys


def load(path):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    kind = {"<i8": "q", "<u4": "I", "<u2": "H", "|u1": "B"}[eval(data[10:10 + size])["descr"]]
    return memoryview(data[10 + size:]).cast(kind).tolist()


graph, trace, direction = sys.argv[1:4]
unit = json.load(open(graph + "/graph.json")).get("time_unit", 1)
window = round(float(sys.argv[4]) / unit) if len(sys.argv) > 4 else None
indptr, indices, times, seeds = (load("%s/%s.npy" % (graph, f)) for f in ("indptr", "indices", "edge_times", "vertex_times"))
n = len(indptr) - 1
feature, visits = [0] * n, [[0] * n, [0] * n]
for seed in load(graph + "/train.npy"):
    known, level = {seed}, {seed}
    for hop in range(2):
        found = set()
        for v in level:
            visits[hop][v] += 1
            for e in range(indptr[v], indptr[v + 1]):
                away = times[e] - seeds[seed] if direction == "forward" else seeds[seed] - times[e]
                if away >= 0 and (window is None or away <= window):
                    found.add(indices[e])
        level = found - known
        known |= found
    for v in known:
        feature[v] += 1
if load(trace + "/hotness_feature.npy") != feature or load(trace + "/visits.npy") != visits[0] + visits[1]:
    sys.exit("# counts %s %s, expected %s %s" % (load(trace + "/hotness_feature.npy"), load(trace + "/visits.npy"), feature, visits))
