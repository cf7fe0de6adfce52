"""_cuda_sampler.py - libhotset_cuda's sampler (hotset_sampler.h) by ctypes, and what PyG's loaders take: draws from the lists that a plan puts on GPUs."""
from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import torch
from torch_geometric.sampler import BaseSampler, SamplerOutput  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.sampler.neighbor_sampler import edge_sample  # type: ignore[import-untyped,unused-ignore]

from ._cuda import integers, library
from ._library import Error, _CError, _check
from ._loaded import comparable
from ._plan import Plan

HOPS_MAX, FANOUT_MAX, MEMORIES_MAX = 16, 64, 128
_LIKE = torch.empty(0, dtype=torch.int64)


class _CRequest(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("device", ctypes.c_int32), ("memories", ctypes.c_uint32), ("own", ctypes.c_uint32),
                ("table", ctypes.c_void_p), ("ids", ctypes.c_void_p), ("rows", ctypes.c_uint64), ("rows_room", ctypes.c_uint64),
                ("entries_room", ctypes.c_uint64), ("indptr", ctypes.c_void_p), ("indices", ctypes.c_void_p), ("vertices", ctypes.c_uint64),
                ("edges", ctypes.c_uint64), ("seed", ctypes.c_uint64), ("gpu", ctypes.c_uint32), ("hops", ctypes.c_uint32), ("every", ctypes.c_uint32),
                ("places", ctypes.c_uint32), ("fanout", ctypes.c_uint32 * HOPS_MAX), ("batch", ctypes.c_uint64), ("line_bytes", ctypes.c_uint64),
                ("depth", ctypes.c_uint32), ("pinned", ctypes.c_uint32)]


class _CHandle(ctypes.Structure):
    _fields_ = [("process", ctypes.c_uint64 * 2), ("base", ctypes.c_uint64), ("rows", ctypes.c_uint64), ("entries", ctypes.c_uint64), ("own", ctypes.c_uint32),
                ("places", ctypes.c_uint32), ("device", ctypes.c_int32), ("reserved", ctypes.c_int32), ("ipc", ctypes.c_ubyte * 64)]


class _CSampled(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("levels", ctypes.c_uint32), ("vertices", ctypes.c_uint64), ("draws", ctypes.c_uint64),
                ("found", ctypes.c_uint64 * (HOPS_MAX + 1)), ("drawn", ctypes.c_uint64 * (HOPS_MAX + 1))]


class _CCounts(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("memories", ctypes.c_uint32), ("visits", ctypes.c_uint64 * (MEMORIES_MAX + 2)), ("lines", ctypes.c_uint64)]


def why_not(plan: Plan, fanout: Optional[List[int]] = None) -> str:
    """Why a GPU does not draw this plan's mini-batches here; "" where it does."""
    if plan.types != [""] or plan.relations:
        return "the graph has several types"
    work = plan.workload
    if work.get("sampler", "uniform") != "uniform":
        return "the plan is for sampler %s" % work["sampler"]
    if plan.topology_access != "gpu" or not any(len(plan.topology_ids(gpu)) for gpu in plan.gpus):
        return "the plan gives GPUs no neighbour lists"
    fanout = work.get("fanout") if fanout is None else fanout
    if not isinstance(fanout, (list, tuple)) or not 1 <= len(fanout) <= HOPS_MAX or not all(isinstance(n, int) and 1 <= n <= FANOUT_MAX for n in fanout):
        return "fan-outs must be 1 to %d" % FANOUT_MAX
    return ""


def _at_a_page(array: Any, kind: Any) -> Any:
    room = np.frombuffer(mmap.mmap(-1, max(len(array) * np.dtype(kind).itemsize, 1)), kind, len(array))
    room[:] = array
    return room


