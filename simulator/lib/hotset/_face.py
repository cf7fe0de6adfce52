"""_face.py - the program's commands as functions: the same engine, defaults and bytes as the command line."""
from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import subprocess
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Union

import numpy as np

from . import _options, own
from ._keywords import takes
from ._library import Error, Path, _program
from ._plan import Plan
from ._program import Option, document
from ._program import run as _run
from ._graphs import Directory, Graph, Unowned, place, wanted
from ._result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Server(Unowned):
    """A server: its word for the program (a shipped profile's name, or a file). document: what `hotset server show --json` says of it."""

    def __init__(self, word: str, kept: Any = None):
        self.word, self._kept = word, kept
        self.document: Dict[str, Any] = document("server show", word)

    def __fspath__(self) -> str:
        return self.word

    def __repr__(self) -> str:
        return "<hotset server %s: %d GPUs>" % (self.document["name"], len(self.document["gpus"]))


class Trace(Directory):
    """A trace directory: what mini-batches read. document: trace.json."""

    @property
    def document(self) -> Dict[str, Any]:
        """trace.json."""
        with open(os.path.join(self.path, "trace.json"), encoding="utf-8") as f:
            found: Dict[str, Any] = json.load(f)
        return found


ServerLike = Union[Server, Path, Mapping[str, Any]]


def server(of: ServerLike) -> Server:
    """A server: the name of a shipped profile ("dgx-v100", "dgx-a100:4"; `hotset list servers`), a server file, or its document as a dict."""
    if isinstance(of, Server):
        return of
    if not isinstance(of, Mapping):
        return Server(os.fspath(of))
    kept = tempfile.TemporaryDirectory(prefix="hotset-")
    path = os.path.join(kept.name, "%s.json" % of.get("name", "server"))
    with open(path, "w", encoding="utf-8") as f:
        json.dump(of, f)
    return Server(path, kept)


def _ask(command: str, *arguments: Option, **options: Option) -> Result:
    """run() of a function, whose argument path is the document to write."""
    path, old = options.pop("path", None), options.pop("output", None)
    if old is not None:
        warnings.warn("output= is path= now, as everywhere; it will be gone in the next version", DeprecationWarning, stacklevel=3)
        if path is not None:
            raise Error(2, "path and output say the same; give path")
    return run(command, *arguments, **options, output=old if path is None else path)


def _servers(of: Any) -> Option:
    return [server(one) for one in of] if isinstance(of, (list, tuple)) else of if of is None else server(of)


@functools.lru_cache(None)
def option_names(command: str) -> List[str]:
    """The names of a command's options, without their dashes."""
    return re.findall(r"^ {2,6}(?:-\w, )?--([a-z0-9-]+)", options(command), re.M)


def options(command: str) -> str:
    """The help of a command with all its options: those that its function takes as keywords, with "_" for "-"."""
    return subprocess.run([_program(), *command.split(), "--help-all"], check=True, stdout=subprocess.PIPE, text=True).stdout


def run(command: str, *arguments: Option, **options: Option) -> Result:
    """Any command of the program: hotset.run("explain", plan, vertex=7). arguments: what the command line takes without an option's name.

    An option is the name of the command line with "_" for "-", and a "_" behind names that Python keeps (as_). True sets a flag; None and False leave it
    out; a list is joined by commas; a dict is NAME=VALUE,..; an array goes as a .npy file; graphs, servers, plans and traces stand for their paths.
    quiet=True: no messages, no progress. Error: what the program said, with its exit code. Exit code 1 with an answer is no error: result.yes is False then.
    """
    answer = Result(*_run(command, *arguments, **options))
    answer._kept = [x for x in (*arguments, *options.values()) if isinstance(x, (Directory, Plan))]
    return answer


