"""_processes.py - what a process of a job has that runs a plan: its GPU, and the processes whose GPUs read each other's memory."""
from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any, List, Optional, Set, Tuple, Union

import torch

from ._library import Error
from .peers import agreed, meeting, several


class Device:
    """A GPU as CudaRows writes to it: tensors of torch, and torch's current stream."""

    def __init__(self, name: Union[str, torch.device]) -> None:
        of = torch.device(name)
        self.number: int = torch.cuda.current_device() if of.index is None else of.index
        self.name = torch.device(of.type, self.number)

    def rows(self, count: int, like: torch.Tensor) -> Tuple[torch.Tensor, int, int]:
        """(a new tensor, its address, the stream in which it may be used)."""
        out = torch.empty((count, *like.shape[1:]), dtype=like.dtype, device=self.name)
        return out, out.data_ptr(), self.stream()

    def stream(self) -> int:
        """The current stream."""
        return int(torch.cuda.current_stream(self.number).cuda_stream)

    def done(self, out: torch.Tensor) -> torch.Tensor:
        """The tensor, once the stream waits for it."""
        return out

    def synchronize(self) -> None:
        """Waits for the current stream."""
        torch.cuda.current_stream(self.number).synchronize()


def reached(plan: Any, gpu: int) -> Set[int]:
    """This GPU and those that it reads, or that read it, directly or by others."""
    near, left = {gpu}, [gpu]
    while left:
        here = left.pop()
        for other in plan.gpus:
            if other not in near and (other in plan.peers(here) or here in plan.peers(other)):
                near.add(other)
                left.append(other)
    return near


class Processes:
    """The processes of a plan's job, and those among them whose GPUs read each other's memory."""

    def __init__(self, plan: Any, gpu: int, group: Any) -> None:
        self.group: Any = None
        self.leader = 0
        if not several(group):
            return
        everyone: List[Any] = [None] * torch.distributed.get_world_size(group)
        torch.distributed.all_gather_object(everyone, gpu, group=meeting(group))
        twice = sorted({g for g in everyone if everyone.count(g) > 1})
        if twice:
            raise Error(2, "several processes serve GPU %d of the plan; give the group of the processes of one machine" % twice[0])
        near = reached(plan, gpu)
        absent = sorted(near - set(everyone))
        if absent:
            raise Error(2, "GPU %d reads rows of GPUs %s, which no process serves; start one process per GPU of the plan" % (gpu, absent))
        world: Any = group or torch.distributed.group.WORLD
        ranks = [torch.distributed.get_global_rank(world, k) for k, g in enumerate(everyone) if g in near]
        if len(ranks) > 1:
            self.group, self.leader = torch.distributed.new_group(ranks, backend="gloo", use_local_synchronization=True), ranks[0]

    def all(self, mine: Any) -> List[Any]:
        """What each of them has."""
        if self.group is None:
            return [mine]
        out: List[Any] = [None] * torch.distributed.get_world_size(self.group)
        torch.distributed.all_gather_object(out, mine, group=self.group)
        return out

    def leads(self) -> bool:
        """Whether this process does what one of them does for all."""
        return bool(torch.distributed.get_rank() == self.leader)

    def folder(self) -> str:
        """A folder in memory in which these processes meet."""
        mine, where = self.leads(), "/dev/shm" if os.path.isdir("/dev/shm") else None
        found: str = next(name for name in self.all(self.agreed(lambda: tempfile.mkdtemp(prefix="hotset-", dir=where) if mine else "")) if name)
        return found

    def remove(self, folder: Optional[str]) -> None:
        """Takes a folder away whose files all of them have mapped, or never will: nothing is left of it, however they end."""
        if folder is not None and self.leads():
            shutil.rmtree(folder, ignore_errors=True)

    def agreed(self, step: Any) -> Any:
        """What step() gives; where it fails in one of them, it fails in all."""
        return agreed(step, self.group is not None, self.group)
