"""first_gpu_run.py - the whole check where GPUs are at hand: rows, counts and times of hotset.pyg.Store, and what to send back. Ten minutes at most.

    python -m hotset.examples.first_gpu_run                      # all GPUs of this machine, a process each; --gpus 2, --server dgx-a100:4
    python -m hotset.examples.first_gpu_run --cpu --vertices 5000    # the same steps without a GPU

It makes a graph and two plans of it, serves the mini-batches that `hotset simulate` counted through PyG's loader, holds every row against the features and
the rows by place against the simulation, draws the same mini-batches from the planned neighbour lists, goes over to the second plan, and times a gather
beside index_select. It has not been run on a GPU: please send the last lines, whatever they say, as an issue.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import traceback
from typing import Any, Dict, List, cast

import numpy as np
import torch
import torch.distributed as dist
import torch_geometric  # type: ignore[import-untyped,unused-ignore]
from torch.multiprocessing.spawn import spawn
from torch_geometric.data import Data  # type: ignore[import-untyped,unused-ignore]
from torch_geometric.sampler import NodeSamplerInput  # type: ignore[import-untyped,unused-ignore]

import hotset.pyg


def made(a: argparse.Namespace) -> Any:
    """The same graph in every process: few vertices have most neighbours."""
    torch.manual_seed(1)
    ends = (torch.rand(2, 8 * a.vertices) ** torch.tensor([[3.0], [1.0]]) * a.vertices).long()
    return Data(x=torch.randn(a.vertices, a.features), edge_index=torch.cat([ends, ends.flip(0)], 1), train_mask=torch.rand(a.vertices) < 0.1)


def seconds(run: Any, device: str, times: int = 20) -> float:
    """Of a call, the median; on a GPU until it is done there."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        run()
        if device != "cpu":
            torch.cuda.synchronize()
        taken.append(time.perf_counter() - began)
    return float(np.median(taken))


def misdrawn(sampler: Any, batches: hotset.Batches, gpu: int) -> int:
    """How many mini-batches of a simulation the sampler draws otherwise: other vertices, edges, or another order."""
    wrong = 0
    for k in range(batches.per_epoch(gpu)):
        b = batches.read(gpu, k)
        sampler.set_epoch(b.epoch, b.number)
        out = sampler.sample_from_nodes(NodeSamplerInput(None, torch.from_numpy(b.seeds.astype(np.int64))))
        good = out.node.tolist() == b.vertices.tolist() and out.num_sampled_edges == [len(hop.edges) for hop in b.hops]
        good = good and np.cumsum(out.num_sampled_nodes).tolist() == [b.seed_vertices, *(hop.found for hop in b.hops)]
        for mine, name in ((out.row, "columns"), (out.col, "rows"), (out.edge, "edges")):
            good = good and mine.tolist() == np.concatenate([getattr(hop, name) for hop in b.hops]).tolist()
        wrong += not good
    return wrong


def serve(rank: int, a: argparse.Namespace, folder: str, world: int) -> None:
    """The process of one GPU. Writes what it found."""
    device, found = "cpu" if a.cpu else "cuda:%d" % rank, cast(Dict[str, Any], {})
    try:
        torch.set_num_threads(1)
        if device != "cpu":
            torch.cuda.set_device(rank)
        dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=world)
        data, before = made(a), {"own": 0, "peer": 0, "host": 0}
        plans = [hotset.Plan(os.path.join(folder, name)) for name in ("P", "Q")]
        began = time.perf_counter()
        store = hotset.pyg.Store(plans[0], data, device=device, room=a.vertices)
        sampler = None if a.cpu else store.sampler(seed=7, room=store.planned.graph.edges)
        visited = {} if sampler is None else sampler.counts
        found.update(filled_seconds=round(time.perf_counter() - began, 3), bytes=store.bytes)
        for k, plan in enumerate(plans):
            if k:
                dist.barrier()
                found["moved"] = store.reload(plan)[store.gpu]
            began, wrong = time.perf_counter(), 0
            for batch in store.ahead(store.replay(os.path.join(folder, "B%d" % k))):
                wrong += 0 if torch.equal(batch.x.cpu(), data.x[batch.n_id.cpu()]) else 1
            now, (want, visits) = store.hits(), json.load(open(os.path.join(folder, "counts%d.json" % k)))[rank]
            hits = {place: now[place] - before[place] for place in now}
            found["plan %d" % (k + 1)] = {"wrong_batches": wrong, "hits": hits, "hits_as_simulated": hits == want, "seconds": round(time.perf_counter() - began, 3)}
            before = now
            if sampler is not None:
                began, wrong = time.perf_counter(), misdrawn(sampler, hotset.Batches(os.path.join(folder, "B%d" % k)), store.gpu)
                here = {place: n - visited[place] for place, n in sampler.counts.items()}
                found["draws %d" % (k + 1)] = {"wrong_batches": wrong, "visits": here, "hits_as_simulated": here == visits,
                                               "seconds": round(time.perf_counter() - began, 3)}
                visited = sampler.counts
            dist.barrier()
        ids = torch.randint(0, a.vertices, (min(100_000, a.vertices),))
        rows = store[0].rows
        found["gather_us"] = round(1e6 * seconds(lambda: rows.gather(ids), device), 1)
        found["index_select_us"] = round(1e6 * seconds(lambda: data.x.index_select(0, ids).to(device), device), 1)
        found["ids"] = len(ids)
        dist.barrier()  # nobody gives memory back that others read
        del store, rows, sampler
        dist.barrier()
    except BaseException:
        found["failed"] = traceback.format_exc()
    with open(os.path.join(folder, "found%d.json" % rank), "w", encoding="utf-8") as f:
        json.dump(found, f)
    if "failed" in found:
        sys.exit(1)


