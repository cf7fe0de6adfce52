#!/usr/bin/env bash
# hotset nodes: remote rows are those that a recording of the same parts counts; more copies never read more; oracle is not beaten; the NICs of a
# cluster carry what another program counts; refusals.
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
    for order in shuffle blocks:2; do
        rm -rf D P T && nodes --nodes 4 --by calibrated,vip,halo,oracle --replicate 0,0.05,0.2,1 --nic-gbps 2 --order $order -o D >/dev/null || echo "no nodes"
        seed=$(python3 check.py parts)
        "$HOTSET" plan --graph G --server four.json --parts parts.txt --deal clique --order $order --fanout 6,4 --batch 50 --budget 1% --simulate-epochs 0 -o P --quiet >/dev/null &&
            "$HOTSET" trace record --graph G --server four.json --plan P --epochs 2 --seed "$seed" -o T --quiet >/dev/null || echo "not recorded"
        python3 check.py count 2>&1 | none "$order: a recording of the same parts counts the same rows"
    done
fi
# several types: rows of several sizes, types without features, rows of edges
if command -v python3 >/dev/null; then
    "$HOTSET" graph synth like ogbn-mag --scale 0.001 --feature-dim 8 -o M --quiet >/dev/null || echo "no graph"
    python3 "$root/tests/cli/typed.py" make src
    python3 -c 'import json; p = "src/hetero/hetero.json"; d = json.load(open(p)); d["relations"][0].update(feature_dim=3, feature_type="f32"); json.dump(d, open(p, "w"))'
    "$HOTSET" graph import src/hetero -o X --quiet >/dev/null || echo "no graph"
    types() { "$HOTSET" nodes --fanout 6,4 --batch 5 --epochs 2 --presample-epochs 2 --quiet "$@"; }
    for g in M X; do
        rm -rf D TP TR && types --graph $g --nodes 4 --by calibrated,vip,halo,oracle --replicate 0,0.05,0.2,1 --nic-gbps 2 -o D >said || echo "no nodes"
        seed=$(python3 "$root/tests/cli/nodes_types.py" D)
        "$HOTSET" plan --graph $g --server four.json --parts parts.txt --deal clique --fanout 6,4 --batch 5 --budget 1% --simulate-epochs 0 -o TP --quiet >/dev/null &&
            "$HOTSET" trace record --graph $g --server four.json --plan TP --epochs 2 --seed "$seed" -o TR --quiet >/dev/null || echo "not recorded"
        python3 "$root/tests/cli/nodes_types.py" D TR 2>&1 | none "$g: a recording of the same parts counts the same rows and bytes"
    done
    sed -i 's/"remote_bytes": [0-9.]*/"remote_bytes": 7.5/' D/nodes.json
    ok "a changed number of several types is noticed" eval '[ -n "$(python3 "$root/tests/cli/nodes_types.py" D TR 2>&1)" ]'
    ok "several types: bytes in the table" eval 'grep -q "^bytes of remote rows per epoch" said && grep -q "alpha: bytes that a node copies" said'
    for t in 1 3; do types --graph M --nodes 2 --threads $t -o DT$t >/dev/null; done
    ok "several types: the same bytes on any number of threads" diff -r DT1 DT3
    buy() { "$HOTSET" size --price 0 --steps 1 --quiet "$@"; }
    ok "several types: how many nodes" eval 'buy --graph M --server dgx-v100:1 --fanout 6,4 --batch 5 --nodes 1,2,4 --nic-gbps 12.5,25 --host-memory 60% --target "epoch-time<=20ms" | grep -q "^4 x dgx-v100:1, network 12.5 GB/s: .* per epoch, 0, surely"'
    ok "several types: the plan of one node states its settings" eval '"$HOTSET" plan --graph M --server dgx-v100:1 --budget 5% --fanout 6,4 --batch 5 --simulate-epochs 1 --quiet -o PM >/dev/null && buy --like PM --nodes 2,4 --nic-gbps 12.5 | grep -q "^2 x dgx-v100:1: .* per epoch"'
fi
# Two servers of 4 GPUs. GPUs 0 and 1 share the NICs n0 and n1 of their switch, GPU 2 has n2 and n3 to itself. GPU 3 has none: its widest NVLink
# leads to GPU 2. The second cluster has rails, the third is limited by the nodes' part of an oversubscribed network.
mkdir c
server() { # NICs
    echo '{"schema": "server/1", "name": "uneven", "gpus": [{"id": 0, "switch": 0, "socket": 0}, {"id": 1, "switch": 0, "socket": 0},
        {"id": 2, "switch": 1, "socket": 1}, {"id": 3, "switch": 2, "socket": 1}],
        "nvlinks": [{"a": 0, "b": 3, "links": 1, "gbps": 25}, {"a": 2, "b": 3, "links": 2, "gbps": 50}], "nics": ['"$1]}"
}
rated='{"name": "n0", "switch": 0, "gbps": 12.5, "rail": 0}, {"name": "n1", "switch": 0, "gbps": 25, "rail": 1},
    {"name": "n2", "switch": 1, "gbps": 25, "rail": 0}, {"name": "n3", "switch": 1, "gbps": 25, "rail": 1}'
