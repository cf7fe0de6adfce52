#!/usr/bin/env bash
# hotset refresh: few rows move, those that stay keep their place, and the new plan is checked like any other.
. "$(dirname "$0")/tap"

quiet() { "$HOTSET" "$@" --quiet >/dev/null; }
quiet graph synth community --vertices 12000 --edges 200000 --feature-dim 64 -o G
for server in p4d.24xlarge dgx-v100; do
    rm -rf P T2 P2 F
    quiet plan --graph G --server $server --budget 3% --fanout 10,5 --batch 60 --objective transactions --sampling gpu -o P
    quiet trace record --graph G --server $server --plan P --seed 7 --fanout 3,3 -o T2
    "$HOTSET" refresh P --trace T2 -o P2 --json --quiet >refreshed.json
    quiet plan --graph G --server $server --trace T2 --budget 3% --objective transactions --sampling gpu -o F
    ok "$server: rows to load, slots, gain and what moving costs" python3 "$root/tests/cli/refresh.py" P P2 F refreshed.json "$root/hwprofiles/servers/$server.json"
    ok "$server: the new plan is good" exits 0 "$HOTSET" verify P2 --graph G
    for n in 1 6; do quiet refresh P --trace T2 -o "A$n" --threads "$n"; done
    ok "$server: the same bytes on any number of threads" diff -rx .hotset A1 A6
    rm -rf A1 A6
    quiet trace record --graph G --server $server --plan P --seed 8 -o same
    "$HOTSET" refresh P --trace same -o P3 --json --quiet >same.json
    ok "$server: reads that did not change move little" python3 -c 'import json
d = json.load(open("same.json"))
held = sum(g[k]["kept"] for g in d["gpus"] for k in ("feature", "topology"))
assert d["rows_to_load"] < 0.08 * held, (d["rows_to_load"], held)'
    rm -rf same P3
    rest
done
quiet refresh P --trace T2 -o N --pay-within 0
ok "--within 0 keeps every row" eval 'for f in P/gpu*_feature.npy P/gpu*_topology.npy; do cmp "$f" "N/${f#P/}"; done'
"$HOTSET" refresh P --trace T2 -o L --pay-within 1000000 --json --quiet >long.json
ok "more epochs to pay in move more rows" python3 -c 'import json
a, b = (json.load(open(f))["rows_to_load"] for f in ("refreshed.json", "long.json"))
assert b > a, (a, b)'
ok "a refreshed plan can be refreshed" exits 0 "$HOTSET" refresh P2 --trace T2 -o P4 --quiet
quiet trace record --graph G --server siton --seed 7 --fanout 3,3 -o other
ok "a trace of another server is refused" exits 3 "$HOTSET" refresh P --trace other -o X
quiet plan --graph G --server dgx-v100 --policy bgl --budget 3% --batch 60 -o dynamic
ok "a plan with a dynamic cache is refused" exits 1 "$HOTSET" refresh dynamic --trace T2 -o X
quiet plan --graph G --server dgx-v100 --policy pagraph --budget 9% --batch 60 -o cpu
ok "a plan whose CPU samples is refused" exits 1 "$HOTSET" refresh cpu --trace T2 -o X

