#!/usr/bin/env python3
"""GraphBolt's CPU sampler (DGL) on the same graph, mini-batches and fan-outs as `hotset bench --only sample`.

usage: graphbolt_sample.py G [--threads T] [--epochs E] [--workers]

Ids are 32 bits wide, its fastest form. Per mini-batch, as its NeighborSampler does: sample_neighbors and unique_and_compact per hop, all
vertices found so far are expanded. --workers: T processes share the mini-batches, one thread each, as a loader's workers do; else T threads work
inside each call. Prints one JSON object: seconds of an epoch of all that (whole) and of sample_neighbors alone (kernel), and draws.
"""
import argparse
import json
import os
import time

import numpy as np
import torch
import dgl.graphbolt as gb

now = time.process_time if os.environ.get("RIVALS_CLOCK") == "cpu" else time.perf_counter
BATCH, FANOUTS = 8000, (25, 10)


def sample(graph, batches):
    """(seconds, seconds in sample_neighbors, draws, distinct vertices)"""
    kernel = draws = distinct = 0
    began = now()
    for seeds in batches:
        for fanout in FANOUTS:
            before = now()
            drawn = graph._sample_neighbors(seeds, torch.tensor([fanout]), False)
            kernel += now() - before
            draws += drawn.indices.numel()
            seeds, _ = gb.unique_and_compact_csc_formats(gb.CSCFormatBase(indptr=drawn.indptr, indices=drawn.indices), seeds)
        distinct += seeds.numel()
    return now() - began, kernel, draws, distinct


def share_out(graph, batches, workers):
    """The same by forked processes, each with every workers-th mini-batch; they begin together."""
    pipes, starts = [], []
    for w in range(workers):
        result, begin = os.pipe(), os.pipe()
        if not os.fork():
            sample(graph, batches[w::workers][:2])
            os.write(result[1], b"ready\n")
            os.read(begin[0], 1)
            os.write(result[1], json.dumps(sample(graph, batches[w::workers])).encode() + b"\n")
            os._exit(0)
        os.close(result[1])
        pipes.append(os.fdopen(result[0]))
        starts.append(begin[1])
    for p in pipes:
        p.readline()
    began = now()
    for s in starts:
        os.write(s, b"x")
    parts = [json.loads(p.readline()) for p in pipes]
    taken = now() - began
    for _ in parts:
        os.wait()
    return taken, max(p[1] for p in parts), sum(p[2] for p in parts), sum(p[3] for p in parts)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("graph")
    args.add_argument("--threads", type=int, default=1)
    args.add_argument("--epochs", type=int, default=1)
    args.add_argument("--workers", action="store_true")
    args = args.parse_args()
    torch.set_num_threads(1 if args.workers else args.threads)
    indptr, indices, train = (np.load(f"{args.graph}/{name}.npy") for name in ("indptr", "indices", "train"))
    graph = gb.fused_csc_sampling_graph(torch.from_numpy(indptr), torch.from_numpy(indices.view(np.int32)))
    rng, batches = np.random.default_rng(1), []
    for _ in range(args.epochs):
        order = rng.permutation(train).astype(np.int32)
        batches += [torch.from_numpy(order[i:i + BATCH]) for i in range(0, len(order), BATCH)]
    if args.workers and args.threads > 1:
        whole, kernel, draws, distinct = share_out(graph, batches, args.threads)
    else:
        sample(graph, batches[:3])
        whole, kernel, draws, distinct = sample(graph, batches)
    print(json.dumps({"whole": whole / args.epochs, "kernel": kernel / args.epochs, "draws": draws / args.epochs, "batches": len(batches), "distinct": distinct / args.epochs}))


main()
