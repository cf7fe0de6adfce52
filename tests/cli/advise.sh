#!/usr/bin/env bash
# What each lever is worth: hotset advise.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --communities 30 --seed 3 --feature-dim 64 --feature-type f16 -o G --quiet >/dev/null
common="--graph G --fanout 5,4 --presample-epochs 2 --simulate-epochs 2 --quiet"
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); l = {x["name"]: x for x in d.get("levers", [])}; print(eval(sys.argv[2]))' "$@"; }

ok "advice for a cube mesh" eval '"$HOTSET" advise $common --batch 30 --server dgx-v100 --budget 4% -o A.json >table'
ok "every lever is there" [ "$(field A.json 'len(l)')" = 12 ]
ok "alone, each is judged" [ "$(field A.json 'all((x["alone"]["transactions"] > 0) == x["possible"] for x in d["levers"] if x["possible"])')" = True ]
ok "they are ranked by what they leave" [ "$(field A.json '(lambda v: v == sorted(v))([x["alone"]["transactions"] for x in d["levers"] if x["possible"]])')" = True ]
ok "what cannot be tried has a reason" [ "$(field A.json 'all(x["possible"] or len(x["reason"]) > 10 for x in d["levers"])')" = True ]
ok "f16 is there already" [ "$(field A.json 'l["f16"]["possible"], l["i8"]["possible"], l["i8"]["advised"]')" = "(False, True, False)" ]
ok "twice the cache saves" [ "$(field A.json 'l["budget x2"]["alone"]["transactions_saved"] > 0.05 and l["budget x2"]["advised"]')" = True ]
ok "levers that keep accuracy come first" [ "$(field A.json '(lambda s: [x["may_change_accuracy"] for x in s] == sorted(x["may_change_accuracy"] for x in s))(sorted((x for x in d["levers"] if x["place"] is not None), key=lambda x: x["place"]))')" = True ]
ok "each step on top saves at least half a percent, or is left out" [ "$(field A.json 'all((x["on_top"]["transactions_saved"] > 0.005) == x["advised"] for x in d["levers"] if x["on_top"])')" = True ]
ok "together they leave what the last one left" [ "$(field A.json 'd["advice"]["value"]["transactions"] == min(x["on_top"]["transactions"] for x in d["levers"] if x["advised"])')" = True ]
ok "its options make the plan that it states" eval '"$HOTSET" plan $common --server dgx-v100 $(field A.json "d[\"advice\"][\"options\"]") -o P >/dev/null && [ "$(field P/plan.json "d[\"simulated\"][\"total_transactions\"]")" = "$(field A.json "d[\"advice\"][\"value\"][\"transactions\"]")" ]'
ok "so do those of today" eval '"$HOTSET" plan $common --server dgx-v100 $(field A.json "d[\"today\"][\"options\"]") -o Q >/dev/null && [ "$(field Q/plan.json "d[\"simulated\"][\"total_transactions\"]")" = "$(field A.json "d[\"today\"][\"value\"][\"transactions\"]")" ]'
ok "the table has the same, and the command" eval 'grep -q "^budget x2" table && grep -q "^then:  hotset plan --graph G --server dgx-v100" table'
if command -v gnuplot >/dev/null; then
    ok "a page with a waterfall" eval '"$HOTSET" report A.json -o page --quiet >/dev/null && grep -q "What would save most" page/index.html && ls page/plots | grep -q levers.svg'
    ok "its data are the steps" eval '[ "$(tail -n +2 page/data/*levers.csv | wc -l)" = $(($(field A.json "sum(x[\"advised\"] for x in d[\"levers\"])") + 2)) ]'
    echo '{"schema": "advice/1", "levers": 3}' >broken.json
    ok "a broken document" exits 3 "$HOTSET" report broken.json -o no
else
    skip "a page with a waterfall" "gnuplot is not installed"
fi
ok "one thread gives the same" eval '"$HOTSET" advise $common --batch 30 --server dgx-v100 --budget 4% --threads 1 -o B.json >/dev/null && cmp A.json B.json'

ok "without NVLinks, PCIe peers help" eval '"$HOTSET" advise $common --batch 10 --server pcie-8 --budget 4% -o C.json >/dev/null && [ "$(field C.json "l[\"reach p2p\"][\"alone\"][\"transactions_saved\"] > 0.02, l[\"reach forward\"][\"possible\"]")" = "(True, False)" ]'
ok "one GPU: nothing to deal, no peers" eval '"$HOTSET" advise $common --batch 30 --server pcie-8:1 --budget 4% -o D.json >/dev/null && [ "$(field D.json "[l[n][\"possible\"] for n in (\"deal\", \"reach forward\", \"reach p2p\")]")" = "[False, False, False]" ]'
ok "a planned deal and order are no levers any more" eval '"$HOTSET" advise $common --batch 30 --server dgx-v100:2 --deal auto --order auto --budget 4% -o E.json >/dev/null && [ "$(field E.json "l[\"deal\"][\"possible\"], l[\"order\"][\"possible\"]")" = "(False, False)" ]'
printf '{"schema": "server/1", "name": "lab", "gpus": [{"id": 0, "memory_bytes": 1000000}], "nvlinks": []}' >lab.json
ok "twice the cache counts what training takes" eval '"$HOTSET" advise $common --batch 30 --server lab.json --reserve 900000 --budget 60000 -o F.json >/dev/null && [ "$(field F.json "l[\"budget x2\"][\"possible\"]")" = False ] && "$HOTSET" advise $common --batch 30 --server lab.json --reserve 900000 --budget 30000 -o F.json >/dev/null && [ "$(field F.json "l[\"budget x2\"][\"possible\"]")" = True ]'
ok "a server that does not exist" exits 3 "$HOTSET" advise $common --server nowhere
ok "a budget that is none" exits 2 "$HOTSET" advise $common --server pcie-8 --budget lots
finish
