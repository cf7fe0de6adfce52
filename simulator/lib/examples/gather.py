"""Shared by the examples: features gathered through a plan, and a neighbour sampler in NumPy.

CPU tensors stand in for GPU memory. With GPUs, `device_of` returns "cuda:<id>", and peers are read from their GPUs.
"""
import json
import os
import warnings

import numpy as np
import torch

import hotset

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
    """The feature rows in the memories that the plan states, read as GPU `reader` reads them.

    With memories on the CPU one call of Python's hotset gathers a batch. On GPUs torch does, place by place: everything that picks rows out of a tensor lies on
    that tensor's device. (A runtime of its own would call hotset_cuda_gather of hotset_cuda.h: one launch.)
    """

    def __init__(self, plan, features, device_of=lambda gpu: "cpu", one_call=True):
        self.plan, self.host = plan, features
        # slot k of a GPU's memory is the row of feature_ids(gpu)[k]: filling is one gather in that order
        self.memory = {gpu: rows.to(device_of(gpu)) for gpu, rows in hotset.fill(plan, features).items()}
        self.readers, self.table = None, {gpu: plan.lookup(gpu, layout="dense") for gpu in plan.gpus}
        if one_call and all(rows.device.type == "cpu" for rows in self.memory.values()):
            self.readers = {gpu: hotset.PlannedRows(plan, gpu, features, self.memory, layout="dense") for gpu in plan.gpus}
        self.entries = {gpu: torch.from_numpy(t.entries).to(self.memory[gpu].device) for gpu, t in self.table.items()}
        self._counts = {"own": 0, "peer": 0, "host": 0}

    @property
    def counts(self):
        """Rows by place, of all readers."""
        if not self.readers:
            return self._counts
        return {place: sum(r.counts[place] for r in self.readers.values()) for place in self._counts}

    def gather(self, reader, ids):
        """Features of these vertices, on the reader's device: from own memory, peers, host."""
        return self.readers[reader].gather(ids) if self.readers else self._gather(reader, ids)

    def _gather(self, reader, ids):
        table, device = self.table[reader], self.entries[reader].device
        entry = self.entries[reader].index_select(0, ids.to(device))
        memory, slot = entry >> table.slot_bits, (entry & table.slot_mask).long()
        out = torch.empty((len(ids), *self.host.shape[1:]), dtype=self.host.dtype, device=device)
        for m in memory.unique().tolist():
            here = (memory == m).nonzero().squeeze(1)
            source = self.host if m < 0 else self.memory[self.plan.gpus[m]]
            at = ids.to(device) if m < 0 else slot
            rows = source.index_select(0, at.index_select(0, here).to(source.device))
            out.index_copy_(0, here, rows.to(device))
            self._counts["host" if m < 0 else "own" if self.plan.gpus[m] == reader else "peer"] += len(here)
        return out