def prepared(a: argparse.Namespace, folder: str, world: int) -> None:
    """Two plans that keep other rows, their mini-batches, and what simulations count of them."""
    server: Any = a.server or "dgx-v100:%d" % world
    if a.server is None and not a.cpu:
        server = os.path.join(folder, "server.json")
        hotset.run("server probe", output=server, quiet=True)
    graph = hotset.graph(made(a), os.path.join(folder, "G"), quiet=True)
    for k, (name, budget) in enumerate((("P", "5%"), ("Q", "8%"))):
        plan = hotset.make_plan(graph, server, os.path.join(folder, name), budget=budget, num_neighbors=[10, 5], batch_size=256, sampling="cpu" if a.cpu else "gpu",
                                simulate_epochs=0, quiet=True)
        hotset.simulate(plan, epochs=1, seed=7, export_batches=os.path.join(folder, "B%d" % k), quiet=True)
        gpus = hotset.simulate(plan, epochs=1, seed=7, quiet=True)["rows"][0]["simulated"]["gpus"]
        places = ("own", "peer", "host")
        counts = [({place: g["feature_rows"][place] for place in places},
                   {**{place: g["topology_visits"][place] for place in places}, "lines": g["transactions"]["topology"]}) for g in gpus]
        with open(os.path.join(folder, "counts%d.json" % k), "w", encoding="utf-8") as f:
            json.dump(counts, f)


def versions(a: argparse.Namespace) -> Dict[str, Any]:
    """Of what ran."""
    said: Dict[str, Any] = {"hotset": hotset.library_version(), "torch": torch.__version__, "torch_geometric": torch_geometric.__version__,
                            "python": platform.python_version(), "cuda": torch.version.cuda}
    if not a.cpu:
        said["gpus"] = [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]
        said["driver"] = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True).stdout.split()[:1]
    return said


def all_right(found: List[Any], draws: bool) -> bool:
    """Whether every process read, and where draws are asked for drew, what the simulations of both plans did."""
    checks = [name + str(k) for name in (("plan ", "draws ") if draws else ("plan ",)) for k in (1, 2)]
    return all("failed" not in of and all(k in of and not of[k]["wrong_batches"] and of[k]["hits_as_simulated"] for k in checks) for of in found)


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cpu", action="store_true", help="memory of the host stands in for GPUs")
    p.add_argument("--server", help="server for the plans [default: what the NVIDIA driver says]")
    for name, value in (("gpus", 0), ("vertices", 200_000), ("features", 128)):
        p.add_argument("--" + name, type=int, default=value, help="[default: %(default)s; gpus: all]")
    a = p.parse_args()
    world = a.gpus or (2 if a.cpu else torch.cuda.device_count())
    if not world:
        sys.exit("first_gpu_run: torch finds no GPU; --cpu does the same steps in memory of the host")
    with tempfile.TemporaryDirectory(prefix="hotset-first-") as folder:
        prepared(a, folder, world)
        plan_gpus = len(hotset.Plan(os.path.join(folder, "P")).gpus)
        if plan_gpus != world:
            sys.exit("first_gpu_run: the server has %d GPUs and %d run; give --gpus %d, or --server NAME:%d" % (plan_gpus, world, plan_gpus, world))
        try:
            spawn(serve, (a, folder, world), world)
        except Exception as e:
            print("a process ended: %s" % str(e).strip().splitlines()[-1], file=sys.stderr)
        files = [os.path.join(folder, "found%d.json" % rank) for rank in range(world)]
        found: List[Any] = [json.load(open(file, encoding="utf-8")) if os.path.exists(file) else {"failed": "it said nothing"} for file in files]
    good = all_right(found, not a.cpu)
    print("---- send from here ----")
    print(json.dumps({"all_right": good, "device": "cpu" if a.cpu else "cuda", "versions": versions(a), "processes": found}, indent=1))
    print("---- to here ----")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
