"""Writes a graph with several node types, made of a real one with one type, as hetero.json.

usage: stories_types.py EDGES.csv[.gz] TARGET.csv[.gz] OUT   page types of MUSAE's Facebook graph become node types
       stories_types.py GRAPH.npz '' OUT                     vertices of few and of many edges become two types

A type has a relation to each type that it is joined with, and back; a fifth of the first type trains.
"""
import array
import csv
import gzip
import io
import json
import os
import struct
import sys
import zipfile


def text(path):
    return io.TextIOWrapper(gzip.open(path) if path.endswith(".gz") else open(path, "rb"), encoding="utf-8")


def npz_edges(path):
    raw = zipfile.ZipFile(path).read("edges.npy")
    head = struct.unpack("<H", raw[8:10])[0]
    flat = array.array("q" if b"8'" in raw[:10 + head] else "i", raw[10 + head:])
    return list(zip(flat[::2], flat[1::2]))


def write_npy(path, shape, values):
    head = str({"descr": "<i8", "fortran_order": False, "shape": shape}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + array.array("q", values).tobytes())


def main():
    source, target, out = sys.argv[1:]
    if target:
        edges = [(int(r["id_1"]), int(r["id_2"])) for r in csv.DictReader(text(source))]
        kind = {int(r["id"]): r["page_type"] for r in csv.DictReader(text(target))}
    else:
        edges = npz_edges(source)
        degree = [0] * (1 + max(max(e) for e in edges))
        for u, v in edges:
            degree[u] += 1
            degree[v] += 1
        kind = {v: "hub" if d >= 60 else "page" for v, d in enumerate(degree)}
    names = sorted(set(kind.values()), reverse=not target)
    place, count = {}, dict.fromkeys(names, 0)
    for v in sorted(kind):
        place[v] = count[kind[v]]
        count[kind[v]] += 1
    lists = {}
    for u, v in edges:
        for a, b in ((u, v), (v, u)):
            lists.setdefault((kind[a], kind[b]), set()).add((place[a], place[b]))
    os.mkdir(out)
    doc = {"name": "pages", "types": [{"name": t, "count": count[t], "feature_dim": 64} for t in names], "relations": []}
    doc["types"][0]["train"] = "train.npy"
    train = list(range(0, count[names[0]], 5))
    write_npy(os.path.join(out, "train.npy"), (len(train),), train)
    for a, b in sorted(lists):
        pairs, file = sorted(lists[a, b]), f"{a}-{b}.npy"
        doc["relations"].append({"source": a, "name": f"{a}_of", "target": b, "edge_index": file})
        write_npy(os.path.join(out, file), (2, len(pairs)), [p[0] for p in pairs] + [p[1] for p in pairs])
    with open(os.path.join(out, "hetero.json"), "w") as f:
        json.dump(doc, f)


main()