@takes(_options.PlanOptions)
def make_plan(graph: Optional[Graph | Path] = None, server: Optional[ServerLike] = None, path: Optional[Path] = None, runtime: Optional[str] = None,
              **options: Unpack[_options.PlanOptions]) -> Plan:
    """Decides which rows each GPU caches (`hotset plan`).

        p = hotset.make_plan(g, "dgx-v100", budget="5%", policy="hotset", fanout=[25, 10], batch=8000)

    policy: a name, or a function of your own, as compare takes it. runtime: "pyg", "graphbolt" or another that the plan is for (`hotset list exports`): what it
    cannot use takes no memory, as neighbour lists on GPUs under PyG, which samples on the CPU.

    graph, server: as hotset.graph and hotset.server take them. path: the plan directory to write; left out, it is temporary and goes with the plan. A plan
    there that had other options is replaced only with force=True. options: of `hotset plan`, see run() and hotset.options("plan").
    """
    if str(options.get("nodes") or 1) != "1" or options.get("cluster"):
        raise _several("plan")
    wanted(graph, options)
    if runtime is not None:
        options["for_"] = runtime
    to, kept = place(path, "plan", options)
    with _own_policies(graph, server, dict(options), "") as words:
        _run("plan", **dict(options, **words, graph=graph, server=_servers(server), output=to))
    return _opened(to, kept, graph, options.get("like"))


plan = make_plan  # what people try first


def _several(command: str) -> Error:
    """A Plan is one node's: what writes plans of several is run()."""
    return Error(2, "plans of several nodes are a folder with one for each, and a Plan is one of them; write it by hotset.run(\"%s\", .., output=folder) and "
                    "open hotset.Plan(folder + \"/node0\") and so on" % command)


def _opened(path: str, kept: Any, *of: Any) -> Plan:
    """of: the graph, or plans that know it, the first that there is."""
    made = Plan(path)
    made._kept, made._graph = kept, next((x if isinstance(x, Graph) else x._graph for x in of if isinstance(x, (Graph, Plan))), None)
    return made


def write_plan(path: Path, graph: Graph | Path, server: ServerLike, feature: Optional[Mapping[int, Any]] = None, topology: Optional[Mapping[int, Any]] = None,
               train: Optional[Mapping[int, Any]] = None, options: Iterable[str] = (), **more: Unpack[_options.PlanOptions]) -> Plan:
    """Makes a plan at `path` from a placement of your own, and opens it: checked, simulated, comparable with all other plans.

    feature, topology: {gpu: ids of the rows that it caches, in fill order}; train: {gpu: ids that it trains}, or None for hotset's deal. GPUs are the
    server's numbers; those left out have empty lists. more: options of `hotset plan`; options: the same as words, ["--budget", "2GiB"].
    """
    with tempfile.TemporaryDirectory(prefix="hotset-") as folder:
        for kind, lists in (("feature", feature), ("topology", topology), ("train", train)):
            for gpu, ids in (lists or {}).items():
                np.save(os.path.join(folder, "gpu%d_%s.npy" % (gpu, kind)), np.asarray(ids, dtype=np.int64))
        _run("plan", *options, **dict(more, from_lists=folder, graph=wanted(graph, more), server=_servers(server), output=path, quiet=True))
    return _opened(os.fspath(path), None, graph)


@contextlib.contextmanager
def _own_policies(graph: Any, servers: Any, options: Dict[str, Any], usual: str) -> Iterator[Dict[str, Option]]:
    """The option policy, with functions replaced by lists of what they chose, which lie in a temporary folder meanwhile."""
    words, mine = own.split(options.get("policy"))
    if not mine:
        yield {}
        return
    for name in ("parts", "cache_type", "trace", "hotness"):
        if options.get(name) is not None:
            raise Error(2, "%s: a policy of your own sees rows as they are recorded and held without it; leave it out" % name)
    clique = options.get("clique_budget") is not None
    budgets = options.get("clique_budget") if clique else options.get("budget")
    if not isinstance(budgets, (list, tuple)):
        budgets = str(usual if budgets is None else budgets).split(",")
    with tempfile.TemporaryDirectory(prefix="hotset-") as folder:
        named = [(os.fspath(s), s.document["name"]) for s in map(server, servers if isinstance(servers, (list, tuple)) else [servers])]
        own.lists(list(mine.values()), os.fspath(graph), named, [str(b) for b in budgets], clique,
                  own.recorded_options(options, option_names("trace record")), folder)
        for place, (name, _) in mine.items():
            words[place] = "%s=lists:%s" % (name, os.path.join(folder, name))
        yield {"policy": ",".join(map(str, words))}


