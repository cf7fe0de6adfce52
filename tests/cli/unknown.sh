#!/usr/bin/env bash
# What is not known is neither yes nor no: constants and prices of servers in hotset size; the interval after one recorded epoch.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "size" "python3 is not installed"; finish; }

"$HOTSET" graph synth uniform --vertices 400 --edges 4000 --seed 2 -o G --quiet >/dev/null
cat >lab.json <<'J'
{"schema": "server/1", "name": "lab", "gpus": [{"id": 0, "memory_bytes": 17179869184}, {"id": 1, "memory_bytes": 17179869184}], "nvlinks": []}
J
size() { "$HOTSET" size --graph G --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 1 --threads 1 --steps 3 -o R.json "$@" >table 2>.stderr; }
# gives CODE PYTHON size-option..: the exit code, and a condition on the document d (sentence s, answer a, curves by label c)
gives() {
    local code=$1 condition=$2 got
    shift 2
    rm -f R.json
    size "$@"
    got=$?
    [ "$got" = "$code" ] || { echo "exit code $got, expected $code"; cat .stderr; return 1; }
    python3 -c "
import json; d = json.load(open('R.json')); s = d['sentence']; a = d['answer']; c = {x['label']: x for x in d['curves']}
assert $condition, s"
}
unknown="all(p['meets'] is None for p in d['candidates'])"
ok "an epoch time that is not known: no 'no', but what is lacking" gives 3 "s.startswith('It is not known whether lab meets epoch-time<=2s: its description lacks gpus[].sampling_edges_per_second') and a is None and $unknown" \
    --server lab.json --target 'epoch-time<=2s'
ok "stderr says it, too" grep -q '^hotset: It is not known whether lab meets' .stderr
ok "a known miss stays a no" gives 1 "s.startswith('No combination meets') and not any(p['meets'] for p in d['candidates'])" --server lab.json --target 'transactions<=1,epoch-time<=2s' --most 1KiB
ok "so does one of a known server" gives 1 "s.startswith('No combination meets epoch-time<=1us')" --server p3.8xlarge --target 'epoch-time<=1us'
ok "one misses, one is not known: not known" gives 3 "'whether lab meets' in s and 'No combination that can be evaluated meets' in s" --server lab.json,p3.8xlarge --target 'epoch-time<=1us'
ok "one meets, one is not known: the answer, and a word about the other" gives 0 "a['server'] == 'p3.8xlarge' and 'It is not known whether lab meets' in s and c['lab']['unsure']" --server lab.json,p3.8xlarge --target 'epoch-time<=2s'
ok "a cost without a price is not known" gives 3 "'its price is not stated' in s" --server lab.json --target 'cost<=1'
ok "--price 0: one's own server costs nothing" gives 0 "a['cost_per_epoch'] == 0 and c['lab']['price_source'] == '--price'" --server lab.json --price 0 --target 'cost<=1'
ok "--price does not replace a price that is stated" gives 0 "c['p3.8xlarge']['price_per_hour'] == 12.24 and c['p3.8xlarge']['price_source'] == 'prices' and 'as of 20' in c['p3.8xlarge']['price_text']" --server p3.8xlarge --price 0 --target 'hit-rate>=0.5'
ok "without a price a server is not ranked by money, and it is said" gives 0 "a['server'] == 'p3.8xlarge' and 'No price: lab, not ranked; money could choose p3.8xlarge only (--price' in s" --server lab.json,p3.8xlarge --target 'hit-rate>=0.5'
ok "the column, too" grep -q 'lab .* not stated' table
ok "--price 0 does not rank a server whose time is not known before one whose is" gives 0 "a['server'] == 'p3.8xlarge' and c['lab']['price_per_hour'] == 0" --server lab.json,p3.8xlarge --price 0 --host-memory 64GiB --target 'hit-rate>=0.5'
ok "a negative price is wrong usage" exits 2 "$HOTSET" size --graph G --server lab.json --price -1
ok "numbers of GPUs that a server does not have are left out" gives 0 "sorted(c) == ['lab:1', 'lab:2', 'p3.8xlarge:1', 'p3.8xlarge:2', 'p3.8xlarge:4']" --server lab.json,p3.8xlarge --gpus 1,2,4,8 --target 'hit-rate>=0.5'
ok "and that is said" grep -q '^hotset: left out: lab.json has 2 GPUs, not 4; lab.json has 2 GPUs, not 8; p3.8xlarge has 4 GPUs, not 8$' .stderr
ok "with none left it is wrong usage" exits 2 "$HOTSET" size --graph G --server lab.json --gpus 8
ok "the memory of a GPU is reservation, second job and cache" gives 0 "a['gpu_bytes'] == a['reserved_bytes'] + 2**30 + a['budget_bytes'] and c['lab']['answer_gpu_bytes'] == a['gpu_bytes'] and 'a second job takes 1.00 GiB of a GPU' in s" \
    --server lab.json --second-job 1GiB --target 'hit-rate>=0.5'
