"""Deals the training vertices of a graph to nodes once more. usage: refresh_nodes_train.py OLD NEW REFRESHED.json GRAPH GRAPH2

Vertices that train in both graphs train on the node where they did; new ones, by id, on the node whose GPUs and DRAM hold the most bytes of their
own rows and their neighbours', as long as it has less than an equal part.
"""
import json
import sys

from recount import npy

old, new, said_path, graph, graph2 = sys.argv[1:]
said = json.load(open(said_path))
nodes = range(said["nodes"])
indptr, indices = list(npy(graph + "/indptr.npy")), list(npy(graph + "/indices.npy"))
dim = json.load(open(graph + "/graph.json"))["feature_dim"]
size = {"feature": lambda v: 4 * dim, "topology": lambda v: 8 + 4 * (indptr[v + 1] - indptr[v])}
plan = {p: [json.load(open(f"{p}/node{n}/plan.json")) for n in nodes] for p in (old, new)}
trained = lambda p: [{v for g in plan[p][n]["gpus"] for v in npy(f"{p}/node{n}/gpu{g['id']}_train.npy")} for n in nodes]
before, after, train = trained(old), trained(new), list(npy(graph2 + "/train.npy"))
assert sum(map(len, after)) == len(set().union(*after)) == len(train) and set().union(*after) == set(train)


def held(n):
    bytes_ = [0] * (len(indptr) - 1)
    for kind in size:
        lists = [f"gpu{g['id']}_{kind}.npy" for g in plan[old][n]["gpus"]]
        lists += [x[kind]["file"] for x in plan[old][n]["memories"]["places"] if x["kind"] == "dram"]
        for name in lists:
            for v in npy(f"{old}/node{n}/{name}"): bytes_[v] += size[kind](v)
    return bytes_


bytes_ = [held(n) for n in nodes]
part = [{v for v in train if v in b} for b in before]
most = -(-len(train) // len(nodes))
for v in sorted(set(train) - set().union(*before)):
    row = indices[indptr[v]:indptr[v + 1]]
    row = row[::1 + len(row) // 64]
    finds = lambda n: bytes_[n][v] + sum(bytes_[n][u] for u in row)
    part[min((n for n in nodes if len(part[n]) < most), key=lambda n: (-finds(n), len(part[n]), n))].add(v)
assert part == after, [len(a ^ b) for a, b in zip(part, after)]
for n in nodes:
    shares = [g["train"]["count"] for g in plan[new][n]["gpus"]]
    assert min(shares) > 0, shares
change = said["graph_change"]
assert change["training_set"] and (change["train_vertices_before"], change["train_vertices"], change["train_vertices_shared"]) == (
    sum(map(len, before)), len(train), len(set(train) & set().union(*before))), change
assert not change["edges"] and said["after"]["simulated"]["total_transactions"] == sum(p["simulated"]["total_transactions"] for p in plan[new])
print([len(p) for p in part], "trained, before", [len(p) for p in before])
