"""_arrays.py - the addresses and shapes of arrays that callers give: NumPy, buffers, torch tensors in CPU memory."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

from ._library import Error


def _rows_of(x: Any, what: str) -> Tuple[int, int, int]:
    """(address, rows, bytes of a row) of rows that lie one behind the other: a NumPy array, a buffer, or a torch tensor in CPU memory."""
    if hasattr(x, "data_ptr"):
        if x.device.type != "cpu":
            raise Error(2, "%s lies on %s; this gathers in CPU memory (hotset_cuda.h gathers on GPUs)" % (what, x.device))
        address, shape, item, packed = x.data_ptr(), x.shape, x.element_size(), x.is_contiguous()
    else:
        x = _array_of(x, what)
        if x.dtype.hasobject:
            raise Error(2, "%s holds Python objects; expected numbers" % what)
        address, shape, item, packed = x.__array_interface__["data"][0], x.shape, x.itemsize, x.flags.c_contiguous
    if not len(shape) or not packed:
        raise Error(2, "%s must be rows that lie one behind the other (C-contiguous), its shape is %s" % (what, tuple(shape)))
    for length in shape[1:]:
        item *= length
    return address, shape[0], item


def _array_of(x: Any, what: str) -> NDArray[Any]:
    """A NumPy array over the same memory; what NumPy would have to copy is refused."""
    if isinstance(x, np.ndarray):
        return x
    try:
        return np.asarray(memoryview(x))
    except TypeError:
        raise Error(2, "%s is a %s; expected a NumPy array, a buffer, or a torch tensor" % (what, type(x).__name__)) from None


def _ids_of(ids: Any) -> Tuple[int, int, int, Any]:
    """(address, how many, bytes each, object to keep alive) of vertex ids. Copied only if they have 1 or 2 bytes, are not contiguous, or are big-endian."""
    if hasattr(ids, "data_ptr"):
        width = ids.element_size()
        if ids.device.type != "cpu" or ids.dim() != 1 or ids.is_floating_point() or ids.is_complex() or width not in (4, 8):
            raise Error(2, "ids must be one row of 32-bit or 64-bit integers in CPU memory")
        ids = ids.contiguous()
        return ids.data_ptr(), ids.shape[0], width, ids
    if not (type(ids) is np.ndarray and ids.flags.c_contiguous):
        ids = np.ascontiguousarray(ids)
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise Error(2, "ids must be one row of integers, not %s of shape %s" % (ids.dtype, ids.shape))
    if ids.itemsize < 4 or ids.dtype.kind not in "iu" or not ids.dtype.isnative:
        ids = ids.astype(np.int64)
    return ids.__array_interface__["data"][0], ids.shape[0], ids.itemsize, ids


def _empty_like(host: Any, count: int) -> Any:
    if hasattr(host, "new_empty"):
        return host.new_empty((count, *host.shape[1:]))
    host = _array_of(host, "host")
    return np.empty((count, *host.shape[1:]), host.dtype)
