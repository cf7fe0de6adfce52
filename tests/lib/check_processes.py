"""Plans in several processes: orders of epochs as samplers, for torch, Lightning and Accelerate, and typed plans with one process per GPU. Prints "ok name" or
"failed name", "skip name: why", and "ok end".

    python check_processes.py HOTSET FOLDER
"""
import importlib.util
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import torch

import hotset
import hotset.peers
import hotset.pyg

HOTSET, FOLDER = sys.argv[1:3]
at = lambda name: os.path.join(FOLDER, name)
warnings.simplefilter("ignore")


def check(name, good):
    print("ok" if good else "failed", name, flush=True)


def run(*words):
    return subprocess.run([HOTSET, *words, "--quiet"], check=True, stdout=subprocess.PIPE, text=True).stdout


def refusal(call):
    try:
        call()
    except hotset.Error as e:
        return str(e)
    return ""


def features():
    rng = np.random.default_rng(3)
    graph = json.load(open(at("M/graph.json")))
    return {t["name"]: torch.from_numpy(rng.random((t["count"], t["feature_dim"]), np.float32)) for t in graph["types"]}


class StandIn:
    """torch's symmetric memory, which needs GPUs, in files that two processes map: buffers of one size and type in all processes, met in the order made."""

    def __init__(self, rank, folder):
        self.rank, self.folder, self.made = rank, folder, 0

    def empty(self, *shape, dtype, device):
        self.made += 1
        self.like = (tuple(shape), dtype)
        return self.get_buffer(self.rank, *self.like)

    def rendezvous(self, mine, group):
        every = [None] * 2
        torch.distributed.all_gather_object(every, self.like, group)
        assert every == [self.like] * 2, every
        handle = StandIn(self.rank, self.folder)
        handle.made = self.made
        return handle

    def get_buffer(self, rank, shape, dtype):
        path = os.path.join(self.folder, "%d.%d" % (self.made, rank))
        return torch.from_file(path, shared=True, size=int(np.prod(shape)), dtype=dtype).view(*shape)


def symmetric(rank, plan, gpu, x, folder):
    import torch.distributed._symmetric_memory as symmetric_memory

    os.makedirs(folder, exist_ok=True)
    torch.distributed.init_process_group("gloo", init_method="file://" + os.path.abspath(os.path.join(folder, "meet")), rank=rank, world_size=2)
    made = StandIn(rank, folder)
    symmetric_memory.empty, symmetric_memory.rendezvous = made.empty, made.rendezvous
    memory = hotset.peers.symmetric(hotset.Plan(plan), gpu, x, "cpu")
    torch.distributed.destroy_process_group()
    return memory


def serve(rank, gpus, plan, shared):
    """The process of one GPU of a typed plan: it reads what the simulation counted. Writes its counts, or what went wrong."""
    torch.set_num_threads(1)
    x = features()
    where = dict(memory=symmetric(rank, at(plan), gpus[rank], x, at(shared))) if shared.endswith("symmetric") else dict(shared=at(shared))
    planned = hotset.pyg.Planned(at(plan), at("M"), x=x, y={"paper": torch.stack([x["paper"][:, 0], 2 * x["paper"][:, 0]], 1)}, gpu=gpus[rank],
                                 record=at(shared + ".record"), **where)
    good = not refusal(lambda: planned.counts(gpus[1 - rank])) == ""
    rounded = dict(rtol=2e-3, atol=0) if plan == "MPf" else dict(rtol=0, atol=0)
    for batch in planned.replay(at(plan + ".batches")):
        good = good and all(torch.allclose(batch[k].x, x[k][batch[k].n_id], **rounded) for k in x)
        good = good and torch.equal(batch["paper"].y[:, 1], 2 * x["paper"][batch["paper"].n_id, 0])
    counts = planned.counts()
    epoch = planned.loader(even=True)
    with open(at("%s.%d.json" % (shared, rank)), "w") as f:
        json.dump({"good": bool(good), "counts": counts, "batches": [sum(1 for _ in epoch), len(epoch)], "own": {k: len(planned._memory[k]) for k in x}}, f)


def drawn(rank, epoch, items):
    with open(at("seen.%d.%d" % (rank, epoch)), "a") as f:
        print(*items.tolist(), file=f)


