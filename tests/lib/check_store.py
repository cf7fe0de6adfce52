"""Checks hotset.pyg.Store. check_store.py HOTSET FOLDER [LIBRARY]: the program; where to work; libhotset_cuda on the interpreter, which stands in for GPUs.

Prints "ok NAME" or "failed NAME", and "ok end".
"""
import ctypes
import os
import resource
import shutil
import sys
import tempfile
import time
import warnings

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import LinkNeighborLoader, NeighborLoader
from torch_geometric.sampler import NodeSamplerInput

import hotset.pyg
from hotset import _processes as stores
from hotset._cuda_sampler import CudaLists, graph_arrays
from hotset._plans import _fingerprint as fingerprint
from hotset.examples.first_gpu_run import all_right, misdrawn
from hotset.torch_rows import held_bytes, rounded

VERTICES, HOPS, BATCH = 1500, [4, 3], 16
WORK = dict(fanout=HOPS, batch=BATCH, quiet=True)


class Emulated(stores.Device):
    """A GPU of the interpreter: rows go to pinned memory, from which they are copied when its stream has come so far."""

    def __init__(self, number):
        self.number, self.name, self.begun = number, torch.device("cpu"), {}
        self.lib = ctypes.CDLL(os.environ["HOTSET_CUDA_LIBRARY"])
        self._stream = ctypes.c_void_p()
        assert not self.lib.cudaSetDevice(number) and not self.lib.cudaStreamCreateWithFlags(ctypes.byref(self._stream), 1)

    def stream(self):
        return self._stream

    def rows(self, count, like):
        at, out = ctypes.c_void_p(), torch.full((count, *like.shape[1:]), -1, dtype=like.dtype)
        assert not self.lib.cudaHostAlloc(ctypes.byref(at), ctypes.c_size_t(out.nbytes), 0)
        self.begun[out.data_ptr()] = at
        return out, at, self._stream

    def done(self, out):
        at = self.begun.pop(out.data_ptr())
        self.synchronize()
        ctypes.memmove(out.data_ptr(), at, out.nbytes)
        assert not self.lib.cudaFreeHost(at)
        return out

    def synchronize(self):
        assert not self.lib.cudaStreamSynchronize(self._stream)


def data_of():
    torch.manual_seed(1)
    source, target = (torch.rand(2, 12 * VERTICES) ** torch.tensor([[3.0], [1.0]]) * VERTICES).long()
    return Data(x=torch.randn(VERTICES, 24), y=torch.arange(VERTICES) % 5, edge_index=torch.stack([torch.cat([source, target]), torch.cat([target, source])]),
                train_mask=torch.rand(VERTICES) < 0.3)


def typed():
    torch.manual_seed(2)
    data = HeteroData()
    data["paper"].x, data["paper"].y, data["paper"].train_mask = torch.randn(900, 8), torch.arange(900) % 3, torch.rand(900) < 0.3
    data["author"].x = torch.randn(500, 4)
    for relation, (a, b) in {("author", "writes", "paper"): (500, 900), ("paper", "by", "author"): (900, 500), ("paper", "cites", "paper"): (900, 900)}.items():
        data[relation].edge_index = torch.stack([torch.randint(0, a, (6000,)), torch.randint(0, b, (6000,))])
    return data


def say(name, good):
    print("%s %s" % ("ok" if good else "failed", name), flush=True)


def right(batch, data):
    return torch.equal(batch.x, data.x[batch.n_id]) and torch.equal(batch.y, data.y[batch.n_id])


def reads(plan, gpu, judged):
    rows = next(g for g in judged["rows"][0]["simulated"]["gpus"] if g["id"] == gpu)["feature_rows"]
    return {"own": rows["local"], "peer": rows["peer"], "host": rows["host"]}


def judged(plan, folder):
    """What a simulation counts, whose mini-batches lie in the folder."""
    hotset.simulate(plan, epochs=1, seed=7, export_batches=folder, quiet=True)
    return hotset.simulate(plan, epochs=1, seed=7, quiet=True).document


def minus(a, b):
    return {k: a[k] - b[k] for k in a}


