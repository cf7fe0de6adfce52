"""_pyg_hetero.py - a plan of a graph with several node types in PyTorch Geometric (exported by hotset.pyg): stores by type and relation, loaders of HeteroData.

    data = hotset.pyg.PlannedHetero("P", "G", x={"paper": papers, "author": "authors.npy"}, y={"paper": labels})
    loader = data.loader(gpu)                        # batch[type].x, .y, .n_id; batch[relation].edge_index, .e_id, as from NeighborLoader on HeteroData
    print(data.counts(gpu))                          # {type: rows served by own memory, peers, host}
    data.observe("job.jsonl", gpu, epoch, len(loader))   # after an epoch, for `hotset observe P job.jsonl`

Memories in CPU memory stand in for GPUs'; on GPUs it has not been run.
"""
from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
import torch
import torch_geometric.typing  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.data import EdgeAttr, FeatureStore, GraphStore, TensorAttr  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.data.graph_store import EdgeLayout  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.loader import NodeLoader  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.sampler import BaseSampler, HeteroSamplerOutput, NeighborSampler  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.sampler.neighbor_sampler import edge_sample  # type: ignore[import-untyped,unused-ignore]

from ._library import Error, Path
from ._plan import Plan, Relation
from ._batches import Batches
from ._graphs import made_on, wanted
from ._observed import observe
from ._orders import EpochOrder
from ._recorder import Recorder
from ._running import Attach, Running, usable
from ._topology import PlannedTopology, Topology
from ._torch_draw import draw
from .torch_rows import Key, Rows, as_tensor, planned_rows

__all__ = ["PlannedHetero", "HeteroFeatures", "HeteroGraph", "HeteroSampler", "HeteroReplay"]


class HeteroFeatures(FeatureStore):  # type: ignore[misc,unused-ignore]
    """Attributes of vertices by type, for one GPU. x is read where the plan puts it, by rows[type]; others[name][type] from the host.

    counts: {type: vertices}. A type that has no attribute has n_id, its ids: PyG's samplers know the types that have some.
    """

    def __init__(self, rows: Dict[str, Any], others: Mapping[str, Mapping[str, torch.Tensor]], counts: Mapping[str, int]) -> None:
        super().__init__()
        self.rows, self.others, self._pid, self.torn = rows, others, os.getpid(), False
        self.bare = {k: n for k, n in counts.items() if k not in rows and not any(k in of for of in others.values())}

    def __getstate__(self) -> Dict[str, Any]:
        return dict(self.__dict__, rows={}, others={}, _pid=-1)  # workers sample, and gather nothing

    def _host(self, attr: TensorAttr) -> Optional[torch.Tensor]:
        if attr.attr_name == "n_id" and attr.group_name in self.bare:
            return torch.arange(self.bare[attr.group_name])
        if attr.attr_name != "x":
            return self.others.get(attr.attr_name, {}).get(attr.group_name)
        return self.rows[attr.group_name].host if attr.group_name in self.rows else None

    def _get_tensor(self, attr: TensorAttr) -> Optional[torch.Tensor]:
        usable(self)
        if attr.attr_name == "n_id" and attr.index is not None and attr.group_name in self.bare:
            index: torch.Tensor = attr.index
            return index
        host = self._host(attr)
        if host is None or attr.index is None:
            return host
        return self.rows[attr.group_name].gather(attr.index) if attr.attr_name == "x" else host.index_select(0, attr.index.to(host.device))

    def _get_tensor_size(self, attr: TensorAttr) -> Optional[Tuple[int, ...]]:
        host = self._host(attr)
        return None if host is None else tuple(host.shape)

    def _put_tensor(self, tensor: torch.Tensor, attr: TensorAttr) -> bool:
        return False  # the planned rows are copied into GPU memory: they do not change

    def _remove_tensor(self, attr: TensorAttr) -> bool:
        return False

    def get_all_tensor_attrs(self) -> List[TensorAttr]:
        """What loaders ask the store for."""
        names = [("x", self.rows), *self.others.items(), ("n_id", self.bare)]
        return [TensorAttr(kind, name) for name, of in names for kind in of]  # new ones each time: loaders write into them


