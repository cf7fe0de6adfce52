#!/usr/bin/env bash
# --fanout -1 takes all neighbours: traces against a plain breadth-first search (all_neighbours.py), threads and ranks of
# commands, what documents, exports and Python say, the memory that is estimated, and what is refused.
. "$(dirname "$0")/tap"
"$HOTSET" graph synth community --vertices 900 --edges 6000 --communities 10 --train-share 0.2 --feature-dim 8 --seed 3 --quiet -o G >/dev/null
record() { "$HOTSET" trace record --graph G --epochs 2 --quiet --force "$@" >/dev/null; }
searched() { # OPTIONS..: a recording is what the plain program finds
    record --server siton:1 --batch 1 "$@" -o T1 && python3 "$root/tests/cli/all_neighbours.py" G T1
}
ok "two hops" searched --fanout -1,-1
ok "three hops, as a word, on one thread" searched --fanout all,-1,all --threads 1
for rule in all layers; do ok "frontier $rule" searched --fanout -1,-1 --frontier $rule; done
ok "labor takes all, too" searched --fanout -1,-1 --sampler labor
for t in 1 2; do record --server siton:2 --batch 7 --fanout 4,-1 --threads $t -o M$t; done
ok "a number, then all: the same on two threads" diff -rx .hotset M1 M2
ok "trace.json says so" eval 'tr -d " \n" <M1/trace.json | grep -q "\"fanout\":\[4,-1\]"'
# ---- plans
plan() { "$HOTSET" plan --graph G --server siton:2 --budget 10% --batch 7 --quiet --force "$@" >/dev/null; }
ok "a plan" plan --fanout 4,-1 --threads 1 -o P
ok "the same on two threads" eval 'plan --fanout 4,-1 --threads 2 -o P2 && diff -rx .hotset P P2'
ok "on the serial backend" eval 'plan --fanout 4,-1 --device ref -o P3 && cmp P/gpu0_feature.npy P3/gpu0_feature.npy && cmp P/gpu1_topology.npy P3/gpu1_topology.npy'
ok "of that trace" eval 'record --server siton:2 --batch 7 --fanout -1,-1 -o T && plan --trace T -o PT'
ok "again, by --like" eval '"$HOTSET" plan --like P --quiet -o Q >/dev/null && cmp P/gpu1_feature.npy Q/gpu1_feature.npy && tr -d " \n" <Q/plan.json | grep -q "\"fanout\":\[4,-1\]"'
ok "verified, explained" eval '"$HOTSET" verify P --graph G >/dev/null && "$HOTSET" explain P --quiet >/dev/null'
ok "executed as simulated" eval '"$HOTSET" execute P --quiet 2>/dev/null | grep -q "as simulated"'
rest
ok "analytic hotness" plan --fanout -1,-1 --hotness vip --policy legion -o V
ok "inference in mini-batches" eval '"$HOTSET" plan --graph G --server siton:2 --budget 10% --batch 7 --job inference --mode sampled --fanout -1,-1 --quiet -o I >/dev/null && tr -d " \n" <I/plan.json | grep -q -- "-1,-1"'
ok "sizes of both" eval '"$HOTSET" size --graph G --server siton:2 --fanouts 4,2/-1,all --batch 7 --quiet -o S.json >/dev/null && tr -d " \n" <S.json | grep -q "\"fanout\":\[-1,-1\]" && "$HOTSET" report S.json -o page --quiet >/dev/null'
ok "what if" eval '"$HOTSET" what-if P --quiet -o W.json >/dev/null && tr -d " \n" <W.json | grep -q "\"name\":\"batch\""'
# ---- several types
"$HOTSET" graph synth like ogbn-mag --scale 0.0005 --quiet -o H >/dev/null
typed() { "$HOTSET" trace record --graph H --server siton:2 --batch 7 --epochs 1 --quiet --force "$@" >/dev/null; }
ok "every relation" typed --fanout -1,-1 -o HT
ok "is as much as 60000 of each" eval 'typed --fanout 60000,60000 -o HN && cmp HT/hotness_feature.npy HN/hotness_feature.npy && cmp HT/visits.npy HN/visits.npy'
ok "one relation alone, the others not" typed --fanout 'cites=-1,all;writes=2,0' -o HC
ok "documents say it by relation" eval 'tr -d " \n" <HC/trace.json | grep -q "\"paper-cites->paper\":\[-1,-1\]"'
ok "of all relations together" eval 'typed --fanout -1 --fanout-over vertex -o HV && typed --fanout -1 -o HR && cmp HV/hotness_feature.npy HR/hotness_feature.npy'
ok "a plan for types, by --like" eval '"$HOTSET" plan --graph H --server siton:2 --budget 10% --batch 7 --fanout "cites=-1,3;*=2,-1" --quiet -o HP >/dev/null && "$HOTSET" plan --like HP --quiet -o HQ >/dev/null && cmp <(tr -d " \n" <HP/plan.json | grep -o "\"paper-cites->paper\":\[-1,3\]" | head -1) <(tr -d " \n" <HQ/plan.json | grep -o "\"paper-cites->paper\":\[-1,3\]" | head -1)'
# ---- what runtimes get
for t in pyg dgl glt wholegraph quiver; do
    ok "$t gets -1" eval '"$HOTSET" export P --to '$t' --quiet -o X-'$t' >/dev/null 2>&1 && ! grep -rq 4294967295 X-'$t' && { [ '$t' = quiver ] || grep -q "FANOUT = \[4, -1\]" X-'$t'/*.py; }'
done
says() { # CODE WORDS COMMAND..
    local code=$1 words=$2
    shift 2
    "$@" >/dev/null 2>why
    [ $? = "$code" ] && grep -q -- "$words" why
}
for t in gids legion gnnlab ugache pagraph; do
    ok "$t does not" says 1 "takes all neighbours (--fanout -1), but $t" "$HOTSET" export P --to $t -o X
done
ok "nor plans for it" says 2 "takes all neighbours (--fanout -1), but legion" "$HOTSET" plan --graph G --server siton:2 --budget 10% --fanout -1,-1 --for legion -o no
# ---- what is said ahead, and refused
ok "how large mini-batches may be" says 0 "at most 900 of 900 vertices" "$HOTSET" plan --graph G --server siton:2 --budget 10% --batch 100 --fanout -1,-1 -o K
ok "nothing where all are numbers" eval '"$HOTSET" plan --graph G --server siton:2 --budget 10% --batch 7 --fanout 4,2 -o N 2>&1 >/dev/null | { ! grep -q "all neighbours"; }'
ok "memory that does not suffice" says 5 "needs about" "$HOTSET" plan --graph G --server siton:2 --budget 10% --batch 100 --fanout -1,-1 --memory 2MiB -o no
run="$HOTSET trace record --graph G --server siton:2 --batch 7 -o no"
ok "0" says 2 "expected 1 to 65535, or -1 for all neighbours" $run --fanout 0,3
ok "-2" says 2 "expected -1 to 65535" $run --fanout -2
ok "65536" says 2 "out of range" $run --fanout 65536
ok "another word" says 2 "not a list of integers" $run --fanout most
ok "layers" says 2 "take --sampler uniform" $run --fanout -1 --sampler layer-wise
cp -r T B && sed 's/"fanout": \[ *-1/"fanout": [-2/; s/^\( *\)-1,$/\1-2,/' T/trace.json >B/trace.json
ok "a trace with -2" says 3 "nor -1" "$HOTSET" plan --graph G --server siton:2 --budget 10% --trace B -o no
finish