def one_process(data, plan, folder):
    store = hotset.pyg.Store(plan, data, rank=1)
    loader = NeighborLoader(store, num_neighbors=HOPS, input_nodes=store.seeds, batch_size=BATCH, shuffle=True, neighbor_sampler=store.sampler())
    batches = list(store.ahead(loader))
    say("NeighborLoader takes the store: x and y are the vertices'", len(batches) > 3 and all(right(b, data) for b in batches))
    say("hits count what was read", sum(store.hits().values()) == sum(len(b.n_id) for b in batches))
    workers = NeighborLoader(store, num_neighbors=HOPS, input_nodes=store.seeds, batch_size=64, num_workers=2, filter_per_worker=False, neighbor_sampler=store.sampler())
    say("workers sample, and the process gathers", all(right(b, data) for b in store.ahead(workers)))
    links = LinkNeighborLoader(store, num_neighbors=HOPS, edge_label_index=(None, data.edge_index[:, :300]), neg_sampling="binary", batch_size=50,
                               neighbor_sampler=store.sampler())
    good = True
    for batch in store.ahead(links):
        ends = batch.n_id[batch.edge_label_index[:, batch.edge_label > 0]]
        want = data.edge_index[:, batch.input_id]
        good = good and right(batch, data) and torch.equal(ends, want) and len(batch.edge_label) == 2 * len(batch.input_id)
    say("LinkNeighborLoader: ends of edges, negatives, rows", good)
    before = store.hits()
    good = all(right(b, data) for b in store.ahead(store.replay(folder + "/B")))
    say("a replay reads what the simulation says", good and minus(store.hits(), before) == reads(plan, plan.gpus[1], judged(plan, folder + "/B2")))
    expected = plan.expected(plan.gpus[1])
    say("plan.expected has own, peer and host", list(expected) == ["own", "peer", "host"] and sum(expected.values()) > 0)
    for name, call in {"a rank beyond the plan": lambda: hotset.pyg.Store(plan, data, rank=9),
                       "features of another width": lambda: hotset.pyg.Store(plan, Data(x=torch.randn(VERTICES, 99)), rank=0)}.items():
        try:
            call()
            say(name + " is refused", False)
        except hotset.Error:
            say(name + " is refused", True)


def several_types(folder):
    data = typed()
    graph = hotset.graph(data, quiet=True)
    plan = hotset.make_plan(graph, "dgx-v100:2", budget="8%", simulate_epochs=1, **dict(WORK, batch=32))
    store = hotset.pyg.Store(plan, data, rank=0)
    loader = NeighborLoader(store, num_neighbors=HOPS, input_nodes=("paper", store.seeds_of("paper")), batch_size=32, neighbor_sampler=store.sampler())
    good = all(torch.equal(b[k].x, data[k].x[b[k].n_id]) for b in store.ahead(loader) for k in ("paper", "author"))
    say("several types: x of each", good)
    relation = ("author", "writes", "paper")
    links = LinkNeighborLoader(store, num_neighbors=HOPS, edge_label_index=(relation, data[relation].edge_index[:, :200]), neg_sampling="triplet", batch_size=40,
                               neighbor_sampler=store.sampler())
    good = True
    for b in store.ahead(links):
        want = data[relation].edge_index[:, b[relation].input_id if "input_id" in b[relation] else b["author"].input_id]
        good = good and torch.equal(b["author"].n_id[b["author"].src_index], want[0]) and torch.equal(b["paper"].n_id[b["paper"].dst_pos_index], want[1])
        good = good and torch.equal(b["paper"].x, data["paper"].x[b["paper"].n_id])
    say("several types: LinkNeighborLoader", good)
    say("several types: hits and expected by type", set(store.hits()) == set(plan.expected(plan.gpus[0])) == {"paper", "author"})


