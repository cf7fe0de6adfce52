#!/usr/bin/env bash
# How far GPUs read: --peer-access own, direct, forward, p2p.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --communities 40 --seed 3 --feature-dim 128 -o G --quiet >/dev/null
common="--graph G --fanout 5,4 --batch 40 --presample-epochs 2 --simulate-epochs 2 --quiet --budget 5%"
plan() { "$HOTSET" plan $common "$@" >/dev/null; }
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
peers() { field "$1/plan.json" '" ".join("".join(str(p) for p in sorted(g["peers"])) or "-" for g in d["gpus"])'; }
left() { field "$1/plan.json" 'd["simulated"]["total_transactions"]'; }

for reach in own direct forward p2p; do
    ok "a plan at --peer-access $reach" plan --server dgx-v100 --peer-access $reach -o $reach
    ok "it verifies" "$HOTSET" verify $reach --graph G --quiet
    ok "plan.json states it" [ "$(field $reach/plan.json 'd["reach"]')" = $reach ]
done
ok "own memory: no peers" [ "$(peers own)" = "- - - - - - - -" ]
ok "direct: the clique and one GPU of the other" [ "$(peers direct)" = "1234 0235 0136 0127 0567 1467 2457 3456" ]
ok "forward: every GPU" [ "$(peers forward)" = "1234567 0234567 0134567 0124567 0123567 0123467 0123457 0123456" ]
ok "direct is what a plan takes by itself" eval 'plan --server dgx-v100 -o none && [ "$(peers none)" = "$(peers direct)" ] && [ "$(left none)" = "$(left direct)" ] && [ "$(field none/plan.json "\"reach\" in d")" = False ]'
ok "own leaves most" [ "$(left own)" -gt "$(left direct)" ]
ok "forward leaves fewer than direct" [ "$(left forward)" -lt "$(left direct)" ]
ok "one thread plans the same" eval 'plan --server dgx-v100 --peer-access forward --threads 1 -o again && diff -rx .hotset forward again'

# ---- p2p: no NVLinks, two PCIe switches with four GPUs each
ok "below a PCIe switch" plan --server pcie-8 --peer-access p2p -o pcie
ok "peers are the GPUs below the switch" [ "$(peers pcie)" = "123 023 013 012 567 467 457 456" ]
ok "it verifies" "$HOTSET" verify pcie --graph G --quiet
ok "it leaves a tenth less than own memory, at least" eval 'plan --server pcie-8 -o alone && [ $((10 * $(left pcie))) -lt $((9 * $(left alone))) ]'
"$HOTSET" simulate pcie --graph G --epochs 2 --movement --quiet -o m.json >/dev/null
ok "bytes between GPUs are counted on PCIe, not on NVLinks" [ "$(field m.json 'len(d["rows"][0]["simulated"]["movement"]["pcie"]["peers"]) > 0 and d["rows"][0]["simulated"]["movement"]["nvlink"]["total_bytes"] == 0')" = True ]
ok "and none leaves its switch" [ "$(field m.json 'all(p["from"] // 4 == p["to"] // 4 for p in d["rows"][0]["simulated"]["movement"]["pcie"]["peers"])')" = True ]
python3 - <<'P'
import json
d = json.load(open("pcie/plan.json"))
for g in d["gpus"]: g["switch"] = g["id"]
del d["checksum"]
json.dump(d, open("moved.json", "w"))
P
ok "a plan whose GPUs do not share a switch is refused" eval 'cp -r pcie moved && cp moved.json moved/plan.json && ! "$HOTSET" simulate moved --graph G --quiet 2>said && grep -q "PCIe switch" said'
printf '{"schema": "server/1", "name": "lab", "gpus": [{"id": 0, "memory_bytes": 1000000}, {"id": 1, "memory_bytes": 1000000}], "nvlinks": []}' >lab.json
ok "p2p where no switch is known" exits 2 "$HOTSET" plan $common --server lab.json --peer-access p2p -o no
ok "an unknown reach" exits 2 "$HOTSET" plan $common --server pcie-8 --peer-access far -o no

rest
# ---- traces: their counts are per clique, and cliques follow from the reach
record() { "$HOTSET" trace record --graph G --server dgx-v100 --fanout 5,4 --batch 40 --epochs 2 --quiet "$@" >/dev/null; }
ok "a trace at a reach" record --peer-access forward -o T
ok "it has one clique" [ "$(field T/trace.json 'd["cliques"]')" = "[[0, 1, 2, 3, 4, 5, 6, 7]]" ]
ok "its parts are those of the NVLink cliques, which it says" [ "$(field T/trace.json 'd["assignment"], d["uneven"]')" = "('hierarchical', True)" ]
ok "a plan from it is the plan without it" eval '"$HOTSET" plan --graph G --server dgx-v100 --trace T --peer-access forward --simulate-epochs 2 --budget 5% --quiet -o t >/dev/null && plan --server dgx-v100 --assignment clique --peer-access forward -o u && cmp t/gpu3_feature.npy u/gpu3_feature.npy && [ "$(field t/plan.json "d[\"predicted\"]")" = "$(field u/plan.json "d[\"predicted\"]")" ]'
ok "another trace of the plan's training vertices" eval 'record --plan u --seed 9 -o V && [ "$(field V/trace.json "d[\"uneven\"]")" = True ]'
ok "at another reach, the error names what to type" eval '! "$HOTSET" plan --graph G --server dgx-v100 --trace T -o no 2>said && grep -q "at peer access direct" said && record -o D && ! "$HOTSET" plan --graph G --server dgx-v100 --trace D --peer-access forward -o no 2>said && grep -q -- "--peer-access forward" said'

