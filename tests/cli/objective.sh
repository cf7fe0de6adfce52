#!/usr/bin/env bash
# --objective time: the shortest transfer stage instead of the fewest transactions.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --communities 40 --seed 3 --feature-dim 128 -o G --quiet >/dev/null
common="--graph G --fanout 5,4 --batch 40 --presample-epochs 3 --simulate-epochs 3 --quiet --deal clique"
plan() { "$HOTSET" plan $common "$@" >/dev/null; }
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1] + "/plan.json")); print(eval(sys.argv[2]))' "$@"; }
stage() { field "$1" 'd["simulated"]["epoch_time"]["iterations"] * d["simulated"]["epoch_time"]["stages"]["transfer"]'; }
left() { field "$1" 'd["simulated"]["total_transactions"]'; }
less() { python3 -c 'import sys; a, b, factor = map(float, sys.argv[1:]); sys.exit(not a <= factor * b)' "$@"; }

# ---- NVLinks are the bottleneck: 20 % on each of four GPUs hold almost everything once
plan --server dgx-v100 --budget 20% -o fewest
ok "a plan for time" plan --server dgx-v100 --budget 20% --objective time -o time
ok "it verifies" "$HOTSET" verify time --graph G --quiet
ok "its stage is a quarter shorter on held-out epochs" less "$(stage time)" "$(stage fewest)" 0.75
ok "it is not the plan with the fewest transactions" [ "$(left time)" -gt "$(left fewest)" ]
ok "what it expects is within a third of what held-out epochs take" eval 'less "$(stage time)" "$(field time "d[\"objective\"][\"transfer_seconds\"]")" 1.34'
ok "and so is what it expects of the fewest transactions" eval 'less "$(stage fewest)" "$(field time "d[\"objective\"][\"transfer_seconds_of_fewest_transactions\"]")" 1.1 && less "$(field time "d[\"objective\"][\"transfer_seconds_of_fewest_transactions\"]")" "$(stage fewest)" 1.1'
ok "one thread plans the same" eval 'plan --server dgx-v100 --budget 20% --objective time --threads 1 -o again && diff -r time again'
"$HOTSET" plan $common --server dgx-v100 --budget 20% --objective time -o told >told.txt
ok "the summary says what the stage waits for" grep -q "^transfer stage: .* waits for " told.txt

# ---- PCIe is the bottleneck: both objectives agree
plan --server dgx-v100 --budget 1% -o few
plan --server dgx-v100 --budget 1% --objective time -o fewtime
ok "with little memory both agree within 1 %" eval 'less "$(left fewtime)" "$(left few)" 1.01 && less "$(stage fewtime)" "$(stage few)" 1.01'

# ---- over PCIe between GPUs
plan --server pcie-8 --reach p2p --budget 20% -o peers
ok "below a PCIe switch" plan --server pcie-8 --reach p2p --budget 20% --objective time -o peerstime
ok "it expects a shorter stage" eval 'less "$(field peerstime "d[\"objective\"][\"transfer_seconds\"]")" "$(field peerstime "d[\"objective\"][\"transfer_seconds_of_fewest_transactions\"]")" 0.9'

rest
# ---- the bound, and exact
if "$HOTSET" plan $common --server dgx-v100 --budget 5% --policy exact --objective time --bound -o exact >/dev/null 2>why.txt; then
    ok "exact is not slower than hotset" eval 'plan --server dgx-v100 --budget 5% --objective time --bound -o inexact && less "$(field exact "d[\"objective\"][\"transfer_seconds\"]")" "$(field inexact "d[\"objective\"][\"transfer_seconds\"]")" 1.001'
    ok "both lie above the bound" eval 'for p in exact inexact; do [ "$(field $p "0 < d[\"bound\"][\"transfer_stage\"][\"seconds\"] <= d[\"bound\"][\"transfer_stage\"][\"expected_seconds\"]")" = True ] || exit 1; done'
    ok "and exact within a quarter of it" [ "$(field exact 'd["bound"]["transfer_stage"]["gap"] < 0.25')" = True ]
else
    skip "exact and the bound" "no GLPK: $(head -1 why.txt)"
fi

# ---- the deal is chosen by the stage, too
ok "deals are compared by their stages" eval '"$HOTSET" plan --graph G --fanout 5,4 --batch 40 --quiet --server dgx-v100 --budget 10% --objective time -o deals >/dev/null && [ "$(field deals "min(d[\"deal\"][\"tried\"], key=lambda t: t[\"predicted_transfer_seconds\"])[\"deal\"] == d[\"deal\"][\"chosen\"]")" = True ]'

# ---- policies without an objective, and those that read farther than the bound assumes
ok "a policy with a rule of its own refuses the objective" eval 'exits 2 "$HOTSET" plan $common --server dgx-v100 --budget 5% --policy legion --objective time -o rule && grep -q "take policy hotset or exact" .stderr'
"$HOTSET" plan --graph G --fanout 5,4 --batch 40 --quiet --server dgx-v100 --budget 20% --policy dsp --reach forward --objective time --bound -o far >/dev/null 2>why.txt
if [ -d far ]; then
    ok "relayed reads count in the stage of a plan that forwards" eval 'less "$(stage far)" "$(field far "d[\"bound\"][\"transfer_stage\"][\"expected_seconds\"]")" 1.5 && less "$(field far "d[\"bound\"][\"transfer_stage\"][\"expected_seconds\"]")" "$(stage far)" 1.5'
else
    skip "relayed reads" "$(head -1 why.txt)"
fi

# ---- unknown rates
printf '{"schema": "server/1", "name": "bare", "gpus": [{"id": 0, "memory_bytes": 1000000000}, {"id": 1, "memory_bytes": 1000000000}], "nvlinks": []}\n' >bare.json
ok "a server without rates is refused" exits 2 "$HOTSET" plan $common --server bare.json --budget 5% --objective time -o bare
ok "and the missing key is named" grep -q 'does not state pcie.gbps' "$work/.stderr"

# ---- size: rows of a cache by what it is asked for, and the command of its answer asks for the same
size() { "$HOTSET" size $common --server dgx-v100 --most 300KB --steps 1 --nodes 1 "$@" >said.txt; }
ok "size says by what rows are chosen, and its command repeats it" eval 'size --objective time && grep -q "follows from the seconds of reading (--objective time)" said.txt && grep -q "^the plan: .* --objective time " said.txt'
ok "without it by transactions, and what to ask for" eval 'size && grep -q "follows from transactions, not from seconds" said.txt && tr "\n" " " <said.txt | grep -q "ask for it: --objective time" && ! grep -q "^the plan: .* --objective" said.txt'
finish
