"""_topology.py - reads neighbour lists from where a plan puts them."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["PlannedTopology", "Topology"]

Ids = NDArray[Any]


class _Lists:
    """Neighbour lists behind each other: those of `held` vertices in slot order, or, when it is None, of all."""

    def __init__(self, indptr: Any, indices: Any, held: Any = None) -> None:
        if held is None:
            self.first, self.at, self.ids = indptr, indptr, indices
            return
        held = np.asarray(held, np.int64)
        self.first = indptr[held]  # in the graph: draws are named by their position there
        length = indptr[held + 1] - self.first
        self.at = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)])
        self.ids = indices[np.arange(self.at[-1]) + np.repeat(self.first - self.at[:-1], length)]


class Topology:
    """Neighbour lists of a graph on the host. graph: anything with indptr (int64) and indices, arrays of the graph directory.

    counts: {"own": visits, "peer": visits, "host": visits} so far. A visit reads where the list of one vertex lies, and some of it.
    """

    def __init__(self, graph: Any) -> None:
        self._host, self._own = _Lists(graph.indptr, graph.indices), -2
        self._of: Tuple[Any, ...] = (graph,)
        self._memory: Dict[int, _Lists] = {}
        self._find: Any = lambda vertices: (np.full(len(vertices), -1), vertices)
        self.counts = {"own": 0, "peer": 0, "host": 0}

    def go_on(self, other: "Topology") -> None:
        """Reads as another one from now on, and counts on."""
        self.__dict__.update(other.__dict__, counts=self.counts)

    def __reduce__(self) -> Any:
        return type(self), self._of, {"counts": self.counts}

    def visit(self, vertices: Ids) -> "Visit":
        """Visits these vertices: a Visit, which reads their lists."""
        memory, slot = self._find(vertices)
        here = {m: np.flatnonzero(memory == m) for m in np.unique(memory).tolist()}
        for m, those in here.items():
            self.counts["own" if m == self._own else "peer" if m >= 0 else "host"] += len(those)
        return Visit([(self._memory.get(m, self._host), those, slot[those]) for m, those in here.items()], len(vertices))


class PlannedTopology(Topology):
    """The same where a plan puts them, as GPU `reader` reads them; in CPU memory, which stands in for the GPUs'. The lists of the reader and its peers are
    copied out of the graph.
    """

    def __init__(self, plan: Any, reader: int, graph: Any) -> None:
        super().__init__(graph)
        self._of = (plan, reader, graph)
        self._find = plan.lookup(reader, "topology").find
        self._own = plan.gpus.index(reader)
        self._memory = {plan.gpus.index(gpu): _Lists(graph.indptr, graph.indices, plan.topology_ids(gpu)) for gpu in (reader, *plan.peers(reader))}


class Visit:
    """Vertices visited. begin: where the list of each begins in indices.npy; degree: its length."""

    def __init__(self, parts: Any, count: int) -> None:
        self._parts, self.begin, self.degree = parts, np.empty(count, np.int64), np.empty(count, np.int64)
        self._place, self._shift = np.empty(count, np.int64), np.empty(count, np.int64)
        for k, (lists, those, slot) in enumerate(parts):
            self.begin[those], self.degree[those] = lists.first[slot], lists.at[slot + 1] - lists.at[slot]
            self._place[those], self._shift[those] = k, lists.at[slot] - lists.first[slot]

    def neighbours(self, of: Ids, edge: Ids) -> Ids:
        """The neighbours at positions `edge` of indices.npy, each in the list of the vertex number `of`. int64."""
        out, place, at = np.empty(len(of), np.int64), self._place[of], edge + self._shift[of]
        for k, (lists, _, _) in enumerate(self._parts):
            here = np.flatnonzero(place == k)
            out[here] = lists.ids[at[here]]
        return out
