"""_batches.py - the mini-batches that a plan was judged on."""
from __future__ import annotations

import collections
import ctypes
import os
import weakref
from typing import Any, Dict, Iterator, Optional

import numpy as np

from ._library import Error, Path, _CBatch, _CError, _CFacts, _View, _check, _lib
from ._plan import Ids, Plan

#: One hop. expanded: vertices whose neighbours were drawn, one entry per visit. rows, columns: per draw, the places in Batch.vertices of the vertex that
#: drew and of the neighbour; edges: its position in indices.npy. found: vertices[:found] were found up to the end of this hop.
Hop = collections.namedtuple("Hop", "expanded rows columns edges found")
#: One mini-batch. seeds: training vertices, or [edges, 2]: row and neighbour. vertices: distinct, in the order of discovery; vertices[:seed_vertices] are
#: the seeds'. hops: a list of Hop. Ids and places are int32 views of the files (uint32 for graphs of more than 2^31 vertices), edges int64.
Batch = collections.namedtuple("Batch", "gpu epoch number seeds vertices seed_vertices hops")


def _of_types(path: Path) -> bool:
    try:
        with open(os.path.join(path, "batches.json"), encoding="utf-8") as f:
            return '"batches/2"' in f.read(200)
    except (OSError, UnicodeDecodeError):
        return False  # the library says what is wrong


class _BatchesHandle:
    def __init__(self, path: Path) -> None:
        at, error = ctypes.c_void_p(), _CError()
        _check(_lib.hotset_batches_open(os.fsencode(path), ctypes.byref(at), ctypes.byref(error)), error)
        self.at = at
        self._end = weakref.finalize(self, _lib.hotset_batches_close, at)


class Batches:
    """Mini-batches that `hotset simulate P --export-batches DIR` wrote: those that the plan was judged on.

    Gathering them must serve as many rows, and visits of `expanded`, from each place as simulated.gpus[] counts. gpus: the server's numbers, of all GPUs or
    of the one that was written. epochs, hops, seed, sampler, edge_seeds, negatives, vertices, edges, fingerprint: as batches.json has them. Arrays are views of the
    files, which stay open as long as one of them lives. Raises Error with a sentence for files that are damaged. Of a graph with several types a mini-batch is
    a hotset._batches_types.TypesBatch, whose parts are told by type and relation.
    """

    def __new__(cls, path: Path) -> "Batches":
        """Those of a graph with several types are of a class of their own."""
        from ._batches_types import TypesBatches
        return super().__new__(TypesBatches if _of_types(path) else cls)

    def __init__(self, path: Path) -> None:
        self.path, self._handle = path, _BatchesHandle(path)
        about, error = _CFacts(struct_bytes=ctypes.sizeof(_CFacts)), _CError()
        _check(_lib.hotset_batches_about(self._handle.at, ctypes.byref(about), ctypes.byref(error)), error)
        self.gpus = [_lib.hotset_batches_gpu_id(self._handle.at, g) for g in range(about.gpus)]
        self.epochs, self.hops, self.seed, self.edge_seeds = about.epochs, about.hops, about.seed, bool(about.edge_seeds)
        self.negatives = max(about.edge_seeds - 1, 0)
        self.vertices, self.edges = about.vertices, about.edges
        self.fingerprint, self.sampler = about.fingerprint.decode(errors="replace"), about.sampler.decode(errors="replace")
        self._kind = "<i4" if self.vertices <= 1 << 31 else "<u4"

    def __reduce__(self) -> Any:
        return Batches, (os.path.abspath(self.path),)

    def _at(self, gpu: int) -> int:
        if gpu not in self.gpus:
            raise KeyError("GPU %r is not among these mini-batches, which are of %s" % (gpu, self.gpus))
        return self.gpus.index(gpu)

    def per_epoch(self, gpu: int) -> int:
        """Mini-batches of this GPU in an epoch."""
        return int(_lib.hotset_batches_per_epoch(self._handle.at, self._at(gpu)))

    def _view(self, address: Any, count: int, kind: Optional[str] = None) -> Ids:
        kind = kind or self._kind
        return np.asarray(_View(self._handle, address, count, kind)) if count else np.empty(0, kind)

    def read(self, gpu: int, at: int) -> Any:
        """Mini-batch number `at` of this GPU, 0..epochs * per_epoch(gpu) - 1, epoch after epoch: a Batch."""
        b = self._raw(gpu, at)
        view, seeds = self._view, self._view(b.seeds, b.seed_count)
        hops = [Hop(view(h.expanded, h.visits), view(h.rows, h.draws), view(h.columns, h.draws), view(h.edges, h.draws, "<i8"), h.found) for h in b.hop[:b.hops]]
        return Batch(gpu, b.epoch, b.number, seeds.reshape(-1, 2 + self.negatives) if self.edge_seeds else seeds, view(b.vertices, b.count), b.seed_vertices, hops)

    def _raw(self, gpu: int, at: int) -> _CBatch:
        b, error = _CBatch(struct_bytes=ctypes.sizeof(_CBatch)), _CError()
        _check(_lib.hotset_batches_read(self._handle.at, self._at(gpu), at, ctypes.byref(b), ctypes.byref(error)), error)
        return b

    def _numbers(self, gpu: int, epoch: Optional[int]) -> range:
        each = self.per_epoch(gpu)
        return range(each * self.epochs) if epoch is None else range(each * epoch, each * (epoch + 1))

    def of(self, gpu: int, epoch: Optional[int] = None) -> Iterator[Any]:
        """Iterates over the mini-batches of this GPU: of all epochs, or of one."""
        for at in self._numbers(gpu, epoch):
            yield self.read(gpu, at)

    def visits(self, plan: Plan, gpu: int, epoch: Optional[int] = None) -> Dict[str, int]:
        """{"own": .., "peer": .., "host": ..}: how often this GPU visits a neighbour list, by the place that serves it under the plan; topology_visits of the
        simulation. Of all epochs, or of one. Error: the plan is of another graph.
        """
        self.check(plan)
        table, counts, error = plan.lookup(gpu, "topology"), np.zeros(3, np.uint64), _CError()
        for at in self._numbers(gpu, epoch):
            b = self._raw(gpu, at)
            _check(_lib.hotset_count_visits(table.block.ctypes.data, ctypes.byref(b), counts.ctypes.data, ctypes.byref(error)), error)
        return dict(zip(("own", "peer", "host"), counts.tolist()))

    def check(self, plan: Plan) -> None:
        """Raises Error unless the mini-batches were drawn from the graph that the plan was made for."""
        if (plan.vertices, plan.edges, plan.fingerprint) != (self.vertices, self.edges, self.fingerprint):
            raise Error(3, "the mini-batches were drawn from another graph than the plan was made for; export them with hotset simulate of this plan")
