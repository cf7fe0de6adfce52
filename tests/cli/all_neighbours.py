#!/usr/bin/env python3
"""all_neighbours.py GRAPH TRACE: recounts a trace of one GPU whose mini-batches are one seed each and whose fan-outs are
all -1, by a breadth-first search from every training vertex. Shares no code with hotset."""
import json
import struct
import sys


def load(path):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    kind = {"<i8": "q", "<u4": "I", "<u2": "H", "|u1": "B"}[eval(data[10:10 + size])["descr"]]
    return memoryview(data[10 + size:]).cast(kind).tolist()


graph, trace = sys.argv[1:3]
about = json.load(open(trace + "/trace.json"))
indptr, indices = load(graph + "/indptr.npy"), load(graph + "/indices.npy")
n, hops, rule = len(indptr) - 1, len(about["fanout"]), about["frontier"]
assert about["batch"] == 1 and set(about["fanout"]) == {-1} and len(about["gpus"]) == 1
feature, visits = [0] * n, [[0] * n for _ in range(hops)]
for seed in load(graph + "/train.npy"):
    known, level = {seed}, {seed}
    feature[seed] += 1
    for hop in range(hops):
        found = set()
        for v in known if rule == "all" else level:
            visits[hop][v] += 1
            found.update(indices[indptr[v]:indptr[v + 1]])
        level = found if rule == "layers" else found - known
        known = known | found
        for v in level:
            feature[v] += 1
wanted = [about["epochs"] * x for x in feature], [about["epochs"] * x for hop in visits for x in hop]
for name, these in zip(("hotness_feature", "visits"), wanted):
    if load("%s/%s.npy" % (trace, name)) != these:
        sys.exit("# %s.npy differs from the search" % name)
