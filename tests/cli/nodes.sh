#!/usr/bin/env bash
# hotset plan of several servers: the NICs of a cluster carry what another program counts; how many nodes and which network are enough; what the
# old name 'nodes' says; refusals. Places and reads of nodes are recounted by places.sh and tiers.sh.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 4000 --edges 50000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
nodes() { "$HOTSET" plan --graph G --budget 2% --fanout 6,4 --batch 50 --simulate-epochs 2 --presample-epochs 2 --partition stream --quiet "$@"; }
buy() { "$HOTSET" size --price 0 --steps 1 --quiet "$@"; }
if command -v python3 >/dev/null; then # several types
    "$HOTSET" graph synth like ogbn-mag --scale 0.001 --feature-dim 8 -o M --quiet >/dev/null || echo "no graph"
    ok "several types: how many nodes" eval 'buy --graph M --server dgx-v100:1 --fanout 6,4 --batch 5 --nodes 1,2,4 --nic-gbps 12.5,25 --host-memory 60% --target "epoch-time<=100ms" | grep -q "^4 x dgx-v100:1, network 12.5 GB/s: .* per epoch, 0, surely"'
    ok "several types: the plan of one node states its settings" eval '"$HOTSET" plan --graph M --server dgx-v100:1 --budget 5% --fanout 6,4 --batch 5 --simulate-epochs 1 --quiet -o PM >/dev/null && buy --like PM --nodes 2,4 --nic-gbps 12.5 | grep -q "^2 x dgx-v100:1: .* per epoch"'
fi
# Two servers of 4 GPUs. GPUs 0 and 1 share the NICs n0 and n1 of their switch, GPU 2 has n2 and n3 to itself. GPU 3 has none: its widest NVLink
# leads to GPU 2. The second cluster has rails, the third is limited by the nodes' part of an oversubscribed network.
mkdir c
server() { # NICs
    echo '{"schema": "server/1", "name": "uneven", "gpus": [{"id": 0, "switch": 0, "socket": 0}, {"id": 1, "switch": 0, "socket": 0},
        {"id": 2, "switch": 1, "socket": 1}, {"id": 3, "switch": 2, "socket": 1}],
        "nvlinks": [{"a": 0, "b": 3, "links": 1, "gbps": 25}, {"a": 2, "b": 3, "links": 2, "gbps": 50}], "pcie": {"gbps": 12}, "nics": ['"$1]}"
}
rated='{"name": "n0", "switch": 0, "gbps": 12.5, "rail": 0}, {"name": "n1", "switch": 0, "gbps": 25, "rail": 1},
    {"name": "n2", "switch": 1, "gbps": 25, "rail": 0}, {"name": "n3", "switch": 1, "gbps": 25, "rail": 1}'
server "$rated" >c/uneven.json
cluster() { echo '{"schema": "cluster/1", "servers": [{"server": "'"${2-uneven.json}"'", "count": '"${3-2}"'}], "network": {'"$1"'}}'; }
cluster '' >c/plain.json
cluster '"rails": true, "nic_gbps": 10' >c/rails.json
cluster '"oversubscription": 8, "rails": null' >c/narrow.json
onto() { nodes --cluster "c/$1.json" --policy legion-topogpu --budget 700KiB --host-memory 75% "${@:2}"; } # all topology on GPUs
if ! command -v python3 >/dev/null; then skip "bytes of NICs recounted" "python3 is not installed"; else
    for name in plain rails narrow; do
        mkdir B$name; onto $name -o N$name >said$name || echo "$name: no plan"
        for i in 0 1; do
            seed=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["simulated"]["seed"])' N$name/node$i/plan.json)
            "$HOTSET" simulate N$name/node$i --seed "$seed" --epochs 2 --quiet --export-batches B$name/node$i >/dev/null || echo "$name: no mini-batches"
        done
        { python3 "$root/tests/cli/nodes_network.py" N$name B$name c/$name.json c/uneven.json G 2>>limits || echo "the checker stopped"; } | none "$name: bytes of NICs and NVLinks recounted"
    done
    ok "the narrow network limits nodes" grep -qx node limits
    sed -i 's/"received_bytes": [1-9][0-9.]*/"received_bytes": 7.5/' Nplain/plan.json
    ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/nodes_network.py" Nplain Bplain c/plain.json c/uneven.json G 2>/dev/null)" ]'
    ok "the table has NICs" grep -q "^n2 .*GPU2, GPU3 over GPU2" saidplain
    ok "and what limits them" grep -q "^the network takes .* of an epoch, limited by: node" saidnarrow
