"""_torch_draw.py - draws neighbours uniformly from lists that a Topology reads."""
from __future__ import annotations

from typing import Tuple

import torch

from ._topology import Topology


def draw(topology: Topology, targets: torch.Tensor, fanout: int) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(position in targets, edge, neighbour) of min(fanout, degree) distinct draws per target, grouped by target; fanout -1: all neighbours.

    topology: a Topology (hotset._topology), which counts the visits. targets: int64 [n]; the three are int64, with
    an entry per draw. Draws come from torch's generator.
    """
    visit = topology.visit(targets.numpy())
    begin, degree = torch.from_numpy(visit.begin), torch.from_numpy(visit.degree)
    take = degree if fanout < 0 else degree.clamp(max=fanout)
    of = torch.repeat_interleave(torch.arange(len(targets)), take)
    first = take.cumsum(0) - take
    at = torch.arange(len(of)) - first[of]  # all neighbours, in their order
    many = (degree > take).nonzero().squeeze(1)
    if len(many):
        chosen = torch.empty((len(many), fanout), dtype=torch.int64)
        for k in range(fanout):  # Floyd's: the new pick, or the last place where it is taken already
            last = degree[many] - fanout + k
            pick = (torch.rand(len(many), dtype=torch.float64) * (last + 1)).long().minimum(last)
            taken = (chosen[:, :k] == pick[:, None]).any(1)
            chosen[:, k] = torch.where(taken, last, pick)
        at[first[many][:, None] + torch.arange(fanout)] = chosen
    edge = begin[of] + at
    return of, edge, torch.from_numpy(visit.neighbours(of.numpy(), edge.numpy()))
