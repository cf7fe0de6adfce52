#!/usr/bin/env bash
# What each lever is worth: hotset advise.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --communities 30 --seed 3 --feature-dim 64 --feature-type f16 -o G --quiet >/dev/null
common="--graph G --fanout 5,4 --presample-epochs 2 --simulate-epochs 2 --quiet"
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); l = {x["name"]: x for x in d.get("levers", [])}; print(eval(sys.argv[2]))' "$@"; }

ok "advice for a cube mesh" eval '"$HOTSET" advise $common --batch 30 --server dgx-v100 --budget 4% -o A.json >table'
ok "every lever is there" [ "$(field A.json 'len(l)')" = 15 ]
ok "alone, each is judged" [ "$(field A.json 'all((x["alone"]["transactions"] > 0) == x["possible"] for x in d["levers"] if x["possible"])')" = True ]
ok "they are ranked by what they leave, those that ask for another import behind" [ "$(field A.json '(lambda v: v == sorted(v))([(x["other_import"], x["alone"]["seconds"]) for x in d["levers"] if x["possible"]])')" = True ]
"$HOTSET" server import 2x4090 -o U.json --quiet >/dev/null 2>&1
ok "by transactions, where epochs are not known" eval '"$HOTSET" advise $common --batch 30 --server U.json --budget 4% -o T.json >by && grep -q "(reads -" by && [ "$(field T.json "(lambda v: v == sorted(v))([(x[\"other_import\"], x[\"alone\"][\"transactions\"]) for x in d[\"levers\"] if x[\"possible\"]]), d[\"today\"][\"value\"][\"seconds\"]")" = "(True, None)" ]'
ok "what cannot be tried has a reason" [ "$(field A.json 'all(x["possible"] or len(x["reason"]) > 10 for x in d["levers"])')" = True ]
ok "f16 is there already" [ "$(field A.json 'l["f16"]["possible"], l["i8"]["possible"], l["i8"]["advised"]')" = "(False, True, False)" ]
ok "twice the cache saves" [ "$(field A.json 'l["budget x2"]["alone"]["transactions_saved"] > 0.05 and l["budget x2"]["advised"]')" = True ]
ok "levers that keep accuracy come first" [ "$(field A.json '(lambda s: [x["may_change_accuracy"] for x in s] == sorted(x["may_change_accuracy"] for x in s))(sorted((x for x in d["levers"] if x["place"] is not None), key=lambda x: x["place"]))')" = True ]
ok "each step on top saves at least half a percent, or less than a percent and is left out" [ "$(field A.json 'all(x["on_top"]["seconds_saved"] > 0.005 if x["advised"] else x["on_top"]["seconds_saved"] < 0.01 for x in d["levers"] if x["on_top"])')" = True ]
ok "an order that may need more epochs than it saves is not advised, and the answer says so" eval '"$HOTSET" advise $common --batch 10 --server dgx-v100 --budget 2% -o O.json >ordered && [ "$(field O.json "l[\"order\"][\"alone\"][\"seconds_saved\"] > 0.01, l[\"order\"][\"advised\"], l[\"order\"][\"place\"]")" = "(True, False, None)" ] && tr "\n" " " <ordered | grep -q "not advised: order saves [0-9.]* % of an epoch, and may need up to 1.7 times the epochs" && ! grep -q -- "--order" ordered'
"$HOTSET" graph synth rmat --vertices 3000 --edges 40000 --seed 3 --feature-dim 64 -o R --quiet >/dev/null
ok "forwarding is left out, and PCIe peers, which do the same, are not tried on top" eval '"$HOTSET" advise $common --graph R --batch 30 --server dgx-v100 --budget 6% -o R.json >/dev/null && [ "$(field R.json "l[\"reach forward\"][\"alone\"] == l[\"reach p2p\"][\"alone\"], l[\"reach forward\"][\"advised\"], l[\"reach forward\"][\"place\"] is None, l[\"reach p2p\"][\"place\"]")" = "(True, False, False, None)" ]'
ok "together they leave what the last one left" [ "$(field A.json 'd["advice"]["value"]["seconds"] == min(x["on_top"]["seconds"] for x in d["levers"] if x["advised"])')" = True ]
ok "its options make the plan that it states" eval '"$HOTSET" plan $common --server dgx-v100 $(field A.json "d[\"advice\"][\"options\"]") -o P >/dev/null && [ "$(field P/plan.json "d[\"simulated\"][\"total_transactions\"]")" = "$(field A.json "d[\"advice\"][\"value\"][\"transactions\"]")" ]'
ok "so do those of today" eval '"$HOTSET" plan $common --server dgx-v100 $(field A.json "d[\"today\"][\"options\"]") -o Q >/dev/null && [ "$(field Q/plan.json "d[\"simulated\"][\"total_transactions\"]")" = "$(field A.json "d[\"today\"][\"value\"][\"transactions\"]")" ]'
ok "the table has the same, and the command" eval 'grep -q "^budget x2" table && grep -q "^command: hotset plan --graph G --server dgx-v100" table'
cat >steps.py <<'P'
import json, re
d, text = json.load(open("A.json")), " ".join(open("table").read().split("advised: ")[1].split())
steps = sorted((x for x in d["levers"] if x["advised"]), key=lambda x: x["place"])
names = [{"deal": "assignment"}.get(x["name"], x["name"].replace("reach", "peer access")) for x in steps]
assert len(steps) > 1 and text.startswith(", ".join(names) + " - "), text
for name, x in zip(names, steps): # what each adds to those before it, and what it asks for
    assert "- %s (epoch %+.1f %%): %s" % (name, -100 * x["on_top"]["seconds_saved"], x["asks"]) in text, (name, x, text)
