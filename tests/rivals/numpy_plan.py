#!/usr/bin/env python3
"""A cache plan for one GPU as one would write it with NumPy and SciPy: the rival of `hotset plan`.

usage: numpy_plan.py G [--only STAGE,..] [--runs N]

G is a graph directory (indptr.npy, indices.npy, train.npy). Stages: pre-sampling (mini-batches of 8000, fan-outs 25,10, without replacement,
4 epochs, every hop expands all vertices found so far), PageRank (20 iterations), weighted reverse PageRank (5), orders, prefix sums, a sweep of
101 alphas. Prints one JSON object: seconds per stage (the fastest of N runs of each), draws and the peak resident size in bytes.
"""
import argparse
import json
import os
import resource
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np
from scipy import sparse

now = time.process_time if os.environ.get("RIVALS_CLOCK") == "cpu" else time.perf_counter
BATCH, FANOUTS, EPOCHS, LINE, ROW_BYTES = 8000, (25, 10), 4, 64, 512


def draw_distinct(rng, degree, fanout):
    """[fanout, len(degree)] distinct positions below each degree (> fanout): Floyd's algorithm, all vertices at a time."""
    picks = np.empty((fanout, len(degree)), np.int32)
    for j in range(fanout):
        last = degree - (fanout - j)
        pick = (rng.random(len(degree), np.float32) * (last + 1)).astype(np.int32)
        np.minimum(pick, last, out=pick)
        taken = np.zeros(len(degree), bool)
        for i in range(j):
            taken |= picks[i] == pick
        picks[j] = np.where(taken, last, pick)
    return picks


def neighbours(rng, indptr, indices, frontier, fanout):
    start = indptr[frontier]
    degree = (indptr[frontier + 1] - start).astype(np.int32)
    many = degree > fanout
    few_start, few = start[~many], degree[~many]
    ends = np.cumsum(few)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(few_start - (ends - few), few)
    drawn = (start[many] + draw_distinct(rng, degree[many], fanout)).ravel()
    return np.concatenate((indices[places], indices[drawn]))


def presample(g):
    n, rng = g["n"], np.random.default_rng(1)
    feature, seen, draws = np.zeros(n, np.int32), np.zeros(n, bool), 0
    visits = [np.zeros(n, np.int32) for _ in FANOUTS]
    for _ in range(EPOCHS):
        order = rng.permutation(g["train"])
        for first in range(0, len(order), BATCH):
            found = order[first:first + BATCH]
            seen[found] = True
            for hop, fanout in enumerate(FANOUTS):
                visits[hop][found] += 1
                drawn = neighbours(rng, g["indptr"], g["indices"], found, fanout)
                draws += len(drawn)
                seen[drawn] = True
                found = np.flatnonzero(seen)  # np.unique would sort
            feature[found] += 1
            seen[found] = False
    degree = np.diff(g["indptr"]).astype(np.int32)
    topology = sum(v.astype(np.int64) * np.minimum(degree, f) for v, f in zip(visits, FANOUTS))
    g.update(feature=feature, topology=topology, draws=draws, degree=degree)


def build_matrix(g):
    ones = np.ones(len(g["indices"]), np.float32)
    g["matrix"] = sparse.csr_matrix((ones, g["indices"], g["indptr"].astype(np.int32)), shape=(g["n"], g["n"]), copy=False).T  # pushes: no second copy


def pagerank(g, rank, rounds):
    scale = np.float32(1) / np.maximum(g["degree"], 1).astype(np.float32)
    for _ in range(rounds):
        rank = g["matrix"] @ (rank * scale)
        rank *= np.float32(0.85)
        rank += np.float32(0.15 / g["n"])
    return rank


def plain_pagerank(g):
    g["rank"] = pagerank(g, np.full(g["n"], 1 / g["n"], np.float32), 20)


def weighted_pagerank(g):
    start = np.full(g["n"], 1 / g["n"], np.float32)
    start[g["train"]] = 1 / len(g["train"])
    g["weighted"] = pagerank(g, start, 5)


def order_pagerank(g):
    g["by_rank"] = np.argsort(-g["rank"])


def order_hotness(g):
    g["order"] = np.argsort(-g["feature"], kind="stable")
    g["order_topology"] = np.argsort(-g["topology"], kind="stable")


def prefix_sums(g):
    size = 4 * g["degree"].astype(np.int64) + 8
    g["size_sums"] = np.cumsum(size[g["order_topology"]])
    g["topology_sums"] = np.cumsum(g["topology"][g["order_topology"]])
    g["feature_sums"] = np.cumsum(g["feature"][g["order"]], dtype=np.int64)


def alpha_sweep(g):
    n, sizes, hot, rows = g["n"], g["size_sums"], g["topology_sums"], g["feature_sums"]
    budget = int(sizes[-1] + n * ROW_BYTES) // 20
    for_topology = np.arange(101) * budget // 100
    k = np.searchsorted(sizes, for_topology, side="right")
    held = np.minimum((budget - for_topology) // ROW_BYTES, n)
    topology = hot[-1] - np.where(k > 0, hot[k - 1], 0)
    feature = (rows[-1] - np.where(held > 0, rows[held - 1], 0)) * (ROW_BYTES // LINE)
    g["alpha"] = int(np.argmin(topology + feature)) / 100


STAGES = {f.__name__: f for f in (presample, build_matrix, plain_pagerank, order_pagerank, weighted_pagerank, order_hotness, prefix_sums, alpha_sweep)}
NAMES = {"plain_pagerank": "pagerank"}


def main():
    args = argparse.ArgumentParser()
    args.add_argument("graph")
    args.add_argument("--only")
    args.add_argument("--runs", type=int, default=1)
    args = args.parse_args()
    began = now()
    g = {name: np.load(f"{args.graph}/{name}.npy") for name in ("indptr", "indices", "train")}
    g["indices"] = g["indices"].view(np.int32)
    g["train"] = g["train"].view(np.int32)
    g["n"] = len(g["indptr"]) - 1
    out = {"load": now() - began}
    for name, stage in STAGES.items():
        if args.only and name not in args.only.split(","):
            continue
        best = None
        for _ in range(args.runs):
            began = now()
            stage(g)
            taken = now() - began
            best = taken if best is None else min(best, taken)
        out[NAMES.get(name, name)] = best
    out.update(draws=g.get("draws"), alpha=g.get("alpha"), peak_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    print(json.dumps(out))


main()
