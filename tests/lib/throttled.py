"""A machine with slow links, made of CPU memory and waiting: epochs through a plan beside epochs with all features on the host, measured and predicted.

usage: throttled.py HOTSET G [SHARE OF THE BUDGET]     G: a graph directory; writes S.json, S2.json and plans below the working folder

The machine. Two GPUs of the profile dgx-v100, each with a PCIe link of its own, and NVLink between them. This CPU stands in for a GPU that is `slow` times
slower: `slow` is the time that the CPU takes to train a mini-batch, over the time that the model gives a V100. So every link of the profile is `slow` times
slower, too. A read of the host, or of a peer, takes as long as the profile says: the longer of bytes / rate and requests / rate. What the CPU did not need
of that time it waits. Own rows are not delayed. Before anything is compared, mini-batches without delays tell the training time and the sampling rate of
this CPU, which the profile then states.

The prediction is the plan's: epoch_time.seconds and without_cache_seconds of plan.json, with --schedule sequential, because PyG's loop samples, gathers and
trains one after another. The measured epochs are of PyG's own loader, mini-batches of both kinds in turn, so that other load on the machine meets both.
"""
import json
import os
import subprocess
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.nn import SAGEConv

import hotset
import hotset.pyg

program, graph_path = sys.argv[1:3]
budget = sys.argv[3] if len(sys.argv) > 3 else "5%"
HIDDEN, CLASSES, BATCH, LINE = 64, 64, 256, 64
CACHED, UNCACHED = "through the plan", "all features on the host"


class Link:
    """Reads over PCIe and NVLink by their rates in a server profile; both work side by side."""

    def __init__(self, server):
        pcie, nvlink, near = server["pcie"]["read"], server["nvlinks"][0], server["nvlink_read"]
        self.pcie = pcie["gbps"] * 1e9, pcie["requests_per_second"]
        self.nvlink = nvlink["gbps"] * near["share"] * 1e9, near["requests_per_second"]
        self.on, self.lines = True, 0

    def wait(self, started, host=(0, 0), peer=(0, 0)):
        """Until the reads have passed that began at `started`. host, peer: (bytes, requests). Returns the seconds that they took."""
        self.lines += host[0] // LINE
        took = max(max(n / rate for n, rate in zip(reads, rates)) for reads, rates in ((host, self.pcie), (peer, self.nvlink)))
        while self.on and time.perf_counter() - started < took:
            time.sleep(max(0.0, min(1e-3, started + took - time.perf_counter() - 2e-4)))
        return time.perf_counter() - started


class SlowRows:
    """Rows of a plan, those of peers and of the host over slow links; without `rows` all are the host's."""

    def __init__(self, host, link, rows=None):
        self.host, self.link, self.rows, self.seconds = host, link, rows, 0.0
        self.row_bytes = host[:1].numel() * host.element_size()

    def gather(self, ids):
        started = time.perf_counter()
        if self.rows is None:
            out, peer, far = self.host.index_select(0, ids), 0, len(ids)
        else:
            before = self.rows.counts
            out, now = self.rows.gather(ids), self.rows.counts
            peer, far = now["peer"] - before["peer"], now["host"] - before["host"]
        self.seconds += self.link.wait(started, (far * self.row_bytes, far), (peer * self.row_bytes, peer))
        return out


class SlowSampler(hotset.pyg.Sampler):
    """Reads the graph over the slow link: of every visit the lines of the offset pair, and those of the row that are drawn from (model/transactions.md)."""

    def __init__(self, graph, fanout, link):
        super().__init__(graph, fanout)
        self.link, self.seconds, self.draws = link, 0.0, 0

    def _draw(self, targets, fanout):
        started = time.perf_counter()
        of, edge, ids = super()._draw(targets, fanout)
        self.draws += len(edge)
        lines, requests = topology_reads(targets.numpy(), of.numpy(), edge.numpy())
        self.seconds += self.link.wait(started, (lines * LINE, requests)) if self.link.on else 0.0
        return of, edge, ids


