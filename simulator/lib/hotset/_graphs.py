"""_graphs.py - graphs for the program: graph directories, from what Python programs hold graphs in."""
from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterable, Mapping, Optional, Tuple

import numpy as np

from . import _options
from ._keywords import takes
from ._library import Error, Path
from ._program import Option, document, run

if TYPE_CHECKING:
    from typing_extensions import Unpack

_ELEMENTS = {"float64": "f64", "int64": "i64", "float32": "f32", "int32": "i32", "float16": "f16", "bfloat16": "bf16", "int16": "i16",
             "float8_e4m3fn": "f8", "float8_e5m2": "f8", "int8": "i8", "uint8": "u8", "bool": "u8"}


class Unowned:
    """Handed to another process, what is temporary stays with the object that made it. Notebooks show what the document says of it."""

    document: Any

    def _repr_html_(self) -> str:
        facts = [(k, v) for k, v in self.document.items() if isinstance(v, (str, int, float)) and not isinstance(v, bool) and k != "schema"]
        facts += [(k, len(v)) for k, v in self.document.items() if isinstance(v, list)]
        return "<table>%s</table>" % "".join("<tr><th>%s</th><td>%s</td></tr>" % (html.escape(k.replace("_", " ")), html.escape("{:,}".format(v) if isinstance(v, int) else str(v)))
                                              for k, v in facts)

    def __getstate__(self) -> Dict[str, Any]:
        return dict(self.__dict__, _kept=None)


class Directory(Unowned):
    """A directory that the program reads or wrote. path: where it lies. One that was made without a path is temporary and goes with the object."""

    def __init__(self, path: Path, kept: Optional["tempfile.TemporaryDirectory[str]"] = None):
        self.path, self._kept = os.fspath(path), kept

    def __fspath__(self) -> str:
        return self.path

    @property
    def temporary(self) -> bool:
        """Whether it goes with the object."""
        return self._kept is not None

    def save(self, path: Path) -> None:
        """Copies the directory to `path`, where nothing may be yet."""
        shutil.copytree(self.path, path)


def place(path: Optional[Path], name: str, options: Mapping[str, Any]) -> Tuple[str, Optional["tempfile.TemporaryDirectory[str]"]]:
    """Where to write: the path given, or a new temporary folder and the object that removes it. options: what goes to the program beside it."""
    if "output" in options:
        raise Error(2, "output: this function opens what it writes; name the folder by its argument path")
    if path is not None:
        return os.fspath(path), None
    kept = tempfile.TemporaryDirectory(prefix="hotset-")
    return os.path.join(kept.name, name), kept


class Graph(Directory):
    """A graph directory. document: what `hotset graph info --json` says of it: "vertices", "edges", "bytes", "fingerprint", ..."""

    def __init__(self, path: Path, kept: Optional["tempfile.TemporaryDirectory[str]"] = None):
        super().__init__(path, kept)
        self.document: Dict[str, Any] = document("graph info", path)

    def __repr__(self) -> str:
        return "<hotset graph %s: %s vertices, %s edges>" % tuple(self.document[k] for k in ("name", "vertices", "edges"))


def wanted(graph: Any, options: Mapping[str, Any]) -> Any:
    """The graph, where it is one or options name a plan whose graph it is. TypeError: it is something else."""
    if isinstance(graph, (str, os.PathLike)) or (graph is None and options.get("like") is not None):
        return graph
    raise TypeError("a graph is wanted, and this is %s; write g = hotset.graph(data) and pass g, or the path of a graph directory" % _kind(graph))


def _kind(x: Any) -> str:
    return "None" if x is None else "a %s" % type(x).__name__


