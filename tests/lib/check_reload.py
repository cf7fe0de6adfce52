"""A job goes on with another plan, or refuses it, and serves the right rows either way; jobs and their parts in other processes. Prints "ok name" or
"failed name", and "ok end".

    python check_reload.py HOTSET FOLDER
"""
import concurrent.futures
import json
import multiprocessing
import os
import pickle
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
torch.set_num_threads(1)
N = 600
x = torch.from_numpy(np.random.default_rng(3).random((N, 8), np.float32))


def check(name, good):
    print("ok" if good else "failed", name, flush=True)


def run(*words):
    return subprocess.run([HOTSET, *words, "--quiet"], check=True, stdout=subprocess.PIPE, text=True).stdout


def refusal(call):
    try:
        call()
    except Exception as e:
        return "%s: %s" % (type(e).__name__, e)
    return ""


def served(job, gpu, loader=None, plan=None):
    """Whether an epoch has the rows of x, bit for bit. plan: whose training vertices the loader has."""
    seeds, good = [], True
    for batch in loader or job.loader(gpu, sampler=job.sampler(gpu)):
        good = good and torch.equal(batch.x, x[batch.n_id])
        seeds += batch.n_id[:batch.batch_size].tolist()
    return good and sorted(seeds) == sorted((plan or job.plan).train_ids(gpu).tolist())


def whole(job, gpu):
    """Whether every row comes as it is in x."""
    return torch.equal(job.store(gpu).get_tensor(group_name=None, attr_name="x", index=torch.arange(N)), x)


def make():
    """G; G1 with another training set; H with other arcs. P and Q of G, on other rows; W for four GPUs; F of rows half as long; O of H."""
    run("graph", "synth", "community", "--vertices", str(N), "--edges", "5000", "--feature-dim", "8", "-o", at("G"))
    indptr, indices = (np.load(at("G/%s.npy" % name)) for name in ("indptr", "indices"))
    turned = np.random.default_rng(5).permutation(N)
    hotset.graph((turned[indices], turned[np.repeat(np.arange(N), np.diff(indptr))]), at("H"), train=np.load(at("G/train.npy")), feature_dim=8, quiet=True)
    np.save(at("train1.npy"), np.arange(0, N, 7))
    lists = at("G/indptr.npy"), at("G/indices.npy")
    run("graph", "import", *lists, "--train", at("train1.npy"), "--feature-dim", "8", "-o", at("G1"))
    run("graph", "import", *lists, "--train", at("G/train.npy"), "--feature-dim", "8", "--feature-type", "f16", "-o", at("GF"))
    common = "--fanout", "5,3", "--batch", "16", "--simulate-epochs", "0"
    for plan, graph, server, budget in (("P", "G", "dgx-v100:2", "10%"), ("Q", "G", "dgx-v100:2", "14%"), ("W", "G", "dgx-v100:4", "10%"), ("F", "GF", "dgx-v100:2", "10%"),
                                        ("O", "H", "dgx-v100:2", "10%"), ("P1", "G1", "dgx-v100:2", "10%"), ("P4", "G", "dgx-v100:4", "10%")):
        run("plan", "--graph", at(graph), "--server", server, "--budget", budget, "--sampling", "gpu", *common, "-o", at(plan))
    run("plan", "--graph", at("G"), "--server", "dgx-v100:2", "--budget", "10%", "--cache-type", "f16", "--sampling", "gpu", *common, "-o", at("C"))