@takes(_options.CompareOptions)
def compare(graph: Graph | Path, server: Union[ServerLike, List[ServerLike]], policies: Optional[List[Union[str, own.Policy, Mapping[str, own.Policy]]]] = None,
            **options: Unpack[_options.CompareOptions]) -> Result:
    """Plans and simulates policies, budgets and servers side by side.

        hotset.compare(g, ["dgx-v100", "siton"], policies=["legion", "hotset"], budget=["1%", "5%"])

        def hottest(rows):                             # a policy of your own: sees hotness, bytes, cliques and budgets as arrays (hotset.own.Rows)
            return np.argsort(-rows.hotness.sum(0) / np.maximum(rows.bytes, 1))
        hotset.compare(g, "dgx-v100", policies=["legion", hottest])

    policies: a list of names (`hotset list policies`) and functions of hotset.own.Rows that return an order of all rows, the best first, or {gpu: rows}; a
    function is named by its __name__, or by {"name": function}. Left out: all. options: of `hotset compare`. rows of the result: one per policy, server and
    budget; plot() shows the transactions left over the budget. Errors of a function come through.
    """
    given: Dict[str, Any] = dict(options)
    given["policy"] = _policies(policies, given.pop("policy", None))
    with _own_policies(wanted(graph, given), server, given, "1%,2%,5%") as words:
        return _ask("compare", **dict(given, **words, graph=graph, server=_servers(server)))


def _policies(policies: Any, policy: Any) -> Any:
    """The list. Old ways of one version: policy=, and one policy that is in no list."""
    if policy is not None:
        warnings.warn("policy= of compare is policies= now, a list; it will be gone in the next version", DeprecationWarning, stacklevel=3)
        if policies is not None:
            raise Error(2, "policies and policy say the same; give policies")
        return policy
    if isinstance(policies, (str, Mapping)) or callable(policies):
        warnings.warn("policies= is a list now, as policies=[%r]; one alone will be refused in the next version" % (policies,), DeprecationWarning, stacklevel=3)
        return policies
    return None if policies is None else list(policies)


@takes(_options.SizeOptions)
def size(graph: Graph | Path, server: Union[ServerLike, List[ServerLike]], target: Option = None, **options: Unpack[_options.SizeOptions]) -> Result:
    """The smallest budget, GPU count or server that meets targets, as "hit-rate>=0.9" (`hotset size`). Not result.yes: none does."""
    return _ask("size", **dict(options, graph=wanted(graph, options), server=_servers(server), target=target))


@takes(_options.AdviseOptions)
def advise(graph: Graph | Path, server: ServerLike, **options: Unpack[_options.AdviseOptions]) -> Result:
    """What would save most: deal, order, reach, cache, sampler, features (`hotset advise`)."""
    return _ask("advise", **dict(options, graph=wanted(graph, options), server=_servers(server)))


@takes(_options.SimulateOptions)
def simulate(plan: Plan | Path, **options: Unpack[_options.SimulateOptions]) -> Result:
    """Replays a plan on held-out epochs: epochs=, seed=, .. (`hotset simulate`).

    rows: what was counted of the plan, or of each cache. With export_batches=folder mini-batches are written instead, and rows say how many of each GPU, with
    their seeds, vertices and edges; hotset.Batches(folder) reads them.
    """
    return _ask("simulate", plan, **options)


