"""_batches_types.py - mini-batches of graphs with several node types (schema batches/2); Batches opens them."""
from __future__ import annotations

import collections
import json
import os
from typing import Any, Dict, List

import numpy as np

from ._library import Error, Path
from ._plan import Ids, Plan
from ._batches import Batches

#: A mini-batch. vertices: {type: distinct ids}, level by level; level: {type: [how many at the seeds, after hop 0, ..]}. rows, columns, edges: {relation: one
#: entry per draw}: the places in vertices[target] of the vertex that drew, and in vertices[source] of the neighbour; the position in the relation's indices.
#: drawn: {relation: [how many at the start, after hop 0, ..]}. A relation is (source, name, target).
TypesBatch = collections.namedtuple("TypesBatch", "gpu epoch number vertices level rows columns edges drawn")



class TypesBatches(Batches):
    """Mini-batches of the plan of a graph with several types. gpus: the server's numbers, of all GPUs or of the one that was written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(os.path.join(path, "batches.json"), encoding="utf-8") as f:
            d = json.load(f)
        self.graph, self.workload, self.seed, self.epochs, self.hops = (d[k] for k in ("graph", "workload", "seed", "epochs", "hops"))
        self.types = [t["name"] for t in self.graph["types"]]
        self.relations = [(r["source"], r["name"], r["target"]) for r in self.graph["relations"]]
        self._of = {g["id"]: g for g in d["gpus"]}
        self.gpus = list(self._of)
        self._arrays: Dict[int, Dict[str, Ids]] = {}

    def per_epoch(self, gpu: int) -> int:
        """Mini-batches of this GPU in an epoch."""
        if gpu not in self._of:
            raise KeyError("GPU %r is not among these mini-batches, which are of %s" % (gpu, self.gpus))
        return int(self._of[gpu]["batches"])

    def _open(self, gpu: int) -> Dict[str, Ids]:
        """The mapped arrays of a GPU, with offsets that lie within them."""
        tasks, files = self.per_epoch(gpu) * self.epochs, {}
        for name in ("vertices", "vertices_at", "edges", "edges_at", "rows", "columns"):
            files[name] = np.load(os.path.join(self.path, "gpu%d_%s.npy" % (gpu, name)), mmap_mode="r")
        for name, parts, arrays in (("vertices", len(self.types) * (self.hops + 1), ["vertices"]),
                                    ("edges", len(self.relations) * self.hops, ["edges", "rows", "columns"])):
            at, length = files[name + "_at"], self._of[gpu][name]
            good = at.shape == (tasks * parts + 1,) and at[0] == 0 and at[-1] == length and not (np.diff(at) < 0).any()
            if not good or any(files[a].shape != (length,) for a in arrays):
                raise Error(3, "%s: gpu%d_%s_at.npy does not divide %d entries of %d mini-batches; export them again" % (self.path, gpu, name, length, tasks))
        return files

    @staticmethod
    def _parts(at: Ids, names: Any, begin: int, each: int, arrays: List[Ids]) -> Any:
        """For each name a slice of every array, and where its parts end."""
        out: List[Dict[Any, Any]] = [{} for _ in range(len(arrays) + 1)]
        for k, name in enumerate(names):
            ends = at[begin + k * each:begin + (k + 1) * each + 1]
            for to, array in zip(out, arrays):
                to[name] = array[ends[0]:ends[-1]]
            out[-1][name] = (ends - ends[0]).tolist()
        return out

    def read(self, gpu: int, at: int) -> TypesBatch:
        """Mini-batch number `at` of this GPU, 0..epochs * per_epoch(gpu) - 1, epoch after epoch: a TypesBatch."""
        if not 0 <= at < self.per_epoch(gpu) * self.epochs:
            raise IndexError("GPU %d has %d mini-batches" % (gpu, self.per_epoch(gpu) * self.epochs))
        if gpu not in self._arrays:
            self._arrays[gpu] = self._open(gpu)
        f, types, relations = self._arrays[gpu], len(self.types), len(self.relations)
        vertices, level = self._parts(f["vertices_at"], self.types, at * types * (self.hops + 1), self.hops + 1, [f["vertices"]])
        rows, columns, edges, drawn = self._parts(f["edges_at"], self.relations, at * relations * self.hops, self.hops, [f["rows"], f["columns"], f["edges"]])
        for name, count in zip(self.types, self.graph["types"]):
            if len(vertices[name]) and vertices[name].max() >= count["count"]:
                raise Error(3, "%s: a mini-batch of GPU %d names a %s beyond the %d of the graph" % (self.path, gpu, name, count["count"]))
        for s, n, t in self.relations:
            r = s, n, t
            if len(rows[r]) and (rows[r].max() >= len(vertices[t]) or columns[r].max() >= len(vertices[s])):
                raise Error(3, "%s: an edge %s of a mini-batch of GPU %d leaves the mini-batch" % (self.path, r, gpu))
        number = self.per_epoch(gpu)
        return TypesBatch(gpu, at // number, at % number, vertices, {k: v[1:] for k, v in level.items()}, rows, columns, edges, drawn)

    def check(self, plan: Plan) -> None:
        """Raises Error unless the mini-batches were drawn from the graph that the plan was made for."""
        mine, its = ({k: g.get(k) for k in ("vertices", "edges", "fingerprint")} for g in (self.graph, plan.document["graph"]))
        if mine != its or (self.types, self.relations) != (plan.types, plan.relations):
            raise Error(3, "the mini-batches were drawn from another graph than the plan was made for; export them with hotset simulate of this plan")
