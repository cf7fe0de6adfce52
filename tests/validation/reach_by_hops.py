#!/usr/bin/env python3
"""How much of a graph lies within so many hops of random seeds, beside published shares. Needs numpy.

usage: reach_by_hops.py G PUBLISHED.csv DATASET. The file has columns seed_percent, dataset, hop, reached_percent_of_vertices. Rows of G
are followed as they are stored, as sampling does. Median of three draws of seeds.
"""
import csv
import sys

import numpy as np

HOPS = 4


def reach(indptr, indices, share, draw):
    """Percent of the vertices within 0..HOPS hops of `share` percent of them."""
    n = len(indptr) - 1
    front = np.random.default_rng(draw).choice(n, max(1, round(n * share / 100)), replace=False)
    seen = np.zeros(n, bool)
    seen[front] = True
    found = [100 * seen.sum() / n]
    for _ in range(HOPS):
        first, length = indptr[front], indptr[front + 1] - indptr[front]
        start = np.cumsum(length) - length
        near = indices[np.repeat(first - start, length) + np.arange(length.sum())]
        front = np.unique(near[~seen[near]])
        seen[front] = True
        found.append(100 * seen.sum() / n)
    return found


graph, published, dataset = sys.argv[1:]
indptr = np.load(graph + "/indptr.npy").astype(np.int64)
indices = np.load(graph + "/indices.npy", mmap_mode="r")
want = {}
for row in csv.DictReader(open(published)):
    if row["dataset"] == dataset:
        want.setdefault(float(row["seed_percent"]), {})[int(row["hop"])] = float(row["reached_percent_of_vertices"])
print("| seeds |" + "".join(" %d hop%s |" % (h, "s" * (h > 1)) for h in range(1, HOPS + 1)))
print("|---" * (HOPS + 1) + "|")
for share in sorted(want):
    ours = np.median([reach(indptr, indices, share, draw) for draw in range(3)], axis=0)
    print("| %g %% |" % share + "".join(" %.2f / %s |" % (ours[h], want[share].get(h, "-")) for h in range(1, HOPS + 1)))
