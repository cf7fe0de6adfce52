"""hotset - reads a plan of hotset as NumPy arrays, for PyTorch, DGL and PyG. It calls libhotset through ctypes; nothing to build.

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

    papers = hotset.PlanTables("P").find("feature", "paper")    # a plan of a graph with several types: each table has the calls of a Plan

    plan = hotset.write_plan("Q", "G", "dgx-v100", feature={0: ids0, 1: ids1})   # a placement of your own as a plan

Terms. A GPU is named by the server's number for it, as in plan.gpus; only table entries hold positions in that list. The slot of a row is its place in
the fill order of the GPU that holds it. A GPU reads a row from its own memory; otherwise from the first of plan.peers(gpu) that holds it; otherwise from
the host.

Lifetime. Arrays of ids are read-only views of mapped files. Each keeps the plan open as long as it lives, also after torch.from_numpy and `del plan`.
There is no close(): the plan is closed with its last view. torch.from_numpy shares the memory and warns once that it is not writable. Such a tensor is
for reading; .clone() or .to("cuda") makes a writable one.

Modules that need more than NumPy are imported by name: hotset.pyg (PyTorch Geometric), hotset.graphbolt (DGL), hotset.peers (processes of one GPU each).

If $HOTSET_LIBRARY is set, the library is loaded from there only. Otherwise it is searched in this folder, beside it, then below the prefix that it was
installed in (share/hotset/hotset -> lib), then in the build folder of a checkout, then by the system's loader (LD_LIBRARY_PATH, ldconfig).
"""
from ._library import Error, library_version
from .batches import Batch, Batches, Hop
from .lookup import Lookup
from .observed import observe
from .plan import Bytes, Plan, write_plan
from .rows import PlannedRows, fill
from .topology import PlannedTopology
from .typed_plan import PlanTable, PlanTables

__all__ = ["Plan", "Lookup", "PlannedRows", "PlannedTopology", "PlanTables", "PlanTable", "fill", "Batches", "Batch", "Hop", "Bytes", "Error", "library_version", "observe", "write_plan"]
