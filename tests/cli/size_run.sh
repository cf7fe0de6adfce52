#!/usr/bin/env bash
# hotset size: the whole run. Epochs that depend on the global mini-batch, start-up, loading, steps and evaluations, each recomputed from what the document
# states; money and energy of all of them; what is left out is named. Against MLPerf: the rule of epochs and the constants are those of the published runs,
# and the published time of whole runs of H200 and B200 lies inside the interval that size gives.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "size, the whole run" "python3 is not installed"; finish; }
data=$root/../shared/data/published
cat >check.py <<'P2'
import csv, json, math, statistics, sys
def load(f): return json.load(open(f))
def near(a, b, by=1e-6): assert abs(a - b) <= by * abs(b), (a, b)
def notes(f): return "\n".join(load(f)["decision"]["notes"])
def rule():  # 1,600 x 1 and 3,200: between 1,024 and 2,048; 2,048 and 4,096; linear in the logarithm
    d = load("rule.json")
    o = {x["servers"]: x for x in d["options"]}
    near(o[1]["run"]["epochs"], 10 + 20 * math.log2(1600 / 1024))
    near(o[2]["run"]["epochs"], 30 + 270 * math.log2(3200 / 2048))
    near(o[4]["run"]["epochs"], 300)  # 6,400: beyond 4,096
    assert [o[n]["run"]["outside"] for n in (1, 2, 4)] == [False, False, True]
    for x in o.values(): near(x["training_seconds"], x["run"]["epochs"] * x["epoch_seconds"])
    assert d["epochs"] == d["options"][d["decision"]["option"]]["run"]["epochs"]
    best = min(o.values(), key=lambda x: x["training_seconds"])  # by the time of the training, not of an epoch
    assert d["options"][d["decision"]["option"]]["training_seconds"] <= 1.01 * best["training_seconds"]
    assert best["servers"] == 1 and min(o.values(), key=lambda x: x["epoch_seconds"])["servers"] == 4
    assert "the time is of the steps alone; without start-up, loading, evaluation" in notes("rule.json")
    assert "nearest" in notes("outside.json") and "nearest" not in notes("rule.json")
def parts():
    d = load("parts.json")
    o, c = d["options"][0], d["curves"][0]
    r = o["run"]
    near(r["start_up_seconds"], 3)
    near(r["loading_seconds"], c["everything_bytes"] / 0.5e9)
    near(r["steps_seconds"], 7 * o["epoch_seconds"])
    # 5 evaluations an epoch of 1,500 vertices in mini-batches of 800 on 2 GPUs: one each; propagating forward is a third
    seconds = o["stage_seconds"]
    stage = {k: v for k, v in seconds.items() if k != "gradients"}
    def pipelined(s): return max(s.values()) + 0.15 * (sum(s.values()) - max(s.values()))
    steps = math.ceil(d["graph"]["train_vertices"] / 1600)
    near(r["evaluation_seconds"], r["steps_seconds"] * 5 / steps * pipelined({**stage, "propagate": stage["propagate"] / 3}) / pipelined(stage), 1e-3)
    near(o["training_seconds"], sum(r[k + "_seconds"] for k in ("start_up", "loading", "steps", "evaluation")))
    near(o["cost"], o["training_seconds"] * 36 / 3600)
    low, high = o["training_seconds_interval"]
    e = o["epoch_seconds_interval"]
    assert low < o["training_seconds"] < high and r["evaluation_seconds_interval"][1] / r["evaluation_seconds"] > e[1] / o["epoch_seconds"]
    w = c["watts"]
    idle = (w["gpus_idle"] + w["host_busy"]) / 3.6e6
    alone = load("steps.json")["options"][0]
    near(o["energy_kwh"], idle * (r["start_up_seconds"] + r["loading_seconds"]) + alone["energy_kwh"] / alone["training_seconds"] * (r["steps_seconds"] + r["evaluation_seconds"]))
    near(r["once_cost"], o["cost"] - alone["cost"])
    assert d["run"]["left_out"] == [] and "the whole run, start-up 3" in notes("parts.json")
    assert load("steps.json")["run"]["left_out"] == ["start-up", "loading", "evaluation"]
    some = load("some.json")
    assert some["run"]["left_out"] == ["evaluation"] and "; without evaluation (" in notes("some.json")
    assert some["options"][0]["run"]["start_up_seconds"] == 9.4
    published = load("published.json")
    assert published["options"][0]["run"]["start_up_seconds_interval"] == [10.2, 127] and published["run"]["left_out"] == []
    late = load("late.json")["options"][0]  # a target that the steps meet and the whole run misses
    assert late["verdict"] == "not" and late["run"]["steps_seconds"] < 1 < late["training_seconds"]
