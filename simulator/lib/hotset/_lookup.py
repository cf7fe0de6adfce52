"""_lookup.py - the table that says where the row of a vertex lies."""
from __future__ import annotations

import ctypes
from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

from ._arrays import _ids_of
from ._library import _CError, _CLookup, _WORD, _check, _lib

Ids = NDArray[Any]


class Lookup:
    """A table that says where the row of a vertex lies. It needs neither the plan nor the library.

    entries: int32 (int64 for very long lists), memory << slot_bits | slot; -1 for rows that the host serves. memory is a position in plan.gpus.
    layout "dense": entries[v] for every vertex; on a GPU  e = entries[ids]; slot = e & slot_mask; memory = e >> slot_bits  (-1 stays -1).
    layout "ranked": bit v % 64 of words["bits"][v // 64] says whether v is in reach; its entry is number words["before"][v // 64] + lower set bits.
    block: the whole table as bytes, for a copy on a GPU and kernels that include hotset.h (hotset_find).
    """

    def __init__(self, block: NDArray[np.uint8]) -> None:
        head = _CLookup.from_buffer_copy(block[:64].tobytes())
        self.block = block[:head.bytes]
        self.layout = {1: "dense", 2: "ranked"}[head.layout]
        self.vertices, self.rows, self.slot_bits, self.slot_mask = head.vertices, head.rows, head.slot_bits, (1 << head.slot_bits) - 1
        count = head.vertices if head.layout == 1 else head.rows
        self.entries = self.block[head.entries_at:][:count * head.entry_bytes].view("<i%d" % head.entry_bytes)
        self.words: Any = self.block[head.words_at:][:(head.vertices // 64 + 1) * 16].view(_WORD) if head.layout == 2 else None

    def entry(self, ids: Any) -> Ids:
        """The entries of these vertices (any integer array), -1 for the host."""
        ids = np.asarray(ids)
        if ids.size and (ids.min() < 0 or ids.max() >= self.vertices):
            raise IndexError("vertex ids must lie in 0..%d" % (self.vertices - 1))
        if self.layout == "dense":
            return np.asarray(self.entries[ids])
        ids = ids.astype(np.uint64)
        word, bit = self.words[ids >> np.uint64(6)], np.uint64(1) << (ids & np.uint64(63))
        held = (word["bits"] & bit) != 0
        at = word["before"] + _count_bits(word["bits"] & (bit - np.uint64(1)))
        out = np.full(ids.shape, -1, self.entries.dtype)
        out[held] = self.entries[at[held]]
        return out

    def find(self, ids: Any) -> Tuple[Ids, Ids]:
        """(memory, slot) of these vertices. memory: a position in plan.gpus (int32); -1 for the host, and then slot (int64) is the vertex itself."""
        ids = np.asarray(ids)
        at, count, width, kept = _ids_of(ids.reshape(-1))
        memory, slot, error = np.empty(ids.shape, np.int32), np.empty(ids.shape, np.int64), _CError()
        code = _lib.hotset_find_rows(self.block.ctypes.data, at, width, count, 0, memory.ctypes.data, slot.ctypes.data, ctypes.byref(error))
        if code == 3:
            raise IndexError(error.text.decode(errors="replace"))
        _check(code, error)
        return memory, slot


def _count_bits(x: Ids) -> Ids:
    """The number of set bits of every uint64."""
    if hasattr(np, "bitwise_count"):
        bits: Ids = np.bitwise_count(x).astype(np.int64)
        return bits
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    counted: Ids = ((x * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.int64)
    return counted