def several_types_on_a_gpu(library):
    os.environ["HOTSET_CUDA_LIBRARY"], data = library, typed()
    graph = hotset.graph(data, quiet=True)
    plan, more = (hotset.make_plan(graph, "dgx-v100:1", budget=budget, simulate_epochs=0, sampling="cpu", **dict(WORK, batch=32)) for budget in ("8%", "20%"))
    store = hotset.pyg.Store(plan, data, device=Emulated(0), room=900)
    loader = NeighborLoader(store, num_neighbors=HOPS, input_nodes=("paper", store.seeds_of("paper")), batch_size=32, neighbor_sampler=store.sampler())
    good, seen = True, {"paper": 0, "author": 0}
    for k in range(2):
        for b in store.ahead(loader):
            good = good and all(torch.equal(b[kind].x, data[kind].x[b[kind].n_id]) for kind in seen)
            seen = {kind: n + len(b[kind].n_id) for kind, n in seen.items()}
        good = good and (k or sum(store.reload(more).values()) > 0)
    say("several types on a GPU of the interpreter, over a reload: rows, and counts of each", good and {k: sum(v.values()) for k, v in store.hits().items()} == seen)
    say("what it takes is said", store.bytes["pinned"] >= data["paper"].x.nbytes + data["author"].x.nbytes and store.bytes["device"] > 0)
    small = hotset.pyg.Store(plan, data, device=Emulated(0), room=0)
    say("a plan without room is refused, and nothing changed", refused(lambda: small.reload(more), hotset.LimitError) and small.plan is plan)
    for element in ("f16", "bf16", "f8", "i8"):
        rounded = hotset.make_plan(graph, "dgx-v100:1", budget="8%", cache_type=element, simulate_epochs=0, sampling="cpu", **dict(WORK, batch=32))
        on_cpu, on_gpu = hotset.pyg.Store(rounded, data, device="cpu"), hotset.pyg.Store(rounded, data, device=Emulated(0))
        good, lossy = True, False
        for kind in seen:
            ids = torch.arange(len(data[kind].x))
            rows = [store[0].get_tensor(group_name=kind, attr_name="x", index=ids) for store in (on_cpu, on_gpu)]
            good, lossy = good and rows[0].view(torch.int32).equal(rows[1].view(torch.int32)), lossy or not rows[1].equal(data[kind].x)
        say("rows that GPUs hold as %s: the CPU's, bit for bit, and its counts" % element, good and lossy and on_cpu.hits() == on_gpu.hits())
        say("%s: memory is what the plan counts" % element, on_gpu.bytes["device"] < store.bytes["device"])
    say("a plan that rounds in another way is refused by reload", refused(lambda: store.reload(rounded), hotset.UsageError))
    halves = typed()
    for kind in seen:
        halves[kind].x = halves[kind].x.half()
    say("halves that are to be rounded again are refused", refused(lambda: hotset.pyg.Store(rounded, halves, device=Emulated(0)), hotset.UsageError))
    warned = hotset.make_plan(graph, "dgx-v100:1", budget="8%", simulate_epochs=0, sampling="gpu", **dict(WORK, batch=32))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        hotset.pyg.Store(warned, data, device=Emulated(0))
    say("neighbour lists that nothing reads on a GPU are said", any("neighbour lists" in str(w.message) for w in said))


def on_a_gpu(data, folder, library):
    """One GPU of two of the interpreter: loaders that are left, transforms, reloads that fail."""
    os.environ.update(HOTSET_CUDA_LIBRARY=library, HOTSET_EMULATED_DEVICES="2")
    graph = hotset.graph(data, quiet=True)
    alone, fewer, clique = (hotset.make_plan(graph, "dgx-v100:2", budget=budget, simulate_epochs=0, sampling="cpu", **WORK, **more)
                            for budget, more in (("8%", {"peer_access": "own"}), ("6%", {"peer_access": "own"}), ("8%", {})))
    gpu = Emulated(0)
    store = hotset.pyg.Store(alone, data, device=gpu)
    options = dict(num_neighbors=HOPS, input_nodes=store.seeds, batch_size=BATCH, neighbor_sampler=store.sampler())
    for batch in store.ahead(NeighborLoader(store, **options)):
        break
    say("a loader that is left early leaves no gather behind", right(batch, data) and not gpu.begun)

    def fails(batches):
        yield from zip(range(2), batches)
        raise KeyError("a loader's own")
    say("nor one that fails", refused(lambda: list(store.ahead(fails(NeighborLoader(store, **options)))), KeyError) and not gpu.begun)
    sums = []
    batches = list(store.ahead(NeighborLoader(store, transform=lambda b: sums.append(b.x.sum()) or b, **options)))
    say("a loader's own transform reads rows that are there", len(sums) == len(batches) > 3 and sums == [data.x[b.n_id].sum() for b in batches])
    larger = hotset.pyg.Store(alone, data, device=Emulated(0), room=10 * VERTICES).bytes["device"] - store.bytes["device"]
    say("memory is that of the plan's rows, or as much as room says, at most the host's", larger == (VERTICES - len(alone.feature_ids(0))) * 24 * 4)
    say("a plan with peers whose memory is not open is refused", refused(lambda: store.reload(clique), hotset.UsageError) and store.plan is alone)
    rows = store._tables[""]
    call = rows._call

    def broken(name, *arguments):
        if name == "reload":
            raise hotset.LimitError(5, "no memory for the table")
        call(name, *arguments)
    rows._call = broken
    batch = lambda: next(iter(NeighborLoader(store, **options)))
    torn = refused(lambda: store.reload(fewer), hotset.LimitError) and refused(batch, hotset.UsageError)
    rows._call = call
    store.reload(fewer)
    say("a reload that fails while rows are written serves none, until another succeeds", torn and right(batch(), data) and store.plan is fewer)


