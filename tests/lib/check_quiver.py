"""Replays exported mini-batches through torch-quiver's Feature, made by the script of the export. Prints "ok name" or "failed name", and "ok end".

usage: check_quiver.py P EXPORT B JUDGED FEATURES     JUDGED: of a plan made with --for quiver

torch-quiver is written out below as far as the script uses it, as feature.py of 5a3bc77 has it: a clique's Feature is the parts of its GPUs in their order,
then the part of the host, and a local order says where a vertex lies. It counts which part serves a row. Its own Python needs CUDA to be imported.
"""
import importlib.util
import os
import sys
import types

import torch

sys.dont_write_bytecode = True
from replayed import batches, check, features, features_path, folder, judged, plan


class Feature:
    def __init__(self, rank, device_list, device_cache_size, cache_policy):
        if rank not in device_list or device_cache_size != 0 or cache_policy != "p2p_clique_replicate":
            raise ValueError("the parts are those of the export, once per clique")
        self.devices = list(device_list)

    def from_mmap(self, rows, config):
        parts = [torch.as_tensor(config.gpu_parts[d]) for d in self.devices] + [torch.as_tensor(config.cpu_part)]
        self.rows, self.ends = torch.as_tensor(rows)[torch.cat(parts)], torch.tensor([len(p) for p in parts]).cumsum(0)
        self.served = dict.fromkeys([*self.devices, -1], 0)

    def set_local_order(self, order):
        order = torch.as_tensor(order)
        self.feature_order = torch.zeros_like(order)
        self.feature_order[order] = torch.arange(len(order))

    def __getitem__(self, ids):
        at = self.feature_order[ids]
        part = torch.bucketize(at, self.ends, right=True)
        for k, place in enumerate(self.served):
            self.served[place] += int((part == k).sum())
        return self.rows[at]


module, inner = types.ModuleType("quiver"), types.ModuleType("quiver.feature")
module.init_p2p, module.Feature, inner.DeviceConfig = lambda devices: None, Feature, lambda gpu, cpu: types.SimpleNamespace(gpu_parts=gpu, cpu_part=cpu)
sys.modules.update({"quiver": module, "quiver.feature": inner})
spec = importlib.util.spec_from_file_location("load_quiver", os.path.join(folder, "load_quiver.py"))
loader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(loader)

rows_equal, counts_equal, seen = True, True, dict.fromkeys(("local", "peer", "host"), 0)
for gpu in plan.gpus:
    feature, _ = loader.load_plan(features_path, gpu)
    for batch in batches.of(gpu):
        ids = torch.from_numpy(batch.vertices).long()
        rows_equal = rows_equal and torch.equal(feature[ids], features[ids])
    own, host = feature.served.get(gpu, 0), feature.served[-1]
    counts = {"local": own, "peer": sum(feature.served.values()) - own - host, "host": host}
    counts_equal = counts_equal and counts == judged[gpu]["feature_rows"]
    if counts != judged[gpu]["feature_rows"]:
        print("# GPU %d: %s, simulated %s" % (gpu, counts, judged[gpu]["feature_rows"]))
    for place, n in counts.items():
        seen[place] += n
check("quiver, replayed: rows are those of the mini-batches", rows_equal)
check("quiver, replayed: own, peer and host rows are those of the simulation", counts_equal and all(seen.values()))
# torch-quiver keeps the graph in host memory, so a plan made for it has no topology rows and the host serves every visit
visits = [batches.visits(plan, gpu) for gpu in plan.gpus]
check("quiver, replayed: the host serves every visit, as simulated", all(v["own"] == v["peer"] == 0 < v["host"] == judged[g]["topology_visits"]["host"]
                                                                         for g, v in zip(plan.gpus, visits)))
check("quiver: each GPU trains the planned vertices", all(sorted(loader.train_ids(g).tolist()) == plan.train_ids(g).tolist() for g in plan.gpus))
print("ok end")
