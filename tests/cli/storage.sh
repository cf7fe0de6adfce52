#!/usr/bin/env bash
# hotset storage: what it states is what another program counts from exported mini-batches; more memory reads less; with room for all nothing is read;
# refusals.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 6000 --edges 90000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
plan() { "$HOTSET" plan --graph G --server dgx-v100:4 --budget 3% --batch 100 --fanout 6,4 --simulate-epochs 0 "$@" -o P --quiet >/dev/null; }
storage() { "$HOTSET" storage P --seed 99 --epochs 3 --quiet "$@"; }
judged() { # NAME, options of storage
    local name=$1
    shift
    rm -rf S B
    storage "$@" -o S >said && "$HOTSET" simulate P --seed 99 --epochs 3 --export-batches B --quiet >/dev/null || echo "$name: not written"
    python3 "$root/tests/cli/storage.py" P G B S 2>&1 | none "$name: another program counts the same"
}
if ! command -v python3 >/dev/null; then skip "storage recounted" "python3 is not installed"; else
    plan
    judged "half of the features" --host-memory 1700KiB --ssd 2xgen4 --cache lru,sieve
    judged "topology and features on SSDs" --host-memory 300KiB --ssd g5.8xlarge --cache lru --disk-order id
    judged "offsets alone" --host-memory 48008 --ssd optane
    sed -i 's/"from_ssd": [0-9]*/"from_ssd": 7/' S/storage.json
    ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/storage.py" P G B S 2>&1)" ]'
    plan --policy pagraph-plus
    judged "a system whose CPU samples" --host-memory 1MiB --ssd gen3
    plan --policy gnnlab --sampler layer-wise --fanout 100,50
    ok "samplers in GPUs leave DRAM to features" eval 'storage --host-memory 300KiB --ssd gen4 --json | tr -d " \n" | grep -q "\"topology\":{\"rows\":0,"'
    plan --sampler layer-wise --fanout 100,50
    ok "topology that SSDs cannot serve is in DRAM first" eval 'storage --host-memory 1MiB --ssd gen4 --json >first.json && python3 -c "import json; d = json.load(open(\"first.json\"))[\"dram\"]; assert d[\"topology\"][\"rows\"] == 6000 and d[\"feature\"][\"rows\"] > 0, d"'
    plan --sampler labor
    judged "LABOR with topology in DRAM" --host-memory 1700KiB --ssd gen5
fi
# The model, its precision and how stages overlap are the plan's: an epoch is composed by hand from the stages that simulate states, with the
# drives as one more (MODEL.md, section 8), and R-GAT computes for 29.6 ms a step at least.
cat >model.py <<'P'
import json, sys
time = json.load(open("simulated.json"))["rows"][0]["simulated"]["epoch_time"]
stages = [time["stages"][k] for k in ("sample", "load", "transfer", "propagate")]
for size in ("64MiB", "300KiB"):
    s = json.load(open(size + ".json"))["simulated"]
    drives = s["ssd_seconds"] / time["iterations"]
    def epoch(all):
        if sys.argv[1] == "sequential": return time["iterations"] * sum(all)
        return time["iterations"] * (max(all) + 0.7 * (sum(all) - max(all)))
    same = lambda a, b: abs(a / b - 1) < 1e-6
    assert (drives > 0) == (size == "300KiB") and 0.0296 < time["stages"]["propagate"] < 0.03, (size, drives, stages)
    assert same(s["epoch"]["seconds"], epoch(stages + [drives])) and same(s["epoch"]["without_ssd_seconds"], epoch(stages)), (size, s["epoch"], epoch(stages))
P
for how in pipelined sequential; do
    plan --model rgat --precision mixed --hidden 100 --classes 9 $([ $how = pipelined ] && echo --unoverlapped 0.7 || echo --schedule sequential)
    "$HOTSET" simulate P --seed 99 --epochs 3 --quiet --json >simulated.json
    for m in 64MiB 300KiB; do storage --host-memory $m --ssd gen4 --json >$m.json; done
    ok "a plan's own model, $how" python3 model.py $how
done
plan
number() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" | head -n 1; }
last=
for m in 100KiB 500KiB 1MiB 2MiB 3MiB; do
    now=$(storage --host-memory $m --disk-order id --json | python3 -c 'import json, sys; s = json.load(sys.stdin)["simulated"]; print(s["feature"]["blocks"]["id"] + s["topology"]["blocks"])')
    [ -z "$last" ] || [ "$now" -le "$last" ] || echo "$m: $now blocks, $last with less memory"
    last=$now
