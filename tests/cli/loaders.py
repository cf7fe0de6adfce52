"""loaders.py dgl|quiver|wholegraph EXPORT FEATURES - runs the loader of an export: what it hands out must be the rows of FEATURES (.npy).

dgl runs in the real GraphBolt, of which only what needs a GPU is left out. quiver runs on a stand-in of torch-quiver, whose Feature holds the rows of the
devices one after the other, then those of the host, and finds them by set_local_order."""
import importlib.util
import os
import sys
import types

import numpy

sys.dont_write_bytecode = True


def load(folder, name):
    spec = importlib.util.spec_from_file_location("loader", os.path.join(folder, name))
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    return loader


def dgl(folder, features):
    import torch
    import dgl.graphbolt as gb
    import dgl.graphbolt.base as base
    asked = []
    torch.cuda.set_device = lambda device: None
    gb.gpu_cached_feature = lambda feature, size: asked.append(size) or feature
    base.CopyTo.__iter__ = lambda pipe: iter(pipe.datapipe)
    for name in ("FusedCSCSamplingGraph", "BasicFeatureStore", "TorchBasedFeatureStore", "TorchBasedFeature"):
        if hasattr(gb, name):
            getattr(gb, name).pin_memory_ = lambda self: None
    if not hasattr(gb.MiniBatch, "seeds") and "seeds" not in getattr(gb.MiniBatch, "__annotations__", {}):
        item_set = gb.ItemSet  # DGL before 2.3 calls them so
        gb.ItemSet = lambda items, names: item_set(items, names="seed_nodes")
    loader = load(folder, "load_graphbolt.py")
    indptr = numpy.load("G/indptr.npy")
    for gpu in loader.CACHES:
        want = numpy.load(os.path.join(folder, "gpu%d_train.npy" % gpu))
        seen = []
        for batch in loader.make_loader(folder, gpu, 40, [5, 4]):
            seeds = batch.seed_nodes if getattr(batch, "seed_nodes", None) is not None else batch.seeds
            seen += seeds.tolist()
            ids = seeds.numpy()
            drawn = numpy.diff(batch.sampled_subgraphs[-1].sampled_csc.indptr.numpy())  # by the seeds, whose fan-out is the first
            assert numpy.array_equal(drawn, numpy.minimum(indptr[ids + 1] - indptr[ids], 5)), "fan-outs in another order"
            assert numpy.array_equal(batch.node_features["feat"].numpy(), features[batch.input_nodes.numpy()]), "other rows than asked for"
        assert sorted(seen) == sorted(want.tolist()), "GPU %d trains other vertices than the plan says" % gpu
    assert asked == [size for size, _ in loader.CACHES.values() if size], "caches of %s bytes" % asked


class Feature:
    def __init__(self, rank, device_list, device_cache_size, cache_policy):
        assert rank in device_list and device_cache_size == 0 and cache_policy == "p2p_clique_replicate"
        self.devices = device_list

    def from_mmap(self, rows, config):
        order = [numpy.asarray(config.gpu_parts[d]) for d in self.devices] + [numpy.asarray(config.cpu_part)]
        self.rows = numpy.asarray(rows)[numpy.concatenate(order)]

    def set_local_order(self, order):
        order = numpy.asarray(order)
        self.place = numpy.zeros(order.max() + 1, "i8")
        self.place[order] = numpy.arange(len(order))

    def __getitem__(self, ids):
        return self.rows[self.place[ids]]


