#!/usr/bin/env python3
"""DGL's layer-neighbour sampler beside hotset's on the same graph: distinct rows per mini-batch, and rows that a mini-batch shares with the one before.

usage: labor.py OURS G    OURS: build/tests/rivals/ours; G: a graph directory

Both draw full mini-batches of shuffled training vertices, all vertices found so far being expanded, as DGL's blocks are. An epoch's mean is one
observation, so that a standard error knows what mini-batches of an epoch share; a sampler per epoch makes epochs independent on DGL's side, too.
One line per case; exit status 1 where means differ by more than three standard errors. Random numbers differ, so only means can agree.
"""
import json
import math
import statistics
import subprocess
import sys

import dgl
import numpy as np
import torch

# batch, fan-outs (hop by hop), importance iterations (-1: until they converge), kappa, layer dependency, epochs
CASES = [(256, (5, 3), 0, 1, False, 24), (256, (5, 3), 1, 1, False, 24), (256, (5, 3), 3, 1, False, 16), (256, (5, 3), -1, 1, False, 16),
         (256, (5, 3), 0, 1, True, 24), (256, (5, 3), 0, 4, False, 24), (256, (5, 3), 0, 64, False, 48), (64, (10,), 0, 2, False, 24),
         (64, (10,), 1, 16, True, 24)]


def ours(program, folder, case):
    batch, fanouts, iterations, kappa, layers, epochs = case
    spec = ",".join(map(str, (batch, iterations, kappa, int(layers), epochs, *fanouts)))
    return json.loads(subprocess.run([program, "labor", folder, spec], check=True, capture_output=True, text=True).stdout)


def theirs(graph, train, case):
    batch, fanouts, iterations, kappa, layers, epochs = case
    rng, found = np.random.default_rng(5), {"rows": [], "shared": []}
    for _ in range(epochs):
        sampler = dgl.dataloading.LaborSampler(list(reversed(fanouts)), importance_sampling=iterations, layer_dependency=layers, batch_dependency=kappa)
        order, rows, shared, before = rng.permutation(train), [], [], None
        for i in range(0, len(order) - batch + 1, batch):
            now = sampler.sample_blocks(graph, torch.from_numpy(order[i:i + batch]))[0].numpy()
            rows.append(len(now))
            if before is not None:
                shared.append(len(np.intersect1d(now, before, assume_unique=True)))
            before = now
        found["rows"].append(statistics.mean(rows))
        found["shared"].append(statistics.mean(shared))
    return found


def main():
    program, folder = sys.argv[1:]
    indptr, indices, train = (np.load(f"{folder}/{name}.npy").astype(np.int64) for name in ("indptr", "indices", "train"))
    graph = dgl.graph(("csc", (torch.from_numpy(indptr), torch.from_numpy(indices), torch.tensor([], dtype=torch.int64))))
    torch.manual_seed(1)
    dgl.seed(1)
    wrong = 0
    for case in CASES:
        a, b = ours(program, folder, case), theirs(graph, train, case)
        for what in ("rows", "shared"):
            x, y = (statistics.mean(side[what]) for side in (a, b))
            error = math.sqrt(sum(statistics.variance(side[what]) / len(side[what]) for side in (a, b)))
            apart = (x - y) / error
            wrong += abs(apart) > 3
            print(f"batch {case[0]} fan-outs {case[1]} iterations {case[2]} kappa {case[3]} layers {case[4]} {what}: hotset {x:.2f} DGL {y:.2f} ({apart:+.1f} standard errors)", flush=True)
    sys.exit(wrong > 0)


main()
