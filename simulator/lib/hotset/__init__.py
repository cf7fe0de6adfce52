"""hotset - plans which rows each GPU caches, and serves a plan's rows as NumPy arrays, for PyTorch, DGL and PyG.

    import hotset
    g = hotset.graph(data)                           # PyG's Data or HeteroData, a SciPy matrix, (sources, targets), a graph directory or file
    p = hotset.make_plan(g, "dgx-v100", budget="5%", fanout=[25, 10])      # `hotset plan`, with its options as keywords; p.save("P") keeps it
    r = hotset.compare(g, "dgx-v100", policies=["legion", "hotset"], budget=["1%", "5%"])  # a table and a picture in notebooks
    r.to_pandas(); r.plot().save("r.svg"); r.save("r.json"); r.document    # also size, advise, simulate, validate, what_if, curve, drift, record,
                                                     # refresh, run("..")

These run the program hotset. What follows reads plans and gathers rows, through libhotset by ctypes; nothing to build.

    import hotset, torch
    plan = hotset.Plan("P")                          # opened and checked; see plan.policy, plan.gpus, plan.vertices
    rows = torch.from_numpy(plan.feature_ids(0))     # the vertices that GPU 0 caches, hottest first, mapped from the file
    cache = features[rows.long()].to("cuda:0")       # fill the cache in that order: row k of `cache` is slot k
    table = plan.lookup(0)                           # vertex -> (memory, slot), for reads of GPU 0
    memory, slot = table.find(batch_ids)             # memory: position in plan.gpus, -1 for the host

    rows = hotset.PlannedRows(plan, 0, features)     # or all at once: the plan's caches in CPU memory (NumPy or torch)
    x = rows.gather(batch_ids)                       # one call; equals features[batch_ids]; rows.counts: own, peer, host

    for batch in hotset.Batches("B").of(0): ..       # the mini-batches of `hotset simulate P --export-batches B`

    hotset.observe("job.jsonl", gpu, epoch, batches, rows.counts, rows.row_bytes)    # what an epoch read, for `hotset observe P job.jsonl`

    papers = plan.table("feature", "paper")          # of a graph with several types: each table of rows has the calls of a Plan

    plan = hotset.write_plan("Q", "G", "dgx-v100", feature={0: ids0, 1: ids1})   # a placement of your own as a plan

Terms. A GPU is named by the server's number for it, as in plan.gpus; only table entries hold positions in that list. The slot of a row is its place in
the fill order of the GPU that holds it. A GPU reads a row from its own memory; otherwise from the first of plan.peers(gpu) that holds it; otherwise from
the host.

Lifetime. Arrays of ids are read-only views of mapped files. Each keeps the plan open as long as it lives, also after torch.from_numpy and `del plan`.
There is no close(): the plan is closed with its last view. torch.from_numpy shares the memory and warns once that it is not writable. Such a tensor is
for reading; .clone() or .to("cuda") makes a writable one.

The rest: write_plan, curve, what_if, drift, validate, options, load_graph, reload, Loaded, EpochOrder, observe, Lookup, PlannedTopology, fill, Batch, Hop,
Bytes, library_version; errors are of the classes UsageError (a ValueError), InputError, MissingError and LimitError.

Modules that need more than NumPy are imported by name: hotset.pyg (PyTorch Geometric), hotset.graphbolt (DGL), hotset.peers (processes of one GPU each).

If $HOTSET_LIBRARY is set, the library is loaded from there only. Otherwise it is searched in this folder, beside it, then below the prefix that it was
installed in (share/hotset/hotset -> lib), then in the build folder of a checkout, then by the system's loader (LD_LIBRARY_PATH, ldconfig).
"""
from typing import Any, List

from ._batches import Batches
from ._batches import Batch as Batch, Hop as Hop
from ._face import Server, Trace, advise, compare, make_plan, record, refresh, run, server, simulate, size
from ._face import curve as curve, drift as drift, options as options, plan as plan, validate as validate, what_if as what_if, write_plan as write_plan
from ._graphs import Graph, graph
from ._graphs import load_graph as load_graph
from ._library import Error
from ._library import (InputError as InputError, LimitError as LimitError, MissingError as MissingError, UsageError as UsageError, library_version as
                       library_version)
from ._loaded import Loaded as Loaded, reload as reload
from ._lookup import Lookup as Lookup
from ._observed import observe as observe
from ._old import old as _old_module
from ._orders import EpochOrder as EpochOrder
from ._plan import Plan
from ._plan import Bytes as Bytes
from ._recorder import Recorder, recorded
from ._result import Result
from ._rows import PlannedRows
from ._rows import fill as fill
from ._topology import PlannedTopology as PlannedTopology

#: What most programs need; the rest of what the text above names is there, too.
__all__ = ["graph", "server", "make_plan", "compare", "simulate", "size", "advise", "record", "recorded", "refresh", "run", "Graph", "Server", "Plan",
           "Trace", "Result", "Batches", "PlannedRows", "Recorder", "Error"]


def __dir__() -> List[str]:
    return [*__all__, "UsageError", "InputError", "MissingError", "LimitError", "pyg", "graphbolt", "peers", "own", "torch_rows", "examples"]


def __getattr__(name: str) -> Any:
    return _old_module(name)
