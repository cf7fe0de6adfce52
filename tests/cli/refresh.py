"""Holds hotset refresh against what its plans hold. usage: refresh.py P P2 FRESH REFRESHED.json SERVER.json"""
import json
import struct
import sys

old, new, fresh = sys.argv[1:4]
said = json.load(open(sys.argv[4]))


def ids(plan, gpu, kind):
    with open("%s/gpu%d_%s.npy" % (plan, gpu, kind), "rb") as f:
        assert f.read(8) == b"\x93NUMPY\x01\x00"
        f.read(struct.unpack("<H", f.read(2))[0])
        raw = f.read()
    return struct.unpack("<%dI" % (len(raw) // 4), raw)


rows = fewest = 0
for gpu in said["gpus"]:
    for kind in ("feature", "topology"):
        was, now = ids(old, gpu["id"], kind), ids(new, gpu["id"], kind)
        assert len(set(now)) == len(now)
        loaded = set(now) - set(was)
        assert gpu[kind]["to_load"] == len(loaded) and gpu[kind]["kept"] == len(now) - len(loaded), (gpu, kind)
        assert gpu[kind]["dropped"] == len(set(was) - set(now)), (gpu, kind)
        rows += len(loaded)
        fewest += len(set(ids(fresh, gpu["id"], kind)) - set(was))
        for slot, v in enumerate(was):  # what stays keeps its slot, unless the list became shorter
            if v in set(now) - loaded and slot < len(now):
                assert now[slot] == v, (gpu["id"], kind, slot)
assert rows == said["rows_to_load"] and said["bytes_to_load"] == sum(g[k]["bytes_to_load"] for g in said["gpus"] for k in ("feature", "topology"))
print("%d rows to load, %d for a plan made afresh" % (rows, fewest))
assert 0 < rows < 0.7 * fewest
was, now = (said[k]["simulated"]["total_transactions"] for k in ("before", "after"))
best = json.load(open(fresh + "/plan.json"))["simulated"]["total_transactions"]
print("simulated transactions %d, refreshed %d, afresh %d" % (was, now, best))
assert now < was and was - now > 0.85 * (was - best)
# over which link a row comes: from the first peer, in the order of the plan, that held it and has an NVLink to the GPU; else from the host over PCIe
plan, server = json.load(open(old + "/plan.json")), json.load(open(sys.argv[5]))
joined = {frozenset((x["a"], x["b"])): x["gbps"] for x in server["nvlinks"]}
indptr = list(struct.unpack("<12001Q", open("G/indptr.npy", "rb").read()[128:]))
size = {"feature": lambda v: 64 * 4, "topology": lambda v: 8 + 4 * (indptr[v + 1] - indptr[v])}
host, over, peer_rows = {}, {}, 0
for entry in plan["gpus"]:
    g = entry["id"]
    host[g] = 0
    for kind in size:
        peers = [(p, set(ids(old, p, kind))) for p in entry["peers"] if frozenset((p, g)) in joined]
        for v in set(ids(new, g, kind)) - set(ids(old, g, kind)):
            link = next((p for p, held in peers if v in held), None)
            if link is None:
                host[g] += size[kind](v)
            else:
                over[link, g] = over.get((link, g), 0) + size[kind](v)
                peer_rows += 1
assert {(x["from"], x["to"]): x["bytes_to_load"] for x in said["nvlinks"] if x["bytes_to_load"]} == over, over
assert said["bytes_to_load"] == sum(host.values()) + sum(over.values()) and said["bytes_from_peers"] == sum(over.values())
assert said["rows_from_peers"] == peer_rows == sum(g[k]["from_peers"] for g in said["gpus"] for k in size)
print("%d bytes from the host, %d over NVLinks" % (sum(host.values()), sum(over.values())))
switched = "p4d" in sys.argv[5]  # behind NVSwitches the links of a GPU share its port
for gpu in said["gpus"]:
    links = [n / (joined[frozenset(x)] * server.get("nvlink_share", 1) * 1e9) for x, n in over.items() if x[1] == gpu["id"]] + [0]
    lasts = max(host[gpu["id"]] / said["bytes_per_second"], sum(links) if switched else max(links))
    assert abs(gpu["seconds_to_load"] - lasts) < 1e-6 * lasts + 1e-12, (gpu, lasts)
assert said["seconds_to_load"] == max(g["seconds_to_load"] for g in said["gpus"])
assert abs(said["pays_after_epochs"] - said["seconds_to_load"] / said["seconds_saved"]) < 1e-6 * said["pays_after_epochs"]
# what crosses each uplink: on a DGX-V100 two GPUs share one (0 and 1, 2 and 3, ..), which carries 13.04 GB/s in large reads
assert [u["gpus"] for u in said["uplinks"]] == [[g, g + 1] for g in sorted(host)[::2]], said["uplinks"]
for u in said["uplinks"]:
    assert u["bytes_to_load"] == sum(host[g] for g in u["gpus"]) and abs(u["seconds_to_load"] - u["bytes_to_load"] / 13.04e9) < 1e-9, u
# what an epoch takes over the links, before and after: as the simulation states it
for side, key in (("before", "bytes_before"), ("after", "bytes_after")):
    movement = said[side]["simulated"]["movement"]
    links = {(x["from"], x["to"]): x["bytes"] for x in movement["nvlink"]["links"]}
    assert links and {(x["from"], x["to"]): x[key] for x in said["nvlinks"] if x[key]} == links
    wire = {g["id"]: g["total"]["wire_bytes"] for g in movement["pcie"]["gpus"]}
    assert [u[key] for u in said["uplinks"]] == [sum(wire[g] for g in u["gpus"]) for u in said["uplinks"]]
for clique in plan["cliques"]:
    for kind in size:
        were = set().union(*(ids(old, g, kind) for g in clique["gpus"]))
        assert all(not (set(ids(new, g, kind)) - set(ids(old, g, kind))) & were for g in clique["gpus"]), (clique, kind)
saved = said["before"]["predicted"]["total_transactions"] - said["after"]["predicted"]["total_transactions"]
assert saved == said["transactions_saved"] > 0
was, now = (said[k]["reads"] for k in ("before", "after"))
assert abs(said["seconds_saved"] - (was["seconds"] - now["seconds"])) < 1e-9 and said["seconds_saved"] > 0
for x in (was, now):  # an epoch waits for the slowest of what reads pass
    assert x["seconds"] == max(x["gpu_memory_seconds"], x["peers_seconds"], x["host_seconds"]) and x["waits_for"]
