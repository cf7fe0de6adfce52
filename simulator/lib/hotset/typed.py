"""typed.py - graphs with several node types and relations: graph directories (schema graph/2) from PyG's HeteroData or a dict and back, and plans of
them (schema plan/2). It needs NumPy only.

    from hotset.typed import save_graph, load_graph, TypedPlan
    save_graph("G", data)                    # a HeteroData: x, num_nodes, edge_index, edge_attr, train_mask
    plan = TypedPlan("P")                    # of `hotset plan --graph G ..`
    rows = plan.feature_ids(0, "paper")      # papers whose features GPU 0 caches, hottest first: row k of its cache is slot k
    memory, slot = plan.find_features(0, "paper", batch_papers)   # where GPU 0 reads them: position in plan.gpus, -1 for the host
    for batch in TypedBatches("B").of(0): ..         # the mini-batches of `hotset simulate P --export-batches B`

A dict has the same parts: {"types": {name: {"count": n, "feature_dim": d, "feature_type": "f32", "train": ids}}, "relations": {(source, name, target):
{"edge_index": (sources, targets), "feature_dim": d, "feature_type": "f32"}}}; all but edge_index may be left out, a count that is missing is the
largest id + 1.
"""
import hashlib
import json
import os
import shutil
import tempfile

import numpy as np

from ._library import Error
from .typed_batches import TypedBatches

__all__ = ["save_graph", "load_graph", "TypedPlan", "TypedBatches"]

_ELEMENTS = {"float64": "f64", "int64": "i64", "float32": "f32", "int32": "i32", "float16": "f16", "bfloat16": "bf16", "int16": "i16",
             "float8_e4m3fn": "f8", "float8_e5m2": "f8", "int8": "i8", "uint8": "u8", "bool": "u8"}


def _element(x):
    name = str(x.dtype).split(".")[-1]
    if name not in _ELEMENTS:
        raise Error(2, "features of type %s cannot be described" % name)
    return _ELEMENTS[name]


def _numpy(x):
    return x.detach().cpu().numpy() if hasattr(x, "detach") else np.asarray(x)


def _rows(x):
    """feature_dim and feature_type of a tensor of rows."""
    width = 1
    for length in x.shape[1:]:
        width *= int(length)
    return {"feature_dim": width, "feature_type": _element(x)}


def _parts_of(data):
    """The dict of a HeteroData."""
    types, relations = {}, {}
    for name in data.node_types:
        store, t = data[name], {}
        x = store["x"] if "x" in store else None
        if x is not None:
            t.update(_rows(x))
        if store.num_nodes is not None:
            t["count"] = int(store.num_nodes)
        if "train_mask" in store:
            t["train"] = np.flatnonzero(_numpy(store["train_mask"]))
        types[name] = t
    for triple in data.edge_types:
        store = data[triple]
        r = {"edge_index": _numpy(store["edge_index"])}
        if "edge_attr" in store and store["edge_attr"] is not None:
            r.update(_rows(store["edge_attr"]))
        if "edge_weight" in store and store["edge_weight"] is not None:
            r["weights"] = _numpy(store["edge_weight"])
        relations[tuple(triple)] = r
    return {"types": types, "relations": relations}


def _rows_of_relation(edge_index, sources, targets, keep, weights):
    """indptr, indices and the number of each entry's edge: rows of the targets, sorted; duplicates stay if the edges have features, else the one of least
    weight does."""
    s, t = (_numpy(x).astype(np.int64).reshape(-1) for x in edge_index)
    if s.shape != t.shape or (s.size and (s.min() < 0 or t.min() < 0 or s.max() >= sources or t.max() >= targets)):
        raise Error(2, "edge_index must be two rows of equal length with ids of the source and the target type")
    if weights is not None and np.shape(weights) != s.shape:
        raise Error(2, "weights must be one number per edge")
    order = np.lexsort((s, t) if keep or weights is None else (weights, s, t))
    s, t = s[order], t[order]
    if not keep and s.size:
        fresh = np.ones(s.size, bool)
        fresh[1:] = (s[1:] != s[:-1]) | (t[1:] != t[:-1])
        s, t, order = s[fresh], t[fresh], order[fresh]
    indptr = np.zeros(targets + 1, np.int64)
    np.cumsum(np.bincount(t, minlength=targets), out=indptr[1:])
    return indptr, s.astype(np.uint32), order.astype(np.uint32)