# Another training set, half of it shared, and then some arcs fewer: the plan's deal is made again, and GPUs train near what they hold.
changed() { python3 "$root/tests/cli/refresh_changed.py" "$@"; }
another() { # G G1 OPTIONS..: plans on G, goes on with G1
    local g=$1 g1=$2 record="--server dgx-v100:4 --plan P"
    shift 2
    rm -rf P F T2 P2
    quiet plan --graph "$g" --server dgx-v100:4 --sampling gpu "$@" -o P
    quiet plan --graph "$g1" --server dgx-v100:4 --sampling gpu "$@" --simulate-seed 77 -o F
    ok "$g: a recording says that the training set differs" eval "'$HOTSET' trace record --graph $g1 $record --seed 7 -o T2 2>said >/dev/null && grep -q 'the training set differs' said && grep -q 'dealt anew, as by the plan (gpu' said"
    "$HOTSET" refresh P --graph "$g1" --trace T2 --simulate-seed 77 -o P2 --json --quiet >changed.json
    ok "$g: nearly as good as a plan made afresh, with few rows to load and own hits" changed good changed.json P F
}
quiet graph synth community --vertices 4000 --edges 60000 --communities 4 --feature-dim 64 -o C
changed split C train.txt
quiet graph import C/indptr.npy C/indices.npy --train train.txt --feature-dim 64 -o G1
another C G1 --budget 3% --fanout 10,5 --batch 20
ok "the plan is simulated on the new training set" eval '"$HOTSET" simulate P --graph G1 --json -o s.json 2>said >/dev/null && grep -q "G1 is not the graph of P: the training set differs" said'
ok "on any number of threads" eval '"$HOTSET" simulate P --graph G1 --json --quiet --threads 1 >a.json && "$HOTSET" simulate P --graph G1 --json --quiet --threads 5 >b.json && cmp a.json b.json'
ok "the difference of both plans" eval '"$HOTSET" diff P P2 2>said >/dev/null && grep -q "the plans are for two graphs: the training set differs" said && ! grep -q edges said'
ok "a recording of another graph is refused" exits 3 "$HOTSET" refresh P --trace T2 -o X
changed thin C 0.02 thinner
quiet graph import thinner/indptr.npy thinner/indices.npy --train train.txt --feature-dim 64 -o G2
ok "fewer edges, too" eval '"$HOTSET" trace record --graph G2 --server dgx-v100:4 --plan P --seed 7 -o T3 2>said >/dev/null && grep -q "the training set differs .*, .* edges fewer" said'
ok "and the plan is refreshed" eval '"$HOTSET" refresh P --graph G2 --trace T3 -o P3 --quiet >/dev/null && "$HOTSET" verify P3 --graph G2 --quiet >/dev/null && "$HOTSET" diff P P3 --quiet >/dev/null'
quiet graph import thinner/indptr.npy thinner/indices.npy --train C/train.npy --feature-dim 64 -o G3
ok "the same training set on fewer edges keeps who trains what" eval '"$HOTSET" trace record --graph G3 --server dgx-v100:4 --plan P --seed 7 -o T4 2>said >/dev/null && ! grep -q "training" said && cmp P/gpu1_train.npy T4/train_gpu1.npy'
ok "more memory-hungry rows do not exceed a budget" eval '"$HOTSET" plan --graph G2 --server dgx-v100:4 --sampling gpu --budget 3% --fanout 10,5 --batch 20 -o P4b --quiet >/dev/null && "$HOTSET" trace record --graph C --server dgx-v100:4 --plan P4b --seed 7 -o T5 --quiet >/dev/null && "$HOTSET" refresh P4b --graph C --trace T5 -o P5 --pay-within 0 --quiet >/dev/null && "$HOTSET" verify P5 --graph C --quiet >/dev/null'
changed thin C 0.5 half
quiet graph import half/indptr.npy half/indices.npy --train train.txt --feature-dim 64 -o G4
ok "half of the edges is a different graph" exits 3 "$HOTSET" simulate P --graph G4
quiet graph import C/indptr.npy C/indices.npy --train train.txt --feature-dim 32 -o G5
ok "other rows are a different graph" exits 3 "$HOTSET" simulate P --graph G5
quiet graph synth community --vertices 3999 --edges 60000 --feature-dim 64 -o G6
for c in "simulate P --graph G6" "trace record --graph G6 --server dgx-v100:4 --plan P -o X" "refresh P --graph G6 --trace T2 -o X"; do
    ok "other vertices are a different graph: ${c%% *}" eval "exits 3 '$HOTSET' $c"
