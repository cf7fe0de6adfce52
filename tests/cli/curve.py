"""curve.py P BATCHES CURVE.json: simulates one cache per size in plain Python, on exported mini-batches, and prints every exact hit rate
of a curve of feature rows that differs: plan, optimum, LRU and FIFO of every type on every GPU, and their sums over GPUs. Also where those
lines have their knees. Of graphs of several types, each of whose caches is on its own."""
import json
import sys
from collections import Counter, OrderedDict, deque
from fractions import Fraction

from recount import npy

P, B, C = sys.argv[1:4]
curve, about = json.load(open(C)), json.load(open(B + "/batches.json"))
points, levels, types = curve["points"], about["hops"] + 1, about["graph"]["types"]


def lru(stream, capacity):
    cache, hits = OrderedDict(), 0
    for v in stream:
        if v in cache:
            cache.move_to_end(v)
            hits += 1
        elif capacity:
            if len(cache) == capacity:
                cache.popitem(last=False)
            cache[v] = None
    return hits


def fifo(stream, capacity):
    queue, held, hits = deque(), set(), 0
    for v in stream:
        if v in held:
            hits += 1
        elif capacity:
            if len(held) == capacity:
                held.discard(queue.popleft())
            queue.append(v)
            held.add(v)
    return hits


def differs(where, line, found, requests):
    for i, hits in enumerate(found):
        said = line["hit_rate"][i]
        if (said is None) != (hits is None) or hits is not None and abs(said - hits / requests) > 1e-9:
            print(f"{where}, {line['name']}, {i} of {points}: {said}, counted {hits} of {requests}")
    knee, y = line["knee"], line["hit_rate"]
    above = [-1 if v is None else v - (y[0] + (y[-1] - y[0]) * i / points) for i, v in enumerate(y)] if y[-1] is not None else [0]
    if max(above) <= 1e-9:
        if knee:
            print(f"{where}, {line['name']}: a knee at {knee['share']}, but the line is straight or ends early")
    elif not knee or abs(above[round(knee["share"] * points)] - max(above)) > 1e-8 or abs(y[round(knee["share"] * points)] - knee["hit_rate"]) > 1e-8:
        print(f"{where}, {line['name']}: knee {knee}, but the curve is farthest above its chord at {above.index(max(above))}")


sums = {}
for gpu in about["gpus"]:
    vertices, at = npy(f"{B}/gpu{gpu['id']}_vertices.npy"), npy(f"{B}/gpu{gpu['id']}_vertices_at.npy")
    batches = (len(at) - 1) // len(types) // levels
    for k, t in enumerate(types):
        part = [p for p in curve["parts"] if p["unit"] == f"gpu {gpu['id']}" and p["table"] == t["name"]][0]
        begin = [(b * len(types) + k) * levels for b in range(batches)]
        stream = [v for b in begin for v in vertices[at[b]:at[b + levels]]]
        own, reads, rows = list(npy(f"{P}/gpu{gpu['id']}_feature_{k}.npy")), Counter(stream), t["count"]
        if part["requests"] != len(stream) or part["distinct"] != len(reads) or part["bytes"] != 4 * rows * t["feature_dim"]:
            print(f"{part['unit']} {t['name']}: {part['requests']} requests for {part['distinct']} rows of {part['bytes']} bytes")
        capacity, most = [rows * i // points for i in range(points + 1)], sorted(reads.values(), reverse=True)
        count = {"lru": lambda c: lru(stream, c), "fifo": lambda c: fifo(stream, c), "optimum": lambda c: sum(most[:c]),
                 "plan": lambda c: sum(reads[v] for v in own[:c]) if c <= len(own) else None}
        for name, of in count.items():
            line = [x for x in part["lines"] if x["name"] == name and x["exact"]][0]
            found = [of(c) for c in capacity]
            differs(f"{part['unit']} {t['name']}", line, found, len(stream))
            requests, before = sums.get((t["name"], name), (0, [0] * (points + 1)))
            sums[t["name"], name] = requests + len(stream), [None if None in pair else sum(pair) for pair in zip(before, found)]
    # a cache that all types share: equal shares of each type's list, in bytes
    lists, reads, wide = [], [], [4 * t["feature_dim"] for t in types]
    for k, t in enumerate(types):
        own = list(npy(f"{P}/gpu{gpu['id']}_feature_{k}.npy"))
        lists += [(Fraction(i + 1, len(own)), k, v) for i, v in enumerate(own)]
        reads.append(Counter(v for b in range(batches) for v in vertices[at[(b * len(types) + k) * levels]:at[(b * len(types) + k) * levels + levels]]))
    part = [p for p in curve["parts"] if p["unit"] == f"gpu {gpu['id']}" and p["table"] == "all"][0]
    all_bytes, order, found = sum(t["count"] * w for t, w in zip(types, wide)), sorted(lists), []
    for i in range(points + 1):
        capacity, hits, held = all_bytes * i // points, 0, 0
        for _, k, v in order:
            if held + wide[k] > capacity:
                break
            held, hits = held + wide[k], hits + reads[k][v]
        found.append(hits if capacity <= sum(wide[k] for _, k, _ in order) else None)
    differs(f"gpu {gpu['id']} all", [x for x in part["lines"] if x["name"] == "plan"][0], found, part["requests"])
for (table, name), (requests, found) in sums.items():
    part = [p for p in curve["parts"] if p["unit"] == "all" and p["table"] == table][0]
    differs(f"all {table}", [x for x in part["lines"] if x["name"] == name][0], found, requests)
