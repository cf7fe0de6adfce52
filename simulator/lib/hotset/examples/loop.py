"""loop.py - from PyG's HeteroData to a plan, a table, a picture and training; what the job read makes the next plan, which is loaded while it runs.

    pip install hotset torch torch_geometric pandas
    python -m hotset.examples.loop              # writes loop.svg
"""
import tempfile
import torch
import torch_geometric as pyg  # type: ignore[import-untyped,unused-ignore]
import hotset.pyg

data, folder = pyg.datasets.FakeHeteroDataset(avg_num_nodes=3000, num_classes=4)[0], tempfile.mkdtemp(prefix="hotset-loop-")
data["v0"].train_mask = torch.rand(data["v0"].num_nodes) < 0.3
graph, server, fanout, batches = hotset.graph(data), "dgx-v100:2", [5, 3], folder + "/batches"
plan = hotset.make_plan(graph, server, budget="5%", fanout=fanout, batch=64)
table = hotset.compare(graph, server, policies=["quiver", "legion", "hotset"], budget=["2%", "5%", "10%"], fanout=fanout, batch=64)
print(table.to_pandas()[["policy", "budget", "simulated.feature_hit_rate", "simulated.total_transactions"]].to_string())
table.plot().save("loop.svg")
job = hotset.pyg.PlannedHetero(plan, graph, x=data.x_dict, y=data.y_dict, record=folder + "/recorded")
model = pyg.nn.to_hetero(pyg.nn.GraphSAGE((-1, -1), 32, 2, 4), data.metadata())
optimizer = torch.optim.Adam(model.parameters(), 0.01)
hotset.simulate(plan, epochs=2, seed=7, export_batches=batches)  # mini-batches that are simulated, to count the same; else job.loader(gpu)
for batch in (batch for gpu in plan.gpus for batch in job.replay(batches, gpu)):
    seeds = batch["v0"].batch_size
    loss = torch.nn.functional.cross_entropy(model(batch.x_dict, batch.edge_index_dict)["v0"][:seeds], batch["v0"].y[:seeds])
    optimizer.zero_grad(), loss.backward(), optimizer.step()
for gpu in hotset.simulate(plan, epochs=2, seed=7)["rows"][0]["simulated"]["gpus"]:
    print("GPU", gpu["id"], "read", job.counts(gpu["id"]))
    assert all(list(job.counts(gpu["id"])[t["type"]].values()) == list(t["reads"].values()) for t in gpu["tables"] if t["kind"] == "feature")
following = hotset.refresh(plan, hotset.recorded(folder + "/recorded", hotset.record(graph, server, plan=plan, epochs=2), graph))
print(following.moved, "\nrows loaded:", job.reload(following))
