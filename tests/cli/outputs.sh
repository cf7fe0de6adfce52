#!/usr/bin/env bash
# Where outputs go: foreign folders are left alone, failures leave nothing, disks may be full.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth uniform --vertices 500 --edges 4000 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 --simulate-epochs 1 -o P --quiet >/dev/null
plan="$HOTSET plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 --simulate-epochs 1 --quiet -o"
mkdir foreign
echo mine >foreign/file
cp -r foreign before
for c in "graph synth uniform --vertices 500 --edges 4000" "trace record --graph G --server siton --fanout 3,2 --batch 10 --epochs 1" \
    "plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 --simulate-epochs 0"; do
    ok "${c%% --*}: a foreign folder is refused" exits 3 "$HOTSET" $c -o foreign --quiet
    ok "${c%% --*}: and left untouched" diff -r before foreign
    ok "${c%% --*}: a folder of another kind is refused" exits 3 "$HOTSET" $c -o "$([ "${c%% *}" = plan ] && echo G || echo P)" --quiet
    ok "${c%% --*}: no parent folder" exits 3 "$HOTSET" $c -o no/where --quiet
    touch plain
    ok "${c%% --*}: a file in the way" exits 3 "$HOTSET" $c -o plain --quiet
    ok "${c%% --*}: it is still there" test -f plain
done
ok "an old plan is replaced" exits 0 $plan P
touch -d 2001-01-01 P/plan.json
refuses() { exits 3 "$@" && grep -qF -- "$says; choose another -o, or replace it with --force" .stderr; }
says="P: holds a result of 'hotset plan' with --budget 5%, and this run has --budget 6%"
ok "not by a plan of another budget, and what differs is said" refuses $plan P --budget 6%
says="without --policy legion, which this run has"
ok "nor of another policy" refuses $plan P --policy legion
says="with --simulate-epochs 1, which this run leaves out"
ok "nor where an option is left out" refuses "$HOTSET" plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 --quiet -o P
says="with --seed 1, and this run has --seed 2"
ok "nor with another seed" refuses $plan P --seed 2
ok "it is as it was" eval '[ "$(date -r P/plan.json +%Y)" = 2001 ]'
ok "what results do not depend on is no other setting" exits 0 $plan P/ --threads 1 --explain --json --no-resume --graph G/ --policy hotset --num-neighbors 3,2
ok "nor how the graph's path is typed" eval 'exits 0 $plan P --graph ./G && exits 0 $plan P --graph "$PWD/G"'
"$HOTSET" server show siton --json >given-1.json
cp given-1.json given-2.json
given() { exits "$1" "$HOTSET" plan --graph G --server "$PWD/given-$2.json" --budget 5% --fanout 2 --batch 10 -o given --quiet; }
ok "nor are files that a program makes anew for each call" eval 'HOTSET_GIVEN=$PWD/given- given 0 1 && HOTSET_GIVEN=$PWD/given- given 0 2 && rm -r given && given 0 1 && given 3 2'
ok "what a foreign list says commands no terminal" eval "cp -r P odd && sed -i 's/^\t--budget.*/\t--budget \x1b]0;x/' odd/.hotset"' && ! $plan odd 2>said && ! grep -q "$(printf "\033")" said && grep -q "u001b" said'
ok "a plan of an earlier version has no settings, and is replaced" eval "sed -i '/^\t/d' P/.hotset && "'exits 0 $plan P --budget 6%'
ok "--force replaces it" exits 0 $plan P --force
ok "an empty folder is filled" eval 'mkdir empty && exits 0 $plan empty && test -f empty/plan.json'
ok "a failure leaves nothing" eval 'exits 3 "$HOTSET" plan --graph nowhere --server siton -o Q --quiet; ! ls -A | grep -E "^Q|^\.Q"'
ok "no temporary folder stays" eval '! ls -A | grep "^\.[A-Za-z]*\.tmp"'
ok "a full standard output is said" eval '"$HOTSET" list servers >/dev/full 2>full.err; [ $? = 5 ] && grep -q "standard output" full.err'
ok "a full standard output is said for JSON" eval '"$HOTSET" list servers --json >/dev/full 2>full.err; [ $? = 5 ] && grep -q "standard output" full.err'
ok "a picture that does not fit on the disk is told, and no part of it stays" eval '(ulimit -f 4; exits 5 "$HOTSET" server show siton --svg cut.svg --quiet) && ! ls -A | grep cut'
"$HOTSET" graph synth community --vertices 600 --edges 4000 --feature-dim 32 --train-share 0.3 -o small --quiet >/dev/null
ok "what compare writes, report takes, also where no feature row is cached" eval '"$HOTSET" compare --graph small --server dgx-v100 --policy hotset --budget 1% --peer-access direct -o few.json --quiet >/dev/null && "$HOTSET" report few.json -o few --quiet'
"$HOTSET" compare --graph G --server siton --policy random --budget 1% --fanout 2 --batch 10 -o of.json --quiet >/dev/null
if python3 -c 'import os; os.getxattr("of.json", "user.hotset")' 2>/dev/null; then
    says="of.json: holds a result of 'hotset compare' with --budget 1%, and this run has --budget 2%"
    ok "a document of other options is no less" refuses "$HOTSET" compare --graph G --server siton --policy random --budget 2% --fanout 2 --batch 10 -o of.json --quiet
    ok "with --force it goes" exits 0 "$HOTSET" compare --graph G --server siton --policy random --budget 2% --fanout 2 --batch 10 -o of.json --quiet --force
    says="pages: holds a result of 'hotset report' with P, and this run has of.json"
    ok "nor is a page of another result" eval 'exits 0 "$HOTSET" report P -o pages --quiet && refuses "$HOTSET" report of.json -o pages --quiet'
    ok "settings that anyone wrote are read to their end only" eval 'python3 -c "