def seen(rank, epoch):
    with open(at("seen.%d.%d" % (rank, epoch))) as f:
        return [int(x) for x in f.read().split()]


def forget():
    for name in os.listdir(FOLDER):
        if name.startswith("seen."):
            os.unlink(at(name))


def lightning():
    """Three lines of a user, in two processes of Lightning: the sampler, the loader, and use_distributed_sampler=False."""
    import pytorch_lightning

    plan = hotset.Plan(at("P"))

    class Job(pytorch_lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(()))

        def training_step(self, batch, number):
            drawn(self.global_rank, self.current_epoch, batch)
            return self.weight * batch.float().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

        def train_dataloader(self):
            order = hotset.EpochOrder(plan, plan.gpus[self.global_rank], seed=5)
            return torch.utils.data.DataLoader(range(plan.vertices), plan.batch, sampler=order)

    quiet = dict(logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    pytorch_lightning.Trainer(use_distributed_sampler=False, max_epochs=2, accelerator="cpu", devices=2, strategy="ddp_fork", **quiet).fit(Job())


def accelerated():
    """The same of Accelerate: the loader is not prepared."""
    import accelerate

    accelerator, plan = accelerate.Accelerator(cpu=True), hotset.Plan(at("P"))
    rank = accelerator.process_index
    weight = torch.nn.Linear(1, 1)
    model, optimizer = accelerator.prepare(weight, torch.optim.SGD(weight.parameters(), 0.1))
    loader = torch.utils.data.DataLoader(range(plan.vertices), plan.batch, sampler=hotset.EpochOrder(plan, plan.gpus[rank], seed=5))
    for epoch in range(2):
        for batch in loader:
            drawn(rank, epoch, batch)
            accelerator.backward(model(batch.float()[:, None]).mean())
            optimizer.step()


def main():
    run("graph", "synth", "community", "--vertices", "2010", "--edges", "16000", "--feature-dim", "8", "-o", at("G"))
    run("plan", "--graph", at("G"), "--server", "dgx-v100:2", "--budget", "5%", "--fanout", "5,3", "--batch", "32", "--order", "blocks:4", "--simulate-epochs", "0", "-o", at("P"))
    plan = hotset.Plan(at("P"))
    lengths = [len(plan.train_ids(g)) for g in plan.gpus]
    orders = [hotset.EpochOrder(plan, g, seed=5) for g in plan.gpus]
    check("every process has as many items, and one GPU trains more than another", {len(o) for o in orders} == {max(lengths)} and len(set(lengths)) == 2)
    passes = [[list(o) for _ in range(2)] for o in orders]
    exact = [[plan.epoch_order(g, 5, e).tolist() for e in range(2)] for g in plan.gpus]
    check("they are the planned order of each epoch, filled up from its begin",
          all(p[:len(x)] == x and p[len(x):] == x[:len(p) - len(x)] for a, b in zip(passes, exact) for p, x in zip(a, b)))
    orders[0].set_epoch(0)
    check("set_epoch goes back", list(orders[0]) == passes[0][0] != passes[0][1])
    short = int(np.argmin(lengths))
    check("even=False gives each once", list(hotset.EpochOrder(plan, plan.gpus[short], seed=5, even=False)) == exact[short][0])
    shuffled = np.random.default_rng(1).permutation(np.concatenate([plan.train_ids(g) for g in plan.gpus]))
    at_place = hotset.EpochOrder(plan, plan.gpus[1], seed=5, of=shuffled)
    check("positions in a data set of one's own", shuffled[list(at_place)].tolist() == passes[1][0])
    check("a data set without a planned vertex is told", "lacks training vertices" in refusal(lambda: hotset.EpochOrder(plan, plan.gpus[1], of=plan.train_ids(plan.gpus[1])[1:])))
    loader = torch.utils.data.DataLoader(range(plan.vertices), plan.batch, sampler=hotset.EpochOrder(plan, plan.gpus[0], seed=5), num_workers=2)
    check("torch's DataLoader takes it, with workers", [torch.cat(list(loader)).tolist() for _ in range(2)] == passes[0])
    sizes = {len(hotset.pyg.Planned(plan, at("G"), np.zeros((2010, 8), np.float32)).loader(g, even=True)) for g in plan.gpus}
    check("PyG's loader is even where it is asked to", sizes == {-(-max(lengths) // 32)})

    gave = lambda: all(seen(rank, epoch) == passes[rank][epoch] for rank in range(2) for epoch in range(2))
    if importlib.util.find_spec("pytorch_lightning") is None:
        print("skip Lightning: pytorch_lightning is not installed")
    else:
        lightning()
        check("Lightning, two processes: each draws its GPU's order, epoch by epoch", gave())
        forget()
    if importlib.util.find_spec("accelerate") is None:
        print("skip Accelerate: accelerate is not installed")
    else:
        import accelerate

        accelerate.debug_launcher(accelerated, num_processes=2)
        check("Accelerate, two processes: each draws its GPU's order, epoch by epoch", gave())

    run("graph", "synth", "like", "ogbn-mag", "--scale", "0.002", "--feature-dim", "8", "-o", at("M"))
    for name, more in (("MP", ()), ("MPf", ("--cache-type", "paper=f16"))):
        run("plan", "--graph", at("M"), "--server", "dgx-v100:2", "--budget", "3%", "--fanout", "3,2", "--batch", "32", "--simulate-epochs", "0", *more, "-o", at(name))
        run("simulate", at(name), "--seed", "77", "--epochs", "2", "--export-batches", at(name + ".batches"))
        judged = json.loads(run("simulate", at(name), "--seed", "77", "--epochs", "2", "--json"))["rows"][0]["simulated"]["gpus"]
        typed = hotset.Plan(at(name))
        torch.multiprocessing.spawn(serve, (typed.gpus, name, name + ".symmetric"), 2)
        said = [json.load(open(at("%s.symmetric.%d.json" % (name, rank)))) for rank in range(2)]
        want = [{t["type"]: dict(zip(("own", "peer", "host"), t["reads"].values())) for t in g["tables"] if t["kind"] == "feature"} for g in judged]
        check("%s: the same over symmetric memory, of a stand-in" % name, [s["counts"] for s in said] == want and all(s["good"] for s in said))
        torch.multiprocessing.spawn(serve, (typed.gpus, name, name + ".shared"), 2)
        said = [json.load(open(at("%s.shared.%d.json" % (name, rank)))) for rank in range(2)]
        want = [{t["type"]: dict(zip(("own", "peer", "host"), t["reads"].values())) for t in g["tables"] if t["kind"] == "feature"} for g in judged]
        check("%s: two processes read what the simulation counts, by type and place" % name, [s["counts"] for s in said] == want and all(w["paper"]["peer"] > 0 for w in want))
        check("%s: rows are the host's, labels of several tasks too, and the other GPU is refused" % name, all(s["good"] for s in said))
        check("%s: each holds its own rows and maps its peer's" % name, all(set(s["own"].values()) == {2} for s in said)
              and os.path.getsize(at(name + ".shared/feature-0/gpu%d.rows" % typed.gpus[0])) > 0)
        check("%s: even loaders have as many mini-batches" % name, said[0]["batches"] == said[1]["batches"] and said[0]["batches"][0] == said[0]["batches"][1] > 1)
        check("%s: both recorded what they read" % name, sorted(os.listdir(at(name + ".shared.record"))) == ["gpu0-3.npy", "gpu1-3.npy", "observed.jsonl"])
    check("memory that lacks a type is refused", "no rows of paper of GPUs [1]" in refusal(lambda: hotset.pyg.Planned(at("MP"), at("M"), x=features(), gpu=0,
                                                                                                                     memory={**{k: {0: v, 1: v} for k, v in features().items()}, "paper": {0: features()["paper"]}})))
    check("gpu without shared is refused", "both" in refusal(lambda: hotset.pyg.Planned(at("MP"), at("M"), x=features(), gpu=0)))
    order = hotset.EpochOrder(typed, 0, seed=1, type="paper", even=False)
    first, second = list(order), list(order)
    check("a type's vertices are shuffled anew in every epoch", sorted(first) == sorted(second) == typed.train_ids(0, "paper").tolist() and first != second
          and list(hotset.EpochOrder(typed, 0, seed=1, epoch=1, type="paper", even=False)) == second)
    check("end", True)


if __name__ == "__main__":
    main()
