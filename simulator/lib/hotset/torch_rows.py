"""torch_rows.py - PlannedRows with PyTorch, for memories on any device: those of GPUs, of peers' processes, or of the CPU."""
from __future__ import annotations

import math
import warnings
from typing import Any, Dict, Mapping, Optional, Union

import numpy as np
import torch

import hotset

from ._library import Path
from ._plan import Plan, Relation
from ._rows import check_width

#: Rows as they are handed over: a tensor, an array, or the path of a .npy file.
Rows = Union[torch.Tensor, "np.ndarray[Any, Any]", Path]
Key = Union[str, Relation]  # a type, or a relation whose edges have features


def as_tensor(x: Rows) -> torch.Tensor:
    """A torch tensor over the same memory: of a tensor, an array, or the path of a .npy file, which is mapped and may be read only."""
    if isinstance(x, torch.Tensor):
        return x
    array: np.ndarray[Any, Any] = x if isinstance(x, np.ndarray) else np.load(x, mmap_mode="r")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a mapped file is not writable: nothing here writes
        return torch.from_numpy(array)


def rounded(rows: torch.Tensor, element: str) -> torch.Tensor:
    """What GPUs hold of these rows (`plan --cache-type`): in that element type where index_select takes it, else its values in a wider one."""
    if element in ("f16", "bf16"):
        return rows.to(torch.float16 if element == "f16" else torch.bfloat16)
    if element == "f8":
        return rows.clamp(-448, 448).to(torch.float8_e4m3fn).to(torch.bfloat16)
    if element == "i8":
        flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))  # a row has one factor, however many dimensions
        scale = _scale(flat)
        return (((flat / scale).round() + 0.0) * scale).reshape(rows.shape)  # there is no -0
    return rows


def _scale(rows: torch.Tensor) -> torch.Tensor:
    return rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-30) / 127


def held_bytes(rows: torch.Tensor, element: str) -> torch.Tensor:
    """The same of float32 rows [n, ..] as the bytes that libhotset_cuda reads (enum hotset_held): uint8 [n, bytes of a row]."""
    rows = rows.reshape(len(rows), -1)
    if element == "i8":
        scale = _scale(rows)
        return torch.cat([(rows / scale).round().to(torch.int8).view(torch.uint8), scale.contiguous().view(torch.uint8)], 1)
    held = rows.clamp(-448, 448).to(torch.float8_e4m3fn) if element == "f8" else rounded(rows, element)
    return held.contiguous().view(torch.uint8)


def row_ids(plan: Plan, gpu: int, key: Key) -> "np.ndarray[Any, Any]":
    """Rows of a table that a GPU holds, in slot order: vertices of a type, or positions of edges of a relation."""
    return plan.feature_ids(gpu, key) if isinstance(key, str) else plan.edge_ids(gpu, key)


def held_rows(plan: Plan, gpu: int, key: Key, host: torch.Tensor) -> torch.Tensor:
    """What a GPU holds of a table, in slot order. host: all rows of the table."""
    check_width(plan.table("edge_feature" if isinstance(key, tuple) else "feature", key), host[:1].numel() * host.element_size(), "x" if not key else str(key))
    element = plan.cache_types.get(key, "")
    held = rounded(host.index_select(0, torch.from_numpy(row_ids(plan, gpu, key).astype(np.int64))), element)
    if element in ("i8", "f8") and held.element_size() > 1:
        warnings.warn("rows that the plan counts as %s are held as %s: the values are those of %s, and memories take %d times the bytes" % (
            element, str(held.dtype).split(".")[-1], element, held.element_size()), stacklevel=2)
    return held


class Entries:
    """A Lookup on any device: entries by vertex id, -1 for the host. Of a ranked table it has the words and the entries, 1/4 byte per vertex and those of rows."""

    def __init__(self, table: Any, device: torch.device) -> None:
        self.entries = torch.from_numpy(table.entries).to(device)
        words = getattr(table, "words", None)
        self.words = None if words is None else torch.from_numpy(words.view("<i8").reshape(-1, 2)).to(device)  # 64 bits; how many are set before them

    def of(self, ids: torch.Tensor) -> torch.Tensor:
        """entries [len(ids)]."""
        if self.words is None:
            return self.entries.index_select(0, ids)
        if not len(self.entries):
            return torch.full((len(ids),), -1, dtype=torch.int64, device=ids.device)
        ids = ids.long()
        word, bit = self.words.index_select(0, ids >> 6), torch.ones_like(ids) << (ids & 63)
        at = word[:, 1] + _count_bits(word[:, 0] & (bit - 1))
        return torch.where((word[:, 0] & bit) != 0, self.entries.index_select(0, at.clamp(max=len(self.entries) - 1)), -1)


