"""pyg.py - a plan in PyTorch Geometric: a feature store and a graph store, and loaders over each GPU's planned training vertices in their planned order.

    import hotset.pyg
    data = hotset.pyg.Planned("P", "G", x="features.npy", y=labels)    # plan and graph directories; arrays, tensors or .npy files with a row per vertex
    loader = data.loader(gpu)
    for epoch in range(10):
        for batch in loader:                                           # batch.x, .y, .edge_index, .batch_size, .n_id, .e_id as from NeighborLoader
            loss = f(model(batch.x, batch.edge_index)[:batch.batch_size], batch.y[:batch.batch_size])
    print(data.counts(gpu))                                            # rows served by own memory, peers, host

One process per GPU: Planned(.., gpu=rank, shared="/dev/shm/job7"). Without GPUs CPU memory stands in for theirs.

PyG's own loaders take the stores, too: NeighborLoader((data.store(gpu), data.graph), .., filter_per_worker=False). PyG's own sampler reads neighbour lists
from the host always; data.sampler(gpu) reads them where the plan puts them, and data.visits(gpu) counts them.

For graphs with several node types: the same call gives a PlannedHetero (_pyg_hetero.py).
"""
from __future__ import annotations

import json
import os
import time
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
import torch
import torch_geometric.typing  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.data import EdgeAttr, FeatureStore, GraphStore, TensorAttr  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.data.graph_store import EdgeLayout  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.loader import NodeLoader  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.sampler import BaseSampler, NeighborSampler, SamplerOutput  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.sampler.neighbor_sampler import edge_sample  # type: ignore[import-untyped,unused-ignore]

import hotset

from ._library import Path
from ._plan import Plan
from ._batches import Batch, Batches
from ._graphs import made_on, wanted
from ._observed import Observer
from ._orders import EpochOrder
from ._recorder import Recorder
from ._rows import check_width
from ._running import Attach, Memory, Running, usable
from ._topology import PlannedTopology, Topology
from ._torch_draw import draw
from .torch_rows import Key, Rows, as_tensor, planned_rows
from ._pyg_hetero import HeteroFeatures, HeteroGraph, HeteroReplay, HeteroSampler, PlannedHetero

__all__ = ["Store", "plan", "Drift", "Planned", "PlannedFeatures", "PlannedGraph", "PlannedOrder", "Sampler", "Replay", "PlannedHetero", "HeteroFeatures", "HeteroGraph",
           "HeteroSampler", "HeteroReplay"]


class PlannedFeatures(FeatureStore):  # type: ignore[misc,unused-ignore]
    """Attributes of vertices for one GPU. The first is read where the plan puts it, by `_rows` (see planned_rows); others from the host.

    Gathers must run in the process that made the store: loaders need filter_per_worker=False.
    """

    def __init__(self, rows: Any, others: Optional[Mapping[str, torch.Tensor]] = None, name: str = "x") -> None:
        super().__init__()
        self.rows, self.name, self.others = rows, name, dict(others or {})
        self._pid, self.torn, self.gathering = os.getpid(), False, 0.0

    def __getstate__(self) -> Dict[str, Any]:
        return dict(self.__dict__, rows=None, others={}, _pid=-1)  # workers sample, and gather nothing

    def _get_tensor(self, attr: TensorAttr) -> Optional[torch.Tensor]:
        usable(self)
        rows, index = self.others.get(attr.attr_name), attr.index
        if attr.attr_name != self.name:
            return rows if index is None or rows is None else rows.index_select(0, index.to(rows.device))
        if index is None:
            whole: torch.Tensor = self.rows.host
            return whole
        started = time.perf_counter()
        found: torch.Tensor = self.rows.gather(index if hasattr(self.rows, "device") else index.cpu())
        self.gathering += time.perf_counter() - started  # on a GPU: until the kernels were started
        return found

    def _get_tensor_size(self, attr: TensorAttr) -> Optional[Tuple[int, ...]]:
        host = self.rows.host if attr.attr_name == self.name else self.others.get(attr.attr_name)
        return None if host is None else tuple(host.shape)

    def _put_tensor(self, tensor: torch.Tensor, attr: TensorAttr) -> bool:
        if attr.attr_name == self.name or attr.index is not None:
            return False  # the planned rows are copied into GPU memory: they do not change
        self.others.update(_named({attr.attr_name: tensor}, len(self.rows.host), "vertex"))
        return True

    def _remove_tensor(self, attr: TensorAttr) -> bool:
        return self.others.pop(attr.attr_name, None) is not None

    def get_all_tensor_attrs(self) -> List[TensorAttr]:
        """What loaders ask the store for."""
        return [TensorAttr(None, name) for name in (self.name, *self.others)]  # new ones each time: loaders write into them


