#!/usr/bin/env bash
# hotset what-if: flips are where simulate, plan and a program of its own say that they are.
. "$(dirname "$0")/tap"
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --communities 40 --seed 3 --feature-dim 64 -o G --quiet >/dev/null
what() { "$HOTSET" what-if "$@" --quiet; }
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
"$HOTSET" plan --graph G --server dgx-v100:4 --budget 4% --fanout 5,4 --batch 100 --quiet -o P >/dev/null
"$HOTSET" plan --like P --policy legion --quiet -o Q >/dev/null
"$HOTSET" plan --like P --server p4d.24xlarge:4 --quiet -o R >/dev/null

ok "all inputs of a plan" eval 'what P --json >w.json && [ "$(field w.json "d[\"schema\"], len(d[\"inputs\"])")" = "('"'what-if/1', 9"')" ]'
ok "the widest comes first" [ "$(field w.json '[abs(i["high"]["epoch_seconds"] - i["low"]["epoch_seconds"]) for i in d["inputs"]] == sorted([abs(i["high"]["epoch_seconds"] - i["low"]["epoch_seconds"]) for i in d["inputs"]], reverse=True)')" = True ]
ok "ranges have a source" [ "$(field w.json 'all("validate" in i["source"] or "chosen" in i["source"] for i in d["inputs"])')" = True ]
ok "the same on one thread" eval 'what P --json --threads 1 | diff w.json -'
"$HOTSET" simulate P --quiet -o s.json >/dev/null
ok "an epoch is what simulate says" [ "$(field w.json 'd["epoch_seconds"] == json.load(open("s.json"))["rows"][0]["simulated"]["epoch_time"]["seconds"]')" = True ]
# a plan that was made otherwise than the defaults say: its own answer, without an option
"$HOTSET" plan --like P --model rgat --precision mixed --hidden 100 --classes 9 --unoverlapped 0.7 --schedule pipelined --peer-access own --simulate-epochs 3 --simulate-seed 99 --seed 12 --quiet -o O >/dev/null
own() { python3 -c 'import json; print(json.load(open("O/plan.json"))["simulated"]["epoch_time"]["seconds"])'; }
ok "a plan's own model, epochs and seed" eval 'what O --json >own.json && [ "$(field own.json "d[\"epoch_seconds\"]")" = "$(own)" ]'
ok "which are not those of the defaults" eval '[ "$(field own.json "d[\"epoch_seconds\"]")" != "$(field w.json "d[\"epoch_seconds\"]")" ]'
ok "an option goes before the plan" eval 'what O --model sage --precision f32 --hidden 256 --classes 64 --unoverlapped 0.15 --json >sage.json && [ "$(field sage.json "d[\"epoch_seconds\"]")" != "$(own)" ]'
ok "of two plans each has its own" eval 'what P O --vary row --json >two.json && [ "$(field two.json "[s[\"epoch_seconds\"] for s in d[\"subjects\"]]")" = "[$(field w.json "d[\"epoch_seconds\"]"), $(own)]" ]'
ok "simulate times it as it was made, too" eval '"$HOTSET" simulate O --seed 99 --epochs 3 --quiet -o so.json >/dev/null && [ "$(field so.json "d[\"rows\"][0][\"simulated\"][\"epoch_time\"][\"seconds\"]")" = "$(own)" ]'
# a server file with half the rates of PCIe: simulate must say what what-if says
"$HOTSET" server show P --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
p = d["pcie"]
p["gbps"] *= 0.5
for e in p.get("effective") or []: e["gbps"] *= 0.5
for k in ("gbps", "requests_per_second"):
    if p.get("read") and p["read"].get(k): p["read"][k] *= 0.5
json.dump(d, open("half.json", "w"))'
"$HOTSET" simulate P --server half.json --quiet -o h.json >/dev/null
ok "half the row rate: simulate on a server with half of it agrees" eval 'what P --vary row=0.5..1 --json >r.json && [ "$(field r.json "abs(d[\"inputs\"][0][\"low\"][\"epoch_seconds\"] / json.load(open(\"h.json\"))[\"rows\"][0][\"simulated\"][\"epoch_time\"][\"seconds\"] - 1) < 1e-6")" = True ]'
ok "mini-batches: an epoch is as many times as long" eval 'what P --vary batches=0.5..3 --json >b.json && [ "$(field b.json "abs(d[\"inputs\"][0][\"high\"][\"epoch_seconds\"] / d[\"epoch_seconds\"] - 3) < 1e-6")" = True ]'
ok "which of several plans" eval 'what P Q R --vary batch,row=0.2..5 --json >m.json && [ "$(field m.json "d[\"decision\"] == min(d[\"subjects\"], key=lambda s: s[\"epoch_seconds\"])[\"name\"] + \" is the fastest\"")" = True ]'
ok "a time that is met, and when it no longer is" eval 'what P --vary batches=0.5..4 --epoch-within $(field w.json "d[\"epoch_seconds\"] * 2")s --json >t.json && [ "$(field t.json "d[\"decision\"], d[\"inputs\"][0][\"flips\"][0][\"decision\"], abs(d[\"inputs\"][0][\"flips\"][0][\"factor\"] - 2) < 0.001")" = "('"'in time', 'late', True"')" ]'

