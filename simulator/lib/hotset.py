"""hotset - reads a plan of hotset as NumPy arrays, for PyTorch, DGL and PyG. One file that calls libhotset through ctypes; nothing to build.

    import hotset, torch
    plan = hotset.Plan("P")                          # opened and checked; see plan.policy, plan.gpus, plan.vertices
    rows = torch.from_numpy(plan.feature_ids(0))     # the vertices that GPU 0 caches, hottest first, mapped from the file
    cache = features[rows.long()].to("cuda:0")       # fill the cache in that order: row k of `cache` is slot k
    table = plan.lookup(0)                           # vertex -> (memory, slot), for reads of GPU 0
    memory, slot = table.find(batch_ids)             # memory: position in plan.gpus, -1 for the host

    rows = hotset.PlannedRows(plan, 0, features)     # or all at once: the plan's caches in CPU memory (NumPy or torch)
    x = rows.gather(batch_ids)                       # one call; equals features[batch_ids]; rows.counts: own, peer, host

    for batch in hotset.Batches("B").of(0): ..       # the mini-batches of `hotset simulate P --export-batches B`

    plan = hotset.write_plan("Q", "G", "dgx-v100", feature={0: ids0, 1: ids1})   # a placement of your own as a plan

Terms. A GPU is named by the server's number for it, as in plan.gpus; only table entries hold positions in that list. The slot of a row is its place in
the fill order of the GPU that holds it. A GPU reads a row from its own memory; otherwise from the first of plan.peers(gpu) that holds it; otherwise from
the host.

Lifetime. Arrays of ids are read-only views of mapped files. Each keeps the plan open as long as it lives, also after torch.from_numpy and `del plan`.
There is no close(): the plan is closed with its last view. torch.from_numpy shares the memory and warns once that it is not writable. Such a tensor is
for reading; .clone() or .to("cuda") makes a writable one.

If $HOTSET_LIBRARY is set, the library is loaded from there only. Otherwise it is searched beside this file, then below the prefix that this file was
installed in (share/hotset -> lib), then in the build folder of a checkout, then by the system's loader (LD_LIBRARY_PATH, ldconfig).
"""
import collections
import ctypes
import os
import subprocess
import tempfile
import threading
import weakref

import numpy as np

__all__ = ["Plan", "Lookup", "PlannedRows", "fill", "Batches", "Batch", "Hop", "Bytes", "Error", "library_version",
           "write_plan"]

_MAJOR = 1
_FEATURE, _TOPOLOGY, _TRAIN = 0, 1, 2
_LISTS = {"feature": _FEATURE, "topology": _TOPOLOGY}
_LAYOUTS = {"smallest": 0, "dense": 1, "ranked": 2}


