"""A two-layer GraphSAGE (mean aggregator; Hamilton et al. 2017) in plain PyTorch, trained by several replicas whose gradients are averaged.

Replicas are worked off one after another in one process. In each step every GPU that still has a mini-batch contributes the mean loss of its own, and
the optimizer sees the mean of their gradients, as with data-parallel training.
"""
import numpy as np
import torch
import torch.nn.functional as F


class Graph:
    """Rows in sampling direction, features [n, d] and classes [n]; every row of indices is without duplicates."""

    def __init__(self, indptr, indices, features, labels):
        self.start, self.indices = torch.from_numpy(indptr.astype(np.int64)), torch.from_numpy(indices.astype(np.int64))
        self.degree = self.start[1:] - self.start[:-1]
        self.owner = torch.repeat_interleave(torch.arange(len(self.degree)), self.degree)
        self.x, self.y = torch.from_numpy(features.astype(np.float32)), torch.from_numpy(labels.astype(np.int64))

    def draw(self, vertices, fanout, random):
        """Up to fanout neighbours of each vertex, without replacement (Floyd's algorithm, all vertices at once): places in `vertices`, and neighbours."""
        degree = self.degree[vertices]
        chosen = torch.full((len(vertices), fanout), -1)
        for i in range(fanout):
            last = degree - fanout + i
            at = (torch.rand(len(vertices), generator=random, dtype=torch.float64) * (last + 1)).long()
            at = torch.where((chosen[:, :i] == at[:, None]).any(1), last, at)
            chosen[:, i] = torch.where(degree <= fanout, torch.where(degree > i, i, -1), at)
        rows, columns = (chosen >= 0).nonzero(as_tuple=True)
        return rows, self.indices[self.start[vertices[rows]] + chosen[rows, columns]]

    def batch(self, seeds, fanouts, random):
        """A mini-batch: vertices (seeds first), and the edges of hop 1 and of both hops as pairs of places in it. A hop expands what the hop before found."""
        rows, drawn = self.draw(seeds, fanouts[0], random)
        found = torch.unique(drawn)
        found = found[~torch.isin(found, seeds)]
        more, drawn_more = self.draw(found, fanouts[1], random)
        known = torch.cat([seeds, found])
        outer = torch.unique(drawn_more)
        vertices = torch.cat([known, outer[~torch.isin(outer, known)]])
        place = torch.full((len(self.degree),), -1)
        place[vertices] = torch.arange(len(vertices))
        one = (rows, place[drawn])
        return vertices, one, (torch.cat([rows, more + len(seeds)]), torch.cat([one[1], place[drawn_more]])), len(known)


class Layer(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.own, self.others = torch.nn.Linear(inputs, outputs), torch.nn.Linear(inputs, outputs, bias=False)

    def forward(self, h, targets, rows, columns):
        """h: inputs, those of the targets first. W1 h[v] + W2 mean over v's neighbours; W2 goes first where that is less work."""
        narrow = self.others.out_features < self.others.in_features
        from_others = self.others(h) if narrow else h
        mean = torch.zeros(targets, from_others.shape[1]).index_add_(0, rows, from_others[columns])
        mean = mean / torch.bincount(rows, minlength=targets).clamp(min=1)[:, None]
        return self.own(h[:targets]) + (mean if narrow else self.others(mean))


class Sage(torch.nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.first, self.second = Layer(inputs, hidden), Layer(hidden, classes)

    def forward(self, x, known, both, seeds, one):
        return self.second(F.relu(self.first(x, known, *both)), seeds, *one)


def auc(score, positive):
    """Area under the ROC curve: the share of pairs that are in the right order, ties counted half."""
    values, at, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2
    n = positive.sum()
    return (rank[at][positive].sum() - n * (n + 1) / 2) / (n * (len(score) - n))


def measure(model, graph, vertices, metric):
    """The metric on some vertices, with all neighbours of every vertex."""
    model.eval()
    with torch.no_grad():
        n, edges = len(graph.degree), (graph.owner, graph.indices)
        out = model(graph.x, n, edges, n, edges)[vertices]
    if metric == "ROC-AUC":
        return auc((out[:, 1] - out[:, 0]).numpy(), graph.y[vertices].numpy() == 1)
    return (out.argmax(1) == graph.y[vertices]).double().mean().item()


def train(graph, orders, batch, epochs, held, metric, seed, fanouts=(10, 5), hidden=64, rate=0.01):
    """orders(epoch): per GPU, its training vertices as that epoch takes them. held: vertices for validation and test.
    Returns the metric on both after each epoch, [epochs, 2]."""
    torch.manual_seed(seed)
    random = torch.Generator().manual_seed(seed)
    model = Sage(graph.x.shape[1], hidden, int(graph.y.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), rate, weight_decay=5e-4)
    found = []
    for epoch in range(epochs):
        model.train()
        rows = [torch.from_numpy(np.asarray(ids).astype(np.int64)) for ids in orders(epoch)]
        for at in range(0, max(map(len, rows)), batch):
            parts = [ids[at:at + batch] for ids in rows if at < len(ids)]
            optimizer.zero_grad()
            for seeds in parts:
                vertices, one, both, known = graph.batch(seeds, fanouts, random)
                out = model(graph.x[vertices], known, both, len(seeds), one)
                (F.cross_entropy(out, graph.y[seeds]) / len(parts)).backward()
            optimizer.step()
        found.append([measure(model, graph, v, metric) for v in held])
    return np.array(found)
