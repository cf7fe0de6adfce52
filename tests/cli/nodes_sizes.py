"""nodes_sizes.py HOTSET sizes.json PLAN|SECONDS -- OPTIONS..: a table of `hotset nodes --nodes LIST --nic-gbps LIST` against what the
command says for each number of nodes and network alone, with epochs recounted from the stages of PLAN or from SECONDS. Prints what
differs."""
import json
import os
import subprocess
import sys

hotset, table, one, _, *options = sys.argv[1:]
with open(table, encoding="utf-8") as f:
    d = json.load(f)
if os.path.isdir(one):
    with open(one + "/plan.json", encoding="utf-8") as f:
        time = json.load(f)["simulated"]["epoch_time"]
    iterations, stages = time["iterations"], [time["stages"][k] for k in ("sample", "load", "transfer", "propagate")]
else:
    iterations, stages = 1, [float(one)]


def epoch(nodes, network):
    """The mini-batches of one node, shared by all; the network is one more stage of each."""
    each = iterations / nodes
    all_stages = stages + [network / each]
    return each * (max(all_stages) + 0.15 * (sum(all_stages) - max(all_stages)))


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1e-12)


order = [(r["nodes"], r["nic_gbps"] or 0) for r in d["sizes"]]
if order != sorted(set(order)):
    print("sizes are not by nodes, then network, each once:", order)
good, tried = [], 0
for r in d["sizes"]:
    n = r["nodes"]
    points = {0: {"remote_rows": 0, "seconds": 0, "copies": 0}}
    if n > 1:
        said = subprocess.run([hotset, "nodes", "--nodes", str(n), "--nic-gbps", str(r["nic_gbps"]), "-o", "alone%d" % n, "--json", "--quiet"] +
                              options, capture_output=True, check=True)
        alone = json.loads(said.stdout)
        points = {p["alpha"]: p for p in alone["rankings"][0]["points"]}
        owned = max(alone["owned"])
    else:
        owned = d["graph"]["vertices"]
    if [p["alpha"] for p in r["points"]] != sorted(points):
        print(n, "nodes: alphas", [p["alpha"] for p in r["points"]], sorted(points))
    for p in r["points"]:
        want, seconds = points[p["alpha"]], epoch(n, points[p["alpha"]]["seconds"])
        copies = min(want["copies"], d["graph"]["vertices"] - owned)
        memory = 8 * (d["graph"]["vertices"] + 1) + 4 * d["graph"]["edges"] + (owned + copies) * d["row_bytes"]
        if abs(p["remote_rows"] - want["remote_rows"]) > 0.5 or not near(p["network_seconds"], want["seconds"]) or p["memory_bytes"] != memory:
            print(n, r["nic_gbps"], p, "alone:", want["remote_rows"], want["seconds"], memory)
        if not near(p["epoch_seconds"], seconds) or abs(p["slower"] - (seconds / epoch(n, 0) - 1)) > 1e-6 * (1 + p["slower"]):
            print(n, r["nic_gbps"], p, "epoch recounted:", seconds, epoch(n, 0))
        meets = memory <= d["host_memory_bytes"] and p["slower"] <= d["within"]
        if meets != p["meets"]:
            print(n, r["nic_gbps"], p, "meets is", meets)
        tried += 1
        if meets:
            good.append((n, r["nic_gbps"], p["alpha"]))
a = d["answer"]
if not good or len(good) == tried:
    print(len(good), "of", tried, "are good: nothing to choose")
elif not a or (a["nodes"], a["nic_gbps"], a["alpha"]) != good[0]:
    print("answer", a, "instead of", good[0])