def refused():
    job = hotset.pyg.Planned(at("P"), at("G"), x, y=torch.arange(N), record=at("R0"))
    before = job.loader(0, sampler=job.sampler(0))
    good = served(job, 0, before)
    counted, visited = job.counts(0), dict(job.visits(0))
    for what, plan, words in (("another graph", "O", "neighbour lists are not those"), ("other GPUs", "W", "GPUs [0, 1, 2, 3]"), ("rows of another length", "F", "bytes per row"),
                              ("no plan", "nowhere", "plan.json")):
        said = refusal(lambda: job.reload(at(plan)))
        check("reload of a plan of %s is refused: %s" % (what, said), words in said and job.plan.path == at("P") and job.recorder.plan is job.plan)
        check("and then every row is right, for both GPUs", all(served(job, g) and whole(job, g) for g in (0, 1)))
    memory = hotset.fill(job.plan, x)
    kept = {g: rows.clone() for g, rows in memory.items()}
    said = refusal(lambda: hotset.reload(memory, job.plan, hotset.Plan(at("Q")), x[:-50]))
    check("hotset.reload with too few rows is refused: %s" % said, "550 rows" in said and all(torch.equal(memory[g], kept[g]) for g in kept))

    class Failing:
        """Rows that cannot be read any more after the first time."""
        left = 1

        def __len__(self):
            return N

        def __getitem__(self, ids):
            Failing.left -= 1
            if Failing.left < 0:
                raise OSError("the disk is gone")
            return x[ids]

    said = refusal(lambda: hotset.reload(memory, job.plan, hotset.Plan(at("Q")), Failing()))
    check("hotset.reload whose rows fail on the way changes none", "disk is gone" in said and all(torch.equal(memory[g], kept[g]) for g in kept))
    job.reload(at("Q"))
    check("the next plan is loaded, old loaders serve on, visits are counted on", served(job, 0, before, hotset.Plan(at("P"))) and all(whole(job, g) for g in (0, 1)) and job.plan.path == at("Q")
          and all(job.counts(0)[k] >= counted[k] for k in counted) and sum(job.visits(0).values()) > sum(visited.values()) > 0)
    job.reload(at("C"))
    check("a plan of rounded rows is loaded anew", all(torch.allclose(job.store(g).rows.gather(torch.arange(N)), x, rtol=1e-3) for g in (0, 1)))
    job.reload(at("P1"))
    check("a plan of another training set is loaded", all(whole(job, g) and served(job, g) for g in (0, 1)))
    check("a job begins with it, too", whole(hotset.pyg.Planned(at("P1"), at("G"), x), 0))
    devices = hotset.pyg.Planned(at("P"), at("G"), x, memory=hotset.fill(hotset.Plan(at("P")), x))
    devices.store(0), devices.store(1)
    devices.reload(at("Q"))
    check("one process with memories that are given", all(whole(devices, g) for g in (0, 1)))
    check("memories that lack a GPU are told", "GPUs [1]" in refusal(lambda: hotset.pyg.Planned(at("P"), at("G"), x, memory={0: hotset.fill(hotset.Plan(at("P")), x)[0]})))
    torn = hotset.pyg.Planned(at("P"), at("G"), x)
    whole(torn, 0)
    real, hotset._loaded.Move.do = hotset._loaded.Move.do, lambda self: 1 // 0
    refusal(lambda: torn.reload(at("P1")))
    hotset._loaded.Move.do = real
    check("a reload that is cut off while it writes serves no row", "make Planned again" in refusal(lambda: whole(torn, 0)))


def widths():
    for what, call in (("fill", lambda: hotset.fill(hotset.Plan(at("P")), x.double())), ("PlannedRows", lambda: hotset.PlannedRows(hotset.Plan(at("P")), 0, x.double().numpy())),
                       ("Planned", lambda: hotset.pyg.Planned(at("F"), at("GF"), x)), ("held_rows", lambda: hotset.torch_rows.held_rows(hotset.Plan(at("F")), 0, "", x))):
        said = refusal(call)
        check("%s refuses rows longer than planned: %s" % (what, said), "2 times what it states" in said)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        hotset.torch_rows.rounded(x, "i8")
        plan = hotset.Plan(at("C"))
        plan.tables[0].cache_type = "i8"
        hotset.torch_rows.held_rows(plan, 0, "", x)
    check("rows that stand for shorter ones are told", any("4 times the bytes" in str(w.message) for w in said))
    job = hotset.pyg.Planned(at("C"), at("G"), x)
    stated = job.plan.bytes(0).lookup
    have = [t.nbytes for t in (job.store(0).rows._entry.entries, job.store(0).rows._entry.words) if t is not None]
    check("look-up tables take what the plan states, %d bytes of %d" % (sum(have), stated), sum(have) <= stated < 4 * N)
    check("and answer as the dense ones", torch.equal(job.store(0).rows._entry.of(torch.arange(N)).long(), torch.from_numpy(job.plan.lookup(0, layout="dense").entries).long()))