def save_graph(path, data, name=None):
    """Writes the graph directory `path` from a HeteroData or a dict. An older graph directory there is replaced."""
    parts = data if isinstance(data, dict) else _parts_of(data)
    counts = {t: int(x.get("count", 0)) for t, x in parts["types"].items()}
    for (s, _, t), r in parts["relations"].items():
        for end, ids in zip((s, t), r["edge_index"]):
            if end not in counts:
                raise Error(2, "relation %s: '%s' is none of the types" % ((s, _, t), end))
            if not parts["types"][end].get("count") and len(ids):
                counts[end] = max(counts[end], int(_numpy(ids).max()) + 1)
    if os.path.lexists(path) and not os.path.exists(os.path.join(path, "graph.json")):
        raise Error(3, "%s exists and is no graph directory" % path)
    made = tempfile.mkdtemp(prefix=".graph-", dir=os.path.dirname(os.path.abspath(path)))
    try:
        types, relations, edges = [], [], 0
        for i, (t, x) in enumerate(parts["types"].items()):
            train = _numpy(x.get("train", [])).astype(np.uint32)
            if train.size:
                np.save(os.path.join(made, "type%d_train.npy" % i), train)
            types.append({"name": t, "count": counts[t], "feature_dim": x.get("feature_dim"), "feature_type": x.get("feature_type"),
                          "train_vertices": int(train.size)})
        for i, ((s, n, t), r) in enumerate(parts["relations"].items()):
            keep = bool(r.get("feature_dim"))
            weights = None if r.get("weights") is None else _numpy(r["weights"]).astype(np.float32)
            indptr, indices, number = _rows_of_relation(r["edge_index"], counts[s], counts[t], keep, weights)
            np.save(os.path.join(made, "relation%d_indptr.npy" % i), indptr)
            np.save(os.path.join(made, "relation%d_indices.npy" % i), indices)
            if keep:
                np.save(os.path.join(made, "relation%d_edge_ids.npy" % i), number)
            if weights is not None:
                np.save(os.path.join(made, "relation%d_weights.npy" % i), weights[number])
            relations.append({"source": s, "name": n, "target": t, "edges": int(indices.size), "feature_dim": r.get("feature_dim"),
                              "feature_type": r.get("feature_type")})
            edges += int(indices.size)
        document = {"schema": "graph/2", "name": name or os.path.basename(os.path.abspath(path)), "vertices": sum(counts.values()), "edges": edges,
                    "types": types, "relations": relations, "train_vertices": sum(t["train_vertices"] for t in types), "sample": "in",
                    "origin": "hotset.typed.save_graph"}
        with open(os.path.join(made, "graph.json"), "w") as f:
            json.dump(document, f, indent=1)
            f.write("\n")
        if os.path.isdir(path):
            shutil.rmtree(path)
        os.rename(made, path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _document(path, file, schema):
    with open(os.path.join(path, file)) as f:
        d = json.load(f)
    if d.get("schema") != schema:
        raise Error(3, "%s/%s: schema is %r, expected %r" % (path, file, d.get("schema"), schema))
    return d


def load_graph(path):
    """The dict of a graph directory: what save_graph takes. edge_index is sorted by target, then source."""
    d = _document(path, "graph.json", "graph/2")
    out = {"types": {}, "relations": {}}
    for i, t in enumerate(d["types"]):
        x = {"count": t["count"]}
        if t.get("feature_dim"):
            x.update(feature_dim=t["feature_dim"], feature_type=t["feature_type"])
        if t.get("train_vertices"):
            x["train"] = np.load(os.path.join(path, "type%d_train.npy" % i))
        out["types"][t["name"]] = x
    for i, r in enumerate(d["relations"]):
        indptr = np.load(os.path.join(path, "relation%d_indptr.npy" % i), mmap_mode="r")
        indices = np.load(os.path.join(path, "relation%d_indices.npy" % i), mmap_mode="r")
        x = {"edge_index": (np.asarray(indices, np.int64), np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)))}
        if r.get("feature_dim"):
            x.update(feature_dim=r["feature_dim"], feature_type=r["feature_type"])
            x["edge_ids"] = np.load(os.path.join(path, "relation%d_edge_ids.npy" % i))
        if os.path.exists(os.path.join(path, "relation%d_weights.npy" % i)):
            x["weights"] = np.load(os.path.join(path, "relation%d_weights.npy" % i))
        out["relations"][r["source"], r["name"], r["target"]] = x
    return out


