"""Checks comparisons with memories below the GPUs against plans and recounts. Prints findings.

usage: memories.py same R.json POLICY PLAN            the row of POLICY states what PLAN (plan.json) states
       memories.py sum R.json POLICY NODES_PLAN       the row of POLICY is the sum of the parts of NODES_PLAN (plan.json)
       memories.py lines PLAN_DIR GRAPH BATCHES R.json    lines of features and topology, of own and of other sockets

Shares nothing with hotset but the files.
"""
import json
import math
import sys

from recount import npy

LINE = 64


def row_of(results, policy):
    found = [r for r in json.load(open(results))["rows"] if r["policy"] == policy]
    if len(found) != 1: print(policy, "has", len(found), "rows")
    return found[0]


def near(a, b): return a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12))


def same(results, policy, path):
    row, plan = row_of(results, policy), json.load(open(path))
    for key in ("total_transactions", "memories", "epoch_time", "feature_hit_rate"):
        if row["simulated"][key] != plan["simulated"][key]: print(policy, key, row["simulated"][key], plan["simulated"][key])
    for key in ("planned", "host_memory_bytes", "ssd", "predicted_seconds"):
        if row["memories"][key] != plan["memories"][key]: print(policy, key, row["memories"][key], plan["memories"][key])
    if row["predicted"]["total_transactions"] != plan["predicted"]["total_transactions"]: print(policy, "predicts another total")


def total(row, path):
    plan = json.load(open(path))
    parts = [p["simulated"] for p in plan["parts"]]
    nodes, sums = len(parts), {}
    if nodes < 2: print("one node only")
    for p in parts:
        for place in p["memories"]["places"]:
            for key, value in place.items():
                if key not in ("name", "kind"): sums[place["kind"], key] = sums.get((place["kind"], key), 0) + value
    for place in row["simulated"]["memories"]["places"]:
        for key, value in place.items():
            if key in ("name", "kind"): continue
            expected = sums.pop((place["kind"], key)) / (nodes if key == "seconds" else 1)
            if not near(value, expected): print("all nodes:", place["kind"], key, value, "expected", expected)
    if sums: print("no place for", sorted(sums))
    blocks = sum(p["memories"]["ssd"]["blocks"] for p in parts)
    if not near(row["simulated"]["memories"]["ssd"]["blocks"], blocks): print("blocks", row["simulated"]["memories"]["ssd"], blocks)
    seconds = sum(p["memories"]["seconds"] for p in parts) / nodes
    if not near(row["simulated"]["memories"]["seconds"], seconds): print("seconds of reads", seconds)
    epoch = max(p["memories"]["epoch"]["seconds"] for p in parts)
    if not near(row["simulated"]["memories"]["epoch"]["seconds"], epoch): print("seconds of the slowest node", epoch)
    for key in ("topology_transactions", "feature_transactions", "total_transactions"):
        if row["simulated"][key] != sum(p[key] for p in parts): print(key, row["simulated"][key])
        expected = sum(p["predicted"][key] for p in plan["parts"])
        if row["predicted"][key] != expected: print("predicted", key, row["predicted"][key], expected)
    for i, table in enumerate(row.get("tables", [])):
        reads = {k: sum(p["tables"][i]["reads"][k] for p in parts) for k in ("local", "peer", "host")}
        if table["reads"] != reads: print("reads of table", i, table["reads"], reads)
        if table["transactions"] != sum(p["tables"][i]["transactions"] for p in parts): print("transactions of table", i)
        if sum(reads.values()) and not near(table["hit_rate"], float("%.9g" % (1 - reads["host"] / sum(reads.values())))): print("hit rate of table", i, table["hit_rate"])
        name = {k: table[k] for k in ("kind", "type", "source", "relation", "target") if k in table}
        held = [x for n in plan["parts"] for g in json.load(open("%s/%s/plan.json" % (path.rpartition("/")[0], n["path"])))["gpus"] for x in g["lists"] if name.items() <= x.items()]
        if (table["held_rows"], table["held_bytes"]) != (sum(x["count"] for x in held), sum(x["bytes"] for x in held)): print("rows held of table", i, table["held_rows"])
    if ("tables" in parts[0]) != ("tables" in row): print("tables are missing")
    host = sum(g["feature_rows"]["host"] for p in parts for g in p["gpus"])
    rows = sum(sum(g["feature_rows"].values()) for p in parts for g in p["gpus"])
    if not near(row["simulated"]["feature_hit_rate"], float("%.9g" % (1 - host / rows))): print("hit rate", row["simulated"]["feature_hit_rate"], 1 - host / rows)
    if row["memories"]["predicted_seconds"] != plan["predicted_seconds"]: print("expected seconds", row["memories"]["predicted_seconds"])


def lines(path, graph, batches, results):
    """Feature lines per place from mini-batches; a row of `row` bytes at v * row touches these lines of 64 bytes."""
    plan, about = json.load(open(path + "/plan.json")), json.load(open(graph + "/graph.json"))
    n, row = about["vertices"], about["feature_dim"] * about["feature_bytes"]
    m = plan["memories"]
    held = [set(range(n)) if p["kind"] == "ssd" else set(npy("%s/%s" % (path, p["feature"]["file"]))) for p in m["places"]]
    simulated = json.load(open(results))["rows"][0]["simulated"]
    levels, read, across = len(plan["workload"]["fanout"]) + 1, [0] * len(held), [0] * len(held)
    cached = {g["id"]: set(npy("%s/gpu%d_feature.npy" % (path, g["id"]))) for g in plan["gpus"]}
    for g in plan["gpus"]:
        reader = next(r for r in m["readers"] if g["id"] in r["gpus"])
        order = [k for _, k in sorted((c, k) for k, c in enumerate(reader["feature_row_seconds"]))]
        reach = cached[g["id"]].union(*(cached[q] for q in g["peers"]))
        vertices, at = (npy("%s/gpu%d_%s.npy" % (batches, g["id"], k)) for k in ("vertices", "vertices_at"))
        for b in range((len(at) - 1) // levels):
            for v in vertices[at[b * levels]:at[(b + 1) * levels]]:
                if v in reach: continue
                k = next(k for k in order if v in held[k])
                touched = (v * row + row - 1) // LINE - v * row // LINE + 1
                read[k] += touched
                place = m["places"][k]
                if place["kind"] == "dram" and reader["socket"] is not None and place["socket"] != reader["socket"]: across[k] += touched
    epochs = simulated["epochs"]
    for k, (p, s) in enumerate(zip(m["places"], simulated["memories"]["places"])):
        if int(read[k] / epochs + 0.5) != s["feature_lines"]: print(p["name"], "has", read[k] / epochs, "lines, stated", s["feature_lines"])
        crossing = int(across[k] / epochs + 0.5)  # of topology there are at most so many more
        if p["kind"] == "dram" and not crossing <= s["other_socket_lines"] <= crossing + s["topology_lines"]:
            print(p["name"], crossing, "lines cross, stated", s["other_socket_lines"])
    if sum(across) == 0: print("nothing crosses between sockets: choose other inputs")


how, args = sys.argv[1], sys.argv[2:]
if how == "same": same(*args)
elif how == "sum": total(row_of(args[0], args[1]), args[2])
else: lines(*args)