# ---- other processes
def elsewhere(plan, order, job, gone):
    """What another process makes of what it was handed."""
    good = plan.gpus == [0, 1] and len(plan.feature_ids(0)) > 0 and list(order) == order.order(0).tolist()
    return good and served(job, 1) and torch.equal(torch.as_tensor(job.x), x), order.order(0).tolist(), str(gone), gone.code


def fails():
    raise hotset.Error(3, "P/plan.json: is torn; make it again")


def handed():
    plan = hotset.Plan(at("P"))
    order, job = hotset.EpochOrder(plan, 0), hotset.pyg.Planned(plan, at("G"), x)
    served(job, 1)
    typed = pickle.loads(pickle.dumps(plan.tables[0]))
    check("a plan is pickled, and its document", typed.vertices == N and pickle.loads(pickle.dumps(plan)).document == plan.document and pickle.loads(pickle.dumps(order)).gpu == 0)
    for way in ("spawn", "forkserver"):
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context(way)) as pool:
            found = pool.submit(elsewhere, plan, order, job, hotset.Error(4, "no device; get one")).result()
            check("%s: Plan, EpochOrder, Planned and Error arrive" % way, found == (True, order.order(0).tolist(), "no device; get one", 4))
            try:
                pool.submit(fails).result()
            except hotset.Error as e:
                check("%s: an error comes back with sentence, code and hint" % way, (str(e), e.code, e.hint) == ("P/plan.json: is torn; make it again", 3, "make it again"))
        if way == "forkserver":  # workers are the same
            continue
        edges = hotset.pyg.Planned(plan, at("G"), x, edges={"number": torch.arange(plan.edges)}, observe=at("seen-" + way), record=at("R-" + way))
        loader = edges.loader(0, sampler=edges.sampler(0), num_workers=1, multiprocessing_context=way)
        check("%s: workers of a loader sample, and rows are gathered here" % way, served(edges, 0, loader) and all(torch.equal(b.number, b.e_id) for b in loader))
    alone = hotset.pyg.Planned(plan, at("G"), x, memory=hotset.fill(plan, x))
    check("memories of this process are not handed over", "make Planned in the process" in refusal(lambda: pickle.dumps(alone)))


class StandIn:
    """torch's symmetric memory, which needs GPUs, in files that all processes map."""

    def __init__(self, rank, folder):
        self.rank, self.folder, self.made = rank, folder, 0

    def empty(self, *shape, dtype, device):
        self.made += 1
        return self.get_buffer(self.rank, shape, dtype)

    def rendezvous(self, mine, group):
        torch.distributed.barrier(group)
        handle = StandIn(self.rank, self.folder)
        handle.made = self.made
        return handle

    def get_buffer(self, rank, shape, dtype):
        return torch.from_file(os.path.join(self.folder, "%d.%d" % (self.made, rank)), shared=True, size=int(np.prod(shape)), dtype=dtype).view(*shape)


