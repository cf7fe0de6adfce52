"""Replays exported mini-batches through GraphBolt's own feature fetcher and data loader. Prints "ok name" or "failed name", and "ok end".

usage: check_graphbolt.py P G B JUDGED
"""
import json
import os
import sys

import numpy as np
import torch
import dgl.graphbolt as gb
from torchdata.datapipes.iter import IterableWrapper

import hotset
import hotset.graphbolt

path, graph_path, batches_path, judged_path = sys.argv[1:5]
judged_gpus = json.load(open(judged_path))["rows"][0]["simulated"]["gpus"]
judged, judged_visits = ({g["id"]: g[what] for g in judged_gpus} for what in ("feature_rows", "topology_visits"))
plan, batches = hotset.Plan(path), hotset.Batches(batches_path)
indptr, indices = np.load(os.path.join(graph_path, "indptr.npy")), np.load(os.path.join(graph_path, "indices.npy"))
features = torch.from_numpy(np.random.default_rng(5).random((plan.vertices, 6), np.float32))
memory = hotset.fill(plan, features)


def check(name, good):
    print("ok" if good else "failed", name, flush=True)


def judged_of(gpu):
    return {"own": judged[gpu]["local"], "peer": judged[gpu]["peer"], "host": judged[gpu]["host"]}


def minibatches(gpu, first):
    """The exported mini-batches as GraphBolt holds them: layers from the outermost hop inwards, ids local to a type that begins at `first`."""
    for raw in batches.of(gpu):
        yield gb.MiniBatch(seed_nodes=torch.from_numpy(raw.vertices[:raw.seed_vertices].astype(np.int64)) - first,
                           input_nodes=torch.from_numpy(raw.vertices.astype(np.int64)) - first)


good, counts = True, True
for gpu in plan.gpus:
    feature = hotset.graphbolt.PlannedFeature(plan, gpu, features, memory)
    store = gb.BasicFeatureStore({("node", None, "feat"): feature})
    pipe = IterableWrapper(minibatches(gpu, 0), deepcopy=False).fetch_feature(store, node_feature_keys=["feat"])
    seen = 0
    for batch in gb.DataLoader(pipe):
        good, seen = good and torch.equal(batch.node_features["feat"], features[batch.input_nodes]), seen + 1
    good = good and seen == batches.per_epoch(gpu) * batches.epochs
    counts = counts and feature.counts == judged_of(gpu)
check("the counts are not trivial", all(sum(j[k] for j in judged.values()) for k in ("local", "peer", "host")))
check("replayed: rows are those of the mini-batches", good)
check("replayed: own, peer and host rows are those of the simulation", counts)

good, late = True, 100  # a type whose ids begin at 100
feature = hotset.graphbolt.PlannedFeature(plan, plan.gpus[0], features, memory, first=late)
ids = torch.arange(0, plan.vertices - late, 7)
check("ids of a type are moved to where it begins", torch.equal(feature.read(ids), features[ids + late]) and feature.size() == features.size()[1:])
stage = feature.read_async(ids)
check("reads in stages give the same", feature.read_async_num_stages(ids.device) == 1 and torch.equal(next(stage).wait(), features[ids + late]))

good = True
for gpu in plan.gpus:  # what GPUCachedFeature of 2.4 does with a cache: query, fill what is missing, replace
    cache = hotset.graphbolt.PlannedCache(plan, gpu, features, memory)
    for raw in batches.of(gpu):
        keys = torch.from_numpy(raw.vertices.astype(np.int64))
        for answer in (cache.query(keys), ):
            values, missing, missing_keys = answer
        values[missing] = features[missing_keys]
        good = good and torch.equal(values, features[keys]) and cache.replace(missing_keys, values[missing]) is None
    good = good and (cache.hits, cache.misses) == (judged[gpu]["local"] + judged[gpu]["peer"], judged[gpu]["host"])
check("a cache for 2.4: its hits and misses are those of the simulation", good)
check("and asynchronously", all(torch.equal(a, b) for a, b in zip(cache.query(keys, async_op=True).wait()[1:], cache.query(keys)[1:])))

# 2.4's cache of the graph, on a stand-in with the interface of its Python: query, and what query returns to put missing lists. It admits a key at its
# `threshold`-th query, never evicts, and takes the new lists of a query all or none


class GraphCache:
    def __init__(self, num_edges, threshold):
        self.room, self.threshold, self.seen, self.held = num_edges, threshold, {}, {}
        self.total_queries = self.total_miss = 0

    def query(self, keys):
        keys = keys.tolist()
        missing = [k for k in keys if k not in self.held]
        self.total_queries, self.total_miss = self.total_queries + len(keys), self.total_miss + len(missing)
        for k in missing:
            self.seen[k] = self.seen.get(k, 0) + 1

        def replace(missing_indptr, missing_tensors):
            rows = dict(zip(missing, zip(*[t.split(missing_indptr.diff().tolist()) for t in missing_tensors])))
            new = {k: row for k, row in rows.items() if self.seen[k] >= self.threshold}
            edges = sum(len(row[0]) for row in new.values())
            lists = [{**rows, **self.held}[k] for k in keys]
            if edges <= self.room:
                self.held.update(new)
                self.room -= edges
            return torch.tensor([0] + [len(row[0]) for row in lists]).cumsum(0), [torch.cat([row[i] for row in lists]) for i in range(len(missing_tensors))]

        return torch.tensor(missing, dtype=torch.int64), replace


