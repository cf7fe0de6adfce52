#!/usr/bin/env bash
# Of more than two million vertices size and advise place and simulate some of the rows: they say so, agree with a plan of all rows, and answer
# the same on any number of threads.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "samples of rows" "python3 is not installed"; finish; }
rest
"$HOTSET" graph synth community --vertices 2100000 --edges 4000000 --feature-dim 16 --train-share 0.01 --seed 3 -o G --quiet >/dev/null
ask="--graph G --server siton --batch 500 --partition stream --quiet"
"$HOTSET" size $ask --steps 3 --most 20MiB --threads 1 -o one.json >/dev/null
"$HOTSET" size ${ask% --quiet} --steps 3 --most 20MiB --threads 3 --explain -o three.json >words 2>said
ok "one thread or three" cmp one.json three.json
ok "it says of how many rows" grep -q "^one row in 2 is placed and simulated" words
ok "also beside the answer" grep -q "^hotset: one row in 2 of this large graph is placed and simulated, for all of them; --exact takes all" said
cat >near.py <<'P'
import json, subprocess, sys
d = json.load(open("one.json"))
assert abs(d["rows_share"] - 0.5) < 1e-6, d["rows_share"]
points = d["candidates"]
bare = points[0]["transactions"]
assert points[0]["budget_bytes"] == 0 and points[0]["feature_hit_rate"] == 0
for p in (points[0], points[1], points[2]):
    subprocess.check_call(sys.argv[1].split() + ["--budget", "%dB" % p["budget_bytes"], "--force", "-o", "P"], stdout=subprocess.DEVNULL)
    all_rows = json.load(open("P/plan.json"))["simulated"]
    off = p["transactions"] - all_rows["total_transactions"]
    assert abs(off) <= 0.01 * bare, (p["budget_bytes"], p["transactions"], all_rows["total_transactions"])
    assert abs(p["feature_hit_rate"] - all_rows["feature_hit_rate"]) < 0.01, p["budget_bytes"]
    seconds = all_rows["epoch_time"]["seconds"]
    assert abs(p["epoch_seconds"] / seconds - 1) < 0.01, (p["budget_bytes"], p["epoch_seconds"], seconds)
P
ok "as plans of all rows, within 1 %" python3 near.py "$HOTSET plan $ask"
"$HOTSET" advise --graph G --server siton:1 --batch 500 --budget 2% --quiet --json >advice.json
"$HOTSET" plan --graph G --server siton:1 --batch 500 --budget 2% --quiet -o Q >/dev/null
cat >advice.py <<'P'
import json
d, q = json.load(open("advice.json")), json.load(open("Q/plan.json"))["simulated"]
assert abs(d["rows_share"] - 0.5) < 1e-6
today = d["today"]["value"]
assert abs(today["transactions"] / q["total_transactions"] - 1) < 0.01, (today, q["total_transactions"])
assert abs(today["seconds"] / q["epoch_time"]["seconds"] - 1) < 0.01, (today, q["epoch_time"]["seconds"])
P
ok "advise likewise" python3 advice.py
finish