class TypedPlan:
    """A plan directory of schema plan/2; checksums are compared on opening. `hotset verify P` makes the other checks."""

    def __init__(self, path):
        self.path = path
        self.document = d = _document(path, "plan.json", "plan/2")
        for f in d["files"]:
            h = hashlib.sha256()
            with open(os.path.join(path, os.path.basename(f["name"])), "rb") as data:
                for piece in iter(lambda: data.read(1 << 20), b""):
                    h.update(piece)
            if h.hexdigest() != f["sha256"]:
                raise Error(3, "%s/%s: its SHA-256 is not the one that plan.json states" % (path, f["name"]))
        self.policy = d["policy"]
        self.gpus = [g["id"] for g in d["gpus"]]
        self.types = [t["name"] for t in d["graph"]["types"]]
        self.relations = [(r["source"], r["name"], r["target"]) for r in d["graph"]["relations"]]
        #: {type: element} where GPUs hold features in another element type than the host ("f16", "bf16", "f8", "i8" with a float32 scale per row).
        self.cache_types = {x["type"]: x["element"] for x in d.get("cache_types", []) if x["kind"] == "feature"}
        self._tables = {}

    def _gpu(self, gpu):
        if gpu not in self.gpus:
            raise Error(2, "GPU %s is none of the plan's: %s" % (gpu, self.gpus))
        return self.document["gpus"][self.gpus.index(gpu)]

    def _ids(self, entries, match, exact=False):
        for x in entries:
            if all(x.get(k) == v for k, v in match.items()) and bool(x.get("exact")) == exact:
                return np.load(os.path.join(self.path, os.path.basename(x["file"])), mmap_mode="r")
        return np.empty(0, np.uint32)

    def peers(self, gpu):
        """Ids of the GPUs that this one reads over NVLink, in serving order."""
        return list(self._gpu(gpu)["peers"])

    def fanout(self, relation):
        """Most neighbours drawn per vertex of a relation (source, name, target), one number per hop."""
        fanout = self.document["workload"]["fanout"]
        return list(fanout.get("%s-%s->%s" % tuple(relation)) or [0] * len(next(iter(fanout.values()))))

    def train_ids(self, gpu, type):
        """Training vertices of a type on that GPU."""
        return self._ids(self._gpu(gpu)["train"], {"type": type})

    def feature_ids(self, gpu, type):
        """Vertices of a type whose feature rows the GPU caches, in fill order. Of a plan with --error-price, those of exact_ids come last."""
        lists, match = self._gpu(gpu)["lists"], {"kind": "feature", "type": type}
        rounded, exact = self._ids(lists, match), self._ids(lists, match, exact=True)
        return np.concatenate([rounded, exact]) if len(exact) else rounded

    def exact_ids(self, gpu, type):
        """Those of feature_ids whose rows the GPU holds as the host does, although cache_types rounds the type (`plan --error-price`)."""
        return self._ids(self._gpu(gpu)["lists"], {"kind": "feature", "type": type}, exact=True)

    def topology_ids(self, gpu, relation):
        """Target vertices whose rows of a relation (source, name, target) the GPU caches, in fill order."""
        s, n, t = relation
        return self._ids(self._gpu(gpu)["lists"], {"kind": "topology", "source": s, "relation": n, "target": t})

    def edge_ids(self, gpu, relation):
        """Entries of a relation's indices whose edge feature rows the GPU caches, in fill order."""
        s, n, t = relation
        return self._ids(self._gpu(gpu)["lists"], {"kind": "edge_feature", "source": s, "relation": n, "target": t})

    def find_features(self, gpu, type, ids):
        """(memory, slot) of each id: position in plan.gpus of the GPU that serves it to this one, -1 for the host; slot in its fill order."""
        key = (gpu, type)
        if key not in self._tables:
            count = next(t["count"] for t in self.document["graph"]["types"] if t["name"] == type)
            memory, slot = np.full(count, -1, np.int16), np.zeros(count, np.int64)
            for source in reversed([gpu] + self.peers(gpu)):  # nearer sources overwrite
                held = self.feature_ids(source, type)
                memory[held] = self.gpus.index(source)
                slot[held] = np.arange(len(held))
            self._tables[key] = memory, slot
        memory, slot = self._tables[key]
        return memory[ids], slot[ids]
