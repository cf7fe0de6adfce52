#!/usr/bin/env bash
# hotset refresh: few rows move, those that stay keep their place, and the new plan is checked like any other.
. "$(dirname "$0")/tap"

quiet() { "$HOTSET" "$@" --quiet >/dev/null; }
quiet graph synth community --vertices 12000 --edges 200000 --feature-dim 64 -o G
for server in p4d.24xlarge dgx-v100; do
    rm -rf P T2 P2 F
    quiet plan --graph G --server $server --budget 3% --fanout 10,5 --batch 60 -o P
    quiet trace record --graph G --server $server --plan P --seed 7 --fanout 3,3 -o T2
    "$HOTSET" refresh P --trace T2 -o P2 --json --quiet >refreshed.json
    quiet plan --graph G --server $server --trace T2 --budget 3% -o F
    ok "$server: rows to load, slots, gain and what moving costs" python3 "$root/tests/cli/refresh.py" P P2 F refreshed.json
    ok "$server: the new plan is good" exits 0 "$HOTSET" verify P2 --graph G
    for n in 1 6; do quiet refresh P --trace T2 -o "A$n" --threads "$n"; done
    ok "$server: the same bytes on any number of threads" diff -r A1 A6
    rm -rf A1 A6
    quiet trace record --graph G --server $server --plan P --seed 8 -o same
    "$HOTSET" refresh P --trace same -o P3 --json --quiet >same.json
    ok "$server: reads that did not change move little" python3 -c 'import json
d = json.load(open("same.json"))
held = sum(g[k]["kept"] for g in d["gpus"] for k in ("feature", "topology"))
assert d["rows_to_load"] < 0.08 * held, (d["rows_to_load"], held)'
    rm -rf same P3
done
quiet refresh P --trace T2 -o N --within 0
ok "--within 0 keeps every row" eval 'for f in P/gpu*_feature.npy P/gpu*_topology.npy; do cmp "$f" "N/${f#P/}"; done'
"$HOTSET" refresh P --trace T2 -o L --within 1000000 --json --quiet >long.json
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
finish