def graph_arrays(graph: Any, processes: Any) -> Tuple[Any, ...]:
    """(indptr, indices) in memory that can be pinned and begins at a page, as plans count lines of host memory. Processes of a clique have one copy, where
    the machine's shared memory has room. processes: of the store.
    """
    arrays = [(getattr(graph, name), kind, name) for name, kind in (("indptr", np.int64), ("indices", np.uint32))]
    if processes.group is not None and all(len(array) for array, _, _ in arrays):
        for named in (False, True):  # first in files without a name: where a process is killed meanwhile, nothing stays
            folder = None
            try:
                folder = processes.folder() if named else None
                return _one_copy(arrays, processes, folder)
            except Exception:
                pass  # in all of them, each for its own reason
            finally:
                processes.remove(folder)
    return processes.agreed(lambda: tuple(_at_a_page(array, kind) for array, kind, _ in arrays))  # type: ignore[no-any-return]


def _one_copy(arrays: Any, processes: Any, folder: Optional[str]) -> Tuple[Any, ...]:
    files: List[Any] = []

    def write() -> Any:
        for array, kind, name in arrays if processes.leads() else []:
            files.append(open(os.memfd_create(name) if folder is None else os.path.join(folder, name), "wb"))
            files[-1].write(np.ascontiguousarray(array, kind).data)  # which says that there is no room; tofile() loses the end of the file
            files[-1].flush()
        return [(f.name if folder else "/proc/%d/fd/%d" % (os.getpid(), f.name), os.fstat(f.fileno()).st_ino) for f in files]

    def mapped(path: str, inode: int, kind: Any) -> Any:
        if os.stat(path).st_ino != inode:
            raise OSError("%s is of another process" % path)
        return np.memmap(path, kind, "r+")

    try:
        found = next(made for made in processes.all(processes.agreed(write)) if made)
        return processes.agreed(lambda: tuple(mapped(path, inode, kind) for (path, inode), (_, kind, _) in zip(found, arrays)))  # type: ignore[no-any-return]
    finally:
        for f in files:
            f.close()


