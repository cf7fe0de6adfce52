#!/usr/bin/env bash
# DRAM above SSDs: what is counted is what another program counts from exported mini-batches; rules in DRAM; more memory reads less; with room for all
# nothing is read; refusals.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 6000 --edges 90000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
plan() { "$HOTSET" plan --graph G --server dgx-v100:4 --budget 3% --batch 100 --fanout 6,4 --simulate-epochs 1 --quiet --force -o S "$@"; }
counted() { "$HOTSET" simulate S --seed 99 --epochs 3 --json --quiet "$@"; }
judged() { # NAME, options of plan
    local name=$1 rules=
    shift
    rm -rf S B
    [[ "$name" = *rules* ]] && rules="--cache lru,sieve"
    # shellcheck disable=SC2086
    plan "$@" >said && "$HOTSET" simulate S --seed 99 --epochs 3 --export-batches B --quiet >/dev/null && counted $rules >R.json || echo "$name: not written"
    python3 "$root/tests/cli/storage.py" S G B R.json 2>&1 | none "$name: another program counts the same"
}
if ! command -v python3 >/dev/null; then skip "SSDs recounted" "python3 is not installed"; else
    judged "half of the features, rules" --host-memory 1700KiB --ssd 2xgen4
    judged "topology and features on SSDs, rules" --host-memory 300KiB --ssd g5.8xlarge
    judged "offsets alone" --host-memory 48020B --ssd optane
    sed -i 's/"feature_rows": [1-9][0-9]*/"feature_rows": 7/' R.json
    ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/storage.py" S G B R.json 2>&1)" ]'
    judged "a system whose CPU samples, rules" --host-memory 1MiB --ssd gen3 --policy pagraph-plus
    ok "samplers in GPUs leave DRAM to features" eval 'plan --host-memory 300KiB --ssd gen4 --policy gnnlab --sampler layer-wise --fanout 100,50 --json >x.json && python3 -c "import json; assert sum(p[\"topology\"][\"count\"] for p in json.load(open(\"x.json\"))[\"memories\"][\"places\"] if p[\"kind\"] == \"dram\") == 0"'
    ok "topology that SSDs cannot serve is in DRAM first" eval 'plan --host-memory 1MiB --ssd gen4 --sampler layer-wise --fanout 100,50 --json >x.json && python3 -c "