class Error(Exception):
    """A call of libhotset failed. str(e) is the sentence, e.code the number: 2 wrong usage, 3 bad plan, 5 memory or limit."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class _CError(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("text", ctypes.c_char * 1200)]


class _COptions(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("threads", ctypes.c_int32), ("skip", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("memory_limit", ctypes.c_uint64)]


class _CGraph(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("vertices", ctypes.c_uint64), ("edges", ctypes.c_uint64),
                ("fingerprint", ctypes.c_char_p), ("indptr", ctypes.c_void_p)]


class _CRequest(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("gpu", ctypes.c_int32), ("list", ctypes.c_int32), ("layout", ctypes.c_int32),
                ("threads", ctypes.c_int32), ("reserved", ctypes.c_uint32), ("buffer", ctypes.c_void_p), ("buffer_bytes", ctypes.c_uint64),
                ("copy", ctypes.c_void_p), ("copy_context", ctypes.c_void_p), ("memory_limit", ctypes.c_uint64)]


class _CLookup(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_char * 8), ("bytes", ctypes.c_uint64), ("vertices", ctypes.c_uint64), ("rows", ctypes.c_uint64),
                ("words_at", ctypes.c_uint64), ("entries_at", ctypes.c_uint64), ("layout", ctypes.c_uint32), ("entry_bytes", ctypes.c_uint32),
                ("slot_bits", ctypes.c_uint32), ("reader", ctypes.c_uint32)]


class _CRows(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("rows", ctypes.c_uint64)]


class _CGather(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("threads", ctypes.c_int32), ("table", ctypes.c_void_p), ("ids", ctypes.c_void_p),
                ("count", ctypes.c_uint64), ("id_bytes", ctypes.c_uint32), ("memories", ctypes.c_uint32), ("memory", ctypes.c_void_p), ("host", _CRows),
                ("row_bytes", ctypes.c_uint64), ("out", ctypes.c_void_p), ("counts", ctypes.c_void_p)]


_HOPS_MAX = 16


class _CHop(ctypes.Structure):
    _fields_ = [("expanded", ctypes.c_void_p), ("visits", ctypes.c_uint64), ("draws", ctypes.c_uint64), ("rows", ctypes.c_void_p),
                ("columns", ctypes.c_void_p), ("edges", ctypes.c_void_p), ("found", ctypes.c_uint64)]


class _CBatch(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("hops", ctypes.c_int32), ("epoch", ctypes.c_uint64), ("number", ctypes.c_uint64),
                ("seeds", ctypes.c_void_p), ("vertices", ctypes.c_void_p), ("seed_count", ctypes.c_uint64), ("count", ctypes.c_uint64),
                ("seed_vertices", ctypes.c_uint64), ("hop", _CHop * _HOPS_MAX)]


class _CFacts(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("gpus", ctypes.c_int32), ("hops", ctypes.c_int32), ("edge_seeds", ctypes.c_int32),
                ("seed", ctypes.c_int64), ("epochs", ctypes.c_uint64), ("vertices", ctypes.c_uint64), ("edges", ctypes.c_uint64),
                ("fingerprint", ctypes.c_char * 80), ("sampler", ctypes.c_char * 32)]


_WORD = np.dtype([("bits", "<u8"), ("before", "<u4"), ("reserved", "<u4")])


def _candidates():
    name, here = "libhotset.so.%d" % _MAJOR, os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("HOTSET_LIBRARY"):
        return [os.environ["HOTSET_LIBRARY"]]
    places = [os.path.join(here, name)] + [os.path.join(here, "..", "..", *folder, name) for folder in (["lib"], ["lib64"], ["build", "lib"])]
    return [p for p in places if os.path.exists(p)] + [name]


def _bind(lib):
    pointer, i, u64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64
    of = ctypes.POINTER
    table = {
        "library_version": (i, []),
        "open": (i, [ctypes.c_char_p, of(_COptions), of(pointer), of(_CError)]),
        "close": (None, [pointer]),
        "check_graph": (i, [pointer, of(_CGraph), of(_CError)]),
        "text": (ctypes.c_char_p, [pointer, i]),
        "sealed": (i, [pointer]),
        "vertices": (u64, [pointer]), "edges": (u64, [pointer]), "feature_dim": (u64, [pointer]), "row_bytes": (u64, [pointer]),
        "gpus": (i, [pointer]), "cliques": (i, [pointer]), "gpu_id": (i, [pointer, i]), "gpu_clique": (i, [pointer, i]),
        "peers": (of(ctypes.c_int32), [pointer, i, of(i)]),
        "peer_links": (of(ctypes.c_int32), [pointer, i, of(i)]),
        "ids": (pointer, [pointer, i, i, of(u64)]),
        "bytes": (u64, [pointer, i, i]),
        "dynamic_rows": (u64, [pointer, i]),
        "batch": (u64, [pointer]),
        "epoch_order": (i, [pointer, i, u64, u64, u64, pointer, of(_CError)]),
        "lookup_bytes": (i, [pointer, of(_CRequest), of(u64), of(u64), of(_CError)]),
        "lookup_build": (i, [pointer, of(_CRequest), of(pointer), of(_CError)]),
        "gather": (i, [pointer, pointer]),
        "batches_open": (i, [ctypes.c_char_p, of(pointer), of(_CError)]),
        "batches_close": (None, [pointer]),
        "batches_about": (i, [pointer, of(_CFacts), of(_CError)]),
        "batches_gpu_id": (i, [pointer, i]),
        "batches_per_epoch": (u64, [pointer, i]),
        "batches_read": (i, [pointer, i, u64, of(_CBatch), of(_CError)]),
    }
    for name, (result, arguments) in table.items():
        function = getattr(lib, "hotset_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


def _load():
    said = []
    for path in _candidates():
        try:
            lib = _bind(ctypes.CDLL(path))
        except (OSError, AttributeError) as e:
            said.append(str(e))
            continue
        if lib.hotset_library_version() // 10000 == _MAJOR:
            return lib
        said.append("%s is of version %d.x, this file needs %d.x" % (path, lib.hotset_library_version() // 10000, _MAJOR))
    raise ImportError("libhotset was not found (%s); set HOTSET_LIBRARY to the path of libhotset.so.%d, or run make install" % ("; ".join(said), _MAJOR))


_lib = _load()


def library_version():
    """(major, minor, patch) of the library that was loaded."""
    v = _lib.hotset_library_version()
    return v // 10000, v // 100 % 100, v % 100


def _check(code, error):
    if code:
        raise Error(code, error.text.decode(errors="replace"))


class _Handle:
    """An open plan of the library. Views keep it alive; it is closed with the last of them."""

    def __init__(self, path, options):
        at, error = ctypes.c_void_p(), _CError()
        _check(_lib.hotset_open(os.fsencode(path), ctypes.byref(options), ctypes.byref(at), ctypes.byref(error)), error)
        self.at = at
        self._end = weakref.finalize(self, _lib.hotset_close, at)


class _View:
    """Gives NumPy an array over the library's memory. The array keeps this object, and so the plan, alive."""

    def __init__(self, handle, address, count, kind):
        self.handle = handle
        self.__array_interface__ = {"version": 3, "shape": (count,), "typestr": kind, "data": (address, True)}