def visits(plan, gpu, counted):
    rows = next(g for g in counted["rows"][0]["simulated"]["gpus"] if g["id"] == gpu)
    return {"own": rows["topology_visits"]["local"], "peer": rows["topology_visits"]["peer"], "host": rows["topology_visits"]["host"],
            "lines": rows["transactions"]["topology"]}


def sampling_on_a_gpu(data, folder, library):
    os.environ.update(HOTSET_CUDA_LIBRARY=library, HOTSET_EMULATED_DEVICES="2")
    graph = hotset.graph(data, quiet=True)
    plan, more = (hotset.make_plan(graph, "dgx-v100:2", budget=budget, simulate_epochs=0, sampling="gpu", peer_access="own", **WORK) for budget in ("8%", "12%"))
    want, indices = judged(plan, folder + "/BT"), np.load(plan.graph_folder() + "/indices.npy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store = hotset.pyg.Store(plan, data, device=Emulated(0), room=VERTICES)
    before = store.bytes
    sampler = store.sampler(seed=7, room=len(indices))
    say("a GPU draws the mini-batches of the simulation, by visits and lines as it counts",
        not misdrawn(sampler, hotset.Batches(folder + "/BT"), 0) and sampler.counts == visits(plan, 0, want) and sampler.counts["own"] > 0)
    say("what its lists and the graph take is said", store.bytes["pinned"] >= before["pinned"] + indices.nbytes and store.bytes["device"] > before["device"])
    say("one sampler per store", store.sampler(seed=7, room=len(indices)) is sampler and refused(lambda: store.sampler([9, 9]), hotset.UsageError))
    options = dict(num_neighbors=HOPS, batch_size=BATCH, neighbor_sampler=sampler)
    good, seen, edges = True, 0, torch.from_numpy(indices.astype(np.int64))
    for epoch in range(2):
        for b in store.ahead(NeighborLoader(store, input_nodes=store.seeds, shuffle=True, **options)):
            good, seen = good and right(b, data) and torch.equal(edges[b.e_id], b.n_id[b.edge_index[0]]), seen + 1
            good = good and torch.equal(b.n_id[:b.batch_size], store.seeds[b.input_id])
        good = good and (epoch or sum(store.reload(more).values()) > 0)
    say("NeighborLoader samples by it, over a reload: rows, e_id, seeds in front", good and seen > 6 and sampler.number >= seen)
    visited = store.visits()
    again = judged(more, folder + "/BM")
    say("and then draws from the lists of the new plan", not misdrawn(sampler, hotset.Batches(folder + "/BM"), 0) and
        minus(store.visits(), visited) == {k: n for k, n in visits(more, 0, again).items() if k != "lines"})
    twice = torch.tensor([5, 9, 5, 5, 2, 9])
    out = sampler.sample_from_nodes(NodeSamplerInput(None, twice))
    say("seeds that come again stay in front", torch.equal(out.node[:6], twice) and torch.equal(edges[out.edge], out.node[out.row]) and out.num_sampled_nodes[0] == 6
        and len(set(out.node[6:].tolist()) & {5, 9, 2}) == 0 and int(out.row.max()) < len(out.node))
    links = LinkNeighborLoader(store, num_neighbors=HOPS, edge_label_index=(None, data.edge_index[:, :20]), neg_sampling="binary", batch_size=4, neighbor_sampler=sampler)
    good = True
    for b in store.ahead(links):
        good = good and right(b, data) and torch.equal(b.n_id[b.edge_label_index[:, b.edge_label > 0]], data.edge_index[:, b.input_id])
    say("LinkNeighborLoader samples by it", good)
    say("too many seeds, seeds beyond the graph and workers are refused",
        refused(lambda: sampler.sample_from_nodes(NodeSamplerInput(None, torch.arange(BATCH + 1))), hotset.UsageError) and
        refused(lambda: sampler.sample_from_nodes(NodeSamplerInput(None, torch.tensor([VERTICES]))), hotset.InputError) and
        refused(lambda: next(iter(NeighborLoader(store, input_nodes=store.seeds, num_workers=1, **options))), (hotset.Error, RuntimeError)))
    small = hotset.pyg.Store(plan, data, device=Emulated(0), room=VERTICES)
    lists = small.sampler().lists
    bare = NoLists(plan, 0, (lists._indptr, lists._indices), Emulated(0), HOPS, BATCH, 0)
    say("lists take what the plan counts, and 8 bytes each for e_id", lists.bytes["device"] - bare.bytes["device"] == plan.bytes(0).topology + 8 * len(plan.topology_ids(0)))
    say("a plan without room for its lists is refused, and nothing changed", refused(lambda: small.reload(more), hotset.LimitError) and small.plan is plan)
    say("fan-outs that a GPU does not draw are drawn on the CPU", not isinstance(hotset.pyg.Store(plan, data, device=Emulated(0)).sampler([65, 2]), type(sampler)))
    reloads_that_fail(data, graph, plan, more)


class NoLists(CudaLists):
    """As if the plan gave the GPU none."""

    def _ids(self, plan):
        return np.zeros(0, np.uint32)


def reloads_that_fail(data, graph, plan, more):
    same = dict(budget="8%", simulate_epochs=0, sampling="gpu", peer_access="own")
    others = [hotset.make_plan(graph, "dgx-v100:2", **same, **dict(WORK, **change)) for change in (dict(fanout=[5, 3]), dict(frontier="all"))]
    store = hotset.pyg.Store(plan, data, device=Emulated(0), room=VERTICES)
    sampler = store.sampler(room=20 * VERTICES)
    lists, rows = sampler.lists, store._tables[""]
    say("a plan that draws otherwise is refused, and nothing changed", all(refused(lambda: store.reload(other), hotset.UsageError) for other in others) and store.plan is plan)
    end = int(more.topology_ids(0)[0]) + 1
    was, lists._indptr[end] = lists._indptr[end], -1
    good = refused(lambda: store.reload(more), hotset.InputError) and rows.plan is plan and not store[0].torn
    lists._indptr[end] = was
    say("so is one over a graph that is damaged", good and store.plan is plan)
    call = lists._call

    def broken(name, *arguments):
        if name == "reload":
            raise hotset.LimitError(5, "no memory for the table")
        call(name, *arguments)
    lists._call = broken
    batch = lambda: next(iter(NeighborLoader(store, num_neighbors=HOPS, batch_size=BATCH, input_nodes=store.seeds, neighbor_sampler=sampler)))
    good = refused(lambda: store.reload(more), hotset.LimitError) and store[0].torn and refused(batch, hotset.UsageError)
    del lists._call
    store.reload(more)
    say("where the sampler fails to reload, rows are not served either, until a reload succeeds", good and right(batch(), data) and store.plan is more)
    say("complex numbers are no vertices", refused(lambda: lists.sample(torch.zeros(2, dtype=torch.complex64), 0, 0), hotset.UsageError) and
        refused(lambda: rows.begin(torch.zeros(2, dtype=torch.complex64)), hotset.UsageError))
    lists.close(), rows.close()
    say("what is closed says so", refused(lambda: sampler.counts, hotset.UsageError) and refused(lambda: store.hits(), hotset.UsageError))
    pairs = hotset.make_plan(graph, "dgx-v100:2", seeds="edges", negatives=1, **same, **WORK)
    store = hotset.pyg.Store(pairs, data, device=Emulated(0))
    links = LinkNeighborLoader(store, num_neighbors=HOPS, edge_label_index=(None, data.edge_index[:, :BATCH]), neg_sampling="binary", batch_size=BATCH,
                               neighbor_sampler=store.sampler())
    say("where edges are seeds, their ends and negatives have room", all(right(b, data) for b in links) and store.sampler().lists.batch == 4 * BATCH)


class Alone:
    """Processes of a clique, of which this is one; a step may fail in another."""
    group = True

    def __init__(self, *fails):
        self.steps, self.fails, self.made = 0, fails, []

    def leads(self):
        return True

    def all(self, mine):
        return [[], mine]

    def folder(self):
        self.made.append(tempfile.mkdtemp())
        return self.made[-1]

    def remove(self, folder):
        if folder:
            shutil.rmtree(folder)

    def agreed(self, step):
        self.steps += 1
        found = step()
        if self.steps in self.fails:
            raise RuntimeError("another process")
        return found


def one_copy():
    class graph:
        indptr, indices = np.arange(0, 8 * 1500 + 1, 8), np.arange(12000, dtype=np.uint32)
    same = lambda found: all(np.array_equal(a, b) for a, b in zip(found, (graph.indptr, graph.indices)))
    kept = lambda found: all(isinstance(array, np.memmap) for array in found)
    here = Alone()
    found = graph_arrays(graph, here)
    say("processes have one copy of the graph, which has no name", same(found) and kept(found) and not here.made)
    here = Alone(1)
    found = graph_arrays(graph, here)
    say("or in a folder, which goes", same(found) and kept(found) and len(here.made) == 1 and not os.path.exists(here.made[0]))
    here = Alone(1, 3)
    found = graph_arrays(graph, here)
    say("or one each, all of them, whatever fails in another", same(found) and not kept(found) and here.steps == 4 and not os.path.exists(here.made[0]))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (graph.indices.nbytes // 4096 * 4096, before[1]))
    good = same(graph_arrays(graph, Alone()))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    say("no file ends early where memory does", good)


def small_things():
    x = torch.randn(5, 3, 7)
    flat, line = rounded(x.reshape(5, 21), "i8"), torch.randn(6)
    bytes_ = held_bytes(x, "i8")
    again = bytes_[:, :21].view(torch.int8).float() * bytes_[:, 21:].contiguous().view(torch.float32)
    say("i8: a row has one factor, of whatever dimensions", torch.equal(rounded(x, "i8"), flat.reshape(x.shape)) and torch.equal(flat, again) and
        rounded(line, "i8").allclose(line) and rounded(x[:0], "i8").shape == (0, 3, 7))
    good, bad = {"wrong_batches": 0, "hits_as_simulated": True}, {"wrong_batches": 0, "hits_as_simulated": False}
    rows, drew = {"plan 1": good, "plan 2": good}, {"draws 1": good, "draws 2": good}
    say("the check for GPUs: all is right where all was done", all_right([{**rows, **drew}], True) and all_right([rows], False) and not all_right([rows], True)
        and not all_right([{**rows, **drew}, {}], True) and not all_right([{**rows, **drew, "draws 2": bad}], True) and not all_right([{**rows, "failed": ""}], False))


def draw_all(rank, world, folder, library):
    os.environ.update(HOTSET_CUDA_LIBRARY=library, HOTSET_EMULATED_DEVICES=str(world))
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet-draws"), rank=rank, world_size=world)
    data, plans = data_of(), [hotset.Plan(folder + "/" + name) for name in ("T", "U")]
    gpu, want = plans[0].gpus[rank], [dict(zip(("own", "peer", "host", "lines"), np.load(folder + "/%s.npy" % name)[rank].tolist())) for name in ("T", "U")]
    store = hotset.pyg.Store(plans[0], data, device=Emulated(rank), room=VERTICES)
    sampler = store.sampler(seed=7, room=20 * VERTICES)
    good, before = isinstance(sampler.lists._indices, np.memmap), {k: 0 for k in want[0]}  # which all of them have
    for k, name in enumerate(("BT", "BU")):
        good = good and not misdrawn(sampler, hotset.Batches(folder + "/" + name), gpu) and minus(sampler.counts, before) == want[k]
        before = sampler.counts
        dist.barrier()
        if not k:
            store.reload(plans[1])
    with open(os.path.join(folder, "drew%d" % rank), "w") as f:
        f.write("%s" % (good and before["peer"] > 0))
    dist.barrier()
    del store, sampler
    dist.barrier()
    dist.destroy_process_group()


def several_draw(data, world, library):
    with tempfile.TemporaryDirectory() as folder:
        graph = hotset.graph(data, path=folder + "/G", quiet=True)
        for name, budget in (("T", "8%"), ("U", "5%")):
            made = hotset.make_plan(graph, "dgx-v100:%d" % world, path=folder + "/" + name, budget=budget, simulate_epochs=0, sampling="gpu", **WORK)
            counted = judged(made, folder + "/B" + name)
            np.save(folder + "/%s.npy" % name, [list(visits(made, g, counted).values()) for g in made.gpus])
        processes.start_processes(draw_all, (world, folder, library), world, start_method="spawn")
        good = [open(folder + "/drew%d" % rank).read() for rank in range(world)] == ["True"] * world
        say("%d processes draw from each other's lists, over a reload: the simulation's mini-batches, visits and lines" % world, good)


def serve(rank, world, folder, emulated):
    if emulated:
        os.environ.update(HOTSET_CUDA_LIBRARY=emulated, HOTSET_EMULATED_DEVICES=str(world))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=world)
    data, plan, new = data_of(), hotset.Plan(folder + "/P"), hotset.Plan(folder + "/Q")
    gpu = plan.gpus[rank]
    for other in (Data() if rank else data, Data(x=torch.randn(VERTICES, 99))):  # one of them fails; all do
        if not refused(lambda: hotset.pyg.Store(plan, other, device=Emulated(rank) if emulated else "cpu"), (hotset.Error, TypeError)):
            open(os.path.join(folder, "wrong%d" % rank), "w").close()
    store = hotset.pyg.Store(plan, data, device=Emulated(rank) if emulated else "cpu", room=VERTICES, prefetch=2)
    good, before = True, store.hits()
    for of, batches in ((plan, "B"), (new, "BQ")):
        good = good and all(right(b, data) for b in store.ahead(store.replay(folder + "/" + batches)))
        now = store.hits()
        want = np.load(folder + "/%s.npy" % batches)[rank].tolist()
        good, before = good and list(minus(now, before).values()) == want, now
        dist.barrier()
        if of is plan:
            good = good and store.reload(new)[gpu] > 0
    dist.barrier()
    if not good:
        open(os.path.join(folder, "wrong%d" % rank), "w").close()
    del store
    dist.barrier()
    dist.destroy_process_group()


def several_processes(data, world, how, emulated):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        graph = hotset.graph(data, path=folder + "/G", quiet=True)
        for policy, plan, batches in (("hotset", "P", "B"), ("quiver", "Q", "BQ")):
            made = hotset.make_plan(graph, "dgx-v100:%d" % world, path=folder + "/" + plan, budget="8%", policy=policy, simulate_epochs=1, **WORK)
            counted = judged(made, folder + "/" + batches)
            np.save(folder + "/%s.npy" % batches, [list(reads(made, g, counted).values()) for g in made.gpus])
        try:
            processes.start_processes(serve, (world, folder, emulated), world, start_method=how)
            good = not any(name.startswith("wrong") for name in os.listdir(folder))
        except Exception as e:
            print(e, file=sys.stderr)
            good = False
        say("%d processes by %s%s: rows, counts of the simulation, over a reload" % (world, how, ", GPUs of the interpreter" if emulated else ""), good)
        left = [name for name in os.listdir("/dev/shm") if name.startswith("hotset-")] if os.path.isdir("/dev/shm") else []
        say("%d processes by %s: nothing is left in memory" % (world, how), not left)


def refused(call, kind):
    try:
        call()
        return False
    except kind:
        return True


def kept(rank, world, folder):
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=world)
    plan = hotset.pyg.plan(data_of(), "dgx-v100:2", "8%", HOPS, BATCH, path=folder, simulate_epochs=1)
    good = refused(lambda: hotset.pyg.plan(data_of(), "nowhere", path=folder), hotset.InputError)
    with open(os.path.join(folder, "said%d" % rank), "w") as f:
        f.write("%s %s" % (plan.path, good))
    dist.destroy_process_group()


