"""_plan.py - a plan directory, of a graph with one type or several."""
from __future__ import annotations

import collections
import ctypes
import functools
import os
import shutil
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from ._library import Error, Path, _CError, _CGraph, _COptions, _CRequest, _CTable, _Handle, _View, _check, _lib
from ._lookup import Lookup
from ._result import Result

Ids = NDArray[Any]
Relation = Tuple[str, str, str]
_FEATURE, _TOPOLOGY, _TRAIN = 0, 1, 2
_KINDS = ("feature", "topology", "edge_feature")
_LAYOUTS = {"smallest": 0, "dense": 1, "ranked": 2}

#: Bytes that a runtime allocates on one GPU, known before any array is read. lookup: the most bytes of the table of plan.lookup(gpu).
Bytes = collections.namedtuple("Bytes", ["budget", "feature", "topology", "index", "train", "dynamic", "lookup"])


class _Rows:
    """The rows of one table of a plan, which they keep open."""

    def __init__(self, owner: "_Handle", at: Any):
        self.owner, self.at = owner, at


class Plan(Result):
    """A plan directory, opened and checked (checksums, ranges, budgets); and a Result: document is plan.json, rows are its GPUs.

    path: the directory. threads: 0 for all processors. check=False opens in milliseconds, without reading the arrays. memory_limit: bytes that the
    checks may allocate. Raises Error when the plan is damaged. Threads may share an object.

    Of a graph with several types a plan has a table of rows for each type ("feature"), each relation ("topology"), and each relation whose edges have features
    ("edge_feature"): plan.table("feature", "paper") has all calls of a Plan over the rows of that table, where `vertices` counts them, and feature_ids(gpu,
    "paper") is short for plan.table("feature", "paper").feature_ids(gpu). kind and name say which table a Plan is; name is "" for all others.
    """

    kind, trains, element = "", True, ""

    def __init__(self, path: Path, threads: int = 0, check: bool = True, memory_limit: int = 0):
        options = _COptions(ctypes.sizeof(_COptions), threads, 0 if check else 3, 0, memory_limit)
        self.name: Any = ""
        self._opened, self._number = (threads, check, memory_limit), -1
        self._kept: Any = None
        self._graph: Any = None  # what the plan was made on, which goes with it where it is temporary
        #: Of a plan that hotset.refresh made: what was decided and what is to load, a Result.
        self.moved: Optional[Result] = None
        self.yes = True
        self._read(_Handle(path, options), path)

    def _read(self, handle: Any, path: Path) -> None:
        self._handle = handle
        p = self._p
        #: The directory.
        self.path = os.fspath(path)
        #: The server's numbers of the plan's GPUs. Memory m of a table is GPU plan.gpus[m].
        self.gpus: List[int] = [_lib.hotset_gpu_id(p, g) for g in range(_lib.hotset_gpus(p))]
        self._position = {gpu: g for g, gpu in enumerate(self.gpus)}
        self.vertices, self.edges = int(_lib.hotset_vertices(p)), int(_lib.hotset_edges(p))
        self.feature_dim, self.row_bytes = int(_lib.hotset_feature_dim(p)), int(_lib.hotset_row_bytes(p))
        #: Bytes of a feature row on a GPU: fewer than row_bytes where cache_type ("f16", "bf16", "f8", "i8") is not "".
        self.cached_row_bytes = int(_lib.hotset_cached_row_bytes(p))
        texts = [_lib.hotset_text(p, k).decode(errors="replace") for k in range(9)]
        self.policy, self.server, self.graph, self.fingerprint, self.sampler, self.topology_access, self.dynamic_cache, self.order = texts[:8]
        self.cache_type = texts[8]
        #: Training vertices per mini-batch and GPU.
        self.batch = int(_lib.hotset_batch(p))

    # ---- tables of rows

    @functools.cached_property
    def tables(self) -> List["Plan"]:
        """The tables of rows of a graph with several types, numbered as in hotset.h; of other graphs [this plan]."""
        whole = _lib.hotset_table_rows(self._p, 0) == (self._p.value if hasattr(self._p, "value") else self._p)
        return [self] if whole or self.kind else [self._open_table(k) for k in range(_lib.hotset_tables(self._p))]

    def _open_table(self, at: int) -> "Plan":
        about, error = _CTable(ctypes.sizeof(_CTable)), _CError()
        _check(_lib.hotset_table_about(self._p, at, ctypes.byref(about), ctypes.byref(error)), error)
        of = Plan.__new__(Plan)
        of.yes, of.moved, of._opened, of._number, of._graph = True, None, self._opened, at, self._graph
        of.kind, of.trains = _KINDS[about.kind], bool(about.train)
        text = [None if x is None else x.decode() for x in (about.source, about.relation, about.type)]
        of.name, of.element, of._kept = text[2] if text[1] is None else tuple(text), about.element.decode(), self._kept
        of._read(_Rows(self._handle, _lib.hotset_table_rows(self._p, at)), self.path)
        return of

    @property
    def types(self) -> List[str]:
        """The types of the graph; [""] where it has one only."""
        return [t.name for t in self.tables if t.kind == "feature"] or [""]

    @property
    def relations(self) -> List[Relation]:
        """The relations of the graph, (source, name, target) each; [] where it has one only."""
        return [t.name for t in self.tables if t.kind == "topology"]

    @property
    def cache_types(self) -> Dict[Any, str]:
        """{type or relation: element type} where GPUs hold rows in another element type than the host."""
        return {t.name: t.cache_type for t in self.tables if t.cache_type}

    def table(self, kind: str, name: Union[str, Relation]) -> "Plan":
        """A table by its kind, "feature", "topology" or "edge_feature", and its name, a type or (source, relation, target). KeyError: the plan has none."""
        if kind not in _KINDS:
            raise Error(2, "%r is no kind of rows; expected one of %s" % (kind, ", ".join(_KINDS)))
        text = name if isinstance(name, str) else "%s-%s->%s" % tuple(name)
        at = _lib.hotset_find_table(self._p, _KINDS.index(kind), text.encode(), 0)
        if at < 0:
            raise KeyError("the plan has no table of %s rows of %s" % (kind, text or "one type"))
        return self.tables[at] if len(self.tables) > 1 else self

    def edge_ids(self, gpu: int, relation: Relation) -> Ids:
        """Positions in the relation's indices of the edges whose feature rows the GPU caches, in fill order."""
        return self.table("edge_feature", relation)._ids(gpu, _FEATURE)

    def fanout(self, relation: Optional[Relation] = None) -> List[int]:
        """Most neighbours drawn per vertex, one number per hop; of a relation where the graph has several."""
        fanout = self.workload["fanout"]
        if relation is None or not isinstance(fanout, dict):
            return list(fanout)
        return list(fanout.get("%s-%s->%s" % tuple(relation)) or [0] * len(next(iter(fanout.values()))))

    # ---- a Result

    @functools.cached_property
    def _printed(self) -> bytes:  # type: ignore[override]
        with open(os.path.join(self.path, "plan.json"), "rb") as f:
            return f.read()

    def save(self, path: Path) -> None:
        """Copies the plan directory to `path`, where nothing may be yet; a graph that was temporary becomes its folder `graph`, where commands find it."""
        shutil.copytree(self.path, path)
        if self._graph is not None and self._graph.temporary:
            self._graph.save(os.path.join(path, "graph"))

    def __reduce__(self) -> Any:
        """Another process opens the directory for itself. One that is temporary goes with the object that made it."""
        return _reopened, (os.path.abspath(self.path), self._opened, self._number), {"moved": self.moved}

    def graph_folder(self) -> str:
        """Where the graph lies that the plan was made on: as it states, in its own folder, or beside it, as the program looks for it. Error: nowhere."""
        stated = str(self.document["graph"].get("path") or "")
        above = os.path.dirname(os.path.abspath(self.path))
        for path in (stated, os.path.join(self.path, "graph"), os.path.join(above, stated), os.path.join(above, "..", stated)):
            if stated and os.path.exists(os.path.join(path, "graph.json")):
                return path
        raise Error(3, "%s: the graph that it was made on was at %s, where it is no more; put it there again" % (self.path, stated or "a place that it does not state"))

    def __fspath__(self) -> str:
        return self.path

    def expected(self, gpu: Optional[int] = None) -> Any:
        """Feature rows by place that an epoch reads, the mean of those that the plan's simulation counted: {"own": .., "peer": .., "host": ..} of a GPU, or {gpu: those} of all;
        with several types {type: ..} of each. What a job reads is a sample of the same. Error: the plan was made without a simulation.
        """
        simulated = self.document.get("simulated")
        if not simulated:
            raise Error(4, "%s was made without a simulation (simulate_epochs=0), so it expects nothing; run hotset.simulate(plan)" % self.path)

        def rows(of: Dict[str, Any]) -> Dict[str, int]:
            return {place: round(of[name] / simulated["epochs"]) for place, name in (("own", "local"), ("peer", "peer"), ("host", "host"))}

        def of(one: Dict[str, Any]) -> Any:
            if self.types == [""]:
                return rows(one["feature_rows"])
            return {t["type"]: rows(t["reads"]) for t in one["tables"] if t["kind"] == "feature"}

        found = {one["id"]: of(one) for one in simulated["gpus"]}
        return found if gpu is None else found[self.gpus[self._at(gpu)]]

    # ---- facts and lists

    @property
    def _p(self) -> Any:
        return self._handle.at

    @property
    def workload(self) -> Dict[str, Any]:
        """What the plan was made for, as plan.json states it: {"fanout": [..], "batch": .., "frontier": .., "sampler": .., ..}."""
        found: Dict[str, Any] = self.document["workload"]
        return found

    def __repr__(self) -> str:
        if self.kind:
            return "<hotset table: %s of %s, %d rows>" % (self.kind, self.name, self.vertices)
        return "<hotset plan: policy %s, %d GPUs, %d vertices>" % (self.policy, len(self.gpus), self.vertices)

    def _at(self, gpu: int) -> int:
        if gpu not in self._position:
            raise KeyError("GPU %r is not in the plan, which has %s" % (gpu, self.gpus))
        return self._position[gpu]

    def _ids(self, gpu: int, which: int) -> Ids:
        count = ctypes.c_uint64()
        address = _lib.hotset_ids(self._p, self._at(gpu), which, ctypes.byref(count))
        if not count.value:
            return np.empty(0, np.int32)
        # vertex ids beyond 2^31 need the unsigned type, which torch can hold but not index with
        kind = "<i4" if self.vertices <= 1 << 31 else "<u4"
        return np.asarray(_View(self._handle, address, count.value, kind))

    def feature_ids(self, gpu: int, type: Optional[str] = None) -> Ids:
        """The vertices (of a type) whose feature rows this GPU caches, in fill order: slot k holds feature_ids(gpu)[k]. int32, a read-only view of the file."""
        return (self if type is None else self.table("feature", type))._ids(gpu, _FEATURE)

    def topology_ids(self, gpu: int, relation: Optional[Relation] = None) -> Ids:
        """The vertices whose neighbour lists (of a relation) this GPU caches, in fill order. int32, a read-only view of the file."""
        return (self if relation is None else self.table("topology", relation))._ids(gpu, _TOPOLOGY)

    def train_ids(self, gpu: int, type: Optional[str] = None) -> Ids:
        """The training vertices (of a type) of this GPU, from which its mini-batches are cut. int32, a read-only view of the file."""
        return (self if type is None else self.table("feature", type))._ids(gpu, _TRAIN)

    def epoch_order(self, gpu: int, seed: int, epoch: int) -> Ids:
        """The training vertices of this GPU in the order in which an epoch takes them, by the plan's rule (plan.order): mini-batch b is
        epoch_order(..)[b * plan.batch:(b + 1) * plan.batch]. With seed and epoch of a simulation these are the mini-batches that it judged; a training run
        takes a seed of its own, and epochs 0, 1, .. int32.
        """
        count, error = ctypes.c_uint64(), _CError()
        _lib.hotset_ids(self._p, self._at(gpu), _TRAIN, ctypes.byref(count))
        out = np.empty(count.value, np.int32 if self.vertices <= 1 << 31 else np.uint32)
        _check(_lib.hotset_epoch_order(self._p, self._at(gpu), seed, epoch, count.value, out.ctypes.data, ctypes.byref(error)), error)
        return out

    def peers(self, gpu: int) -> List[int]:
        """The GPUs that may serve this one over NVLink, in serving order: the widest link first."""
        return self._numbers(_lib.hotset_peers, gpu, self.gpus.__getitem__)

    def peer_links(self, gpu: int) -> List[int]:
        """The number of NVLinks to each of peers(gpu); 0 where the plan does not state it."""
        return self._numbers(_lib.hotset_peer_links, gpu, int)

    def _numbers(self, function: Any, gpu: int, convert: Any) -> List[int]:
        count = ctypes.c_int()
        values = function(self._p, self._at(gpu), ctypes.byref(count))
        return [convert(values[i]) for i in range(count.value)]

    def clique(self, gpu: int) -> int:
        """The number of the NVLink clique of this GPU."""
        return int(_lib.hotset_gpu_clique(self._p, self._at(gpu)))

    def dynamic_rows(self, gpu: int) -> int:
        """The capacity in rows of this GPU's dynamic cache (plan.dynamic_cache names its rule); 0 for plans with fixed rows."""
        return int(_lib.hotset_dynamic_rows(self._p, self._at(gpu)))

    def bytes(self, gpu: int, layout: str = "smallest") -> Bytes:
        """The bytes that a runtime allocates on this GPU: a Bytes tuple."""
        g = self._at(gpu)
        tables = [t for t in self.tables if t.kind in ("", "feature", "edge_feature") or t is self]
        return Bytes._make([_lib.hotset_bytes(self._p, g, k) for k in range(6)] + [sum(t.lookup_bytes(gpu, layout=layout)[0] for t in tables)])

    def _request(self, gpu: int, kind: Optional[str], layout: str, threads: int) -> _CRequest:
        of = _TOPOLOGY if (kind or self.kind) == "topology" else _FEATURE
        r = _CRequest(struct_bytes=ctypes.sizeof(_CRequest), gpu=self._at(gpu), list=of, layout=_LAYOUTS[layout], threads=threads)
        return r

    def lookup_bytes(self, gpu: int, kind: Optional[str] = None, layout: str = "smallest") -> Tuple[int, int]:
        """(the most bytes of the table, the most host memory that building it takes)."""
        table, working, error = ctypes.c_uint64(), ctypes.c_uint64(), _CError()
        r = self._request(gpu, kind, layout, 1)
        _check(_lib.hotset_lookup_bytes(self._p, ctypes.byref(r), ctypes.byref(table), ctypes.byref(working), ctypes.byref(error)), error)
        return table.value, working.value

    def lookup(self, gpu: int, kind: Optional[str] = None, layout: str = "smallest", threads: int = 0) -> Lookup:
        """The table vertex -> (memory, slot) for reads of this GPU, over "feature" or "topology" rows; those of the table, or features,
        when kind is left out.

        layout "dense" has one entry per vertex of the graph, the simplest to index on a GPU. "ranked" has a bit per vertex and an entry per row in reach,
        which is smaller when most vertices are not cached. "smallest" chooses the smaller of both. See Lookup.
        """
        bytes_, _ = self.lookup_bytes(gpu, kind, layout)
        block = np.empty(bytes_ + 64, np.uint8)
        block = block[-block.ctypes.data % 64:][:bytes_]
        r = self._request(gpu, kind, layout, threads)
        r.buffer, r.buffer_bytes = block.ctypes.data, bytes_
        out, error = ctypes.c_void_p(), _CError()
        _check(_lib.hotset_lookup_build(self._p, ctypes.byref(r), ctypes.byref(out), ctypes.byref(error)), error)
        return Lookup(block)

    def check_graph(self, vertices: int, edges: int, fingerprint: Optional[str] = None, indptr: Any = None) -> None:
        """Raises Error unless the plan was made for this graph. indptr: int64 row offsets, with which the bytes of topology rows are checked as well."""
        if indptr is not None:
            indptr = np.ascontiguousarray(indptr, np.int64)
            if indptr.shape != (vertices + 1,):
                raise Error(2, "indptr has shape %s, expected (%d,)" % (indptr.shape, vertices + 1))
        g = _CGraph(ctypes.sizeof(_CGraph), 0, vertices, edges, fingerprint.encode() if fingerprint else None, indptr.ctypes.data if indptr is not None else None)
        error = _CError()
        _check(_lib.hotset_check_graph(self._p, ctypes.byref(g), ctypes.byref(error)), error)


def _reopened(path: str, opened: Tuple[int, bool, int], number: int) -> Plan:
    plan = Plan(path, *opened)
    return plan if number < 0 else plan.tables[number]
