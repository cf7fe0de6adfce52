"""_cuda.py - libhotset_cuda's store (hotset_store.h) by ctypes: a GPU's rows of one table, its peers' and the host's."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Optional, Set

import numpy as np

from ._arrays import _rows_of
from ._library import Error, _candidates, _CError, _check, _CRows
from ._loaded import comparable

HANDLE_BYTES = 8 * 7 + 64  # struct hotset_store_handle
DEPTH_MAX = 16


class _CRequest(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("device", ctypes.c_int32), ("memories", ctypes.c_uint32), ("own", ctypes.c_uint32),
                ("table", ctypes.c_void_p), ("ids", ctypes.c_void_p), ("rows", ctypes.c_uint64), ("room", ctypes.c_uint64), ("host", _CRows),
                ("row_bytes", ctypes.c_uint64), ("batch", ctypes.c_uint64), ("depth", ctypes.c_uint32), ("pinned", ctypes.c_uint32),
                ("held", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("fill", ctypes.c_void_p), ("fill_context", ctypes.c_void_p)]


_FILL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
_HELD = ["", "f16", "bf16", "f8", "i8"]  # enum hotset_held


def _element(plan: Any, host: Any) -> str:
    """How GPUs hold rows: "" where it is as the host has them."""
    name = str(host.dtype).split(".")[-1]
    if not plan.cache_type or {"f16": "float16", "bf16": "bfloat16"}.get(plan.cache_type) == name:
        return ""
    if name != "float32":
        raise Error(2, "the plan's GPUs hold rows as %s, which is made of float32, and the job's are %s; convert them (x.float()), or plan without --cache-type"
                    % (plan.cache_type, name))
    return str(plan.cache_type)


def _filler(host: Any, element: str, wrong: List[BaseException]) -> Any:
    """hotset_store_fill: rows as GPUs hold them. What goes wrong is left in the list."""
    import torch

    from .torch_rows import held_bytes

    def fill(ids: int, count: int, to: int, context: Any) -> int:
        try:
            these = np.ctypeslib.as_array(ctypes.cast(ids, ctypes.POINTER(ctypes.c_uint32)), (count,)).astype(np.int64)
            rows = held_bytes(host.index_select(0, torch.from_numpy(these)), element).contiguous()
            ctypes.memmove(to, rows.data_ptr(), rows.nbytes)
            return 0
        except BaseException as e:
            wrong.append(e)
            return 1

    return _FILL(fill)


def _bind(lib: ctypes.CDLL) -> ctypes.CDLL:
    pointer, i, u32, u64, of = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_uint64, ctypes.POINTER
    table: Dict[str, List[Any]] = {"bytes": [of(_CRequest), of(u64), of(u64)], "create": [of(_CRequest), of(pointer)], "handle": [pointer, pointer],
                                   "open": [pointer, pointer], "lend": [pointer, u32, _CRows],
                                   "ahead": [pointer, pointer, u32, u64, i, pointer, pointer, of(u64)], "wait": [pointer, u64, pointer],
                                   "reload": [pointer, pointer, pointer, u64, pointer, of(u64)], "counts": [pointer, pointer]}
    sampler: Dict[str, List[Any]] = {"bytes": [pointer, of(u64), of(u64)], "create": [pointer, of(pointer)], "handle": [pointer, pointer],
                                     "open": [pointer, pointer], "begin": [pointer, pointer, u32, u64, i, u64, u64, pointer, of(u64)],
                                     "sizes": [pointer, u64, pointer], "take": [pointer, u64, pointer, pointer, pointer, pointer, pointer],
                                     "reload": [pointer, pointer, pointer, u64, pointer], "count": [pointer, pointer]}
    for kind, functions in (("store", table), ("sampler", sampler)):
        for name, arguments in functions.items():
            function = getattr(lib, "hotset_%s_%s" % (kind, name))
            function.restype, function.argtypes = i, [*arguments, of(_CError)]
        free = getattr(lib, "hotset_%s_free" % kind)
        free.restype, free.argtypes = None, [pointer]
    return lib


_loaded: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """libhotset_cuda: $HOTSET_CUDA_LIBRARY, else beside libhotset. Error: it is not there."""
    global _loaded
    said: List[str] = []
    for path in [os.environ["HOTSET_CUDA_LIBRARY"]] if os.environ.get("HOTSET_CUDA_LIBRARY") else [p.replace("libhotset.so", "libhotset_cuda.so") for p in _candidates()]:
        try:
            _loaded = _loaded or _bind(ctypes.CDLL(path))
            return _loaded
        except (OSError, AttributeError) as e:
            said.append(str(e))
    raise Error(4, "libhotset_cuda was not found (%s); build hotset where nvcc is, or name the library by HOTSET_CUDA_LIBRARY" % "; ".join(said))


def integers(ids: Any, what: str, device: Any) -> Any:
    """One row of vertex ids as they are handed over: on the CPU, or on this device."""
    if ids.dim() != 1 or ids.is_floating_point() or ids.is_complex() or ids.element_size() not in (4, 8):
        raise Error(2, "%s must be one row of 32-bit or 64-bit integers" % what)
    return (ids if ids.device.type == "cpu" else ids.to(device)).contiguous()


class CudaRows:
    """The rows of a table on one GPU: gathered by one launch, from own memory, peers that open() named, and the host, which is pinned.

    host: [vertices, ..], a tensor in CPU memory, which must stay. device: where rows go, as hotset._processes.Device. room: rows that the GPU has room for, for
    plans to come. depth: mini-batches that may be on their way. bytes: {"device": .., "pinned": ..} that it takes.
    """

    _at: Optional[ctypes.c_void_p]

    def __init__(self, plan: Any, reader: int, host: Any, device: Any, room: int = 0, depth: int = 4) -> None:
        self.plan, self.reader, self.host, self.device, self._out = plan, reader, host, device.name, device
        self.element, self._wrong = _element(plan, host), []  # type: str, List[BaseException]
        self._fill = _filler(host, self.element, self._wrong) if self.element else None
        self._lib, self._at = library(), ctypes.c_void_p()
        self._opened: Set[int] = set()
        address, rows, row_bytes = _rows_of(host, "x")
        table, ids = plan.lookup(reader).block, np.ascontiguousarray(plan.feature_ids(reader)).view(np.uint32)
        request = _CRequest(ctypes.sizeof(_CRequest), device.number, len(plan.gpus), plan.gpus.index(reader), table.ctypes.data, ids.ctypes.data, len(ids),
                            room, _CRows(address, rows), row_bytes, 0, min(depth, DEPTH_MAX), int(bool(getattr(host, "is_pinned", bool)())),
                            _HELD.index(self.element), 0, ctypes.cast(self._fill, ctypes.c_void_p) if self._fill else None, None)
        device_bytes, pinned = ctypes.c_uint64(), ctypes.c_uint64()
        self._call("bytes", ctypes.byref(request), ctypes.byref(device_bytes), ctypes.byref(pinned))
        self.room = max(room, len(ids))
        self.bytes = {"device": device_bytes.value, "pinned": pinned.value}
        self._call("create", ctypes.byref(request), ctypes.byref(self._at))

    def _call(self, name: str, *arguments: Any) -> None:
        if self._at is None:
            raise Error(2, "the rows of GPU %d are closed" % self.reader)
        error = _CError()
        code = getattr(self._lib, "hotset_store_" + name)(*arguments, ctypes.byref(error))
        if self._wrong:
            raise self._wrong.pop()
        _check(code, error)

    def handle(self) -> bytes:
        """What the processes of peers need to open this memory."""
        out = (ctypes.c_char * HANDLE_BYTES)()
        self._call("handle", self._at, ctypes.addressof(out))
        return out.raw

    def open(self, handles: Dict[int, bytes]) -> None:
        """Opens the memories of peers, {gpu: what handle() gave there}. Error: one of them is missing."""
        for gpu in self.plan.peers(self.reader):
            if gpu not in handles:
                raise Error(2, "GPU %d reads rows of GPU %d, whose process is not there; start one process per GPU of its clique" % (self.reader, gpu))
            self._call("open", self._at, ctypes.create_string_buffer(handles[gpu], HANDLE_BYTES))
            self._opened.add(gpu)

    def lend(self, gpu: int, address: int, rows: int) -> None:
        """The memory of a peer that somebody else has opened (symmetric memory, WholeGraph): rows in slot order at an address."""
        self._call("lend", self._at, self.plan.gpus.index(gpu), _CRows(address, rows))
        self._opened.add(gpu)

    def begin(self, ids: Any) -> Any:
        """Starts a gather: (where the rows will be, its ticket, what must stay until finish())."""
        ids, ticket = integers(ids, "ids", self.device), ctypes.c_uint64()
        out, address, stream = self._out.rows(len(ids), self.host)
        self._call("ahead", self._at, ids.data_ptr(), ids.element_size(), len(ids), int(ids.device.type == "cpu"), address, stream, ctypes.byref(ticket))
        return out, ticket.value, ids

    def finish(self, begun: Any) -> Any:
        """The rows: what is queued from now on finds them."""
        out, ticket, _ = begun
        self._call("wait", self._at, ticket, self._out.stream())
        return self._out.done(out)

    def gather(self, ids: Any) -> Any:
        """The rows of these vertices, on the device. Of ids beyond the graph zeros, which counts then refuse."""
        return self.finish(self.begin(ids))

    def ready(self, plan: Any) -> None:
        """Raises Error where it cannot go on with another plan. Waits for what has begun."""
        comparable(self.plan, plan)
        need, closed = len(plan.feature_ids(self.reader)), sorted(set(plan.peers(self.reader)) - self._opened)
        if _element(plan, self.host) != self.element:
            raise Error(2, "the new plan's GPUs hold rows in another form; make the store anew")
        if closed:
            raise Error(2, "GPU %d would read rows of GPUs %s, whose memory it has not opened; make the store anew" % (self.reader, closed))
        if need > self.room:
            raise Error(5, "the plan has %d rows for GPU %d, whose memory has room for %d; make the store anew, with room=" % (need, self.reader, self.room))
        self.served

    def reload(self, plan: Any) -> int:
        """Goes on with another plan. Peers must not gather meanwhile: call it between two meetings of all processes. Returns how many rows were read."""
        self.ready(plan)
        table, ids, moved = plan.lookup(self.reader).block, np.ascontiguousarray(plan.feature_ids(self.reader)).view(np.uint32), ctypes.c_uint64()
        self._call("reload", self._at, table.ctypes.data, ids.ctypes.data, len(ids), self._out.stream(), ctypes.byref(moved))
        self.plan = plan
        self._out.synchronize()
        return moved.value

    @property
    def served(self) -> Dict[Optional[int], int]:
        """{gpu: rows that it served}, and None: those of the host. Waits for what has begun."""
        now = np.zeros(len(self.plan.gpus) + 2, np.uint64)
        self._call("counts", self._at, now.ctypes.data)
        if now[-1]:
            raise IndexError("%d rows were asked for that are not in the graph, or whose peer was not opened; they were zeros" % now[-1])
        return dict(zip([*self.plan.gpus, None], now.tolist()))

    @property
    def counts(self) -> Dict[str, int]:
        """Rows by place: own memory, peers, host."""
        all_, own = self.served, self.served[self.reader]
        return {"own": own, "peer": sum(all_[gpu] for gpu in self.plan.gpus) - own, "host": all_[None]}

    def close(self) -> None:
        """Gives everything back; processes of peers first say that they read no more."""
        at, self._at = self._at, None
        self._lib.hotset_store_free(at)

    def __del__(self) -> None:
        if getattr(self, "_at", None):
            self.close()
