#!/usr/bin/env bash
# hotset nodes: remote rows are those that a recording of the same parts counts; more copies never read more; oracle is not beaten; refusals.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 4000 --edges 50000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
nodes() { "$HOTSET" nodes --graph G --fanout 6,4 --batch 50 --epochs 2 --presample-epochs 2 --quiet "$@"; }
ok "four nodes" nodes --nodes 4 --by calibrated,vip,halo,oracle --replicate 0,0.05,0.2,1 --nic-gbps 2 -o D
if ! command -v python3 >/dev/null; then skip "remote rows recounted" "python3 is not installed"; else
    cat >four.json <<'P'
{"schema": "server/1", "name": "four", "gpus": [{"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}], "nvlinks": []}
P
    cat >check.py <<'P'
import array, ast, json, struct, sys
def npy(path):
    raw = open(path, "rb").read()
    length, = struct.unpack("<H", raw[8:10])
    head = ast.literal_eval(raw[10:10 + length].decode())
    out = array.array({"<u4": "I", "<i8": "q"}[head["descr"]])
    out.frombytes(raw[10 + length:])
    return out, head["shape"]
d = json.load(open("D/nodes.json"))
n, nodes, epochs = d["graph"]["vertices"], d["nodes"], d["epochs"]
owner = {}
for i in range(nodes):
    for v in npy("D/node%d_owned.npy" % i)[0]:
        if v in owner: print("vertex %d has two owners" % v)
        owner[v] = i
if sys.argv[1] == "parts":
    open("parts.txt", "w").write("".join("%d\n" % owner[v] for v in range(n)))
    print(d["seed"])
    sys.exit()
counts, shape = npy("T/hotness_feature.npy") # [gpus][n]
if tuple(shape) != (nodes, n): print("shape", shape)
copies = [list(npy("D/node%d_copies.npy" % i)[0]) for i in range(nodes)]
for i in range(nodes):
    if any(owner[v] == i for v in copies[i]) or len(set(copies[i])) != len(copies[i]): print("node %d copies what it owns, or twice" % i)
mean = lambda x: (x + epochs // 2) // epochs
gathered = sum(counts)
if mean(gathered) != d["gathered_rows"]: print("%d rows gathered, %d stated" % (mean(gathered), d["gathered_rows"]))
for p in d["rankings"][0]["points"]:
    k = int(p["alpha"] * n / nodes)
    if k != p["copies"]: print("alpha %g: %d copies, %d stated" % (p["alpha"], k, p["copies"]))
    each = []
    for i in range(nodes):
        near = set(copies[i][:k])
        each.append(sum(counts[i * n + v] for v in range(n) if owner[v] != i and v not in near))
    if mean(sum(each)) != p["remote_rows"]: print("alpha %g: %d remote rows recounted, %d stated" % (p["alpha"], mean(sum(each)), p["remote_rows"]))
    busiest = max(each) * d["row_bytes"] / epochs
    if abs(busiest - p["busiest_bytes"]) > 1e-6 * busiest or abs(p["seconds"] - busiest / 2e9) > 1e-6 * p["seconds"]: print("alpha %g: busiest node" % p["alpha"])
points = {r["ranking"]: [p["remote_rows"] for p in r["points"]] for r in d["rankings"]}
for name, rows in points.items():
    if rows != sorted(rows, reverse=True): print(name, "reads more with more copies", rows)
    if any(a < b for a, b in zip(rows, points["oracle"])): print(name, "beats the oracle")
    if rows[0] != points["oracle"][0]: print(name, "differs without copies")
if not points["calibrated"][2] < points["halo"][2]: print("calibrated is no better than halo", points)
share = d["sharded"]["of_gathered"]
if abs(share - 0.75) > 0.01: print("striped over four nodes: %g is remote, about 3/4 was expected" % share)
P
    seed=$(python3 check.py parts)
    "$HOTSET" plan --graph G --server four.json --parts parts.txt --deal clique --fanout 6,4 --batch 50 --budget 1% --simulate-epochs 0 -o P --quiet >/dev/null &&
        "$HOTSET" trace record --graph G --server four.json --plan P --epochs 2 --seed "$seed" -o T --quiet >/dev/null || echo "not recorded"
    python3 check.py 2>&1 count | none "a recording of the same parts counts the same rows"
fi
for t in 1 3; do nodes --nodes 3 --gpus 2 --threads $t -o D$t >/dev/null; done
ok "the same bytes on any number of threads" diff -r D1 D3
if command -v python3 >/dev/null; then
    nodes --nodes 3 --gpus 2 --json >said.json
    ok "--json prints what nodes.json is, but for its files" python3 -c 'import json
a, b = json.load(open("said.json")), json.load(open("D1/nodes.json"))
for key in ("files", "checksum"): b.pop(key)
raise SystemExit(a != b)'
else skip "--json prints what nodes.json is" "python3 is not installed"; fi
ok "a planned order is refused, not ignored" eval 'exits 2 nodes --nodes 2 --order auto && grep -q -- "--order auto" .stderr'
ok "the table has the systems' names" eval 'nodes --nodes 2 --replicate 0,.5 | grep -q "calibrated (hotset) .* vip (salient++)"'
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
ok "too many GPUs" says 2 "more than 72 GPUs" nodes --nodes 20 --gpus 8
ok "a negative alpha" says 2 "0 to the number of nodes" nodes --nodes 2 --replicate -1
ok "an alpha that is no number" says 2 "--replicate" nodes --nodes 2 --replicate much
ok "an unknown ranking" says 2 "or halo, oracle" nodes --nodes 2 --by vipp
ok "a network without speed" says 2 "above 0" nodes --nodes 2 --nic-gbps 0
ok "another folder is left alone" says 3 "nodes.json" nodes --nodes 2 -o G
"$HOTSET" graph synth uniform --vertices 30 --edges 60 --train-share 0.1 -o few --quiet >/dev/null
ok "fewer training vertices than GPUs" says 3 "each needs one" "$HOTSET" nodes --graph few --nodes 8
finish
