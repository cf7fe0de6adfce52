"""nodes_network.py P B CLUSTER SERVER G: the NICs that rows of other nodes pass, recounted.

P: what `hotset plan --cluster CLUSTER` wrote; B: mini-batches of its held-out epochs by node, B/node0 and so on, which 'simulate P/node0
--export-batches' wrote; SERVER: the file that CLUSTER names; G: the graph. Prints what differs, and on stderr what limits the network.
Topology is not recounted: the plan must read none of it from other nodes. Routes of the 4 GPUs were found by hand (tests/cli/nodes.sh has
the server)."""
import json
import sys

from recount import npy, reached


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


folder, batches, cluster, server, graph = sys.argv[1:]
d, network, nics, g = load(folder + "/plan.json"), load(cluster)["network"], load(server)["nics"], load(graph + "/graph.json")
nodes, row, traffic = d["nodes"], g["feature_dim"] * g["feature_bytes"], d["traffic"]
receives = [[0], [1], [2, 3], [2, 3]]
over = [None, None, None, 2]
for i, route in enumerate(d["network"]["cluster"]["routes"]):
    if (route["nics"], route["via"]) != (receives[i], over[i]):
        print("GPU %d: route %s" % (i, route))
rate = [network.get("nic_gbps") or x["gbps"] for x in nics]
port = 2 * 25e9  # of the NVLink between GPUs 3 and 2


def near(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))


received, sent = ([[0] * len(nics) for _ in range(nodes)] for _ in range(2))
nvlink = [0] * nodes
for node in range(nodes):
    path = "%s/node%d" % (folder, node)
    plan = load(path + "/plan.json")
    m, said = plan["memories"], plan["simulated"]["memories"]["places"]
    if any(x["topology_visits"] for x in said if x["kind"] == "node"):
        print("node %d reads topology from another" % node)
    held = [set(npy(path + "/" + x["feature"]["file"])) for x in m["places"]]
    levels, epochs = len(plan["workload"]["fanout"]) + 1, plan["simulated"]["epochs"]
    for at, gpu in enumerate(plan["gpus"]):
        reader = next(r for r in m["readers"] if gpu["id"] in r["gpus"])
        order = [k for _, k in sorted((c, k) for k, c in enumerate(reader["feature_row_seconds"]))]
        near_rows = reached(path, gpu, "feature")
        vertices, ends = (npy("%s/node%d/gpu%d_%s.npy" % (batches, node, gpu["id"], k)) for k in ("vertices", "vertices_at"))
        for b in range((len(ends) - 1) // levels):
            for v in vertices[ends[b * levels]:ends[(b + 1) * levels]]:
                if v in near_rows:
                    continue
                place = m["places"][next(k for k in order if v in held[k])]
                if place["kind"] != "node":
                    continue
                to = receives[at][v % len(receives[at])]
                may = [i for i, x in enumerate(nics) if not network.get("rails") or x["rail"] == nics[to]["rail"]]
                received[node][to] += row / epochs
                sent[place["node"]][may[v % len(may)]] += row / epochs
                nvlink[node] += row / epochs if at == 3 else 0
stated = {(x["node"], x["nic"]): x for x in traffic["nics"]}
times = []
for node in range(nodes):
    for i in range(len(nics)):
        x = stated[node, i]
        if not near(x["received_bytes"], received[node][i]) or not near(x["sent_bytes"], sent[node][i]):
            print("node %d, NIC %d: %s, recounted %g and %g" % (node, i, x, received[node][i], sent[node][i]))
        times.append((max(received[node][i], sent[node][i]) / (rate[i] * 1e9), "nic"))
    times.append((max(sum(received[node]), sum(sent[node])) / (sum(rate) * 1e9) * (network.get("oversubscription") or 1), "node"))
    times.append((nvlink[node] / port, "nvlink"))
links = [(x["node"], x["gpu"], x["via"], x["bytes"]) for x in traffic["nvlinks"]]
if [x[:3] for x in links] != [(i, 3, 2) for i in range(nodes)] or not all(near(x[3], nvlink[x[0]]) for x in links):
    print("NVLinks %s, recounted %s" % (links, nvlink))
if not sum(nvlink) and not network.get("oversubscription"):
    print("no row passes an NVLink")
if abs(max(times)[0] - traffic["seconds"]) > 1e-6 * traffic["seconds"] or max(times)[1] != traffic["limited_by"]:
    print("%g s by %s, recounted %s" % (traffic["seconds"], traffic["limited_by"], max(times)))
print(traffic["limited_by"], file=sys.stderr)
