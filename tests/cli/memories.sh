#!/usr/bin/env bash
# Memories below the GPUs in the commands behind and beside `plan`: compare makes the plans that `plan` makes, and with several nodes their sum.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
usual="--graph G --budget 2% --batch 50 --fanout 6,4 --presample-epochs 2 --simulate-epochs 1 --quiet"
check() { python3 "$root/tests/cli/memories.py" "$@" 2>&1; }
# shellcheck disable=SC2086
plan() { "$HOTSET" plan $usual "$@"; }
# shellcheck disable=SC2086
compare() { "$HOTSET" compare $usual "$@"; }
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }

one="--server dgx-v100 --host-memory 30% --ssd gen4" two="--server dgx-v100 --host-memory 40% --ssd gen4 --nodes 2 --nic-gbps 12.5"
# shellcheck disable=SC2086
plan $two -o P3 >/dev/null || echo "no plans of nodes"
# shellcheck disable=SC2086
ok "a comparison with memories" eval 'compare $one --policy hotset,quiver-plus,legion,bgl -o R.json >said'
ok "its columns" grep -q " epoch .*DRAM trans\.  *other sockets  *SSD blocks  *reads" said
ok "a dynamic cache is no error there" grep -q "^bgl, unsupported at 2%: its GPUs hold features in a dynamic cache" said
rest
# shellcheck disable=SC2086
ok "and of two nodes" eval 'compare $two --policy hotset,quiver-plus -o N.json >said && grep -q "other nodes" said'
# shellcheck disable=SC2086
compare $one --policy hotset,quiver-plus,legion,bgl --threads 3 -o R3.json >/dev/null
ok "the same bytes on any number of threads" cmp R.json R3.json
printf '{"schema": "cluster/1", "servers": [{"server": "dgx-a100:4", "count": 2}], "network": {"nic_gbps": 10}}' >c.json
ok "of a cluster file" eval 'compare --cluster c.json --host-memory 60% --policy hotset -o c-R.json >said && grep -q "^hotset .* [0-9]" said && grep -q "\"nodes\": 2" c-R.json'
# shellcheck disable=SC2086
ok "tasks of an array make the same rows" eval 'for i in 0 1; do compare $two --policy hotset,quiver-plus --cells $i/2 -o A.json >/dev/null || exit 1; done; compare $two --policy hotset,quiver-plus --merge-cells 2 -o A.json >/dev/null && cmp A.json N.json'
# shellcheck disable=SC2086
ok "parts of one node for several" says 2 "parts: is of one node" compare $two --assignment clique --policy hotset --parts x
ok "too little memory" says 1 "no home has all rows" compare --server dgx-v100 --host-memory 40%
# shellcheck disable=SC2086
ok "a bound of one node" says 2 "bound: is of one node" compare $two --policy hotset --bound
ok "nodes without a network" says 2 "needs --nic-gbps" compare --server dgx-v100 --nodes 2 --host-memory 100%
ok "a cluster beside a server" says 2 "leave --server" compare --cluster c.json --server dgx-v100 --host-memory 100%
if ! command -v python3 >/dev/null; then skip "comparisons recounted" "python3 is not installed"; else
    for policy in hotset quiver-plus legion; do
        rm -rf P
        # shellcheck disable=SC2086
        plan $one --policy $policy -o P >/dev/null || echo "no plan: $policy"
        check same R.json $policy P/plan.json | none "$policy: the row is the plan"
        rm -rf P2
        # shellcheck disable=SC2086
        [ $policy = legion ] || { plan $two --policy $policy -o P2 >/dev/null || echo "no plan: $policy"; check sum N.json $policy P2/plan.json | none "$policy: the row is the sum over nodes"; }
    done
    "$HOTSET" graph synth like ogbn-mag --scale 0.001 --feature-dim 8 -o M --quiet >/dev/null
    types="--graph M --budget 3% --batch 20 --fanout 4,3 --presample-epochs 2 --simulate-epochs 1 --quiet --server dgx-v100:4 --host-memory 40% --ssd gen4 --nodes 2 --nic-gbps 12.5"
    # shellcheck disable=SC2086
    "$HOTSET" compare $types --policy hotset,legion -o TN.json >/dev/null || echo "no comparison of types"
    for policy in hotset legion; do
        rm -rf TP
        # shellcheck disable=SC2086
        "$HOTSET" plan $types --policy $policy -o TP >/dev/null || echo "no plan of types: $policy"
        check sum TN.json $policy TP/plan.json | none "several types, $policy: the row is the sum over nodes, table by table"
    done
    # shellcheck disable=SC2086
    ok "several types: advise begins where compare is" eval '"$HOTSET" advise $types --json >A.json && [ "$(python3 -c "
