"""joined.py - the rows of a type that GPUs hold in two forms, rounded and exact, as one table with the methods of a Plan."""
from __future__ import annotations

import types
from typing import Any, Callable, Dict, Tuple

import numpy as np
from numpy.typing import NDArray

from ._plan import Plan


class JoinedTable:
    """Rows of a plan. vertices: rows of the table. ids: ids(gpu), the rows that a GPU holds, in slot order."""

    def __init__(self, plan: Plan, vertices: int, ids: Callable[[int], NDArray[Any]]) -> None:
        self.gpus, self.peers, self.vertices, self._ids = plan.gpus, plan.peers, vertices, ids
        self._found: Dict[int, Any] = {}

    def feature_ids(self, gpu: int) -> NDArray[Any]:
        """The rows that a GPU holds, in slot order."""
        return self._ids(gpu)

    def lookup(self, reader: int, which: str = "feature", layout: str = "dense") -> Any:
        """entries[row] >> slot_bits: position in gpus of what serves the row to `reader`, -1 for the host; entries[row] & slot_mask: its slot there."""
        if reader not in self._found:
            held = {gpu: self._ids(gpu) for gpu in [reader, *self.peers(reader)]}
            bits = max(1, *(len(ids).bit_length() for ids in held.values()))
            entries = np.full(self.vertices, -1 << bits, np.int32 if bits + 9 < 32 else np.int64)
            for gpu in reversed(held):  # nearer sources overwrite
                entries[held[gpu]] = self.gpus.index(gpu) << bits | np.arange(len(held[gpu]))
            self._found[reader] = types.SimpleNamespace(entries=entries, slot_bits=bits, slot_mask=(1 << bits) - 1, find=lambda rows: self.find(reader, rows))
        return self._found[reader]

    def find(self, reader: int, rows: NDArray[Any]) -> Tuple[NDArray[Any], NDArray[Any]]:
        """(memory, slot) of rows: position in gpus, or -1 and the row itself for the host."""
        table = self.lookup(reader)
        entry = table.entries[rows]
        memory = entry >> table.slot_bits
        return memory, np.where(memory < 0, rows, entry & table.slot_mask)
