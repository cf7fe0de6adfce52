"""_orders.py - the training vertices of a plan's GPU, epoch by epoch, as torch's DistributedSampler gives those of a process."""
from __future__ import annotations

from typing import Any, Iterator, Optional

import numpy as np
from numpy.typing import NDArray

from ._library import Error
from ._plan import Plan


class EpochOrder:
    """A sampler for torch's DataLoader, Lightning and Accelerate: gives the training vertices that the plan deals to a GPU, in the order that it plans for each
    epoch (plan.epoch_order), where DistributedSampler would give every process a random share.

        loader = DataLoader(vertices, plan.batch, sampler=hotset.EpochOrder(plan, gpu))       # one process per GPU; items by vertex id
        trainer = lightning.Trainer(use_distributed_sampler=False)                            # Lightning: it calls set_epoch by itself
        model, optimizer = accelerator.prepare(model, optimizer)                              # Accelerate: the loader stays as it is

    gpu: the server's number for the GPU of this process; plan.gpus[rank]. of: the vertices that items of the data set stand for, ids [n] that differ: positions
    in it are given, not ids. type: of a graph with several types, whose vertices are shuffled anew in every epoch. even: every GPU gives as many items as that
    with most, some twice, as DistributedSampler does, so that no process waits for another's gradients; False: each item once. Error: `of` lacks a vertex.

    Each pass is the next epoch; set_epoch chooses one. len(): items per epoch.
    """

    def __init__(self, plan: Plan, gpu: int, seed: int = 0, epoch: int = 0, of: Any = None, type: Optional[str] = None, even: bool = True) -> None:
        self.plan, self.gpu, self.seed, self.epoch, self.type = plan, gpu, seed, epoch, type
        train = plan.train_ids(gpu, type)
        self._count = max(len(plan.train_ids(g, type)) for g in plan.gpus) if even and len(train) else len(train)
        self._sorted: Optional[NDArray[Any]] = None
        if of is not None:
            ids = np.asarray(of)
            self._place = np.argsort(ids, kind="stable")
            self._sorted = ids[self._place]
            at = np.searchsorted(self._sorted, train)
            if len(train) and not (at.max() < len(ids) and np.array_equal(self._sorted[at], train)):
                raise Error(2, "the data set lacks training vertices that the plan deals to GPU %d; give the ids of its items, or plan with its training set" % gpu)

    def __len__(self) -> int:
        return self._count

    def set_epoch(self, epoch: int) -> None:
        """The next pass is of this epoch."""
        self.epoch = epoch

    def order(self, epoch: int) -> NDArray[Any]:
        """What the pass of this epoch gives, int [len()]."""
        ids = self.plan.epoch_order(self.gpu, self.seed, epoch) if self.type is None else \
            np.random.default_rng([self.seed, epoch, self.gpu]).permutation(self.plan.train_ids(self.gpu, self.type))
        ids = np.resize(ids, self._count)
        return ids if self._sorted is None else self._place[np.searchsorted(self._sorted, ids)]

    def __iter__(self) -> Iterator[int]:
        order = self.order(self.epoch)
        self.epoch += 1
        return iter(order.tolist())
