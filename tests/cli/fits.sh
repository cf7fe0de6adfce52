#!/usr/bin/env bash
# What is planned fits: without a budget the cache, its look-up and what training takes are no more than the memory of each GPU, on every
# profile that states it and on graphs of several kinds.
. "$(dirname "$0")/tap"
"$HOTSET" graph synth rmat --vertices 30000 --edges 90000 --seed 2 -o thin --quiet >/dev/null
"$HOTSET" graph synth community --vertices 400 --edges 8000 --feature-dim 16 -o thick --quiet >/dev/null
"$HOTSET" graph synth uniform --vertices 5000 --edges 20000 --feature-dim 4096 -o wide --quiet >/dev/null
"$HOTSET" graph synth like papers100m --scale 0.0002 -o papers --quiet >/dev/null
"$HOTSET" graph synth like ogbn-mag --scale 0.0005 -o types --quiet >/dev/null
cat >fits.py <<'P'
import json, subprocess, sys
hotset, graphs, most = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3])
servers = [s["name"] for s in json.loads(subprocess.run([hotset, "list", "servers", "--json"], capture_output=True).stdout)["servers"]]
judged = 0
for k, server in enumerate(servers[:: max(1, len(servers) // most)]):
    graph = graphs[k % len(graphs)]
    run = subprocess.run([hotset, "plan", "--graph", graph, "--server", server, "--fanout", "3,2", "--batch", "10", "--presample-epochs", "1",
                          "--simulate-epochs", "0", "--policy", "data-tiering" if k % 2 else "quiver-plus", "--force", "-o", "P"],
                         capture_output=True, text=True)
    if run.returncode:
        if "memory of GPU" not in run.stderr: print(server, graph, run.stderr)
        continue
    d = json.load(open("P/plan.json"))
    memory = [g["memory_bytes"] for g in d["server"]["document"]["gpus"]]
    said = [line for line in run.stderr.splitlines() if "reserved per GPU" in line]
    size = lambda t: float(t.split()[0]) * {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[t.split()[1]]
    terms = dict((" ".join(t.split()[:-2]), size(" ".join(t.split()[-2:]))) for t in said[0].split(" = ")[1].split(" + "))
    other = sum(v for name, v in terms.items() if name != "row index") * 0.999  # texts are rounded
    vertices = d["graph"]["vertices"] if "vertices" in d["graph"] else sum(t["count"] for t in d["graph"]["types"])
    if abs(terms.get("row index", 0) - 8 * vertices) > 0.01 * 8 * vertices and graph != "types": print(server, "row index", terms.get("row index"), vertices)
    for g, gpu in enumerate(d["gpus"]):
        held = gpu["budget_bytes"] + other + gpu.get("index_bytes", 8 * vertices)
        if held > memory[g]: print(server, graph, "GPU", g, held, memory[g])
        judged += 1
if judged < 2 * min(most, len(servers)): print("few were judged:", judged)
P
python3 fits.py "$HOTSET" thin,thick,wide,papers,types 12 2>&1 | none "a dozen profiles"
doubts() { "$HOTSET" plan --graph thick --server 2x3090-bridge --fanout 3,2 --batch 10 --presample-epochs 2 --simulate-epochs 0 --force -o P "$@" 2>&1 >/dev/null; }
ok "a cache that holds all rows is told, and no more epochs are asked for" eval 'doubts >said; grep -qE "cliques fill [0-9.]+ KiB of a budget of [0-9.]+ GiB, with copies .the graph has [0-9.]+ KiB.: a smaller --budget would do" said && ! grep -q "recorded epochs give" said'
ok "they are where reads are left" eval 'doubts --budget 5% >said; grep -q "recorded epochs give" said && ! grep -q "cliques fill" said'
rest
python3 fits.py "$HOTSET" papers,types,wide,thin,thick 1000 2>&1 | none "all profiles"
ok "advise and size state the look-up, too" eval '"$HOTSET" size --graph thick --server dgx-v100 --fanout 3,2 --batch 10 --steps 2 --json --quiet 2>/dev/null | grep -q "\"row index\""'
finish
