"""Replays exported mini-batches of a typed plan through PyG's own loader and stores; checks loaders. Prints "ok name" or "failed name", and "ok end".

usage: check_hetero.py HOTSET FOLDER
"""
import json
import os
import subprocess
import sys
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch
import torch_geometric.typing
from torch_geometric.data import HeteroData
from torch_geometric.loader import NeighborLoader

import hotset.pyg
from hotset import Batches

program, folder = sys.argv[1:3]
at = lambda name: os.path.join(folder, name)


def check(name, good):
    print("ok" if good else "failed", name, flush=True)


def run(*words):
    return json.loads(subprocess.run([program, *words, "--quiet", "--json"], check=True, stdout=subprocess.PIPE).stdout)


def says(words, call):
    try:
        call()
    except Exception as e:
        return all(w in str(e) for w in words) or print("#", repr(e))
    return False


# ---- a graph with features of vertices and of edges, a type without features, and vertices without neighbours
rng, n = np.random.default_rng(8), {"user": 600, "item": 250, "tag": 40}
ends = {("user", "buys", "item"): 2500, ("item", "bought_by", "user"): 2500, ("item", "rated", "user"): 1800, ("tag", "of", "item"): 500}
data = HeteroData()
for kind, count in n.items():
    data[kind].num_nodes = count
data["user"].x, data["item"].x = torch.from_numpy(rng.random((600, 20), np.float32)), torch.from_numpy(rng.random((250, 70), np.float32)).half()
data["user"].train_mask = torch.arange(600) % 3 == 0
for (s, r, t), m in ends.items():
    data[s, r, t].edge_index = torch.from_numpy(np.stack([(rng.random(m) ** 2 * n[s]).astype(np.int64), rng.integers(0, n[t], m)]))
rated, labels = ("item", "rated", "user"), torch.arange(600) * 3
data[rated].edge_attr = torch.from_numpy(rng.random((1800, 7), np.float32))
hotset.graph(data, at("G"), quiet=True)
number = torch.from_numpy(np.load(at("G/relation%d_edge_ids.npy" % list(ends).index(rated))).astype(np.int64))
features, weight = {"user": data["user"].x, "item": data["item"].x}, data[rated].edge_attr[number]  # by position in the relation's indices


def judged_of(judged, gpu, kind):
    """What the simulation counted: {type or relation: counts}."""
    tables = next(g for g in judged["rows"][0]["simulated"]["gpus"] if g["id"] == gpu)["tables"]
    return {t.get("type") or (t["source"], t["relation"], t["target"]): {"own": t["reads"]["local"], "peer": t["reads"]["peer"], "host": t["reads"]["host"]}
            for t in tables if t["kind"] == kind}


def faithful(batch, raw, graph):
    """A mini-batch of PyG against the one written, and against the graph."""
    good = batch["user"].batch_size == raw.level["user"][0] and torch.equal(batch["user"].y, labels[batch["user"].n_id])
    for kind in n:
        ids = torch.from_numpy(raw.vertices[kind].astype(np.int64))
        good = good and torch.equal(batch[kind].n_id, ids) and len(set(ids.tolist())) == len(ids)
        good = good and (kind not in features or torch.equal(batch[kind].x, features[kind][ids]))
    for r, lists in graph.lists.items():
        edge, (source, target) = batch[r].e_id.numpy(), batch[r].edge_index
        who = batch[r[2]].n_id[target].numpy()
        good = good and np.array_equal(lists.indices[edge], batch[r[0]].n_id[source]) and np.all((lists.indptr[who] <= edge) & (edge < lists.indptr[who + 1]))
        good = good and batch[r].num_sampled_edges == np.diff(raw.drawn[r]).tolist()
    return bool(good) and torch.equal(batch[rated].edge_attr, weight[batch[rated].e_id])


