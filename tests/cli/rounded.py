"""Rounded caches from the outside: rounds again in another way, and adds up plans again.

usage: rounded.py make FILE f4|f2 ROWS DIM SEED | one G P ELEMENT BYTES | bands T F.npy P [TYPE] | compared R.json UNMEASURED.json EXACT.json P

Shares nothing with hotset but the files; typed.py reads and writes NumPy's format.
"""
import ast
import bisect
import json
import math
import os
import random
import struct
import sys

import typed

E4M3 = sorted({s * (m / 8 * 2.0 ** -6 if e == 0 else (1 + m / 8) * 2.0 ** (e - 7)) for s in (1, -1) for e in range(16) for m in range(8) if (e, m) != (15, 7)})


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def nearest_e4m3(x):
    """By search; of two values equally near, the one with the even mantissa: they alternate from 0 on."""
    zero, at = E4M3.index(0), bisect.bisect(E4M3, x)
    return min(range(max(0, at - 1), min(len(E4M3), at + 1)), key=lambda i: (abs(E4M3[i] - x), (i - zero) % 2))


def bf16(x):
    bits, = struct.unpack("<I", struct.pack("<f", x))
    low = bits & 0xffff
    bits >>= 16
    bits += low > 0x8000 or (low == 0x8000 and bits & 1)
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def rounded(element, row):
    if element == "f16":
        return [struct.unpack("<e", struct.pack("<e", x))[0] for x in row]
    if element == "bf16":
        return [bf16(x) for x in row]
    if element == "f8":
        return [E4M3[nearest_e4m3(x)] for x in row]
    scale = single(max(abs(x) for x in row) / 127)
    return [single(max(-127, min(127, round(x / scale))) * scale) if scale else 0 for x in row]


def error(element, row):
    norm = math.sqrt(math.fsum(x * x for x in row))
    lost = math.sqrt(math.fsum((x - y) ** 2 for x, y in zip(row, rounded(element, row))))
    return lost / norm if norm else 0


def features(path):
    raw = open(path, "rb").read()
    length, = struct.unpack("<H", raw[8:10])
    head = ast.literal_eval(raw[10:10 + length].decode())
    n, dim = head["shape"]
    values = struct.unpack("<%d%s" % (n * dim, "e" if head["descr"].endswith("f2") else "f"), raw[10 + length:])
    return [values[i * dim:(i + 1) * dim] for i in range(n)]


