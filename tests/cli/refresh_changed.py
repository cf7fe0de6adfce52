"""Graphs whose training set or edges changed, for refresh.sh. usage: refresh_changed.py COMMAND ..

split G FILE: the ids of G's training vertices, every second one exchanged for another vertex
thin G SHARE OUT: indptr.npy and indices.npy of G in OUT, without that share of the arcs
masks NPZ 0 FILE 1 FILE: the rows 0 and 1 of train_masks, as ids
good SAID P FRESH: a refreshed plan is nearly as good as one made afresh, and own hits survive, at half of the rows to load
places P P2 SAID: rows that GPUs of a clique exchange come over the NVLink of those that held them, and own reads become more
slots P P2 SAID: of several types, what stays keeps its slot in the list of its table
"""
import json
import os
import random
import struct
import sys
import zipfile


def array(raw):
    """(element type, values) of the bytes of a one-dimensional .npy file."""
    size = struct.unpack("<H", raw[8:10])[0]
    kind = raw[10:10 + size].decode().split("'descr': '")[1].split("'")[0]
    code, data = {"<u4": "I", "<i8": "q", "|b1": "?"}[kind], raw[10 + size:]
    return kind, struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data)


def load(path):
    with open(path, "rb") as f:
        return array(f.read())[1]


def save(path, kind, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (kind, len(values))
    head += " " * (-(11 + len(head)) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<%d%s" % (len(values), {"<u4": "I", "<i8": "q"}[kind]), *values))


def ids(path, values):
    with open(path, "w") as f:
        f.writelines("%d\n" % v for v in values)


def split(graph, path):
    old = load(graph + "/train.npy")
    n = json.load(open(graph + "/graph.json"))["vertices"]
    others = sorted(set(range(n)) - set(old))
    ids(path, sorted(old[::2] + tuple(random.Random(1).sample(others, len(old) - len(old[::2])))))


def thin(graph, share, out):
    indptr, indices, draw = load(graph + "/indptr.npy"), load(graph + "/indices.npy"), random.Random(2)
    kept, starts = [], [0]
    for v in range(len(indptr) - 1):
        kept += [u for u in indices[indptr[v]:indptr[v + 1]] if draw.random() >= float(share)]
        starts.append(len(kept))
    os.makedirs(out)
    save(out + "/indptr.npy", "<i8", starts)
    save(out + "/indices.npy", "<u4", kept)


def masks(npz, *rows):
    with zipfile.ZipFile(npz) as z:
        mask = array(z.read("train_masks.npy"))[1]
        n = len(mask) // 10
    for row, path in zip(rows[::2], rows[1::2]):
        ids(path, [v for v in range(n) if mask[int(row) * n + v]])


def served(simulated):
    """The shares of feature rows that own memory, peers and the host serve."""
    rows = [sum(g["feature_rows"][k] for g in simulated["gpus"]) for k in ("local", "peer", "host")]
    return [r / sum(rows) for r in rows]


def good(said, old, plan):
    said, fresh = json.load(open(said)), json.load(open(plan + "/plan.json"))["simulated"]
    now = said["after"]["simulated"]
    lists = ["gpu%d_%s.npy" % (g["id"], k) for g in said["gpus"] for k in ("feature", "topology")]
    most = sum(len(set(load(plan + "/" + x)) - set(load(old + "/" + x))) for x in lists)
    print("transactions: refreshed %d, afresh %d; rows to load: %d, afresh %d" % (
        now["total_transactions"], fresh["total_transactions"], said["rows_to_load"], most))
    print("own, peers, host: refreshed %s, afresh %s" % (served(now), served(fresh)))
    assert said["graph_change"]["training_set"] and not said["graph_change"]["edges"], said["graph_change"]
    assert now["total_transactions"] < 1.01 * fresh["total_transactions"]
    assert 0 < said["rows_to_load"] < 0.5 * most
    for ours, theirs in zip(list(said["after"]["feature_reads_served"].values()), served(now)):
        assert abs(ours - theirs) < 1e-6
    assert served(now)[0] > 0.9 * served(fresh)[0]


def slots(old, new, said):
    kept = 0
    for gpu in json.load(open(said))["gpus"]:
        loaded = 0
        for name in sorted(os.listdir(new)):
            if not name.startswith("gpu%d_" % gpu["id"]) or "train" in name:
                continue
            was = load(old + "/" + name) if os.path.exists(old + "/" + name) else ()
            now = load(new + "/" + name)
            loaded += len(set(now) - set(was))
            for slot, v in enumerate(was):
                if v in set(now) and slot < len(now):
                    assert now[slot] == v, (name, slot)
                    kept += 1
        assert loaded == gpu["feature"]["to_load"] + gpu["topology"]["to_load"], gpu
    assert kept > 1000, kept


def places(old, new, said):
    said, over = json.load(open(said)), {}
    gpus = [g["id"] for g in said["gpus"]]
    was, now = ({g: load("%s/gpu%d_feature.npy" % (p, g)) for g in gpus} for p in (old, new))
    for g in gpus:
        assert load("%s/gpu%d_topology.npy" % (old, g)) == load("%s/gpu%d_topology.npy" % (new, g))
        for slot, v in enumerate(now[g]):  # as many rows as before, each that came in the slot of one that went
            if v != was[g][slot]:
                holders = [h for h in gpus if v in set(was[h])]
                assert len(holders) == 1 and v not in set(now[holders[0]]), (g, v, holders)
                over[holders[0], g] = over.get((holders[0], g), 0) + 256
    assert [len(was[g]) for g in gpus] == [len(now[g]) for g in gpus]
    assert over and all(sum(n for (a, b), n in over.items() if a == g) == sum(n for (a, b), n in over.items() if b == g) for g in gpus), over
    links = {(x["from"], x["to"]): x for x in said["nvlinks"]}
    assert {k: x["bytes_to_load"] for k, x in links.items() if x["bytes_to_load"]} == over, (links, over)
    assert said["bytes_to_load"] == said["bytes_from_peers"] == sum(over.values()) and not any(u["bytes_to_load"] for u in said["uplinks"])
    gbps = {(0, 1): 25, (0, 2): 25, (0, 3): 50, (1, 2): 50, (1, 3): 25, (2, 3): 50}  # DGX-1V
    share = links[min(over)]["seconds_to_load"] * gbps[min(over)] * 1e9 / over[min(over)]  # of them that reads reach, inverted
    assert 1 <= share < 1.5
    for (a, b), n in over.items():
        assert abs(links[a, b]["seconds_to_load"] - share * n / (gbps[min(a, b), max(a, b)] * 1e9)) < 1e-12, (a, b)
    assert said["seconds_to_load"] == max(links[k]["seconds_to_load"] for k in over)
    assert said["seconds_saved"] > 0 and said["after"]["reads"]["peers_seconds"] < 0.9 * said["before"]["reads"]["peers_seconds"]
    own = [said[k]["feature_reads_served"]["local"] for k in ("before", "after")]
    print("own reads %.3f, then %.3f; %d bytes over NVLinks" % (*own, sum(over.values())))
    assert own[1] > own[0] + 0.1, own
    assert said["transactions_saved"] == 0 and abs(said["pays_after_epochs"] * said["seconds_saved"] / said["seconds_to_load"] - 1) < 1e-6


if __name__ == "__main__":
    {"split": split, "thin": thin, "masks": masks, "good": good, "places": places, "slots": slots}[sys.argv[1]](*sys.argv[2:])
