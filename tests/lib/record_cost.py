"""What recording costs: epochs of GraphSAGE in PyG with and without Planned(.., record=..), in pairs, in turn. Needs torch and torch_geometric.

    PYTHONPATH=build/lib HOTSET=build/hotset python tests/lib/record_cost.py [PAIRS]

Prints the median over pairs of (epoch with recording / epoch without - 1), by the processor time of this process, which other work on the machine changes
little, and by the clock; and the recorder's own share of both. One thread, so that nothing else of the process runs.
"""
import os
import statistics
import sys
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.nn import SAGEConv

import hotset
import hotset.pyg

pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
torch.set_num_threads(1)
torch.manual_seed(1)
work = tempfile.TemporaryDirectory()
at = lambda name: os.path.join(work.name, name)
hotset.run("graph synth", "community", vertices=100_000, edges=1_500_000, feature_dim=64, output=at("G"), quiet=True)
plan = hotset.make_plan(at("G"), "dgx-v100:2", budget="5%", fanout=[10, 5], batch=512, simulate_epochs=0, quiet=True)
x, y = torch.randn(plan.vertices, 64), torch.randint(0, 8, (plan.vertices,))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = SAGEConv(64, 64), SAGEConv(64, 8)

    def forward(self, h, edges):
        return self.two(F.relu(self.one(h, edges)), edges)


model = Model()
optimizer = torch.optim.Adam(model.parameters(), 0.01)
plain, recording = (hotset.pyg.Planned(plan, at("G"), x, y=y, record=record) for record in (None, at("R")))
inside = [0.0, 0.0]
clocks = (time.process_time, time.perf_counter)
for name in ("count", "end_epoch"):
    def timed(*words, call=getattr(recording.recorder, name)):
        started = [clock() for clock in clocks]
        call(*words)
        for k, clock in enumerate(clocks):
            inside[k] += clock() - started[k]
    setattr(recording.recorder, name, timed)


def epoch(data):
    started = [clock() for clock in clocks]
    for batch in data.loader(0, sampler=data.sampler(0)):
        loss = F.cross_entropy(model(batch.x, batch.edge_index)[:batch.batch_size], batch.y[:batch.batch_size])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [clock() - begun for clock, begun in zip(clocks, started)]


epoch(plain), epoch(recording)
inside[:], ratios, whole = [0.0, 0.0], [[], []], [0.0, 0.0]
for pair in range(pairs):
    took = {}
    for data in (plain, recording) if pair % 2 else (recording, plain):
        took[data] = epoch(data)
    for k in range(2):
        ratios[k].append(took[recording][k] / took[plain][k] - 1)
        whole[k] += took[recording][k]
for k, name in enumerate(("processor time", "the clock")):
    print("recording costs %+.2f %% of an epoch by %s (median of %d pairs, quartiles %+.2f and %+.2f %%); inside the recorder %.2f %%; an epoch takes %.3f s"
          % (100 * statistics.median(ratios[k]), name, pairs, *(100 * q for q in statistics.quantiles(ratios[k], n=4)[::2]), 100 * inside[k] / whole[k], whole[k] / pairs))