class CudaLists:
    """The neighbour lists of a plan on one GPU, and its arrays for mini-batches. graph: graph_arrays(), which are pinned.

    bytes: {"device": .., "pinned": ..} that it takes. Lists of peers are read once open() has their handles.
    """

    _at: Optional[ctypes.c_void_p]

    def __init__(self, plan: Plan, reader: int, graph: Tuple[Any, ...], device: Any, fanout: List[int], batch: int, seed: int, places: bool = True, room: int = 0) -> None:
        self.plan, self.reader, self._out, self.places, self.batch = plan, reader, device, places, batch
        self._lib, self._at = library(), ctypes.c_void_p()
        self._indptr, self._indices = graph
        self._opened, self.fanout = {reader}, list(fanout)
        table, ids = plan.lookup(reader, "topology").block, self._ids(plan)
        entries = self._entries(ids)
        self.room = max(room, entries)
        self._rows_room = min(len(ids) + self.room - entries, len(self._indptr) - 1)  # a list has a neighbour
        request = _CRequest(ctypes.sizeof(_CRequest), device.number, len(plan.gpus), plan.gpus.index(reader), table.ctypes.data, ids.ctypes.data, len(ids),
                            self._rows_room, self.room, self._indptr.ctypes.data, self._indices.ctypes.data, len(self._indptr) - 1,
                            len(self._indices), seed, reader, len(fanout), int(plan.workload.get("frontier") == "all"), int(places),
                            (ctypes.c_uint32 * HOPS_MAX)(*fanout), batch, int(plan.document["server"].get("cls", 64)), 2, 0)
        device_bytes, pinned = ctypes.c_uint64(), ctypes.c_uint64()
        self._call("bytes", ctypes.byref(request), ctypes.byref(device_bytes), ctypes.byref(pinned))
        self.bytes = {"device": device_bytes.value, "pinned": pinned.value}
        self._call("create", ctypes.byref(request), ctypes.byref(self._at))

    def _call(self, name: str, *arguments: Any) -> None:
        if self._at is None:
            raise Error(2, "the neighbour lists of GPU %d are closed" % self.reader)
        error = _CError()
        _check(getattr(self._lib, "hotset_sampler_" + name)(*arguments, ctypes.byref(error)), error)

    def _ids(self, plan: Plan) -> Any:
        return np.ascontiguousarray(plan.topology_ids(self.reader)).view(np.uint32)

    def _entries(self, ids: Any) -> int:
        count = self._indptr[ids.astype(np.int64) + 1] - self._indptr[ids]
        if len(count) and count.min() < 0:
            raise Error(3, "indptr of the graph is damaged: it falls")
        return int(count.sum())

    def handle(self) -> bytes:
        """What the processes of peers need to open these lists."""
        out = _CHandle()
        self._call("handle", self._at, ctypes.byref(out))
        return bytes(out)

    def open(self, handles: Dict[int, bytes]) -> None:
        """Opens the lists of peers, {gpu: what handle() gave there}. Error: one of them is missing."""
        for gpu in self.plan.peers(self.reader):
            if gpu not in handles:
                raise Error(2, "GPU %d reads lists of GPU %d, whose process is not there; start one process per GPU of its clique" % (self.reader, gpu))
            self._call("open", self._at, ctypes.byref(_CHandle.from_buffer_copy(handles[gpu])))
            self._opened.add(gpu)

    def sample(self, seeds: torch.Tensor, epoch: int, number: int) -> Tuple[List[torch.Tensor], List[int], List[int]]:
        """([vertices, rows, columns, edges], vertices known and draws made at the end of each level). Waits until they are drawn, not for the current stream."""
        seeds, ticket, sizes = integers(seeds, "seeds", self._out.name), ctypes.c_uint64(), _CSampled(ctypes.sizeof(_CSampled))
        if len(seeds) > self.batch:
            raise Error(2, "a mini-batch has %d seeds, and the sampler was made for %d; give store.sampler(batch_size=%d)" % (len(seeds), self.batch, len(seeds)))
        self._call("begin", self._at, seeds.data_ptr(), seeds.element_size(), len(seeds), int(seeds.device.type == "cpu"), epoch, number, self._out.stream(),
                   ctypes.byref(ticket))
        self._call("sizes", self._at, ticket, ctypes.byref(sizes))
        made = [self._out.rows(n, _LIKE) for n in (sizes.vertices, *(3 if self.places else 2) * (sizes.draws,))]
        self._call("take", self._at, ticket, *([address for _, address, _ in made] + [None])[:4], self._out.stream())
        return [self._out.done(out) for out, _, _ in made], list(sizes.found[:sizes.levels]), list(sizes.drawn[:sizes.levels])

    def ready(self, plan: Plan) -> None:
        """Raises Error where it cannot go on with another plan."""
        comparable(self.plan, plan)
        was, now = ({"sampler": "uniform", "frontier": "new", **p.workload} for p in (self.plan, plan))
        for name, mine in (("sampler", was["sampler"]), ("frontier", was["frontier"]), ("fanout", self.fanout)):
            if now.get(name) not in (mine, was.get(name)):
                raise Error(2, "the new plan's %s is %s, and the sampler draws by %s; make the store anew" % (name, now.get(name), mine))
        ids, closed = self._ids(plan), sorted(set(plan.peers(self.reader)) - self._opened)
        if closed:
            raise Error(2, "GPU %d would read lists of GPUs %s, whose memory it has not opened; make the store anew" % (self.reader, closed))
        if len(ids) and int(ids.max()) >= len(self._indptr) - 1:
            raise Error(3, "the plan names vertices beyond the graph's %d" % (len(self._indptr) - 1))
        if len(ids) > self._rows_room or self._entries(ids) > self.room:
            raise Error(5, "the plan has %d lists with %d neighbours for GPU %d, which has room for %d and %d; make the store anew, with a larger room of its "
                           "sampler" % (len(ids), self._entries(ids), self.reader, self._rows_room, self.room))

    def reload(self, plan: Plan) -> None:
        """Goes on with another plan. Peers must not draw meanwhile: call it between two meetings of all processes."""
        self.ready(plan)
        table, ids = plan.lookup(self.reader, "topology").block, self._ids(plan)
        self._call("reload", self._at, table.ctypes.data, ids.ctypes.data, len(ids), self._out.stream())
        self.plan = plan

    @property
    def counts(self) -> Dict[str, int]:
        """Lists visited by place, {"own": .., "peer": .., "host": ..}, and "lines" of host memory that this took. Waits for what has begun."""
        now = _CCounts(ctypes.sizeof(_CCounts))
        self._call("count", self._at, ctypes.byref(now))
        visits = now.visits[:now.memories + 2]
        own = visits[self.plan.gpus.index(self.reader)]
        return {"own": own, "peer": sum(visits[:-2]) - own, "host": visits[-2], "lines": now.lines}

    def close(self) -> None:
        """Gives everything back; processes of peers first say that they read no more."""
        at, self._at = self._at, None
        self._lib.hotset_sampler_free(at)

    def __del__(self) -> None:
        if getattr(self, "_at", None):
            self.close()