done
tolokers=$root/../shared/data/graphs/tolokers/tolokers.npz
if [ -r "$tolokers" ]; then # published splits 0 and 1
    changed masks "$tolokers" 0 mask0 1 mask1
    for i in 0 1; do quiet graph import "$tolokers" --undirected --train mask$i -o "tolokers$i"; done
    another tolokers0 tolokers1 --budget 2% --fanout 10,5 --batch 200
else
    skip "splits of tolokers" "no ../shared"
fi

# Several types: the same command, slots table by table.
quiet graph synth like ogbn-mag --scale 0.01 --feature-dim 16 -o M
typed="--graph M --server dgx-v100"
quiet plan $typed --sampling gpu --fanout "cites=5,3;writes=4,2;rev_has_topic=2,2;*=1,1" --batch 50 --budget 3% --simulate-epochs 2 -o PM
quiet trace record $typed --plan PM --seed 9 -o same
"$HOTSET" refresh PM --trace same -o PM1 --simulate-epochs 0 --json --quiet >same.json
ok "several types: reads that did not change move nothing much" python3 -c 'import json
d = json.load(open("same.json"))
assert d["rows_to_load"] < 0.02 * sum(g[k]["kept"] for g in d["gpus"] for k in ("feature", "topology")), d["rows_to_load"]'
quiet trace record $typed --plan PM --seed 7 --fanout "cites=2,2;writes=6,6;*=1,1" -o TM
"$HOTSET" refresh PM --trace TM -o PM2 --simulate-epochs 2 --json --quiet >typed.json
ok "several types: a good plan" exits 0 "$HOTSET" verify PM2 --graph M
ok "several types: what stays keeps its slot" changed slots PM PM2 typed.json
quiet plan $typed --sampling gpu --trace TM --budget 3% --simulate-epochs 2 -o FM
ok "several types: most of what a plan made afresh saves" python3 -c 'import json
d, f = json.load(open("typed.json")), json.load(open("FM/plan.json"))["simulated"]["total_transactions"]
was, now = (d[k]["simulated"]["total_transactions"] for k in ("before", "after"))
print(was, now, f)
assert now < was and was - now > 0.7 * (was - f)'
for n in 1 6; do quiet refresh PM --trace TM -o "A$n" --simulate-epochs 1 --threads "$n"; done
ok "several types: the same bytes on any number of threads" diff -rx .hotset A1 A6

# All rows are held, and each GPU of a pair holds what the other reads: rows change places over the NVLinks, and nothing comes from the host.
quiet graph synth community --vertices 4000 --edges 60000 --communities 4 --feature-dim 64 -o X
quiet plan --graph X --server dgx-v100:4 --objective transactions --sampling gpu --budget 40% --fanout 10,5 --batch 20 --simulate-epochs 1 -o XP
mkdir XL && cp XP/gpu*_*.npy XL && for p in 0:1 1:0 2:3 3:2; do cp "XP/gpu${p%:*}_feature.npy" "XL/gpu${p#*:}_feature.npy"; done
quiet plan --graph X --server dgx-v100:4 --from-lists XL --budget 40% --fanout 10,5 --batch 20 --simulate-epochs 1 -o XO
quiet trace record --graph X --server dgx-v100:4 --plan XO --seed 7 -o XT
"$HOTSET" refresh XO --trace XT -o XN --json --quiet >exchange.json
ok "rows change places over NVLinks where these are waited for" changed places XO XN exchange.json
ok "the new plan is good" exits 0 "$HOTSET" verify XN --graph X
for n in 1 6; do quiet refresh XO --trace XT -o "A$n" --threads "$n" --simulate-epochs 1; done
ok "places: the same bytes on any number of threads" diff -rx .hotset A1 A6
"$HOTSET" refresh XO --trace XT -o XM --move-budget 64KiB --json --quiet >budget.json
ok "within a budget of bytes to load" python3 -c 'import json
d, whole = (json.load(open(f)) for f in ("budget.json", "exchange.json"))
assert 0 < d["bytes_to_load"] <= 65536 < whole["bytes_to_load"], (d["bytes_to_load"], whole["bytes_to_load"])'
finish
