"""compare.py - from arrays to a plan, a table and a picture; then a job reads, what it reads is recorded, and the next plan is loaded. NumPy alone, no shell.

    python -m hotset.examples.compare          # writes compare.svg
"""
import os
import tempfile
from typing import Any, Dict

import numpy as np

import hotset

rng, vertices, arcs, dim = np.random.default_rng(1), 20_000, 300_000, 32
hub = [(rng.random(arcs) ** 3 * vertices).astype(np.int64) for _ in range(2)]  # few vertices have most neighbours
graph = hotset.graph((hub[0], rng.permutation(vertices)[hub[1]]), train=rng.permutation(vertices)[:2000], feature_dim=dim, name="example")
server = hotset.server("dgx-v100:4")
work: Dict[str, Any] = dict(fanout=[10, 5], batch=128)

table = hotset.compare(graph, server, policies=["quiver", "legion", "hotset"], budget=["1%", "3%", "10%"], **work)
print(table)
table.plot().save("compare.svg")

plan = hotset.make_plan(graph, server, budget="3%", sampling="gpu", **work)  # what GPUs sample can be refreshed below
with tempfile.TemporaryDirectory() as folder:
    judged = hotset.simulate(plan, epochs=1, seed=5)["rows"][0]["simulated"]["gpus"]
    hotset.simulate(plan, epochs=1, seed=5, export_batches=os.path.join(folder, "B"))
    features, batches, recorder = rng.random((vertices, dim), np.float32), hotset.Batches(os.path.join(folder, "B")), hotset.Recorder(folder, plan)
    memory = hotset.fill(plan, features)
    for gpu in judged:  # the job: here it reads the mini-batches that the plan was judged on
        rows = hotset.PlannedRows(plan, gpu["id"], features, memory)
        for batch in batches.of(gpu["id"]):
            rows.gather(batch.vertices)
            recorder.count(gpu["id"], batch.vertices)
        recorder.end_epoch(gpu["id"])
        assert list(rows.counts.values()) == list(gpu["feature_rows"].values()), "own, peer, host: as simulated"
        print("GPU %d read %s" % (gpu["id"], rows.counts))
    trace = hotset.recorded(folder, hotset.record(graph, server, plan=plan, epochs=1), graph)
    print("rows to load for the next plan:", hotset.reload(memory, plan, hotset.refresh(plan, trace), features))
print("compare.svg is the picture")
