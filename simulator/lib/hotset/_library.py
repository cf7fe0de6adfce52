"""_library.py - finds libhotset, binds its functions, and holds what every module needs: errors, structures, views of its memory."""
import ctypes
import os
import weakref
from typing import Any, List, Tuple, Union

import numpy as np

_MAJOR = 2
Path = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """A call of libhotset or a run of the program failed; raised as one of the classes below, by what happened.

    str(e) is the sentence: where, what was found, what was expected. e.hint: what to do, where the sentence says it behind a semicolon. e.code: 1 the answer
    is no, 2 wrong usage (UsageError), 3 bad input (InputError), 4 missing device or library (MissingError), 5 out of memory, disk or a limit (LimitError), 70
    a fault of hotset.
    """

    def __new__(cls, code: int, text: str) -> "Error":
        """The class that the code names."""
        kinds = {2: UsageError, 3: InputError, 4: MissingError, 5: LimitError}
        return super().__new__(kinds.get(code, cls) if cls is Error else cls, code, text)

    def __init__(self, code: int, text: str):
        super().__init__(text)
        self.code = code

    def __reduce__(self) -> Any:
        return type(self), (self.code, str(self))  # another process gets both

    @property
    def hint(self) -> str:
        """What to do, the last part of the sentence; "" where it has none."""
        return str(self).rpartition("; ")[2] if "; " in str(self) else ""


class UsageError(Error, ValueError):
    """A wrong argument or option, or some that exclude each other."""


class InputError(Error):
    """A file, plan or graph is missing, damaged, or not what it should be."""


class MissingError(Error):
    """A device, driver, library or program is not there."""


class LimitError(Error):
    """Out of memory, disk or time, or beyond a limit that was set."""


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


class _CObservation(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("gpu", ctypes.c_int32), ("epoch", ctypes.c_uint64), ("batches", ctypes.c_uint64),
                ("own", ctypes.c_uint64), ("peer", ctypes.c_uint64), ("host", ctypes.c_uint64), ("row_bytes", ctypes.c_uint64),
                ("stage", ctypes.POINTER(ctypes.c_char_p)), ("seconds", ctypes.POINTER(ctypes.c_double)), ("stages", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


class _CTable(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_uint32), ("kind", ctypes.c_int32), ("exact", ctypes.c_int32), ("train", ctypes.c_int32),
                ("type", ctypes.c_char_p), ("source", ctypes.c_char_p), ("relation", ctypes.c_char_p), ("element", ctypes.c_char_p), ("rows", ctypes.c_uint64)]


_WORD = np.dtype([("bits", "<u8"), ("before", "<u4"), ("reserved", "<u4")])


_HERE = os.path.dirname(os.path.abspath(__file__))


def _candidates() -> List[str]:
    name = "libhotset.so.%d" % _MAJOR
    if os.environ.get("HOTSET_LIBRARY"):
        return [os.environ["HOTSET_LIBRARY"]]
    above = os.path.join(_HERE, "..", "..", "..")  # the prefix of an installation (share/hotset/hotset), or a checkout (simulator/lib/hotset)
    places = [os.path.join(_HERE, name), os.path.join(_HERE, "..", name)] + [os.path.join(above, *f, name) for f in (["lib"], ["lib64"], ["build", "lib"])]
    return [p for p in places if os.path.exists(p)] + [name]


def _bind(lib: ctypes.CDLL) -> ctypes.CDLL:
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
        "cached_row_bytes": (u64, [pointer]),
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
        "find_rows": (i, [pointer, pointer, ctypes.c_uint32, u64, i, pointer, pointer, of(_CError)]),
        "observe_table": (i, [ctypes.c_char_p, ctypes.c_char_p, of(_CObservation), of(_CError)]),
        "batches_open": (i, [ctypes.c_char_p, of(pointer), of(_CError)]),
        "batches_close": (None, [pointer]),
        "batches_about": (i, [pointer, of(_CFacts), of(_CError)]),
        "batches_gpu_id": (i, [pointer, i]),
        "batches_per_epoch": (u64, [pointer, i]),
        "count_visits": (i, [pointer, of(_CBatch), pointer, of(_CError)]),
        "tables": (i, [pointer]),
        "table_about": (i, [pointer, i, of(_CTable), of(_CError)]),
        "find_table": (i, [pointer, i, ctypes.c_char_p, i]),
        "table_rows": (pointer, [pointer, i]),
        "batches_read": (i, [pointer, i, u64, of(_CBatch), of(_CError)]),
    }
    for name, (result, arguments) in table.items():
        function = getattr(lib, "hotset_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


def _load() -> ctypes.CDLL:
    said = []
    for path in _candidates():
        try:
            lib = _bind(ctypes.CDLL(path))
        except (OSError, AttributeError) as e:
            said.append(str(e))
            continue
        if lib.hotset_library_version() // 10000 == _MAJOR:
            return lib
        said.append("%s is of version %d.x, this package needs %d.x" % (path, lib.hotset_library_version() // 10000, _MAJOR))
    raise ImportError("libhotset was not found (%s); set HOTSET_LIBRARY to the path of libhotset.so.%d, or run make install" % ("; ".join(said), _MAJOR))


_lib = _load()


def library_version() -> Tuple[int, int, int]:
    """(major, minor, patch) of the library that was loaded."""
    v = _lib.hotset_library_version()
    return v // 10000, v // 100 % 100, v % 100


def _check(code: int, error: _CError) -> None:
    if code:
        raise Error(code, error.text.decode(errors="replace"))


class _Handle:
    """An open plan of the library. Views keep it alive; it is closed with the last of them."""

    def __init__(self, path: Path, options: _COptions):
        at, error = ctypes.c_void_p(), _CError()
        _check(_lib.hotset_open(os.fsencode(path), ctypes.byref(options), ctypes.byref(at), ctypes.byref(error)), error)
        self.at = at
        self._end = weakref.finalize(self, _lib.hotset_close, at)


class _View:
    """Gives NumPy an array over the library's memory. The array keeps this object, and so the plan, alive."""

    def __init__(self, handle: Any, address: Any, count: int, kind: str):
        self.handle = handle
        self.__array_interface__ = {"version": 3, "shape": (count,), "typestr": kind, "data": (address, True)}


def _program() -> str:
    """The program hotset: $HOTSET, else the one inside this package, below its prefix, or in the build folder of a checkout, else the one on PATH."""
    above = os.path.join(_HERE, "..", "..", "..")
    for path in (os.path.join(_HERE, "hotset-bin"), os.path.join(above, "bin", "hotset"), os.path.join(above, "build", "hotset")):
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return os.environ.get("HOTSET", path)
    return os.environ.get("HOTSET", "hotset")
