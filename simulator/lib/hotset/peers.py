"""peers.py - one process per GPU: each fills its own rows and reads those of its peers."""
from __future__ import annotations

import math
import os
import time
from typing import Any, Dict, Mapping, Union

import numpy as np
import torch

import hotset

from ._library import Path
from ._plan import Plan
from .torch_rows import Key, Rows, as_tensor, held_rows, row_ids


def share(plan: Plan, gpu: int, host: torch.Tensor, folder: Path, timeout: float = 120.0) -> Dict[int, torch.Tensor]:
    """{gpu: rows in slot order} of this GPU and its peers, in CPU memory that all processes see: the stand-in for GPU memory.

    Every process calls it with its own gpu, the same folder, and host (all rows, a tensor). folder: new for each job, in memory (/dev/shm/..) or on a disk.
    A process writes the file of its own GPU, waits `timeout` seconds at most for those of its peers, and maps them. Error: a file of an earlier job, or a peer
    that did not come.
    """
    return exchange(hotset.fill(plan, host, [gpu])[gpu], {g: len(plan.feature_ids(g)) for g in (gpu, *plan.peers(gpu))}, gpu, folder, timeout)


def exchange(own: torch.Tensor, rows: Dict[int, int], gpu: int, folder: Path, timeout: float = 120.0) -> Dict[int, torch.Tensor]:
    """share() of rows that are there: own are those of `gpu`; rows: {gpu: how many it holds} of this GPU and its peers."""
    os.makedirs(folder, exist_ok=True)
    path, part = os.path.join(folder, "gpu%d.rows" % gpu), os.path.join(folder, ".gpu%d.%d" % (gpu, os.getpid()))
    own.contiguous().view(torch.uint8).numpy().tofile(part) if own.numel() else open(part, "wb").close()
    try:
        os.link(part, path)  # all or nothing, and never over another
    except FileExistsError:
        raise hotset.Error(2, "%s is there already, of another job; give each job a folder of its own" % path) from None
    finally:
        os.unlink(part)
    return {g: _mapped(os.path.join(folder, "gpu%d.rows" % g), count, own, time.monotonic() + timeout) for g, count in rows.items()}


def _mapped(path: str, rows: int, like: torch.Tensor, until: float) -> torch.Tensor:
    while not os.path.exists(path):
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