class GpuSampler(BaseSampler):  # type: ignore[misc,unused-ignore]
    """Draws on the GPU from lists where the plan puts them (Store.sampler): uniformly, without replacement.

    Draws are those of `hotset simulate` with the same seed, for mini-batch `number` of `epoch`: numbers go up with each mini-batch, set_epoch begins at 0. The
    process of the GPU samples: loaders need num_workers=0. It waits once per mini-batch, for the sizes of tensors, and not for what the GPU trains meanwhile.
    """

    def __init__(self, lists: CudaLists) -> None:
        self.lists, self.epoch, self.number, self._pid, self.torn = lists, 0, 0, os.getpid(), False

    def __reduce__(self) -> Any:
        raise Error(2, "a sampler on a GPU is of its own process; give the loader num_workers=0")

    def set_epoch(self, epoch: int, number: int = 0) -> None:
        """The next mini-batch is this one."""
        self.epoch, self.number = epoch, number

    @property
    def counts(self) -> Dict[str, int]:
        """As CudaLists.counts."""
        return self.lists.counts

    def sample_from_nodes(self, index: Any, **kwargs: Any) -> SamplerOutput:
        """A mini-batch of these seeds."""
        if getattr(index, "time", None) is not None:
            raise Error(2, "edges are not drawn by time on GPUs; use pyg-lib")
        out = self._sample(index.node)
        out.metadata = (index.input_id, index.time)
        return out

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> SamplerOutput:
        """A mini-batch of the ends of these edges, and of those that are drawn as negatives."""
        return edge_sample(index, self._sample, len(self.lists._indptr) - 1, False, None, neg_sampling)

    def _sample(self, seeds: torch.Tensor, time: Any = None) -> SamplerOutput:
        if os.getpid() != self._pid:
            raise Error(2, "a sampler on a GPU is of its own process; give the loader num_workers=0")
        if self.torn:
            raise Error(2, "a reload failed while lists were written; reload again, or make the store anew")
        if time is not None:
            raise Error(2, "edges are not drawn by time on GPUs; use pyg-lib")
        (node, row, column, *edge), found, drawn = self.lists.sample(seeds, self.epoch, self.number)
        self.number += 1
        if found[0] < len(seeds):  # some come again: loaders expect them all in front
            _, inverse = seeds.unique(return_inverse=True)
            first = torch.full((found[0],), len(seeds)).scatter_reduce_(0, inverse.cpu(), torch.arange(len(seeds)), "amin").sort().values
            place = torch.cat([first, torch.arange(len(seeds), len(seeds) + len(node) - found[0])]).to(node.device)
            node, row, column = torch.cat([seeds.long().to(node.device), node[found[0]:]]), place[row], place[column]
        known = [len(seeds), *(b - a for a, b in zip(found, found[1:]))]
        return SamplerOutput(node=node, row=column, col=row, edge=edge[0] if edge else None, batch=None, num_sampled_nodes=known,
                             num_sampled_edges=[b - a for a, b in zip(drawn, drawn[1:])])


__all__ = ["CudaLists", "GpuSampler", "graph_arrays", "why_not"]