def drift(rank, processes, name, way):
    """The loop of planner/RUNTIMES.md, one process per GPU, under gloo: an epoch, the next plan for another training set, and an epoch with it."""
    import torch.distributed as dist
    torch.set_num_threads(1)
    os.makedirs(at(name), exist_ok=True)
    dist.init_process_group("gloo", init_method="file://" + os.path.abspath(at(name + "/meet-" + way)), rank=rank, world_size=processes)
    p = hotset.Plan(at("P" if processes == 2 else "P4"))
    gpu = p.gpus[rank]
    where = {"shared": at(name + "/rows")}
    if way == "memory":
        import torch.distributed._symmetric_memory as symmetric_memory
        made = StandIn(rank, at(name))
        symmetric_memory.empty, symmetric_memory.rendezvous = made.empty, made.rendezvous
        where = {"memory": hotset.peers.symmetric(p, gpu, x, "cpu")}
    record = at(name + "/R-" + way)
    data = hotset.pyg.Planned(p, at("G"), x, gpu=gpu, record=record, **where)
    epoch = lambda: served(data, gpu)
    good = [epoch()]
    said = refusal(lambda: data.reload(at("O" if rank else "P"))) if way == "memory" else ""  # one process alone cannot
    good += ["neighbour lists" in said, data.plan is p, epoch(), whole(data, gpu)] if way == "memory" else []
    dist.barrier()
    if rank == 0:
        t = hotset.recorded(record, hotset.record(at("G1"), "dgx-v100:%d" % processes, plan=p, seed=4, quiet=True), at("G1"), quiet=True)
        hotset.refresh(p, t, at(name + "/Q-" + way), graph=at("G1"), pay_within=1000, quiet=True)
    dist.barrier()
    q = hotset.Plan(at(name + "/Q-" + way))
    fits = max(len(q.feature_ids(g)) for g in q.gpus) <= max(len(p.feature_ids(g)) for g in p.gpus)
    if way == "memory" and not fits:  # memories have the length of the longest list
        good.append("has room for" in refusal(lambda: data.reload(q)))
        good.append(whole(data, gpu))
    loaded = data.reload(q, memory=None if way == "shared" or fits else hotset.peers.symmetric(q, gpu, x, "cpu"))
    want = len(set(q.feature_ids(gpu)) - set(p.feature_ids(gpu))) if way == "shared" or fits else 0
    good += [epoch(), whole(data, gpu), loaded == {gpu: want}, want > 0 or not fits or processes > 2, data.recorder.plan is q]
    dist.barrier()  # peers read each other's rows until here
    if way == "memory":  # the same rows in other slots: nothing of the host, in place
        data.reload(p)
        good += [whole(data, gpu), epoch()]
        dist.barrier()
    with open(at("%s/said-%s.%d" % (name, way, rank)), "w") as f:
        json.dump([bool(g) for g in good], f)
    dist.barrier()
    dist.destroy_process_group()


def drifts():
    for processes, name, way in ((2, "two", "shared"), (2, "two", "memory"), (4, "four", "shared"), (2, "two", "again")):
        torch.multiprocessing.start_processes(drift, (processes, name, way), processes, start_method="fork")
        said = [json.load(open(at("%s/said-%s.%d" % (name, way, rank)))) for rank in range(processes)]
        check("gloo, %d processes, %s: the drift loop, and all rows right: %s" % (processes, {"again": "the same folder again"}.get(way, way), said), all(map(all, said)))
    left = [sorted(names) for _, _, names in os.walk(at("four/rows"))]
    check("a job leaves one file per GPU, of the plan that it served last", left == [[], ["gpu%d.rows" % g for g in range(4)]])
    held = hotset.peers.exchange(x[:5], {0: 5}, 0, at("busy"))
    check("a folder of a job that runs is refused", "another job that runs" in refusal(lambda: hotset.peers.exchange(x[:5], {0: 5}, 0, at("busy"))) and len(held) == 1)
    del held
    check("and taken when it has ended", torch.equal(hotset.peers.exchange(x[5:10], {0: 5}, 0, at("busy"))[0], x[5:10]))


if __name__ == "__main__":
    make()
    for part in (refused, widths, handed, drifts):
        part()
    check("end", True)