server "$rated" >c/uneven.json
cluster() { echo '{"schema": "cluster/1", "servers": [{"server": "'"${2-uneven.json}"'", "count": '"${3-2}"'}], "network": {'"$1"'}}'; }
cluster '' >c/plain.json
cluster '"rails": true, "nic_gbps": 10' >c/rails.json
cluster '"oversubscription": 8, "rails": null' >c/narrow.json
onto() { nodes --cluster "c/$1.json" --replicate 0,0.1,0.6 --by vip "${@:2}"; }
if ! command -v python3 >/dev/null; then skip "bytes of NICs recounted" "python3 is not installed"; else
    for name in plain rails narrow; do onto $name -o N$name >/dev/null || echo "$name: no nodes"; done
    python3 - <<'P'
import json
pairs = [{"a": a, "b": b, "links": 1} for a in range(8) for b in range(a + 1, 8) if a // 4 == b // 4]
json.dump({"schema": "server/1", "name": "eight", "gpus": [{"id": i} for i in range(8)], "nvlinks": pairs}, open("eight.json", "w"))
P
    mv D Dfour; mv Nplain D; seed=$(python3 check.py parts); mv D Nplain; mv Dfour D
    "$HOTSET" plan --graph G --server eight.json --parts parts.txt --deal clique --fanout 6,4 --batch 50 --budget 1% --simulate-epochs 0 -o P8 --quiet >/dev/null &&
        "$HOTSET" trace record --graph G --server eight.json --plan P8 --epochs 2 --seed "$seed" -o T8 --quiet >/dev/null || echo "not recorded"
    for name in plain rails narrow; do { python3 "$root/tests/cli/nodes_network.py" N$name T8 c/$name.json c/uneven.json 2>>limits || echo "the checker stopped"; } | none "$name: bytes of NICs and NVLinks recounted"; done
    ok "the narrow network limits nodes" grep -qx node limits
fi
ok "the table has NICs" eval 'onto plain | grep -q "^n2 .*GPU2, GPU3 over GPU2"'
ok "the same remote rows as without a network" eval 'onto plain --json >a.json; nodes --nodes 2 --gpus 4 --replicate 0,0.1,0.6 --by vip --json >b.json; [ "$(grep remote_rows a.json)" = "$(grep remote_rows b.json)" ]'
ok "a shipped profile" eval 'cluster "" dgx-h100 2 >c/h.json; nodes --cluster c/h.json --replicate 0 --by vip --json | grep -A3 "\"gpu\": 5" | grep -q "\"rule\": \"socket\""'
# How many nodes, which network: one node is too small, a network too slow.
"$HOTSET" plan --graph G --server dgx-v100:1 --fanout 6,4 --batch 50 --budget 1% --simulate-epochs 2 -o P1 --quiet >/dev/null || echo "no plan"
common=(--steps 1 --most 30KiB)
buy() { "$HOTSET" size --graph G --server dgx-v100:1 --fanout 6,4 --batch 50 --price 0 "${common[@]}" --quiet "$@"; }
if ! command -v python3 >/dev/null; then skip "tables of sizes" "python3 is not installed"; else
    lists=(4,1,2,2 0.2,25,0.2 60%,100% 5ms)
    python3 "$root/tests/cli/nodes_sizes.py" "$HOTSET" --graph G --server dgx-v100:1 --fanout 6,4 --batch 50 "${common[@]}" -- "${lists[@]}" 2>&1 | none "sizes are what each alone is"
    python3 "$root/tests/cli/nodes_sizes.py" "$HOTSET" --like P1 "${common[@]}" -- "${lists[@]}" 2>&1 | none "sizes are what each alone is, with a plan"
fi
ok "the answer is a sentence" eval 'buy --nodes 2,4 --nic-gbps 0.01,100 --target "epoch-time<=2ms" | grep -q "^2 x dgx-v100:1, network 100 GB/s: .* per epoch, 0, surely"'
ok "a target needs more nodes" eval 'buy --nodes 1,2,4 --nic-gbps 100 --target "epoch-time<=1ms" | grep -q "^4 x dgx-v100:1: .* per epoch, 0, surely"'
ok "without an answer, the nearest" eval 'buy --nodes 2,4 --nic-gbps 0.001,0.002 --target "epoch-time<=1ms" 2>&1 | grep -q "The closest is 4 x dgx-v100:1, network 0.002 GB/s"'
ok "no memory is enough" eval 'buy --nodes 1,2 --host-memory 1KiB 2>&1 | grep -q "needed, 1.00 KiB there); what would: .* of host memory"'
ok "memory alone" eval 'buy --nodes 1,2,4 --host-memory 60% --nic-gbps 25 | grep -q "^2 x dgx-v100:1: .* per epoch"'
ok "no network, no time" eval 'buy --nodes 2,4 | grep -q "its epoch time is not known: its description lacks what the network needs"'
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
ok "another folder is left alone" says 3 "choose another -o" nodes --nodes 2 -o G
# refused TEXT CODE: what stdin says is refused, and nothing is written
refused() { cat >c/bad.json; exits "${2-3}" nodes --cluster c/bad.json -o none >/dev/null && grep -q -- "$1" .stderr && [ "$(grep -c '^hotset: ' .stderr)" = 1 ] && [ ! -e none ]; }
ok "no NIC" eval 'cluster "" dgx-v100:2 | refused "states no NIC"'
ok "a NIC without a rate" eval 'server "{\"name\": \"n0\", \"switch\": 0}" >c/rateless.json; cluster "" rateless.json | refused "nics\[0\] (n0) has no rate"'
ok "rails that are not known" eval 'cluster "\"rails\": true" p4d.24xlarge | refused "does not state that of nics\[0\]"'
ok "rails that are a number" eval 'cluster "\"rails\": 8" | refused "is an integer, expected bool"'
ok "oversubscription below 1" eval 'cluster "\"oversubscription\": 0.5" | refused "oversubscription.*0.5"'
ok "no server" eval 'cluster "" uneven.json 0 | refused "count"'
ok "one server" eval 'cluster "" uneven.json 1 | refused "lists 1 server,"'
ok "too many GPUs of a cluster" eval 'cluster "" uneven.json 19 | refused "more than 72 GPUs together"'
ok "mixed servers" eval 'cluster "" "a\", \"count\": 1}, {\"server\": \"b" | refused "unequal servers cannot be planned"'
ok "a GPU without a way" eval 'server "{\"name\": \"n0\", \"switch\": 0, \"gbps\": 1, \"socket\": 0}" >c/far.json; sed -i "s/\"nvlinks\": .*\],/\"nvlinks\": [],/" c/far.json; cluster "" far.json | refused "GPU 2 of uneven has no way to a NIC"'
ok "a server that is not there" eval 'cluster "" nowhere.json | refused "bad.json: .*nowhere"'
ok "an unknown member" eval 'cluster "\"nics\": 3" | refused "nics"'
ok "a rate that is none" eval 'cluster "\"nic_gbps\": -1" | refused "nic_gbps"'
ok "another schema" eval 'cluster "" | sed "s,cluster/1,cluster/2," | refused "cluster/2"'
ok "no JSON" eval 'head -c 300 "$HOTSET" | refused "bad.json"'
ok "an empty list" eval 'echo "{\"schema\": \"cluster/1\", \"servers\": []}" | refused "1 to 64"'
ok "numbers for servers" eval 'echo "{\"schema\": \"cluster/1\", \"servers\": [4, 5]}" | refused "is an integer, expected object"'
ok "no cluster file" says 3 "nothing.json" nodes --cluster nothing.json
for option in "--nodes 2" "--gpus 4" "--nic-gbps 5"; do ok "--cluster with $option" says 2 "exclude each other" nodes --cluster c/plain.json $option; done
ok "one node alone" says 2 "2 to 64 are expected" nodes --nodes 1
for sizes in "--nodes 2,4" "--nic-gbps 1,2" "--one-node 1s" "--within 0.1" "--target epoch-time<=1s" "--host-memory 60%"; do ok "$sizes is a question for size" says 2 "hotset size --graph G --server S" nodes $sizes -o none; done
ok "no speed of a network in sizes" exits 2 buy --nodes 2,4 --nic-gbps fast
ok "a plan that is not there" exits 2 "$HOTSET" size --like ./nowhere --nodes 2,4 --nic-gbps 1 --quiet
"$HOTSET" graph synth uniform --vertices 30 --edges 60 --train-share 0.1 -o few --quiet >/dev/null
ok "fewer training vertices than GPUs" says 3 "each needs one" "$HOTSET" nodes --graph few --nodes 8
finish
