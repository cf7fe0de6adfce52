#!/usr/bin/env bash
# hotset observe: a job that follows its plan differs by noise alone; one that does not is found out.
. "$(dirname "$0")/tap"

# Several types: counters by table of rows. A job that reads what simulated epochs read, and one that forgot its peers.
"$HOTSET" graph synth like ogbn-mag --scale 0.005 --feature-dim 8 -o M --quiet >/dev/null
"$HOTSET" plan --graph M --server dgx-v100:4 --budget 6% --fanout "cites=5,3;*=2,2" --batch 20 --simulate-epochs 1 -o PM --quiet >/dev/null
for seed in 501 502 503; do
    "$HOTSET" simulate PM --seed $seed --epochs 1 --json --quiet >one.json
    python3 "$root/tests/cli/observe_types.py" one.json PM $seed types.jsonl
    python3 "$root/tests/cli/observe_types.py" one.json PM $seed alone.jsonl nopeer
done
ok "several types: a job that follows its plan differs by noise alone" exits 0 "$HOTSET" observe PM types.jsonl
"$HOTSET" observe PM types.jsonl --json --quiet >types.json
ok "several types: every GPU and type, with its own counts" python3 -c 'import json
d, lines = json.load(open("types.json")), [json.loads(x) for x in open("types.jsonl")]
assert d["all_gpus"] and d["differ"] == 0 and len(d["gpus"]) == 4 * len({x["table"] for x in lines}) and len(lines) == 3 * len(d["gpus"])
for g in d["gpus"]:
    mine = [x for x in lines if x["gpu"] == g["id"] and x["table"] == g["table"]]
    for k, x in g["rows_per_batch"].items():
        assert abs(x["observed"] * g["batches"] - sum(m["rows"][k] for m in mine)) < 1e-3, (g["table"], k)
assert sum(x["simulated"] > 0 for g in d["gpus"] for x in g["rows_per_batch"].values()) > 20'
ok "several types: a job that forgot its peers is found out" exits 1 "$HOTSET" observe PM alone.jsonl
ok "several types: the table names them" eval '"$HOTSET" observe PM types.jsonl | grep -q "^field_of_study .*own"'
ok "several types: counters without a table are refused" eval 'sed "s/\"table\": \"[a-z_]*\", //" types.jsonl >untold.jsonl; exits 3 "$HOTSET" observe PM untold.jsonl && grep -q "whose rows" .stderr'
ok "several types: the same bytes on any thread count" eval '"$HOTSET" observe PM types.jsonl --json --threads 1 >a.json; "$HOTSET" observe PM types.jsonl --json --threads 7 >b.json; cmp a.json b.json'

lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1
python=${HOTSET_PYTHON:-python3}
if ! "$python" -c 'import numpy' 2>/dev/null; then
    skip "hotset observe" "$python has no numpy (HOTSET_PYTHON names another Python)"
    finish
fi
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --feature-dim 8 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100:4 --budget 6% --fanout 8,4 --batch 20 --sampling gpu -o P --quiet >/dev/null
"$HOTSET" simulate P --seed 4711 --epochs 3 --export-batches B --quiet >/dev/null
"$HOTSET" simulate P --seed 4711 --epochs 3 --json --quiet >judged.json
"$python" -c 'import numpy; numpy.save("features.npy", numpy.random.default_rng(3).random((4000, 8), numpy.float32))'
ok "a job writes its counters" "$python" "$root/tests/cli/observe.py" P B features.npy job.jsonl
ok "a job that follows its plan differs by noise alone" exits 0 "$HOTSET" observe P job.jsonl
"$HOTSET" observe P job.jsonl --json --quiet >observed.json
cat >check.py <<'END'
import json
d, judged = json.load(open("observed.json")), json.load(open("judged.json"))["rows"][0]["simulated"]["gpus"]
assert d["schema"] == "observation/1" and d["differ"] == 0 and d["all_gpus"] and len(d["gpus"]) == len(judged) == 4
for gpu, exact in zip(d["gpus"], judged):
    assert gpu["epochs"] == 3 and gpu["id"] == exact["id"]
    for ours, theirs in (("own", "local"), ("peer", "peer"), ("host", "host")):
        x = gpu["rows_per_batch"][ours]
        assert abs(x["observed"] * gpu["batches"] - exact["feature_rows"][theirs]) < 1e-3, (x, exact)
        assert 0 < x["noise"] < 0.25 * x["simulated"], x # of about 40 rows per mini-batch
    assert {s["stage"]: s["observed"] for s in gpu["seconds_per_epoch"]} == {"sample": 0.5, "transfer": 0.25}
    assert all(s["model"] > 0 for s in gpu["seconds_per_epoch"])
hit = d["feature_hit_rate"]
assert abs(hit["observed"] - hit["predicted"]) < 0.05 and not hit["differs"]
END
ok "what was observed is what was replayed, beside the model's seconds" "$python" check.py
"$python" "$root/tests/cli/observe.py" P B features.npy wrong.jsonl nopeer
ok "a job that forgot its peers is found out" exits 1 "$HOTSET" observe P wrong.jsonl
ok "its own rows are as planned" eval '"$HOTSET" observe P wrong.jsonl --quiet 2>/dev/null | awk '"'"'$3 == "own" && $NF != "noise" { bad = 1 } $3 == "peer" && $NF != "differs" { bad = 1 } END { exit bad }'"'"
head -n 3 job.jsonl >one.jsonl
ok "one GPU alone can be observed" eval '"$HOTSET" observe P one.jsonl | grep -q "of the GPUs above"'
ok "the same bytes on any thread count" eval '"$HOTSET" observe P job.jsonl --json --threads 1 >a.json; "$HOTSET" observe P job.jsonl --json --threads 7 >b.json; cmp a.json b.json'
# False alarms: 12 jobs of one epoch each, of seeds that the command does not simulate. At 5 % more than 3 come in 1 of 450 runs.
for seed in $(seq 900 911); do
    "$HOTSET" simulate P --seed "$seed" --epochs 1 --export-batches "B$seed" --quiet >/dev/null
    "$python" "$root/tests/cli/observe.py" P "B$seed" features.npy "job$seed.jsonl"
    "$HOTSET" observe P "job$seed.jsonl" --quiet >/dev/null 2>&1 || echo "$seed" >>alarms
done
touch alarms
ok "false alarms are rare" eval 'cat alarms; [ "$(grep -c . alarms)" -le 3 ]'
ok "counters of another plan are refused" eval 'sed "s/\"gpu\": 0/\"gpu\": 77/" job.jsonl >other.jsonl; exits 3 "$HOTSET" observe P other.jsonl'
finish