# ---- other policies
"$HOTSET" compare $common --server dgx-v100 --policy hotset,legion,dsp,pagraph --peer-access forward --force -o R.json >table 2>/dev/null
ok "a system that cannot forward says so" grep -q "legion, unsupported.*cannot read at --peer-access forward" table
ok "dsp forwards" eval '! grep -q "dsp, unsupported" table'
ok "own memory is in every reach" eval '! grep -q "pagraph, unsupported" table'
ok "dsp at direct reach reads neighbours only" eval 'plan --server dgx-v100 --policy dsp --peer-access direct -o d && [ "$(peers d)" = "$(peers direct)" ] && plan --server dgx-v100 --policy dsp --force -o d && [ "$(peers d)" = "$(peers forward)" ]'

# ---- comparisons without --peer-access: hotset once at each reach that a row has, and held there against equals
"$HOTSET" compare ${common/--quiet/} --server dgx-v100 --policy hotset,legion,dsp,pagraph --explain --force -o R.json >table 2>said
rows() { field R.json '" ".join("%s:%s" % (r["policy"], r["reach"]) for r in d["rows"])'; }
of() { field R.json "next(r for r in d['rows'] if r['policy'] == '$1')['simulated']['total_transactions']"; }
change() { awk -v a="$(of "$1")" -v b="$(of "$2")" 'BEGIN { printf "%+.1f %%", 100 * (a / b - 1) }'; }
ok "its rows stand behind the others" [ "$(rows)" = "hotset:direct legion:direct dsp:forward pagraph:own hotset --reach own:own hotset --reach forward:forward" ]
ok "the same on one thread, one reach after the other, as on three, side by side" eval 'for t in 1 3; do "$HOTSET" compare $common --server dgx-v100 --policy hotset,legion,dsp,pagraph --threads $t --force -o R$t.json >/dev/null 2>&1; done; cmp R1.json R3.json'
for reach in own forward; do ok "the row at $reach is the plan at $reach" [ "$(of "hotset --reach $reach")" = "$(left $reach)" ]; done
ok "each peer access is held against the best other that reads no farther" eval 'for line in "own memory|hotset --reach own|pagraph" "NVLink neighbours|hotset|legion" "forwarded|hotset --reach forward|dsp"; do IFS="|" read -r reads own rival <<<"$line"; grep -q "^$reads  .* $rival .* $(change "$own" "$rival")\$" table || { echo "$line $(change "$own" "$rival")"; exit 1; }; done'
ok "and its own seconds" eval '[ "$(grep -cE "^(own memory|NVLink neighbours|forwarded)  +[0-9.]+ (us|ms) .* [-+][0-9.]+ % +[-+][0-9.]+ %$" table)" = 3 ]'
ok "the table states the reach of each" [ "$(awk '$1 == "hotset" && $2 ~ /^(own|direct|forward)$/' table | wc -l)" = 3 ]
ok "who runs it is told" grep -q "also planning hotset with --peer-access own and forward" said
"$HOTSET" compare $common --server dgx-v100 --policy hotset,dgl-uva,legion --force -o R.json >table 2>/dev/null
ok "what plan makes unasked needs no options" eval '! grep -q "to plan it" table'
ok "equals need no more rows" [ "$(rows)" = "hotset:direct dgl-uva:own legion:direct" ]
"$HOTSET" compare $common --server pcie-8 --policy hotset,dsp,pagraph --force -o R.json >table 2>/dev/null
ok "nor does a server without NVLinks" [ "$(rows)" = "hotset:own dsp:own pagraph:own" ]
"$HOTSET" compare ${common/5%/1%} --server dgx-v100 --policy hotset,dsp --force -o R.json >table 2>/dev/null
ok "the best row names the options of its plan" grep -qx "to plan it: 'hotset plan' with these options and --policy hotset --peer-access forward -o P" table
ok "which have what it states" eval '"$HOTSET" plan ${common/5%/1%} --server dgx-v100 --policy hotset --peer-access forward -o B >/dev/null && [ "$(field B/plan.json "d[\"simulated\"][\"total_transactions\"]")" = "$(of "hotset --reach forward")" ]'
many() { "$HOTSET" compare $common --server pcie-8,dgx-v100 --policy hotset,dsp,pagraph --budget 2%,5% -o M.json "$@" >/dev/null; }
ok "parts of an array make the same document" eval 'many && mv M.json one.json && for i in 0 1 2; do many --cells $i/3 || exit; done && many --merge-cells 3 && cmp one.json M.json'
ok "the bound is of the reach" eval '"$HOTSET" plan $common --server dgx-v100 --policy exact --peer-access forward --bound -o X >/dev/null; [ $? = 0 ] && [ "$(field X/plan.json "0 <= d[\"bound\"][\"gap\"] < 0.01")" = True ] || "$HOTSET" plan $common --server dgx-v100 --policy exact -o X 2>&1 | grep -q GLPK'
finish
