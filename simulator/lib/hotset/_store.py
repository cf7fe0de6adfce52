"""_store.py - a plan in a running PyG job (exported by hotset.pyg): one Store per process and GPU.

    store = hotset.pyg.Store(plan, data, rank, device="cuda:0")      # a plan of hotset.graph(data); under torchrun rank and device may be left out
    loader = NeighborLoader(store, num_neighbors=[15, 10], input_nodes=store.seeds, batch_size=1024, shuffle=True, neighbor_sampler=store.sampler())
    for epoch in range(10):
        for batch in store.ahead(loader): ...                        # the next mini-batches are gathered meanwhile
    print(store.hits(), plan.expected())
"""
from __future__ import annotations

import collections
import os
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import numpy as np
import torch
import torch_geometric.typing  # type: ignore[import-untyped,unused-ignore]

from ._cuda import DEPTH_MAX, CudaRows
from ._cuda_sampler import CudaLists, GpuSampler, graph_arrays, why_not
from ._library import Error, Path
from ._plan import Plan
from ._loaded import Loaded
from .peers import agreed, several
from ._processes import Device, Processes
from ._running import Attach, say_unused
from .pyg import Planned, PlannedHetero
from .torch_rows import Key, row_ids


class Ahead:
    """Serves a table's rows to a feature store; while a loader is read ahead, a gather is started, and waited for when its mini-batch is handed out."""

    def __init__(self, rows: CudaRows, begun: List[Any]) -> None:
        self.rows, self._begun, self.device, self.host = rows, begun, rows.device, rows.host

    def gather(self, ids: torch.Tensor) -> torch.Tensor:
        """The rows: there at once for the current stream, or when the mini-batch is handed out."""
        begun = self.rows.begin(ids)
        if not self._begun:
            return self.rows.finish(begun)  # type: ignore[no-any-return]
        self._begun[-1].append((self.rows, begun))
        return begun[0]  # type: ignore[no-any-return]

    @property
    def counts(self) -> Dict[str, int]:
        """Rows by place: own memory, peers, host."""
        return self.rows.counts


def _attributes(data: Any, plan: Plan) -> Tuple[Any, Dict[str, Any], Dict[str, Any]]:
    """(x, arguments of Planned besides, other attributes of vertices) of a Data or HeteroData."""
    others: Dict[str, Any] = {}
    if plan.types == [""]:
        if getattr(data, "x", None) is None:
            raise TypeError("the store takes PyG's Data (HeteroData for plans of several types) with x, and this is a %s" % type(data).__name__)
        for name, value in data.items():
            if name != "x" and isinstance(value, torch.Tensor) and data.is_node_attr(name):
                others[name] = value
        return data.x, {}, others
    if not hasattr(data, "node_types"):
        raise TypeError("the plan is of several types: the store takes PyG's HeteroData, and this is a %s" % type(data).__name__)
    x: Dict[Key, Any] = {}
    for kind in data.node_types:
        for name, value in data[kind].items():
            if not isinstance(value, torch.Tensor) or not data[kind].is_node_attr(name):
                continue
            if name == "x":
                x[kind] = value
            else:
                others.setdefault(name, {})[kind] = value
    edges, folder = {}, plan.graph_folder()
    for number, r in enumerate(plan.document["graph"]["relations"]):
        relation = (r["source"], r["name"], r["target"])
        order = os.path.join(folder, "relation%d_edge_ids.npy" % number)
        if r["feature_dim"]:
            rows = data[relation].edge_attr
            edges[relation] = rows[torch.from_numpy(np.load(order).astype(np.int64))] if os.path.exists(order) else rows
    return x, {"edges": edges} if edges else {}, others


def _given(plan: Union[Plan, Path], data: Any, rank: Optional[int], device: Union[None, str, torch.device, Device], group: Any) -> Tuple[Any, ...]:
    """(plan, GPU, its Device where it is one, x, arguments of Planned besides) of Store's arguments, with no other process asked."""
    plan = plan if isinstance(plan, Plan) else Plan(plan)
    if rank is None:
        rank = torch.distributed.get_rank(group) if torch.distributed.is_available() and torch.distributed.is_initialized() else 0
    if not 0 <= rank < len(plan.gpus):
        raise Error(2, "rank %d: the plan has %d GPUs; start one process for each, or make a plan for as many" % (rank, len(plan.gpus)))
    if device is None:
        device = "cuda:%s" % os.environ.get("LOCAL_RANK", rank) if torch.cuda.is_available() else "cpu"
    if not isinstance(device, Device):
        device = Device(device) if torch.device(device).type == "cuda" else None
    x, named, others = _attributes(data, plan)
    return plan, plan.gpus[rank], device, x, {**named, **others}


