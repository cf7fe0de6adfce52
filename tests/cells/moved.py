#!/usr/bin/env python3
"""How often the default plan changes where a rate of its server is as far off as predictions are known to be, and what it loses.

usage: moved.py HOTSET GRAPH[:BATCH].. [-- OPTION..]   (options of hotset plan, as in --fanout 10,5)

Cells are the graphs, on four servers, at 1, 5 and 10 % per GPU; batch 512 unless a graph names one. In each, one rate after the other
is moved to both ends of the range that 'hotset what-if' has for it (the errors of 'hotset validate'); the plan is made again for the
moved server, and both plans are simulated there, on the same held-out epochs. Prints how many plans changed who trains what, who
samples, or the prices of rows, and by how much the plan of the unmoved server is longer: how often by more than 0.5 %, and the worst ten.
"""
import collections
import copy
import json
import os
import subprocess
import sys
import tempfile

SERVERS = ["dgx-v100", "dgx-a100", "dgx-h100", "dgx-b200"]
BUDGETS = ["1%", "5%", "10%"]
LOST = 0.005


def scale(of, factor, *keys):
    for key in keys:
        if of.get(key): of[key] *= factor


def move(server, rate, factor):
    """The server with one rate moved, as what-if moves it (planner/decisions/what_if_plan.c)."""
    s = copy.deepcopy(server)
    if rate == "link":
        for link in s["nvlinks"]: scale(link, factor, "gbps")
        scale(s.get("nvlink_read", {}), factor, "requests_per_second")
    elif rate == "row":
        scale(s["pcie"], factor, "gbps", "copy_gbps")
        scale(s["pcie"].get("read", {}), factor, "gbps", "requests_per_second")
    elif rate == "host-memory":
        scale(s, factor, "host_memory_gbps")
        for node in s.get("numa", []): scale(node, factor, "gbps")
    elif rate == "sampling": scale(s, factor, "cpu_sampling_edges_per_second")
    key = {"gpu-memory": "memory_gbps", "sampling": "sampling_edges_per_second", "compute": "tflops"}.get(rate)
    for gpu in s["gpus"] if key else []: scale(gpu, factor, key)
    return s


def ask(*words):
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)


class Cell:
    def __init__(self, hotset, graph, batch, budget, more, folder):
        self.hotset, self.folder = hotset, folder
        self.options = ["-g", graph, "--batch", batch, "--budget", budget, "--quiet", "--json", *more]

    def write(self, name, server):
        path = os.path.join(self.folder, name + ".json")
        with open(path, "w") as f: json.dump({k: v for k, v in server.items() if k != "fingerprint"}, f)
        return path

    def plan(self, name, server_path):
        """(the plan's folder, what it chose)"""
        folder = os.path.join(self.folder, name)
        ask(self.hotset, "plan", "-s", server_path, *self.options, "--force", "-o", folder)
        with open(os.path.join(folder, "plan.json")) as f: made = json.load(f)
        deal, how = made["deal"], made.get("objective", {})
        return folder, {"who trains what": (deal["chosen"], deal["partition"]), "who samples": how.get("sampling"),
                        "rows by price": "list_price" in how}

    def seconds(self, folder, server_path):
        out = os.path.join(self.folder, "result.json")
        ask(self.hotset, "simulate", folder, "-s", server_path, "--quiet", "--json", "--force", "-o", out)
        with open(out) as f: return json.load(f)["rows"][0]["simulated"]["epoch_time"]["seconds"]


def main(hotset, *words):
    cut = words.index("--") if "--" in words else len(words)
    changed, moves, lost = collections.Counter(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        for name in words[:cut]:
            graph, _, batch = name.partition(":")
            for server_name in SERVERS:
                server = ask(hotset, "server", "show", server_name, "--json")
                for budget in BUDGETS:
                    cell = Cell(hotset, graph, batch or "512", budget, words[cut + 1:], folder)
                    plan, chose = cell.plan("unmoved", cell.write("server", server))
                    for rate in ask(hotset, "what-if", plan, "--quiet", "--json")["inputs"]:
                        ends = {rate["low"]["factor"], rate["high"]["factor"]}
                        for factor in sorted(ends) if rate["name"] not in ("batch", "fanout", "batches", "ssd") else []:
                            path = cell.write("moved", move(server, rate["name"], factor))
                            other, then = cell.plan("replanned", path)
                            loses = cell.seconds(plan, path) / cell.seconds(other, path) - 1
                            moves += 1
                            lost.append((loses, name, server_name, budget, "%s x %.2f" % (rate["name"], factor)))
                            changed.update(k for k in then if then[k] != chose[k])
    print("%d moves of one rate; the plan changed: %s" % (moves, ", ".join("%s %d" % x for x in sorted(changed.items())) or "never"))
    lost.sort(reverse=True)
    print("%d lose more than %g %% of the epoch; on average %+.2f %%" %
          (sum(x[0] > LOST for x in lost), 100 * LOST, 100 * sum(x[0] for x in lost) / max(1, len(lost))))
    for by, *of in lost[:10]: print("  %+6.2f %%  %s" % (100 * by, " ".join(of)))


if __name__ == "__main__":
    main(*sys.argv[1:])