class Graph:
    def __init__(self):
        self.csc_indptr, self.indices, self._gpu_graph_cache = torch.from_numpy(indptr), torch.from_numpy(indices.astype(np.int64)), None

    def _initialize_gpu_graph_cache(self, num_gpu_cached_edges, gpu_cache_threshold, prob_name=None):
        self._gpu_graph_cache = GraphCache(min(num_gpu_cached_edges, len(self.indices)), gpu_cache_threshold)


def index_select_csc_batched(csc_indptr, tensors, nodes, with_edge_ids, output_size):
    begin, end = csc_indptr[nodes].tolist(), csc_indptr[nodes + 1].tolist()
    at = torch.cat([torch.arange(b, e) for b, e in zip(begin, end)] or [torch.empty(0, dtype=torch.int64)])
    return torch.tensor([0] + [e - b for b, e in zip(begin, end)]).cumsum(0), [t[at] for t in tensors] + ([at] if with_edge_ids else [])


torch.ops.graphbolt.index_select_csc_batched = index_select_csc_batched
visits, lists, order = True, True, True
for gpu in plan.gpus:
    graph = Graph()
    count = hotset.graphbolt.warm_topology(graph, plan, gpu, chunk=50)
    cache = graph._gpu_graph_cache
    order = order and count == len(cache.held) and list(cache.held) == plan.topology_ids(gpu).tolist() and cache.room == 0
    cache.total_queries = cache.total_miss = 0
    for raw in batches.of(gpu):
        for hop in raw.hops:
            keys = torch.from_numpy(hop.expanded.astype(np.int64))
            missing, put = cache.query(keys)
            got = put(*index_select_csc_batched(graph.csc_indptr, [graph.indices], missing, True, None))
            want = index_select_csc_batched(graph.csc_indptr, [graph.indices], keys, True, None)
            lists = lists and torch.equal(got[0], want[0]) and all(torch.equal(a, b) for a, b in zip(got[1], want[1]))
    want = judged_visits[gpu]
    visits = visits and (cache.total_queries - cache.total_miss, cache.total_miss) == (want["local"], want["peer"] + want["host"])
check("the graph's cache of 2.4 holds the plan's lists, admitted in the plan's order, and is full", order)
check("2.4's cache, replayed: lists are those of the graph", lists)
check("2.4's cache, replayed: own visits are those of the simulation, the host serves all others (it cannot read peers)",
      visits and all(sum(w[k] for w in judged_visits.values()) for k in ("local", "peer", "host")))

# a loader of GraphBolt's own over the planned vertices
graph = gb.fused_csc_sampling_graph(torch.from_numpy(indptr), torch.from_numpy(indices.astype(np.int64)))
gpu, fanout, good = plan.gpus[1], plan.workload["fanout"], True
recorder = hotset.Recorder("GBR", plan)
store = gb.BasicFeatureStore({("node", None, "feat"): hotset.graphbolt.PlannedFeature(plan, gpu, features, memory, recorder=recorder)})
for epoch in range(2):
    order, at = plan.epoch_order(gpu, 11, epoch), 0
    pipe = gb.ItemSampler(hotset.graphbolt.items(plan, gpu, 11, epoch, labels=torch.arange(plan.vertices) * 3), batch_size=plan.batch)
    pipe = pipe.sample_neighbor(graph, fanout[::-1]).fetch_feature(store, node_feature_keys=["feat"])
    for batch in gb.DataLoader(pipe):
        seeds = (batch.labels // 3).numpy()
        good = good and np.array_equal(seeds, order[at:at + plan.batch]) and torch.equal(batch.node_features["feat"], features[batch.input_nodes])
        last = batch.sampled_subgraphs[-1].sampled_csc.indptr.diff().numpy()  # the seeds' draws
        good = good and np.array_equal(last, np.minimum(indptr[seeds + 1] - indptr[seeds], fanout[0]))
        at += len(seeds)
    good = good and at == len(order)
    recorder.end_epoch(gpu)
counted = {place: int(n) for place, n in store[("node", None, "feat")].counts.items()} if hasattr(store, "__getitem__") else recorder.served(gpu)[""]
check("a recorder counts what GraphBolt reads, by vertex and place", recorder.served(gpu)[""] == counted and sum(counted.values()) > 500
      and sum(np.load("GBR/gpu%d-2.npy" % gpu)) == sum(counted.values()))
watched = hotset.Recorder("GBW", plan)
pipe = gb.ItemSampler(hotset.graphbolt.items(plan, gpu, 11, 1), batch_size=plan.batch).sample_neighbor(graph, fanout[::-1])
read = sum(len(batch.input_nodes) for batch in watched.watch(gb.DataLoader(pipe), gpu))
check("a recorder watches GraphBolt's loader", sum(watched.served(gpu)[""].values()) == read > 200)
check("GraphBolt's loader takes the planned vertices in order; reversed fan-outs give the seeds the first one", bool(good))
print("ok end")
