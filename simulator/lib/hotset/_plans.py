"""_plans.py - a plan for a job of PyG, made once and kept (exported by hotset.pyg as plan)."""
from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np
import torch

from . import _options
from ._keywords import takes
from ._library import Error, MissingError, Path, library_version
from ._plan import Plan, Relation
from ._face import ServerLike, make_plan, run
from ._face import server as server_of
from ._graphs import graph
from .peers import meeting, several

if TYPE_CHECKING:
    from typing_extensions import Unpack

Neighbors = Union[List[int], Tuple[int, ...], Mapping[Relation, List[int]]]


@takes(_options.JobOptions)
def plan(data: Any, server: ServerLike = "auto", memory: Union[None, str, int] = None, num_neighbors: Optional[Neighbors] = None,
         batch_size: Optional[int] = None, path: Optional[Path] = None, group: Any = None, **options: Unpack[_options.JobOptions]) -> Plan:
    """Plans what each GPU keeps for this job, once: the same data, server and options find the plan again.

        plan = hotset.pyg.plan(data, server="auto", memory="8GiB", num_neighbors=[15, 10], batch_size=1024)

    data: Data or HeteroData with x, edges and a training set (train_mask). server: "auto" asks the NVIDIA driver of this machine; else as hotset.server takes
    it. memory: of each GPU for rows, "8GiB" or "5%" of all bytes (--budget); left out, what the job leaves free. path: the folder of kept plans; left out,
    $XDG_CACHE_HOME/hotset or ~/.cache/hotset. Under torch.distributed rank 0 of the group plans, and the others wait; they must see the same path.

    PyG samples on the CPU, so the plan keeps no neighbour lists on GPUs (sampling="cpu"), unless options say otherwise. Names of the command line are taken,
    too: fanout, batch, budget. Fingerprints are of the edges and the training set; of features the shape and the type alone.
    """
    given: Dict[str, Any] = {"sampling": "cpu", "quiet": True, **options}
    for name, other, value in (("budget", "memory", memory), ("fanout", "num_neighbors", num_neighbors), ("batch", "batch_size", batch_size)):
        if value is not None and given.get(name) is not None:
            raise Error(2, "%s and %s say the same; give one of them" % (other, name))
        if value is not None:
            given[name] = dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, (list, tuple)) else value
    if not several(group):
        return Plan(_kept(data, server, path, given))
    said: List[Any] = [None, None]
    if torch.distributed.get_rank(group) == 0:
        try:
            said[0] = _kept(data, server, path, given)
        except Error as e:
            said[1] = (e.code, str(e))
        except Exception as e:  # the others must not wait for ever
            said[1] = (2, "%s: %s" % (type(e).__name__, e))
    first = torch.distributed.get_global_rank(group, 0) if group is not None else 0
    torch.distributed.broadcast_object_list(said, src=first, group=meeting(group))
    if said[1] is not None:
        raise Error(*said[1])
    return Plan(said[0])


def _kept(data: Any, server: ServerLike, path: Optional[Path], options: Dict[str, Any]) -> str:
    """The folder of the plan, which is there now."""
    folder = os.fspath(path) if path is not None else os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "hotset")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".plan-", dir=folder) as work:
        known = _probed(work) if isinstance(server, str) and server == "auto" else server_of(server)
        to = os.path.join(folder, _fingerprint(data, known.document, options))
        if not os.path.exists(os.path.join(to, "plan.json")):
            made = make_plan(graph(data, quiet=True), known, **options)
            part = os.path.join(work, "made")
            made.save(part)
            try:
                os.replace(part, to)
            except OSError:  # another job made it meanwhile
                if not os.path.exists(os.path.join(to, "plan.json")):
                    raise
                shutil.rmtree(part, ignore_errors=True)
    return to


def _probed(folder: str) -> Any:
    """The server that this machine is."""
    file = os.path.join(folder, "server.json")
    try:
        run("server probe", output=file, quiet=True)
    except Error as e:
        raise MissingError(4, "server=\"auto\": %s; name the server, as server=\"dgx-a100:4\" (hotset list servers)" % str(e).rpartition("; ")[0]) from None
    return server_of(file)


def _fingerprint(data: Any, server: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Of all that decides the plan."""
    state = hashlib.sha256(repr((library_version(), sorted((k, repr(v)) for k, v in server.items()))).encode())
    for name, value in sorted(options.items()):
        if name not in ("quiet", "threads", "progress") and value is not None and value is not False:
            state.update(name.encode())
            _add(state, value)
    for store in data.stores if hasattr(data, "stores") else [data]:
        for name, value in sorted((str(k), v) for k, v in store.items()):
            whole = name in ("edge_index", "adj_t", "edge_weight", "y", "num_nodes") or "mask" in name or name.endswith("_idx")
            if not whole and not hasattr(value, "shape"):
                continue
            state.update(repr((getattr(store, "_key", None), name, *((tuple(value.shape), value.dtype) if hasattr(value, "shape") else ()))).encode())
            if whole:
                _add(state, value)
    return state.hexdigest()[:24]


def _add(state: Any, value: Any) -> None:
    """What a value holds; of a file its bytes, of a folder which files it has, how long and how old."""
    if hasattr(value, "__array__"):
        array = np.ascontiguousarray(value.detach().cpu() if isinstance(value, torch.Tensor) else value)
        state.update(repr((array.shape, array.dtype.str)).encode())
        state.update(array.tobytes() if array.dtype == object else array.data)
    elif isinstance(value, (list, tuple)) and all(isinstance(one, (int, float)) for one in value):
        _add(state, np.asarray(value))
    elif isinstance(value, (list, tuple, dict)):
        state.update(repr((type(value).__name__, len(value), sorted(map(str, value)) if isinstance(value, dict) else "")).encode())
        for one in (value[k] for k in sorted(value, key=str)) if isinstance(value, dict) else value:
            _add(state, one)
    elif isinstance(value, (str, os.PathLike)):
        path: str = os.fspath(value)
        state.update(path.encode())
        if os.path.isfile(path):
            with open(path, "rb") as f:
                state.update(f.read())
        elif os.path.isdir(path):
            state.update(repr(sorted((e.name, e.stat().st_size, e.stat().st_mtime_ns) for e in os.scandir(path))).encode())
    elif callable(value):
        raise Error(2, "a function cannot be told from another, so its plan is not kept; make it by hotset.make_plan(hotset.graph(data), server, policy=function)")
    else:
        state.update(repr(value).encode())
