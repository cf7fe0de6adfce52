#!/usr/bin/env bash
# A plan contains its server and its settings: commands on a plan need no file beside it, and --like repeats it.
. "$(dirname "$0")/tap"
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --communities 40 --seed 3 --feature-dim 64 -o G --quiet >/dev/null
"$HOTSET" server show dgx-v100:4 --json | sed 's/"name": "dgx-v100:4"/"name": "ours"/' >S.json
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }

"$HOTSET" plan --graph G --server S.json --budget 6% --fanout 5,4 --batch 200 --order blocks:3 --seed 9 --quiet -o P >/dev/null
ok "plan.json contains the server's document" [ "$(field P/plan.json 'd["server"]["document"] == {**json.load(open("S.json")), "provenance": d["server"]["document"]["provenance"]}')" = True ]
ok "and what was given" [ "$(field P/plan.json 'd["settings"]')" = "{'budget': '6%', 'fanout': '5,4', 'batch': '200', 'order': 'blocks:3', 'seed': '9'}" ]
"$HOTSET" simulate P --epochs 2 --server S.json --quiet >with
mv S.json gone.json
for c in "simulate P --epochs 2" "plan --like P --host-memory 60% --ssd 2xgen4 --force -o K" "plan --like P --host-memory 130% --force -o K" "explain P --vertex 7" "export P --to npy -o X" "execute P" "execute P --server-file N.json" "verify P"; do
    ok "hotset $c, without the server's file" "$HOTSET" $c --quiet
