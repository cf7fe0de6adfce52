#!/usr/bin/env bash
# One epoch: plan, compare, simulate, what-if, advise, a timeline and the documents state the same seconds of one plan, with and without SSDs, and
# of two servers; what compare and what-if say in words is of these seconds.
. "$(dirname "$0")/tap"

command -v python3 >/dev/null || { skip "seconds held against each other" "python3 is not installed"; finish; exit; }
"$HOTSET" graph synth community --vertices 1500 --edges 15000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
cat >hold.py <<'P'
"""usage: hold.py ssd|none: files of one plan. Composes the epoch by hand from the stages that it states (model/time.md and model/policies.md)."""
import json, re, sys
def near(what, a, b):
    if not abs(a / b - 1) < 1e-6: print(what, a, "expected", b)
load = lambda name: json.load(open(name))
ssd, plan = sys.argv[1] == "ssd", load("P/plan.json")["simulated"]
time, memories = plan["epoch_time"], plan.get("memories")
stages = [v for k, v in time["stages"].items() if k != "sync"]
if len(stages) != 4 + ssd: print("stages", time["stages"])
if ssd: near("storage", time["stages"]["storage"] * time["iterations"], memories["ssd"]["seconds"])
epoch = lambda of: time["iterations"] * (max(of) + 0.15 * (sum(of) - max(of)))
near("by hand", time["seconds"], epoch(stages))
near("an iteration", time["execution_seconds"] * time["iterations"], time["seconds"])
if time["stages"][time["bottleneck"]] != max(stages): print("bottleneck", time["bottleneck"])
if ssd:
    near("memories", memories["epoch"]["seconds"], time["seconds"])
    near("without SSDs", memories["epoch"]["without_ssd_seconds"], epoch([v for k, v in time["stages"].items() if k not in ("sync", "storage")]))
    if not time["seconds"] > 2 * memories["epoch"]["without_ssd_seconds"]: print("the drives do not bind, so this shows nothing")
rows = {r["policy"]: r["simulated"]["epoch_time"]["seconds"] for r in load("compare.json")["rows"] if r["status"] == "ok"}
near("compare", rows["hotset"], time["seconds"])
near("plan --json", load("plan.json")["simulated"]["epoch_time"]["seconds"], time["seconds"])
near("simulate", load("simulate.json")["rows"][0]["simulated"]["epoch_time"]["seconds"], time["seconds"])
near("what-if", load("what_if.json")["epoch_seconds"], time["seconds"])
if not ssd: near("advise", load("advise.json")["today"]["value"]["seconds"], time["seconds"])
about = load("timeline.json")["otherData"]
near("timeline", about["mean_seconds"] / about["batches"] * time["iterations"], time["seconds"])
first = load("compare.json")["sentence"].split("\n")[0]
best, rival, share = (re.search(x, first) for x in (r"^([a-z+-]+)(?: \([a-zA-Z ]+\))? has the shortest epoch, ", r"(?:less than|a tie with) ([a-z+-]+)", r"([\d.]+) % (less|more)"))
change = 100 * (rows[best[1]] / rows[rival[1]] - 1)
if rows[best[1]] != min(rows.values()) or not share or share[2] != "less" or abs(float(share[1]) + change) > 0.06: print(first, change, rows)
P
one() { # WHAT, options of memories
    rm -rf P ./*.json
    local what=$1 all=(--graph G --server dgx-v100:4 --budget 3% --batch 30 --fanout 4,3 --simulate-epochs 2 --presample-epochs 2 --quiet --json "${@:2}")
    "$HOTSET" plan "${all[@]}" -o P >plan.json && "$HOTSET" compare "${all[@]}" --policy hotset,legion,pagraph-plus >compare.json &&
        "$HOTSET" simulate P --seed "$(python3 -c 'import json; print(json.load(open("P/plan.json"))["simulated"]["seed"])')" --epochs 2 --quiet --json --timeline timeline.json >simulate.json &&
        "$HOTSET" what-if P --quiet --json >what_if.json || echo "$what: refused"
    [ "$what" = ssd ] || "$HOTSET" advise "${all[@]}" >advise.json || echo "advise: refused" # with SSDs it takes half a minute
    python3 hold.py "$what"
}
one none 2>&1 | none "one plan has one time in all commands"
one ssd --host-memory 250KiB --ssd gen4 2>&1 | none "with SSDs, too"
within() { "$HOTSET" what-if P --epoch-within "$1" --quiet | grep -xE "late|in time"; }
between=$(python3 -c 'import json; e = json.load(open("P/plan.json"))["simulated"]["memories"]["epoch"]; print("%dus" % (5e5 * (e["seconds"] + e["without_ssd_seconds"])))')
ok "what the drives make late is late" eval '[ "$(within "$between")" = late ] && [ "$(within 1s)" = "in time" ]'
ok "faster drives shorten it, PCIe hardly" eval 'python3 -c "
import json
d = json.load(open(\"what_if.json\"))
high = {i[\"name\"]: i[\"high\"][\"epoch_seconds\"] / d[\"epoch_seconds\"] for i in d[\"inputs\"]}
assert high[\"ssd\"] < 0.9 < 0.95 < high[\"row\"], high"'
sed -i 's/"storage": [0-9.e-]*/"storage": 0.0001/' P/plan.json
ok "a stage that was changed is noticed" eval '[ -n "$(python3 hold.py ssd 2>&1)" ]'
two() { # the slowest of two servers
    local all=(--graph G --server dgx-v100:4 --budget 3% --batch 30 --fanout 4,3 --simulate-epochs 2 --presample-epochs 2 --quiet --json --nodes 2 --nic-gbps 25 --host-memory 250KiB --ssd gen4)
    "$HOTSET" plan "${all[@]}" -o N >/dev/null && "$HOTSET" compare "${all[@]}" --policy hotset >two.json && "$HOTSET" simulate N --epochs 2 --quiet --json >nodes.json || echo refused
    python3 - <<'P'
import json
load = lambda name: json.load(open(name))
parts = [p["simulated"] for p in load("N/plan.json")["parts"]]
each = [p["epoch_time"]["seconds"] for p in parts]
for p, e, s in zip(parts, each, load("nodes.json")["rows"]):
    if p["memories"]["epoch"]["seconds"] != e or not p["epoch_time"]["stages"]["storage"] > 0: print("a part", p["memories"]["epoch"], e)
    if s["simulated"]["seed"] == p["seed"] and abs(s["simulated"]["epoch_time"]["seconds"] / e - 1) > 1e-6: print("simulate", s["simulated"]["epoch_time"]["seconds"], e)
row = [r for r in load("two.json")["rows"] if r["policy"] == "hotset"][0]["simulated"]
if row["epoch_time"]["seconds"] != max(each) or row["memories"]["epoch"]["seconds"] != max(each): print("compare", row["epoch_time"]["seconds"], each)
P
}
two 2>&1 | none "two servers: the slowest, with its SSDs"
finish