def topology_reads(targets, of, edge):
    """(lines, requests) of drawing edge[i] for targets[of[i]]."""
    pairs = (8 * targets + 15) // LINE - 8 * targets // LINE + 1
    rows = np.unique(of * (1 << 40) + edge * 4 // LINE)
    return int(pairs.sum()) + len(rows), len(targets) + len(np.unique(of))


class Model(torch.nn.Module):
    def __init__(self, inputs, hops):
        super().__init__()
        sizes = [inputs] + [HIDDEN] * (hops - 1) + [CLASSES]
        self.layers = torch.nn.ModuleList([SAGEConv(a, b) for a, b in zip(sizes, sizes[1:])])

    def forward(self, x, edges):
        for layer in self.layers[:-1]:
            x = F.relu(layer(x, edges))
        return self.layers[-1](x, edges)


class Run:
    """Mini-batches of one GPU, and the seconds of their stages."""

    def __init__(self, data, gpu, link, cached):
        store = data.store(gpu)
        self.rows = store.rows = SlowRows(data.x, link, hotset.PlannedRows(data.plan, gpu, data.x, layout="dense", threads=1) if cached else None)
        self.sampler = SlowSampler(data.graph, data.plan.workload["fanout"], link)
        self.loader = iter(data.loader(gpu, seed=3, sampler=self.sampler))
        self.model = Model(data.x.shape[1], len(data.plan.workload["fanout"]))
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.01)
        self.seconds = dict.fromkeys(("sample", "transfer", "propagate"), 0.0)

    def step(self):
        """Trains the next mini-batch; False after the last. A wait for topology is transfer, as in the model."""
        before, started = self.rows.seconds + self.sampler.seconds, time.perf_counter()
        batch = next(self.loader, None)
        if batch is None:
            return False
        loaded, transfer = time.perf_counter(), self.rows.seconds + self.sampler.seconds - before
        loss = F.cross_entropy(self.model(batch.x, batch.edge_index)[:batch.batch_size], batch.y[:batch.batch_size])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        for stage, took in (("sample", loaded - started - transfer), ("transfer", transfer), ("propagate", time.perf_counter() - loaded)):
            self.seconds[stage] += took
        return True


def make_plan(server, name):
    """Of features alone, whose GPUs draw from the host's graph, as the stand-in does."""
    with open(name + ".json", "w") as f:
        json.dump(server, f)
    subprocess.run([program, "plan", "--graph", graph_path, "--server", name + ".json", "--budget", budget, "--fanout", "10,5", "--batch", str(BATCH), "--policy",
                    "quiver", "--schedule", "sequential", "--hidden", str(HIDDEN), "--classes", str(CLASSES), "--quiet", "-o", name + ".plan"], check=True,
                   stdout=subprocess.DEVNULL)
    return hotset.Plan(name + ".plan"), json.load(open(os.path.join(name + ".plan", "plan.json")))["simulated"]


