"""_running.py - what Planned and PlannedHetero have in common: the memories of GPUs, table by table, and how a running job goes on with another plan."""
from __future__ import annotations

import hashlib
import os
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

import torch

import hotset

from ._library import Path
from ._plan import Plan
from ._loaded import Loaded, Move, as_held, comparable
from .peers import Shared, agreed, exchange
from ._recorder import Recorder
from .torch_rows import Key, held_rows, row_ids

Memory = Dict[Key, Dict[int, torch.Tensor]]
_TORN = "a reload was interrupted while rows were written, so that memories hold those of two plans; make Planned again, or the store"


def usable(store: Any) -> None:
    """Raises Error where a store of features cannot serve rows: in another process than its own, or half changed."""
    if os.getpid() != store._pid:
        raise hotset.Error(2, "rows were asked for in a worker process, which has no GPU and loses the counts; pass filter_per_worker=False to the loader")
    if store.torn:
        raise hotset.Error(2, _TORN)


def say_unused(plan: Plan, gpu: int, stacklevel: int) -> None:
    """Warns where GPUs would hold neighbour lists that nothing reads there: samplers of PyG run on the CPU."""
    count = _lists_of(plan, gpu)
    if count:
        warnings.warn("the plan gives GPU %d %d neighbour lists (%d bytes), which no sampler of PyG reads on a GPU: they are not loaded, and their room stays empty; "
                      "plan with sampling=\"cpu\" (hotset.pyg.plan does)" % (gpu, count, plan.bytes(gpu).topology), stacklevel=stacklevel + 1)


def _lists_of(plan: Plan, gpu: int) -> int:
    return sum(len(t.topology_ids(gpu)) for t in plan.tables if t.kind in ("", "topology")) if plan.relations else len(plan.topology_ids(gpu))


class Attach:
    """The transform of a loader: adds rows of edges, then calls the user's. Loaders call it in their own process, so workers that are handed one get none."""

    def __init__(self, attach: Callable[[Any], None], transform: Optional[Callable[[Any], Any]]) -> None:
        self.attach, self.transform = attach, transform

    def __call__(self, batch: Any) -> Any:
        self.attach(batch)
        return self.transform(batch) if self.transform else batch

    def __reduce__(self) -> Any:
        return str, ()


def _remove(memory: Memory) -> None:
    for of in memory.values():
        if isinstance(of, Shared):
            of.remove()


def _again(make: Any, plan: Plan, arguments: Dict[str, Any]) -> Any:
    return make(plan, **arguments)


