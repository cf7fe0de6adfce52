"""_recorder.py - what a running job really reads, per vertex and GPU, so that the next plan is made from it."""
from __future__ import annotations

import copy
import os
import re
import tempfile
import warnings
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._arrays import _array_of
from ._library import Error, Path
from ._plan import Plan
from ._program import Option
from ._program import run as _run
from ._face import Trace
from ._graphs import Graph, place
from ._observed import observe


def batch_ids(batch: Any) -> Any:
    """The vertices whose rows a mini-batch needs, ids or {type: ids}: of PyG's and cugraph-pyg's Data and HeteroData (n_id), GraphBolt's MiniBatch
    (input_nodes), DGL's (input_nodes, output_nodes, blocks), and hotset.Batch."""
    if hasattr(batch, "node_types"):
        return {kind: batch[kind].n_id for kind in batch.node_types if "n_id" in batch[kind]}
    for name in ("n_id", "input_nodes", "vertices"):
        ids = getattr(batch, name, None)
        if ids is not None:
            return ids() if callable(ids) else ids
    if isinstance(batch, (tuple, list)) and len(batch) == 3:
        return batch[0]
    raise Error(2, "a mini-batch of %s does not say which vertices it reads; count them with recorder.count(gpu, ids)" % type(batch).__name__)


class _Counts:
    """What one GPU has read. total: uint32 [vertices of all types]; reads: {type: their sum}. file: what its epochs are written to, as of the last one. served:
    rows by place at the end of the last epoch, under the plan of then."""

    def __init__(self, total: NDArray[np.uint32], reads: Dict[str, int], file: Optional[str], epochs: int):
        self.total, self.reads, self.file, self.epochs, self.batches = total, reads, file, epochs, 0
        self.served: Dict[str, Dict[str, int]] = {}


class Recorder:
    """Counts the feature rows that mini-batches read, by vertex (of every type) and GPU, and how many of them its own memory, peers and the host served.

        recorder = hotset.Recorder("R", plan)                   # or hotset.pyg.Planned(.., record="R"), which does the rest
        for batch in recorder.watch(loader, gpu): ..            # a loader of PyG, cugraph-pyg or GraphBolt

        recorder.count(gpu, ids)                                # with a loop of your own: once per mini-batch, its distinct vertices
        recorder.end_epoch(gpu)                                 # writes R/gpu<gpu>-<epochs>.npy, all or nothing

    path: a folder, which processes of one GPU each may share. It is what `hotset trace import` and `hotset observe` take: counts per vertex of every GPU, and
    observed.jsonl, a line per GPU, type and epoch. Memory: 4 bytes per vertex and GPU that counts, and a place for each row in reach, whatever the number of
    mini-batches. A folder that holds epochs already is added to.
    """

    def __init__(self, path: Path, plan: Plan):
        self.path = os.fspath(path)
        self._of: Dict[int, _Counts] = {}
        self._places: Dict[int, Dict[str, Tuple[Any, Any]]] = {}
        os.makedirs(self.path, exist_ok=True)
        self._read(plan)

    def _read(self, plan: Plan) -> None:
        self.plan, types = plan, plan.document["graph"].get("types") or [{"name": "", "count": plan.vertices}]
        self._types: Dict[str, slice] = {}
        for t in types:
            at = max([of.stop for of in self._types.values()], default=0)
            self._types[t["name"]] = slice(at, at + t["count"])

    def go_on(self, plan: Plan) -> None:
        """Another plan of the same graph serves from now on (Planned.reload says so itself): rows are counted on, places are those of the new plan. Error: it is of
        other vertices or GPUs; then nothing has changed."""
        self._following(plan)()

    def _following(self, plan: Plan) -> Callable[[], None]:
        """What go_on does once it has been checked."""
        after = copy.copy(self)
        after._places = {}
        after._read(plan)
        if after._types != self._types or not set(self._of) <= set(plan.gpus):
            raise Error(3, "%s: is for other vertices or GPUs than those that %s counts; record into another folder" % (plan.path, self.path))
        served = {gpu: after._served(gpu, of) for gpu, of in self._of.items()}

        def follow() -> None:
            self.__dict__.update(after.__dict__)
            for gpu, of in self._of.items():
                of.served = served[gpu]

        return follow

    def _counts(self, gpu: int) -> _Counts:
        if gpu not in self._of:
            if gpu not in self.plan.gpus:
                raise KeyError("GPU %r is not in the plan, which has %s" % (gpu, self.plan.gpus))
            n, (file, epochs) = max(of.stop for of in self._types.values()), _newest(self.path, gpu)
            counts = np.zeros(n, np.uint32) if file is None else _load(file)
            if len(counts) != n:
                raise Error(3, "%s: counts %d vertices, the plan has %d; record into another folder" % (file, len(counts), n))
            self._of[gpu] = _Counts(counts, {kind: int(counts[at].sum(dtype=np.int64)) for kind, at in self._types.items()}, file, epochs)
            self._of[gpu].served = self._served(gpu, self._of[gpu])
        return self._of[gpu]

    def count(self, gpu: int, ids: Any, type: str = "") -> None:
        """A mini-batch of this GPU read the rows of these vertices: distinct integers, an array or a tensor; of a type where the graph has several, or
        {type: ids}. IndexError: one is beyond the graph."""
        of = self._counts(gpu)
        for kind, some in ids.items() if isinstance(ids, Mapping) else [(type, ids)]:
            some = some.cpu().numpy() if hasattr(some, "cpu") else np.asarray(some) if isinstance(some, list) else _array_of(some, "ids")
            if kind not in self._types:
                raise KeyError("the graph has no type %r; it has %s" % (kind, sorted(self._types)))
            of.total[self._types[kind]][some] += np.uint32(1)
            of.reads[kind] += len(some)
        of.batches += 1

    def watch(self, loader: Iterable[Any], gpu: int, per_epoch: Optional[int] = None) -> Iterator[Any]:
        """Passes mini-batches on, counted. When they end an epoch does, and every per_epoch of them."""
        done = 0
        for done, batch in enumerate(loader, 1):
            self.count(gpu, batch_ids(batch))
            yield batch
            if per_epoch and done % per_epoch == 0:
                self.end_epoch(gpu)
        if not per_epoch or done % per_epoch:
            self.end_epoch(gpu)

    def _near(self, gpu: int) -> Dict[str, Tuple[Any, Any]]:
        """{type: (vertices whose rows this GPU holds, those that only its peers hold)}."""
        if gpu not in self._places:
            near = {}
            for kind in self._types:
                if kind in self.plan.types or not kind:
                    own, *peers = [np.asarray(self.plan.feature_ids(g, kind) if kind else self.plan.feature_ids(g)) for g in [gpu, *self.plan.peers(gpu)]]
                    near[kind] = own, np.setdiff1d(np.concatenate(peers), own) if peers else own[:0]
            self._places[gpu] = near
        return self._places[gpu]

    def _served(self, gpu: int, of: _Counts) -> Dict[str, Dict[str, int]]:
        served = {}
        for kind, (own, peer) in self._near(gpu).items():
            counts = of.total[self._types[kind]]
            near = [int(counts[ids].sum(dtype=np.int64)) for ids in (own, peer)]
            served[kind] = {"own": near[0], "peer": near[1], "host": of.reads[kind] - sum(near)}
        return served

    def served(self, gpu: int) -> Dict[str, Dict[str, int]]:
        """{type: {"own": .., "peer": .., "host": ..}}: rows by place, of all counted mini-batches as the plan of now serves them; "" where there is one type."""
        return self._served(gpu, self._counts(gpu))

    def end_epoch(self, gpu: int, seconds: Optional[Mapping[str, float]] = None) -> None:
        """An epoch of this GPU is over: its counts are written. seconds: of stages, as hotset.observe takes them."""
        of = self._counts(gpu)
        older, of.epochs = of.file, of.epochs + 1
        handle, part = tempfile.mkstemp(prefix=".gpu%d-" % gpu, dir=self.path)
        try:
            with os.fdopen(handle, "wb") as f:
                np.save(f, of.total)  # not synced: that takes longer than the rest, and a file that a power cut tore is told from a whole one
            of.file = os.path.join(self.path, "gpu%d-%d.npy" % (gpu, of.epochs))
            os.replace(part, of.file)
        except BaseException:
            os.unlink(part)
            raise
        if older is not None:
            os.unlink(older)
        before, of.served = of.served, self._served(gpu, of)
        for k, (kind, now) in enumerate(of.served.items()):
            rows = {where: now[where] - before.get(kind, {}).get(where, 0) for where in now}
            bytes_ = self.plan.table("feature", kind).row_bytes if kind else self.plan.row_bytes
            if bytes_:
                observe(os.path.join(self.path, "observed.jsonl"), gpu, of.epochs - 1, of.batches, rows, bytes_, None if k else seconds, kind or None)
        of.batches = 0