done
ok "its times are those of the server named" eval '"$HOTSET" simulate P --epochs 2 --quiet | diff with - && grep -q "^An epoch takes " with'
ok "--server P is the plan's server" eval '"$HOTSET" server show P --json | diff gone.json - >/dev/null || [ "$("$HOTSET" server show P --json | grep fingerprint)" = "$(grep fingerprint gone.json)" ]'
ok "a folder that is no plan is no server" eval 'exits 3 "$HOTSET" server show G && grep -q "no plan that contains its server" .stderr'
ok "--like P: the same plan again" eval '"$HOTSET" plan --like P -o Q --quiet >/dev/null && diff -rx .hotset P Q'
"$HOTSET" plan --graph G --server gone.json --budget 6% --fanout 5,4 --frontier new --batch 200 --order blocks:3 --seed 9 --assignment auto --presample-epochs 4 --quiet -o same >/dev/null
ok "defaults that are spelled out are no settings" same_plan P same
"$HOTSET" plan --graph G --server gone.json --budget 3% --fanout 5,4 --batch 200 --for graphbolt --quiet -o for-dgl >/dev/null
ok "a runtime has one name" [ "$(field for-dgl/plan.json 'd["settings"]["for"]')" = dgl ]
ok "and its plan is repeated" eval '"$HOTSET" plan --like for-dgl -o for-again --quiet >/dev/null && diff -rx .hotset for-dgl for-again'
ok "on one thread, too" eval '"$HOTSET" plan --like P --threads 1 -o Q1 --quiet >/dev/null && diff -rx .hotset P Q1'
ok "an option beside it wins" eval '"$HOTSET" plan --like P --budget 2% --force -o R --quiet >/dev/null && [ "$(field R/plan.json "d[\"settings\"][\"budget\"], d[\"settings\"][\"order\"]")" = "('"'2%', 'blocks:3'"')" ]'
ok "a budget per clique takes the place of the plan's" "$HOTSET" plan --like P --clique-budget 2% -o R2 --quiet
ok "another plan there is replaced, and that is said" eval '"$HOTSET" plan --like P --force -o R >/dev/null 2>said && grep -q "replaced an earlier result: R (" said'
ok "trace record --like" eval '"$HOTSET" trace record --like P -o T --quiet >/dev/null && [ "$(field T/trace.json "d[\"fanout\"], d[\"batch\"], d[\"seed\"]")" = "([5, 4], 200, 9)" ]'
ok "what the command does not have is said" eval '"$HOTSET" trace record --like P -o T 2>&1 >/dev/null | grep -q "no options of this command: --budget 6%"'
ok "compare --like" eval '"$HOTSET" compare --like P --policy hotset,legion --order shuffle --json --quiet >c.json && [ "$(field c.json "{r[\"server\"] for r in d[\"rows\"]}, {r[\"budget_share\"] > 0.05 for r in d[\"rows\"]}")" != "" ]'
ok "advise --like starts from the plan's settings" eval '"$HOTSET" advise --like P --order shuffle --quiet >said && grep -q -- "--fanout 5,4" said && ! grep -q -- --like said'
ok "size --like P" eval '"$HOTSET" size --like P --order shuffle --target "hit-rate>=0.1" --steps 2 --quiet >said && grep -q ours said'
ok "plan --like with memories below" "$HOTSET" plan --assignment nested --like P --host-memory 60% --ssd gen4 --order shuffle -o tiers --quiet
ok "refresh, without the file" eval '"$HOTSET" trace record --plan P --like P --seed 4 -o T2 --quiet >/dev/null && "$HOTSET" refresh P --trace T2 -o P2 --quiet >/dev/null && [ "$(field P2/plan.json "d[\"settings\"][\"budget\"]")" = 6% ]'
ok "a plan from a trace states the trace's workload" eval '"$HOTSET" plan --graph G --server gone.json --trace T --budget 3% -o U --quiet >/dev/null && "$HOTSET" plan --like U -o U2 --quiet >/dev/null && [ "$(field U2/plan.json "d[\"workload\"][\"fanout\"], d[\"workload\"][\"seed\"]")" = "([5, 4], 9)" ]'
# of a trace: its workload, its deal and its epochs, so that no trace is needed to plan again
of_trace() { # NAME GRAPH OPTIONS..: a plan that records, one of a trace, one like that
    local name=$1 graph=$2
    shift 2
    "$HOTSET" plan --graph $graph --server gone.json --budget 3% --assignment clique --batch 50 "$@" -o $name-recorded --quiet >/dev/null &&
        "$HOTSET" trace record --graph $graph --server gone.json --batch 50 "$@" -o $name-trace --epochs 4 --quiet >/dev/null &&
        "$HOTSET" plan --graph $graph --server gone.json --budget 3% --trace $name-trace -o $name-traced --quiet >/dev/null &&
        same_plan $name-recorded $name-traced && "$HOTSET" plan --like $name-traced -o $name-again --quiet >/dev/null && same_plan $name-traced $name-again
}
"$HOTSET" graph synth like ogbn-mag --scale 0.002 --feature-dim 16 -o M --quiet >/dev/null
rest
ok "like a plan of a trace" of_trace plain G --fanout 5,4 --seed 9
ok "of labor" of_trace labor G --fanout 5,4 --sampler labor --labor-iterations 2
ok "of walks" of_trace walk G --sampler walk --walks 4 --walk-length 2
ok "of edges" of_trace edges G --fanout 3 --seeds edges --edge-share 0.1
ok "of several types, a fan-out for each relation" of_trace typed M --fanout "cites=5,3;writes=4,2;*=1,1"
ok "of several types, one for all" of_trace alike M --fanout 3,2 --fanout-over vertex
ok "of several types, edges of a relation" of_trace typed-edges M --fanout 2,1 --seeds edges:cites --negatives 1
ok "of several types, a metapath" of_trace metapath M --sampler walk --metapath writes,rev_writes --walks 3
ok "a plan of several nodes" eval '"$HOTSET" plan --like P --nodes 2 --nic-gbps 25 --order shuffle -o N --quiet >/dev/null && "$HOTSET" plan --like N -o N2 --quiet >/dev/null && diff -rx .hotset N N2'
cp -r P gone
python3 - <<'P'
import json
d = json.load(open("gone/plan.json"))
d["settings"]["partition"] = "lp"
del d["checksum"]
json.dump(d, open("gone/plan.json", "w"))
P
ok "a word that is gone is not left out" eval 'exits 2 "$HOTSET" plan --like gone -o no && grep -q "partition: lp is no method any more" .stderr'
ok "another beside it" "$HOTSET" plan --like gone --partition hash -o hashed --quiet
ok "a folder that is no plan" eval 'exits 3 "$HOTSET" plan --like G -o no && grep -q "plan.json" .stderr'
# a plan of an older version: neither server nor settings; its checksum is removed with them
ok "an older plan: what it states of its workload" eval 'cp -r P old && python3 - <<"X"
import json
d = json.load(open("old/plan.json")); d.pop("checksum"); d.pop("settings"); d["server"].pop("document"); json.dump(d, open("old/plan.json", "w"))
X
"$HOTSET" plan --like old --server gone.json --budget 1% -o new --quiet >/dev/null && [ "$(field new/plan.json "d[\"workload\"][\"fanout\"], d[\"workload\"][\"seed\"]")" = "([5, 4], 9)" ]'
ok "whose server is asked for" eval 'exits 3 "$HOTSET" plan --like old --budget 1% -o new --force && grep -q "no plan that contains its server" .stderr'
# ---- an older plan names options as they were called: they are taken by their new names, and what is given goes before them
"$HOTSET" plan --graph G --server dgx-v100:4 --budget 4% --fanout 5,4 --batch 200 --peer-access own --assignment global --simulate-epochs 0 --quiet -o Old >/dev/null
python3 - <<'P'
import json
d = json.load(open("Old/plan.json"))
del d["checksum"]
d["settings"] = {{"peer-access": "reach", "assignment": "deal"}.get(k, k): v for k, v in d["settings"].items()}
json.dump(d, open("Old/plan.json", "w"))
P
ok "older names of options" eval '"$HOTSET" plan --like Old --quiet -o Again >/dev/null && [ "$(field Again/plan.json "d[\"settings\"][\"peer-access\"], d[\"settings\"][\"assignment\"]")" = "('"'"'own'"'"', '"'"'global'"'"')" ]'
ok "what is given goes before them" eval '"$HOTSET" plan --like Old --peer-access direct --quiet -o Given >/dev/null && [ "$(field Given/plan.json "d[\"settings\"][\"peer-access\"], d[\"settings\"][\"assignment\"]")" = "('"'"'direct'"'"', '"'"'global'"'"')" ]'

finish