import json
row = next(r for r in json.load(open(\"TN.json\"))[\"rows\"] if r[\"policy\"] == \"hotset\")
print(json.load(open(\"A.json\"))[\"today\"][\"value\"][\"transactions\"] == row[\"simulated\"][\"total_transactions\"])")" = True ]'
    "$HOTSET" simulate P --seed 99 --epochs 1 --quiet --json >S.json
    "$HOTSET" simulate P --seed 99 --epochs 1 --export-batches B --quiet >/dev/null
    check lines P G B S.json | none "lines by place and socket are recounted"
    sed 's/"other_socket_lines": [0-9]*/"other_socket_lines": 1/' S.json >S1.json
    ok "a changed number is noticed" eval '[ -n "$(check lines P G B S1.json)" ] && sed "s/\"blocks\": [0-9.]*/\"blocks\": 5/" N.json >N1.json && [ -n "$(check sum N1.json hotset P3/plan.json)" ]'
fi

# plans with memories in the commands behind plan
"$HOTSET" graph synth community --vertices 800 --edges 8000 --seed 5 --train-share 0.3 -o S --quiet >/dev/null || echo "no graph"
small="--graph S --budget 3% --batch 40 --fanout 5,3 --presample-epochs 2 --simulate-epochs 1 --quiet"
# shellcheck disable=SC2086
"$HOTSET" plan $small --server dgx-v100:2 --host-memory 40% --ssd gen4 -o PS >/dev/null || echo "no plan"
"$HOTSET" trace record --graph S --server dgx-v100:2 --plan PS --seed 7 -o T --quiet >/dev/null || echo "no trace"
ok "refresh plans the same DRAM and SSDs again" eval '"$HOTSET" refresh PS --trace T -o PR --server dgx-v100:2 --quiet >said && grep -q "^SSDs " said && "$HOTSET" verify PR --graph S --quiet | grep -q "^memories .*good"'
ok "and is not expected to read longer than the plan as it is" eval '"$HOTSET" refresh PS --trace T -o P0 --server dgx-v100:2 --pay-within 0 --quiet >/dev/null && python3 - <<PY
import json
old, new, kept = (json.load(open(p + "/plan.json"))["memories"] for p in ("PS", "PR", "P0"))
assert old["host_memory_bytes"] == new["host_memory_bytes"] and old["ssd"] == new["ssd"], (old["ssd"], new["ssd"])
assert [p.get("capacity_bytes") for p in old["places"]] == [p.get("capacity_bytes") for p in new["places"]]
assert new["predicted_seconds"] <= kept["predicted_seconds"], (new["predicted_seconds"], kept["predicted_seconds"])
PY'
ok "a plan of one node of several is refused" eval '! "$HOTSET" refresh P3/node1 --trace T -o Z --graph G --server dgx-v100 --quiet >/dev/null 2>.stderr && grep -q "one node of 2" .stderr'
ok "execute has the reads of every memory" eval '"$HOTSET" execute PS --quiet --json --device cpu >E.json && python3 - <<PY
import json
m = json.load(open("E.json"))["memories"]
assert m == json.load(open("PS/plan.json"))["simulated"]["memories"], m
assert sum(p["feature_rows"] for p in m["places"]) > 0
PY'
ok "a sweep does not" eval '! "$HOTSET" execute PS --sweep 3 --quiet >/dev/null 2>.stderr && grep -q "leave --sweep out" .stderr'
ok "nor dynamic caches of one node of several" says 2 "cache replaces these lists" "$HOTSET" simulate P3/node1 --cache lru --quiet
ok "nor a runtime" says 2 "leave --for, or --ssd, out" plan --server dgx-v100:4 --host-memory 40% --ssd gen4 --for quiver -o Z
# shellcheck disable=SC2086
ok "advice has levers of these memories" eval '"$HOTSET" advise $small --server dgx-v100:2 --host-memory 40% --ssd gen4 --json >A.json && grep -q "\"name\": \"ssds x2\"" A.json'
ok "and its command leaves what it says" eval 'python3 - <<PY >command && rm -rf PA && sh command >/dev/null && python3 - <<PX
import json, os
a = json.load(open("A.json"))
assert a["advice"]["value"]["reads_seconds"] < a["today"]["value"]["reads_seconds"]
assert a["today"]["value"]["reads_seconds"] == json.load(open("PS/plan.json"))["simulated"]["memories"]["seconds"]
assert a["advice"]["drives"] == 2 or a["advice"]["host_memory_bytes"] > a["today"]["host_memory_bytes"]
print(os.environ["HOTSET"], "plan --graph S --server dgx-v100:2", a["advice"]["options"], "--quiet -o PA")
PY
import json
said, has = json.load(open("A.json"))["advice"]["value"]["reads_seconds"], json.load(open("PA/plan.json"))["simulated"]["memories"]["seconds"]
assert abs(said / has - 1) < 1e-6, (said, has)
PX'
# ---- a command of one node, given the plan of several ----
node() { "$HOTSET" "$@" --json --quiet; }
parts() { # RESULT OF EACH..: the document of several holds those of each
    python3 -c 'import json, sys; d, *each = [json.load(open(f)) for f in sys.argv[1:]]; assert d["schema"] == "parts/1" and [p["node"] for p in d["parts"]] == list(range(len(each))) and [p["result"] for p in d["parts"]] == each' "$@"
}
if command -v python3 >/dev/null; then
    ok "explain, for each node" eval 'node explain P3 --vertex 7 >e.json && node explain P3/node0 --vertex 7 >e0.json && node explain P3/node1 --vertex 7 >e1.json && parts e.json e0.json e1.json && ! cmp -s e0.json e1.json'
    ok "diff, of two such plans" eval 'node diff P3 P3 >d.json && node diff P3/node0 P3/node0 >d0.json && node diff P3/node1 P3/node1 >d1.json && sed -i "s,P3/node[01],P3,g" d.json d0.json d1.json && parts d.json d0.json d1.json'
fi
ok "a trace per node" eval '"$HOTSET" trace record --graph G --server dgx-v100 --plan P3 --epochs 1 -o T3 --quiet >said && [ "$(ls T3)" = "$(printf "node0\nnode1")" ] && grep -q "^node 1$" said && "$HOTSET" trace record --graph G --server dgx-v100 --plan P3/node1 --epochs 1 -o T31 --quiet >/dev/null && diff -rx .hotset T3/node1 T31'
ok "an export per node" eval '"$HOTSET" export P3 --to npy -o X3 --quiet >/dev/null && "$HOTSET" export P3/node1 --to npy -o X31 --quiet >/dev/null && cmp X3/node1/gpu4_feature.npy X31/gpu4_feature.npy'
ok "documents per node" eval '"$HOTSET" execute P3 --batches 1 -o E.json --quiet >/dev/null && [ -s E.node0.json ] && [ -s E.node1.json ]'
ok "what is of one node says so and leaves nothing" eval 'says 1 "one node of 2" "$HOTSET" refresh P3/node1 --trace T -o S3 --graph G --server dgx-v100 --quiet && [ ! -e S3 ]'
finish
