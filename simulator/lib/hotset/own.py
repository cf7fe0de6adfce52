"""own.py - a policy of one's own: what a function sees of rows and memories, and how its answer becomes lists that the program plans and simulates."""
from __future__ import annotations

import dataclasses
import json
import os
import re
import tempfile
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from ._library import Error
from ._program import Option, run

_WIDTHS = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "f8": 1, "i8": 1, "u8": 1}


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows of one kind: "topology" (neighbour lists of a relation), "feature" (of a type) or "edge_feature" (of a relation).

    name: the type, or (source, relation, target); "" where the graph has one type. number: of the type or relation, among those of the graph. items: their
    numbers among all rows, a slice for arrays of Rows: row k of the table is item items.start + k.
    """

    kind: str
    name: Union[str, Tuple[str, str, str]]
    number: int
    items: slice


@dataclasses.dataclass(frozen=True)
class Rows:
    """What a policy of one's own sees. Rows of all kinds are numbered once, as items: topology first, then features (see tables).

    hotness: float64 [gpus, items], how often an epoch reads the row for each GPU: visits of neighbour lists, mini-batches that need the feature row;
    recorded on epochs that the simulation does not use. bytes: int64 [items], what the row takes on a GPU; 0: there is no such row. gpus: the server's
    numbers of the GPUs. cliques: positions in gpus of those that read each other. budgets: int64 [gpus], bytes. budget, server: as the user wrote them.
    """

    hotness: NDArray[np.float64]
    bytes: NDArray[np.int64]
    tables: List[Table]
    gpus: List[int]
    cliques: List[NDArray[np.int64]]
    budgets: NDArray[np.int64]
    budget: str
    server: str

    def table(self, kind: str, name: Union[str, Tuple[str, str, str]] = "") -> Table:
        """A table by kind and name. KeyError: there is none."""
        for table in self.tables:
            if (table.kind, table.name) == (kind, name):
                return table
        raise KeyError("no table of %s rows of %r; there are %s" % (kind, name, ", ".join("%s %s" % (t.kind, t.name) for t in self.tables)))

    def place(self, order: Any) -> Dict[int, NDArray[np.int64]]:
        """{gpu: items} from one order of items, the best first: in every clique each row goes to the GPU that reads it most and has room for it.

        Rows are looked at in that order until those that are next fit nowhere. What an order becomes that a policy returns.
        """
        order = np.asarray(order, np.int64).reshape(-1)
        order = order[self.bytes[order] > 0]
        out: Dict[int, NDArray[np.int64]] = {}
        for clique in self.cliques:
            left, rank = self.budgets[clique].astype(np.int64), np.argsort(-self.hotness[clique][:, order], axis=0, kind="stable")
            on = np.full(len(order), -1)
            for choice in rank:  # first those that read it most, then the next ones
                for k in range(len(clique)):
                    wanted = np.flatnonzero((on < 0) & (choice == k))
                    wanted = wanted[np.cumsum(self.bytes[order[wanted]]) <= left[k]]
                    on[wanted] = k
                    left[k] -= self.bytes[order[wanted]].sum()
            for k, g in enumerate(clique):
                out[self.gpus[g]] = order[on == k]
        return out


#: A policy of one's own: from Rows to an order of items, the best first, or to {gpu: items}, each list in fill order. Its __name__ is its name.
Policy = Callable[[Rows], Union[Sequence[int], NDArray[Any], Mapping[int, Any]]]


def name_of(policy: Policy) -> str:
    """The name under which a function is shown. Error: it has none that can be one."""
    name = str(getattr(policy, "__name__", type(policy).__name__))
    if not re.fullmatch(r"[\w+.-]{1,47}", name, re.ASCII):
        raise Error(2, "a policy of your own is called %s, which cannot be its name; use def, or {\"name\": function}" % name)
    return name


def split(policies: Any) -> Tuple[List[Any], Dict[int, Tuple[str, Policy]]]:
    """(all words, {place: (name, function)}) of what compare takes as policies: names, functions, dicts of functions by name."""
    words: List[Any] = []
    own: Dict[int, Tuple[str, Policy]] = {}
    for one in policies if isinstance(policies, (list, tuple)) else [policies]:
        named = list(one.items()) if isinstance(one, Mapping) else [(name_of(one), one)] if callable(one) else []
        for name, function in named:
            own[len(words)] = (str(name), function)
            words.append(name)
        if not named:
            words.append(one)
    return words, own


def _plain_tables(g: Dict[str, Any], path: str, biased: bool) -> Tuple[List[Table], NDArray[np.int64]]:
    n = int(g["vertices"])
    degree = np.diff(np.load(os.path.join(path, "indptr.npy"), mmap_mode="r").astype(np.int64))
    wide = 8 if biased else 4  # an id, and a weight where draws need it
    dim, element = int(g.get("feature_dim") or 0), g.get("feature_bytes") or 4
    bytes_ = np.concatenate([wide * degree + 8, np.full(n, dim * int(element), np.int64)])
    return [Table("topology", "", 0, slice(0, n)), Table("feature", "", 0, slice(n, 2 * n))], bytes_


def _tables_of_types(g: Dict[str, Any], path: str, biased: bool) -> Tuple[List[Table], NDArray[np.int64]]:
    tables: List[Table] = []
    sizes: List[NDArray[np.int64]] = []

    def add(kind: str, name: Any, number: int, bytes_: Any) -> None:
        at = tables[-1].items.stop if tables else 0
        tables.append(Table(kind, name, number, slice(at, at + len(bytes_))))
        sizes.append(np.asarray(bytes_, np.int64))

    def row(of: Dict[str, Any]) -> int:
        return int(of.get("feature_dim") or 0) * _WIDTHS[of.get("feature_type") or "f32"]

    relations = [(r, (r["source"], r["name"], r["target"])) for r in g["relations"]]
    for k, (r, name) in enumerate(relations):
        degree = np.diff(np.load(os.path.join(path, "relation%d_indptr.npy" % k), mmap_mode="r").astype(np.int64))
        add("topology", name, k, (8 if biased and os.path.exists(os.path.join(path, "relation%d_weights.npy" % k)) else 4) * degree + 8)
    for k, t in enumerate(g["types"]):
        add("feature", t["name"], k, np.full(t["count"], row(t)))
    for k, (r, name) in enumerate(relations):
        add("edge_feature", name, k, np.full(r["edges"] if row(r) else 0, row(r)))
    return tables, np.concatenate(sizes)


def _load(trace: str, name: str) -> Any:
    return np.load(os.path.join(trace, name), mmap_mode="r")


def _edge_reads(visits: NDArray[np.float64], fanout: Sequence[int], path: str, number: int) -> NDArray[np.float64]:
    """[gpus, edges]: of a visit an edge is drawn with probability fan-out over degree."""
    degree = np.diff(np.load(os.path.join(path, "relation%d_indptr.npy" % number), mmap_mode="r").astype(np.int64))
    share = [np.minimum(1.0, (f if f >= 0 else np.inf) / np.maximum(degree, 1)) for f in fanout]
    per_arc: NDArray[np.float64] = np.sum([visits[h] * share[h] for h in range(len(fanout))], axis=0)
    drawn: NDArray[np.float64] = np.repeat(per_arc, degree, axis=1)
    return drawn


def _hotness(tables: List[Table], g: Dict[str, Any], trace: str, about: Dict[str, Any], path: str) -> NDArray[np.float64]:
    visits, feature, epochs = _load(trace, "visits.npy"), _load(trace, "hotness_feature.npy"), float(about["epochs"])
    if "types" not in g:
        both: NDArray[np.float64] = np.concatenate([visits.sum(0), feature], axis=1) / epochs
        return both
    first = dict(zip((t["name"] for t in g["types"]), np.cumsum([0] + [t["count"] for t in g["types"]])))
    out = np.zeros((len(feature), tables[-1].items.stop))
    for t in tables:
        if t.kind == "feature":
            at = first[t.name]
            out[:, t.items] = feature[:, at:at + t.items.stop - t.items.start]
            continue
        fanout = about["fanout"]
        fanout = fanout.get("%s-%s->%s" % t.name, [0]) if isinstance(fanout, dict) else fanout
        at, rows = first[t.name[2]], tables[t.number].items
        seen = np.stack([visits[h, :, at:at + rows.stop - rows.start] * (f != 0) for h, f in enumerate(fanout)]).astype(np.float64)
        if t.kind == "topology":
            out[:, t.items] = seen.sum(0)
        elif t.items.stop > t.items.start:
            out[:, t.items] = _edge_reads(seen, fanout, path, t.number)
    return out / epochs


def rows_of(graph: str, trace: str, plan: Dict[str, Any], budget: str, server: str) -> Rows:
    """What a policy sees on a graph directory, from a trace directory and the plan.json of any plan with these budgets."""
    with open(os.path.join(graph, "graph.json"), encoding="utf-8") as f:
        g = json.load(f)
    with open(os.path.join(trace, "trace.json"), encoding="utf-8") as f:
        about = json.load(f)
    tables, bytes_ = (_tables_of_types if "types" in g else _plain_tables)(g, graph, about["sampler"] == "biased")
    place = {gpu: k for k, gpu in enumerate(about["gpus"])}
    budgets = {gpu["id"]: gpu["budget_bytes"] for gpu in plan["gpus"]}
    return Rows(_hotness(tables, g, trace, about, graph), bytes_, tables, list(about["gpus"]),
                [np.array([place[gpu] for gpu in clique]) for clique in about["cliques"]],
                np.array([budgets[gpu] for gpu in about["gpus"]], np.int64), budget, server)


def write(rows: Rows, name: str, answer: Any, folder: str) -> None:
    """Writes a policy's answer as the lists of --from-lists. Error: items that are none, GPUs that are none."""
    lists = answer if isinstance(answer, Mapping) else rows.place(_items(rows, name, answer))
    plain = all(t.name == "" for t in rows.tables)
    os.makedirs(folder, exist_ok=True)
    for gpu, items in lists.items():
        if gpu not in rows.gpus:
            raise Error(2, "%s: has a list for GPU %r, and the server has %s" % (name, gpu, rows.gpus))
        items = _items(rows, name, items)
        for t in rows.tables:
            ids = items[(items >= t.items.start) & (items < t.items.stop)] - t.items.start
            np.save(os.path.join(folder, "gpu%d_%s%s.npy" % (gpu, t.kind, "" if plain else "_%d" % t.number)), ids)


