"""Replays exported mini-batches through PyG's own loader and stores; checks loaders over planned vertices. Prints "ok name" or "failed name", and "ok end".

usage: check_pyg.py P G B JUDGED            the checks
       check_pyg.py P G B JUDGED GPU FOLDER one process of several, as GPU, meeting in FOLDER
"""
import json
import os
import subprocess
import sys

import numpy as np
import torch
from torch_geometric.loader import NodeLoader

import hotset.peers
import hotset.pyg
from hotset.torch_rows import TorchRows

path, graph_path, batches_path, judged_path = sys.argv[1:5]
judged = {g["id"]: g for g in json.load(open(judged_path))["rows"][0]["simulated"]["gpus"]}
plan, batches = hotset.Plan(path), hotset.Batches(batches_path)
indptr, indices = np.load(os.path.join(graph_path, "indptr.npy")), np.load(os.path.join(graph_path, "indices.npy"))
features = torch.from_numpy(np.random.default_rng(5).random((plan.vertices, 6), np.float32))
labels, weight = torch.arange(plan.vertices) * 3, torch.arange(plan.edges) + 7


def check(name, good):
    print("ok" if good else "failed", name, flush=True)


def judged_of(gpu, what="feature_rows"):
    return {"own": judged[gpu][what]["local"], "peer": judged[gpu][what]["peer"], "host": judged[gpu][what]["host"]}


def same(data, gpu, **options):
    """One pass over the replayed mini-batches: every byte and every edge is the one written."""
    good, at = True, 0
    for at, (batch, raw) in enumerate(zip(data.replay(batches, gpu, **options), batches.of(gpu)), 1):
        ids = torch.from_numpy(raw.vertices).long()
        edges = np.concatenate([h.edges for h in raw.hops])
        good = good and torch.equal(batch.x, features[ids]) and torch.equal(batch.y, labels[ids]) and torch.equal(batch.n_id, ids)
        good = good and torch.equal(batch.weight, torch.from_numpy(edges) + 7) and batch.batch_size == raw.seed_vertices
        good = good and np.array_equal(indices[edges], batch.n_id[batch.edge_index[0]]) and np.all(indptr[batch.n_id[batch.edge_index[1]]] <= edges)
        good = good and np.all(indptr[batch.n_id[batch.edge_index[1]] + 1] > edges)
    return bool(good) and at == batches.per_epoch(gpu) * batches.epochs


if len(sys.argv) > 5:
    me = int(sys.argv[5])
    data = hotset.pyg.Planned(plan, graph_path, features, y=labels, edges={"weight": weight}, gpu=me, shared=sys.argv[6])
    sys.exit(0 if same(data, me) and data.counts() == judged_of(me) else "GPU %d: %s, judged %s" % (me, data.counts(), judged_of(me)))

check("the counts are not trivial", all(sum(j[what][k] for j in judged.values()) for what in ("feature_rows", "topology_visits") for k in ("local", "peer", "host")))
whole = hotset.pyg.Planned(path, graph_path, features, y=labels, edges={"weight": weight})
check("replayed: rows, labels and edge attributes are those of the mini-batches", all(same(whole, gpu) for gpu in plan.gpus))
check("replayed: own, peer and host rows are those of the simulation", all(whole.counts(gpu) == judged_of(gpu) for gpu in plan.gpus))
check("replayed: every neighbour is read where the plan puts its list, and own, peer and host visits are those of the simulation",
      all(whole.visits(gpu) == judged_of(gpu, "topology_visits") for gpu in plan.gpus))
other = hotset.pyg.Planned(path, graph_path, features, y=labels, edges={"weight": weight})
check("the same with two worker processes", all(same(other, gpu, num_workers=2) and other.counts(gpu) == judged_of(gpu) for gpu in plan.gpus[:2]))
seen = hotset.pyg.Planned(path, graph_path, features, y=labels, edges={"weight": weight}, observe="seen.jsonl")
good = same(seen, 0, num_workers=2)
lines = [json.loads(line) for line in open("seen.jsonl")]
check("observed: a line per epoch, whose rows are those of the simulation", good and [line["epoch"] for line in lines] == list(range(batches.epochs)) and
      {k: sum(line["rows"][k] for line in lines) for k in ("own", "peer", "host")} == judged_of(0) and
      all(line["batches"] == batches.per_epoch(0) and line["bytes"]["own"] == 24 * line["rows"]["own"] for line in lines))
check("observed: seconds of the stages", all(set(line["seconds"]) == {"sample", "transfer", "propagate"} and line["seconds"]["transfer"] > 0 for line in lines))
loader = seen.loader(1)
passes = [sum(1 for _ in loader) for _ in range(2)]
lines = [json.loads(line) for line in open("seen.jsonl")][batches.epochs:]
check("observed: planned loaders write a line per pass", [(line["gpu"], line["epoch"], line["batches"]) for line in lines] == [(1, 0, passes[0]), (1, 1, passes[1])])
memory = hotset.fill(plan, features)
by_torch = {gpu: TorchRows(plan, gpu, features, memory) for gpu in plan.gpus}
good = True
for gpu, rows in by_torch.items():
    for raw in batches.of(gpu):
        ids = torch.from_numpy(raw.vertices)
        good = good and torch.equal(rows.gather(ids), features[ids.long()])
    good = good and rows.counts == judged_of(gpu)
check("TorchRows gathers and counts alike", good)
try:
    by_torch[plan.gpus[0]].gather(torch.tensor([plan.vertices]))
    check("TorchRows refuses a vertex beyond the graph", False)
except IndexError:
    check("TorchRows refuses a vertex beyond the graph", True)

