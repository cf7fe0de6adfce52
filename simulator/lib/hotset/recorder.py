"""recorder.py - what a running job really reads, per vertex and GPU, so that the next plan is made from it."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Optional

import numpy as np
from numpy.typing import NDArray

from ._arrays import _array_of
from ._library import Error, Path
from ._plan import Plan
from ._program import Option
from ._program import run as _run
from .face import Trace
from .graphs import Graph, place


class Recorder:
    """Counts the feature rows that mini-batches read, by vertex and GPU.

        recorder = hotset.Recorder("R", plan)          # or hotset.pyg.Planned(.., record="R"), which does the rest
        recorder.count(gpu, batch_ids)                 # once per mini-batch, with its distinct vertices
        recorder.end_epoch(gpu)                        # writes R/gpu<gpu>.npz, all or nothing

    path: a folder, which processes of one GPU each may share. Memory: 4 bytes per vertex and GPU that counts, whatever the number of mini-batches. A folder
    that holds epochs already is added to.
    """

    def __init__(self, path: Path, plan: Plan):
        self.path, self.plan = os.fspath(path), plan
        self._of: Dict[int, Any] = {}
        os.makedirs(self.path, exist_ok=True)

    def _counts(self, gpu: int) -> Any:
        if gpu not in self._of:
            if gpu not in self.plan.gpus:
                raise KeyError("GPU %r is not in the plan, which has %s" % (gpu, self.plan.gpus))
            file = os.path.join(self.path, "gpu%d.npz" % gpu)
            if os.path.exists(file):
                counts, epochs = _read(file)
                if len(counts) != self.plan.vertices:
                    raise Error(3, "%s: counts %d vertices, the plan has %d; record into another folder" % (file, len(counts), self.plan.vertices))
                self._of[gpu] = [counts, epochs]
            else:
                self._of[gpu] = [np.zeros(self.plan.vertices, np.uint32), 0]
        return self._of[gpu]

    def count(self, gpu: int, ids: Any) -> None:
        """A mini-batch of this GPU read the rows of these vertices: distinct integers, an array or a tensor. IndexError: one is beyond the graph."""
        ids = ids.cpu().numpy() if hasattr(ids, "cpu") else _array_of(ids, "ids")
        self._counts(gpu)[0][ids] += np.uint32(1)

    def end_epoch(self, gpu: int) -> None:
        """An epoch of this GPU is over: its counts are written."""
        of = self._counts(gpu)
        of[1] += 1
        handle, part = tempfile.mkstemp(prefix=".gpu%d-" % gpu, dir=self.path)
        try:
            with os.fdopen(handle, "wb") as f:
                np.savez(f, counts=of[0], epochs=np.int64(of[1]))
                f.flush()
                os.fsync(f.fileno())
            os.replace(part, os.path.join(self.path, "gpu%d.npz" % gpu))
        except BaseException:
            os.unlink(part)
            raise


def _read(file: str) -> "tuple[NDArray[np.uint32], int]":
    try:
        with np.load(file) as f:
            return f["counts"], int(f["epochs"])
    except (OSError, ValueError, KeyError) as e:
        raise Error(3, "%s: is no recording (%s); record it again" % (file, e)) from None


def recorded(path: Path, trace: Trace | Path, graph: Graph | Path, to: Optional[Path] = None, **options: Option) -> Trace:
    """A trace of what a job recorded (`hotset trace import`), for refresh(plan, trace) and make_plan(trace=..).

    path: the Recorder's folder. trace: a recorded trace of the graph and GPUs, as hotset.record(graph, server, plan=plan) gives it: what the job did not count,
    visits of neighbour lists, is taken from there. graph: the graph that it was recorded on. to: the trace directory to write; left out, it is temporary.
    Error: a GPU of the trace has no counts, or another number of epochs.
    """
    base = trace if isinstance(trace, Trace) else Trace(trace)
    found = {}
    for gpu in base.document["gpus"]:
        file = os.path.join(path, "gpu%d.npz" % gpu)
        if not os.path.exists(file):
            raise Error(3, "%s: there is none; GPU %d has recorded no epoch" % (file, gpu))
        found[gpu] = _read(file)
    epochs = {of[1] for of in found.values()}
    if len(epochs) != 1:
        raise Error(3, "%s: the GPUs have recorded different numbers of epochs, %s" % (os.fspath(path), ", ".join("GPU %d: %d" % (g, of[1]) for g, of in found.items())))
    where, kept = place(to, "trace")
    with tempfile.TemporaryDirectory(prefix="hotset-") as folder:
        counts = os.path.join(folder, "recorded.npy")
        np.save(counts, np.stack([of[0] for of in found.values()]))
        _run("trace import", counts, **dict(options, trace=base, graph=graph, epochs=epochs.pop(), output=where))
    return Trace(where, kept)


def reload(memory: Dict[int, Any], old: Plan, new: Plan, host: Any) -> Dict[int, int]:
    """Turns memories that hold the rows of one plan into those of another, and loads only rows that differ. Returns {gpu: rows loaded}.

    memory: {gpu: rows in slot order} as hotset.fill(old, host) gives them, arrays or tensors; changed in place, or replaced where a GPU holds another number
    of rows. Between two mini-batches only: look-up tables of the old plan are wrong afterwards.
    """
    loaded = {}
    for gpu in memory:
        was, now = (np.asarray(p.feature_ids(gpu)).astype(np.int64) for p in (old, new))
        if len(was) != len(now):
            both = min(len(was), len(now))
            fresh = memory[gpu].new_empty((len(now), *host.shape[1:])) if hasattr(host, "new_empty") else np.empty((len(now), *host.shape[1:]), host.dtype)
            fresh[:both] = memory[gpu][:both]
            memory[gpu] = fresh
            was = np.concatenate([was[:both], np.full(len(now) - both, -1, np.int64)])
        differ = np.flatnonzero(was != now)
        memory[gpu][differ] = host[now[differ]]
        loaded[gpu] = len(differ)
    return loaded
