"""Recounts `hotset nodes` of a graph with several types. Prints one line per finding; nothing is well.

usage: nodes_types.py D            prints the seed of the held-out epochs, and writes parts.txt, the owner of every vertex
       nodes_types.py D T          T: a recording of the same parts with that seed, GPU i of which is node i
"""
import json
import sys

from recount import npy

D = sys.argv[1]
d = json.load(open(D + "/nodes.json"))
n, nodes, epochs = d["graph"]["vertices"], d["nodes"], d["epochs"]
size = []  # of every vertex's row
for t in d["graph"]["types"]:
    size += [t["feature_dim"] * {"f32": 4, "f16": 2}[t["feature_type"]] if t["feature_dim"] else 0] * t["count"]
owner = {}
for i in range(nodes):
    for v in npy("%s/node%d_owned.npy" % (D, i)):
        if v in owner or not size[v]: print("vertex %d has two owners, or no row" % v)
        owner[v] = i
if len(owner) != sum(map(bool, size)): print("%d rows are owned" % len(owner))
train = {v: i for i in range(nodes) for v in npy("%s/node%d_train.npy" % (D, i))}
if len(train) != d["graph"]["train_vertices"] or any(owner.get(v, i) != i for v, i in train.items()): print("training vertices")
if len(sys.argv) == 2:
    # vertices without a row are where their neighbours are; any part will do, as long as they train nothing
    open("parts.txt", "w").write("".join("%d\n" % owner.get(v, train.get(v, 0)) for v in range(n)))
    print(d["seed"])
    sys.exit()
counts = npy(sys.argv[2] + "/hotness_feature.npy", 2)
copies = [list(npy("%s/node%d_copies.npy" % (D, i))) for i in range(nodes)]
for i in range(nodes):
    if any(owner.get(v, i) == i for v in copies[i]) or len(set(copies[i])) != len(copies[i]): print("node %d copies what it owns, or twice" % i)
mean = lambda x: (x + epochs // 2) // epochs
near = lambda a, b: abs(a - b) <= 1e-6 * max(1, abs(a))
gathered = sum(counts[i * n + v] for i in range(nodes) for v in owner)
if mean(gathered) != d["gathered_rows"]: print("%d rows gathered, %d stated" % (mean(gathered), d["gathered_rows"]))
for p in d["rankings"][0]["points"]:
    room, rows, moved, held = p["alpha"] * sum(size) / nodes, [], [], []
    for i in range(nodes):
        used, kept = 0, set()
        for v in copies[i]:
            if used + size[v] > room: break
            used += size[v]
            kept.add(v)
        held.append((used, len(kept)))
        away = [v for v in owner if owner[v] != i and v not in kept]
        rows.append(sum(counts[i * n + v] for v in away))
        moved.append(sum(counts[i * n + v] * size[v] for v in away))
    if (p["copy_bytes"], p["copies"]) != max(held, key=lambda x: x[0]): print("alpha %g: copies" % p["alpha"], held)
    if mean(sum(rows)) != p["remote_rows"]: print("alpha %g: %d remote rows, %d stated" % (p["alpha"], mean(sum(rows)), p["remote_rows"]))
    if not near(sum(rows) / gathered, p["of_gathered"]): print("alpha %g: share" % p["alpha"])
    if not near(sum(moved) / epochs, p["remote_bytes"]): print("alpha %g: %g bytes, %g stated" % (p["alpha"], sum(moved) / epochs, p["remote_bytes"]))
    busiest = max(moved) / epochs
    if not near(busiest, p["busiest_bytes"]) or not near(busiest / 2e9 * 1e9, p["seconds"] * 1e9): print("alpha %g: busiest node" % p["alpha"])
points = {r["ranking"]: [p["remote_bytes"] for p in r["points"]] for r in d["rankings"]}
row = sum(max(counts[i * n + v] * size[v] for v in owner) for i in range(nodes)) / epochs  # where copies end, one row may not fit
for name, moved in points.items():
    if moved != sorted(moved, reverse=True): print(name, "moves more with more copies", moved)
    if any(a < b - row for a, b in zip(moved, points["oracle"])): print(name, "beats the oracle")
    if not moved[-1] < 0.8 * moved[0]: print(name, "saves nothing", moved)
topology = sum(8 * (next(t["count"] for t in d["graph"]["types"] if t["name"] == r["target"]) + 1) + 4 * r["edges"] +
               (r["edges"] * r["feature_dim"] * 4 if r["feature_dim"] else 0) for r in d["graph"]["relations"])
if topology != d["topology_bytes"]: print("topology", topology, "stated", d["topology_bytes"])
