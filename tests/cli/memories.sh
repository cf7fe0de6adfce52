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
ok "a comparison with memories" eval 'compare $one --policy hotset,quiver-plus,legion,bgl -o R.json >said'
ok "its columns" grep -q "DRAM trans\.  *other sockets  *SSD blocks  *reads  *epoch" said
ok "a dynamic cache is no error there" grep -q "^bgl, unsupported at 2%: its GPUs hold features in a dynamic cache" said
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
ok "parts of one node for several" says 2 "parts: is of one node" compare $two --deal clique --policy hotset --parts x
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
    "$HOTSET" simulate P --seed 99 --epochs 1 --quiet --json >S.json
    "$HOTSET" simulate P --seed 99 --epochs 1 --export-batches B --quiet >/dev/null
    check lines P G B S.json | none "lines by place and socket are recounted"
    sed 's/"other_socket_lines": [0-9]*/"other_socket_lines": 1/' S.json >S1.json
    ok "a changed number is noticed" eval '[ -n "$(check lines P G B S1.json)" ] && sed "s/\"blocks\": [0-9.]*/\"blocks\": 5/" N.json >N1.json && plan $two -o P3 >/dev/null && [ -n "$(check sum N1.json hotset P3/plan.json)" ]'
fi
finish
