"""_drift.py - a job of PyG whose plan follows what it reads (exported by hotset.pyg as Drift)."""
from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Tuple

import torch

from . import _options
from ._face import Trace, make_plan, record, refresh
from ._keywords import takes
from ._library import Error, Path
from ._loaded import Loaded
from ._plan import Plan
from ._recorder import Recorder, recorded
from ._store import Store
from .peers import agreed, meeting, several

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _next(plan: Plan, trace: Trace, to: str, options: Dict[str, Any]) -> bool:
    """Makes the next plan at `to`: whether rows are to be loaded for it."""
    if plan.topology_access == "gpu":
        new = refresh(plan, trace, to, **options)
        return bool(new.moved is not None and new.moved["rows_to_load"])
    new = make_plan(None, None, to, like=plan, trace=trace, **options)  # refresh is for plans whose GPUs sample; here features alone are held
    return any(set(t.feature_ids(gpu).tolist()) != set(was.feature_ids(gpu).tolist()) for t, was in zip(new.tables, plan.tables)
               if t.kind in ("", "feature", "edge_feature") for gpu in plan.gpus)


def _failure(e: Exception) -> Tuple[int, str]:
    return (e.code, str(e)) if isinstance(e, Error) else (70, "%s: %s" % (type(e).__name__, e))


class Drift:
    """Records what the job reads; every so many epochs the next plan is made in the background, and loaded at the end of the epoch after that.

        drift = hotset.pyg.Drift(store, every=5)
        for epoch in range(100):
            for batch in drift.watch(store.ahead(loader)): ...
            drift.step()                                     # in every process of the job

    store: one for all GPUs of the plan between them, a process each. every: epochs of a recording. path: a folder that all processes see, for recordings and
    plans; left out, it is temporary. options: of hotset.refresh; auto=True, the default here, moves rows only where that pays (pay_within epochs). Plans for
    sampling on the CPU, which refresh does not take, are made anew from the recording, with the same training vertices per GPU and options of make_plan;
    store.reload moves the rows that differ.
    """

    @takes(_options.RefreshOptions)
    def __init__(self, store: Store, every: int = 5, path: Optional[Path] = None, **options: Unpack[_options.RefreshOptions]) -> None:
        self.store, self.every, self.epoch = store, max(every, 1), 0
        self._options: Dict[str, Any] = {"quiet": True, **({"auto": True} if store.plan.topology_access == "gpu" else {}), **options}
        moves = [name for name in ("auto", "pay_within", "move_budget") if self._options.get(name) is not None and self._options[name] is not False]
        if moves and store.plan.topology_access != "gpu":
            raise Error(2, "%s: the plan is for sampling on the CPU, and hotset.refresh, which counts what a move costs, takes those whose GPUs sample" % moves[0])
        self._group, self._several = meeting(store.group), several(store.group)
        self._first = not self._several or torch.distributed.get_rank(store.group) == 0
        self.path = os.fspath(path) if path is not None else self._said(
            agreed(lambda: tempfile.mkdtemp(prefix="hotset-drift-") if self._first else None, self._several, self._group))
        if path is None and self._first:
            weakref.finalize(self, shutil.rmtree, self.path, True)
        self.recorder = self._recording()
        self._work: Optional[threading.Thread] = None
        self._found: List[Any] = []

    def _said(self, mine: Any) -> Any:
        """What the first process has, once all processes are here."""
        if not self._several:
            return mine
        every: List[Any] = [None] * torch.distributed.get_world_size(self._group)
        torch.distributed.all_gather_object(every, mine, group=self._group)
        return every[0]

    def _recording(self) -> Recorder:
        """A new recording, in a folder named by its first epoch."""
        return agreed(lambda: Recorder(os.path.join(self.path, str(self.epoch)), self.store.plan), self._several, self._group)

    def watch(self, loader: Iterable[Any]) -> Iterator[Any]:
        """Passes the mini-batches of an epoch on, counted."""
        return self.recorder.watch(loader, self.store.gpu)

    def step(self) -> Optional[Loaded]:
        """The epoch is over: all processes call it. What was loaded, where the next plan was; None where the job goes on as it is. Error: the next plan could
        not be made, or not be served; the job goes on with the old one.
        """
        self.epoch += 1
        self._said(None)  # every process has written its epoch
        answer, begins = None, False
        if self._first:
            if self._work is not None and not self._work.is_alive():
                answer, self._work = self._found.pop(), None
            begins = self.epoch % self.every == 0 and self._work is None and answer is None
            if begins:
                self._begin()
        answer, begins = self._said((answer, begins))
        if begins:
            self.recorder = self._recording()
        if answer is None:
            return None
        code, said = answer
        if code:
            raise Error(code, said)
        if said is None:
            return None
        loaded = self.store.reload(said)
        self.recorder.go_on(self.store.plan)
        return loaded

    def _begin(self) -> None:
        """Starts to make the next plan. The counts are read now, since processes go on counting."""
        plan, to = self.store.plan, os.path.join(self.path, "plan%d" % self.epoch)
        try:
            base = record(plan.graph_folder(), like=plan, plan=plan, epochs=1, quiet=True)
            trace = recorded(self.recorder.path, base, plan.graph_folder(), quiet=True)
        except Exception as e:  # said at the next step
            self._found.append(_failure(e))
            self._work = threading.Thread()
            return

        def make() -> None:
            try:
                self._found.append((0, to if _next(plan, trace, to, self._options) else None))
            except Exception as e:
                self._found.append(_failure(e))

        self._work = threading.Thread(target=make, daemon=True)
        self._work.start()
