"""_rows.py - gathers feature rows from where a plan puts them."""
from __future__ import annotations

import ctypes
import threading
from typing import Any, Dict, Iterable, Mapping, Optional

import numpy as np

from ._arrays import _array_of, _empty_like, _ids_of, _rows_of
from ._library import Error, _CError, _CGather, _CRows, _check, _lib


def _run(request: Any) -> None:
    error = _CError()
    code = _lib.hotset_gather(ctypes.addressof(request), ctypes.addressof(error))
    if code == 3:
        raise IndexError(error.text.decode(errors="replace"))
    _check(code, error)


def _check_type(plan: Any) -> None:
    if plan.cache_type:
        raise Error(2, "the plan's GPUs hold rows as %s: rows are copied as they are here; use hotset.torch_rows.TorchRows with memories of that type, "
                       "or convert rows yourself (plan.feature_ids)" % plan.cache_type)


def check_width(plan: Any, row_bytes: int, what: str) -> None:
    """Raises Error where rows are longer than the plan counts: the memories of GPUs would take more than it says."""
    if row_bytes > plan.row_bytes:
        raise Error(2, "%s has rows of %d bytes, and the plan counts %d: GPUs would hold %.3g times what it states; convert them (x.half(), x.float()), or import "
                       "the graph with their type (--feature-type)" % (what, row_bytes, plan.row_bytes, row_bytes / max(plan.row_bytes, 1)))


def fill(plan: Any, host: Any, gpus: Optional[Iterable[int]] = None, threads: int = 0) -> Dict[int, Any]:
    """{gpu: its cached rows in slot order}, copied from host (all rows): what every GPU of the plan, or those named, holds. Of host's kind."""
    _check_type(plan)
    address, rows, row_bytes = _rows_of(host, "host")
    check_width(plan, row_bytes, "host")
    memory = {}
    for gpu in plan.gpus if gpus is None else gpus:
        at, count, width, ids = _ids_of(plan.feature_ids(gpu))
        memory[gpu] = _empty_like(host, count)
        _run(_CGather(ctypes.sizeof(_CGather), threads, None, at, count, width, 0, None, _CRows(address, rows), row_bytes, _rows_of(memory[gpu], "memory")[0],
                      None))
    return memory


class PlannedRows:
    """Feature rows where a plan puts them, as GPU `reader` reads them; in CPU memory, which may stand in for the GPUs'.

    host: the rows of all vertices, [vertices, ..]: a NumPy array (mapped from a file, too), anything with the buffer protocol, or a torch tensor in CPU
    memory. It is not copied. memory: {gpu: rows in slot order} for the reader and its peers, as fill(plan, host) gives them; it is filled when left out, so
    readers of one process should share one. layout: of the table, as Plan.lookup. threads: at most so many per call; 0 for all.

    counts: {"own": rows, "peer": rows, "host": rows} served so far; served: {gpu: rows}. Threads may share an object.
    """

    def __init__(self, plan: Any, reader: int, host: Any, memory: Optional[Mapping[int, Any]] = None, layout: str = "smallest", threads: int = 0) -> None:
        self.plan, self.reader, self.host = plan, reader, host
        _check_type(plan)
        near = [reader, *plan.peers(reader)]
        self.memory: Mapping[int, Any] = fill(plan, host, near, threads) if memory is None else memory
        self.table = plan.lookup(reader, layout=layout, threads=threads)
        address, rows, self.row_bytes = _rows_of(host, "host")
        check_width(plan, self.row_bytes, "host")
        self._list = (_CRows * len(plan.gpus))()
        for gpu in near:
            base, held, row_bytes = _rows_of(self.memory[gpu], "the memory of GPU %d" % gpu)
            if held and row_bytes != self.row_bytes:
                raise Error(2, "rows of GPU %d have %d bytes, those of the host %d" % (gpu, row_bytes, self.row_bytes))
            self._list[plan.gpus.index(gpu)] = _CRows(base, held)
        self._counts = np.zeros(len(plan.gpus) + 2, np.uint64)
        self._request = _CGather(ctypes.sizeof(_CGather), threads, self.table.block.ctypes.data, None, 0, 8, len(plan.gpus), ctypes.addressof(self._list),
                                 _CRows(address, rows), self.row_bytes, None, self._counts.ctypes.data)
        self._lock = threading.Lock()

    def gather(self, ids: Any, out: Any = None) -> Any:
        """The rows of these vertices, [len(ids), ..]: in `out` where it is given (as large, writable), else in a new array or tensor of host's kind.

        ids: any integers. Other threads run meanwhile. IndexError: some ids are beyond the graph; their rows are zeros then.
        """
        at, count, width, ids = _ids_of(ids)
        if out is None:
            out = _empty_like(self.host, count)
            to = out.data_ptr() if hasattr(out, "data_ptr") else out.__array_interface__["data"][0]
        else:
            if not hasattr(out, "data_ptr") and not _array_of(out, "out").flags.writeable:
                raise Error(2, "out is read-only; give an array that can be written")
            to, rows, row_bytes = _rows_of(out, "out")
            if rows != count or (rows and row_bytes != self.row_bytes):
                raise Error(2, "out has %d rows of %d bytes, expected %d of %d" % (rows, row_bytes, count, self.row_bytes))
        if self._lock.acquire(False):
            try:
                self._gather(self._request, at, count, width, to)
            finally:
                self._lock.release()
        else:  # another thread gathers: a request and counts of its own
            request, counts = _CGather.from_buffer_copy(self._request), np.zeros_like(self._counts)
            request.counts = counts.ctypes.data
            try:
                self._gather(request, at, count, width, to)
            finally:
                with self._lock:
                    self._counts += counts
        return out

    @staticmethod
    def _gather(request: Any, at: int, count: int, width: int, to: int) -> None:
        request.ids, request.count, request.id_bytes, request.out = at, count, width, to
        _run(request)

    def take_counts(self, other: Any) -> None:
        """Counts on from where another object was, of the same GPUs."""
        self._counts[:len(self.plan.gpus) + 1] = list(other.served.values())

    @property
    def served(self) -> Dict[Optional[int], int]:
        """{gpu: rows that it served}, and None: those of the host."""
        return dict(zip([*self.plan.gpus, None], self._counts.tolist()))

    @property
    def counts(self) -> Dict[str, int]:
        """Rows by place: own memory, peers, host."""
        all_, own = self.served, self.served[self.reader]
        return {"own": own, "peer": sum(all_[gpu] for gpu in self.plan.gpus) - own, "host": all_[None]}