def _items(rows: Rows, name: str, given: Any) -> NDArray[np.int64]:
    items = np.asarray(given)
    if items.size and items.dtype.kind not in "iu":
        raise Error(2, "%s: gave an array of %s; the numbers of rows are wanted, or {gpu: numbers}" % (name, items.dtype))
    items = items.astype(np.int64).reshape(-1)
    if items.size and (items.min() < 0 or items.max() >= len(rows.bytes)):
        raise Error(2, "%s: row %d is none; there are 0 to %d" % (name, items.min() if items.min() < 0 else items.max(), len(rows.bytes) - 1))
    return items


def recorded_options(options: Mapping[str, Option], known: Sequence[str]) -> Dict[str, Option]:
    """Options of a comparison that say what is recorded; presample_epochs is the recording's epochs."""
    names = {k: v for k, v in options.items() if k.rstrip("_").replace("_", "-") in known and k not in ("budget", "output", "policy", "plan", "json")}
    return dict(names, epochs=options.get("presample_epochs"), quiet=True)


def lists(own: Sequence[Tuple[str, Policy]], graph: str, servers: Sequence[Tuple[str, str]], budgets: Sequence[str], clique: bool, recording: Dict[str, Option],
          folder: str) -> None:
    """Asks every policy at every budget on every server, and writes FOLDER/<name>/<server>/<budget>. servers: (word, name)."""
    for word, server in servers:
        with tempfile.TemporaryDirectory(prefix="hotset-") as work:
            trace = os.path.join(work, "T")
            run("trace record", **dict(recording, graph=graph, server=word, output=trace))
            for budget in budgets:
                any_plan = os.path.join(work, "P" + budget)
                of: Dict[str, Option] = {k: recording[k] for k in ("peer_access", "reach", "threads", "memory") if k in recording}
                of["clique_budget" if clique else "budget"] = budget or None
                printed, _ = run("plan", graph=graph, server=word, trace=trace, policy="random", simulate_epochs=0, output=any_plan, no_resume=True, quiet=True, **of)
                rows = rows_of(graph, trace, json.loads(printed), budget, server)
                for name, function in own:
                    write(rows, name, function(rows), os.path.join(folder, name, server, budget))
