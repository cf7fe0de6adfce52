"""peers.py - one process per GPU: each fills its own rows and reads those of its peers."""
from __future__ import annotations

import contextlib
import fcntl
import math
import os
import tempfile
import time
import weakref
from typing import IO, Any, Callable, Dict, List, Mapping, TypeVar, Union

import numpy as np
import torch

import hotset

from ._library import Path
from ._plan import Plan
from .torch_rows import Key, Rows, as_tensor, held_rows, row_ids

T = TypeVar("T")


class Shared(Dict[int, torch.Tensor]):
    """{gpu: rows} of this GPU and its peers, mapped from files. Its own file is locked as long as this lives, by which peers tell it from one left over."""

    path: str
    lock: IO[bytes]

    def remove(self) -> None:
        """Takes the own file away, where it is still there; those who mapped it go on with it."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)


def share(plan: Plan, gpu: int, host: torch.Tensor, folder: Path, timeout: float = 120.0) -> Dict[int, torch.Tensor]:
    """{gpu: rows in slot order} of this GPU and its peers, in CPU memory that all processes see: the stand-in for GPU memory.

    Every process calls it with its own gpu, the same folder, and host (all rows, a tensor). folder: of one job at a time, in memory (/dev/shm/..) or on a disk.
    A process writes the file of its own GPU, waits `timeout` seconds at most for those of its peers, and maps them; files of jobs that ended are replaced.
    Error: a process of another job still has a file, or a peer did not come.
    """
    return exchange(hotset.fill(plan, host, [gpu])[gpu], {g: len(plan.feature_ids(g)) for g in (gpu, *plan.peers(gpu))}, gpu, folder, timeout)


def exchange(own: torch.Tensor, rows: Mapping[int, int], gpu: int, folder: Path, timeout: float = 120.0) -> Shared:
    """share() of rows that are there: own are those of `gpu`; rows: {gpu: how many it holds} of this GPU and its peers."""
    os.makedirs(folder, exist_ok=True)
    path, until, out = os.path.join(folder, "gpu%d.rows" % gpu), time.monotonic() + timeout, Shared()
    out.path, out.lock = path, _published(own, path)
    weakref.finalize(out, out.lock.close)
    try:
        for g, count in rows.items():
            out[g] = _mapped(os.path.join(folder, "gpu%d.rows" % g), count, own, until, g == gpu)
    except BaseException:
        out.remove()
        raise
    return out


def _published(own: torch.Tensor, path: str) -> IO[bytes]:
    """Writes a locked file and gives it its name, all or nothing, where no living process has one of that name."""
    handle, part = tempfile.mkstemp(prefix=".rows-", dir=os.path.dirname(path))
    file = os.fdopen(handle, "w+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        if own.numel():
            own.contiguous().view(torch.uint8).numpy().tofile(file)
        until = time.monotonic() + 2
        while _alive(path):  # a job that is ending
            if time.monotonic() > until:
                raise hotset.Error(2, "%s is there already, of another job that runs; give each job a folder of its own" % path)
            time.sleep(0.01)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
    return file


def _alive(path: str) -> bool:
    """Whether a process that runs has written the file."""
    try:
        with open(path, "rb") as f:
            fcntl.flock(f, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True


def _mapped(path: str, rows: int, like: torch.Tensor, until: float, mine: bool) -> torch.Tensor:
    while not mine and not _alive(path):
        if time.monotonic() > until:
            raise hotset.Error(3, "%s did not appear; is the process of that GPU running, with the same folder?" % path)
        time.sleep(0.01)
    row_bytes = math.prod(like.shape[1:]) * like.element_size()
    if os.path.getsize(path) != rows * row_bytes:
        raise hotset.Error(3, "%s has %d bytes, expected %d rows of %d bytes; do all processes have the same plan and features?"
                           % (path, os.path.getsize(path), rows, row_bytes))
    if not rows:
        return like.new_empty((0, *like.shape[1:]))
    raw = np.memmap(path, np.uint8, "r+")  # mapped for writing, because torch has no read-only tensors
    return torch.from_numpy(raw).view(like.dtype).view(rows, *like.shape[1:])


def several(group: Any) -> bool:
    """Whether other processes of torch.distributed are in the group (None: the default one)."""
    import torch.distributed as dist
    return dist.is_available() and dist.is_initialized() and dist.get_world_size(group) > 1


_meetings: Dict[Any, Any] = {}


def meeting(group: Any) -> Any:
    """The group for objects of Python: the same processes under gloo, where torch has it. NCCL would put them on each process's current GPU, which may be one
    and the same. All of the group call it.
    """
    import torch.distributed as dist
    if not several(group) or not dist.is_gloo_available() or dist.get_backend(group) == "gloo":
        return group
    world: Any = group or dist.group.WORLD
    if world not in _meetings:
        _meetings[world] = dist.new_group(dist.get_process_group_ranks(world), backend="gloo", use_local_synchronization=True)
    return _meetings[world]


def agreed(prepare: Callable[[], T], together: bool, group: Any = None) -> T:
    """What prepare() gives. together: all processes of the group (left out: the default one) of torch.distributed come here, and where one fails all do, with nothing changed."""
    ready, error = None, None
    try:
        ready = prepare()
    except Exception as e:
        error = e
    if together:
        import torch.distributed as dist

        every: List[Any] = [None] * dist.get_world_size(group)
        dist.all_gather_object(every, None if error is None else "%s" % error, group=meeting(group))
        said = next((text for text in every if text is not None), None)
        if error is None and said is not None:
            raise hotset.Error(2, "another process of the job refused: %s" % said)
    try:
        if error is not None:
            raise error
    finally:
        error = None  # else it and this frame hold each other, and all that prepare() has made
    return ready  # type: ignore[return-value]


def symmetric(plan: Plan, gpu: int, host: Union[torch.Tensor, Mapping[Key, Rows]], device: torch.device | str, group: Any = None) -> Any:
    """The same on GPUs that reach each other (CUDA peer access), by torch's symmetric memory. Not run on a GPU.

    Every process of the group calls it; the rank of a process is the position of its GPU in plan.gpus. The memory of every GPU has the length of the longest
    list, because symmetric memory is equally long everywhere. host: all rows, a tensor, and the result is {gpu: rows}; of a plan of several types {type or relation: rows}, in the same order
    in all processes, and the result is {type or relation: {gpu: rows}}: memory= of hotset.pyg.Planned.
    """
    if isinstance(host, Mapping):
        return {k: _symmetric(plan, gpu, held_rows(plan, gpu, k, as_tensor(v)), max(len(row_ids(plan, g, k)) for g in plan.gpus), device, group)
                for k, v in host.items()}
    return _symmetric(plan, gpu, hotset.fill(plan, host, [gpu])[gpu], max(len(plan.feature_ids(g)) for g in plan.gpus), device, group)


def _symmetric(plan: Plan, gpu: int, own: torch.Tensor, longest: int, device: torch.device | str, group: Any) -> Dict[int, torch.Tensor]:
    import torch.distributed as dist
    import torch.distributed._symmetric_memory as symmetric_memory  # type: ignore[import-not-found,unused-ignore]

    group = group or dist.group.WORLD
    shape = (max(longest, 1), *own.shape[1:])
    mine = symmetric_memory.empty(*shape, dtype=own.dtype, device=torch.device(device))
    handle = symmetric_memory.rendezvous(mine, group)
    mine[:len(own)].copy_(own)
    dist.barrier(group)
    return {gpu: mine, **{g: handle.get_buffer(plan.gpus.index(g), shape, own.dtype) for g in plan.peers(gpu)}}
