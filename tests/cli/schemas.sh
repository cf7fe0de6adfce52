#!/usr/bin/env bash
# hotset list schemas: names, tables of keys for people, and JSON Schemas that another program's validator agrees with; no key is written that has no row.
. "$(dirname "$0")/tap"

ok "names and files" eval '"$HOTSET" list schemas | grep -q "^server/1 .* server-1.json$"'
ok "a table of keys" eval '"$HOTSET" list schemas server/1 | grep -qF "| \`gpus[].id\` | an integer from 0 to 255 |  | yes |"'
ok "every key of server/1 has a sentence" eval '"$HOTSET" list schemas server/1 >keys && grep -q "nvme" keys && ! grep -q "| *|$" keys'
ok "another name is searched for" eval '"$HOTSET" list schemas plan | grep -q "^plan/2"'
if python3 -c "from jsonschema import Draft202012Validator" 2>/dev/null; then
    "$HOTSET" graph synth community --vertices 400 --edges 4000 -o G --quiet >/dev/null
    "$HOTSET" graph synth like ogbn-mag --scale 0.0005 -o GT --quiet >/dev/null
    for g in G GT; do
        "$HOTSET" plan --graph $g --server dgx-v100 --budget 5% --fanout 3,2 --batch 10 --quiet -o P$g >/dev/null
        "$HOTSET" trace record --graph $g --server dgx-v100 --fanout 3,2 --batch 10 --quiet -o T$g >/dev/null
    done
    mkdir D
    size() { local out=$1; shift; "$HOTSET" size --presample-epochs 1 --simulate-epochs 1 --steps 2 --fanout 3,2 --batch 10 --quiet -o "D/$out.json" "$@" >/dev/null 2>&1; }
    size map --graph G --server dgx-v100 --gpus 1,2 --vary gpus,budget --target 'hit-rate>=0.5'
    size servers --graph G --server p3.8xlarge --nodes 1,2 --nic-gbps 12.5 --within 1h --assignment global
    size ssds --graph G --server p3.8xlarge --host-memory 30% --ssd 3xgen4 --nodes 1 --training-epochs 7 --price 3600 --assignment global
    size none --graph G --server dgx-v100:2 --target 'transactions<=1' --most 1KiB
    size full --graph G --server dgx-v100:2 --second-job 16GiB
    size like --stand-in products --scale 0.001 --server dgx-v100:2 --target 'hit-rate>=0.1' --repeats 1
    size types --stand-in ogbn-mag --scale 0.0005 --server dgx-v100:2 --repeats 0
    compare() { local out=$1; shift; "$HOTSET" compare --presample-epochs 1 --simulate-epochs 1 --fanout 3,2 --batch 10 --quiet -o "D/$out.json" "$@" >/dev/null 2>&1; }
    compare all --graph G --server dgx-v100:2 --budget 5% --order blocks:2 --assignment auto
    compare bound --graph G --server dgx-v100:2 --policy hotset,cache:lru --budget 5% --bound --stamp
    compare drives --graph G --server dgx-v100:2 --policy hotset --budget 3% --host-memory 60% --ssd 2xgen4
    compare nodes --graph GT --server dgx-v100:2 --policy hotset --budget 3% --nodes 2 --nic-gbps 12.5 --host-memory 70%
    compare tables --graph GT --server dgx-v100:2 --policy hotset,gnnlab,mean-row --budget 2% --cache-type paper=f8
    "$HOTSET" simulate PG --seed 99 --epochs 1 --cache lru,fifo --timeline T.json --quiet -o D/simulated.json >/dev/null 2>&1
    "$HOTSET" simulate PG --seed 99 --epochs 1 --force --timeline T.json --quiet -o D/timeline.json >/dev/null
    few=(--graph G --server dgx-v100:2 --budget 5% --fanout 3,2 --batch 10 --presample-epochs 1 --simulate-epochs 1 --quiet)
    "$HOTSET" advise "${few[@]}" -o D/advice.json >/dev/null 2>&1
    "$HOTSET" drift "${few[@]}" --windows 3 -o D/drift.json >/dev/null 2>&1
    "$HOTSET" drift "${few[@]}" --windows 3 --host-memory 30% --ssd gen4 -o D/drift_ssd.json >/dev/null 2>&1
    "$HOTSET" simulate PG --seed 99 --epochs 1 --export-batches B --quiet >/dev/null 2>&1 && cp B/batches.json D
    "$HOTSET" simulate PGT --seed 99 --epochs 1 --json --quiet >one.json
    python3 "$root/tests/cli/observe_types.py" one.json PGT 99 job.jsonl nopeer && head -1 job.jsonl >D/observed.json
    "$HOTSET" observe PGT job.jsonl --json --quiet >D/observation.json 2>/dev/null
    python3 "$root/tests/cli/schemas.py" "$HOTSET" PG PGT 2>&1 | none "jsonschema takes what hotset ships and writes, and both refuse the same"
else
    skip "documents against their schemas" "the Python package jsonschema is not installed"
fi
finish