for frontier in ("new", "all"):
    P, B = at("P-" + frontier), at("B-" + frontier)
    run("plan", "--graph", at("G"), "--server", "dgx-v100:4", "--budget", "7%", "--fanout", "buys=4,3;bought_by=5,2;rated=3,2;of=2,0", "--batch", "40", "--sampling", "gpu", "--frontier",
        frontier, "--simulate-epochs", "0", "-o", P)
    judged = run("simulate", P, "--seed", "99", "--epochs", "2")
    run("simulate", P, "--seed", "99", "--epochs", "2", "--export-batches", B)
    planned, batches = hotset.pyg.PlannedHetero(P, at("G"), features, edges={rated: weight}, y={"user": labels}), Batches(B)
    good = all(faithful(batch, raw, planned.graph) for gpu in batches.gpus for batch, raw in zip(planned.replay(B, gpu), batches.of(gpu)))
    check("frontier %s: PyG's loader gives the mini-batches that were written, with the bytes of the features" % frontier, good)
    same = {what: True for what in ("feature", "edge_feature", "topology")}
    for gpu in planned.plan.gpus:
        counts = planned.counts(gpu)
        same["feature"] &= {k: counts[k] for k in features} == judged_of(judged, gpu, "feature")
        same["edge_feature"] &= {rated: counts[rated]} == judged_of(judged, gpu, "edge_feature")
        same["topology"] &= planned.visits(gpu) == judged_of(judged, gpu, "topology")
    for what, good in same.items():
        check("frontier %s: %s reads by place equal the simulation, per GPU and table" % (frontier, what), good)
    gpu = planned.plan.gpus[0]
    every = {k: sum(v.values()) for k, v in planned.counts(gpu).items()}
    check("frontier %s: every place serves some rows" % frontier, all(all(planned.counts(gpu)[k].values()) for k in features) and min(every.values()) > 50)
    # ---- loaders: the planned vertices, with neighbours drawn here
    loaded = hotset.pyg.PlannedHetero(P, at("G"), features, edges={rated: weight}, y={"user": labels})
    seeds, good, expected = [], True, dict.fromkeys(loaded.visits(gpu), 0)
    for batch in loaded.loader(gpu, sampler=loaded.sampler(gpu)):
        seeds += batch["user"].n_id[:batch["user"].batch_size].tolist()
        good = good and all(torch.equal(batch[k].x, features[k][batch[k].n_id]) for k in features) and torch.equal(batch[rated].edge_attr, weight[batch[rated].e_id])
        for r, lists in loaded.graph.lists.items():
            edge, (source, target) = batch[r].e_id.numpy(), batch[r].edge_index
            good = good and np.array_equal(lists.indices[edge], batch[r[0]].n_id[source])
            targets, first = batch[r[2]].num_sampled_nodes, 0  # the first hop: each seed once, min(degree, fan-out) draws
            who, here = batch[r[2]].n_id[:targets[0]].numpy(), target[:batch[r].num_sampled_edges[0]]
            want = np.minimum(lists.indptr[who + 1] - lists.indptr[who], loaded.plan.fanout(r)[0])
            good = good and np.array_equal(np.bincount(here, minlength=len(who)), want) and sum(batch[r].num_sampled_edges) == len(edge)
            good = good and len(batch[r[2]].n_id) == sum(targets)
            if r in expected:
                expected[r] += sum(targets[h] if frontier == "new" else sum(targets[:h + 1]) for h, most in enumerate(loaded.plan.fanout(r)) if most)
    check("frontier %s: data.sampler draws by the fan-outs over the planned vertices" % frontier, good and sorted(seeds) == sorted(loaded.plan.train_ids(gpu, "user").tolist()))
    visits = loaded.visits(gpu)
    check("frontier %s: it visits the lists of every frontier, where the plan puts them" % frontier,
          {r: sum(v.values()) for r, v in visits.items()} == expected and all(sum(v[place] for v in visits.values()) for place in ("own", "peer", "host")))

# ---- rounded caches: hits are the rounded rows, misses the host's (f16 is every type's but item's, which has it already)
run("plan", "--graph", at("G"), "--server", "dgx-v100:4", "--budget", "7%", "--fanout", "buys=4,3;bought_by=5,2;rated=3,2;of=2,0", "--batch", "40",
    "--cache-type", "f16", "--simulate-epochs", "0", "-o", at("P-f16"))
small = hotset.pyg.PlannedHetero(at("P-f16"), at("G"), features, edges={rated: weight}, y={"user": labels})
seen, good = {"exact": 0, "rounded": 0}, True
for batch in small.loader(0, sampler=small.sampler(0)):
    for k, rows in (("user", features["user"][batch["user"].n_id]), (rated, weight[batch[rated].e_id])):
        got = batch[k].x if k == "user" else batch[k].edge_attr
        exact, near = (got == rows).all(dim=1), (got == rows.half().float()).all(dim=1)
        good = good and bool((exact | near).all())
        seen["exact"] += int((exact & ~near).sum())
        seen["rounded"] += int((near & ~exact).sum())
    good = good and torch.equal(batch["item"].x, features["item"][batch["item"].n_id])
