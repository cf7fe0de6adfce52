#!/usr/bin/env bash
# All memories of a server, or of several, as one problem: lists, costs and what each memory serves are those that another program finds; one problem is never dearer than tier by tier; every
# node's plan loads and is simulated; threads change nothing; refusals.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
tiers() { "$HOTSET" plan --assignment nested --graph G --budget 2% --batch 50 --fanout 6,4 --simulate-epochs 2 --quiet --force -o D "$@"; }
gpu() { echo '{"id": '"$1"', "switch": '"$2"', "socket": '"$2"', "memory_bytes": 1073741824}'; }
hand() { # further members
    echo '{"schema": "server/1", "name": "hand", "gpus": ['"$(gpu 0 0), $(gpu 1 0), $(gpu 2 1), $(gpu 3 1)"'],
        "nvlinks": [{"a": 0, "b": 1, "links": 2, "gbps": 40}, {"a": 2, "b": 3, "links": 2, "gbps": 40}],
        "pcie": {"gbps": 12}, "sockets": 2, "socket_links": [{"a": 0, "b": 1, "gbps": 4}]'"$1"'}'
}
hand '' >hand.json
if ! command -v python3 >/dev/null; then skip "what memories serve recounted" "python3 is not installed"; else
    for how in "--host-memory 140%" "--host-memory 40% --ssd 2xgen4" "--host-memory 12% --ssd gen4 --budget 8%" \
        "--host-memory 140% --order blocks:2" "--host-memory 140% --order bfs"; do
        rm -rf D B
        # shellcheck disable=SC2086
        tiers --server hand.json $how >said || echo "no plan"
        seed=$(python3 -c 'import json; print(json.load(open("D/plan.json"))["simulated"]["seed"])')
        "$HOTSET" simulate D --seed "$seed" --epochs 2 --export-batches B --quiet >/dev/null || echo "not simulated"
        python3 "$root/tests/cli/tiers.py" D G B 2>&1 | none "$how: another program finds the same"
        rest
    done
    sed -i 's/"feature_rows": [0-9][0-9]*,/"feature_rows": 7,/' D/plan.json
    ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/tiers.py" D G B 2>&1)" ]'
fi
ok "a plan of its own prediction" eval 'tiers --server hand.json --host-memory 140% -o P1 >/dev/null; "$HOTSET" simulate P1 --epochs 4 --json --quiet >s.json; python3 - <<PY
import json
p, s = json.load(open("P1/plan.json"))["predicted"], json.load(open("s.json"))
off = p["total_transactions"] / s["rows"][0]["simulated"]["total_transactions"] - 1
assert abs(off) < 0.1, off
PY'
for t in 1 3; do tiers --server hand.json --host-memory 30% --ssd gen4 --threads $t -o S$t >/dev/null; done
ok "the same bytes on any number of threads" diff -rx .hotset S1 S3
for order in blocks:2 bfs; do # of several nodes: each has the order of its own GPUs
    ok "--order $order: every node's plan has it, is simulated and exported" eval 'tiers --server hand.json --nodes 2 --nic-gbps 1 --host-memory 70% --order $order -o O$order >/dev/null &&
        "$HOTSET" simulate O$order/node1 --quiet >/dev/null && "$HOTSET" export O$order/node1 --to npy --force -o OX --quiet >/dev/null && [ -s O$order/node1/gpu3_order.npy ] && [ -s OX/gpu3_order.npy ]'
done
# Several nodes. The network is 1 GB/s for four GPUs, slower than all else.
ok "two nodes, each with a plan" eval 'tiers --server hand.json --nodes 2 --nic-gbps 1 --host-memory 70% -o N2 >two.txt && "$HOTSET" simulate N2/node1 --quiet >/dev/null && "$HOTSET" export N2/node0 --to npy -o X --quiet >/dev/null'
ok "tables name nodes" grep -q "^node1 " two.txt
if command -v python3 >/dev/null; then python3 - <<'PY' 2>&1 | none "two nodes: costs, training vertices, homes"
import json
plans = [json.load(open("N2/node%d/plan.json" % i)) for i in range(2)]
graph = json.load(open("G/graph.json"))
row, size = graph["feature_dim"] * graph["feature_bytes"], graph["vertices"]
homes = {"topology": set(), "feature": set()}
for p in plans:
    m = p["memories"]
    if [x["kind"] for x in m["places"]] != ["dram", "dram", "node"]: print("places of a node:", m["places"])
    for r in m["readers"]:
        c = r["feature_row_seconds"][2]
        if abs(c - row / 0.25e9) > 1e-6 * c: print("a row of another node costs", c)
