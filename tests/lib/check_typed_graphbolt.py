"""Distinct vertices of each type and draws of each relation per epoch, from GraphBolt's own sampler on a fused CSC and from mini-batches that hotset exported.

usage: check_typed_graphbolt.py GRAPH BATCHES  (BATCHES: of one GPU, --frontier all, which is GraphBolt's rule, --fanout-over vertex or relation)
Both draw without replacement, mini-batches of shuffled training vertices. Means may differ by four standard errors, which must be small.
"""
import sys

import numpy as np
import torch
import dgl.graphbolt as gb

import hotset

EPOCHS = 8
graph, batches = sys.argv[1], hotset.Batches(sys.argv[2])
torch.manual_seed(1)
parts = hotset.load_graph(graph)
types, relations, work = list(parts["types"]), list(parts["relations"]), batches.workload
count = np.array([parts["types"][t]["count"] for t in types])
first = np.concatenate([[0], np.cumsum(count)])
target, source, kind = [], [], []
for i, r in enumerate(relations):
    rows, columns = (np.asarray(ids, np.int64) for ids in reversed(parts["relations"][r]["edge_index"]))  # messages flow from columns to rows
    target.append(rows + first[types.index(r[2])])
    source.append(columns + first[types.index(r[0])])
    kind.append(np.full(len(rows), i))
target, source, kind = (np.concatenate(x) for x in (target, source, kind))
order = np.lexsort((kind, target))
names = [":".join(r) for r in relations]
fused = gb.fused_csc_sampling_graph(torch.from_numpy(np.concatenate([[0], np.cumsum(np.bincount(target, minlength=first[-1]))])), torch.from_numpy(source[order]),
                                    node_type_offset=torch.from_numpy(first), type_per_edge=torch.from_numpy(kind[order]),
                                    node_type_to_id={t: i for i, t in enumerate(types)}, edge_type_to_id={n: i for i, n in enumerate(names)})
fanout = np.array([work["fanout"]["%s-%s->%s" % r] for r in relations])  # [relations, hops]
hops = [torch.from_numpy(fanout[:1, h] if work.get("fanout_over") == "vertex" else fanout[:, h].copy()) for h in range(fanout.shape[1])]
seeds = gb.ItemSetDict({t: gb.ItemSet(torch.from_numpy(parts["types"][t]["train"].astype(np.int64)), names="seed_nodes")
                        for t in types if "train" in parts["types"][t]})
theirs = np.zeros((EPOCHS, len(types) + len(relations)))
loader = gb.DataLoader(gb.ItemSampler(seeds, batch_size=work["batch"], shuffle=True).sample_neighbor(fused, hops[::-1]))
for e in range(EPOCHS):
    for batch in loader:
        theirs[e, :len(types)] += [len(batch.input_nodes.get(t, ())) for t in types]
        for layer in batch.sampled_subgraphs:
            theirs[e, len(types):] += [len(layer.sampled_csc[n].indices) if n in layer.sampled_csc else 0 for n in names]

ours = np.zeros((batches.epochs, theirs.shape[1]))
for batch in batches.of(0):
    ours[batch.epoch] += [len(batch.vertices[t]) for t in types] + [len(batch.edges[r]) for r in relations]
error = np.sqrt(theirs.var(axis=0, ddof=1) / EPOCHS + ours.var(axis=0, ddof=1) / len(ours))
for name, a, b, s in zip(types + names, ours.mean(axis=0), theirs.mean(axis=0), error):
    print("%s %s: %.1f per epoch, GraphBolt %.1f, standard error %.1f" % ("ok" if abs(a - b) <= 4 * s + 1e-9 and s <= 0.02 * b + 1 else "failed", name, a, b, s))
print("ok end")
