#!/usr/bin/env bash
# hotset refresh of the plan of several nodes: what every node keeps and loads, from where, over which link; all of it counted again.
. "$(dirname "$0")/tap"
quiet() { "$HOTSET" "$@" --quiet >/dev/null; }
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
count() { python3 "$root/tests/cli/refresh_nodes.py" "$@"; }
quiet graph synth community --vertices 1500 --edges 16000 --seed 3 --train-share 0.2 --feature-dim 64 -o G
common="--graph G --budget 2% --batch 50 --fanout 6,4 --presample-epochs 2 --simulate-epochs 1"
printf '{"schema": "cluster/1", "servers": [{"server": "dgx-a100:4", "count": 2}], "network": {"nic_gbps": 10, "oversubscription": 2}}' >c.json
for s in v100 a100; do "$HOTSET" server show dgx-$s:4 --json --quiet >$s.json; done
plan() { # NAME SERVER POLICY OPTIONS..: a plan P-NAME, a recording T-NAME of other fan-outs, and the next plan Q-NAME
    local name=$1 server=dgx-$2:4 policy=$3
    shift 3
    # shellcheck disable=SC2086
    quiet plan $common --policy "$policy" "$@" -o "P-$name"
    quiet trace record --graph G --server "$server" --plan "P-$name" --seed 7 --fanout 3,3 -o "T-$name"
    "$HOTSET" refresh "P-$name" --trace "T-$name" --simulate-epochs 1 -o "Q-$name" --json --quiet >"$name.json"
    ok "$name: a good plan of every node" exits 0 "$HOTSET" verify "Q-$name" --graph G
}
node="--server dgx-v100:4 --nic-gbps 12.5"
# shellcheck disable=SC2086
{
    plan two v100 quiver-plus $node --nodes 2 --host-memory 60%
    plan ssd v100 quiver-plus $node --nodes 2 --host-memory 40% --ssd gen4
    plan slow v100 quiver-plus --server dgx-v100:4 --nic-gbps 5 --nodes 4 --host-memory 29%
    plan one-problem v100 hotset $node --nodes 2 --host-memory 60%
}
plan cluster a100 quiver-plus --cluster c.json --host-memory 60%
for name in two ssd slow; do ok "$name: rows, where they come from, links and times" count P-$name Q-$name $name.json v100.json G; done
ok "cluster: the network of its file" count P-cluster Q-cluster cluster.json a100.json G
sed 's/"from_nodes": [1-9][0-9]*/"from_nodes": 5/' two.json >wrong.json
ok "a changed number is noticed" eval '! count P-two Q-two wrong.json v100.json G'
ok "the next plan is simulated as the command says" eval '"$HOTSET" simulate Q-two --epochs 1 --json --quiet >sim.json && python3 -c "
import json
rows, parts = json.load(open(\"sim.json\"))[\"rows\"], json.load(open(\"two.json\"))[\"parts\"]
assert len(rows) == 2 and [r[\"simulated\"][\"total_transactions\"] for r in rows] == [p[\"after\"][\"simulated\"][\"total_transactions\"] for p in parts]"'
ok "and refreshed again" exits 0 "$HOTSET" refresh Q-two --trace T-two --simulate-epochs 0 -o Q2 --quiet
for n in 1 6; do "$HOTSET" refresh P-two --trace T-two --simulate-epochs 1 -o "A$n" --threads "$n" --quiet >said; done
ok "the same bytes on any number of threads" diff -rx .hotset A1 A6
ok "the tables name nodes" eval 'grep -q "^node  GPU " said && grep -q "^node 1: network " said && grep -q "^node 0  *[0-9]" said'
"$HOTSET" refresh P-two --trace T-two --simulate-epochs 0 --pay-within 0 -o N --json --quiet >kept.json
ok "what is waited for in any case is what GPUs that keep their rows wait for" python3 -c 'import json
kept, new = (json.load(open(f)) for f in ("kept.json", "two.json"))
assert kept["rows_to_load"] == 0 < kept["seconds_to_load"] == kept["seconds_to_stay"] == new["seconds_to_stay"], (kept["seconds_to_load"], new["seconds_to_stay"])'
ok "--within 0 keeps every row of GPUs" eval 'for f in P-two/node?/gpu*_feature.npy P-two/node?/gpu*_topology.npy; do cmp "$f" "N/${f#P-two/}" || exit 1; done'
ok "one problem: reads take no longer than with the plan as it is" python3 -c 'import json
kept, new = (json.load(open(p + "/plan.json"))["predicted_seconds"] for p in ("N", "Q-two"))
assert new < kept, (new, kept)'
"$HOTSET" refresh P-two --trace T-two --simulate-epochs 0 --move-budget 4KiB -o B --json --quiet >budget.json
ok "--move-budget is of each clique" python3 -c 'import json
d = json.load(open("budget.json"))
assert d["nodes"] == 2 and all(0 < p["bytes_to_load"] <= 4096 for p in d["parts"]), [p["bytes_to_load"] for p in d["parts"]]'
ok "--auto says what all nodes load and save" eval '"$HOTSET" refresh P-two --trace T-two --simulate-epochs 0 --auto -o C 2>said >/dev/null && grep -q "rows are exchanged: loading" said'
ok "the network is waited for where it takes longest" python3 -c 'import json
d = json.load(open("slow.json"))
assert d["seconds_to_load"] > 1.2 * max(g["seconds_to_load"] for g in d["gpus"]), d["seconds_to_load"]'
ok "a page of answers" eval '"$HOTSET" report two.json -o page --quiet >/dev/null && grep -q "node 1, GPU 3" page/index.html'

rest
# Several types: what stays keeps its slot, and nodes sum up.
quiet graph synth like ogbn-mag --scale 0.005 --feature-dim 16 -o M
quiet plan --graph M --server dgx-v100:2 --policy legion --fanout "cites=5,3;writes=4,2;rev_has_topic=2,2;*=1,1" --batch 50 --budget 12% --simulate-epochs 0 --nodes 2 --nic-gbps 12.5 --host-memory 60% -o PM
quiet trace record --graph M --server dgx-v100:2 --plan PM --seed 7 --fanout "cites=2,2;writes=6,6;*=1,1" -o TM
"$HOTSET" refresh PM --trace TM -o QM --simulate-epochs 1 --json --quiet >types.json
ok "several types: a good plan of every node" exits 0 "$HOTSET" verify QM --graph M
python3 - <<PY
import json
d = json.load(open("types.json"))
for n in range(2): json.dump({"gpus": [g for g in d["gpus"] if g["node"] == n], "rows_to_load": d["parts"][n]["rows_to_load"]}, open("types%d.json" % n, "w"))
PY
for n in 0 1; do ok "several types: what stays on node $n keeps its slot" python3 "$root/tests/cli/refresh_changed.py" slots PM/node$n QM/node$n types$n.json; done
ok "several types: something is loaded, from other nodes, too" python3 -c 'import json
d = json.load(open("types.json"))
assert d["rows_to_load"] == sum(p["rows_to_load"] for p in d["parts"]) > d["rows_from_nodes"] > 0, (d["rows_to_load"], d["rows_from_nodes"])'

# Another training set: the deal to nodes stays, what is new goes where it reads most, then GPUs of a node share their part.
python3 - <<PY
import sys
sys.path.insert(0, "$root/tests/cli")
from recount import npy
train = list(npy("G/train.npy"))
keep = [v for i, v in enumerate(train) if i % 3]
new = [v for v in range(1500) if v not in set(train)][: len(train) // 2]
open("train2.txt", "w").write("".join(f"{v}\n" for v in sorted(keep + new)))
PY
quiet graph import G/indptr.npy G/indices.npy --train train2.txt --feature-dim 64 -o G2
for name in two slow; do
    "$HOTSET" trace record --graph G2 --server dgx-v100:4 --plan "P-$name" --seed 7 -o "T2-$name" >/dev/null 2>said
    ok "$name: the deal of nodes is told" grep -q "of all nodes, 200 training vertices stay where they are, and 150 new ones" said
    "$HOTSET" refresh "P-$name" --graph G2 --trace "T2-$name" --simulate-epochs 1 -o "Q2-$name" --json --quiet >"changed-$name.json"
    ok "$name: a good plan of every node for other training vertices" exits 0 "$HOTSET" verify "Q2-$name" --graph G2
    ok "$name: who trains what, and what moves" python3 "$root/tests/cli/refresh_nodes_train.py" P-$name Q2-$name changed-$name.json G G2
done
ok "a node's plan is simulated for its part" eval 'exits 0 "$HOTSET" simulate P-two/node1 --graph G2 --server dgx-v100:4 --epochs 1 >/dev/null && grep -q "of all nodes, 200 training vertices stay" .stderr'
ok "all nodes are simulated with other training vertices, each for its part" eval '"$HOTSET" simulate P-two --graph G2 --server dgx-v100:4 --epochs 1 --json >all.json 2>said && for n in 0 1; do "$HOTSET" simulate P-two/node$n --graph G2 --server dgx-v100:4 --epochs 1 --json --quiet; done >each.json && python3 -c "
import json
rows, text = json.load(open(\"all.json\"))[\"rows\"], open(\"each.json\").read()
one, end = json.JSONDecoder().raw_decode(text)
other = json.loads(text[end:])
assert len(rows) == 2 and [r[\"simulated\"] for r in rows] == [x[\"rows\"][0][\"simulated\"] for x in (one, other)]
" && [ $(grep -c "of all nodes, 200 training vertices stay" said) = 1 ]'
cp -r P-two P-lone && rm -rf P-lone/node1
ok "a node whose others are not there" says 3 "the part of node 1 is not beside it" "$HOTSET" trace record --graph G2 --server dgx-v100:4 --plan P-lone/node0 -o X

# What is refused, with its reason
ok "one node of several" says 1 "one node of 2, .* refresh the plan of all nodes" "$HOTSET" refresh P-two/node1 --trace T-two/node1 -o X
mkdir T-first && cp -r T-two/node0 T-first
ok "a recording of one node" says 3 "no recording of node 1; .* --plan P-two" "$HOTSET" refresh P-two --trace T-first -o X
ok "a recording that is not of nodes" says 3 "no recording of node 0" "$HOTSET" refresh P-two --trace T-two/node0 -o X
mkdir T-twice && cp -r T-two/node0 T-twice/node0 && cp -r T-two/node0 T-twice/node1
ok "a vertex on two nodes" says 3 "train vertex [0-9]* both" "$HOTSET" refresh P-two --trace T-twice -o X
cp -r P-two P-mixed && rm -rf P-mixed/node1 && cp -r P-two/node0 P-mixed/node1
ok "a part of another node" says 3 "is not node 1 of the 2" "$HOTSET" refresh P-mixed --trace T-two -o X
ok "nothing is left behind" [ ! -e X ]
finish
