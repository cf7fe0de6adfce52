"""graphbolt.py - a plan in DGL GraphBolt: features where the plan puts them, and the planned training vertices in their planned order.

    import dgl.graphbolt as gb, hotset, hotset.graphbolt
    plan = hotset.Plan("P")
    feature = hotset.graphbolt.PlannedFeature(plan, gpu, features)                  # rows of all vertices: a tensor, an array, or a .npy file
    store = gb.BasicFeatureStore({("node", None, "feat"): feature})
    items = hotset.graphbolt.items(plan, gpu, seed=0, epoch=epoch)                  # of one epoch
    pipe = gb.ItemSampler(items, batch_size=plan.batch).sample_neighbor(graph, plan.workload["fanout"][::-1])
    for batch in gb.DataLoader(pipe.fetch_feature(store, node_feature_keys=["feat"])): ..

GraphBolt counts fan-outs from the last hop, hence [::-1], and every hop expands all vertices so far: plan with --frontier all.

From DGL 2.4 on, PlannedCache in gb.GPUCachedFeature keeps GraphBolt's own reads of the host, and warm_topology fills GraphBolt's cache of the graph with
the plan's neighbour lists: see there. Before 2.4 GraphBolt has no such cache and reads every list from the host: plan with --for graphbolt.
"""
from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Optional

import dgl.graphbolt as gb  # type: ignore[import-untyped,unused-ignore]
import numpy as np
import torch

import hotset

from ._plan import Plan
from ._recorder import Recorder
from .torch_rows import Entries, Rows, as_tensor, planned_rows

__all__ = ["PlannedFeature", "PlannedCache", "warm_topology", "items"]


class _Done:
    """A value that is there already, with the method by which GraphBolt waits for one."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def wait(self) -> Any:
        return self.value


class PlannedFeature(gb.Feature):  # type: ignore[misc,unused-ignore]
    """Rows of one kind, read for GPU `reader` where the plan puts them. counts: {"own": .., "peer": .., "host": ..} rows served so far.

    host: the rows of the plan's vertices. memory: {gpu: rows}, as hotset.fill or hotset.peers give them; filled in CPU memory when left out, so features of
    one process should share one. first: the vertex of id 0, for the ids of one type of a graph with several. recorder: a hotset.Recorder that counts what
    is read; say recorder.end_epoch(reader) after each epoch. (`for batch in recorder.watch(loader, reader)` does both without it.)
    """

    def __init__(self, plan: Plan, reader: int, host: Rows, memory: Optional[Mapping[int, torch.Tensor]] = None, first: int = 0,
                 recorder: Optional[Recorder] = None) -> None:
        super().__init__()
        self.rows, self.first, self.recorder = planned_rows(plan, reader, as_tensor(host), memory), first, recorder

    @property
    def counts(self) -> Dict[str, int]:
        """Rows by place so far."""
        return self.rows.counts

    def read(self, ids: Optional[torch.Tensor] = None) -> torch.Tensor:
        """The rows of these ids, [len(ids), ..]; without ids those of all, from the host."""
        if ids is None:
            whole: torch.Tensor = self.rows.host
            return whole
        ids = ids + self.first if self.first else ids
        if self.recorder is not None:
            self.recorder.count(self.rows.reader, ids)
        found: torch.Tensor = self.rows.gather(ids)
        return found

    def size(self) -> torch.Size:
        """The shape of a row."""
        shape: torch.Size = self.rows.host.size()[1:]
        return shape

    def count(self) -> int:
        """The number of rows."""
        return len(self.rows.host)

    def update(self, value: torch.Tensor, ids: Optional[torch.Tensor] = None) -> None:
        """Error: always."""
        raise hotset.Error(2, "rows of a plan are copied into the memories of GPUs and cannot be updated; use a feature of GraphBolt's own")

    def metadata(self) -> Dict[str, Any]:
        """None."""
        return {}

    # DGL 2.4: reads in stages; this one has a single stage
    def read_async(self, ids: torch.Tensor) -> Iterator[_Done]:
        """read(ids), for GraphBolt's pipeline."""
        yield _Done(self.read(ids))

    def read_async_num_stages(self, ids_device: Any) -> int:
        """One."""
        return 1