import os
then = os.getxattr(\"of.json\", \"user.hotset\")
os.setxattr(\"of.json\", \"user.hotset\", then + b\"ab\")" && ! "$HOTSET" compare --graph G --server siton --policy random --budget 2% --fanout 2 --batch 10 -o of.json -q 2>said && grep -q "holds a result of" said && ! grep -q "[^ -~]" said'
    long=$(printf 'x%.0s' $(seq 2500))
    ok "of a long command line the end counts, too" eval 'says="longer: holds a result of '"'hotset report'"' with other options, and this run has other options"; exits 0 "$HOTSET" report P -o longer --title "${long}a" --quiet && exits 0 "$HOTSET" report P -o longer --title "${long}a" --quiet && refuses "$HOTSET" report P -o longer --title "${long}b" --quiet'
else
    skip "documents of other options" "the file system keeps no attributes"
fi
mkfifo pipe
ok "-o never replaces a pipe or a device" exits 3 "$HOTSET" compare --graph G --server siton --policy random --budget 1% --fanout 2 --batch 10 -o pipe --quiet
ok "it is still a pipe" test -p pipe
"$HOTSET" simulate P --epochs 2 --quiet -o real.json >/dev/null && ln -s real.json link.json
ok "-o through a link writes its file" exits 0 "$HOTSET" simulate P --epochs 1 --quiet --force -o link.json
ok "and keeps the link" eval 'test -L link.json && grep -q results/1 real.json'
ok "--quiet says nothing on stderr" eval '$plan P2 2>quiet.err >/dev/null && [ ! -s quiet.err ]'
ok "--json is one document on stdout" eval '"$HOTSET" simulate P --seed 9 --epochs 1 --json 2>/dev/null >r.json && [ "$(head -c1 r.json)" = "{" ] && [ "$(tail -n1 r.json)" = "}" ]'
ok "a plan finds its graph by itself" exits 0 "$HOTSET" simulate P --seed 9 --epochs 1 --quiet
"$HOTSET" simulate P --epochs 1 --quiet --force -o again.json >/dev/null 2>&1
ok "without --seed the epochs are those that plan judged on" python3 -c 'import json
assert json.load(open("again.json"))["rows"][0]["simulated"] == json.load(open("P/plan.json"))["simulated"]'
for policy in dsp hyscale gnnlab; do # what they do besides who holds what is saved, too
    "$HOTSET" plan --graph G --server dgx-v100 --policy $policy --budget 5% --fanout 3,2 --batch 10 -o Q-$policy --quiet >/dev/null
    "$HOTSET" simulate Q-$policy --epochs "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["simulated"]["epochs"])' Q-$policy/plan.json)" --quiet --force -o again.json >/dev/null 2>&1
    ok "$policy moves the same when its plan is read again" python3 -c 'import json, sys
assert json.load(open("again.json"))["rows"][0]["simulated"] == json.load(open(sys.argv[1]))["simulated"]' Q-$policy/plan.json
done
record="$HOTSET trace record --graph G --server siton --plan P --seed 9 --epochs 1 --quiet"
ok "a trace of a plan's assignment takes the plan's workload, too" eval '$record -o E && $record --fanout 3,2 --batch 10 -o F && diff -rx .hotset -x .hotset E F'
ok "unless it is given" eval '$record --fanout 4 --force -o F && grep -A2 "\"fanout\"" F/trace.json | tr -d " \n" | grep -F "[4]"'
"$HOTSET" graph synth uniform --vertices 501 --edges 4000 --seed 2 -o H --quiet >/dev/null
ok "a plan refuses another graph" exits 3 "$HOTSET" simulate P --graph H --seed 9 --epochs 1 --quiet
for size in 1B 100B 4KiB 20KiB 60KiB; do
    ok "--memory $size: too little is said, or it is enough" eval '"$HOTSET" plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 --memory $size -o M --quiet >/dev/null 2>mem.err; c=$?; [ $c = 0 ] || { [ $c = 5 ] && grep -q "memory" mem.err && [ ! -e M ]; }'
    rm -rf M
done
ok "--export-requests --json is one document" eval '"$HOTSET" simulate P --export-requests r.bin --quiet --json | python3 -c "import json, sys; assert json.load(sys.stdin)[\"requests\"] > 0"'
requests="$HOTSET simulate --requests r.bin --cache lru --cache-rows 5 --quiet"
ok "--requests alone" exits 0 $requests
for o in "-o none.json" --movement "--server siton" "--epochs 2"; do ok "--requests $o is refused, as it would do nothing" exits 2 $requests $o; done
ok "--export-requests --movement likewise" exits 2 "$HOTSET" simulate P --export-requests r.bin --quiet --movement
ok "and -o" exits 2 "$HOTSET" simulate P --export-requests r.bin --quiet -o none.json
compare="$HOTSET compare --graph G --server siton --policy random --budget 1% --fanout 2 --batch 10 --simulate-epochs 1 --quiet"
ok "results that only have the name of a plan's document are replaced" eval '$compare -o plan.json >/dev/null && $compare -o plan.json >/dev/null && grep -q results/1 plan.json'
ok "the document of a plan is not" eval '"$HOTSET" plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 --simulate-epochs 0 --quiet -o D >/dev/null; exits 3 $compare -o D/plan.json && grep -q plan/1 D/plan.json'
rack="$HOTSET plan --graph G --server gb200-nvl72 --budget 5% --fanout 3,2 --batch 10 --simulate-epochs 0 --quiet"
$rack --policy legion -o N1 >/dev/null && $rack --policy random --seed 2 -o N2 >/dev/null
ok "plans of a rack of 72 GPUs are compared" eval '"$HOTSET" diff N1 N2 >rack.txt && grep -q "more pairs" rack.txt && grep -q "^0-71 " rack.txt'
ok "explain --against says the same" eval '"$HOTSET" explain N1 --against N2 | cmp - rack.txt'
ok "and not of a vertex" exits 2 "$HOTSET" explain N1 --against N2 --vertex 3
awk 'length > 120' rack.txt | none "in at most 120 columns"
finish
