"""Shared by the examples: features gathered through a plan, and a neighbour sampler in NumPy.

CPU tensors stand in for GPU memory. With GPUs, `device_of` returns "cuda:<id>", and peers are read from their GPUs.
"""
import json
import os
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore", message="The given NumPy array is not writable")  # mapped files are only read


class Graph:
    """A graph directory: rows in sampling direction; row v lists the vertices that v draws from."""

    def __init__(self, path):
        with open(os.path.join(path, "graph.json")) as f:
            about = json.load(f)
        self.vertices, self.edges, self.fingerprint = about["vertices"], about["edges"], about.get("fingerprint")
        self.indptr = np.load(os.path.join(path, "indptr.npy"), mmap_mode="r")
        self.indices = np.load(os.path.join(path, "indices.npy"), mmap_mode="r")

    def draw(self, vertices, fanout, rng):
        """Draws up to fanout neighbours of each vertex, without replacement. Returns per draw the vertex's position in the list, and the neighbour."""
        rows, drawn = [], []
        for i, v in enumerate(vertices):
            row = self.indices[self.indptr[v]:self.indptr[v + 1]]
            picked = row if len(row) <= fanout else rng.choice(row, fanout, replace=False)
            rows.append(np.full(len(picked), i))
            drawn.append(picked)
        return np.concatenate(rows), np.concatenate(drawn).astype(np.int64)


class Cache:
    """The feature rows in the memories that the plan states."""

    def __init__(self, plan, features, device_of=lambda gpu: "cpu"):
        self.plan, self.host = plan, features
        # slot k of a GPU's memory is the row of feature_ids(gpu)[k], so one gather fills it
        self.memory = [features[torch.from_numpy(plan.feature_ids(gpu)).long()].to(device_of(gpu)) for gpu in plan.gpus]
        self.table = {gpu: plan.lookup(gpu, layout="dense") for gpu in plan.gpus}
        self.entries = {gpu: torch.from_numpy(t.entries).to(device_of(gpu)) for gpu, t in self.table.items()}
        self.counts = {"own": 0, "peer": 0, "host": 0}

    def gather(self, reader, ids):
        """The features of these vertices, read by GPU `reader` from its own memory, its peers and the host."""
        table, entry = self.table[reader], self.entries[reader][ids]
        memory, slot = entry >> table.slot_bits, (entry & table.slot_mask).long()
        out = torch.empty((len(ids), self.host.shape[1]), dtype=self.host.dtype)
        for m in memory.unique().tolist():
            here = memory == m
            out[here] = self.host[ids[here]] if m < 0 else self.memory[m][slot[here]]
            self.counts["host" if m < 0 else "own" if self.plan.gpus[m] == reader else "peer"] += int(here.sum())
        return out
