"""Counts once more what refreshing the plan of several nodes moves. usage: refresh_nodes.py OLD NEW REFRESHED.json SERVER.json GRAPH

Of a graph with one type: rows that GPUs of every node keep, load and drop; whether a row comes over an NVLink, from the node's own host or from another
node, by what the old plan states of its peers and places; bytes over every link; rows of DRAM; sums over nodes.
"""
import json
import sys

from recount import npy

old, new, said_path, server_path, graph = sys.argv[1:]
said, server = json.load(open(said_path)), json.load(open(server_path))
joined = {frozenset((x["a"], x["b"])): x["gbps"] for x in server["nvlinks"]}
indptr = list(npy(graph + "/indptr.npy"))
dim = json.load(open(graph + "/graph.json"))["feature_dim"]
size = {"feature": lambda v: 4 * dim, "topology": lambda v: 8 + 4 * (indptr[v + 1] - indptr[v])}
kinds = ("feature", "topology")
AMOUNT = ("kept", "to_load", "dropped", "bytes_to_load", "from_peers", "bytes_from_peers", "from_nodes", "bytes_from_nodes")


def near(a, b):
    return abs(a - b) <= 1e-6 * abs(b)


def ids(folder, name):
    out = npy("%s/%s.npy" % (folder, name))
    assert len(set(out)) == len(out), (folder, name)
    return set(out)


def add(to, key, row, bytes_):
    to["to_load"] += 1
    to["bytes_to_load"] += bytes_
    if key == "peer": to["from_peers"] += 1; to["bytes_from_peers"] += bytes_
    if key == "node": to["from_nodes"] += 1; to["bytes_from_nodes"] += bytes_


def finder(folder, memories, reader, kind):
    """Kind of the place that serves a row for a reader: the cheapest that has it, ties to the lower."""
    cost = reader["topology_line_seconds" if kind == "topology" else "feature_row_seconds"]
    held = [(cost[i], i, p["kind"], ids(folder, p[kind]["file"][:-4]) if kind in p else None) for i, p in enumerate(memories["places"])]
    return lambda v: min(x for x in held if x[3] is None or v in x[3])[2]


drives = json.load(open(old + "/node0/plan.json"))["memories"]["ssd"]


def ssd_seconds(bytes_):
    return max(bytes_ / drives["block_bytes"] / drives["reads_per_second"], bytes_ / (1e9 * drives["read_gbps"])) if drives else 0


def part(node):
    a, b = "%s/node%d" % (old, node), "%s/node%d" % (new, node)
    plan, memories = json.load(open(a + "/plan.json")), json.load(open(a + "/plan.json"))["memories"]
    after = json.load(open(b + "/plan.json"))
    gpus, over, host, from_ssd = {}, {}, {}, 0
    for g in plan["gpus"]:
        reader = next(r for r in memories["readers"] if g["id"] in r["gpus"])
        host[g["id"]] = 0
        for kind in kinds:
            name = "gpu%d_%s" % (g["id"], kind)
            was, now, amount = ids(a, name), ids(b, name), dict.fromkeys(AMOUNT, 0)
            amount["kept"], amount["dropped"] = len(was & now), len(was - now)
            peers = [(p, ids(a, "gpu%d_%s" % (p, kind))) for p in g["peers"] if frozenset((p, g["id"])) in joined]
            where = finder(a, memories, reader, kind)
            for v in now - was:
                peer = next((p for p, rows in peers if v in rows), None)
                bytes_ = size[kind](v)
                if peer is None: host[g["id"]] += bytes_
                else: over[peer, g["id"]] = over.get((peer, g["id"]), 0) + bytes_
                add(amount, "peer" if peer is not None else where(v), v, bytes_)
                if peer is None and where(v) == "ssd": from_ssd += bytes_
            gpus[g["id"], kind] = amount
    dram = dict.fromkeys(AMOUNT, 0)
    for p in memories["places"]:
        if p["kind"] != "dram": continue
        for kind in kinds:
            name = p[kind]["file"][:-4]
            was, now = ids(a, name), ids(b, name)
            where = finder(a, memories, next((r for r in memories["readers"] if r["socket"] == p.get("socket")), memories["readers"][0]), kind)
            dram["kept"] += len(was & now)
            dram["dropped"] += len(was - now)
            for v in now - was:
                add(dram, where(v), v, size[kind](v))
                if where(v) == "ssd": from_ssd += size[kind](v)
    return gpus, dram, over, host, from_ssd, plan, after


sums, moved = dict.fromkeys(AMOUNT, 0), 0
all_dram, longest, saved, stay = dict.fromkeys(AMOUNT, 0), 0, 0, 0
network = json.load(open(old + "/plan.json"))["network"]
gbps, cluster = network["nic_gbps"], network["cluster"]
if cluster:  # all NICs that GPUs receive by, as far as the network lets them
    used = {n for r in cluster["routes"] for n in r["nics"]}
    gbps = sum(cluster["nics"][n]["gbps"] for n in used) / cluster["oversubscription"]
