"""loaders.py dgl|quiver EXPORT FEATURES - runs the loader of an export: what it hands out must be the rows of FEATURES (.npy).

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


{"dgl": dgl, "quiver": quiver}[sys.argv[1]](sys.argv[2], numpy.load(sys.argv[3]))