fi
ok "a shipped profile" eval 'cluster "" dgx-h100 2 >c/h.json; nodes --cluster c/h.json --host-memory 75% -o Nh --json | grep -A3 "\"gpu\": 5" | grep -q "\"rule\": \"socket\""'
# How many nodes, which network: one node is too small, a network too slow.
"$HOTSET" plan --graph G --server dgx-v100:1 --fanout 6,4 --batch 50 --budget 1% --simulate-epochs 2 -o P1 --quiet >/dev/null || echo "no plan"
common=(--steps 1 --most 30KiB)
buy() { "$HOTSET" size --graph G --server dgx-v100:1 --fanout 6,4 --batch 50 --price 0 "${common[@]}" --quiet "$@"; }
if ! command -v python3 >/dev/null; then skip "tables of sizes" "python3 is not installed"; else
    lists=(4,1,2,2 0.2,25,0.2 60%,100% 12ms) # ten times what some take: no case of validate reaches such times
    python3 "$root/tests/cli/nodes_sizes.py" "$HOTSET" --graph G --server dgx-v100:1 --fanout 6,4 --batch 50 "${common[@]}" -- "${lists[@]}" 2>&1 | none "sizes are what each alone is"
    python3 "$root/tests/cli/nodes_sizes.py" "$HOTSET" --like P1 "${common[@]}" -- "${lists[@]}" 2>&1 | none "sizes are what each alone is, with a plan"
fi
ok "the answer is a sentence" eval 'buy --nodes 2,4 --nic-gbps 0.01,100 --target "epoch-time<=11ms" | grep -q "^2 x dgx-v100:1, network 100 GB/s: .* per epoch, 0, surely"'
ok "a target needs more nodes" eval 'buy --nodes 1,2,4 --nic-gbps 100 --target "epoch-time<=7ms" | grep -q "^4 x dgx-v100:1: .* per epoch, 0, surely"'
ok "without an answer, the nearest" eval 'buy --nodes 2,4 --nic-gbps 0.001,0.002 --target "epoch-time<=1ms" 2>&1 | grep -q "The closest is 4 x dgx-v100:1, network 0.002 GB/s"'
ok "no memory is enough" eval 'buy --nodes 1,2 --host-memory 1KiB 2>&1 | grep -q "needed, 1.00 KiB there); what would: .* of host memory"'
ok "memory alone" eval 'buy --nodes 1,2,4 --host-memory 60% --nic-gbps 25 | grep -q "^2 x dgx-v100:1: .* per epoch"'
ok "no network, no time" eval 'buy --nodes 2,4 | grep -q "its epoch time is not known: its description lacks what its NICs carry (--nic-gbps)"'
for t in 1 3; do onto narrow --threads $t -o D$t >/dev/null; done
ok "the same bytes on any number of threads" diff -rx .hotset D1 D3
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
# what the old name says
ok "hotset nodes runs hotset plan" eval '"$HOTSET" nodes --graph G --server dgx-v100:2 --nodes 2 --nic-gbps=9 --budget 2% --fanout 6,4 --batch 50 --epochs 1 -o A >/dev/null 2>said &&
    grep -q "write: hotset plan --graph G --server dgx-v100:2 --nodes 2 --nic-gbps=9 .* --simulate-epochs 1 -o A" said && grep -q plan-nodes/1 A/plan.json'
ok "and needs a server" says 2 "nodes: .hotset plan. needs --server" "$HOTSET" nodes --graph G --nodes 4
for option in "--replicate 0,.5" "--by vip" "--gpus 4"; do ok "$option is said in another way" says 2 "${option% *}: 'hotset nodes' is 'hotset plan' now, and" "$HOTSET" nodes --graph G --cluster c/plain.json $option; done
for sizes in "--nodes 2,4" "--nic-gbps 1,2" "--one-node 1s" "--within 0.1" "--target epoch-time<=1s" "--host-memory 60%,70%"; do
    ok "$sizes is a question for size" says 2 "hotset size --graph G --server S" "$HOTSET" nodes --graph G --server dgx-v100 $sizes -o none
done
# refusals
ok "another folder is left alone" says 3 "choose another -o" nodes --server dgx-v100:2 --nodes 2 --nic-gbps 9 -o G
# refused TEXT CODE: what stdin says is refused, and nothing is written
refused() { cat >c/bad.json; exits "${2-3}" nodes --cluster c/bad.json --host-memory 75% -o none >/dev/null && grep -q -- "$1" .stderr && [ "$(grep -c '^hotset: ' .stderr)" = 1 ] && [ ! -e none ]; }
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
ok "no cluster file" says 3 "nothing.json" nodes --cluster nothing.json -o none
for option in "--nodes 2" "--server siton" "--nic-gbps 5"; do ok "--cluster with $option" says 2 "a cluster file states servers" nodes --cluster c/plain.json $option -o none; done
ok "one node has no network" says 2 "one node has no network" nodes --server dgx-v100:2 --nodes 1 --nic-gbps 9 -o none
ok "a network without speed" says 2 "needs --nic-gbps" nodes --server dgx-v100:2 --nodes 2 --nic-gbps 0 -o none
ok "no speed of a network in sizes" exits 2 buy --nodes 2,4 --nic-gbps fast
ok "a plan that is not there" exits 2 "$HOTSET" size --like ./nowhere --nodes 2,4 --nic-gbps 1 --quiet
"$HOTSET" graph synth uniform --vertices 30 --edges 60 --train-share 0.1 -o few --quiet >/dev/null
ok "fewer training vertices than GPUs" says 3 "each needs one" nodes --graph few --server dgx-v100:1 --nodes 8 --nic-gbps 9 -o none
finish
