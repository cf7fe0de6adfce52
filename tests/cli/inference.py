"""inference.py G P: counts a plan of inference again, in plain Python, from the graph's arrays and the plan's lists, and prints every
number of plan.json that differs. Of graphs of one type and of several; without SSDs, or with rows and levels there."""
import json
import os
import sys

from recount import npy

G, P = sys.argv[1:3]
plan, graph = json.load(open(P + "/plan.json")), json.load(open(G + "/graph.json"))
load = lambda folder, name: list(npy(os.path.join(folder, name)))
model, L = plan["model"], plan["model"]["layers"]
element = 4 if model["between"] == "f32" else 2


def rows_of_graph():
    """Of every vertex: entries of its rows, how many rows it has, what they list, and bytes of its features."""
    if graph["schema"] == "graph/1":
        indptr, indices = load(G, "indptr.npy"), load(G, "indices.npy")
        n = len(indptr) - 1
        lists = [indices[indptr[v]:indptr[v + 1]] for v in range(n)]
        return lists, [1] * n, [graph["feature_dim"] * graph["feature_bytes"]] * n
    first, n, size = {}, 0, []
    for t in graph["types"]:
        first[t["name"]] = n
        n += t["count"]
        bytes_of = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "f8": 1, "i8": 1, "u8": 1}
        size += [(t["feature_dim"] or 0) * bytes_of.get(t["feature_type"], 0)] * t["count"]
    lists, rows = [[] for _ in range(n)], [0] * n
    for k, r in enumerate(graph["relations"]):
        indptr, indices = load(G, f"relation{k}_indptr.npy"), load(G, f"relation{k}_indices.npy")
        for v in range(len(indptr) - 1):
            at = first[r["target"]] + v
            rows[at] += 1
            lists[at] += [first[r["source"]] + u for u in indices[indptr[v]:indptr[v + 1]]]
    return lists, rows, size


lists, rows, feature = rows_of_graph()
n, order = len(lists), load(P, "order.npy")
assert sorted(order) == list(range(n)), "order.npy is no order"
gpus = [g["id"] for g in plan["layers"][0]["gpus"]]
wanted = set(load(P, "evaluated.npy")) if os.path.exists(P + "/evaluated.npy") else set(range(n))
sets = [wanted]
for _ in range(L):
    sets.insert(0, sets[0] | {u for v in sets[0] for u in lists[v]})
topology = lambda v: 4 * len(lists[v]) + 8 * rows[v]
size = lambda level, v: feature[v] if level == 0 else element * (model["classes"] if level == L else model["hidden"])
work = lambda v: sum(v in s for s in sets[1:]) * (len(lists[v]) + 1)

total, before, gpu_of = sum(map(work, order)), 0, {}
for v in order:
    gpu_of[v] = min((2 * before + work(v)) * len(gpus) // (2 * total), len(gpus) - 1)
    before += work(v)
kept_topology = {v for i in gpus for v in load(P, f"gpu{i}_topology.npy")}
chunk, found = plan["chunk"], []


def chunks(layer):
    limit, largest = chunk["limit"] or 1 << 62, max(feature) if layer == 1 else size(layer - 1, 0)
    weigh = {"vertices": lambda v: 1, "edges": lambda v: len(lists[v]),
             "bytes": lambda v: topology(v) + (len(lists[v]) + 1) * largest}[chunk["unit"]]
    for g in range(len(gpus)):
        now, held = [], 0
        for v in order:
            if gpu_of[v] != g or v not in sets[layer]:
                continue
            if now and held + weigh(v) > limit:
                yield g, now
                now, held = [], 0
            now.append(v)
            held += weigh(v)
        if now:
            yield g, now


for layer in range(1, L + 1):
    said, lists_of = plan["layers"][layer - 1], plan["lists_of"][layer - 1]
    held = [set(load(P, f"gpu{i}_layer{lists_of}.npy")) for i in gpus]
    clique = json.loads(os.environ.get("CLIQUES", "null")) or [0] * len(gpus)
    name = f"{P}/dram_layer{layer}.npy"
    dram = set(npy(name)) if os.path.exists(name) else set()
    counted = dict.fromkeys(["chunks", "vertices", "arcs", "rows", "own_rows", "peer_rows", "host_rows", "ssd_rows", "fill_rows",
                             "row_bytes", "topology_bytes", "topology_kept_bytes", "written_bytes"], 0)
    where = lambda u: "ssd_rows" if said["input"] == "ssd" and u not in dram else "host_rows"
    for g, members in chunks(layer):
        need = set(members).union(*(lists[v] for v in members))
        counted["chunks"] += 1
        counted["vertices"] += len(members)
        counted["arcs"] += sum(len(lists[v]) for v in members)
        counted["rows"] += len(need)
        counted["row_bytes"] += sum(size(layer - 1, u) for u in need)
        counted["written_bytes"] += sum(size(layer, v) for v in members)
        for v in members:
            counted["topology_kept_bytes" if layer > 1 and v in kept_topology else "topology_bytes"] += topology(v)
        for u in need:
            peers = [p for p in range(len(gpus)) if clique[p] == clique[g] and u in held[p]]
            counted["own_rows" if g in peers else "peer_rows" if peers else where(u)] += 1
    for h in held:
        for u in h:
            counted["fill_rows"] += 1
            counted[where(u)] += 1
    for key, value in counted.items():
        if said[key] != value:
            print(f"layer {layer}: {key} is {said[key]}, counted {value}")
    if plan["evaluated"]["vertices"] != len(wanted):
        print("evaluated vertices differ")
