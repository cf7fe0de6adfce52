"""Holds the order of training vertices against the rule, restated here, and against Python's hotset where NumPy is.

usage: order.py P B HOTSET_PY_FOLDER

P: a plan; B: exported mini-batches of it. Prints one line per finding; nothing is well. Shares nothing with hotset but the files.
"""
import json
import os
import sys

import recount


def npy(path):
    return list(recount.npy(path))


def philox(key, c0, c1, c2, c3):
    """Salmon et al., SC'11: ten rounds of Philox4x32."""
    k0, k1, low = key & 0xffffffff, key >> 32, 0xffffffff
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b & low, (a >> 32) ^ c3 ^ k1, a & low
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
    return c0, c1, c2, c3


def word(text):
    return int.from_bytes(text.encode(), "big")


def epoch(order, ids, batch, seed, gpu, number):
    who, count = gpu << 24 | number, len(ids)

    def shuffled(some):
        return sorted(some, key=lambda v: (philox(seed, v, word("shuf"), who, word("ordn"))[0], v))

    if order == "shuffle" or not ids:
        return shuffled(ids)
    random = philox(seed, who, 0, word("rota"), word("hash"))
    first = (random[1] << 32 | random[0]) % count
    circle = ids[first:] + ids[:first]
    if order == "bfs":
        return circle
    block = max(1, batch // int(order.split(":")[1]))
    blocks = [circle[i:i + block] for i in range(0, count, block)]
    places = sorted(range(len(blocks)), key=lambda j: (philox(seed, j, word("bloc"), who, word("ordn"))[0], j))
    row = [v for j in places for v in blocks[j]]
    return [v for i in range(0, count, batch) for v in shuffled(row[i:i + batch])]


plan_path, batches_path, library = sys.argv[1:4]
plan = json.load(open(os.path.join(plan_path, "plan.json")))
about = json.load(open(os.path.join(batches_path, "batches.json")))
order, batch, seed = plan["workload"].get("order", "shuffle"), plan["workload"]["batch"], about["seed"]
sys.path.insert(0, library)
try:
    import numpy
    import hotset
    opened = hotset.Plan(plan_path)
except ImportError:
    opened = None
several = False
for gpu in [g["id"] for g in plan["gpus"]]:
    train = npy(os.path.join(plan_path, "gpu%d_train.npy" % gpu))
    file = os.path.join(plan_path, "gpu%d_order.npy" % gpu)
    if os.path.exists(file) != (order != "shuffle"):
        print("GPU %d: order %s, but gpu%d_order.npy is %s" % (gpu, order, gpu, "there" if os.path.exists(file) else "missing"))
        continue
    ids = npy(file) if order != "shuffle" else train
    if sorted(ids) != train:
        print("GPU %d: its order does not list its training vertices" % gpu)
    seeds = npy(os.path.join(batches_path, "gpu%d_seeds.npy" % gpu))
    several |= len(train) > batch
    for e in range(about["epochs"]):
        want = epoch(order, ids, batch, seed, gpu, e)
        if seeds[e * len(train):(e + 1) * len(train)] != want:
            print("GPU %d, epoch %d: the exported seeds are not in the order of the rule" % (gpu, e))
        if opened and opened.epoch_order(gpu, seed, e).tolist() != want:
            print("GPU %d, epoch %d: Python's hotset has another order" % (gpu, e))
        if opened and (opened.order, opened.batch) != (order, batch):
            print("Python's hotset says order %s, batch %d" % (opened.order, opened.batch))
if not several:
    print("no GPU has two mini-batches, so nothing was compared")