class _Lists:
    """The arrays of one relation, as Topology takes a graph's."""

    def __init__(self, path: Path, number: int) -> None:
        self._of = path, number
        self.indptr, self.indices = (np.load(os.path.join(path, "relation%d_%s.npy" % (number, name)), mmap_mode="r") for name in ("indptr", "indices"))

    def __reduce__(self) -> Any:
        return type(self), self._of


class HeteroGraph(GraphStore):  # type: ignore[misc,unused-ignore]
    """A graph directory of schema graph/2 as PyG's CSC per relation: e_id is a position in the relation's indices."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = wanted(path, {})
        with open(os.path.join(path, "graph.json"), encoding="utf-8") as f:
            self.about: Dict[str, Any] = json.load(f)
        if self.about.get("schema") != "graph/2":
            raise Error(3, "%s/graph.json: schema is %r, expected 'graph/2'; hotset.pyg.Planned takes graphs of one type" % (path, self.about.get("schema")))
        self.counts: Dict[str, int] = {t["name"]: t["count"] for t in self.about["types"]}
        self.lists: Dict[Relation, _Lists] = {(r["source"], r["name"], r["target"]): _Lists(path, k) for k, r in enumerate(self.about["relations"])}
        self._index: Dict[Relation, Tuple[torch.Tensor, torch.Tensor]] = {}

    def __reduce__(self) -> Any:
        return type(self), (self.path,)  # another process maps the arrays, too

    def _get_edge_index(self, edge_attr: EdgeAttr) -> Optional[Tuple[torch.Tensor, torch.Tensor]]:
        relation: Relation = tuple(edge_attr.edge_type)
        if edge_attr.layout != EdgeLayout.CSC or relation not in self.lists:
            return None
        if relation not in self._index:  # PyG's samplers need int64: 8 bytes per edge, made when one asks
            lists = self.lists[relation]
            self._index[relation] = torch.from_numpy(lists.indices.astype(np.int64)), torch.from_numpy(lists.indptr.astype(np.int64))
        return self._index[relation]

    def _put_edge_index(self, edge_index: Any, edge_attr: EdgeAttr) -> bool:
        return False

    def _remove_edge_index(self, edge_attr: EdgeAttr) -> bool:
        return False

    def get_all_edge_attrs(self) -> List[EdgeAttr]:
        """What samplers ask the store for."""
        return [EdgeAttr(edge_type=r, layout=EdgeLayout.CSC, is_sorted=True, size=(self.counts[r[0]], self.counts[r[2]])) for r in self.lists]


class HeteroSampler(BaseSampler):  # type: ignore[misc,unused-ignore]
    """Draws neighbours per relation uniformly, without replacement, as NeighborLoader does; for PyG without pyg-lib and torch-sparse, and every frontier.

    fanout: {relation: one number per hop}; 0 or no entry: not visited. topology: {relation: a Topology}.
    """

    def __init__(self, graph: HeteroGraph, fanout: Mapping[Relation, List[int]], frontier: str = "new", topology: Optional[Mapping[Relation, Topology]] = None) -> None:
        self.graph, self.frontier = graph, frontier
        self.fanout = {r: list(f) for r, f in fanout.items() if any(f)}
        self.topology: Mapping[Relation, Topology] = topology or {r: Topology(graph.lists[r]) for r in self.fanout}
        self.hops = max(map(len, self.fanout.values()))
        self._place: Dict[str, torch.Tensor] = {}

    def sample_from_nodes(self, index: Any, **kwargs: Any) -> HeteroSamplerOutput:
        """A mini-batch of these seeds."""
        out = self._sample({index.input_type: index.node})
        out.metadata = (index.input_id, index.time)
        return out

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> HeteroSamplerOutput:
        """A mini-batch of the ends of these edges, and of those that are drawn as negatives."""
        return edge_sample(index, self._sample, self.graph.counts, False, None, neg_sampling)

    def _sample(self, seeds: Mapping[str, torch.Tensor], time: Any = None) -> HeteroSamplerOutput:
        if time is not None:
            raise NotImplementedError("edges are not drawn by time here; use pyg-lib")
        counts, hops = self.graph.counts, self.hops
        place = {k: self._place.setdefault(k, torch.full((n,), -1, dtype=torch.int64)) for k, n in counts.items()}
        known = {k: [torch.empty(0, dtype=torch.int64)] for k in counts}
        for kind, ids in seeds.items():
            known[kind] = [ids.long()]
            place[kind][ids] = torch.arange(len(ids))
        parts: Dict[Relation, Tuple[List[torch.Tensor], ...]] = {r: ([], [], []) for r in self.graph.lists}
        for h in range(hops):
            frontier = {k: v[-1] if self.frontier == "new" else torch.cat(v) for k, v in known.items()}
            found: Dict[str, List[torch.Tensor]] = {k: [] for k in counts}
            drawn: Dict[Relation, Tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = {}
            for r, fanout in self.fanout.items():
                if fanout[h]:
                    drawn[r] = draw(self.topology[r], frontier[r[2]], fanout[h])
                    found[r[0]].append(drawn[r][2])
            for k, those in found.items():
                ids = torch.cat(those) if those else known[k][0][:0]
                fresh = ids[place[k][ids] < 0].unique()
                place[k][fresh] = torch.arange(len(fresh)) + sum(map(len, known[k]))
                known[k].append(fresh)
            for r, part in parts.items():
                none = known[r[0]][0][:0]
                of, edge, ids = drawn.get(r, (none, none, none))
                for to, piece in zip(part, (place[r[0]][ids], place[r[2]][frontier[r[2]][of]], edge)):
                    to.append(piece)
        node = {k: torch.cat(v) for k, v in known.items()}
        for k, ids in node.items():
            place[k][ids] = -1
        row, col, edges = ({r: torch.cat(part[i]) for r, part in parts.items()} for i in range(3))
        return HeteroSamplerOutput(node=node, row=row, col=col, edge=edges, batch=None, num_sampled_nodes={k: list(map(len, v)) for k, v in known.items()},
                                   num_sampled_edges={r: list(map(len, part[2])) for r, part in parts.items()})


class HeteroReplay(BaseSampler):  # type: ignore[misc,unused-ignore]
    """The mini-batches of `hotset simulate P --export-batches DIR` in a real loader: the counts must be those of the simulation. See PlannedHetero.replay.

    topology: {relation: a PlannedTopology}, from which every neighbour is read.
    """

    def __init__(self, batches: Any, gpu: int, topology: Mapping[Relation, Topology], plan: Plan) -> None:
        self.batches, self.gpu, self.topology, self.plan = batches, gpu, topology, plan

    def _read_neighbours(self, batch: Any) -> None:
        everyone = self.batches.workload["frontier"] == "all"
        for r, topology in self.topology.items():
            target, level, fanout = batch.vertices[r[2]], [0, *batch.level[r[2]]], self.plan.fanout(r)
            for h in range(self.batches.hops):
                if not fanout[h]:
                    continue
                first, here = 0 if everyone else level[h], slice(batch.drawn[r][h], batch.drawn[r][h + 1])
                visit = topology.visit(target[first:level[h + 1]].astype(np.int64))
                read = visit.neighbours(batch.rows[r][here].astype(np.int64) - first, batch.edges[r][here])
                if not np.array_equal(read, batch.vertices[r[0]][batch.columns[r][here]]):
                    raise Error(3, "mini-batch %d of epoch %d has other neighbours than the graph; export the mini-batches again" % (batch.number, batch.epoch))

    def sample_from_nodes(self, index: Any, **kwargs: Any) -> HeteroSamplerOutput:
        """A mini-batch of these seeds."""
        batch = self.batches.read(self.gpu, int(index.node[0]))
        self._read_neighbours(batch)
        seeds = batch.level[index.input_type][0]
        if sum(level[0] for level in batch.level.values()) != seeds:
            raise Error(2, "a mini-batch has seeds of several types, and a loader of PyG has those of one; let one type train")

        def long(arrays: Mapping[Any, Any]) -> Dict[Any, torch.Tensor]:
            return {k: torch.from_numpy(a.astype(np.int64)) for k, a in arrays.items()}

        return HeteroSamplerOutput(node=long(batch.vertices), row=long(batch.columns), col=long(batch.rows), edge=long(batch.edges), batch=None,
                                   num_sampled_nodes={k: np.diff([0, *v]).tolist() for k, v in batch.level.items()},
                                   num_sampled_edges={r: np.diff(v).tolist() for r, v in batch.drawn.items()}, metadata=(torch.arange(seeds), index.time))

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> HeteroSamplerOutput:
        """NotImplementedError: always."""
        raise NotImplementedError("mini-batches are replayed as they are; use NodeLoader")


class _Recorded(NodeLoader):  # type: ignore[misc,unused-ignore]
    """Counts the vertices of every mini-batch, by type."""

    recorder: Recorder
    gpu: int
    per_epoch: Optional[int]

    def __iter__(self) -> Iterator[Any]:
        return self.recorder.watch(super().__iter__(), self.gpu, self.per_epoch)


class PlannedHetero(Running):
    """The plan of a graph with several types, the graph, and attributes of vertices and edges, for PyG.

    plan, graph: directories of schema plan/2 and graph/2. x: {type: features, a row per vertex} of every type with features; edges: {relation: features, a row
    per edge by position in the relation's indices} of every relation with edge features, which loaders put into batch[relation].edge_attr. Further
    attributes of vertices by name, as y={"paper": labels}, with a row or one number per vertex: rows of several tasks are rows like others. Rows are tensors,
    arrays, or paths of .npy files. A relation is (source, name, target). record: a folder in which loaders of training vertices count what they read, per
    vertex and type, for hotset.recorded and the next plan (hotset.Recorder).

    gpu, shared, memory: as of Planned: the GPU of this process, where each GPU has one, and a folder in which they meet, or the rows that GPUs hold,
    {type or relation: {gpu: rows}}, as hotset.peers.symmetric makes them; `gpu` of the methods is then theirs.
    """

    def __init__(self, plan: Union[Plan, Path], graph: Union[HeteroGraph, Path], x: Mapping[str, Rows], edges: Optional[Mapping[Relation, Rows]] = None,
                 record: Optional[Path] = None, gpu: Optional[int] = None, shared: Optional[Path] = None,
                 memory: Optional[Mapping[Key, Mapping[int, torch.Tensor]]] = None, **others: Mapping[str, Rows]) -> None:
        self._arguments = dict(others, graph=graph, x=x, edges=edges, memory=memory, record=record)
        self.plan = plan if isinstance(plan, Plan) else Plan(plan)
        self.graph = graph if isinstance(graph, HeteroGraph) else HeteroGraph(graph)
        self._check(self.plan)
        self.x = {k: as_tensor(v) for k, v in x.items()}
        self.edge_rows = {(r[0], r[1], r[2]): as_tensor(v) for r, v in (edges or {}).items()}
        self.others = {name: {k: as_tensor(v) for k, v in of.items()} for name, of in others.items()}
        self._check_rows("x", self.x, self.graph.counts, [t["name"] for t in self.plan.document["graph"]["types"] if t["feature_dim"]])
        self._check_rows("edges", self.edge_rows, {r: len(lists.indices) for r, lists in self.graph.lists.items()},
                         [tuple(r[k] for k in ("source", "name", "target")) for r in self.plan.document["graph"]["relations"] if r["feature_dim"]])
        for name, of in self.others.items():
            self._check_rows(name, of, self.graph.counts, of)
        self._observed: Dict[Tuple[int, Key], Dict[str, int]] = {}
        self._begin(gpu, shared, None if memory is None else self._by_key(memory), [*self.x, *self.edge_rows])
        self.recorder = None if record is None else Recorder(record, self.plan)
        if shared is not None and gpu is not None:
            self._all_tables(gpu)  # all processes at once: each waits for its peers

    def _check(self, plan: Plan) -> None:
        mine, its = ({k: [{m: v for m, v in of.items() if m != "train_vertices"} for of in g[k]] for k in ("types", "relations")}
                     for g in (self.graph.about, plan.document["graph"]))
        if mine != its:
            raise Error(3, "%s: was made for a graph of other types, relations or rows than this one; give a plan of this graph" % plan.path)
        made_on(plan, self.graph.path, self.graph.about, ["relation%d_%s" % (k, name) for k in range(len(self.graph.lists)) for name in ("indptr", "indices")])

    @staticmethod
    def _check_rows(name: str, given: Mapping[Any, torch.Tensor], counts: Mapping[Any, int], wanted: Iterable[Any]) -> None:
        if set(given) != set(wanted):
            raise Error(2, "%s has rows of %s, expected those of %s" % (name, sorted(map(str, given)), sorted(map(str, wanted))))
        for k, rows in given.items():
            if k not in counts or len(rows) != counts[k]:
                raise Error(2, "%s[%r] has %d rows, expected %s" % (name, k, len(rows), counts.get(k, "a type of the graph")))

    def _host(self, key: Key) -> torch.Tensor:
        return self.x[key] if isinstance(key, str) else self.edge_rows[key]

    def _serving(self, plan: Plan, gpu: int, key: Key, memory: Dict[int, torch.Tensor]) -> Any:
        return planned_rows(plan.table("edge_feature" if isinstance(key, tuple) else "feature", key), gpu, self._host(key), memory)

    def _lists(self, plan: Plan, gpu: int) -> Dict[Any, Any]:
        return {r: PlannedTopology(plan.table("topology", r), gpu, lists) for r, lists in self.graph.lists.items() if any(plan.fanout(r))}

    def _set_rows(self, gpu: int, store: Any) -> None:
        store.rows = {k: self._rows[gpu, k] for k in store.rows}

    def store(self, gpu: Optional[int] = None) -> HeteroFeatures:
        """The HeteroFeatures of a GPU: for loaders of PyG, as data[0] beside `graph`."""
        gpu = self._gpu(gpu)
        if gpu not in self._stores:
            rows = {k: self._planned(gpu, k) for k in self.x}
            self._stores[gpu] = HeteroFeatures(rows, self.others, self.graph.counts)
        found: HeteroFeatures = self._stores[gpu]
        return found

    def _all_tables(self, gpu: int) -> Dict[Key, Any]:
        tables: Dict[Key, Any] = {k: rows for k, rows in self.store(gpu).rows.items()}
        for relation, rows in self._edge_tables(gpu).items():
            tables[relation] = rows
        return tables

    def _edge_tables(self, gpu: int) -> Dict[Relation, Any]:
        return {r: self._planned(gpu, r) for r in self.edge_rows}

    def counts(self, gpu: Optional[int] = None) -> Dict[Key, Dict[str, int]]:
        """Rows served to this GPU so far: {type, or relation for feature rows of edges: {"own": .., "peer": .., "host": ..}}."""
        return {k: rows.counts for k, rows in self._all_tables(self._gpu(gpu)).items()}

    def observe(self, path: Path, gpu: int, epoch: int, batches: int) -> None:
        """Appends to `path`, for `hotset observe P FILE`, what this GPU read since the last call (or the beginning): a line per type and relation."""
        for key, rows in self._all_tables(gpu).items():
            before = self._observed.get((gpu, key), {"own": 0, "peer": 0, "host": 0})
            now = self._observed[gpu, key] = dict(rows.counts)
            host = self._host(key)
            observe(path, gpu, epoch, batches, {k: now[k] - before[k] for k in now}, host[:1].numel() * host.element_size(),
                    table=key if isinstance(key, str) else "%s-%s->%s" % key)

    def topology(self, gpu: Optional[int] = None) -> Dict[Relation, PlannedTopology]:
        """{relation with a fan-out: its PlannedTopology for a GPU}."""
        gpu = self._gpu(gpu)
        if gpu not in self._topologies:
            self._topologies[gpu] = self._lists(self.plan, gpu)
        found: Dict[Relation, PlannedTopology] = self._topologies[gpu]
        return found

    def visits(self, gpu: Optional[int] = None) -> Dict[Relation, Dict[str, int]]:
        """Neighbour lists visited for this GPU so far, {relation: counts}: by data.sampler and replay in this process, so with num_workers=0, the default."""
        return {r: topology.counts for r, topology in self.topology(gpu).items()}

    def fanout(self) -> Dict[Relation, List[int]]:
        """{relation: fan-outs} of the plan: num_neighbors of PyG's NeighborLoader. Refused where they are of all relations of a vertex together."""
        if self.plan.workload.get("fanout_over") == "vertex":
            raise Error(2, "the plan draws from all relations of a vertex together (--fanout-over vertex), which PyG's samplers do not; give a sampler of your own, use data.replay, or plan with --fanout-over relation")
        if self.plan.workload["sampler"] == "walk":
            raise Error(2, "the plan's mini-batches are random walks (--sampler walk), which have no fan-outs; give a sampler of your own")
        return {r: self.plan.fanout(r) for r in self.graph.lists}

    def sampler(self, gpu: Optional[int] = None) -> HeteroSampler:
        """A HeteroSampler that reads neighbour lists where the plan puts them: sampler= of loader."""
        return HeteroSampler(self.graph, self.fanout(), self.plan.workload["frontier"], self.topology(gpu))

    def loader(self, gpu: Optional[int] = None, type: Optional[str] = None, sampler: Optional[BaseSampler] = None, vertices: Optional[Rows] = None, seed: int = 0,
               even: bool = False, **options: Any) -> NodeLoader:
        """A loader over the planned training vertices of a GPU, shuffled anew in each pass, by seed and epoch (loader.sampler.set_epoch chooses one).

        type: theirs, where several types train. sampler: a BaseSampler of your own; left out it is PyG's own where pyg-lib or torch-sparse are installed, with
        neighbour lists on the host, else data.sampler(gpu). vertices: others of that type, in their order. even: as many mini-batches as on every
        other GPU, some vertices twice. options: of NodeLoader and DataLoader.
        """
        gpu = self._gpu(gpu)
        type, frontier = self._type(gpu, type), self.plan.workload["frontier"]
        work = self.plan.workload
        if sampler is None and (work["sampler"] != "uniform" or work.get("seeds", "vertices") != "vertices"):
            warnings.warn("the plan was made for sampler %s and seeds that are %s, and this loader draws uniformly from vertices: other rows are hot; pass sampler="
                          % (work["sampler"], work.get("seeds", "vertices")), stacklevel=2)
        options = dict({"batch_size": self.plan.batch}, **options)
        if vertices is None and not {"shuffle", "sampler", "batch_sampler"} & set(options):
            options["sampler"] = EpochOrder(self.plan, gpu, seed, of=self.plan.train_ids(gpu, type), type=type, even=even)
        if sampler is None and frontier == "new" and (torch_geometric.typing.WITH_PYG_LIB or torch_geometric.typing.WITH_TORCH_SPARSE):
            sampler = NeighborSampler((self.store(gpu), self.graph), self.fanout())
        ids = self.plan.train_ids(gpu, type) if vertices is None else vertices
        return self._node_loader(gpu, sampler or self.sampler(gpu), type, torch.as_tensor(np.asarray(ids).astype(np.int64)), options,
                                 recorded=vertices is None)

    def replay(self, batches: Union[Batches, Path], gpu: Optional[int] = None, **options: Any) -> NodeLoader:
        """A loader over exported mini-batches (hotset.Batches, or their folder) of a GPU: after one pass, counts() and visits() are those of the simulation."""
        batches = batches if isinstance(batches, Batches) else Batches(batches)
        batches.check(self.plan)
        gpu = self._gpu(gpu)
        sampler = HeteroReplay(batches, gpu, self.topology(gpu), self.plan)
        return self._node_loader(gpu, sampler, self._type(gpu, None), torch.arange(batches.per_epoch(gpu) * batches.epochs), dict(options, batch_size=1),
                                 recorded=True, per_epoch=batches.per_epoch(gpu))

    def _type(self, gpu: int, type: Optional[str]) -> str:
        training = [k for k in self.plan.types if len(self.plan.train_ids(gpu, k))]
        if type is None and len(training) == 1:
            return training[0]
        if type not in self.plan.types:
            raise Error(2, "which type? GPU %d trains %s" % (gpu, training))
        return type

    def _node_loader(self, gpu: int, sampler: BaseSampler, type: str, nodes: torch.Tensor, options: Dict[str, Any], recorded: bool,
                     per_epoch: Optional[int] = None) -> NodeLoader:
        if options.get("filter_per_worker"):
            raise Error(2, "filter_per_worker=True gathers in worker processes, which have no GPU and lose the counts; leave it out")
        options.update(filter_per_worker=False, transform=self._with_edges(gpu, options.get("transform")))
        make = _Recorded if recorded and self.recorder is not None else NodeLoader
        loader = make((self.store(gpu), self.graph), node_sampler=sampler, input_nodes=(type, nodes), input_id=torch.arange(len(nodes)), **options)
        if make is _Recorded:
            loader.recorder, loader.gpu, loader.per_epoch = self.recorder, gpu, per_epoch
        return loader

    def _with_edges(self, gpu: int, transform: Optional[Callable[[Any], Any]]) -> Optional[Callable[[Any], Any]]:
        def attach(batch: Any) -> None:
            for r in self.edge_rows:
                if r in batch.edge_types:
                    batch[r].edge_attr = self._planned(gpu, r).gather(batch[r].e_id)  # after a reload another object serves them

        return Attach(attach, transform) if self.edge_rows else transform
