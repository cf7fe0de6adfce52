"""plan.py - a plan directory; a placement made elsewhere becomes one."""
import collections
import ctypes
import json
import os
import subprocess
import tempfile

import numpy as np

from ._library import Error, _CError, _CGraph, _COptions, _CRequest, _Handle, _View, _check, _lib, _program
from .lookup import Lookup

_FEATURE, _TOPOLOGY, _TRAIN = 0, 1, 2
_LISTS = {"feature": _FEATURE, "topology": _TOPOLOGY}
_LAYOUTS = {"smallest": 0, "dense": 1, "ranked": 2}

#: Bytes that a runtime allocates on one GPU, known before any array is read. lookup: the most bytes of the table of plan.lookup(gpu).
Bytes = collections.namedtuple("Bytes", "budget feature topology index train dynamic lookup")


class Plan:
    """A plan directory, opened and checked (checksums, ranges, budgets).

    path: the directory. threads: 0 for all processors. check=False opens in milliseconds, without reading the arrays. memory_limit: bytes that the
    checks may allocate. Raises Error when the plan is damaged. Threads may share an object.
    """

    def __init__(self, path, threads=0, check=True, memory_limit=0):
        options = _COptions(ctypes.sizeof(_COptions), threads, 0 if check else 3, 0, memory_limit)
        self._read(_Handle(path, options), path)

    def _read(self, handle, path):
        self._handle = handle
        p = self._p
        #: The directory.
        self.path = os.fspath(path)
        #: The server's numbers of the plan's GPUs. Memory m of a table is GPU plan.gpus[m].
        self.gpus = [_lib.hotset_gpu_id(p, g) for g in range(_lib.hotset_gpus(p))]
        self._position = {gpu: g for g, gpu in enumerate(self.gpus)}
        self.vertices, self.edges = _lib.hotset_vertices(p), _lib.hotset_edges(p)
        self.feature_dim, self.row_bytes = _lib.hotset_feature_dim(p), _lib.hotset_row_bytes(p)
        #: Bytes of a feature row on a GPU: fewer than row_bytes where cache_type ("f16", "bf16", "f8", "i8") is not "".
        self.cached_row_bytes = _lib.hotset_cached_row_bytes(p)
        texts = [_lib.hotset_text(p, k).decode(errors="replace") for k in range(9)]
        self.policy, self.server, self.graph, self.fingerprint, self.sampler, self.topology_access, self.dynamic_cache, self.order = texts[:8]
        self.cache_type = texts[8]
        #: Training vertices per mini-batch and GPU.
        self.batch = _lib.hotset_batch(p)

    @property
    def _p(self):
        return self._handle.at

    @property
    def workload(self):
        """What the plan was made for, as plan.json states it: {"fanout": [..], "batch": .., "frontier": .., "sampler": .., ..}."""
        with open(os.path.join(self.path, "plan.json"), encoding="utf-8") as f:
            return json.load(f)["workload"]

    def __repr__(self):
        return "<hotset plan: policy %s, %d GPUs, %d vertices>" % (self.policy, len(self.gpus), self.vertices)

    def _at(self, gpu):
        if gpu not in self._position:
            raise KeyError("GPU %r is not in the plan, which has %s" % (gpu, self.gpus))
        return self._position[gpu]

    def _ids(self, gpu, which):
        count = ctypes.c_uint64()
        address = _lib.hotset_ids(self._p, self._at(gpu), which, ctypes.byref(count))
        if not count.value:
            return np.empty(0, np.int32)
        # vertex ids beyond 2^31 need the unsigned type, which torch can hold but not index with
        kind = "<i4" if self.vertices <= 1 << 31 else "<u4"
        return np.asarray(_View(self._handle, address, count.value, kind))

    def feature_ids(self, gpu):
        """The vertices whose feature rows this GPU caches, in fill order: slot k holds feature_ids(gpu)[k]. int32, a read-only view of the file."""
        return self._ids(gpu, _FEATURE)

    def topology_ids(self, gpu):
        """The vertices whose neighbour lists this GPU caches, in fill order. int32, a read-only view of the file."""
        return self._ids(gpu, _TOPOLOGY)

    def train_ids(self, gpu):
        """The training vertices of this GPU, from which its mini-batches are cut. int32, a read-only view of the file."""
        return self._ids(gpu, _TRAIN)

    def epoch_order(self, gpu, seed, epoch):
        """The training vertices of this GPU in the order in which an epoch takes them, by the plan's rule (plan.order): mini-batch b is
        epoch_order(..)[b * plan.batch:(b + 1) * plan.batch]. With seed and epoch of a simulation these are the mini-batches that it judged; a training run
        takes a seed of its own, and epochs 0, 1, .. int32.
        """
        count, error = ctypes.c_uint64(), _CError()
        _lib.hotset_ids(self._p, self._at(gpu), _TRAIN, ctypes.byref(count))
        out = np.empty(count.value, np.int32 if self.vertices <= 1 << 31 else np.uint32)
        _check(_lib.hotset_epoch_order(self._p, self._at(gpu), seed, epoch, count.value, out.ctypes.data, ctypes.byref(error)), error)
        return out

    def peers(self, gpu):
        """The GPUs that may serve this one over NVLink, in serving order: the widest link first."""
        return self._numbers(_lib.hotset_peers, gpu, self.gpus.__getitem__)

    def peer_links(self, gpu):
        """The number of NVLinks to each of peers(gpu); 0 where the plan does not state it."""
        return self._numbers(_lib.hotset_peer_links, gpu, int)

    def _numbers(self, function, gpu, convert):
        count = ctypes.c_int()
        values = function(self._p, self._at(gpu), ctypes.byref(count))
        return [convert(values[i]) for i in range(count.value)]

    def clique(self, gpu):
        """The number of the NVLink clique of this GPU."""
        return _lib.hotset_gpu_clique(self._p, self._at(gpu))

    def dynamic_rows(self, gpu):
        """The capacity in rows of this GPU's dynamic cache (plan.dynamic_cache names its rule); 0 for plans with fixed rows."""
        return _lib.hotset_dynamic_rows(self._p, self._at(gpu))

    def bytes(self, gpu, layout="smallest"):
        """The bytes that a runtime allocates on this GPU: a Bytes tuple."""
        g = self._at(gpu)
        return Bytes(*[_lib.hotset_bytes(self._p, g, k) for k in range(6)], self.lookup_bytes(gpu, layout=layout)[0])

    def _request(self, gpu, kind, layout, threads):
        r = _CRequest(struct_bytes=ctypes.sizeof(_CRequest), gpu=self._at(gpu), list=_LISTS[kind], layout=_LAYOUTS[layout], threads=threads)
        return r

    def lookup_bytes(self, gpu, kind="feature", layout="smallest"):
        """(the most bytes of the table, the most host memory that building it takes)."""
        table, working, error = ctypes.c_uint64(), ctypes.c_uint64(), _CError()
        r = self._request(gpu, kind, layout, 1)
        _check(_lib.hotset_lookup_bytes(self._p, ctypes.byref(r), ctypes.byref(table), ctypes.byref(working), ctypes.byref(error)), error)
        return table.value, working.value

    def lookup(self, gpu, kind="feature", layout="smallest", threads=0):
        """The table vertex -> (memory, slot) for reads of this GPU, over "feature" or "topology" rows.

        layout "dense" has one entry per vertex of the graph, the simplest to index on a GPU. "ranked" has a bit per vertex and an entry per row in reach,
        which is smaller when most vertices are not cached. "smallest" chooses the smaller of both. See Lookup.
        """
        bytes_, _ = self.lookup_bytes(gpu, kind, layout)
        block = np.empty(bytes_ + 64, np.uint8)
        block = block[-block.ctypes.data % 64:][:bytes_]
        r = self._request(gpu, kind, layout, threads)
        r.buffer, r.buffer_bytes = block.ctypes.data, bytes_
        out, error = ctypes.c_void_p(), _CError()
        _check(_lib.hotset_lookup_build(self._p, ctypes.byref(r), ctypes.byref(out), ctypes.byref(error)), error)
        return Lookup(block)

    def check_graph(self, vertices, edges, fingerprint=None, indptr=None):
        """Raises Error unless the plan was made for this graph. indptr: int64 row offsets, with which the bytes of topology rows are checked as well."""
        if indptr is not None:
            indptr = np.ascontiguousarray(indptr, np.int64)
            if indptr.shape != (vertices + 1,):
                raise Error(2, "indptr has shape %s, expected (%d,)" % (indptr.shape, vertices + 1))
        g = _CGraph(ctypes.sizeof(_CGraph), 0, vertices, edges, fingerprint.encode() if fingerprint else None, indptr.ctypes.data if indptr is not None else None)
        error = _CError()
        _check(_lib.hotset_check_graph(self._p, ctypes.byref(g), ctypes.byref(error)), error)


def write_plan(path, graph, server, feature=None, topology=None, train=None, options=()):
    """Makes a plan at `path` from a placement of your own, and opens it: checked, simulated, comparable with all other plans.

    feature, topology: {gpu: ids of the rows that it caches, in fill order}; train: {gpu: ids that it trains}, or None for hotset's deal. GPUs are the
    server's numbers; those left out have empty lists. graph: a graph directory; server: a file or the name of a profile. options: further words of
    `hotset plan`, as in ["--budget", "2GiB"]. Error: what the program said, with its exit code.
    """
    with tempfile.TemporaryDirectory() as folder:
        for kind, lists in (("feature", feature), ("topology", topology), ("train", train)):
            for gpu, ids in (lists or {}).items():
                np.save(os.path.join(folder, "gpu%d_%s.npy" % (gpu, kind)), np.asarray(ids, dtype=np.int64))
        run = subprocess.run([_program(), "plan", "--from-lists", folder, "--graph", os.fspath(graph), "--server", os.fspath(server), "-o", os.fspath(path),
                              "--quiet", *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        raise Error(run.returncode, run.stderr.strip().replace("hotset: ", "", 1))
    return Plan(path)