import json
p = [p for p in json.load(open(\"x.json\"))[\"memories\"][\"places\"] if p[\"kind\"] == \"dram\"]
assert sum(x[\"topology\"][\"count\"] for x in p) == 6000 and sum(x[\"feature\"][\"count\"] for x in p) > 0, p"'
    judged "LABOR with topology in DRAM" --host-memory 1700KiB --ssd gen5 --sampler labor
fi
# The model, its precision and how stages overlap are the plan's: an epoch is composed by hand from the stages that simulate states, with the
# drives as one more (model/time.md), and R-GAT computes for 31.5 ms a step at least.
cat >model.py <<'P'
import json, sys
time = json.load(open("simulated.json"))["rows"][0]["simulated"]["epoch_time"]
stages = [time["stages"][k] for k in ("sample", "load", "transfer", "propagate")]
for size in ("64MiB", "300KiB"):
    s = json.load(open(size + ".json"))["rows"][0]["simulated"]["memories"]
    drives = s["ssd"]["seconds"] / time["iterations"]
    def epoch(all):
        if sys.argv[1] == "sequential": return time["iterations"] * sum(all)
        return time["iterations"] * (max(all) + 0.7 * (sum(all) - max(all)))
    same = lambda a, b: abs(a / b - 1) < 1e-6
    assert (drives > 0) == (size == "300KiB") and 0.0315 < time["stages"]["propagate"] < 0.032, (size, drives, stages)
    assert same(s["epoch"]["seconds"], epoch(stages + [drives])) and same(s["epoch"]["without_ssd_seconds"], epoch(stages)), (size, s["epoch"], epoch(stages))
P
for how in pipelined sequential; do
    model="--policy legion --model rgat --precision mixed --hidden 100 --classes 9 $([ $how = pipelined ] && echo --unoverlapped 0.7 || echo --schedule sequential)"
    # shellcheck disable=SC2086
    plan $model >/dev/null && counted >simulated.json
    # shellcheck disable=SC2086
    for m in 64MiB 300KiB; do plan $model --host-memory $m --ssd gen4 >/dev/null && counted >$m.json; done
    ok "a plan's own model, $how" python3 model.py $how
done
last=
for m in 100KiB 500KiB 1MiB 2MiB 3MiB; do
    now=$(plan --policy legion --host-memory $m --ssd gen4 >/dev/null; counted | python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"][0]["simulated"]["memories"]["ssd"]["blocks"])')
    [ -z "$last" ] || [ "${now%.*}" -le "${last%.*}" ] || echo "$m: $now blocks, $last with less memory"
    last=$now
done 2>&1 | none "more memory never reads more blocks"
ok "with room for all nothing is read" eval 'plan --host-memory 64MiB --ssd gen4 --json >all.json && grep -q "\"blocks\": 0.0" all.json'
for t in 1 3; do plan --host-memory 1MiB --ssd gen4 --threads $t -o S$t >/dev/null; "$HOTSET" simulate S$t --cache all --threads $t --json --quiet | sed "s/S$t/S/" >C$t.json; done
ok "the same bytes on any number of threads" eval 'diff -rx .hotset S1 S3 && cmp C1.json C3.json'
ok "the table names the time" eval 'plan --host-memory 1MiB --ssd 4xgen4 >said && grep -q "^SSDs: .* blocks per epoch, .*, limited by reads per second$" said && grep -q "^the epoch takes .*, without SSDs " said'
ok "the table of rules" eval '"$HOTSET" simulate S --cache lru,fifo --quiet | grep -q "^fifo .*[0-9.]* %"'
ok "the server's own memory is the default" eval 'plan --ssd gen4 --json | grep -q "\"host_memory_bytes\": [1-9][0-9]\{9\}"'
sed 's/"name": "gen4"/"name": "mine"/; s/1000000/77/' "$root/hwprofiles/drives/gen4.json" >mine.json
ok "a drive of one's own" eval 'plan --host-memory 1MiB --ssd 3xmine.json --json | grep -q "\"reads_per_second\": 231"'
for f in "$root"/hwprofiles/drives/*.json; do d=$(basename "$f" .json); plan --presample-epochs 1 --host-memory 1MiB --ssd "$d" >/dev/null || echo "$d"; done 2>&1 | none "every shipped drive is good"
printf '\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n' >topo.txt
"$HOTSET" server import topo.txt --gpu-memory 16GiB -o bare.json --quiet >/dev/null
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
ok "a server without rates is named as what lacks, not the drives that were given" says 1 "does not state how fast its GPUs read the host" "$HOTSET" plan --graph G --server bare.json --budget 5% --batch 50 --fanout 3,2 --host-memory 50% --ssd gen4 -o bare --quiet
ok "too little for the offsets" says 1 "offsets alone take" plan --host-memory 40KiB --ssd gen4
ok "an unknown drive" says 3 'did you mean "gen4"' plan --host-memory 1MiB --ssd 2xgem4
ok "no drives" says 2 "1 to 64" plan --host-memory 1MiB --ssd 0xgen4
ok "a drive without rates" says 3 "one of them is needed" eval 'sed "s/7.0/null/; s/1000000/null/" "$root/hwprofiles/drives/gen4.json" >none.json; plan --host-memory 1MiB --ssd none.json'
ok "drives that are too small" says 1 "take more drives" eval 'sed "s/2000000000000/1000/" "$root/hwprofiles/drives/gen4.json" >tiny.json; plan --host-memory 1MiB --ssd tiny.json'
plan --host-memory 1MiB --ssd gen4 >/dev/null
ok "the plan's own seed" says 2 "would not be held out" "$HOTSET" simulate S --seed 1
ok "rules have the room of the plan's lists" says 2 "leave it out" "$HOTSET" simulate S --cache lru --cache-rows 9
ok "an unknown rule" says 2 "cache" "$HOTSET" simulate S --cache lruu
ok "a share of nothing" says 2 "above 0 %" plan --host-memory 0% --ssd gen4
ok "another folder is left alone" says 3 "choose another -o" plan --host-memory 1MiB --ssd gen4 -o G
# the name that this had
plan --policy legion -o P >/dev/null
ok "hotset storage runs hotset plan" eval '"$HOTSET" storage P --host-memory=1MiB --ssd 2xgen4 --epochs 1 -o A >/dev/null 2>said && grep -q "write: hotset plan --like P --host-memory=1MiB --ssd 2xgen4 --simulate-epochs 1 -o A$" said'
ok "lists are size's" says 2 "hotset size .* takes the first that is enough" "$HOTSET" storage P --host-memory 1MiB,2MiB --ssd gen4
ok "the longest of epochs, too" says 2 "hotset size" "$HOTSET" storage P --host-memory 1MiB --ssd gen4 --within 0.2
ok "rules are simulate's" says 2 "hotset simulate S --cache LIST" "$HOTSET" storage P --host-memory 1MiB --ssd gen4 --cache lru
ok "orders on disk are graph relabel's" says 2 "hotset graph relabel" "$HOTSET" storage P --host-memory 1MiB --ssd gen4 --disk-order heat
ok "drives are needed" says 2 "needs --ssd" "$HOTSET" storage P -o A3
# ten thousand epochs take minutes
ok "rules are looked at before the plan is simulated" says 2 "nosuch" timeout 20 "$HOTSET" simulate A --cache nosuch --epochs 10000
ok "and what they cannot take" says 2 "is of caches on GPUs" timeout 20 "$HOTSET" simulate A --cache lru --cache-rows 5 --epochs 10000
finish