def quiver(folder, features):
    module, inner = types.ModuleType("quiver"), types.ModuleType("quiver.feature")
    module.init_p2p, module.Feature, inner.DeviceConfig = lambda devices: None, Feature, lambda gpu, cpu: types.SimpleNamespace(gpu_parts=gpu, cpu_part=cpu)
    sys.modules.update({"quiver": module, "quiver.feature": inner})
    try:
        import torch  # noqa: F401
    except ImportError:
        sys.modules["torch"] = types.SimpleNamespace(from_numpy=lambda a: a)
    loader = load(folder, "load_quiver.py")
    path = os.path.join(folder, "features.npy")
    numpy.save(path, features)
    for clique in loader.CLIQUES:
        for gpu in clique:
            feature, number = loader.load_plan(path, gpu)
            assert loader.CLIQUES[number] == clique
            everything = numpy.arange(len(features))[::-1]
            assert numpy.array_equal(feature[everything], features[everything]), "GPU %d reads other rows" % gpu
            assert len(loader.train_ids(gpu)) == len(numpy.load(os.path.join(folder, "gpu%d_train.npy" % gpu)))


class Table:
    """An embedding of WholeGraph on a stand-in: all parts in one tensor, which the processes of a clique would share."""

    def __init__(self, communicator, kind, place, dtype, shape, embedding_entry_partition=None):
        import torch
        assert kind == "continuous" and place in ("cuda", "cpu")
        assert embedding_entry_partition is None or (embedding_entry_partition.sum() == shape[0] and embedding_entry_partition.min() > 0)
        self.communicator, self.rows = communicator, torch.zeros(shape, dtype=dtype)

    def get_embedding_tensor(self):
        return self

    def get_local_tensor(self):
        return self.rows, 0

    def gather(self, ids):
        assert len(ids) == 0 or 0 <= int(ids.min()) <= int(ids.max()) < len(self.rows)
        return self.rows[ids]


def wholegraph(folder, features):
    import torch
    torch.Tensor.cuda = lambda self: self
    module, inner = types.ModuleType("pylibwholegraph"), types.ModuleType("pylibwholegraph.torch")
    everyone = types.SimpleNamespace(barrier=lambda: None)
    inner.get_global_communicator, inner.split_communicator, inner.create_embedding = lambda: everyone, lambda c, number: ("clique", number), Table
    module.torch = inner
    sys.modules.update({"pylibwholegraph": module, "pylibwholegraph.torch": inner})
    loader = load(folder, "load_wholegraph.py")
    for number, clique in enumerate(loader.CLIQUES):
        held = set()
        for at, gpu in enumerate(clique):
            rows = loader.PlannedRows(features, gpu)
            ids = torch.arange(len(features)).flip(0)
            assert numpy.array_equal(rows[ids].numpy(), features[ids.numpy()]), "GPU %d reads other rows" % gpu
            assert rows.counts == {"gpu": rows.hot_rows, "host": len(features) - rows.hot_rows}
            assert rows.hot.communicator == (everyone if len(loader.CLIQUES) == 1 else ("clique", number))
            planned = numpy.load(os.path.join("P", "gpu%d_feature.npy" % gpu))
            begin = sum(loader.BOOKS[number][:at])
            part = numpy.load(os.path.join(folder, "clique%d_order.npy" % number))[begin:begin + loader.BOOKS[number][at]]
            assert numpy.array_equal(part, [v for v in planned if v in set(part)]), "GPU %d holds other rows than planned" % gpu
            held |= set(planned.tolist())
            assert len(loader.train_ids(gpu)) == len(numpy.load(os.path.join("P", "gpu%d_train.npy" % gpu)))
        assert held == set(numpy.load(os.path.join(folder, "clique%d_order.npy" % number))[:sum(loader.BOOKS[number])].tolist())
        size, place, ratio = loader.striped_cache(number)
        coverage, place = round(32 / ratio), place.numpy()
        assert coverage == loader.COVERAGE[number] and size % coverage == 0 and len(set(place.tolist())) == len(features) and place.max() < size
        lines = numpy.bincount(place[sorted(held)] // coverage, minlength=size // coverage)
        assert lines.max() <= 32, "a set has %d hot rows and 32 lines" % lines.max()
        heat = numpy.bincount(numpy.arange(len(held)) // coverage)
        assert heat.max() > 32, "without the permutation the rows would have fitted as well"


{"dgl": dgl, "quiver": quiver, "wholegraph": wholegraph}[sys.argv[1]](sys.argv[2], numpy.load(sys.argv[3]))
