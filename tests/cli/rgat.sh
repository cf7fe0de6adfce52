#!/usr/bin/env bash
# R-GAT in mixed precision: every entry of MLPerf predicted from the others is inside the interval that the others give, narrower than a factor of 2; the
# program's own constants are those that all entries give; plan states the precision; size uses that interval, other models do not.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "R-GAT" "python3 is not installed"; finish; }
"$HOTSET" validate --only mlperf-rgat-steps --json >steps.json
cat >steps.py <<'P'
import json, math, re, sys
c = json.load(open("steps.json"))["cases"][0]
p = {x["name"]: x["value"] for x in c["parameters"]}
off = [abs(math.log(x["measured"] / x["predicted"])) for x in c["measured"]]
assert len(off) == 13 and all(x["use"] == "leave-one-out" for x in c["measured"])
inside = 0
for i, v in enumerate(off):
    others = off[:i] + off[i + 1:]
    half = sorted(others)[math.ceil(0.95 * len(others) - 1e-9) - 1] * math.sqrt(1 + 1 / len(others))
    assert math.exp(2 * half) < 2, half
    inside += v <= half
assert inside >= 12, inside
text = open(sys.argv[1] + "/simulator/movement/epoch_time.h").read()
constant = lambda name: float(re.search(r"#define " + name + r" ([0-9.]+)", text).group(1))
for name in ("efficiency", "step_seconds", "reads"): assert abs(constant("RGAT_" + name.upper()) / p[name] - 1) < 0.01, (name, p)
P
ok "every entry from the others: 12 of 13 inside the interval of the other twelve, all of it in less than a factor of 2" python3 steps.py "$root"
"$HOTSET" graph synth community --vertices 4000 --edges 40000 --seed 3 -o G --quiet >/dev/null
common="--graph G --batch 100 --presample-epochs 1 --simulate-epochs 1 --quiet --assignment global --steps 2"
"$HOTSET" size $common --server dgx-h100,dgx-v100,2x3090 --model rgat --precision mixed -o rgat.json >/dev/null
"$HOTSET" size $common --server dgx-h100,dgx-v100,2x3090 --model sage -o sage.json >/dev/null
cat >size.py <<'P'
import json, math
r, s = json.load(open("rgat.json")), json.load(open("sage.json"))
assert r["intervals"]["epoch"]["cases"] == "mlperf-rgat-steps" and "rgat-steps" not in json.dumps(s["intervals"])
low, high = r["options"][0]["epoch_seconds_interval"]
assert high / low < 2, (low, high)
by = {r["curves"][o["curve"]]["server"]: o for o in r["options"]}
assert by["2x3090"]["epoch_seconds"] is None and any("tensor" in u for u in r["curves"][-1]["unknown"])
a, b = by["dgx-h100"]["stage_seconds"]["propagate"], by["dgx-v100"]["stage_seconds"]["propagate"]
assert 0.0315 < a < b, (a, b)   # a step's own time, and a slower GPU takes longer
for d in (r, s):                # kilowatt-hours are watts by seconds: between all GPUs idle and all busy, of this document's own numbers
    for o in d["options"]:
        w = d["curves"][o["curve"]]["watts"]
        if o["epoch_seconds"] is None: continue
        kwh = o["servers"] * o["epoch_seconds"] / 3.6e6
        assert kwh * (w["gpus_idle"] + w["host_busy"]) * 0.999 <= o["energy_kwh"] <= kwh * (w["gpus_busy"] + w["host_busy"]) * 1.001, o
P
ok "size: the interval of the entries, a GPU whose tensor rate is not known, energy from watts and seconds" python3 size.py
"$HOTSET" size $common --server dgx-h100 --model rgat --precision mixed --training-epochs 3 -o three.json >/dev/null
ok "three epochs take three times as long and as much energy" python3 -c "
import json; a, b = (json.load(open(f))['options'][0] for f in ('rgat.json', 'three.json'))
assert abs(b['training_seconds'] / a['training_seconds'] - 3) < 1e-6 and abs(b['energy_kwh'] / a['energy_kwh'] - 3) < 1e-6 and b['epoch_seconds'] == a['epoch_seconds']"
ok "plan states the precision" eval '"$HOTSET" plan --graph G --batch 100 --server dgx-h100 --budget 5% --presample-epochs 1 --simulate-epochs 1 --model rgat --precision mixed -o P --quiet >/dev/null && grep -q "\"precision\": *\"mixed\"" P/plan.json'
ok "mixed is faster than float32" eval '"$HOTSET" plan --graph G --batch 100 --server dgx-h100 --budget 5% --presample-epochs 1 --simulate-epochs 1 --model rgat -o Q --quiet >/dev/null && python3 -c "
import json; a, b = (json.load(open(f + \"/plan.json\"))[\"simulated\"][\"epoch_time\"][\"stages\"][\"propagate\"] for f in \"PQ\"); assert a < b, (a, b)"'
# size's own command for its answer, and what-if of that plan: one time model. A small cache, so that rows come from the host.
"$HOTSET" size $common --server dgx-v100 --most 40KB --model rgat --precision mixed -o small.json >/dev/null
cat >same.py <<'P'
import json, subprocess, sys
o = json.load(open("small.json"))["options"][0]
hotset, mixed = sys.argv[1], ["--model", "rgat", "--precision", "mixed"]
words = o["command"].replace("hotset", hotset, 1).split()
words[words.index("-o") + 1] = "S"
subprocess.run(words + ["--quiet"], check=True, stdout=subprocess.DEVNULL)
plan = json.load(open("S/plan.json"))["simulated"]["epoch_time"]
asked = json.loads(subprocess.run([hotset, "what-if", "S", *mixed, "--epochs", "1", "--vary", "row", "--json", "--quiet"], check=True, capture_output=True).stdout)
assert plan["stages"]["transfer"] > 0 and plan["bottleneck"] in ("transfer", "propagate"), plan
for other in (plan["seconds"], asked["epoch_seconds"]): assert abs(other / o["epoch_seconds"] - 1) < 1e-8, (o["epoch_seconds"], other)
for k in ("sample", "load", "transfer", "propagate"): v = plan["stages"][k]; assert abs(v - o["stage_seconds"][k]) <= 1e-8 * v, (k, v, o["stage_seconds"])
P
ok "size, plan and what-if take the same time" python3 same.py "$HOTSET"
ok "inference refuses it by name" exits 2 "$HOTSET" inference --graph G --server dgx-h100 --model rgat
finish
