"""keys.py - every key of a document is deleted, made another kind, negative, huge, or another value; its readers must agree on what is left.

Keys are those of the documents themselves, so a new one is in it. Of lists the first and the last element are changed. A plan's checksum is
taken out first, so that the change is what is found.
"""
import copy
import ctypes
import json
import os
import re


def load(path):
    d = json.load(open(path))
    d.pop("checksum", None)
    return d


def save(d, path):
    with open(path, "w") as f:
        json.dump(d, f)


def paths(d, at=()):
    """Every path of keys and positions below d."""
    if isinstance(d, dict):
        inside = list(d.items())
    elif isinstance(d, list):
        inside = [(i, d[i]) for i in sorted({0, len(d) - 1}) if d]
    else:
        return
    for key, value in inside:
        yield at + (key,)
        yield from paths(value, at + (key,))


def others(v):
    """Values that are not v: other kinds, out of range, or plausible."""
    yield "another kind", {bool: "x", int: "x", float: "x", str: 7, list: {}, dict: 0.5}.get(type(v), [7])
    if isinstance(v, bool):
        yield "the opposite", not v
    elif isinstance(v, (int, float)):
        yield "negative", -5
        yield "huge", 1 << 62
        yield "one more", v + 1
        yield "a share", 0.25
    elif isinstance(v, str):
        yield "empty", ""
        yield "another text", v + "x"
    elif isinstance(v, list):
        yield "empty", []
        yield "one more", v + v[:1] if v else [0]
    elif isinstance(v, dict):
        yield "empty", {}
    yield "null", None


def changes(d):
    """(path as text, what, changed document)."""
    for path in list(paths(d)):
        def changed(value=None, delete=False, path=path):
            new = copy.deepcopy(d)
            at = new
            for key in path[:-1]:
                at = at[key]
            if delete:
                del at[path[-1]]
            else:
                at[path[-1]] = value
            return new

        at, name = d, ".".join(map(str, path))
        for key in path:
            at = at[key]
        yield name, "deleted", changed(delete=True)
        for what, value in others(at):
            if value != at or type(value) is not type(at):
                yield name, what, changed(value)


class Library:
    """hotset_open and hotset_check_graph of libhotset: None, or the sentence."""

    class Error(ctypes.Structure):
        _fields_ = [("code", ctypes.c_int32), ("text", ctypes.c_char * 1200)]

    class Graph(ctypes.Structure):
        _fields_ = [("struct_bytes", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("vertices", ctypes.c_uint64), ("edges", ctypes.c_uint64),
                    ("fingerprint", ctypes.c_char_p), ("indptr", ctypes.c_void_p)]

    def __init__(self, path):
        self.so = ctypes.CDLL(path)
        self.so.hotset_close.argtypes = [ctypes.c_void_p]
        self.so.hotset_check_graph.argtypes = [ctypes.c_void_p] * 3

    def refuses(self, folder, graph):
        plan, error = ctypes.c_void_p(), self.Error()
        of = json.load(open(os.path.join(graph, "graph.json")))
        if self.so.hotset_open(folder.encode(), None, ctypes.byref(plan), ctypes.byref(error)):
            return error.text.decode()
        g = self.Graph(ctypes.sizeof(self.Graph), 0, of["vertices"], of["edges"], of["fingerprint"].encode(), None)
        code = self.so.hotset_check_graph(plan, ctypes.byref(g), ctypes.byref(error))
        self.so.hotset_close(plan)
        return error.text.decode() if code else None


# What libhotset cannot know: it has no graph, no list of caches, and does not read memories, servers and fan-outs of relations.
BEYOND_LIBRARY = re.compile(r"graph\b|server\.document|memories|dynamic\.cache|workload\.fanout|files\.\d+|.*\.bytes$")


def documents(i):
    """(folder, document, commands that read it, its graph when it is a plan: then all take `copy`, or none)."""
    simulate = "simulate copy --graph %s%s --epochs 1 --threads 1 --quiet"
    plan = "plan --graph %sG --server %ssolo.json --trace %s --policy legion --budget 60B --simulate-epochs 0 --threads 1 --quiet -o none"
    for folder, graph in (("P", "G"), ("PD", "G"), ("PM", "G"), ("HP", "H")):
        yield folder, "plan.json", ["verify copy --graph %s%s --threads 1 --quiet" % (i, graph), simulate % (i, graph)], graph
    yield "T", "trace.json", [plan % (i, i, "copy")], None
    yield "G", "graph.json", ["graph info copy --quiet", (plan % (i, i, i + "T")).replace(i + "G", "copy"), "simulate %sP --graph copy --epochs 1 --threads 1 --quiet" % i,
                              "verify %sP --graph copy --threads 1 --quiet" % i], None


def disagreement(name, codes, library):
    """What is wrong with the answers to a changed plan, or None. library: the sentence of libhotset, or None."""
    verify, simulate = (code == 0 for code in codes)
    if verify and not simulate:
        return "verify takes what simulate refuses"
    if simulate and not verify and not name.startswith("graph."):
        return "verify refuses what simulate takes"
    if library and simulate and not name.startswith("graph."):
        return "libhotset refuses what simulate takes: " + library
    if not library and not simulate and not BEYOND_LIBRARY.match(name):
        return "libhotset takes what simulate refuses"
    return None
