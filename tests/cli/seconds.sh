#!/usr/bin/env bash
# compare sorts by what people pay for: seconds of an epoch, then reads. The answer behind the table names the best, the best other and what binds;
# ties are worked out again by a program that shares no code; a policy with more memory is marked.
. "$(dirname "$0")/tap"

command -v python3 >/dev/null || { skip "seconds" "python3 is not installed"; finish; exit; }
"$HOTSET" graph synth community --vertices 1500 --edges 15000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
how=(--graph G --batch 30 --fanout 4,3 --simulate-epochs 2 --presample-epochs 2 --quiet)
"$HOTSET" compare "${how[@]}" --server dgx-h100 --budget 3% -o R.json >table || echo refused
{ python3 "$root/tests/cli/seconds.py" R.json table 2>&1 | grep -vx "True True"; } | none "one server: order, answer, ties, memory"
ok "one answer stands behind the table" eval 'awk "/^dgl-uva/ { row = NR } / has the shortest epoch, / { said = NR; n++ } END { exit !(n == 1 && said > row) }" table'
"$HOTSET" compare "${how[@]}" --server dgx-h100 --budget 3% --policy hotset,gnnlab >two || echo refused
ok "who holds more is marked, said with bytes, and no rival" eval 'grep -qE "^gnnlab .* more memory$" two && grep -qE "^gnnlab at 3%: [0-9] GPUs? only samples?; all hold .*, .* are budgeted$" two && "$HOTSET" compare "${how[@]}" --server dgx-h100 --budget 3% --policy hotset,gnnlab --explain | unbroken | grep -qE "^gnnlab at 3%: .* of topology.*; the budget, .* per GPU, bounds only the GPUs that train; all GPUs hold .*, and their budgets are " && grep -q "^hotset has the shortest epoch, " two && ! grep -q "shortest epoch.*gnnlab" two'
# plan tells the interval that size tells: of whole steps where those were measured (R-GAT in mixed precision), else of stages
for m in "rgat --precision mixed" sage; do
    "$HOTSET" size --graph G --server dgx-h100 --batch 100 --fanout 4,3 --model $m --quiet --json >size.json && "$HOTSET" plan --graph G --server dgx-h100 --batch 100 --fanout 4,3 --budget "$(python3 -c 'import json; print(json.load(open("size.json"))["options"][0]["budget_bytes"])')B" --model $m --quiet -o I --force >/dev/null && python3 -c '
import json, math
e, o = json.load(open("I/plan.json"))["simulated"]["epoch_time"], json.load(open("size.json"))["options"][0]
off = lambda ends, middle: [math.log(x / middle) for x in ends]
plan, size = off(e["interval"], e["seconds"]), off(o["epoch_seconds_interval"], o["epoch_seconds"])
if max(abs(a - b) for a, b in zip(plan, size)) > 0.02 or e["shorter_than_measured"] != (e["model"] == "sage"): print(e["model"], plan, size, e["shorter_than_measured"])'
done | none "plan and size say alike how far seconds may be off"
# several nodes: each part has the interval that simulate finds of its plan, and compare that of the slowest
nodes=("${how[@]}" --server dgx-h100 --nodes 2 --nic-gbps 50 --host-memory 75% --budget 3%)
"$HOTSET" plan "${nodes[@]}" -o N >saidN && "$HOTSET" compare "${nodes[@]}" --policy hotset --json >RN.json || echo refused
for n in 0 1; do "$HOTSET" simulate N/node$n --epochs 2 --quiet --json >n$n.json || echo refused; done
python3 -c '
import json
of = lambda d: d["simulated"]["epoch_time"]
parts = [of(p) for p in json.load(open("N/plan.json"))["parts"]]
alone = [of(json.load(open("n%d.json" % n))["rows"][0]) for n in (0, 1)]
slowest, row = max(parts, key=lambda t: t["seconds"]), of(json.load(open("RN.json"))["rows"][0])
said = lambda t: (t["seconds"], t["interval"], t["shorter_than_measured"])
if list(map(said, parts)) != list(map(said, alone)) or said(row) != said(slowest): print(parts, alone, row)' 2>&1 | none "several nodes have intervals"
ok "and tell it" grep -qE "^It may take .* to .* \(90 %" saidN
# the interval of predicted reads: 1 %, and per e-fold of what is left of nothing cached 1 %, or 3.5 % where cliques read each other; then the noise
for s in dgx-v100 siton; do "$HOTSET" compare --graph G --server $s --policy hotset --budget 5%,15% --batch 100 --fanout 4,3 --presample-epochs 16 --quiet --json; done | python3 -c '
import json, math, sys
text, at, wrong = sys.stdin.read(), 0, []
while text[at:].strip():
    d, at = json.JSONDecoder().raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
    for r in d["rows"]:
        t, (low, high) = r["predicted"]["total_transactions"], r["predicted"]["total_interval"]
        least = math.hypot(0.01, (0.035 if r["server"] == "dgx-v100" else 0.01) * math.log(r["uncached_transactions"] / t))
        if not 0.98 * least < (high - t) / t < (1.5 if r["server"] == "dgx-v100" else 2.5) * least: wrong.append((r["server"], r["budget"], (high - t) / t, least))
print(*wrong, sep="\n", end="")' | none "predicted reads have an interval that widens where little is left"
# a server whose rates nobody states: by transactions, and why
printf '\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n' >topo.txt
"$HOTSET" server import topo.txt --gpu-memory 16GiB -o S.json --quiet >/dev/null 2>&1
"$HOTSET" compare "${how[@]}" --server S.json --budget 3% --policy hotset,legion,dgl-uva >plain || echo refused
ok "without rates rows are sorted by transactions, which is said" eval 'grep -qx "rows: the best first, by all transactions" plain && grep -qE "^.* is not known in seconds: server .* states no " plain && grep -q "^hotset leaves the fewest transactions, " plain && ! grep -q shortest plain'
ok "nothing simulated: the same" eval '"$HOTSET" compare "${how[@]}" --simulate-epochs 0 --server dgx-h100 --budget 3% --policy hotset,legion | grep -q "is not known in seconds: nothing was simulated$"'
# a server that computes slowly: caching more gains nothing
"$HOTSET" server show dgx-v100 --json >fast.json
python3 - <<'P'
import json
s = json.load(open("fast.json"))
for g in s["gpus"]: g["tflops"] = 0.1
for key in "fingerprint", "checksum", "provenance": s.pop(key, None)
json.dump(s, open("slow.json", "w"))
P
"$HOTSET" compare "${how[@]}" --server slow.json --budget 3% --policy hotset,legion,dgl-uva -o slow-R.json >slow || echo refused
ok "where computing binds, it says so" grep -qE "^compute-bound \(GPU [0-7]\): caching more gains nothing" slow
rest
"$HOTSET" compare "${how[@]}" --server dgx-v100,dgx-b200 --budget 10% -o all.json >tables || echo refused
{ python3 "$root/tests/cli/seconds.py" all.json - 2>&1 | grep -vx "True True"; } | none "two more servers: ties"
finish