def constants():  # the data file from the published runs
    runs = [r for r in csv.DictReader(open(sys.argv[2] + "/mlperf_rgat_runs.csv")) if not r["duplicate_of"]]
    d = load(sys.argv[3])
    for batch, epochs in d["epochs"]["points"]: assert statistics.median(float(r["epochs_to_target"]) for r in runs if int(r["global_batch"]) == batch) == epochs
    rule = dict(d["epochs"]["points"])
    off = sorted(abs(math.log(float(r["epochs_to_target"]) / rule[int(r["global_batch"])])) for r in runs)
    assert len(off) == 270 and abs(math.exp(off[int(0.95 * len(off))]) - d["epochs"]["factor"]) < 1e-3
    entries = {}
    for r in runs: entries.setdefault((r["version"], r["submitter"], r["system"], r["nodes"]), []).append(r)
    start = sorted(statistics.median(float(r["init_to_first_epoch_seconds"]) for r in v) for v in entries.values())
    assert len(start) == 27 and abs(statistics.median(start) - d["start_up"]["seconds"]) < 0.05
    assert round(start[1], 1) == d["start_up"]["low"] and abs(start[25] - d["start_up"]["high"]) < 0.1
    alone = [statistics.median(float(r["init_to_first_epoch_seconds"]) for r in v) for k, v in entries.items() if k[3] == "64"]
    assert abs(statistics.mean(alone) - d["start_up_alone"]["seconds"]) < 0.05
def mlperf():
    runs = [r for r in csv.DictReader(open(sys.argv[2] + "/mlperf_rgat_runs.csv")) if r["nodes"] == "1" and not r["duplicate_of"]]
    for server, name in (("dgx-h200", "H200"), ("dgx-b200", "lackwell")):
        d = load("mlperf.json")
        o, = [x for x in d["options"] if x["label"].startswith(server)]
        low, high = o["training_seconds_interval"]
        entries = {}
        for r in runs:
            if name in r["gpu"]: entries.setdefault((r["version"], r["system"]), []).append(float(r["run_seconds"]))
        assert entries
        for k, v in entries.items():
            print(f"{k}: measured {statistics.median(v):.0f} s, predicted {o['training_seconds']:.0f} ({low:.0f} to {high:.0f}), {o['run']['epochs']} epochs", file=sys.stderr)
            assert low <= statistics.median(v) <= high < 2.2 * low  # of the steps alone 2, and start-ups were from 10 to 127 s
        near(o["run"]["epochs"], {"dgx-h200": 0.85, "dgx-b200": 0.95}[server])
globals()[sys.argv[1]]()
P2
if [ "$TEST_TIER" != rest ]; then
    "$HOTSET" graph synth community --vertices 3000 --edges 15000 --seed 3 -o G --quiet >/dev/null
    ask="$HOTSET size --graph G --batch 800 --assignment global --objective transactions --sampling gpu --presample-epochs 1 --simulate-epochs 1 --steps 1 --price 36 --quiet"
    one="$ask --server dgx-v100:2 --nodes 1"
    $ask --server dgx-v100:2 --nodes 1,2,4 --nic-gbps 10000 --best time --training-epochs 10@1k,30@2k,300@4k -o rule.json >/dev/null
    $one --training-epochs 10@2k,30@4k -o outside.json >/dev/null
    $one --training-epochs 7 -o steps.json >/dev/null
    $one --training-epochs 7 --evaluate 5@50% --storage-gbps 0.5 --start-up 3s -o parts.json >/dev/null
    $one --training-epochs 7 --storage-gbps 0.5 -o some.json >/dev/null
    $one --training-epochs 7 --evaluate 5@1500 -o published.json >/dev/null
    $one --training-epochs 7 --start-up 2s --within 1s -o late.json >/dev/null 2>&1
    ok "epochs follow the global mini-batch, and the answer the training" python3 check.py rule
    ok "start-up, loading, steps and evaluations add up, in time, money and energy" python3 check.py parts
    for wrong in "--training-epochs 3,4" "--training-epochs 1@0" "--training-epochs 2@4k,3@1k" "--training-epochs mlperff" "--evaluate 3" "--evaluate 3@110%" "--evaluate 0@1" "--start-up soon" "--start-up 3"; do
        ok "refused: $wrong" exits 2 $one $wrong
    done
    if [ -f "$data/mlperf_rgat_runs.csv" ]; then ok "constants are those of published runs" python3 check.py constants "$data" "$root/planner/decisions/data/runs.json"
    else skip "constants of published runs" "the published runs are not there"; fi
fi
rest
if [ -f "$data/mlperf_rgat_runs.csv" ]; then
    "$HOTSET" size --stand-in igbh-full --model rgat --precision mixed --fanout 15,10,5 --hidden 512 --classes 2983 --assignment global --nodes 1 --repeats 0 --presample-epochs 1 \
        --simulate-epochs 1 --steps 1 --objective transactions --sampling gpu --scale 0.0005 --feature-type i8 --server dgx-h200,dgx-b200 --batches 2048,dgx-b200=4096 \
        --training-epochs mlperf --evaluate 20@788379 --quiet -o mlperf.json >/dev/null
    ok "whole runs of MLPerf are inside the interval" python3 check.py mlperf "$data"
else skip "whole runs of MLPerf" "the published runs are not there"; fi
finish