def _newest(path: str, gpu: int) -> Tuple[Optional[str], int]:
    """(the file of a GPU with most epochs, how many); (None, 0) where there is none."""
    found: List[int] = []
    for name in os.listdir(path):
        match = re.fullmatch(r"gpu%d-(\d+)\.npy" % gpu, name)
        found += [int(match.group(1))] if match else []
    return (os.path.join(path, "gpu%d-%d.npy" % (gpu, max(found))), max(found)) if found else (None, 0)


def _load(file: str) -> "NDArray[np.uint32]":
    try:
        counts: NDArray[np.uint32] = np.load(file)
    except (OSError, ValueError) as e:
        raise Error(3, "%s: is no recording (%s); record it again" % (file, e)) from None
    if counts.dtype != np.uint32 or counts.ndim != 1:
        raise Error(3, "%s: is no recording (%s %s); record it again" % (file, counts.dtype, counts.shape))
    return counts


def recorded(folder: Path, trace: Trace | Path, graph: Graph | Path, path: Optional[Path] = None, **options: Option) -> Trace:
    """A trace of what a job recorded (`hotset trace import R`), for refresh(plan, trace) and make_plan(trace=..).

    folder: the Recorder's. trace: a recorded trace of the graph and GPUs, as hotset.record(graph, server, plan=plan) gives it: what the job did not count,
    visits of neighbour lists, is taken from there. graph: the graph that it was recorded on. path: the trace directory to write (once `to`); left out, it is temporary.
    Error: a GPU of the trace has no counts, or another number of epochs.
    """
    if "to" in options:
        warnings.warn("recorded(to=) is recorded(path=) now", DeprecationWarning, stacklevel=2)
        path = str(options.pop("to"))
    where, kept = place(path, "trace", options)
    _run("trace import", folder, **dict(options, trace=trace, graph=graph, output=where))
    return Trace(where, kept)