#: Bytes that a runtime allocates on one GPU, known before any array is read. lookup: the most bytes of the table of plan.lookup(gpu).
Bytes = collections.namedtuple("Bytes", "budget feature topology index train dynamic lookup")


class Plan:
    """A plan directory, opened and checked (checksums, ranges, budgets).

    path: the directory. threads: 0 for all processors. check=False opens in milliseconds, without reading the arrays. memory_limit: bytes that the
    checks may allocate. Raises Error when the plan is damaged. Threads may share an object.
    """

    def __init__(self, path, threads=0, check=True, memory_limit=0):
        options = _COptions(ctypes.sizeof(_COptions), threads, 0 if check else 3, 0, memory_limit)
        self._handle = _Handle(path, options)
        p = self._p
        #: The server's numbers of the plan's GPUs. Memory m of a table is GPU plan.gpus[m].
        self.gpus = [_lib.hotset_gpu_id(p, g) for g in range(_lib.hotset_gpus(p))]
        self._position = {gpu: g for g, gpu in enumerate(self.gpus)}
        self.vertices, self.edges = _lib.hotset_vertices(p), _lib.hotset_edges(p)
        self.feature_dim, self.row_bytes = _lib.hotset_feature_dim(p), _lib.hotset_row_bytes(p)
        texts = [_lib.hotset_text(p, k).decode(errors="replace") for k in range(8)]
        self.policy, self.server, self.graph, self.fingerprint, self.sampler, self.topology_access, self.dynamic_cache, self.order = texts
        #: Training vertices per mini-batch and GPU.
        self.batch = _lib.hotset_batch(p)

    @property
    def _p(self):
        return self._handle.at

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