def profile():
    """Two GPUs of the profile, each with a PCIe link of its own."""
    server = json.loads(subprocess.run([program, "server", "show", "dgx-v100:2", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    for g in server["gpus"]:
        g["switch"] = g["id"]
    server.pop("fingerprint")
    return server


def slowed(server, slow, edges_per_second):
    """The profile of the stand-in."""
    s = json.loads(json.dumps(server))
    for g in s["gpus"]:
        g.update(memory_gbps=g["memory_gbps"] / slow, tflops=g["tflops"] / slow, sampling_edges_per_second=edges_per_second)
    for link in s["nvlinks"]:
        link["gbps"] /= slow
    for where, keys in (("pcie", ["gbps"]), ("nvlink_read", ["requests_per_second"])):
        for key in keys:
            s[where][key] /= slow
    for key in ("gbps", "requests_per_second"):
        s["pcie"]["read"][key] /= slow
    s["host_memory_gbps"] /= slow
    return s


def check(name, good):
    print("ok" if good else "failed", name, flush=True)


def lines_of_replay(plan, batches):
    """{gpu: transactions of topology and features} of exported mini-batches, counted by the stand-in."""
    found = {}
    for gpu in plan.gpus:
        link = Link(server)
        link.on = False
        rows = SlowRows(x, link, hotset.PlannedRows(plan, gpu, x))
        for b in batches.of(gpu):
            rows.gather(torch.from_numpy(b.vertices).long())
            for hop in b.hops:
                targets = hop.expanded.astype(np.int64)
                place = {v: i for i, v in enumerate(targets.tolist())}
                of = np.array([place[v] for v in b.vertices[hop.rows].tolist()], np.int64)
                link.lines += topology_reads(targets, of, hop.edges)[0]
        found[gpu] = link.lines
    return found


graph = hotset.pyg.PlannedGraph(graph_path)
torch.manual_seed(1)
torch.set_num_threads(1)  # so that other load on the machine slows the training less
server = profile()
plan, said = make_plan(server, "S")
x = torch.rand(graph.vertices, plan.feature_dim)
y = torch.randint(CLASSES, (graph.vertices,))

# the stand-in counts what the simulation counts
subprocess.run([program, "simulate", "S.plan", "--seed", "99", "--epochs", "2", "--export-batches", "S.batches", "--quiet"], check=True, stdout=subprocess.DEVNULL)
judged = json.loads(subprocess.run([program, "simulate", "S.plan", "--seed", "99", "--epochs", "2", "--json", "--quiet"], check=True, stdout=subprocess.PIPE).stdout)
want = {g["id"]: 2 * g["transactions"]["total"] for g in judged["rows"][0]["simulated"]["gpus"]}
have = lines_of_replay(plan, hotset.Batches("S.batches"))
check("the stand-in reads as many lines as are simulated", all(abs(have[g] - want[g]) <= 2 for g in plan.gpus) or print("#", have, want))

# this CPU, without delays
link = Link(server)
link.on = False
data = hotset.pyg.Planned(plan, graph, x, y=y)
run = Run(data, plan.gpus[0], link, True)
run.step()
warm = dict(run.seconds), run.sampler.draws
steps = 1
while run.step():
    steps += 1
trained = (run.seconds["propagate"] - warm[0]["propagate"]) / (steps - 1)
edges_per_second = (run.sampler.draws - warm[1]) / (run.seconds["sample"] - warm[0]["sample"])
stages = said["epoch_time"]["stages"]
slow = trained / (stages["propagate"] - stages["sync"])
print("# this CPU trains a mini-batch in %.1f ms, %.0f times as long as the profile's GPU, and samples %.2f million edges per second" %
      (1e3 * trained, slow, edges_per_second / 1e6))

# the same with delays
server = slowed(server, slow, edges_per_second)
plan, said = make_plan(server, "S2")
of, link = said["epoch_time"], Link(server)
data = {kind: hotset.pyg.Planned(plan, graph, x, y=y) for kind in (CACHED, UNCACHED)}
epoch, seconds = {}, {}
for gpu in plan.gpus:
    runs = {kind: Run(data[kind], gpu, link, kind == CACHED) for kind in data}
    while all([r.step() for r in runs.values()]):
        pass
    for kind, r in runs.items():
        if sum(r.seconds.values()) > epoch.get(kind, 0.0):  # the slower GPU: they would work side by side
            epoch[kind], seconds[kind] = sum(r.seconds.values()), r.seconds
sync = of["iterations"] * of["stages"]["sync"]  # gradients are not exchanged here
predicted = {CACHED: of["seconds"] - sync, UNCACHED: of["without_cache_seconds"] - sync}
print("# PCIe: %.3f GB/s and %.0f requests/s; iterations: %g" % (link.pcie[0] / 1e9, link.pcie[1], of["iterations"]))
for kind in data:
    print("# %-25s measured %.3f s (%s), predicted %.3f s" % (kind, epoch[kind], ", ".join("%s %.3f" % p for p in seconds[kind].items()), predicted[kind]))
print("#   predicted stages through the plan: %s" % ", ".join("%s %.3f" % (k, v * of["iterations"]) for k, v in of["stages"].items()))
ratios = epoch[CACHED] / epoch[UNCACHED], predicted[CACHED] / predicted[UNCACHED]
print("# ratio: measured %.3f, predicted %.3f, difference %+.1f %%" % (*ratios, 100 * (ratios[0] / ratios[1] - 1)))
check("the plan shortens the epoch", ratios[0] < 0.97)
check("the ratio is within 15 % of the predicted one", abs(ratios[0] / ratios[1] - 1) < 0.15)
print("ok end")
