"""pyg_sage.py - trains GraphSAGE in PyTorch Geometric through a plan, to validation and test accuracy; in one process, or in one per GPU of the plan.

    python -m hotset.examples.pyg_sage            # on a graph that it makes; or on one of yours, in as many processes as the plan has GPUs:
    hotset graph import tolokers.npz --undirected --labels labels.npy --train train.npy --valid valid.npy --test test.npy --feature-dim 10 -o G
    hotset plan --graph G --server dgx-v100:4 --budget 1% --fanout 10,5 --batch 256 --for pyg -o P
    python -m hotset.examples.pyg_sage --graph G --plan P --features features.npy --processes 4 --observe job.jsonl && hotset observe P job.jsonl

Copy it and change it. CPU memory stands in for GPU memory. The lines that GPUs need are marked with "GPU:"; they have not been run on one.
"""
import argparse
import contextlib
import itertools
import os
import tempfile
from typing import Any, Iterable, List

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.multiprocessing.spawn import spawn
from torch_geometric.nn import SAGEConv  # type: ignore[import-untyped,unused-ignore]

import hotset.pyg
from hotset.examples.made import roc_auc, two_classes


class Model(torch.nn.Module):
    def __init__(self, inputs: int, hidden: int, classes: int, layers: int) -> None:
        super().__init__()
        sizes = [inputs] + [hidden] * (layers - 1) + [classes]
        self.layers = torch.nn.ModuleList([SAGEConv(a, b) for a, b in zip(sizes, sizes[1:])])
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(size) for size in sizes[1:-1]])

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        for layer, norm in zip(self.layers, self.norms):
            x = F.dropout(F.relu(norm(layer(x, edges))), 0.2, self.training)
        return torch.as_tensor(self.layers[-1](x, edges))


def train(model: Any, loaders: List[Iterable[Any]], optimizer: torch.optim.Optimizer) -> float:
    """One epoch over the planned training vertices of the loaders' GPUs. Returns the mean loss of all mini-batches of all processes."""
    model.train()
    total = torch.zeros(2)
    with model.join() if hasattr(model, "join") else contextlib.nullcontext():  # some GPUs may have a mini-batch more
        for batch in itertools.chain(*loaders):  # GPU: batch = batch.to(rank); batch.x lies there already
            size = batch.batch_size
            loss = F.cross_entropy(model(batch.x, batch.edge_index)[:size], batch.y[:size].long(), ignore_index=-1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += torch.tensor([loss.item(), 1.0])
    if dist.is_initialized():
        dist.all_reduce(total)
    return float(total[0] / total[1])


@torch.no_grad()
def evaluate(model: torch.nn.Module, loader: Iterable[Any]) -> str:
    """Share of right classes, the share that the most frequent class alone would get, and for two classes the area under the ROC curve."""
    model.eval()
    logits, y = map(torch.cat, zip(*[(model(b.x, b.edge_index)[:b.batch_size], b.y[:b.batch_size].long()) for b in loader]))
    logits, y = logits[y >= 0], y[y >= 0]
    said = "accuracy %.4f (most frequent class: %.4f%s)" % (right := float((logits.argmax(1) == y).float().mean()), most := float(y.bincount().max() / len(y)),
                                                            ": near it accuracy says little" if right < most + 0.02 else "")
    return said + (", ROC-AUC %.4f" % roc_auc((logits[:, 1] - logits[:, 0]).numpy(), (y == 1).numpy()) if logits.shape[1] == 2 and 0 < y.sum() < len(y) else "")


def run(rank: int, a: argparse.Namespace, folder: str) -> None:
    """The work of one process. rank: its position among the plan's GPUs."""
    torch.manual_seed(a.seed)
    plan, several = hotset.Plan(a.plan), a.processes > 1
    own = [plan.gpus[rank]] if several else plan.gpus
    where: Any = dict(gpu=own[0], shared=os.path.join(folder, "rows")) if several else {}
    torch.set_num_threads(1)  # threads of a model as small as this wait for each other
    if several:  # GPU: "nccl", and memory=hotset.peers.symmetric(plan, gpu, x, device) in place of shared
        dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=a.processes)
    data = hotset.pyg.Planned(plan, a.graph, x=a.features, observe=a.observe, **where)
    loaders = [data.loader(gpu, seed=a.seed) for gpu in own]
    bare = Model(data.x.shape[1], a.hidden, int(data.others["y"].max()) + 1, len(plan.workload["fanout"]))  # GPU: .to(rank)
    model = torch.nn.parallel.DistributedDataParallel(bare) if several else bare
    optimizer = torch.optim.Adam(model.parameters(), a.lr)
    for epoch in range(a.epochs):
        loss = train(model, loaders, optimizer)
        if rank == 0:
            print("epoch %d: loss %.4f\n" % (epoch, loss), end="", flush=True)
    for gpu, counts in ((gpu, data.counts(gpu)) for gpu in own):  # one write per line: processes share the output
        share = ", ".join("%s %d (%.1f %%)" % (place, rows, 100 * rows / max(sum(counts.values()), 1)) for place, rows in counts.items())
        print("GPU %d read %d rows: %s\n" % (gpu, sum(counts.values()), share), end="", flush=True)
    for name in ("valid", "test") if rank == 0 else ():
        print("%s: %s" % (name, evaluate(bare, data.loader(own[0], [40] * len(bare.layers), vertices=name))), flush=True)
    if several:
        dist.barrier()
        dist.destroy_process_group()


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, words in (("graph", "graph directory with labels, validation and test vertices [default: one is made, with its plan]"),
                        ("plan", "plan directory, made for that graph"), ("features", ".npy with a row per vertex [default: features.npy in the graph]"),
                        ("observe", "append what every GPU read in every epoch to this file, for hotset observe")):
        p.add_argument("--" + name, help=words)
    for name, value in (("processes", 1), ("epochs", 10), ("hidden", 64), ("seed", 1), ("lr", 0.003)):
        p.add_argument("--" + name, type=type(value), default=value, help="[default: %(default)s]")
    a = p.parse_args()
    if a.graph is None:
        graph, x = two_classes()
        plan = hotset.make_plan(graph, "dgx-v100:2", budget="10%", fanout=[10, 5], batch=256, for_="pyg", simulate_epochs=0, quiet=True)
        a.graph, a.plan = graph.path, plan.path  # which go with graph and plan
    else:
        x = np.load(a.features or os.path.join(a.graph, "features.npy")).astype(np.float32)
    a.features = (x - x.mean(0)) / np.maximum(x.std(0), 1e-6)  # columns of one scale are learned faster
    if a.processes not in (1, len(hotset.Plan(a.plan).gpus)):
        p.error("--processes %d: give 1, or %d as the plan has GPUs" % (a.processes, len(hotset.Plan(a.plan).gpus)))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        run(0, a, folder) if a.processes == 1 else spawn(run, (a, folder), a.processes)


if __name__ == "__main__":
    main()
