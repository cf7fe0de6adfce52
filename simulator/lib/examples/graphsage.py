"""Trains a two-layer GraphSAGE in plain PyTorch with features gathered through a plan, and checks that every batch equals one gathered directly.

    hotset graph synth community --vertices 5000 --edges 60000 --feature-dim 32 -o G
    hotset plan --graph G --server dgx-v100 --budget 10% --fanout 10,5 --batch 64 -o P
    python graphsage.py P G
"""
import argparse

import numpy as np
import torch
import torch.nn.functional as F

import hotset
from gather import Cache, Graph


class Layer(torch.nn.Module):
    """h'[v] = W1 h[v] + W2 mean of h over v's drawn neighbours (Hamilton et al. 2017, mean aggregator)."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.own, self.others = torch.nn.Linear(inputs, outputs), torch.nn.Linear(inputs, outputs, bias=False)

    def forward(self, h, own, rows, neighbours):
        """own: positions of the target vertices in h; rows: the target of every draw; neighbours: positions of the drawn vertices in h."""
        mean = torch.zeros(len(own), h.shape[1]).index_add_(0, rows, h[neighbours])
        mean = mean / torch.bincount(rows, minlength=len(own)).clamp(min=1)[:, None]
        return self.own(h[own]) + self.others(mean)


def batch(graph, seeds, fanouts, rng):
    """Draws a mini-batch: the vertices whose features are needed, and (own, rows, neighbours) per layer, the layer next to the features first."""
    targets, layers = seeds, []
    for fanout in fanouts:
        rows, drawn = graph.draw(targets, fanout, rng)
        everyone, place = np.unique(np.concatenate([targets, drawn]), return_inverse=True)
        layers.insert(0, tuple(torch.from_numpy(x) for x in (place[:len(targets)], rows, place[len(targets):])))
        targets = everyone
    return torch.from_numpy(targets), layers


def train(plan, graph, model, run, epochs, batch_size, features, labels):
    """Trains on one GPU's mini-batches after the other, in place of data-parallel training. run(model, x, layers) returns the logits of the seeds."""
    cache, optimizer = Cache(plan, features), torch.optim.Adam(model.parameters(), 0.01)
    rng, first, last, batches = np.random.default_rng(1), None, None, 0
    for epoch in range(epochs):
        losses = []
        for gpu in plan.gpus:
            seeds = rng.permutation(plan.train_ids(gpu).astype(np.int64))
            for at in range(0, len(seeds), batch_size):
                part = seeds[at:at + batch_size]
                ids, layers = batch(graph, part, (10, 5), rng)
                x = cache.gather(gpu, ids)
                if not torch.equal(x, features[ids]):
                    raise SystemExit("GPU %d: a batch differs from the one gathered directly" % gpu)
                loss = F.cross_entropy(run(model, x, layers), labels[torch.from_numpy(part)])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        batches, last = batches + len(losses), sum(losses) / len(losses)
        first = last if first is None else first
        print("epoch %d: loss %.3f" % (epoch, last))
    total = sum(cache.counts.values())
    print("%d batches equal those gathered directly; rows: %s" % (batches, ", ".join("%s %.1f %%" % (k, 100 * v / total) for k, v in cache.counts.items())))
    if not last < first:
        raise SystemExit("the loss did not fall")


def prepare():
    """Reads the command line, the plan and the graph, and makes features and labels that can be learned: the class of a vertex is the largest of its
    first four features."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan")
    parser.add_argument("graph")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=64)
    a = parser.parse_args()
    plan, graph = hotset.Plan(a.plan), Graph(a.graph)
    plan.check_graph(graph.vertices, graph.edges, graph.fingerprint, graph.indptr)
    torch.manual_seed(1)
    features = torch.randn(plan.vertices, plan.feature_dim)
    return a, plan, graph, features, features[:, :4].argmax(1)


class Model(torch.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.layers = torch.nn.ModuleList([Layer(inputs, hidden), Layer(hidden, outputs)])


def run_plain(model, x, layers):
    for i, layer in enumerate(layers):
        x = model.layers[i](x, *layer)
        x = F.relu(x) if i + 1 < len(layers) else x
    return x


if __name__ == "__main__":
    a, plan, graph, features, labels = prepare()
    train(plan, graph, Model(plan.feature_dim, 32, 4), run_plain, a.epochs, a.batch, features, labels)