class PlannedCache:
    """Stands in for the cache object of gb.GPUCachedFeature(fallback, cache, offset) of DGL 2.4 and later: hits are the rows that the plan puts into GPU memory,
    misses are read by GraphBolt from `fallback`, with its zero-copy reads. Nothing is ever replaced.

    Not run with DGL 2.4 on a GPU; its protocol (query, replace) is tested.
    """

    def __init__(self, plan: Plan, reader: int, host: Rows, memory: Optional[Mapping[int, torch.Tensor]] = None) -> None:
        self.rows = planned_rows(plan, reader, as_tensor(host), memory)
        self.table = plan.lookup(reader)
        self._entries = Entries(self.table, torch.device("cpu"))
        self.hits = self.misses = 0

    def query(self, keys: torch.Tensor, async_op: bool = False) -> Any:
        """(values, missing_index, missing_keys): values [len(keys), ..] with the rows of hits in place; missing_index: the places of the others."""
        if self._entries.entries.device != keys.device:
            self._entries = Entries(self.table, keys.device)
        held = self._entries.of(keys.long()) >= 0
        missing, here = (~held).nonzero().squeeze(1), held.nonzero().squeeze(1)
        host = self.rows.host
        values = torch.empty((len(keys), *host.shape[1:]), dtype=host.dtype, device=keys.device)
        values.index_copy_(0, here, self.rows.gather(keys.index_select(0, here)).to(keys.device))
        self.hits, self.misses = self.hits + len(here), self.misses + len(missing)
        out = values, missing, keys.index_select(0, missing)
        return _Done(out) if async_op else out

    def replace(self, keys: torch.Tensor, values: torch.Tensor, *rest: Any, **options: Any) -> None:
        """The plan's rows stay."""

    @property
    def miss_rate(self) -> float:
        """Misses over queries, 0 to 1."""
        return self.misses / max(self.hits + self.misses, 1)


def warm_topology(graph: Any, plan: Plan, gpu: int, chunk: int = 4096) -> int:
    """Gives the graph of DGL 2.4 and later a cache in GPU memory that holds the neighbour lists of the plan on this GPU, hottest first. Returns their number.

    Call it before the sampler is made, with the graph pinned, on the current device. The cache has room for the edges of these lists and never evicts, so
    they stay, and no other list with neighbours enters. GraphBolt reads all others from the host: those of peers, too, because the cache serves one GPU.
    chunk: lists per query, which are admitted all or none. Not run with DGL 2.4 on a GPU; tested over a stand-in of its cache.
    """
    ids = torch.from_numpy(np.array(plan.topology_ids(gpu)))
    place = ids.to(graph.csc_indptr.device).long()
    graph._initialize_gpu_graph_cache(int((graph.csc_indptr[place + 1] - graph.csc_indptr[place]).sum()), 1)
    cache, ids = graph._gpu_graph_cache, ids.to(graph.indices.dtype)
    if torch.cuda.is_available():
        ids = ids.cuda()
    for part in ids.split(chunk):
        missing, put = cache.query(part)
        put(*torch.ops.graphbolt.index_select_csc_batched(graph.csc_indptr, [graph.indices], missing, True, None))  # type: ignore[attr-defined]
    return len(ids)


def items(plan: Plan, gpu: int, seed: int = 0, epoch: int = 0, labels: Optional[Rows] = None) -> Any:
    """A gb.ItemSet: the training vertices of a GPU in the order of this epoch, with the labels of these vertices if all labels are given. Do not shuffle it."""
    order = torch.from_numpy(plan.epoch_order(gpu, seed, epoch)).long()
    name = "seeds" if _takes_seeds() else "seed_nodes"
    return gb.ItemSet(order, names=name) if labels is None else gb.ItemSet((order, as_tensor(labels)[order]), names=(name, "labels"))


def _takes_seeds() -> bool:
    """Before DGL 2.2 node classification begins with `seed_nodes`."""
    import dgl  # type: ignore[import-untyped,unused-ignore]
    return tuple(int(x) for x in dgl.__version__.split("+")[0].split(".")[:2]) >= (2, 2)