ok "a map over servers with other numbers of GPUs has holes" gives 0 "[x is None for row in d['vary']['values'] for x in row] == [False, False, True, False, False, False]" --server lab.json,p3.8xlarge --gpus 1,2,4 --vary gpus,server --target 'hit-rate>=0.5'
if command -v gnuplot >/dev/null; then ok "and is drawn" "$HOTSET" report R.json -o page --quiet; else skip "and is drawn" "gnuplot is not installed"; fi

# ---- one recorded epoch shows no spread: its interval is an assumption, and nothing calls it an interval of 95 %
plan() { "$HOTSET" plan --graph G --server siton --batch 50 --fanout 3,2 --budget 2% --simulate-epochs 1 --threads 1 --explain --force -o P "$@" >table 2>.stderr; }
ok "one epoch: the table calls the interval assumed" eval 'plan --presample-epochs 1 && unbroken table | grep -q "^assumed interval of the prediction: .*; one recorded epoch shows no spread$" && ! grep -q "95 % interval of the prediction" table'
ok "the warning, too" grep -q 'warning: .* from one recorded epoch, and an interval of the prediction is assumed' .stderr
ok "the plan, too" grep -q '"total_interval_source": "assumed"' P/plan.json
ok "what reads the plan keeps it" eval '"$HOTSET" simulate P --json --quiet | grep -q "\"total_interval_source\": \"assumed\""'
ok "two epochs: it is estimated" eval 'plan --presample-epochs 2 && grep -q "^95 % interval of the prediction: " table && grep -q "\"total_interval_source\": \"estimated\"" P/plan.json'

ok "epochs that do not differ: what is left is the 1 % by which estimates were seen to be off" eval 'plan --fanout 90,90 --batch 400 --presample-epochs 4 && python3 -c "
import json
p = json.load(open(\"P/plan.json\"))[\"predicted\"]
t, low, high = p[\"total_transactions\"], *p[\"total_interval\"]
assert t > 1000 and abs(low - 0.99 * t) <= 1 and abs(high - 1.01 * t) <= 1, (t, low, high)"'

# ---- what others sample is copied whole: groups of mini-batches, which counted reads of neighbours, say nothing of its spread
interval() { "$HOTSET" simulate P --epochs 4 --json --quiet | tr -d '\n' | grep -o '"total_interval": *[n\[]' | tail -c 2; }
ok "GPUs that sample: the simulation has an interval" eval 'plan --simulate-epochs 0 && [ "$(interval)" = "[" ]'
for policy in gnnlab pagraph; do ok "$policy: it has none" eval 'plan --simulate-epochs 0 --policy $policy && [ "$(interval)" = n ]'; done

# ---- without constants of the server, how many GPUs sample follows from their number: one, from 16 on an eighth
samplers() { # GPUS: how many sample
    python3 -c 'import json, sys; json.dump({"schema": "server/1", "name": "many", "gpus": [{"id": i, "memory_bytes": 4 << 30} for i in range(int(sys.argv[1]))], "nvlinks": []}, open("many.json", "w"))' "$1"
    "$HOTSET" plan --graph G --server many.json --policy gnnlab --budget 1MiB --batch 10 --simulate-epochs 0 -o PM --quiet >/dev/null && python3 -c 'import json; print(len(json.load(open("PM/plan.json"))["sampler_gpus"]))'
}
for pair in 2:1 15:1 16:2 24:3; do ok "gnnlab on ${pair%:*} unknown GPUs" [ "$(samplers ${pair%:*})" = ${pair#*:} ]; done
finish
