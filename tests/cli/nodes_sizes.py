"""nodes_sizes.py HOTSET GIVEN.. -- LISTS..: a table of `hotset size --nodes LIST --nic-gbps LIST --host-memory LIST` against what the
command says of each number, network and memory alone, with epochs recounted from the stages of one server's mini-batches, and memory
from the counts of the graph. GIVEN: options that all calls have. Prints what differs."""
import json
import subprocess
import sys

hotset, *words = sys.argv[1:]
given, (nodes, nics, hosts, target) = words[:words.index("--")], words[words.index("--") + 1:]


def ask(nodes, nics, hosts):
    words = ["--nodes", nodes, "--nic-gbps", nics, "--host-memory", hosts, "--target", "epoch-time<=" + target]
    said = subprocess.run([hotset, "size", *given, "--price", "0", *words, "--json", "--quiet"], capture_output=True, text=True)
    return json.loads(said.stdout)


def alone(o):
    return {k: v for k, v in o.items() if k not in ("label", "curve", "listed", "front", "verdict", "command", "line")}


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1e-12)


d = ask(nodes, nics, hosts)
asked = [(int(n), float(g), h) for h in hosts.split(",") for g in nics.split(",") for n in nodes.split(",")]
asked = list(dict.fromkeys(asked))
if len(d["options"]) != len(asked):
    print(len(d["options"]), "options of", len(asked))
met, gradients = [], []
for o, (n, nic, host) in zip(d["options"], asked):
    c = d["curves"][o["curve"]]
    if o["servers"] != n or alone(o) != alone(ask(str(n), str(nic), host)["options"][0]):
        print(n, nic, host, "is not what it is alone")
    whole, part = (c["host_topology_bytes"] + c["host_loader_bytes"] + -(-c["host_feature_bytes"] // k) for k in (1, n))
    below = "host" if whole <= c["host_memory_bytes"] else "split" if part <= c["host_memory_bytes"] else None
    if o["rows_below"] != below or o["fits"] != (below is not None):
        print(n, nic, host, "rows lie in", o["rows_below"], "instead of", below)
    if not below:
        continue
    s, per = o["stage_seconds"], (n - 1) / n / (nic * 1e9)
    if n > 1:
        gradients.append(s["gradients"] / per)
    one = next(p for p in d["options"] if p["fits"] and p["servers"] == 1)
    rows = o["transactions"] * 64 / (d["graph"]["train_vertices"] / c["batch"] / c["gpus"]) if below == "split" else 0
    if not near(s["network"], rows * per):
        print(n, nic, host, "rows take", s["network"])
    each = [s["sample"], s["load"], s["transfer"], s["propagate"] + s["gradients"], s["network"]]
    first = [one["stage_seconds"][k] for k in ("sample", "load", "transfer", "propagate")]
    ratio = lambda x: max(x) + 0.15 * (sum(x) - max(x))
    if not near(o["epoch_seconds"], one["epoch_seconds"] * ratio(each) / ratio(first) / n):
        print(n, nic, host, "epoch recounted:", one["epoch_seconds"] * ratio(each) / ratio(first) / n, o["epoch_seconds"])
    if o["verdict"] == "surely":
        met.append(o)
if not all(near(g, gradients[0]) for g in gradients):
    print("gradients of one model are", gradients)
if not met or len(met) == len(asked):
    print(len(met), "of", len(asked), "are good: nothing to choose")
elif not d["sentence"].startswith(met[0]["label"] if met[0]["servers"] == 1 else "%d x %s" % (met[0]["servers"], met[0]["label"])):
    print("answer", d["sentence"], "instead of", met[0]["servers"], met[0]["label"])