def make(path, kind, n, dim, seed):
    r = random.Random(seed)
    rows = [[r.gauss(0, 1) * 10 ** r.uniform(-2, 1) if i % 50 else 0 for _ in range(dim)] for i in range(n)]
    head = str({"descr": "<" + kind, "fortran_order": False, "shape": (n, dim)}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
        for row in rows:
            f.write(struct.pack("<%d%s" % (dim, "e" if kind == "f2" else "f"), *row))


def one(g, p, element, each):
    """A quiver plan of rows with 128 bytes on the host: what GPUs hold, and what reads cost."""
    d, each = json.load(open(os.path.join(p, "plan.json"))), int(each)
    assert (d.get("cache_type", ""), d.get("cached_row_bytes", 128)) == (element.replace("host", ""), each)
    vertices = json.load(open(os.path.join(g, "graph.json")))["vertices"]
    s = d["simulated"]
    for gpu in d["gpus"]:
        f = gpu["feature"]
        assert f["count"] == min(gpu["budget_bytes"] // each, vertices) and f["bytes"] == each * f["count"], f
    host = 0
    for i, gpu in enumerate(s["gpus"]):
        rows = gpu["feature_rows"]
        assert s["traffic_bytes"][i][i] == each * rows["local"], (s["traffic_bytes"][i], rows)  # nothing else is held
        assert sum(s["traffic_bytes"][i][:-1]) == each * (rows["local"] + rows["peer"])
        host += rows["host"]
    assert s["feature_transactions"] == sum((4 * x["feature_rows"]["host"] // s["epochs"] + 1) // 2 for x in s["gpus"]), (s["feature_transactions"], host)


def compared(results, unmeasured, exact, p):
    """compare with rounded rows, the same without features, and with exact rows; p: the plan of hotset at 4 %, whose errors were measured."""
    rounded, plain, whole = (json.load(open(x))["rows"] for x in (results, unmeasured, exact))
    d = json.load(open(os.path.join(p, "plan.json")))
    for a, b, c in zip(rounded, plain, whole):
        assert (a["policy"], a["budget"]) == (b["policy"], b["budget"]) == (c["policy"], c["budget"])
        assert a["cache_types"] == b["cache_types"] == d["cache_types"] and "cache_types" not in c
        assert "expected_error" not in b and "expected_error" not in c and a["simulated"] == b["simulated"]
        assert a["simulated"]["total_transactions"] < c["simulated"]["total_transactions"], a["policy"]
        of = [x["expected_error"] for x in a["tables"] if x["expected_error"]]
        assert len(of) == 2 and math.isclose(sum(x["sum"] for x in of), a["expected_error"]["sum"], rel_tol=1e-7) and a["expected_error"]["overflowed_reads"] == 0
        # what GPUs served in the held-out epoch is about what was expected
        read = {x["type"]: x for x in a["simulated"]["tables"] if x["kind"] == "feature"}
        for x in a["tables"]:
            if x["expected_error"] and x["hit_rate"] > 0.2:
                # policies that take no estimates of expected reads go by one recording's counts
                served = (read[x["type"]]["reads"]["local"] + read[x["type"]]["reads"]["peer"]) / a["simulated"]["epochs"]
                assert abs(x["expected_error"]["sum"] / x["expected_error"]["mean"] / served - 1) < (0.1 if a["policy"] == "hotset" else 0.35), (a["policy"], x, served)
    mine, = (x for x in rounded if (x["policy"], x["budget"]) == ("hotset", "4%"))
    measured = {x["type"]: x["all"]["mean_of_gathers"] for x in d["rounding"]}  # over gathers of the recording, not over what is expected
    assert all(abs(x["expected_error"]["mean"] / measured[x["type"]] - 1) < 0.1 for x in mine["tables"] if x["expected_error"]), (mine["tables"], measured)
    assert mine["simulated"]["total_transactions"] == d["simulated"]["total_transactions"]


def bands(t, file, p, kind=None):
    """The errors of the rows that any GPU holds, hottest first by the trace."""
    d, rows = json.load(open(os.path.join(p, "plan.json"))), features(file)
    of = json.load(open(os.path.join(t, "trace.json")))
    flat, gpus = typed.npy_read(os.path.join(t, "hotness_feature.npy")), len(of["gpus"])
    n, first = len(flat) // gpus, 0
    for x in d["graph"].get("types", []) if kind else []:
        if x["name"] == kind:
            break
        first += x["count"]
    held = set()
    for gpu in d["gpus"]:
        for x in gpu["lists"] if kind else [gpu["feature"]]:
            if not kind or (x["kind"], x.get("type")) == ("feature", kind):
                held |= set(typed.npy_read(os.path.join(p, x["file"])))
    said = [x for x in d["rounding"] if x["type"] == kind][0] if kind else d["rounding"]
    heat = {v: sum(flat[g * n + first + v] for g in range(gpus)) for v in held}
    order = sorted(held, key=lambda v: (-heat[v], v))
    near = lambda a, b: math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)
    whole = [(x["first"], x["rows"]) for x in said["bands"]]
    assert whole == [(len(order) * b // 10 + 1, len(order) * (b + 1) // 10 - len(order) * b // 10) for b in range(10)], whole
    for x in said["bands"] + [said["all"]]:
        mine = order[x["first"] - 1:x["first"] - 1 + x["rows"]]
        lost = [error(said["element"], rows[v]) for v in mine]
        assert x["gathers"] == sum(heat[v] for v in mine) and near(x["mean"], math.fsum(lost) / len(lost)) and near(x["worst"], max(lost)), (x, max(lost))
        assert x["overflowed"] == 0
    lost = math.fsum(heat[v] * error(said["element"], rows[v]) for v in order)
    assert near(said["all"]["mean_of_gathers"], lost / sum(heat.values()))
    assert said["all"]["worst"] > 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6]))
    else:
        {"one": one, "bands": bands, "compared": compared}[sys.argv[1]](*sys.argv[2:])