check("--cache-type: hits are rounded, misses are the host's rows", good and all(seen.values()))

if torch_geometric.typing.WITH_PYG_LIB or torch_geometric.typing.WITH_TORCH_SPARSE:
    planned = hotset.pyg.PlannedHetero(at("P-new"), at("G"), features, y={"user": labels}, edges={rated: weight})
    own = NeighborLoader((planned.store(0), planned.graph), planned.fanout(), input_nodes=("user", torch.from_numpy(planned.plan.train_ids(0, "user").astype(np.int64))),
                         batch_size=40, filter_per_worker=False)
    rows, good = dict.fromkeys(features, 0), True
    for batch in own:
        for k in features:
            rows[k] += len(batch[k].n_id)
            good = good and torch.equal(batch[k].x, features[k][batch[k].n_id])
        for r, lists in planned.graph.lists.items():
            good = good and np.array_equal(lists.indices[batch[r].e_id.numpy()], batch[r[0]].n_id[batch[r].edge_index[0]])
    check("PyG's NeighborLoader with PyG's own sampler draws through the stores", good and rows == {k: sum(planned.counts(0)[k].values()) for k in features} and min(rows.values()) > 100)
    loop = sum(1 for _ in planned.loader(0))
    check("data.loader takes PyG's own sampler", loop == -(-len(planned.plan.train_ids(0, "user")) // 40))
else:
    print("# PyG's own sampler needs pyg-lib or torch-sparse, which are not installed: not run")

# ---- what is read is recorded, and the next plan goes on: B, P and judged are those of the last frontier
recording = hotset.pyg.Planned(P, at("G"), features, edges={rated: weight}, y={"user": torch.stack([labels, labels + 1], 1)}, record=at("R"))
tasks = [batch["user"].y for gpu in recording.plan.gpus for batch in recording.replay(B, gpu)]
check("labels of several tasks are rows", all(y.shape[1] == 2 and torch.equal(y[:, 1], y[:, 0] + 1) for y in tasks))
check("recorded rows by type and place equal the simulation", all({k: recording.recorder.served(g)[k] for k in features} == judged_of(judged, g, "feature")
                                                                  for g in recording.plan.gpus))
check("a replay records the epochs that were written", sorted(os.listdir(at("R"))) == ["gpu%d-2.npy" % g for g in recording.plan.gpus] + ["observed.jsonl"])
job = hotset.recorded(at("R"), hotset.record(at("G"), "dgx-v100:4", plan=recording.plan, seed=4, quiet=True), at("G"), quiet=True)
run("plan", "--graph", at("G"), "--server", "dgx-v100:4", "--budget", "9%", "--trace", job.path, "--simulate-epochs", "0", "-o", at("next"))
after, before = hotset.Plan(at("next")), recording.plan
counted, held = recording.counts(0), {(g, k): recording._memory[k][g].clone() for k in features for g in before.gpus}
differ = {g: sum(len(set(after.feature_ids(g, k)) - set(before.feature_ids(g, k))) for k in features)
          + len(set(after.edge_ids(g, rated)) - set(before.edge_ids(g, rated))) for g in before.gpus}
rows, sizes = {}, {}
for key, ids in [(k, lambda p, g, k=k: p.feature_ids(g, k)) for k in features] + [(rated, lambda p, g: p.edge_ids(g, rated))]:
    size = (features[key] if key in features else weight)[0].nbytes
    for g in before.gpus:
        peers = [(p, set(ids(before, p))) for p, wide in zip(before.peers(g), before.peer_links(g)) if wide]
        for v in set(ids(after, g)) - set(ids(before, g)):
            link = next((p for p, at in peers if v in at), None), g
            rows[link], sizes[link] = rows.get(link, 0) + 1, sizes.get(link, 0) + size
loaded = recording.reload(after)
check("rows come from the first peer that held them, else from the host", loaded.rows == rows and loaded.bytes == sizes and {link[0] is None for link in rows} == {True, False}
      or print("#", loaded.rows, rows))
check("another plan loads the rows that differ, and no others", loaded == differ and sum(loaded.values()) > 0)
check("memories hold the new plan's rows", all(torch.equal(recording._memory[k][g], features[k][torch.from_numpy(after.feature_ids(g, k).astype(np.int64))])
                                               for k in features for g in after.gpus))
check("counts go on", recording.counts(0) == counted)
good = all(torch.equal(batch[k].x, features[k][batch[k].n_id]) for batch in recording.loader(0, sampler=recording.sampler(0)) for k in features)
check("loaders serve the features through the new plan", good and sum(recording.counts(0)["user"].values()) > sum(counted["user"].values()))
check("the recorder counted that epoch, too", os.path.exists(at("R/gpu0-3.npy")) and not os.path.exists(at("R/gpu0-2.npy")))

# ---- tables that GPUs hold rounded go on with the values that they have, and load others rounded
run("plan", "--graph", at("G"), "--server", "dgx-v100:4", "--budget", "9%", "--fanout", "4,3", "--batch", "40", "--cache-type", "f16", "--simulate-epochs", "0", "-o", at("P-f16-more"))
half = hotset.pyg.PlannedHetero(at("P-f16"), at("G"), features, edges={rated: weight})
half.store(0)
less, more = half.plan, hotset.Plan(at("P-f16-more"))
loaded = half.reload(more)
check("rounded rows stay, and others are rounded as they come", all(torch.equal(half._memory[k][g], features[k][torch.from_numpy(more.feature_ids(g, k).astype(np.int64))].half())
                                                                  for k in features for g in more.gpus)
      and loaded == {g: sum(len(set(more.feature_ids(g, k)) - set(less.feature_ids(g, k))) for k in features) for g in more.gpus} and sum(loaded.values()) > 0)

# ---- fan-outs over all relations of a vertex: PyG's samplers do not draw so, written mini-batches are read all the same
run("plan", "--graph", at("G"), "--server", "dgx-v100:4", "--budget", "7%", "--fanout", "4,3", "--fanout-over", "vertex", "--batch", "40", "--simulate-epochs", "0",
    "-o", at("V"))
run("simulate", at("V"), "--seed", "99", "--epochs", "1", "--export-batches", at("B-V"))
together = hotset.pyg.Planned(at("V"), at("G"), features, edges={rated: weight}, y={"user": labels})
refusal = ["--fanout-over vertex", "which PyG's samplers do not", "data.replay"]
for name, call in (("data.fanout", together.fanout), ("data.sampler", lambda: together.sampler(gpu)), ("data.loader", lambda: together.loader(gpu))):
    check("fan-outs over the vertex: %s refuses" % name, says(refusal, call))
pairs = list(zip(together.replay(at("B-V"), gpu), Batches(at("B-V")).of(gpu)))
check("fan-outs over the vertex: replay gives the mini-batches that were written", bool(pairs) and all(faithful(b, raw, together.graph) for b, raw in pairs))

# ---- what is refused
make = lambda **k: hotset.pyg.PlannedHetero(P, at("G"), **{"x": features, "edges": {rated: weight}, **k})
check("a type without rows is told", says(["x has rows of", "item"], lambda: make(x={"user": features["user"]})))
check("edge rows that lack are told", says(["edges has rows of", "rated"], lambda: make(edges=None)))
check("too few rows are told", says(["5 rows"], lambda: make(x={**features, "user": features["user"][:5]})))
check("filter_per_worker=True is refused", says(["filter_per_worker", "leave it out"], lambda: make().loader(gpu, filter_per_worker=True)))
other = make()
other.graph.lists[rated].indices = np.roll(np.array(other.graph.lists[rated].indices), 1)
check("mini-batches of another graph are told", says(["other neighbours"], lambda: list(other.replay(B, gpu))))
check("a document that is cut off is told", says(["batches.json"], lambda: (json.dump({"schema": "batches/1"}, open(at("batches.json"), "w")), Batches(folder))))
columns = np.load(at("B-new/gpu0_columns.npy"))
columns[3] = 1 << 20
np.save(at("B-new/gpu0_columns.npy"), columns)
check("an edge out of its mini-batch is told", says(["leaves the mini-batch"], lambda: Batches(at("B-new")).read(0, 0)))
cut = np.load(at("B-all/gpu0_edges_at.npy"))
np.save(at("B-all/gpu0_edges_at.npy"), cut[::-1])
check("offsets that fall are told", says(["does not divide"], lambda: Batches(at("B-all")).read(0, 0)))
check("end", True)