def _program():
    """$HOTSET, else the program beside the library's prefix or in the build folder of a checkout, else the one on PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, "..", "..", "bin", "hotset"), os.path.join(here, "..", "..", "build", "hotset")):
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return os.environ.get("HOTSET", path)
    return os.environ.get("HOTSET", "hotset")


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


class Lookup:
    """A table that says where the row of a vertex lies. It needs neither the plan nor the library.

    entries: int32 (int64 for very long lists), memory << slot_bits | slot; -1 for rows that the host serves. memory is a position in plan.gpus.
    layout "dense": entries[v] for every vertex; on a GPU  e = entries[ids]; slot = e & slot_mask; memory = e >> slot_bits  (-1 stays -1).
    layout "ranked": bit v % 64 of words["bits"][v // 64] says whether v is in reach; its entry is number words["before"][v // 64] + lower set bits.
    block: the whole table as bytes, for a copy on a GPU and kernels that include hotset.h (hotset_find).
    """

    def __init__(self, block):
        head = _CLookup.from_buffer_copy(block[:64].tobytes())
        self.block = block[:head.bytes]
        self.layout = {1: "dense", 2: "ranked"}[head.layout]
        self.vertices, self.rows, self.slot_bits, self.slot_mask = head.vertices, head.rows, head.slot_bits, (1 << head.slot_bits) - 1
        count = head.vertices if head.layout == 1 else head.rows
        self.entries = self.block[head.entries_at:][:count * head.entry_bytes].view("<i%d" % head.entry_bytes)
        self.words = self.block[head.words_at:][:(head.vertices // 64 + 1) * 16].view(_WORD) if head.layout == 2 else None

    def entry(self, ids):
        """The entries of these vertices (any integer array), -1 for the host."""
        ids = np.asarray(ids)
        if ids.size and (ids.min() < 0 or ids.max() >= self.vertices):
            raise IndexError("vertex ids must lie in 0..%d" % (self.vertices - 1))
        if self.layout == "dense":
            return self.entries[ids]
        ids = ids.astype(np.uint64)
        word, bit = self.words[ids >> np.uint64(6)], np.uint64(1) << (ids & np.uint64(63))
        held = (word["bits"] & bit) != 0
        at = word["before"] + _count_bits(word["bits"] & (bit - np.uint64(1)))
        out = np.full(ids.shape, -1, self.entries.dtype)
        out[held] = self.entries[at[held]]
        return out

    def find(self, ids):
        """(memory, slot) of these vertices. memory: a position in plan.gpus; -1 for the host, and then slot has no meaning (slot_mask)."""
        entry = self.entry(ids)
        return entry >> self.slot_bits, entry & self.slot_mask


def _count_bits(x):
    """The number of set bits of every uint64."""
    if hasattr(np, "bitwise_count"):
        return np.bitwise_count(x).astype(np.int64)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((x * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.int64)


# ---- gathering rows

def _rows_of(x, what):
    """(address, rows, bytes of a row) of rows that lie one behind the other: a NumPy array, a buffer, or a torch tensor in CPU memory."""
    if hasattr(x, "data_ptr"):
        if x.device.type != "cpu":
            raise Error(2, "%s lies on %s; this gathers in CPU memory (hotset_cuda.h gathers on GPUs)" % (what, x.device))
        address, shape, item, packed = x.data_ptr(), x.shape, x.element_size(), x.is_contiguous()
    else:
        x = _array_of(x, what)
        if x.dtype.hasobject:
            raise Error(2, "%s holds Python objects; expected numbers" % what)
        address, shape, item, packed = x.__array_interface__["data"][0], x.shape, x.itemsize, x.flags.c_contiguous
    if not len(shape) or not packed:
        raise Error(2, "%s must be rows that lie one behind the other (C-contiguous), its shape is %s" % (what, tuple(shape)))
    for length in shape[1:]:
        item *= length
    return address, shape[0], item


def _array_of(x, what):
    """A NumPy array over the same memory; what NumPy would have to copy is refused."""
    if isinstance(x, np.ndarray):
        return x
    try:
        return np.asarray(memoryview(x))
    except TypeError:
        raise Error(2, "%s is a %s; expected a NumPy array, a buffer, or a torch tensor" % (what, type(x).__name__)) from None


def _ids_of(ids):
    """(address, how many, bytes each, object to keep alive) of vertex ids. Copied only if they have 1 or 2 bytes, are not contiguous, or are big-endian."""
    if hasattr(ids, "data_ptr"):
        width = ids.element_size()
        if ids.device.type != "cpu" or ids.dim() != 1 or ids.is_floating_point() or ids.is_complex() or width not in (4, 8):
            raise Error(2, "ids must be one row of 32-bit or 64-bit integers in CPU memory")
        ids = ids.contiguous()
        return ids.data_ptr(), ids.shape[0], width, ids
    if not (type(ids) is np.ndarray and ids.flags.c_contiguous):
        ids = np.ascontiguousarray(ids)
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise Error(2, "ids must be one row of integers, not %s of shape %s" % (ids.dtype, ids.shape))
    if ids.itemsize < 4 or ids.dtype.kind not in "iu" or not ids.dtype.isnative:
        ids = ids.astype(np.int64)
    return ids.__array_interface__["data"][0], ids.shape[0], ids.itemsize, ids


def _empty_like(host, count):
    if hasattr(host, "new_empty"):
        return host.new_empty((count, *host.shape[1:]))
    host = _array_of(host, "host")
    return np.empty((count, *host.shape[1:]), host.dtype)


def _run(request):
    error = _CError()
    code = _lib.hotset_gather(ctypes.addressof(request), ctypes.addressof(error))
    if code == 3:
        raise IndexError(error.text.decode(errors="replace"))
    _check(code, error)


def fill(plan, host, gpus=None, threads=0):
    """{gpu: its cached rows in slot order}, copied from host (all rows): what every GPU of the plan, or those named, holds. Of host's kind."""
    address, rows, row_bytes = _rows_of(host, "host")
    memory = {}
    for gpu in plan.gpus if gpus is None else gpus:
        at, count, width, ids = _ids_of(plan.feature_ids(gpu))
        memory[gpu] = _empty_like(host, count)
        _run(_CGather(ctypes.sizeof(_CGather), threads, None, at, count, width, 0, None, _CRows(address, rows), row_bytes, _rows_of(memory[gpu], "memory")[0],
                      None))
    return memory


class PlannedRows:
    """Feature rows where a plan puts them, as GPU `reader` reads them; in CPU memory, which may stand in for the GPUs'.

    host: the rows of all vertices, [vertices, ..]: a NumPy array (mapped from a file, too), anything with the buffer protocol, or a torch tensor in CPU
    memory. It is not copied. memory: {gpu: rows in slot order} for the reader and its peers, as fill(plan, host) gives them; it is filled when left out, so
    readers of one process should share one. layout: of the table, as Plan.lookup. threads: at most so many per call; 0 for all.

    counts: {"own": rows, "peer": rows, "host": rows} served so far; served: {gpu: rows}. Threads may share an object.
    """

    def __init__(self, plan, reader, host, memory=None, layout="smallest", threads=0):
        self.plan, self.reader, self.host = plan, reader, host
        near = [reader, *plan.peers(reader)]
        self.memory = fill(plan, host, near, threads) if memory is None else memory
        self.table = plan.lookup(reader, layout=layout, threads=threads)
        address, rows, self.row_bytes = _rows_of(host, "host")
        self._list = (_CRows * len(plan.gpus))()
        for gpu in near:
            base, held, row_bytes = _rows_of(self.memory[gpu], "the memory of GPU %d" % gpu)
            if held and row_bytes != self.row_bytes:
                raise Error(2, "rows of GPU %d have %d bytes, those of the host %d" % (gpu, row_bytes, self.row_bytes))
            self._list[plan.gpus.index(gpu)] = _CRows(base, held)
        self._counts = np.zeros(len(plan.gpus) + 2, np.uint64)
        self._request = _CGather(ctypes.sizeof(_CGather), threads, self.table.block.ctypes.data, None, 0, 8, len(plan.gpus), ctypes.addressof(self._list),
                                 _CRows(address, rows), self.row_bytes, None, self._counts.ctypes.data)
        self._lock = threading.Lock()

    def gather(self, ids, out=None):
        """The rows of these vertices, [len(ids), ..]: in `out` where it is given (as large, writable), else in a new array or tensor of host's kind.

        ids: any integers. Other threads run meanwhile. IndexError: some ids are beyond the graph; their rows are zeros then.
        """
        at, count, width, ids = _ids_of(ids)
        if out is None:
            out = _empty_like(self.host, count)
        elif not hasattr(out, "data_ptr") and not _array_of(out, "out").flags.writeable:
            raise Error(2, "out is read-only; give an array that can be written")
        to, rows, row_bytes = _rows_of(out, "out")
        if rows != count or (rows and row_bytes != self.row_bytes):
            raise Error(2, "out has %d rows of %d bytes, expected %d of %d" % (rows, row_bytes, count, self.row_bytes))
        if self._lock.acquire(False):
            try:
                self._gather(self._request, at, count, width, to)
            finally:
                self._lock.release()
        else:  # another thread gathers: a request and counts of its own
            request, counts = _CGather.from_buffer_copy(self._request), np.zeros_like(self._counts)
            request.counts = counts.ctypes.data
            try:
                self._gather(request, at, count, width, to)
            finally:
                with self._lock:
                    self._counts += counts
        return out

    @staticmethod
    def _gather(request, at, count, width, to):
        request.ids, request.count, request.id_bytes, request.out = at, count, width, to
        _run(request)

    @property
    def served(self):
        """{gpu: rows that it served}, and None: those of the host."""
        return dict(zip([*self.plan.gpus, None], self._counts.tolist()))

    @property
    def counts(self):
        """Rows by place: own memory, peers, host."""
        all_, own = self.served, self.served[self.reader]
        return {"own": own, "peer": sum(all_[gpu] for gpu in self.plan.gpus) - own, "host": all_[None]}


# ---- mini-batches

#: One hop. expanded: vertices whose neighbours were drawn, one entry per visit. rows, columns: per draw, the places in Batch.vertices of the vertex that
#: drew and of the neighbour; edges: its position in indices.npy. found: vertices[:found] were found up to the end of this hop.
Hop = collections.namedtuple("Hop", "expanded rows columns edges found")
#: One mini-batch. seeds: training vertices, or [edges, 2]: row and neighbour. vertices: distinct, in the order of discovery; vertices[:seed_vertices] are
#: the seeds'. hops: a list of Hop. Ids and places are int32 views of the files (uint32 for graphs of more than 2^31 vertices), edges int64.
Batch = collections.namedtuple("Batch", "gpu epoch number seeds vertices seed_vertices hops")


class _BatchesHandle:
    def __init__(self, path):
        at, error = ctypes.c_void_p(), _CError()
        _check(_lib.hotset_batches_open(os.fsencode(path), ctypes.byref(at), ctypes.byref(error)), error)
        self.at = at
        self._end = weakref.finalize(self, _lib.hotset_batches_close, at)


class Batches:
    """Mini-batches that `hotset simulate P --export-batches DIR` wrote: those that the plan was judged on.

    Gathering them must serve as many rows, and visits of `expanded`, from each place as simulated.gpus[] counts. gpus: the server's numbers, of all GPUs or
    of the one that was written. epochs, hops, seed, sampler, edge_seeds, vertices, edges, fingerprint: as batches.json has them. Arrays are views of the
    files, which stay open as long as one of them lives. Raises Error with a sentence for files that are damaged.
    """

    def __init__(self, path):
        self._handle = _BatchesHandle(path)
        about, error = _CFacts(struct_bytes=ctypes.sizeof(_CFacts)), _CError()
        _check(_lib.hotset_batches_about(self._handle.at, ctypes.byref(about), ctypes.byref(error)), error)
        self.gpus = [_lib.hotset_batches_gpu_id(self._handle.at, g) for g in range(about.gpus)]
        self.epochs, self.hops, self.seed, self.edge_seeds = about.epochs, about.hops, about.seed, bool(about.edge_seeds)
        self.vertices, self.edges = about.vertices, about.edges
        self.fingerprint, self.sampler = about.fingerprint.decode(errors="replace"), about.sampler.decode(errors="replace")
        self._kind = "<i4" if self.vertices <= 1 << 31 else "<u4"

    def _at(self, gpu):
        if gpu not in self.gpus:
            raise KeyError("GPU %r is not among these mini-batches, which are of %s" % (gpu, self.gpus))
        return self.gpus.index(gpu)

    def per_epoch(self, gpu):
        """Mini-batches of this GPU in an epoch."""
        return _lib.hotset_batches_per_epoch(self._handle.at, self._at(gpu))

    def _view(self, address, count, kind=None):
        kind = kind or self._kind
        return np.asarray(_View(self._handle, address, count, kind)) if count else np.empty(0, kind)

    def read(self, gpu, at):
        """Mini-batch number `at` of this GPU, 0..epochs * per_epoch(gpu) - 1, epoch after epoch: a Batch."""
        b, error = _CBatch(struct_bytes=ctypes.sizeof(_CBatch)), _CError()
        _check(_lib.hotset_batches_read(self._handle.at, self._at(gpu), at, ctypes.byref(b), ctypes.byref(error)), error)
        view, seeds = self._view, self._view(b.seeds, b.seed_count)
        hops = [Hop(view(h.expanded, h.visits), view(h.rows, h.draws), view(h.columns, h.draws), view(h.edges, h.draws, "<i8"), h.found) for h in b.hop[:b.hops]]
        return Batch(gpu, b.epoch, b.number, seeds.reshape(-1, 2) if self.edge_seeds else seeds, view(b.vertices, b.count), b.seed_vertices, hops)

    def of(self, gpu, epoch=None):
        """Iterates over the mini-batches of this GPU: of all epochs, or of one."""
        each = self.per_epoch(gpu)
        for at in range(each * self.epochs) if epoch is None else range(each * epoch, each * (epoch + 1)):
            yield self.read(gpu, at)

    def check(self, plan):
        """Raises Error unless the mini-batches were drawn from the graph that the plan was made for."""
        if (plan.vertices, plan.edges, plan.fingerprint) != (self.vertices, self.edges, self.fingerprint):
            raise Error(3, "the mini-batches were drawn from another graph than the plan was made for; export them with hotset simulate of this plan")
