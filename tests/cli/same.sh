#!/usr/bin/env bash
# Equal inputs and seeds give byte-identical graphs, traces, plans and results: run to run, on any number of threads, on every backend.
. "$(dirname "$0")/tap"

# all NAME OPTIONS..: one of everything in folder NAME
all() {
    mkdir "$1" && cd "$1" || return 1
    shift
    "$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 5 -o C --quiet "$@" >c.txt &&
        "$HOTSET" graph synth rmat --vertices 2000 --edges 30000 --seed 5 -o R --quiet "$@" >r.txt &&
        "$HOTSET" trace record --graph C --server dgx-v100 --fanout 5,4 --batch 20 --epochs 2 --seed 3 -o T --quiet "$@" >t.txt || return 1
    for p in legion quiver-plus oracle data-tiering; do
        "$HOTSET" plan --graph C --server siton --policy $p --budget 3% --fanout 5,4 --batch 20 --simulate-epochs 2 -o P-$p --quiet "$@" >p-$p.txt || return 1
    done
    "$HOTSET" plan --graph C --server dgx-v100 --trace T --clique-budget 8% --simulate-epochs 2 -o P-trace --quiet "$@" >p-trace.txt &&
        "$HOTSET" simulate P-trace --graph C --seed 77 --epochs 2 -o S.json --quiet "$@" >s.txt &&
        "$HOTSET" compare --graph C --server siton,dgx-v100 --policy all --budget 2%,5%V --fanout 5,4 --batch 20 --presample-epochs 2 --simulate-epochs 2 -o X.json --quiet "$@" >x.txt
}
ok "a first run" eval '(all first --threads 1)'
again() { (all "$@") && diff -rx .hotset first "$1"; }
ok "two threads" again threads --threads 2
rest
ok "one thread again" again second --threads 1
ok "five threads" again many --threads 5
ok "the plain backend" again plain --device ref --threads 1
ok "the CPU backend" again cpu --device cpu --threads 2
if "$HOTSET" list backends | grep -q '^cuda.*ready'; then ok "the CUDA backend" again cuda --device cuda; else skip "the CUDA backend" "no CUDA device"; fi
grep -rlIiE "$(hostname | sed 's/[^a-z0-9]/./g')|$(date +%Y-%m)|$(date +%H:%M:)" first --include=*.json --include=*.txt | none "no host and no time in outputs"
ok "another seed is another graph" eval '! cmp -s first/C/indices.npy <("$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 6 -o C6 --quiet >/dev/null; cat C6/indices.npy)'
"$HOTSET" simulate first/P-trace --graph first/C --seed 77 --epochs 1 --quiet --stamp --json >stamped.json
ok "--stamp says host and time" grep -q '"host"' stamped.json
finish