@takes(_options.ValidateOptions)
def validate(**options: Unpack[_options.ValidateOptions]) -> Result:
    """Holds the models against published measurements, or your own: case=file (`hotset lab validate`)."""
    return _ask("validate", **options)


@takes(_options.RecordOptions)
def record(graph: Graph | Path, server: Optional[ServerLike] = None, path: Optional[Path] = None, **options: Unpack[_options.RecordOptions]) -> Trace:
    """Records what mini-batches read (`hotset trace record`): fanout=, batch=, epochs=, seed=; plan=p takes the assignment of a plan."""
    to, kept = place(path, "trace", options)
    _run("trace record", **dict(options, graph=wanted(graph, options), server=_servers(server), output=to))
    return Trace(to, kept)


@takes(_options.RefreshOptions)
def refresh(plan: Plan | Path, trace: Trace | Path, path: Optional[Path] = None, **options: Unpack[_options.RefreshOptions]) -> Plan:
    """The next plan from a new recording, with few rows to move: pay_within=epochs, .. (`hotset refresh`).

    auto=True moves only where the seconds that `pay_within` epochs save, by the server's rates, are more than those of loading. move_budget: most bytes that the
    GPUs of a clique load together. moved of the plan is what was decided, a Result: moved["rows_to_load"], ["bytes_to_load"], ["seconds_to_load"],
    ["pays_after_epochs"], and its rows say it of every GPU. With rows_to_load 0 the job goes on as it is.
    """
    to, kept = place(path, "plan", options)
    with open(os.path.join(plan, "plan.json"), encoding="utf-8") if os.path.isdir(plan) else contextlib.nullcontext() as f:
        if f and "plan-nodes/1" in f.read(4096):
            raise _several("refresh")
    answer = _run("refresh", plan, **dict(options, trace=trace, output=to))
    made = _opened(to, kept, options.get("graph"), plan)
    made.moved = Result(*answer)
    return made


@takes(_options.DriftOptions)
def drift(graph: Graph | Path, server: ServerLike, **options: Unpack[_options.DriftOptions]) -> Result:
    """How plans age while the training set changes, and what keeping up costs (`hotset lab drift`): windows=, window_epochs=, move_budget=, ..

    rows: one per scheme (fixed, refresh, auto, replan, lru, sieve, oracle), with bytes_loaded, and seconds_saved over all windows; row["windows"] are those of
    each window. plot() draws the hit rate of feature rows (0 to 1) over the windows.
    """
    return _ask("drift", **dict(options, graph=wanted(graph, options), server=_servers(server)))


@takes(_options.CurveOptions)
def curve(plan: Union[None, Plan, Path] = None, **options: Unpack[_options.CurveOptions]) -> Result:
    """Hit rate over the size of a cache, for every ranking and replacement rule (`hotset lab curve`): of a plan's mini-batches, or of requests=file.

    rows: one per part of the reads (all, each GPU or clique; each type) and order; row["sizes"] are {"share": of the rows, 0 to 1, "hit_rate": ..}. plot() draws
    those of all GPUs together; unit="gpu 0", table="paper" others.
    """
    return _ask("curve", *[plan][:plan is not None], **options)


@takes(_options.WhatIfOptions)
def what_if(of: Union[Plan, Path, Result, Iterable[Union[Plan, Path]]], **options: Unpack[_options.WhatIfOptions]) -> Result:
    """Which inputs would change an answer, and where it flips (`hotset what-if`): vary={"link": "0.5..2"}, ..

    of: a plan; several plans of one graph, to tell which is the fastest; or what size() answered. rows: one per input, with the answer and epoch_seconds at the
    low and the high end of its range.
    """
    several = [of] if isinstance(of, (str, os.PathLike, Result)) else list(of)
    return _ask("what-if", *several, **options)