# ---- without a plan: what plan and then what-if say
ok "asked by options, as of the plan that they make" eval '"$HOTSET" plan --graph G --server dgx-v100:4 --budget 3% --policy legion --fanout 6,3 --batch 50 --assignment global --seed 5 --model gcn --quiet -o A >/dev/null &&
    what A --model gcn --vary batch,row=0.5..3 --json --seed 5 >a.json && what --graph G --server dgx-v100:4 --budget 3% --policy legion --fanout 6,3 --batch 50 --assignment global --seed 5 --model gcn --vary batch,row=0.5..3 --json >n.json &&
    sed "s/\"A\"/\"the plan\"/g; s/\bA is\b/the plan is/g" a.json | diff - n.json'
ok "which differs where the options do" eval 'what --graph G --server dgx-v100:4 --budget 6% --policy legion --fanout 6,3 --batch 50 --assignment global --seed 5 --model gcn --vary batch,row=0.5..3 --json >o.json && ! diff -q n.json o.json'
ok "nothing is left in TMPDIR" eval 'mkdir -p T && TMPDIR=T what --graph G --server dgx-v100:4 --budget 3% --vary row >/dev/null && [ -z "$(ls T)" ]'
ok "what cannot be planned is said as plan says it" eval 'exits 2 what --graph G --server dgx-v100:4 --budget x --vary row && grep -q -- "--budget" .stderr'
ok "neither a plan nor a server" eval 'exits 2 what --graph G && grep -q "graph G --server S" .stderr'
ok "options of planning beside a plan" eval 'exits 2 what P --budget 5% && grep -q -- "--budget: says what is planned" .stderr'

# ---- what to buy
"$HOTSET" size --graph G --server dgx-v100,p4d.24xlarge --steps 2 --fanout 5,4 --batch 100 --price 30 --quiet -o size.json >/dev/null
ok "of a size question" eval 'what size.json --json >z.json && [ "$(field z.json "[i[\"name\"] for i in d[\"inputs\"]].count(\"drive\")")" = 1 ]'
ok "the answer is that of size" [ "$(field size.json 'str(d["options"][d["decision"]["option"]]["servers"]) + " x " + d["options"][d["decision"]["option"]]["label"] == json.load(open("z.json"))["decision"]')" = True ]
# as size does, a dearer option that is surely in time goes before a cheaper one that is probably; one that misses a hit rate is none
python3 - <<'X'
import json
d = json.load(open("size.json"))
a, b, c = (dict(o) for o in (d["options"] * 3)[:3])
b["servers"], c["servers"] = a["servers"] + 1, a["servers"] + 2
t = a["epoch_seconds"]
for o, seconds, high, cost, verdict in ((a, t, 2 * t, 1, "probably"), (b, t, 1.2 * t, 2, "surely"), (c, t, 1.1 * t, 0.5, "not")):
    o.update(fits=True, validated=True, epoch_seconds=seconds, epoch_seconds_interval=[seconds / 2, high], cost=cost, cost_interval=[cost, cost], verdict=verdict)
    o["stage_seconds"] = a["stage_seconds"]
d["options"], d["targets"] = [a, b, c], [{"metric": "epoch_seconds", "value": 1.5 * t}]
d["decision"].update(objective="money", option=1)
json.dump(d, open("sure.json", "w"))
X
ok "what is sure goes before what is cheap" eval 'what sure.json --json >sure_said.json && [ "$(field sure_said.json "d[\"decision\"]")" = "$(field sure.json "\"%d x %s, surely in time\" % (d[\"options\"][1][\"servers\"], d[\"options\"][1][\"label\"])")" ]'
# by another program: the answer's price may rise until the cheapest other option costs as much
ok "its price flips where the next option costs as much" eval 'what size.json --vary price=1..100 --json >price.json && python3 - <<"X"
import json
d = json.load(open("size.json")); p = json.load(open("price.json"))
own = d["decision"]["option"]
costs = [o["cost"] for i, o in enumerate(d["options"]) if i != own and o["fits"] and o["cost"] is not None]
factor = min(costs) / d["options"][own]["cost"]
got = p["inputs"][0]["flips"][0]["factor"]
assert abs(got / factor - 1) < 1e-3, (got, factor)
X'