def follows(rank, world, folder):
    dist.init_process_group("cpu:gloo", init_method="file://" + os.path.join(folder, "meet-drift"), rank=rank, world_size=world)
    data, good, loaded = data_of(), True, 0
    plan = hotset.pyg.plan(data, "dgx-v100:2", "8%", HOPS, BATCH, path=folder, simulate_epochs=1)
    store = hotset.pyg.Store(plan, data)
    good = refused(lambda: hotset.pyg.Drift(store, pay_within=3), hotset.UsageError) and refused(lambda: hotset.pyg.Drift(store, auto=True), hotset.UsageError)
    drift = hotset.pyg.Drift(store, every=1)
    few = store.seeds[torch.rand(len(store.seeds)) < 0.2]  # what is read changes
    for epoch in range(9):
        loader = NeighborLoader(store, num_neighbors=HOPS, input_nodes=few, batch_size=BATCH, shuffle=True, neighbor_sampler=store.sampler())
        good = good and all(right(b, data) for b in drift.watch(store.ahead(loader)))
        loaded += sum((drift.step() or {}).values())
        time.sleep(0.2)
    same = all(np.array_equal(store.plan.train_ids(g), plan.train_ids(g)) for g in plan.gpus)
    dist.barrier()
    with open(os.path.join(folder, "followed%d" % rank), "w") as f:
        f.write("%s" % (good and loaded > 0 and same and store.plan.path != plan.path))
    del drift, store
    dist.barrier()
    dist.destroy_process_group()