class Running:
    """A plan, and the memories of GPUs that hold its rows: {table: {gpu: rows}}, made when first asked for. A table is a type ("" where there is one) or a relation.

    Subclasses say what a plan must be (_check), the rows of a table on the host (_host), and what serves them (_serving, _lists).
    """

    plan: Plan
    recorder: Optional[Recorder]
    _arguments: Dict[str, Any]
    _stores: Dict[int, Any]

    def _begin(self, gpu: Optional[int], shared: Optional[Path], memory: Optional[Memory], keys: List[Key]) -> None:
        """Where memories are. Error: what is given does not say it."""
        if gpu is not None and shared is None and memory is None or shared is not None and gpu is None:
            raise hotset.Error(2, "processes of one GPU each need both: gpu, and shared or memory")
        self.gpu, self._shared, self._keys = gpu, shared, keys
        self._in_place = memory is not None and gpu is not None
        on_gpus = [g for of in (memory or {}).values() for g, rows in of.items() if rows.device.type != "cpu" and (gpu is None or g == gpu)]
        if on_gpus:
            say_unused(self.plan, on_gpus[0], 3)
        self._memory: Memory = {} if memory is None else self._given(self.plan, memory)
        self._rows: Dict[Tuple[int, Key], Any] = {}
        self._stores, self._topologies = {}, {}  # type: Dict[int, Any], Dict[int, Any]

    def _given(self, plan: Plan, memory: Memory) -> Memory:
        for key in self._keys:
            near = plan.gpus if self.gpu is None else [self.gpu, *plan.peers(self.gpu)]
            short = [g for g in near if g not in memory.get(key, {}) or len(memory[key][g]) < len(row_ids(plan, g, key))]
            if short:
                raise hotset.Error(2, "memory has no rows%s of GPUs %s; give {gpu: rows} of all (of several types {type or relation: {gpu: rows}}), as "
                                      "hotset.peers.symmetric makes them" % (" of %s" % (key,) if key else "", sorted(short)))
        return {key: dict(memory[key]) for key in self._keys}

    def __reduce__(self) -> Any:
        """In another process: made again, from the same arguments and the plan of now. Error: its memories are of this process."""
        if self.gpu is not None or self._arguments.get("memory") is not None:
            raise hotset.Error(2, "the memories of GPUs belong to this process; make Planned in the process that uses it, and hand over plan, graph and x")
        return _again, (type(self), self.plan, self._arguments)

    def _gpu(self, gpu: Optional[int]) -> int:
        gpu = self.gpu if gpu is None else gpu
        if gpu is None or (self.gpu is not None and gpu != self.gpu):
            raise hotset.Error(2, "which GPU? this process serves %s" % ("all: pass one of %s" % self.plan.gpus if self.gpu is None else "GPU %d" % self.gpu))
        return gpu

    def _met(self, plan: Plan, key: Key, own: torch.Tensor, gpu: int) -> Shared:
        """The memories of this process and its peers, by the folder in which they meet."""
        parts = [] if plan is self.plan else ["reload-" + hashlib.sha256(plan._printed).hexdigest()[:16]]
        if key:
            kind = isinstance(key, tuple)
            parts.append("%s-%d" % ("edge_feature" if kind else "feature", [k for k in self._keys if isinstance(k, tuple) == kind].index(key)))
        return exchange(own, {g: len(row_ids(plan, g, key)) for g in (gpu, *plan.peers(gpu))}, gpu, os.path.join(self._shared or "", *parts))

    def _filled(self, plan: Plan, key: Key) -> Dict[int, torch.Tensor]:
        """Memories that are filled from the host."""
        if self.gpu is None:
            return {g: held_rows(plan, g, key, self._host(key)) for g in plan.gpus}
        return self._met(plan, key, held_rows(plan, self.gpu, key, self._host(key)), self.gpu)

    def _planned(self, gpu: int, key: Key) -> Any:
        """What serves the rows of one table to a GPU; the memories of all GPUs are filled once."""
        if (gpu, key) not in self._rows:
            if key not in self._memory:
                self._memory[key] = self._filled(self.plan, key)
            self._rows[gpu, key] = self._serving(self.plan, gpu, key, self._memory[key])
        return self._rows[gpu, key]

    def reload(self, plan: Union[Plan, Path], memory: Any = None) -> Loaded:
        """Goes on with another plan of the same graph, between two mini-batches: memories load the rows that differ, and no others, as hotset.reload does; tables
        that the plans hold in different element types, or in two, are loaded again. The plan may be of another training set: loaders serve on, make new
        ones where it deals other vertices. Error: the plan cannot be served here; then nothing has changed.

        Processes of one GPU each all call it, with the same plan. memory: of the new plan, where the one given to Planned has no room for its rows.
        """
        loaded = Loaded(self.plan.gpus if self.gpu is None else [self.gpu])
        go_on = agreed(lambda: self._ready(plan, memory, loaded), self._in_place)
        for store in self._stores.values():
            store.torn = True
        agreed(go_on, self._in_place)  # and peers have written their rows, too
        for store in self._stores.values():
            store.torn = False
        return loaded

    def _ready(self, plan: Union[Plan, Path], memory: Any, loaded: Loaded) -> Callable[[], None]:
        """All that may fail of a reload, with nothing changed: what is left to do."""
        new = plan if isinstance(plan, Plan) else Plan(plan)
        comparable(self.plan, new)
        self._check(new)
        if new._printed == self.plan._printed:
            return lambda: None
        follow: Callable[[], None] = (lambda: None) if self.recorder is None else self.recorder._following(new)
        held: Memory = {}
        moves: List[Move] = []
        if memory is not None:
            held = self._given(new, self._by_key(memory))
        try:
            for key, now in {} if held else self._memory.items():
                held[key] = self._next(new, key, now, moves, loaded)
            rows = {(gpu, key): self._serving(new, gpu, key, held[key]) for gpu, key in self._rows}
            for at, before in self._rows.items():
                rows[at].take_counts(before)
            lists = {gpu: self._lists(new, gpu) for gpu in self._topologies}
        except BaseException:
            _remove(held)
            raise

        def go_on() -> None:
            for move in moves:
                move.do()
            _remove(self._memory)
            self.plan, self._memory, self._rows = new, held, rows
            for gpu, store in self._stores.items():
                self._set_rows(gpu, store)
            for gpu, topologies in lists.items():
                for key, topology in topologies.items():
                    self._topologies[gpu].setdefault(key, topology).go_on(topology)
            follow()
            if held and torch.cuda.is_available():
                torch.cuda.synchronize()  # peers read what this process wrote

        return go_on

    def _next(self, new: Plan, key: Key, now: Dict[int, torch.Tensor], moves: List[Move], loaded: Loaded) -> Dict[int, torch.Tensor]:
        """The memories of a table under the new plan."""
        element = new.cache_types.get(key, "")
        mine = None if self.gpu is None else [self.gpu]
        if element == self.plan.cache_types.get(key, ""):
            moves.append(Move(now, self.plan, new, lambda p, gpu: row_ids(p, gpu, key), lambda ids: as_held(self._host(key), ids, element), loaded, mine,
                              None if mine is None else not self._in_place))
            held = moves[-1].memory
        elif self._in_place:
            raise hotset.Error(2, "the new plan's GPUs hold rows in another form; make memory for it (hotset.peers.symmetric) and pass it as reload(plan, memory=..)")
        else:
            held = {g: held_rows(new, g, key, self._host(key)) for g in mine or new.gpus}
            for g, rows in held.items():
                loaded.add(None, g, rows)
        return held if mine is None or self._in_place else self._met(new, key, held[mine[0]], mine[0])

    # ---- what subclasses say

    def _check(self, plan: Plan) -> None:
        raise NotImplementedError

    def _host(self, key: Key) -> torch.Tensor:
        raise NotImplementedError

    def _by_key(self, memory: Mapping[Any, Any]) -> Memory:
        return {key: dict(of) for key, of in memory.items()}

    def _serving(self, plan: Plan, gpu: int, key: Key, memory: Dict[int, torch.Tensor]) -> Any:
        raise NotImplementedError

    def _lists(self, plan: Plan, gpu: int) -> Dict[Any, Any]:
        raise NotImplementedError

    def _set_rows(self, gpu: int, store: Any) -> None:
        raise NotImplementedError
