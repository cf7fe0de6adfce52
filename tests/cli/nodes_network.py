"""nodes_network.py D T CLUSTER SERVER: the NICs that remote rows pass, recounted.

D: what `hotset nodes --cluster CLUSTER` wrote; T: a recording of the same parts, whose GPU i is GPU i % 4 of node i // 4; SERVER: the file
that CLUSTER names. Prints what differs. Routes of the 4 GPUs were found by hand (tests/cli/nodes.sh has the server)."""
import json
import sys

from recount import npy


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


plan, recording, cluster, server = sys.argv[1:]
d, network, nics = load(plan + "/nodes.json"), load(cluster)["network"], load(server)["nics"]
n, nodes, epochs, gpus = d["graph"]["vertices"], d["nodes"], d["epochs"], d["gpus_per_node"]
receives = [[0], [1], [2, 3], [2, 3]]
over = [None, None, None, 2]
for g, route in enumerate(d["cluster"]["routes"]):
    if (route["nics"], route["via"]) != (receives[g], over[g]):
        print("GPU %d: route %s" % (g, route))
counts = npy(recording + "/hotness_feature.npy", 2)
owner = {v: i for i in range(nodes) for v in npy("%s/node%d_owned.npy" % (plan, i))}
copies = [list(npy("%s/node%d_copies.npy" % (plan, i))) for i in range(nodes)]
rate = [network.get("nic_gbps") or x["gbps"] for x in nics]
port = [2 * 25e9, 25e9]  # of the NVLink between GPUs 3 and 2


def near(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))


for p in d["rankings"][0]["points"]:
    received, sent = [[0] * len(nics) for _ in range(nodes)], [[0] * len(nics) for _ in range(nodes)]
    nvlink = [0] * nodes
    for node in range(nodes):
        held = set(copies[node][:p["copies"]])
        for g in range(gpus):
            for v in range(n):
                rows = counts[(node * gpus + g) * n + v]
                if not rows or owner[v] == node or v in held:
                    continue
                to = receives[g][v % len(receives[g])]
                may = [i for i, x in enumerate(nics) if not network.get("rails") or x["rail"] == nics[to]["rail"]]
                received[node][to] += rows
                sent[owner[v]][may[v % len(may)]] += rows
                nvlink[node] += rows if g == 3 else 0
    scale = d["row_bytes"] / epochs
    said = {(x["node"], x["nic"]): x for x in p["network"]["nics"]}
    times = []
    for node in range(nodes):
        for i in range(len(nics)):
            x = said[node, i]
            if not near(x["received_bytes"], received[node][i] * scale) or not near(x["sent_bytes"], sent[node][i] * scale):
                print("alpha %g, node %d, NIC %d: %s, recounted %g and %g" %
                      (p["alpha"], node, i, x, received[node][i] * scale, sent[node][i] * scale))
            times.append((max(received[node][i], sent[node][i]) * scale / (rate[i] * 1e9), "nic"))
        times.append((max(sum(received[node]), sum(sent[node])) * scale / (sum(rate) * 1e9) * (network.get("oversubscription") or 1), "node"))
        times.append((nvlink[node] * scale / port[0], "nvlink"))
    links = [(x["node"], x["gpu"], x["via"], x["bytes"]) for x in p["network"]["nvlinks"]]
    if [x[:3] for x in links] != [(i, 3, 2) for i in range(nodes)] or not all(near(x[3], nvlink[x[0]] * scale) for x in links):
        print("alpha %g: NVLinks %s, recounted %s" % (p["alpha"], links, nvlink))
    if not sum(nvlink):
        print("alpha %g: no row passes an NVLink" % p["alpha"])
    if abs(max(times)[0] - p["seconds"]) > 1e-6 * p["seconds"] or p["seconds"] != p["network"]["seconds"]:
        print("alpha %g: %g s, recounted %s" % (p["alpha"], p["seconds"], max(times)))
    if max(times)[1] != p["network"]["limited_by"]:
        print("alpha %g: limited by %s, recounted %s" % (p["alpha"], p["network"]["limited_by"], max(times)))
striped = d["sharded"]
for way in ("received_bytes", "sent_bytes"):
    if not near(sum(x[way] for x in striped["network"]["nics"]), striped["remote_bytes"]):
        print("striped rows:", way, "do not add up")
print(d["rankings"][0]["points"][0]["network"]["limited_by"], file=sys.stderr)