def plans(data, folder):
    keep = dict(path=folder + "/kept", simulate_epochs=1)
    plan = hotset.pyg.plan(data, "dgx-v100:4", memory="8%", num_neighbors=HOPS, batch_size=BATCH, **keep)
    when = os.stat(plan.path + "/plan.json").st_mtime_ns
    again = hotset.pyg.plan(data, "dgx-v100:4", budget="8%", fanout=HOPS, batch=BATCH, **keep)
    say("a plan is found again, by PyG's words and the command line's", again.path == plan.path and os.stat(again.path + "/plan.json").st_mtime_ns == when)
    say("the CPU samples, so no byte is for neighbour lists", plan.topology_access == "cpu" and not any(len(plan.topology_ids(g)) for g in plan.gpus))
    other = data_of()
    other.train_mask[:40] = ~other.train_mask[:40]
    say("other seeds are another plan", hotset.pyg.plan(other, "dgx-v100:4", "8%", HOPS, BATCH, **keep).path != plan.path)
    other = data_of()
    other.train_mask = other.train_mask.numpy()
    listed = hotset.pyg.plan(other, "dgx-v100:4", "8%", HOPS, BATCH, **keep)
    other.train_mask = ~other.train_mask
    say("sets in arrays count, too", hotset.pyg.plan(other, "dgx-v100:4", "8%", HOPS, BATCH, **keep).path != listed.path)
    known = lambda **more: fingerprint(data, {}, more)
    arrays, file = [np.arange(5000.0), np.arange(5000.0)], folder + "/options.txt"
    arrays[1][2500] = -1
    said = [known(job=arrays[0]), known(job=arrays[1]), known(job=[arrays[1]])]
    for words in ("one", "two"):
        with open(file, "w") as f:
            f.write(words)
        said.append(known(job=file))
    say("a plan is known by what options' arrays and files hold", len(set(said)) == 5 and said[0] == known(job=torch.from_numpy(arrays[0])))
    say("and not by how it is made", known(quiet=True, threads=2, progress="never") == known())
    say("a function, which nothing tells from another, is refused", refused(lambda: hotset.pyg.plan(data, "dgx-v100:4", "8%", policy=lambda g: None, **keep), hotset.UsageError))
    say("what says the same twice is refused", refused(lambda: hotset.pyg.plan(data, "dgx-v100:4", memory="8%", budget="8%", **keep), ValueError))
    say("server=\"auto\" without a GPU is said", refused(lambda: hotset.pyg.plan(data, **keep), hotset.MissingError) or torch.cuda.is_available())
    say("nothing is left of plans that failed", not [name for name in os.listdir(folder + "/kept") if name.startswith(".")])
    store = hotset.pyg.Store(plan, data, rank=0)
    say("a store serves it", right(next(iter(NeighborLoader(store, HOPS, input_nodes=store.seeds, batch_size=9, neighbor_sampler=store.sampler()))), data))
    os.mkdir(folder + "/two")
    processes.start_processes(kept, (2, folder + "/two"), 2, start_method="spawn")
    said = [open(folder + "/two/said%d" % rank).read() for rank in range(2)]
    processes.start_processes(follows, (2, folder + "/two"), 2, start_method="forkserver")
    say("a plan follows what two processes read: rows are right, some are loaded, who trains what stays",
        [open(folder + "/two/followed%d" % rank).read() for rank in range(2)] == ["True"] * 2)
    say("one of two processes plans, the other waits; both are told what is wrong", said[0] == said[1] and said[0].endswith("True"))


def main():
    os.environ["HOTSET"], folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    data = data_of()
    graph = hotset.graph(data, quiet=True)
    plan = hotset.make_plan(graph, "dgx-v100:4", budget="8%", simulate_epochs=1, **WORK)
    judged(plan, folder + "/B")
    one_process(data, plan, folder)
    one_copy()
    small_things()
    plans(data, folder)
    several_types(folder)
    several_processes(data, 2, "spawn", "")
    several_processes(data, 4, "forkserver", "")
    if len(sys.argv) > 3:
        several_processes(data, 2, "forkserver", os.path.abspath(sys.argv[3]))
        several_processes(data, 4, "spawn", os.path.abspath(sys.argv[3]))
        on_a_gpu(data, folder, os.path.abspath(sys.argv[3]))
        sampling_on_a_gpu(data, folder, os.path.abspath(sys.argv[3]))
        several_draw(data, 4, os.path.abspath(sys.argv[3]))
        several_types_on_a_gpu(os.path.abspath(sys.argv[3]))
    else:
        print("interpreter not run")
    say("end", True)


if __name__ == "__main__":
    main()