class PlannedGraph(GraphStore):  # type: ignore[misc,unused-ignore]
    """A graph directory as PyG's CSC: column v lists the vertices that v draws from, so e_id is a position in indices.npy."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        with open(os.path.join(wanted(path, {}), "graph.json"), encoding="utf-8") as f:
            about = json.load(f)
        self.vertices, self.edges, self.fingerprint = about["vertices"], about["edges"], about.get("fingerprint")
        self.indptr = np.load(os.path.join(path, "indptr.npy"), mmap_mode="r")
        self.indices = np.load(os.path.join(path, "indices.npy"), mmap_mode="r")
        self.path, self.about = path, about
        self._index: Optional[Tuple[torch.Tensor, torch.Tensor]] = None

    def __reduce__(self) -> Any:
        return type(self), (self.path,)  # another process maps the arrays, too

    def listed(self, name: str) -> Optional["np.ndarray[Any, Any]"]:
        """labels (class of each vertex, -1: none), valid or test (vertex ids) of the graph directory, mapped; None where it has none."""
        count = {"labels": "label_classes", "valid": "valid_vertices", "test": "test_vertices"}[name]
        found: Optional[np.ndarray[Any, Any]] = np.load(os.path.join(self.path, name + ".npy"), mmap_mode="r") if self.about.get(count) else None
        return found

    def _get_edge_index(self, edge_attr: EdgeAttr) -> Optional[Tuple[torch.Tensor, torch.Tensor]]:
        if edge_attr.layout != EdgeLayout.CSC:
            return None
        if self._index is None:  # PyG's samplers need int64: 8 bytes per edge, made when one asks
            self._index = torch.from_numpy(self.indices.astype(np.int64)), torch.from_numpy(self.indptr.astype(np.int64))
        return self._index

    def _put_edge_index(self, edge_index: Any, edge_attr: EdgeAttr) -> bool:
        return False

    def _remove_edge_index(self, edge_attr: EdgeAttr) -> bool:
        return False

    def get_all_edge_attrs(self) -> List[EdgeAttr]:
        """What samplers ask the store for."""
        return [EdgeAttr(edge_type=None, layout=EdgeLayout.CSC, is_sorted=True, size=(self.vertices, self.vertices))]


class PlannedOrder(EpochOrder):
    """Positions in plan.train_ids(gpu), in the order of plan.epoch_order(gpu, seed, epoch). Each pass is the next epoch; set_epoch chooses one."""

    def __init__(self, plan: Plan, gpu: int, seed: int = 0, epoch: int = 0, even: bool = False) -> None:
        super().__init__(plan, gpu, seed, epoch, plan.train_ids(gpu), even=even)


class Sampler(BaseSampler):  # type: ignore[misc,unused-ignore]
    """Draws neighbours uniformly, without replacement, as NeighborLoader does; for PyG without pyg-lib and torch-sparse, and for every frontier.

    fanout: most neighbours per vertex, one number per hop, -1 for all. frontier: "new" expands the vertices that the hop before found, "all" all of them.
    topology: a PlannedTopology, to read neighbour lists where a plan puts them; left out, they are read from the graph. Draws come from torch's generator,
    which loaders seed in each worker.
    """

    def __init__(self, graph: PlannedGraph, fanout: List[int], frontier: str = "new", topology: Optional[Topology] = None) -> None:
        self.graph, self.fanout, self.frontier, self.topology = graph, list(fanout), frontier, topology or Topology(graph)
        self._place: Optional[torch.Tensor] = None

    def sample_from_nodes(self, index: Any, **kwargs: Any) -> SamplerOutput:
        """A mini-batch of these seeds."""
        out = self._sample(index.node)
        out.metadata = (index.input_id, index.time)
        return out

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> SamplerOutput:
        """A mini-batch of the ends of these edges, and of those that are drawn as negatives."""
        return edge_sample(index, self._sample, self.graph.vertices, False, None, neg_sampling)

    def _sample(self, seeds: torch.Tensor, time: Any = None) -> SamplerOutput:
        if time is not None:
            raise NotImplementedError("edges are not drawn by time here; use pyg-lib")
        seeds = seeds.long()
        if self._place is None:
            self._place = torch.full((self.graph.vertices,), -1, dtype=torch.int64)
        place, known, found = self._place, [seeds], seeds
        place[seeds] = torch.arange(len(seeds))
        rows, columns, edges, sizes, drawn = [], [], [], [len(seeds)], []
        for fanout in self.fanout:
            targets = found if self.frontier == "new" else torch.cat(known)
            of, edge, ids = self._draw(targets, fanout)
            found = ids[place[ids] < 0].unique()
            place[found] = torch.arange(len(found)) + sum(sizes)
            known.append(found)
            sizes.append(len(found))
            rows.append(place[ids])
            columns.append(place[targets][of])
            edges.append(edge)
            drawn.append(len(edge))
        node = torch.cat(known)
        place[node] = -1
        return SamplerOutput(node=node, row=torch.cat(rows), col=torch.cat(columns), edge=torch.cat(edges), batch=None, num_sampled_nodes=sizes,
                             num_sampled_edges=drawn)

    def _draw(self, targets: torch.Tensor, fanout: int) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """(position in targets, edge, neighbour) of each draw, grouped by target."""
        return draw(self.topology, targets, fanout)


class Replay(BaseSampler):  # type: ignore[misc,unused-ignore]
    """The mini-batches of `hotset simulate P --export-batches DIR` in a real loader: the counts must be those of the simulation. See Planned.replay.

    topology: a PlannedTopology, from which every neighbour is read; its counts are then the visits of the simulation.
    """

    def __init__(self, batches: Batches, gpu: int, topology: Optional[Topology] = None) -> None:
        self.batches, self.gpu, self.topology = batches, gpu, topology

    def _read_neighbours(self, topology: Topology, batch: Batch) -> None:
        for hop in batch.hops:
            order = np.argsort(hop.expanded, kind="stable")
            of = order[np.searchsorted(hop.expanded[order], batch.vertices[hop.rows])]
            if not np.array_equal(topology.visit(hop.expanded).neighbours(of, hop.edges), batch.vertices[hop.columns]):
                raise hotset.Error(3, "mini-batch %d of epoch %d has other neighbours than the graph; export the mini-batches again" % (batch.number, batch.epoch))

    def sample_from_nodes(self, index: Any, **kwargs: Any) -> SamplerOutput:
        """A mini-batch of these seeds."""
        batch = self.batches.read(self.gpu, int(index.node[0]))
        if self.topology is not None:
            self._read_neighbours(self.topology, batch)
        places = [np.concatenate([getattr(hop, name) for hop in batch.hops]).astype(np.int64) for name in ("columns", "rows", "edges")]
        row, col, edge = map(torch.from_numpy, places)  # PyG's row is where a message comes from: the neighbour drawn
        found = [batch.seed_vertices] + [hop.found for hop in batch.hops]
        return SamplerOutput(node=torch.from_numpy(batch.vertices.astype(np.int64)), row=row, col=col, edge=edge, batch=None,
                             num_sampled_nodes=[found[0]] + [b - a for a, b in zip(found, found[1:])], num_sampled_edges=[len(hop.edges) for hop in batch.hops],
                             metadata=(torch.arange(batch.seed_vertices), index.time))

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> SamplerOutput:
        """NotImplementedError: always."""
        raise NotImplementedError("mini-batches are replayed as they are; use NodeLoader")


class _Observer(Observer):
    def __init__(self, path: Optional[Path], gpu: int, store: PlannedFeatures, row_bytes: int, per_epoch: Optional[int], recorder: Optional[Recorder]) -> None:
        self.store, self.per_epoch, self.epoch = store, per_epoch, 0
        super().__init__(path, gpu, None, row_bytes, recorder)

    @property
    def rows(self) -> Any:
        return self.store.rows  # others after a reload

    @rows.setter
    def rows(self, rows: Any) -> None:
        pass

    @property
    def gathering(self) -> float:
        return self.store.gathering

    @gathering.setter
    def gathering(self, seconds: float) -> None:
        pass  # the store counts


class _Observed(NodeLoader):  # type: ignore[misc,unused-ignore]
    """Writes a line of counters after each epoch."""

    observer: _Observer

    def __iter__(self) -> Iterator[Any]:
        of = self.observer
        epoch = getattr(self.sampler, "epoch", of.epoch)
        of.epoch = epoch + 1
        return of.watch(super().__iter__(), epoch, of.per_epoch)


class Planned(Running):
    """A plan, its graph, and attributes of vertices and edges, for PyG.

    plan, graph: directories (or a hotset.Plan). x: features, a row per vertex; further attributes of vertices by name, as y=labels; without y it is
    the graph's labels, where the graph directory has some. edges: {name: a row per
    edge, by position in indices.npy}; loaders set batch[name] to the rows of batch.e_id. An attribute is a tensor, an array, or the path of a .npy file.

    gpu: the GPU of this process, where each GPU has one; the others are then not filled. shared: a folder in which such processes meet (hotset.peers.share);
    memory: {gpu: rows} of this GPU and its peers, as hotset.peers.symmetric gives them on GPUs, or, without gpu, of all GPUs, on their devices. Left out: this
    process fills the memories of all GPUs in CPU memory.

    record: a folder in which they count what they read, per vertex, for hotset.recorded and the next plan (hotset.Recorder).
    observe: a file to which loaders of training vertices append a line per epoch that they finish, for `hotset observe P FILE`. One file may serve all processes.
    """

    def __new__(cls, plan: Union[Plan, Path], graph: Any, *rest: Any, **named: Any) -> Any:
        """Of a graph with several types: a PlannedHetero, whose x and further attributes are {type: rows}."""
        plan = plan if isinstance(plan, hotset.Plan) else hotset.Plan(plan)
        return super().__new__(cls) if plan.types == [""] else PlannedHetero(plan, graph, *rest, **named)

    def __init__(self, plan: Union[Plan, Path], graph: Union[PlannedGraph, Path], x: Rows, edges: Optional[Mapping[str, Rows]] = None, gpu: Optional[int] = None,
                 shared: Optional[Path] = None, memory: Optional[Dict[int, torch.Tensor]] = None, observe: Optional[Path] = None, record: Optional[Path] = None,
                 **others: Rows) -> None:
        self._arguments = dict(others, graph=graph, x=x, edges=edges, memory=memory, observe=observe, record=record)
        self.plan = plan if isinstance(plan, hotset.Plan) else hotset.Plan(plan)
        self.graph = graph if isinstance(graph, PlannedGraph) else PlannedGraph(graph)
        labels = self.graph.listed("labels")
        if "y" not in others and labels is not None:
            others["y"] = labels
        self.x, self.others, self.edge_rows = as_tensor(x), _named(others, self.graph.vertices, "vertex"), _named(edges, self.graph.edges, "edge")
        if len(self.x) != self.graph.vertices:
            raise hotset.Error(2, "x has %d rows, the graph %d vertices" % (len(self.x), self.graph.vertices))
        self._check(self.plan)
        self.observe = observe
        self._begin(gpu, shared, None if memory is None else self._by_key(memory), [""])
        self.recorder = None if record is None else hotset.Recorder(record, self.plan)
        if shared is not None and gpu is not None:
            self._planned(gpu, "")  # each process waits for its peers

    def store(self, gpu: Optional[int] = None) -> PlannedFeatures:
        """The PlannedFeatures of a GPU: for loaders of PyG and cugraph-pyg, as data[0] beside `graph`."""
        gpu = self._gpu(gpu)
        if gpu not in self._stores:
            self._stores[gpu] = PlannedFeatures(self._planned(gpu, ""), self.others)
        found: PlannedFeatures = self._stores[gpu]
        return found

    def _check(self, plan: Plan) -> None:
        plan.check_graph(self.graph.vertices, self.graph.edges)
        made_on(plan, self.graph.path, self.graph.about, ("indptr", "indices"))
        check_width(plan, self.x[:1].numel() * self.x.element_size(), "x")

    def _host(self, key: Key) -> torch.Tensor:
        return self.x

    def _by_key(self, memory: Any) -> Memory:
        return {"": dict(memory)}

    def _serving(self, plan: Plan, gpu: int, key: Key, memory: Dict[int, torch.Tensor]) -> Any:
        return planned_rows(plan, gpu, self.x, memory)

    def _lists(self, plan: Plan, gpu: int) -> Dict[Any, Any]:
        return {"": PlannedTopology(plan, gpu, self.graph)}

    def _set_rows(self, gpu: int, store: Any) -> None:
        store.rows = self._rows[gpu, ""]

    def counts(self, gpu: Optional[int] = None) -> Dict[str, int]:
        """Rows served to this GPU so far: {"own": .., "peer": .., "host": ..}."""
        found: Dict[str, int] = self.store(gpu).rows.counts
        return found

    def topology(self, gpu: Optional[int] = None) -> PlannedTopology:
        """The PlannedTopology of a GPU: for samplers, here or of your own."""
        gpu = self._gpu(gpu)
        if gpu not in self._topologies:
            self._topologies[gpu] = self._lists(self.plan, gpu)
        found: PlannedTopology = self._topologies[gpu][""]
        return found

    def visits(self, gpu: Optional[int] = None) -> Dict[str, int]:
        """Neighbour lists visited for this GPU so far, as counts: by data.sampler and replay in this process, so with num_workers=0, the default."""
        return self.topology(gpu).counts

    def sampler(self, gpu: Optional[int] = None, num_neighbors: Optional[List[int]] = None) -> Sampler:
        """A Sampler that reads neighbour lists where the plan puts them: sampler= of loader. num_neighbors: the plan's fan-outs when left out."""
        work, gpu = self.plan.workload, self._gpu(gpu)
        return Sampler(self.graph, num_neighbors or work["fanout"], work.get("frontier", "new"), self.topology(gpu))

    def loader(self, gpu: Optional[int] = None, num_neighbors: Optional[List[int]] = None, seed: int = 0, sampler: Optional[BaseSampler] = None,
               vertices: Union[None, str, Rows] = None, even: bool = False, **options: Any) -> NodeLoader:
        """A loader over the planned training vertices of a GPU, in their planned order; each pass is the next epoch (loader.sampler.set_epoch chooses one).

        num_neighbors: the plan's fan-outs when left out. sampler: a torch_geometric BaseSampler of your own. vertices: others than these, ids or "valid" or
        "test" for those of the graph directory, in their order unless options say otherwise. even: as many mini-batches as on every other GPU, some vertices twice
        (hotset.EpochOrder). options: of NodeLoader and DataLoader, as num_workers, transform.
        """
        gpu, work = self._gpu(gpu), self.plan.workload
        fanout = num_neighbors or work.get("fanout")
        if sampler is None:
            if work.get("sampler", "uniform") != "uniform":
                warnings.warn("the plan was made for sampler %s, and this loader draws uniformly: other rows are hot; pass sampler=, or plan with --sampler uniform"
                              % work["sampler"], stacklevel=2)
            if not fanout:
                raise hotset.Error(2, "the plan states no fan-outs; pass num_neighbors")
            sampler = self._sampler(gpu, fanout, work.get("frontier", "new"))
        options, training = dict({"batch_size": self.plan.batch}, **options), vertices is None
        if training:
            vertices, options["sampler"] = self.plan.train_ids(gpu), PlannedOrder(self.plan, gpu, seed, even=even)
        return self._node_loader(gpu, sampler, self._vertices(vertices), options, observed=training)

    def _vertices(self, given: Any) -> torch.Tensor:
        ids = self.graph.listed(given) if isinstance(given, str) else given
        if ids is None:
            raise hotset.Error(2, "the graph directory lists no %s vertices; import it with --%s" % (given, given))
        return torch.as_tensor(np.asarray(ids).astype(np.int64))

    def replay(self, batches: Union[Batches, Path], gpu: Optional[int] = None, **options: Any) -> NodeLoader:
        """A loader over exported mini-batches (hotset.Batches, or their folder) of a GPU: after one pass, counts() and visits() are those of the simulation."""
        gpu = self._gpu(gpu)
        batches = batches if isinstance(batches, hotset.Batches) else hotset.Batches(batches)
        batches.check(self.plan)
        return self._node_loader(gpu, Replay(batches, gpu, self.topology(gpu)), torch.arange(batches.per_epoch(gpu) * batches.epochs), dict(options, batch_size=1),
                                 batches.per_epoch(gpu))

    def _sampler(self, gpu: int, fanout: List[int], frontier: str) -> BaseSampler:
        """PyG's own where it can be: it needs pyg-lib or torch-sparse, and expands new vertices only."""
        if frontier != "new" or not (torch_geometric.typing.WITH_PYG_LIB or torch_geometric.typing.WITH_TORCH_SPARSE):
            return Sampler(self.graph, fanout, frontier, self.topology(gpu))
        return NeighborSampler((self.store(gpu), self.graph), fanout)

    def _node_loader(self, gpu: int, sampler: BaseSampler, nodes: torch.Tensor, options: Dict[str, Any], per_epoch: Optional[int] = None,
                     observed: bool = True) -> NodeLoader:
        if options.get("filter_per_worker"):
            raise hotset.Error(2, "filter_per_worker=True gathers in worker processes, which have no GPU and lose the counts; leave it out")
        options.update(filter_per_worker=False, transform=self._with_edges(options.get("transform")))
        observed = observed and (self.observe is not None or self.recorder is not None)
        make = _Observed if observed else NodeLoader
        loader = make((self.store(gpu), self.graph), node_sampler=sampler, input_nodes=nodes, input_id=torch.arange(len(nodes)), **options)
        if observed:
            loader.observer = _Observer(self.observe, gpu, self.store(gpu), self.x[:1].numel() * self.x.element_size(), per_epoch, self.recorder)
        return loader

    def _with_edges(self, transform: Optional[Callable[[Any], Any]]) -> Optional[Callable[[Any], Any]]:
        def attach(batch: Any) -> None:
            for name, rows in self.edge_rows.items():
                batch[name] = rows.index_select(0, batch.e_id.to(rows.device))

        return Attach(attach, transform) if self.edge_rows else transform


def __getattr__(name: str) -> Any:
    if name in ("Store", "plan", "Drift"):  # which need this module
        from ._drift import Drift
        from ._plans import plan
        from ._store import Store
        return {"Store": Store, "plan": plan, "Drift": Drift}[name]
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def _named(given: Optional[Mapping[str, Rows]], rows: int, what: str) -> Dict[str, torch.Tensor]:
    out = {name: as_tensor(x) for name, x in (given or {}).items()}
    for name, x in out.items():
        if len(x) != rows:
            raise hotset.Error(2, "%s has %d rows, expected one per %s: %d" % (name, len(x), what, rows))
    return out