def made_on(plan: Any, path: Path, about: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raises Error unless the plan was made on these neighbour lists. The training set may be another: rows are served all the same.

    path, about, names: a graph directory, its graph.json, and the arrays of its lists. Where the fingerprints, which are over training sets too, differ, the
    arrays are compared with those of the directory that the plan names.
    """
    mine, its = (str(of.get("fingerprint") or "") for of in (about, plan.document["graph"]))
    if not mine or not its or mine == its:
        return
    where = plan.graph_folder()
    with open(os.path.join(where, "graph.json"), encoding="utf-8") as f:
        there = json.load(f)
    if str(there.get("fingerprint")) != its:
        raise Error(3, "%s: was made on another graph than the one that %s holds now; name it again" % (plan.path, where))
    for name in names:
        if not np.array_equal(*(np.load(os.path.join(of, name + ".npy"), mmap_mode="r") for of in (path, where))):
            raise Error(3, "%s: was made on %s, whose neighbour lists are not those of %s (%s.npy differs); give a plan of this graph"
                        % (plan.path, where, os.fspath(path), name))


def _one(of: Any, name: str) -> Any:
    """A list of ids, or a mask."""
    array = _numpy(of)
    if array.ndim != 1:
        raise Error(2, "%s has shape %s, and one list of ids or one mask is wanted; choose a column, as %s[:, 0]" % (name, array.shape, name))
    return array


def _set_of(store: Any, name: str) -> Any:
    """A set of vertices that PyG's data has, a mask or ids; None where it has none."""
    for attribute in (name + "_mask", name + "_idx", name.replace("val", "valid") + "_idx"):
        array = getattr(store, attribute, None)
        if array is not None:
            return _one(array, attribute).astype(bool if attribute.endswith("mask") else np.int64)
    return None


def _trained(given: bool, options: Mapping[str, Option]) -> None:
    if not given and options.get("train") is None and options.get("train_share") is None:
        raise Error(2, "the graph has no training vertices (train_mask or train_idx); write train=ids or a mask, or train_share=0.1 for a random tenth")


def _numpy(x: Any) -> "np.ndarray[Any, Any]":
    return x.detach().cpu().numpy() if hasattr(x, "detach") else np.asarray(x)


def _rows(x: Any) -> Dict[str, Any]:
    """feature_dim and feature_type of a tensor of rows."""
    name = str(x.dtype).split(".")[-1]
    if name not in _ELEMENTS:
        raise Error(2, "features of type %s cannot be described" % name)
    return {"feature_dim": int(np.prod([int(length) for length in x.shape[1:]])), "feature_type": _ELEMENTS[name]}


def _parts_of(data: Any) -> Dict[str, Any]:
    """The dict of a HeteroData."""
    types: Dict[str, Any] = {}
    relations: Dict[Tuple[str, str, str], Any] = {}
    for name in data.node_types:
        store = data[name]
        types[name] = _rows(store["x"]) if "x" in store and store["x"] is not None else {}
        if store.num_nodes is not None:
            types[name]["count"] = int(store.num_nodes)
        train = _set_of(store, "train")
        if train is not None:
            types[name]["train"] = train
    for triple in data.edge_types:
        store = data[triple]
        relations[tuple(triple)] = {"edge_index": store["edge_index"]}
        if "edge_attr" in store and store["edge_attr"] is not None:
            relations[tuple(triple)].update(_rows(store["edge_attr"]))
        elif "edge_weight" in store and store["edge_weight"] is not None:
            relations[tuple(triple)]["weights"] = store["edge_weight"]
    return {"types": types, "relations": relations}


def _write_hetero(folder: str, parts: Dict[str, Any], options: Mapping[str, Option]) -> str:
    """hetero.json and its arrays, as `hotset graph import` reads them."""
    def file(name: str, array: Any) -> str:
        np.save(os.path.join(folder, name), array)
        return name

    types, relations = [], []
    for i, (name, of) in enumerate(parts["types"].items()):
        of = dict(of, name=name)
        train = _one(of.pop("train", ()), "train")
        if train.dtype == bool:
            if len(train) != of.get("count", len(train)):
                raise Error(2, "train of %s is a mask of %d entries, and there are %d of them" % (name, len(train), of["count"]))
            train = np.flatnonzero(train)
        if len(train):
            of["train"] = file("train%d.npy" % i, train.astype(np.int64))
        types.append(of)
    for i, ((source, name, target), of) in enumerate(parts["relations"].items()):
        pair = np.stack([_numpy(ids).astype(np.int64).reshape(-1) for ids in of["edge_index"]])
        relations.append({"source": source, "name": name, "target": target, "edge_index": file("edges%d.npy" % i, pair),
                          **{k: of[k] for k in ("feature_dim", "feature_type") if of.get(k)}})
        if of.get("weights") is not None:
            relations[-1]["weights"] = file("weights%d.npy" % i, _numpy(of["weights"]).astype(np.float32))
    _trained(any("train" in of for of in types), options)
    with open(os.path.join(folder, "hetero.json"), "w", encoding="utf-8") as f:
        json.dump({"types": types, "relations": relations}, f)
    return folder


def _write_plain(folder: str, source: Any, options: Dict[str, Option]) -> str:
    """An archive of one graph's arcs. Attributes of a PyG Data become options, where these do not say otherwise."""
    arrays: Dict[str, Any] = {}
    for name in ("train", "valid", "test"):
        if hasattr(options.get(name), "__array__"):
            options[name] = _one(options[name], name)
    if getattr(source, "edge_index", None) is not None:
        row, col = (_numpy(x) for x in source.edge_index)
        arrays = {"format": "coo", "row": row, "col": col, "shape": [int(source.num_nodes)] * 2}
        if getattr(source, "x", None) is not None:
            options.update({k: options.get(k, v) for k, v in _rows(source.x).items()})
        for name, of in (("train", "train"), ("valid", "val"), ("test", "test")):
            if name not in options:
                options[name] = _set_of(source, of)
        labels = getattr(source, "y", None)
        if labels is not None and "labels" not in options:  # the graph keeps one class per vertex; values, and rows of several tasks, are for Planned(y=..)
            labels = _numpy(labels)
            labels = labels.reshape(-1) if labels.shape == (len(labels), 1) else labels
            if labels.dtype.kind in "iub" and labels.ndim == 1:
                options["labels"] = labels
        if getattr(source, "edge_attr", None) is not None:
            warnings.warn("edge_attr is left out: graphs of one type have no features of edges; plan a HeteroData, whose relations have edge_attr, or give "
                          "Planned(edges=..) a row per edge of indices.npy", stacklevel=3)
    elif hasattr(source, "tocoo"):
        coo = source.tocoo()
        arrays = {"format": "coo", "row": coo.row, "col": coo.col, "data": coo.data, "shape": coo.shape}
    else:
        try:
            first, second = (_numpy(x).reshape(-1) for x in source)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError("hotset.graph(data) takes PyG's Data or HeteroData, a SciPy matrix, (sources, targets), (indptr, indices), a dict or a path, and "
                            "this is %s without edge_index; of an adj_t write hotset.graph((col, row)), its coo() turned round" % _kind(source)) from None
        if len(first) == len(second):
            arrays = {"edge_index": np.stack([first, second])}
        else:
            arrays = {"format": "csr", "indptr": first, "indices": second, "data": np.ones(len(second), np.int8), "shape": [len(first) - 1] * 2}
    _trained(False, options)
    if options.get("feature_dim") is None:
        raise Error(2, "the graph has no features (x), so nothing says how long their rows are; write feature_dim=100, their columns")
    path = os.path.join(folder, "arcs.npz")
    np.savez(path, **arrays)
    return path


@takes(_options.GraphOptions)
def graph(source: Any, path: Optional[Path] = None, **options: Unpack[_options.GraphOptions]) -> Graph:
    """A graph for planning.

    source: a graph directory; a file or folder that `hotset graph import` reads; PyG's Data (x, y, train_mask, val_mask, test_mask become options) or
    HeteroData; a SciPy sparse matrix (row u, column v: u -> v); a pair of equally long arrays, the sources and the targets of edges, as edge_index; a pair
    (indptr, indices), row u listing the v of u -> v; or a dict of a graph with several types:

        {"types": {name: {"count": n, "feature_dim": d, "feature_type": "f32", "train": ids}},
         "relations": {(source, name, target): {"edge_index": (sources, targets), "feature_dim": d, "feature_type": "f32"}}}

    A relation whose edges have no features may have "weights", one per edge (of a HeteroData its edge_weight), for sampler="biased". Vertex v draws the u of u -> v, as PyG does; sample="out" turns that round. path: where the graph directory is written; left out, it is temporary and goes
    with the object. options: of `hotset graph import`, as feature_dim=100, train=ids or mask, undirected=True, name="products".
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, (str, os.PathLike)) and path is None and not options and os.path.exists(os.path.join(source, "graph.json")):
        return Graph(source)
    to, kept = place(path, str(options.get("name") or "graph"), options)
    with tempfile.TemporaryDirectory(prefix="hotset-") as folder:
        if isinstance(source, dict) or hasattr(source, "node_types"):
            word: Path = _write_hetero(folder, source if isinstance(source, dict) else _parts_of(source), options)
        elif isinstance(source, (str, os.PathLike)):
            word = source
        else:
            word = _write_plain(folder, source, options)  # type: ignore[arg-type]
        printed, _ = run("graph import", word, **dict(options, output=to))
    merged = json.loads(printed).get("duplicates_dropped")
    if merged and not isinstance(source, (str, os.PathLike)) and not options.get("undirected"):
        warnings.warn("%d parallel arcs were merged: a vertex draws each neighbour as if there were one arc; drop them from your data, too" % merged, stacklevel=2)
    return Graph(to, kept)


def load_graph(path: Path) -> Dict[str, Any]:
    """The dict of a graph directory of several types (schema graph/2): what graph() takes. edge_index is sorted by target, then source."""
    with open(os.path.join(path, "graph.json"), encoding="utf-8") as f:
        d = json.load(f)
    if d.get("schema") != "graph/2":
        raise Error(3, "%s/graph.json: schema is %r, expected 'graph/2'" % (os.fspath(path), d.get("schema")))

    def array(name: str) -> Any:
        return np.load(os.path.join(path, name), mmap_mode="r")

    out: Dict[str, Any] = {"types": {}, "relations": {}}
    for i, t in enumerate(d["types"]):
        x = {"count": t["count"], **{k: t[k] for k in ("feature_dim", "feature_type") if t.get("feature_dim")}}
        if t.get("train_vertices"):
            x["train"] = np.array(array("type%d_train.npy" % i))
        out["types"][t["name"]] = x
    for i, r in enumerate(d["relations"]):
        indptr, indices = array("relation%d_indptr.npy" % i), array("relation%d_indices.npy" % i)
        x = {"edge_index": (np.asarray(indices, np.int64), np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)))}
        if r.get("feature_dim"):
            x.update(feature_dim=r["feature_dim"], feature_type=r["feature_type"], edge_ids=np.array(array("relation%d_edge_ids.npy" % i)))
        if os.path.exists(os.path.join(path, "relation%d_weights.npy" % i)):
            x["weights"] = np.array(array("relation%d_weights.npy" % i))
        out["relations"][r["source"], r["name"], r["target"]] = x
    return out