assert "what it asks for" not in open("table").read()
P
ok "each advised lever says what it adds and asks for" python3 steps.py
if command -v gnuplot >/dev/null; then
    ok "a page with a waterfall" eval '"$HOTSET" report A.json -o page --quiet >/dev/null && grep -q "What would save most" page/index.html && ls page/plots | grep -q levers.svg'
    ok "its data are the steps" eval '[ "$(tail -n +2 page/data/*levers.csv | wc -l)" = $(($(field A.json "sum(x[\"advised\"] for x in d[\"levers\"])") + 2)) ]'
    echo '{"schema": "advice/1", "levers": 3}' >broken.json
    ok "a broken document" exits 3 "$HOTSET" report broken.json -o no
else
    skip "a page with a waterfall" "gnuplot is not installed"
fi
rest
ok "one thread gives the same" eval '"$HOTSET" advise $common --batch 30 --server dgx-v100 --budget 4% --threads 1 -o B.json >/dev/null && cmp A.json B.json'

# ---- the command is for the same workload, and today is what plan does by itself
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --communities 30 --seed 3 --feature-dim 64 -o F32 --quiet >/dev/null
try() { # OPTIONS..: the printed command and today's options make the plans whose transactions the document states
    rm -rf X T && "$HOTSET" advise --graph F32 --server dgx-v100 --batch 60 --presample-epochs 1 --simulate-epochs 1 --quiet "$@" --force -o X.json >said &&
        eval "$(sed -n "s|^command: hotset|\"$HOTSET\"|p" said | sed 's/-o P$/-o X --quiet/')" >/dev/null &&
        [ "$(field X/plan.json 'd["simulated"]["total_transactions"]')" = "$(field X.json 'd["advice"]["value"]["transactions"]')" ] &&
        "$HOTSET" plan --graph F32 --server dgx-v100 --batch 60 --presample-epochs 1 --simulate-epochs 1 --quiet "$@" -o T >/dev/null &&
        [ "$(field T/plan.json 'd["simulated"]["total_transactions"]')" = "$(field X.json 'd["today"]["value"]["transactions"]')" ] || { cat said; return 1; }
}
ok "fan-outs and a share" try --budget 4% --fanout 5,4
ok "which is printed as people write it" eval 'grep -qE "^command: .* --budget (4|8)% " said'
ok "edges as seeds" try --budget 2% --fanout 4,3 --seeds edges --edge-share 0.3
ok "LABOR" try --budget 2% --fanout 4,3 --sampler labor --labor-iterations 2
ok "walks" try --budget 2% --sampler walk --walks 4 --walk-length 2 --restart 0.25
ok "a deal, an order, another model and seed" try --budget 4%V --fanout 4,3 --assignment clique --order blocks:4 --model gcn --hidden 64 --seed 7
ok "cliques of a further reach, a size" try --budget 64KiB --fanout 4,3 --peer-access forward --partition stream
ok "twice a size" eval 'grep -qE "^command: .* --budget (64|128)KiB " said'
ok "options of the command are those that were given" eval 'grep -q "^command: .* --fanout 4,3 --presample-epochs 1 --simulate-epochs 1 --partition stream -o P$" said'
ok "half precision on GPUs is part of it, another import is not" [ "$(field X.json 'l["cache f16"]["possible"], l["f16"]["advised"], l["i8"]["advised"], l["f16"]["place"]')" = "(True, False, False, None)" ]
# ---- a lever alone shares no more than planning it from the start would find; where GPUs read the same others it is planned once
"$HOTSET" graph import "$root/tests/data/squirrel.npz" -o SQ --quiet >/dev/null
for how in "" --exact; do "$HOTSET" advise --graph SQ --server dgx-v100 --batch 100 --budget 5% --quiet $how -o "SQ$how.json" >/dev/null; done
ok "each lever alone is worth what --exact says" python3 -c 'import json
levers = lambda f: {x["name"]: x["alone"] for x in json.load(open(f))["levers"] if x["possible"]}
some, all = levers("SQ.json"), levers("SQ--exact.json")
off = {n: (some[n], all[n]) for n in all for k in ("seconds", "transactions") if abs(some[n][k] - all[n][k]) > 0.01 * all[n][k]}
assert len(some) > 6 and some.keys() == all.keys() and not off, off'
ok "--peer-access p2p is what plan makes of it" eval '"$HOTSET" plan --graph SQ --server dgx-v100 --batch 100 --budget 5% --peer-access p2p --quiet -o QP >/dev/null &&
    [ "$(field QP/plan.json "d[\"simulated\"][\"total_transactions\"]")" = "$(field SQ--exact.json "l[\"reach p2p\"][\"alone\"][\"transactions\"]")" ]'
# of a larger graph the command searches longer than the advice
"$HOTSET" graph synth community --vertices 60000 --edges 1100000 --communities 300 --seed 6 --feature-dim 32 -o Long --quiet >/dev/null
ok "a large graph's command makes about the plan that is advised" eval '"$HOTSET" advise --graph Long --server dgx-v100:4 --batch 500 --budget 4% --presample-epochs 1 --simulate-epochs 2 --quiet --explain -o Long.json >long && tr "\n" " " <long | grep -q "levers of one peer access share .* up to 2.5 % more or less" &&
    eval "$(sed -n "s|^command: hotset|\"$HOTSET\"|p" long | sed "s/-o P$/-o Long.plan --quiet/")" >/dev/null &&
    [ "$(field Long.plan/plan.json "(lambda now, said: abs(now - said) < 0.025 * said)(d[\"simulated\"][\"epoch_time\"][\"seconds\"], json.load(open(\"Long.json\"))[\"advice\"][\"value\"][\"seconds\"])")" = True ]'
ok "a deal that cuts no graph takes no parts" exits 2 "$HOTSET" advise --graph F32 --server dgx-v100 --assignment global --partition stream
# i8 is offered where a row gets smaller by it, judged alone, behind all that a plan carries out, and never part of the advice (model/density.md)
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --communities 30 --seed 3 --feature-dim 64 --feature-type i8 -o I8 --quiet >/dev/null
"$HOTSET" graph synth types --like ogbn-mag --scale 0.002 --seed 3 -o TY --quiet >/dev/null 2>&1 || "$HOTSET" graph synth like ogbn-mag --scale 0.002 --seed 3 -o TY --quiet >/dev/null
for g in F32 I8 TY; do "$HOTSET" advise --graph $g --server dgx-v100:2 --batch 60 --budget 4% --fanout 4,3 --presample-epochs 1 --simulate-epochs 1 --quiet -o i8$g.json >i8$g.txt; done
cat >i8.py <<'P'
import json
d = {g: json.load(open(f"i8{g}.json")) for g in ("F32", "I8", "TY")}
l = {g: {x["name"]: x for x in d[g]["levers"]} for g in d}
i8 = l["F32"]["i8"]
assert i8["possible"] and i8["other_import"] and not i8["advised"] and i8["on_top"] is None and i8["place"] is None
assert i8["alone"]["transactions"] < 0.5 * d["F32"]["today"]["value"]["transactions"] and "feature-type i8" not in open("i8F32.txt").read().split("command:")[1]
order = [x["other_import"] for x in d["F32"]["levers"] if x["possible"]]
assert order == sorted(order) and d["F32"]["advice"]["value"]["transactions"] != i8["alone"]["transactions"]
assert not l["I8"]["i8"]["possible"] and "1 byte already" in l["I8"]["i8"]["reason"], l["I8"]["i8"]
assert not l["TY"]["i8"]["possible"] and "element of its own" in l["TY"]["i8"]["reason"], l["TY"]["i8"]
P
ok "i8 is offered by its rule" python3 i8.py
mv F32 "it's F32" && ln -s "it's F32" F32
cat >want <<'W'
command: hotset plan --graph 'it'\''s F32' --server pcie-8:1
W
"$HOTSET" advise --graph "it's F32" --server pcie-8:1 --batch 900 --budget 4% --fanout 2 --presample-epochs 1 --simulate-epochs 1 --quiet >said
ok "a path with blanks and quotes" grep -qFf want said

ok "without NVLinks, PCIe peers help" eval '"$HOTSET" advise $common --batch 10 --server pcie-8 --budget 4% -o C.json >/dev/null && [ "$(field C.json "l[\"reach p2p\"][\"alone\"][\"transactions_saved\"] > 0.02, l[\"reach forward\"][\"possible\"]")" = "(True, False)" ]'
ok "one GPU: nothing to deal, no peers" eval '"$HOTSET" advise $common --batch 30 --server pcie-8:1 --budget 4% -o D.json >/dev/null && [ "$(field D.json "[l[n][\"possible\"] for n in (\"deal\", \"reach forward\", \"reach p2p\")]")" = "[False, False, False]" ]'
ok "a planned deal and order are no levers any more" eval '"$HOTSET" advise $common --batch 30 --server dgx-v100:2 --assignment auto --order auto --budget 4% -o E.json >/dev/null && [ "$(field E.json "l[\"deal\"][\"possible\"], l[\"order\"][\"possible\"]")" = "(False, False)" ]'
printf '{"schema": "server/1", "name": "lab", "gpus": [{"id": 0, "memory_bytes": 1000000}], "nvlinks": []}' >lab.json
ok "twice the cache counts what training takes" eval '"$HOTSET" advise $common --batch 30 --server lab.json --reserve 900000 --budget 60000 --force -o F.json >/dev/null && [ "$(field F.json "l[\"budget x2\"][\"possible\"]")" = False ] && "$HOTSET" advise $common --batch 30 --server lab.json --reserve 900000 --budget 30000 --force -o F.json >/dev/null && [ "$(field F.json "l[\"budget x2\"][\"possible\"]")" = True ]'
ok "a server that does not exist" exits 3 "$HOTSET" advise $common --server nowhere
ok "a budget that is none" exits 2 "$HOTSET" advise $common --server pcie-8 --budget lots
# rows with weights are larger, and a budget in percent is of them, as in plan
awk 'BEGIN { srand(2); for (i = 0; i < 9000; i++) print int(800 * rand() * rand()), int(800 * rand()), 1 + int(9 * rand()) }' >weighted.txt
"$HOTSET" graph import weighted.txt --weights --undirected --feature-dim 16 --train-share 0.3 -o weighted --quiet >/dev/null
same="--graph weighted --server dgx-v100 --budget 5% --batch 20 --fanout 5,3 --sampler biased --quiet --json"
"$HOTSET" plan $same -o weighted-plan >weighted-plan.json && "$HOTSET" advise $same >weighted-advice.json
ok "with weights advice begins where plan does" python3 -c 'import json
p, a = json.load(open("weighted-plan.json")), json.load(open("weighted-advice.json"))
assert a["today"]["value"]["transactions"] == p["simulated"]["total_transactions"] > 0, (a["today"], p["simulated"])'
"$HOTSET" advise $common --batch 30 --server siton --budget 4% --frontier all --json >frontier.json
ok "options repeat --frontier all, but where the lever is pulled" python3 -c 'import json
d = json.load(open("frontier.json"))
l = {x["name"]: x["options"] for x in d["levers"] if x["possible"]}
assert "--frontier all" in d["today"]["options"] and "--frontier" not in l["frontier"] and "--frontier all" in l["batch x2"], l'
finish