done 2>&1 | none "more memory never reads more blocks"
ok "with room for all nothing is read" eval 'storage --host-memory 64MiB --ssd gen4 --json >all.json && grep -q "\"blocks\": 0.0" all.json && grep -q "\"dram_hit_rate\": 1.0" all.json'
for t in 1 3; do storage --host-memory 1MiB --ssd gen4 --cache all --threads $t -o S$t >/dev/null; done
ok "the same bytes on any number of threads" diff -r S1 S3
ok "the table names the time" eval 'storage --host-memory 1MiB --ssd 4xgen4 | grep -q "4 x gen4: .* per epoch, limited by reads per second; the epoch takes"'
ok "the server's own memory is the default" eval 'storage --json | grep -q "\"host_memory_bytes\": [1-9]"'
sed 's/"name": "gen4"/"name": "mine"/; s/1000000/77/' "$root/hwprofiles/drives/gen4.json" >mine.json
ok "a drive of one's own" eval 'storage --host-memory 1MiB --ssd 3xmine.json --json | grep -q "\"reads_per_second\": 231"'
for f in "$root"/hwprofiles/drives/*.json; do d=$(basename "$f" .json); storage --host-memory 1MiB --ssd "$d" --json >/dev/null || echo "$d"; done 2>&1 | none "every shipped drive is good"
plan
storage --host-memory 2900KiB,300KiB,1MiB,1024KiB --ssd gen3,4xgen4 --within 2 --json >sizes.json
if ! command -v python3 >/dev/null; then skip "sizes" "python3 is not installed"; else
    python3 "$root/tests/cli/storage_sizes.py" "$HOTSET" sizes.json 2>&1 | none "a table of sizes is what each size alone is"
fi
ok "the answer is a sentence" eval 'storage --host-memory 10%,90% --ssd gen4,8xgen5 --within 100 | grep -q "of host memory and 1 x gen4: an epoch takes .* longer than"'
ok "without an answer, the nearest" eval 'storage --host-memory 10%,40% --ssd gen3,gen4 --within 0 | grep -q "^nearest: .* and 1 x gen4"'
printf '\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n' >topo.txt
"$HOTSET" server import topo.txt --gpu-memory 16GiB -o bare.json --quiet >/dev/null
"$HOTSET" plan --graph G --server bare.json --budget 5% --batch 50 --fanout 3,2 --simulate-epochs 1 -o bare --quiet >/dev/null
ok "a server without rates is named as what lacks, not the drives that were given" eval '"$HOTSET" storage bare --host-memory 30%,60% --ssd gen4,4xgen4 --quiet | grep -q "the server states too few rates"'
ok "without drives, these" eval '"$HOTSET" storage bare --host-memory 30%,60% --quiet | grep -q "give --ssd"'
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
ok "too little for the offsets" says 1 "offsets of the topology" storage --host-memory 40KiB
ok "an unknown drive" says 3 'did you mean "gen4"' storage --host-memory 1MiB --ssd 2xgem4
ok "no drives" says 2 "1 to 64" storage --host-memory 1MiB --ssd 0xgen4
ok "a drive without rates" says 3 "one of them is needed" eval 'sed "s/7.0/null/; s/1000000/null/" "$root/hwprofiles/drives/gen4.json" >none.json; storage --host-memory 1MiB --ssd none.json'
ok "drives that are too small" says 1 "take more drives" eval 'sed "s/2000000000000/1000/" "$root/hwprofiles/drives/gen4.json" >tiny.json; storage --host-memory 1MiB --ssd tiny.json'
ok "the plan's own seed" says 2 "would not be held out" "$HOTSET" storage P --host-memory 1MiB --seed 1
ok "lists write nothing" says 2 "for one memory" storage --host-memory 1MiB,2MiB -o S9
ok "a share of nothing" says 2 "above 0 %" storage --host-memory 0%,10%
ok "too many" says 2 "more than 32" storage --host-memory "1MiB$(printf ',%sMiB' $(seq 2 40))"
ok "another folder is left alone" says 3 "choose another -o" storage --host-memory 1MiB -o G
finish