def _count_bits(x: torch.Tensor) -> torch.Tensor:
    """The number of set bits of every int64, of which the highest is not set."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    return (((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101) >> 56


class TorchRows:
    """As hotset.PlannedRows (see there), by index_select place by place. Memories on GPUs are read where they lie, if the reader's GPU has access to them.

    host: [vertices, ..], a tensor in CPU memory, pinned or not. memory: {gpu: rows in slot order} of the reader and its peers. The result lies where the
    reader's memory does. Where the plan has a cache_type, memories are tensors of that type (torch.float16, ..; of "i8" the rows times their scales), and
    rows are returned in the host's. On one CPU thread this takes two to five times as long as PlannedRows; on GPUs it has not been run.
    """

    def __init__(self, plan: Any, reader: int, host: torch.Tensor, memory: Mapping[int, torch.Tensor]) -> None:
        self.plan, self.reader, self.host, self.memory = plan, reader, host, memory
        self.device = memory[reader].device
        table = plan.lookup(reader)
        self._bits, self._mask, self._entry = table.slot_bits, table.slot_mask, Entries(table, self.device)
        self._served = np.zeros(len(plan.gpus) + 1, np.int64)  # the last: the host

    def gather(self, ids: torch.Tensor) -> torch.Tensor:
        """The rows of these vertices, [len(ids), ..] in the host's type. ids: integers [n] on any device. IndexError: an id is beyond the graph."""
        ids = ids.to(self.device)
        if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < self.plan.vertices:
            raise IndexError("vertex ids must lie in 0..%d" % (self.plan.vertices - 1))
        entry = self._entry.of(ids)
        memory, slot = entry >> self._bits, entry & self._mask
        order, counts = memory.argsort(), torch.bincount(memory.long() + 1, minlength=len(self._served)).tolist()
        out = torch.empty((len(ids), *self.host.shape[1:]), dtype=self.host.dtype, device=self.device)
        for m, here in zip(range(-1, len(self.plan.gpus)), order.split(counts)):
            if len(here):
                rows, at = (self.host, ids) if m < 0 else (self.memory[self.plan.gpus[m]], slot)
                found = rows.index_select(0, at.index_select(0, here).to(rows.device))
                out.index_copy_(0, here, found.to(self.device, non_blocking=True).to(out.dtype))
                self._served[m] += len(here)
        return out

    def take_counts(self, other: Any) -> None:
        """Counts on from where another object was, of the same GPUs."""
        self._served[:] = list(other.served.values())

    @property
    def served(self) -> Dict[Optional[int], int]:
        """{gpu: rows that it served}, and None: those of the host."""
        return dict(zip([*self.plan.gpus, None], self._served.tolist()))

    @property
    def counts(self) -> Dict[str, int]:
        """Rows by place: own memory, peers, host."""
        own, host = int(self._served[self.plan.gpus.index(self.reader)]), int(self._served[-1])
        return {"own": own, "peer": int(self._served.sum()) - own - host, "host": host}


def exported_rows(*arguments: Any, **named: Any) -> Any:
    """Rows that a folder of `hotset export` lists, gathered on GPUs by libhotset_cuda: see hotset._exported.exported_rows."""
    from . import _exported  # which needs this module
    return _exported.exported_rows(*arguments, **named)


def planned_rows(plan: Plan, reader: int, host: torch.Tensor, memory: Optional[Mapping[int, torch.Tensor]] = None) -> Union[hotset.PlannedRows, TorchRows]:
    """hotset.PlannedRows where all memories are the CPU's, else TorchRows. Error: the plan rounds rows, and no memories are given."""
    if not plan.cache_type and (memory is None or all(rows.device.type == "cpu" for rows in memory.values())):
        return hotset.PlannedRows(plan, reader, host, memory, threads=torch.get_num_threads())
    if memory is None:
        raise hotset.Error(2, "the plan's GPUs hold rows as %s: give the memories, tensors of that type" % plan.cache_type)
    return TorchRows(plan, reader, host, memory)