assert said["nodes"] == len(said["parts"]) > 1
for node, stated in enumerate(said["parts"]):
    gpus, dram, over, host, from_ssd, plan, after = part(node)
    assert (stated["node"], stated["path"]) == (node, "node%d" % node)
    mine = dict.fromkeys(AMOUNT, 0)
    for (g, kind), amount in gpus.items():
        entry = next(x for x in said["gpus"] if (x["node"], x["id"]) == (node, g))
        assert entry[kind] == amount, (node, g, kind, entry[kind], amount)
        for k in AMOUNT: mine[k] += amount[k]
    for x, k in (("rows_kept", "kept"), ("rows_to_load", "to_load"), ("bytes_to_load", "bytes_to_load"), ("rows_from_peers", "from_peers"),
                 ("bytes_from_peers", "bytes_from_peers"), ("rows_from_nodes", "from_nodes"), ("bytes_from_nodes", "bytes_from_nodes")):
        assert stated[x] == mine[k], (node, x, stated[x], mine[k])
    assert stated["dram"] == dram, (node, stated["dram"], dram)
    for k in AMOUNT:
        sums[k] += mine[k]
        all_dram[k] += dram[k]
    assert {(x["from"], x["to"]): x["bytes_to_load"] for x in said["nvlinks"] if x["node"] == node and x["bytes_to_load"]} == over, over
    for u in said["uplinks"]:
        if u["node"] == node: assert u["bytes_to_load"] == sum(host[g] for g in u["gpus"]), (u, host)
    link = said["network"][node]
    assert link["node"] == node and link["bytes_to_load"] == mine["bytes_from_nodes"] + dram["bytes_from_nodes"]
    assert near(link["seconds_to_load"], link["bytes_to_load"] / (gbps * 1e9)), link
    times = [max(link["seconds_to_load"], ssd_seconds(from_ssd))]
    assert near(stated["seconds_below"], times[0]), (node, stated["seconds_below"], times[0])
    for g in host:
        links = [n / (joined[frozenset(x)] * server.get("nvlink_share", 1) * 1e9) for x, n in over.items() if x[1] == g]
        times.append(max([host[g] / said["bytes_per_second"]] + links))
        assert near(next(x for x in said["gpus"] if (x["node"], x["id"]) == (node, g))["seconds_to_load"], times[-1])
    assert near(stated["seconds_to_load"], max(times)), (node, stated["seconds_to_load"], times)
    longest = max(longest, max(times))
    stay = max(stay, stated["seconds_to_stay"])
    saved += stated["transactions_saved"]
    # the next plan states what the command says of it, and what the held-out epochs read over the network
    assert stated["after"]["simulated"] == after["simulated"]
    assert after["refresh"]["rows_to_load"] == mine["to_load"]
    away = [p for p in after["simulated"]["memories"]["places"] if p["kind"] == "node"]
    assert link["bytes_after"] == sum(p["feature_lines"] + p["topology_lines"] for p in away) * 64
    moved += link["bytes_to_load"]
for x, k in (("rows_kept", "kept"), ("rows_to_load", "to_load"), ("bytes_to_load", "bytes_to_load"), ("rows_from_peers", "from_peers"),
             ("bytes_from_peers", "bytes_from_peers"), ("rows_from_nodes", "from_nodes"), ("bytes_from_nodes", "bytes_from_nodes")):
    assert said[x] == sums[k], (x, said[x], sums[k])
assert said["dram"] == all_dram and near(said["seconds_to_load"], longest) and said["transactions_saved"] == saved
for side in ("before", "after"):
    parts = [p[side] for p in said["parts"]]
    for key in ("predicted", "simulated"):
        assert said[side][key]["total_transactions"] == sum(p[key]["total_transactions"] for p in parts), (side, key)
    slowest = max(parts, key=lambda p: p["reads"]["seconds"])
    assert said[side]["reads"] == dict(slowest["reads"], node=parts.index(slowest)), side
assert near(said["seconds_saved"], said["before"]["reads"]["seconds"] - said["after"]["reads"]["seconds"])
assert said["seconds_to_stay"] == stay and near(said["pays_after_epochs"], max(0, said["seconds_to_load"] - stay) / said["seconds_saved"])
whole = json.load(open(new + "/plan.json"))
assert [p["simulated"] for p in whole["parts"]] == [p["after"]["simulated"] for p in said["parts"]]
assert (whole["nodes"], whole["network"], whole["partition"]) == tuple(json.load(open(old + "/plan.json"))[k] for k in ("nodes", "network", "partition"))
print("%d rows kept, %d to load, %d of them from peers, %d from nodes; DRAM: %d to load, %d from nodes; %d bytes over the network" %
      (sums["kept"], sums["to_load"], sums["from_peers"], sums["from_nodes"], all_dram["to_load"], all_dram["from_nodes"], moved))
assert all(sums[k] > 0 for k in ("kept", "to_load", "from_nodes")) and moved > 0
assert all_dram["to_load"] > 0 or cluster  # whose network is as fast as a host, so nodes want no copies