# ---- loaders: the planned vertices, in their order, with neighbours drawn here
gpu, fanout = plan.gpus[1], plan.workload["fanout"]
loader = whole.loader(gpu, seed=11)
for epoch in range(2):
    order, at, good, drawn = plan.epoch_order(gpu, 11, epoch), 0, True, set()
    for batch in loader:
        seeds = batch.n_id[:batch.batch_size]
        good = good and np.array_equal(seeds, order[at:at + plan.batch]) and torch.equal(batch.x, features[batch.n_id]) and len(set(batch.n_id.tolist())) == len(batch.n_id)
        at += len(seeds)
        good = good and torch.equal(batch.weight, batch.e_id + 7) and np.array_equal(indices[batch.e_id], batch.n_id[batch.edge_index[0]])
        target = batch.n_id[batch.edge_index[1]].numpy()
        good = good and bool(np.all((indptr[target] <= batch.e_id.numpy()) & (batch.e_id.numpy() < indptr[target + 1])))
        good = good and len(set(batch.e_id.tolist())) == len(batch.e_id)
        if "num_sampled_nodes" not in batch:  # torch-sparse's sampler does not say which hop drew what
            continue
        good = good and batch.num_sampled_nodes[0] == batch.batch_size
        first, begin = batch.num_sampled_edges[0], 0
        for hop, (targets, count) in enumerate(zip(batch.num_sampled_nodes, batch.num_sampled_edges)):  # each vertex once, min(degree, fan-out) draws
            who = batch.n_id[sum(batch.num_sampled_nodes[:hop]):][:targets].numpy()
            have = np.bincount(batch.edge_index[1][begin:begin + count].numpy(), minlength=len(batch.n_id))[sum(batch.num_sampled_nodes[:hop]):][:targets]
            good = good and np.array_equal(have, np.minimum(indptr[who + 1] - indptr[who], fanout[hop])) and have.sum() == count
            begin += count
    check("epoch %d takes the planned vertices in the planned order and draws by the fan-outs" % epoch, bool(good) and at == len(order))
degree = np.diff(indptr)
v = int(degree.argmax())
torch.manual_seed(3)
sampler, times, k = hotset.pyg.Sampler(whole.graph, [5]), 4000, 5
_, edges, _ = sampler._draw(torch.full((times,), v), k)
count, share = np.bincount(edges.numpy() - indptr[v], minlength=degree[v]), times * k / degree[v]
check("draws are uniform", len(count) == degree[v] > 2 * k and np.all(np.abs(count - share) < 6 * np.sqrt(share))
      and all(len(set(e)) == k for e in edges.view(times, k).tolist()))
by_place = hotset.pyg.Planned(path, graph_path, features)
same_draws = []
for sampler in (by_place.sampler(gpu), hotset.pyg.Sampler(whole.graph, fanout)):
    torch.manual_seed(4)
    same_draws.append([(b.n_id, b.e_id, b.edge_index) for b in by_place.loader(gpu, sampler=sampler)])
check("the same neighbours are drawn from the plan's places as from the graph", len(same_draws[0]) > 2 and
      all(torch.equal(p, q) for a, b in zip(*same_draws) for p, q in zip(a, b)) and all(by_place.visits(gpu).values()) and sampler.topology.counts["host"] == sum(by_place.visits(gpu).values()))
try:
    bad = hotset.pyg.Planned(path, graph_path, features)
    bad.graph.indices = np.roll(np.array(indices), 1)
    list(bad.replay(batches, gpu))
    check("mini-batches of another graph are told", False)
except hotset.Error as e:
    check("mini-batches of another graph are told", "other neighbours" in str(e))
everyone = hotset.pyg.Sampler(whole.graph, [3, 3], "all").sample_from_nodes(type("Index", (), {"node": torch.from_numpy(plan.train_ids(gpu)[:9]), "input_id": None, "time": None}))
check("frontier all expands the seeds again", np.array_equal(np.bincount(everyone.col[everyone.num_sampled_edges[0]:], minlength=9)[:9],
                                                           np.minimum(degree[plan.train_ids(gpu)[:9]], 3)))


def says(words, call):
    try:
        call()
    except Exception as e:
        return all(w in str(e) for w in words) or print("#", repr(e))
    return False


check("filter_per_worker=True is refused", says(["filter_per_worker", "leave it out"], lambda: whole.loader(gpu, filter_per_worker=True)))
raw = NodeLoader((whole.store(gpu), whole.graph), node_sampler=hotset.pyg.Replay(batches, gpu), input_nodes=torch.arange(2), input_id=torch.arange(2), num_workers=1)
check("a worker that gathers is told", says(["filter_per_worker=False"], lambda: list(raw)))
check("a GPU must be named", says(["which GPU"], lambda: whole.loader()))
check("features of another graph are refused", says(["5 rows", "vertices"], lambda: hotset.pyg.Planned(path, graph_path, features[:5])))
np.save("features.npy", features.numpy())
mapped = hotset.pyg.Planned(path, graph_path, "features.npy", y=labels, edges={"weight": weight})
check("features in a file are mapped", same(mapped, gpu) and mapped.counts(gpu) == judged_of(gpu))

# ---- one process per GPU
jobs = [subprocess.Popen([sys.executable, __file__, *sys.argv[1:5], str(g), "meet"], stderr=subprocess.PIPE, text=True) for g in plan.gpus]
said = [job.communicate()[1] for job in jobs]
check("processes of one GPU each: bytes and counts" + "".join(s for s, j in zip(said, jobs) if j.returncode), all(j.returncode == 0 for j in jobs))
check("a peer that does not come is told", says(["did not appear"], lambda: hotset.peers.share(plan, plan.gpus[0], features, "alone", timeout=0.1)))
print("ok end")