class Store(Tuple[Any, Any]):
    """The rows of a plan for one process: the pair (feature store, graph store) that NeighborLoader and LinkNeighborLoader take.

    plan: a Plan, or its directory. data: the Data or HeteroData that the plan's graph was made of; x comes from where the plan puts it, other attributes of
    vertices from the host. rank: the position of this process's GPU in plan.gpus; left out, torch.distributed's, or 0. device: "cuda:1", or "cpu", where
    memory of the host stands in for the GPUs'; left out, LOCAL_RANK's GPU where there is one. prefetch: mini-batches that ahead() has on their way. room:
    rows that a GPU has room for, for plans to come (reload); left out, as many as the plan has. group: the processes of the plan (torch.distributed).

    On a GPU: x is pinned (bytes: how much of what), own memory filled, the memory of GPUs that this one reads opened by handles (no other process is asked
    for any), and each mini-batch gathered by one launch in a stream of its own. Rows that the plan rounds (--cache-type) are made of float32, and come out as
    float32. Not run on a GPU so far; tests/ptx and tests/lib/store.sh run what is below torch. The CPU samples (plans with sampling="cpu", as
    hotset.pyg.plan makes them), or, with sampling="gpu", a GPU does, from lists where the plan puts them: see sampler().

    Before stores of several processes go, let the processes come together (a barrier): peers read each other's memory.

    Edges of the graph are merged and sorted: e_id is a position in its indices.npy. Workers of loaders sample only: filter_per_worker=False.
    """

    planned: Any
    gpu: int

    def __new__(cls, plan: Union[Plan, Path], data: Any, rank: Optional[int] = None, device: Union[None, str, torch.device, Device] = None, prefetch: int = 2,
                room: Optional[int] = None, group: Any = None) -> "Store":
        """See the class."""
        of, gpu, gpus, x, named = agreed(lambda: _given(plan, data, rank, device, group), several(group), group)
        processes, folder = Processes(of, gpu, group), None
        if gpus is None and processes.group is not None:
            folder = processes.folder()
            named.update(gpu=gpu, shared=folder)
        if gpus is not None and why_not(of):
            say_unused(of, gpu, 2)
        try:
            planned = processes.agreed(lambda: (Planned if of.types == [""] else PlannedHetero)(of, of.graph_folder(), x, **named))
        finally:
            processes.remove(folder)
        tables: Dict[Key, CudaRows] = {}
        begun: List[Any] = []
        if gpus is not None:
            depth = min((prefetch + 2) * max(len(planned._keys), 1), DEPTH_MAX)
            tables = processes.agreed(lambda: {key: _table(of, gpu, key, planned._host(key), gpus, room, depth) for key in planned._keys})
            handles = processes.all((gpu, processes.agreed(lambda: {key: rows.handle() for key, rows in tables.items()} if processes.group is not None else {})))
            processes.agreed(lambda: _open(tables, dict(handles)))
            planned._rows.update({(gpu, key): Ahead(rows, begun) for key, rows in tables.items()})
        store = super().__new__(cls, (planned.store(gpu), planned.graph))
        store.planned, store.gpu, store.prefetch = planned, gpu, max(prefetch, 0)
        store._tables, store._begun, store._processes, store._folder, store.group = tables, begun, processes, folder, group
        store._device, store._sampler = gpus, None
        return store

    prefetch: int
    group: Any
    _tables: Dict[Key, CudaRows]
    _begun: List[Any]
    _processes: Processes
    _folder: Optional[str]
    _device: Optional[Device]
    _sampler: Optional[Tuple[GpuSampler, Tuple[Any, ...]]]

    def __reduce__(self) -> Any:
        """In a worker of a loader: the pair that samples, and gathers nothing."""
        return tuple, ((self[0], self[1]),)

    def __repr__(self) -> str:
        return "<hotset store: GPU %d of %s>" % (self.gpu, self.planned.plan)

    @property
    def plan(self) -> Plan:
        """The plan that is served."""
        of: Plan = self.planned.plan
        return of

    @property
    def bytes(self) -> Dict[str, int]:
        """What it takes: "device", "pinned". On the CPU nothing is pinned."""
        parts: List[Any] = [*self._tables.values(), *([self._sampler[0].lists] if self._sampler else [])]
        return {place: sum(part.bytes[place] for part in parts) for place in ("device", "pinned")}

    @property
    def seeds(self) -> torch.Tensor:
        """The training vertices that the plan assigns to this GPU: input_nodes of a loader (of one type, else seeds_of(type))."""
        return self.seeds_of(None)

    def seeds_of(self, type: Optional[str]) -> torch.Tensor:
        """The training vertices of a type that the plan assigns to this GPU."""
        return torch.from_numpy(self.plan.train_ids(self.gpu, type).astype(np.int64))

    def sampler(self, num_neighbors: Optional[List[int]] = None, batch_size: Optional[int] = None, seed: int = 0, edges: bool = True, room: int = 0) -> Any:
        """neighbor_sampler= of a loader. Where the plan puts neighbour lists on GPUs and the store is on one: a GpuSampler, the same at each call. Else None
        where PyG can sample by itself (pyg-lib, torch-sparse), or a sampler of hotset's on the CPU.

        On a GPU all processes of the clique call it. The graph is pinned, too, and lists of the plan fill the GPU's memory (bytes says how much). Graphs of one
        type, uniform samplers, fan-outs of 1 to 64. batch_size: most seeds (ends of edges), the plan's where left out. edges: batches have e_id, for 8 bytes more
        per list. room: neighbours that a GPU has room for, for plans to come. Loaders need num_workers=0.
        """
        if self._device is not None and not why_not(self.plan, num_neighbors):
            work = self.plan.workload
            ends = 2 * (1 + work.get("negatives", 0)) if str(work.get("seeds", "")).startswith("edges") else 1
            return self._on_gpu((list(num_neighbors or self.plan.fanout()), batch_size or self.plan.batch * ends, seed, edges, room))
        if torch_geometric.typing.WITH_PYG_LIB or torch_geometric.typing.WITH_TORCH_SPARSE:
            return None
        return self.planned.sampler(self.gpu, num_neighbors) if self.plan.types == [""] else self.planned.sampler(self.gpu)

    def _on_gpu(self, of: Tuple[Any, ...]) -> GpuSampler:
        if self._sampler is not None:
            if self._sampler[1] != of:
                raise Error(2, "the store's sampler was made with other arguments, %s; make another store, or store.planned.sampler(gpu, num_neighbors)" % (self._sampler[1],))
            return self._sampler[0]
        fanout, batch, seed, edges, room = of
        graph = graph_arrays(self.planned.graph, self._processes)
        lists: CudaLists = self._processes.agreed(lambda: CudaLists(self.plan, self.gpu, graph, self._device, fanout, batch, seed, edges, room))
        handles = self._processes.all((self.gpu, self._processes.agreed(lambda: lists.handle() if self._processes.group is not None else b"")))
        self._processes.agreed(lambda: lists.open(dict(handles)))
        self._sampler = GpuSampler(lists), of
        return self._sampler[0]

    def visits(self) -> Dict[str, int]:
        """Neighbour lists visited so far by place, as hits, by the sampler of this store: beside topology_visits of a simulation."""
        if self._sampler is None:
            return self.planned.visits(self.gpu)  # type: ignore[no-any-return]
        return {place: n for place, n in self._sampler[0].counts.items() if place != "lines"}

    @property
    def with_edges(self) -> Any:
        """transform= of a loader: puts feature rows of edges into batch[relation].edge_attr; None where the graph has none."""
        return self.planned._with_edges(self.gpu, None) if self.plan.relations else None

    def ahead(self, loader: Iterable[Any]) -> Iterator[Any]:
        """The mini-batches of a loader of this store, `prefetch` of which are on their way while one is used. On the CPU one after the other, as where the
        loader has a transform, which may read rows.
        """
        transform = getattr(loader, "transform", None)
        if not self._tables or not self.prefetch or (transform.transform if isinstance(transform, Attach) else transform) is not None:
            yield from loader
            return
        waiting: "collections.deque[Tuple[Any, List[Any]]]" = collections.deque()
        source, more = iter(loader), True
        begun: List[Any] = []
        try:
            while more or waiting:
                while more and len(waiting) <= self.prefetch:
                    begun = []
                    self._begun.append(begun)
                    try:
                        batch = next(source)
                    except StopIteration:
                        more = False
                    finally:
                        self._begun.pop()
                    if more:
                        waiting.append((batch, begun))
                if waiting:
                    batch, begun = waiting.popleft()
                    _finish(begun)
                    yield batch
        finally:  # left early: tensors may go only when nothing writes to them any more
            for left in (begun, *(one for _, one in waiting)):
                _finish(left)

    def hits(self) -> Any:
        """Rows read so far by place, {"own": .., "peer": .., "host": ..} (of several types {type or relation: ..}): beside plan.expected(gpu), which is of an
        epoch. Waits for the mini-batches on their way: once per epoch.
        """
        if not self._tables:
            return self.planned.counts(self.gpu)
        found = {key: rows.counts for key, rows in self._tables.items()}
        return found[""] if self.plan.types == [""] else found

    def replay(self, batches: Any, **options: Any) -> Any:
        """A loader over the mini-batches that `hotset simulate P --export-batches DIR` wrote: after a pass hits() are those of the simulation."""
        return self.planned.replay(batches, self.gpu, **options)

    def reload(self, plan: Union[Plan, Path]) -> Loaded:
        """Goes on with another plan of the same graph, between two mini-batches, with none on its way. All processes of the clique call it. Error: the plan
        cannot be served here; then nothing has changed, or, where a GPU failed while it loaded, the store serves no row until a reload succeeds.
        """
        new: Plan = self._processes.agreed(lambda: plan if isinstance(plan, Plan) else Plan(plan))
        if not self._tables:
            try:
                return self._processes.agreed(lambda: self.planned.reload(new))  # type: ignore[no-any-return]
            finally:
                self._processes.remove(self._folder)
        loaded = Loaded([self.gpu])
        tables = self._processes.agreed(lambda: self._ready(new))
        self[0].torn = True  # where one of them fails from here on, tables and memories are of two plans, until another reload mends it
        moved = self._processes.agreed(lambda: {key: self._tables[key].reload(table) for key, table in tables.items()})  # nobody gathers now
        if self._sampler is not None:
            sampler, self._sampler[0].torn = self._sampler[0], True
            self._processes.agreed(lambda: sampler.lists.reload(new))
            sampler.torn = False
        self[0].torn = False
        for key, count in moved.items():
            loaded.rows[None, self.gpu] = loaded.rows.get((None, self.gpu), 0) + count
            loaded[self.gpu] += count
        self.planned.plan = new
        return loaded

    def _ready(self, new: Plan) -> Dict[Key, Any]:
        self.planned._check(new)
        tables = {key: _of(new, key) for key in self._tables}
        for key, rows in self._tables.items():
            rows.ready(tables[key])
        if self._sampler is not None:
            self._sampler[0].lists.ready(new)
        return tables


def _finish(begun: List[Any]) -> None:
    while begun:
        rows, one = begun.pop(0)
        rows.finish(one)


def _of(plan: Plan, key: Key) -> Plan:
    return plan if plan.types == [""] else plan.table("edge_feature" if isinstance(key, tuple) else "feature", key)


def _table(plan: Plan, gpu: int, key: Key, host: torch.Tensor, device: Device, room: Optional[int], depth: int) -> CudaRows:
    held = len(row_ids(plan, gpu, key))
    return CudaRows(_of(plan, key), gpu, host, device, min(held if room is None else room, len(host)), depth)


def _open(tables: Dict[Key, CudaRows], handles: Dict[int, Dict[Key, bytes]]) -> None:
    for key, rows in tables.items():
        rows.open({gpu: of[key] for gpu, of in handles.items() if key in of})
