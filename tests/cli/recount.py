"""What the programs here that count again share: how they read arrays, and whose rows a GPU reads. Nothing of hotset's code."""
import array
import ast
import math
import struct


def npy(path, dimensions=1):
    raw = open(path, "rb").read()
    if raw[:8] != b"\x93NUMPY\x01\x00":
        raise SystemExit("%s is no .npy file" % path)
    length, = struct.unpack("<H", raw[8:10])
    head = ast.literal_eval(raw[10:10 + length].decode())
    out = array.array({"<u4": "I", "<i8": "q", "<f4": "f"}[head["descr"]])
    out.frombytes(raw[10 + length:])
    if head["fortran_order"] or len(head["shape"]) != dimensions or math.prod(head["shape"]) != len(out) or (10 + length) % 64:
        raise SystemExit("%s: shape %s, but %d elements" % (path, head["shape"], len(out)))
    return out


def reached(plan, gpu, kind):
    """Rows of that kind that a GPU of the plan directory has itself or reads from peers."""
    return set().union(*(set(npy("%s/gpu%d_%s.npy" % (plan, g, kind))) for g in [gpu["id"]] + gpu["peers"]))


def mini_batches(folder, gpu):
    """Arrays of a GPU's exported mini-batches, by name."""
    return {k: npy("%s/gpu%d_%s.npy" % (folder, gpu["id"], k))
            for k in ("vertices", "vertices_at", "expanded", "expanded_at", "edges", "edges_at")}
