"""Replays exported mini-batches through GraphLearn-for-PyTorch's Feature, made by the script of the export. Prints "ok name" or "failed name", and "ok end".

usage: check_glt.py P EXPORT B JUDGED FEATURES     JUDGED: of a plan made with --for glt, so that every GPU holds an equal block

Where graphlearn-torch is installed, its own Python runs: Dataset, Feature, DeviceGroup and UnifiedTensor. Only what they call in C++ is replaced: the tensor
over several devices, all of which are CPU memory here; it counts which of them serves a row. Elsewhere the same classes are written out below, as
feature.py and unified_tensor.py of 0.2.4 have them.
"""
import importlib.util
import os
import sys
import types

import torch

sys.dont_write_bytecode = True
from replayed import batches, check, features, features_path, folder, judged, plan


class OverDevices:
    """Tensors behind each other, each on a device, -1 for the host: the C++ class below UnifiedTensor."""

    def __init__(self, device, dtype):
        self.parts, self.places, self.served = [], [], {}

    def init_from(self, tensors, devices):
        self.parts, self.places = list(tensors), list(devices)

    def append_cpu_tensor(self, tensor):
        self.init_from([*self.parts, tensor], [*self.places, -1])

    def __getitem__(self, at):
        ends = torch.tensor([len(p) for p in self.parts]).cumsum(0)
        part = torch.bucketize(at, ends, right=True)
        for k, place in enumerate(self.places):
            self.served[place] = self.served.get(place, 0) + int((part == k).sum())
        return torch.cat(self.parts).index_select(0, at)


def real():
    """graphlearn-torch itself, without a GPU."""
    try:
        import torch_sparse  # noqa: F401
    except ImportError:  # imported by GLT, needed for COO graphs only
        sys.modules["torch_sparse"] = types.ModuleType("torch_sparse")
    device = torch.device
    torch.device = lambda kind, index=None: device("cuda", kind) if isinstance(kind, int) else device(kind) if index is None else device(kind, index)
    try:
        import graphlearn_torch as glt
    except ImportError:
        return None
    finally:
        torch.device = device
    from graphlearn_torch.data import unified_tensor
    unified_tensor.pywrap = types.SimpleNamespace(UnifiedTensor=OverDevices)
    return glt


class DeviceGroup:
    def __init__(self, group_id, device_list):
        self.group_id, self.device_list, self.size = group_id, device_list, len(device_list)


class Feature:
    """The first int(rows * split_ratio) rows on the group's devices in equal blocks, the last of which takes the rest; the others on the host."""

    def __init__(self, feature_tensor, id2index, split_ratio, device_group_list, device):
        group, cut = device_group_list[0], int(len(feature_tensor) * split_ratio)
        self.id2index, block = id2index, cut // group.size
        self.tensor = types.SimpleNamespace(unified_tensor=OverDevices(device, None))
        ends = [block * k for k in range(group.size)] + [cut]
        self.tensor.unified_tensor.init_from([feature_tensor[a:b] for a, b in zip(ends, ends[1:])], list(group.device_list))
        self.tensor.unified_tensor.append_cpu_tensor(feature_tensor[cut:])
        self._unified_tensors = {group.group_id: self.tensor}

    def __getitem__(self, ids):
        return self.tensor.unified_tensor[self.id2index[ids]]


class Dataset:
    def __init__(self, edge_dir):
        self.edge_dir = edge_dir

    def init_graph(self, edge_index, layout, graph_mode, directed, device):
        self.graph = edge_index

    def init_node_features(self, node_feature_data, id2idx, split_ratio, device_group_list, device):
        self.node_features = Feature(node_feature_data, id2idx, split_ratio, device_group_list, device)

    def init_node_labels(self, labels):
        self.node_labels = labels


def written_out():
    data = types.ModuleType("graphlearn_torch.data")
    data.DeviceGroup, data.Dataset = DeviceGroup, Dataset
    glt = types.ModuleType("graphlearn_torch")
    glt.data = data
    sys.modules.update({"graphlearn_torch": glt, "graphlearn_torch.data": data})
    return glt


def without_gpus():
    """Devices are numbers; nothing moves."""
    move = torch.Tensor.to
    torch.Tensor.to = lambda self, *to, **options: self if to and isinstance(to[0], int) else move(self, *to, **options)
    torch.cuda.device_count = lambda: 1 + max(plan.gpus)


glt = real()
if not glt:
    print("skipped glt in GraphLearn-for-PyTorch's own Python: graphlearn-torch is not installed, its classes are written out (HOTSET_GLT_PYTHON)")
    glt = written_out()
without_gpus()
spec = importlib.util.spec_from_file_location("load_glt", os.path.join(folder, "load_glt.py"))
loader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(loader)

rows_equal, counts_equal, seen = True, True, dict.fromkeys(("local", "peer", "host"), 0)
for gpu in plan.gpus:
    dataset = glt.data.Dataset(edge_dir="out")
    dataset.init_node_features(**loader.node_features(features_path, gpu))
    for batch in batches.of(gpu):
        ids = torch.from_numpy(batch.vertices).long()
        rows_equal = rows_equal and torch.equal(dataset.node_features[ids], features[ids])
    tensor, = dataset.node_features._unified_tensors.values()
    served = tensor.unified_tensor.served
    own, host = served.get(gpu, 0), served.get(-1, 0)
    counts = {"local": own, "peer": sum(served.values()) - own - host, "host": host}
    counts_equal = counts_equal and counts == judged[gpu]["feature_rows"]
    if counts != judged[gpu]["feature_rows"]:
        print("# GPU %d: %s, simulated %s" % (gpu, counts, judged[gpu]["feature_rows"]))
    for place, n in counts.items():
        seen[place] += n
check("glt, replayed: rows are those of the mini-batches", rows_equal)
check("glt, replayed: own, peer and host rows are those of the simulation", counts_equal and all(seen.values()))
# GraphLearn holds the whole graph on the host (or on every GPU), so a plan made for it has no topology rows and the host serves every visit
visits = [batches.visits(plan, gpu) for gpu in plan.gpus]
check("glt, replayed: the host serves every visit, as simulated", all(v["own"] == v["peer"] == 0 < v["host"] == judged[g]["topology_visits"]["host"]
                                                                      for g, v in zip(plan.gpus, visits)))
check("glt: each GPU trains the planned vertices", all(sorted(loader.ids("gpu%d_train.npy" % g).tolist()) == plan.train_ids(g).tolist() for g in plan.gpus))
print("ok end")
