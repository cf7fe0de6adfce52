"""_loaded.py - the next plan in a job that runs: rows that differ are loaded, and no memory changes before all of them are there."""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

import numpy as np

from ._library import Error
from ._plan import Plan


class Loaded(Dict[int, int]):
    """{gpu: rows that it loaded} of a reload. rows and bytes: the same by link, {(source, gpu): how many}; source is the GPU that held them, None the host."""

    def __init__(self, gpus: Iterable[int]) -> None:
        super().__init__({gpu: 0 for gpu in gpus})
        self.rows: Dict[Tuple[Optional[int], int], int] = {}
        self.bytes: Dict[Tuple[Optional[int], int], int] = {}

    def add(self, source: Optional[int], gpu: int, rows: Any) -> None:
        """These rows went from a source to a GPU."""
        if len(rows):
            self[gpu] = self.get(gpu, 0) + len(rows)
            self.rows[source, gpu] = self.rows.get((source, gpu), 0) + len(rows)
            self.bytes[source, gpu] = self.bytes.get((source, gpu), 0) + int(rows.nbytes)


def _slots(ids: Any, wanted: Any) -> Any:
    """Where each of `wanted` stands in ids; -1: nowhere."""
    if not len(ids):
        return np.full(len(wanted), -1)
    order = np.argsort(ids)
    slot = order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)]
    return np.where(ids[slot] == wanted, slot, -1)


def _put(rows: Any, at: Any, found: Any) -> None:
    rows[at] = found.to(rows.device) if hasattr(found, "device") and hasattr(found, "to") else found


class Move:
    """The memories of a table's rows, from one plan to another. Making it reads all rows that differ and changes no memory; do() then writes.

    memory: afterwards {gpu: rows of the new plan}: the same array where as many rows fit, else a new one. Rows that a GPU holds in another slot are copied from
    there, then those of its peers over NVLinks, in serving order, the others from the host. ids(plan, gpu): of the rows in slot order; host(ids): rows as
    memories hold them. gpus: whose memories change, all when left out. new_arrays: True: all are new, False: none may be.
    """

    def __init__(self, memory: Dict[int, Any], old: Plan, new: Plan, ids: Callable[[Plan, int], Any], host: Callable[[Any], Any], loaded: Loaded,
                 gpus: Optional[Iterable[int]] = None, new_arrays: Optional[bool] = None) -> None:
        self.memory, self._writes = dict(memory), []  # type: Dict[int, Any], List[Tuple[Any, Any, Any]]
        was = {gpu: np.asarray(ids(old, gpu)).astype(np.int64) for gpu in memory}
        for gpu, rows in memory.items():
            if len(rows) < len(was[gpu]):
                raise Error(2, "the memory of GPU %d has %d rows, and the plan that it is said to hold %d; name the plan that filled it" % (gpu, len(rows), len(was[gpu])))
        for gpu in list(memory) if gpus is None else gpus:
            rows, now = memory[gpu], np.asarray(ids(new, gpu)).astype(np.int64)
            slot = _slots(was[gpu], now)
            moved, left = np.flatnonzero((slot >= 0) & (slot != np.arange(len(now)))), np.flatnonzero(slot < 0)
            parts = [(moved, rows[slot[moved]])]
            for peer, links in zip(old.peers(gpu), old.peer_links(gpu)):
                if links and peer in memory:
                    at = _slots(was[peer], now[left])
                    parts.append((left[at >= 0], memory[peer][at[at >= 0]]))
                    loaded.add(peer, gpu, parts[-1][1])
                    left = left[at < 0]
            absent = host(now[left])
            absent = absent.to(rows.dtype) if hasattr(absent, "to") else absent.astype(rows.dtype, copy=False)
            loaded.add(None, gpu, absent)
            parts.append((left, absent))
            self._place(gpu, len(was[gpu]), len(now), parts, new_arrays)

    def _place(self, gpu: int, held: int, count: int, parts: List[Tuple[Any, Any]], new_arrays: Optional[bool]) -> None:
        rows = self.memory[gpu]
        if new_arrays is False and count > len(rows):
            raise Error(2, "the new plan has %d rows for GPU %d, whose memory has room for %d; make memory for it (hotset.peers.symmetric) and pass it as "
                           "reload(plan, memory=..)" % (count, gpu, len(rows)))
        if new_arrays is False or (new_arrays is None and count == len(rows)):
            self._writes += [(rows, at, found) for at, found in parts]
            return
        shape = (count, *rows.shape[1:])
        fresh = self.memory[gpu] = rows.new_empty(shape) if hasattr(rows, "new_empty") else np.empty(shape, rows.dtype)
        fresh[:held] = rows[:min(held, count)]
        for at, found in parts:
            _put(fresh, at, found)

    def do(self) -> None:
        """Writes the rows that differ into memories that stay."""
        for rows, at, found in self._writes:
            _put(rows, at, found)


def as_held(host: Any, ids: Any, element: str) -> Any:
    """Rows of the host as GPUs hold them, whose element type the plan names ("": the host's)."""
    rows = host[ids]
    if element and hasattr(rows, "new_empty"):
        from .torch_rows import rounded
        return rounded(rows, element)
    if element not in ("", "f16"):
        raise Error(2, "the plan's GPUs hold rows as %s, which NumPy has not; give host and memory as torch tensors" % element)
    return rows


def comparable(old: Plan, new: Plan) -> None:
    """Raises Error unless a job that serves one plan can go on with the other: the same GPUs, rows as many and as long."""
    for what, a, b in (("GPUs", old.gpus, new.gpus), ("vertices", old.vertices, new.vertices), ("bytes per row", old.row_bytes, new.row_bytes)):
        if a != b:
            raise Error(3, "%s: is for %s %s, and the plan that is served (%s) for %s; give a plan of the same graph and server" % (new.path, what, b, old.path, a))


def reload(memory: Dict[int, Any], old: Plan, new: Plan, host: Any) -> Loaded:
    """Turns memories that hold the rows of one plan into those of another, and loads only rows that differ: from peers that hold them, over NVLinks, else from
    the host, as refresh counts them. Returns {gpu: rows loaded}, whose .rows and .bytes say where they came from: {(gpu or None for the host, gpu): how many}.

    memory: {gpu: rows in slot order} as hotset.fill(old, host) gives them, arrays or tensors; changed in place, or replaced where a GPU holds another number
    of rows. Rows that are loaded are held twice meanwhile. Between two mini-batches only: look-up tables of the old plan are wrong afterwards. Error: the new
    plan is not of these rows or GPUs; then nothing has changed.
    """
    comparable(old, new)
    if len(host) != new.vertices:
        raise Error(2, "host has %d rows, the plan %d vertices" % (len(host), new.vertices))
    if old.cache_type != new.cache_type:
        raise Error(2, "%s: its GPUs hold rows as %s, and memories have them as %s; fill them anew" % (new.path, new.cache_type or "the host does", old.cache_type or "the host does"))
    loaded = Loaded(memory)
    move = Move(memory, old, new, Plan.feature_ids, lambda ids: as_held(host, ids, new.cache_type), loaded)
    move.do()
    memory.update(move.memory)
    return loaded