train = sum(g["train"]["count"] for p in plans for g in p["gpus"])
if train != graph["train_vertices"]: print("the nodes train", train, "vertices")
for kind in ("topology", "feature"):
    there = sum(x[kind]["count"] for p in plans for x in p["memories"]["places"] if x["kind"] == "dram")
    if there < size: print(kind, "at home:", there)
PY
fi
printf '{"schema": "cluster/1", "servers": [{"server": "%s", "count": 2}], "network": {"nic_gbps": 10, "oversubscription": 2}}' nics.json >c.json
hand ', "nics": [{"name": "n0", "switch": 0, "gbps": 25}, {"name": "n1", "switch": 1, "gbps": 25}]' >nics.json
ok "a cluster file" eval 'tiers --cluster c.json --host-memory 70% -o C >/dev/null && python3 - <<PY
import json
g = json.load(open("G/graph.json"))
# a NIC of 10 GB/s for two GPUs, half of it through the network: 2.5 GB/s
c = [r["feature_row_seconds"][2] for i in range(2) for r in json.load(open("C/node%d/plan.json" % i))["memories"]["readers"]]
assert c and all(abs(x - g["feature_dim"] * g["feature_bytes"] / 2.5e9) < 1e-6 * x for x in c), c
PY'
"$HOTSET" graph synth community --vertices 600 --edges 6000 --seed 3 --train-share 0.3 -o H --quiet >/dev/null || echo "no graph"
ok "sixteen nodes" eval 'tiers --graph H --server hand.json --nodes 16 --nic-gbps 9 --host-memory 20% --ssd gen4 --batch 2 --presample-epochs 2 --partition hash -o N16 >many.txt && grep -q "^node15 " many.txt && grep -q "at most .* above the best there is" many.txt'
ok "a planned order goes into the plans of nodes" eval 'tiers --server hand.json --nodes 2 --nic-gbps 9 --host-memory 70% --order blocks:2 -o OB >/dev/null && "$HOTSET" verify OB/node0 --quiet >/dev/null && "$HOTSET" simulate OB/node1 --quiet >/dev/null && "$HOTSET" export OB/node0 --to npy -o XO --quiet >/dev/null'
ok "the folder itself is the plan of all" eval '"$HOTSET" simulate OB --quiet >said && grep -q "^node1 " said'
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
ok "too little DRAM without SSDs" says 1 "no home has all rows" tiers --server hand.json --host-memory 90%
ok "DRAM below the offsets" says 1 "offsets alone take" tiers --server hand.json --host-memory 1%
ok "nodes without a network" says 2 "needs --nic-gbps" tiers --server hand.json --nodes 2 --host-memory 100%
ok "a network of one node" says 2 "one node has no network" tiers --server hand.json --nic-gbps 9 --host-memory 140%
ok "never dearer than tier by tier, where rows do not fit single GPUs" eval 'tiers --graph H --server gb200-nvl72 --budget 1% --host-memory 150% --batch 5 --fanout 4 --simulate-epochs 1 --presample-epochs 1 --json >nvl.json && python3 - <<PY
import json
one, order = (json.load(open("nvl.json"))["memories"][k] for k in ("predicted_seconds", "tier_by_tier_seconds"))
assert one <= order * (1 + 1e-9), (one, order)
PY'
ok "a cluster file and a server" says 2 "leave --server" tiers --server hand.json --cluster c.json
hand '' | sed 's/"pcie": {"gbps": 12}, //' >slow.json
ok "no rate of PCIe" says 1 "does not state how fast its GPUs read the host" tiers --server slow.json --host-memory 140%
ok "more memory than allowed" says 5 "memory: the stage .* needs about .* raise --memory" tiers --server hand.json --host-memory 140% --memory 2MiB -o none
ok "another folder is left alone" says 3 "choose another -o" tiers --server hand.json --host-memory 140% -o G
ok "memory of the host is not known" says 2 "--host-memory: the memory of server hand is not known" tiers --server hand.json --ssd gen4
# the name that this had: the same bytes, and a line that says what to write
ok "hotset tiers runs hotset plan" eval '"$HOTSET" tiers --graph H --server hand.json --budget 2% --batch 5 --fanout 4 --epochs=1 --host-memory 140% -o A >/dev/null 2>said &&
    grep -q "write: hotset plan --graph H .* --simulate-epochs=1 --host-memory 140% -o A --assignment nested$" said && sh -c "$(sed -n "s/.*write: hotset/\"\$HOTSET\"/p" said | sed "s/-o A/-o A2 --quiet/")" >/dev/null && diff -rx .hotset A A2'
finish
