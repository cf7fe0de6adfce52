"""typed_tables.py - one table of a typed plan with the methods of a Plan, so that what serves a plan's rows and lists serves those of a type or relation."""
import types

import numpy as np


class TypedTable:
    """The feature rows of a type, the neighbour lists of a relation, or the feature rows of its edges, as a TypedPlan places them.

    vertices: rows of the table. ids: ids(gpu), the rows that a GPU holds, in slot order.
    """

    def __init__(self, plan, vertices, ids):
        self.gpus, self.peers, self.vertices, self._ids, self._found = plan.gpus, plan.peers, vertices, ids, {}

    def feature_ids(self, gpu):
        return self._ids(gpu)

    topology_ids = feature_ids

    def lookup(self, reader, which="feature", layout="dense"):
        """entries[row] >> slot_bits: position in gpus of what serves the row to `reader`, -1 for the host; entries[row] & slot_mask: its slot there."""
        if reader not in self._found:
            held = {gpu: self._ids(gpu) for gpu in [reader, *self.peers(reader)]}
            bits = max(1, *(len(ids).bit_length() for ids in held.values()))
            entries = np.full(self.vertices, -1 << bits, np.int32 if bits + 9 < 32 else np.int64)
            for gpu in reversed(held):  # nearer sources overwrite
                entries[held[gpu]] = self.gpus.index(gpu) << bits | np.arange(len(held[gpu]))
            self._found[reader] = types.SimpleNamespace(entries=entries, slot_bits=bits, slot_mask=(1 << bits) - 1, find=lambda rows: self.find(reader, rows))
        return self._found[reader]

    def find(self, reader, rows):
        """(memory, slot) of rows: position in gpus, or -1 and the row itself for the host."""
        table = self.lookup(reader)
        entry = table.entries[rows]
        memory = entry >> table.slot_bits
        return memory, np.where(memory < 0, rows, entry & table.slot_mask)