# ---- wrong use
ok "an input that is none" eval 'exits 2 what P --vary lnik=0.5..2 && grep -q "link, row" .stderr'
ok "a range that is none" eval 'exits 2 what P --vary link=2 && grep -q "link=0.5..2" .stderr'
ok "a range that leaves today out" exits 2 what P --vary link=2..3
ok "a time without its unit" exits 2 what P --epoch-within 5
ok "options of plans for a document" exits 2 what size.json --epoch-within 5s
for o in "--model gcn" "--unoverlapped 1" "--cpu-share 0.3" "--calibration none.json"; do ok "$o for a document" eval 'exits 2 what size.json $o && grep -q "is for plans" .stderr'; done
printf '\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0-7\nGPU1\tSYS\t X \t0-7\n' >topo.txt
"$HOTSET" server import topo.txt --gpu-memory 16GiB -o bare.json >/dev/null 2>said
ok "an import says what it does not answer" grep -q "does not answer: epoch times.*gpus\[\].tflops.*--rates-of PROFILE" said
"$HOTSET" plan --like P --server bare.json --quiet -o B >/dev/null
ok "a server without rates" eval 'exits 1 what B && grep -q "server import --rates-of" .stderr'
ok "--rates-of fills them and marks them" eval '"$HOTSET" server import topo.txt --gpu-memory 16GiB --rates-of p3.16xlarge -o full.json --quiet >/dev/null && [ "$(field full.json "[p[\"kind\"] for p in d[\"provenance\"] if p[\"what\"] == \"gpus[].tflops\"], d[\"gpus\"][0][\"memory_bytes\"] >> 30, len(d[\"gpus\"]), d[\"nvlinks\"]")" = "(['"'assumed'], 16, 2, []"')" ]'
ok "then there are times" eval '"$HOTSET" plan --like P --server full.json --quiet -o F >/dev/null && what F --vary row'
ok "what a source states stays" eval '"$HOTSET" server import half.json --rates-of p4d.24xlarge --name other -o keep.json --quiet >/dev/null && [ "$(field keep.json "d[\"pcie\"][\"gbps\"] == json.load(open(\"half.json\"))[\"pcie\"][\"gbps\"]")" = True ]'
# ---- inside size, advise and explain: the words of what-if, of the same
size() { "$HOTSET" size --graph G --fanout 5,4 --batch 100 --presample-epochs 1 --simulate-epochs 1 --assignment global --steps 2 --nodes 1 --server p3.16xlarge,p4d.24xlarge --best time --quiet "$@"; }
ok "size ends with it" eval 'size --what-if -o W.json >with && what W.json >alone && [ "$(wc -l <alone)" -gt 9 ] && tail -n "$(wc -l <alone)" with | diff alone - && size -o without.json | diff - <(head -n -"$(($(wc -l <alone) + 1))" with)'
ok "and its document has it, but for the premises" [ "$(field W.json 'set(d["what_if"]) == {"schema", "decision", "of", "epoch_seconds", "subjects", "inputs", "holds"} and d["what_if"]["holds"] == d["decision"]["holds"]')" = True ]
ok "explain tells it of a document and of a plan" eval '"$HOTSET" explain W.json --what-if --quiet | diff <(what W.json --explain) - && "$HOTSET" explain P --what-if --quiet --json | diff w.json -'
ok "and of all of it" exits 2 "$HOTSET" explain P --what-if --vertex 3
ok "advise ends with it, of the plan that its command makes" eval '"$HOTSET" advise --graph G --server dgx-v100:4 --budget 4% --fanout 5,4 --batch 100 --presample-epochs 1 --simulate-epochs 1 --quiet --what-if -o A.json >with && eval "$(sed -n "s/^command: hotset/\$HOTSET/p" with)" --quiet >/dev/null -o advised && what advised --explain >/dev/null && what advised | sed "s/ of advised / of the advised plan /" >alone && tail -n "$(wc -l <alone)" with | diff alone -'
ok "without a server's rates the advice stands alone" eval '"$HOTSET" advise --graph G --server bare.json --budget 4% --fanout 5,4 --batch 100 --presample-epochs 1 --simulate-epochs 1 --what-if 2>said | grep -q "^advised: " && grep -q "hotset: no what-if: " said'
ok "not of several nodes" exits 2 "$HOTSET" advise --graph G --server dgx-v100:4 --nodes 2 --nic-gbps 12 --what-if
ok "hotset help does not list it, and knows it" eval '! "$HOTSET" help | grep -q "^ *what-if" && "$HOTSET" what-if -h | grep -q "which inputs would change"'
finish
