"""_exported.py - rows of `hotset export` on GPUs without the plan: the lists of a folder, gathered by libhotset_cuda (exported by hotset.torch_rows)."""
from __future__ import annotations

import struct
from typing import Any, Dict, List, Mapping, Sequence

import numpy as np
import torch

from ._cuda import CudaRows, library
from ._library import InputError, MissingError
from ._lookup import Lookup
from ._processes import Device, Processes, reached
from .peers import agreed, several


class Lists:
    """What CudaRows takes of a plan: which rows of a table each GPU holds (held: {gpu: ids in slot order}), and which GPUs it reads, nearest first."""

    cache_type = ""

    def __init__(self, peers: Mapping[int, Sequence[int]], held: Mapping[int, Any], vertices: int) -> None:
        self.gpus, self.vertices = list(peers), vertices
        self._peers, self._held = {gpu: list(of) for gpu, of in peers.items()}, {}
        for gpu in self.gpus:
            ids = np.asarray(held[gpu])
            if ids.ndim != 1 or ids.dtype.kind not in "iu" or (len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < vertices):
                raise InputError(3, "the rows of GPU %d are no list of ids below %d; export the plan again" % (gpu, vertices))
            self._held[gpu] = ids.astype(np.uint32)

    def peers(self, gpu: int) -> List[int]:
        """The GPUs that it reads, nearest first."""
        return self._peers[gpu]

    def feature_ids(self, gpu: int) -> Any:
        """The rows that a GPU holds, in slot order."""
        return self._held[gpu]

    def lookup(self, reader: int) -> Lookup:
        """The table of a reader, of layout "dense": rows come from its own memory, else from the first peer that has them."""
        bits = max(max((len(ids) for ids in self._held.values()), default=1) - 1, 1).bit_length()
        small = bits + (len(self.gpus) - 1).bit_length() <= 31
        entries: Any = np.full(self.vertices, -1, np.int32 if small else np.int64)
        for gpu in reversed([reader, *self._peers[reader]]):
            ids = self._held[gpu]
            entries[ids] = (self.gpus.index(gpu) << bits) + np.arange(len(ids))
        head = struct.pack("<8s5Q4I", b"hslook1", 64 + entries.nbytes, self.vertices, int((entries >= 0).sum()), 0, 64, 1, entries.itemsize, bits,
                           self.gpus.index(reader))
        return Lookup(np.concatenate([np.frombuffer(head, np.uint8), entries.view(np.uint8)]))


def device_of(gpu: int) -> Device:
    """The GPU of that number. MissingError: it is not there."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if gpu >= count:
        raise MissingError(4, "this process sees %d GPUs, and GPU %d is asked for" % (count, gpu))
    return Device("cuda:%d" % gpu)


def exported_rows(peers: Mapping[int, Sequence[int]], held: Mapping[int, Any], host: torch.Tensor, gpu: int, group: Any = None) -> Dict[int, CudaRows]:
    """{gpu: its CudaRows}: of this GPU, and where one process serves all of them, of every GPU that it reads. Each gathers a mini-batch by one launch.

    peers, held: as Lists. host: all rows of the table, in CPU memory, which is pinned. With torch.distributed all processes of the group call it, each with
    its own GPU, and where one of them fails all do. Error: GPU, library or a peer's process is missing, or memory is out.
    """
    lists, together = agreed(lambda: _lists(peers, held, host, gpu), several(group), group), several(group)
    processes = Processes(lists, gpu, group)
    mine = [gpu] if together else sorted(reached(lists, gpu))
    tables: Dict[int, CudaRows] = processes.agreed(lambda: {g: CudaRows(lists, g, host, device_of(g)) for g in mine})
    handles = processes.all(processes.agreed(lambda: {g: rows.handle() for g, rows in tables.items() if len(mine) > 1 or processes.group is not None}))
    every = {g: handle for of in handles for g, handle in of.items()}
    processes.agreed(lambda: _open(tables, every))
    return tables


def _open(tables: Dict[int, CudaRows], handles: Dict[int, bytes]) -> None:
    for rows in tables.values():
        rows.open(handles)


def _lists(peers: Mapping[int, Sequence[int]], held: Mapping[int, Any], host: torch.Tensor, gpu: int) -> Lists:
    """What can be refused before anything is taken."""
    device_of(gpu)
    library()
    return Lists(peers, held, len(host))
