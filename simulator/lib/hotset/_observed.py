"""_observed.py - counters of a running job, for `hotset observe P FILE`."""
from __future__ import annotations

import ctypes
import os
import time
from typing import Any, Dict, Iterable, Iterator, Mapping, Optional

from ._library import Path, _CError, _CObservation, _check, _lib


def observe(path: Path, gpu: int, epoch: int, batches: int, rows: Mapping[str, int], row_bytes: int, seconds: Optional[Mapping[str, float]] = None,
            table: Optional[str] = None) -> None:
    """Appends a line to the file `path`: what GPU `gpu` (the server's number) read in an epoch.

    rows: {"own": .., "peer": .., "host": ..}, as the counts of PlannedRows grew in the epoch. batches: how many mini-batches they are of. seconds: {stage: ..};
    "sample", "load", "transfer" (gathering rows) and "propagate" are compared with the model's stages. Several processes may share the file.
    table: of a plan of several types, whose rows they are: a type ("paper"), or for edge features a relation ("author-writes->paper").
    """
    seconds = dict(seconds or {})
    names, times = (ctypes.c_char_p * len(seconds))(*[k.encode() for k in seconds]), (ctypes.c_double * len(seconds))(*seconds.values())
    line, error = _CObservation(ctypes.sizeof(_CObservation), gpu, epoch, batches, rows["own"], rows["peer"], rows["host"], row_bytes, names, times,
                                len(seconds), 0), _CError()
    _check(_lib.hotset_observe_table(os.fsencode(path), None if table is None else table.encode(), ctypes.byref(line), ctypes.byref(error)), error)


class Observer:
    """Passes the mini-batches of a loader on, and writes a line whenever an epoch ends. rows: PlannedRows, whose counts tell what the loader read.

    path: None: no lines. recorder: a hotset.Recorder that counts the vertices of each mini-batch (its n_id) and gets the
    seconds.

    Seconds: "sample" is the time that the loop waited for a mini-batch, less gathering; "transfer" is gathering; "propagate" is the loop's own time.
    """

    def __init__(self, path: Optional[Path], gpu: int, rows: Any, row_bytes: int, recorder: Any = None) -> None:
        self.path, self.gpu, self.rows, self.row_bytes, self.recorder = path, gpu, rows, row_bytes, recorder
        self.gathering = 0.0  # seconds, added by who gathers

    def watch(self, batches: Iterable[Any], epoch: int, per_epoch: Optional[int] = None) -> Iterator[Any]:
        """Iterates over `_batches`, of `epoch` and, every per_epoch of them, of the next one."""
        batches, done = iter(batches), 0
        before, spent, gathered = self.rows.counts, [0.0, 0.0], self.gathering
        while True:
            started = time.perf_counter()
            batch = next(batches, None)
            spent[0] += time.perf_counter() - started
            if batch is not None:
                done += 1
                if self.recorder is not None:
                    self.recorder.count(self.gpu, batch.n_id)
                yield batch
                spent[1] += time.perf_counter() - started
            if done and (batch is None or done == per_epoch):
                now, transfer = self.rows.counts, self.gathering - gathered
                seconds = {"sample": max(spent[0] - transfer, 0.0), "transfer": transfer, "propagate": max(spent[1] - spent[0], 0.0)}
                if self.path is not None:
                    observe(self.path, self.gpu, epoch, done, {k: now[k] - before[k] for k in now}, self.row_bytes, seconds)
                if self.recorder is not None:
                    self.recorder.end_epoch(self.gpu, seconds)
                before, spent, gathered, done, epoch = now, [0.0, 0.0], self.gathering, 0, epoch + 1
            if batch is None:
                return
