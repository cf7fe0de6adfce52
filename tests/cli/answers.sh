#!/usr/bin/env bash
# What plan and simulate say last, against their documents: seconds, what a cache saves and could save, reads, the error. And words that have others now.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "answers" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --train-share 0.2 --seed 3 -o G --quiet >/dev/null
plan() { "$HOTSET" plan --graph G --server dgx-v100 --budget 5% --batch 20 --fanout 5,4 --presample-epochs 2 --quiet "$@"; }
cat >answer.py <<'P'
import json, re, sys
text, d = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
s = d.get("rows", [d])[0]["simulated"]
e, n = s["epoch_time"], {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
answer = text[text.index("\nAn epoch takes "):]
near = lambda a, b, most: abs(a - b) <= most
v, unit, stage = re.search(r"^An epoch takes ([\d.]+) (\w+); its longest stage is (\w+) ", answer, re.M).groups()
low, high = e["interval"]
said = re.search(r" It may take ([\d.]+) (\w+) to ([\d.]+) (\w+) \(90 %(; nothing as short was measured)?\)", " ".join(answer.split())).groups()
assert low < e["seconds"] < high and near(float(said[0]) * n[said[1]] / low, 1, 6e-3) and near(float(said[2]) * n[said[3]] / high, 1, 6e-3) and bool(said[4]) == e["shorter_than_measured"], (said, e["interval"])
assert near(float(v) * n[unit] / e["seconds"], 1, 6e-3) and stage == {"propagate": "computing", "sample": "sampling", "load": "loading"}.get(e["bottleneck"], e["bottleneck"]), (v, unit, stage, e)
# without reads: of the stages that are left (propagate has sync in it) the longest, and so much of the others as is not hidden
left = [e["stages"].get(k) or 0 for k in ("sample", "propagate")]
least = e["iterations"] * (max(left) + e["unoverlapped"] * (sum(left) - max(left)))
more, share = re.search(r"^Caching every row would save (another )?([\d.]+) % of the epoch", answer, re.M).groups() if s["total_transactions"] else (True, None)
assert share is None or near(float(share), 100 * (1 - least / e["seconds"]), 0.06), (share, least, e)
assert share or "Caching every row" not in answer, answer
without = e.get("without_cache_seconds")
if without and without > e["seconds"]:
    assert more and near(float(re.search(r"the cache saves ([\d.]+) %", answer)[1]), 100 * (1 - e["seconds"] / without), 0.06), answer
else: assert not more and "nothing cached" not in answer, answer
assert "\n{:,} PCIe reads remain per epoch; GPUs serve {:.2f} % of features".format(s["total_transactions"], 100 * s["feature_hit_rate"]) in answer, answer
low, high = d.get("predicted", {}).get("total_interval") or (0, 1e30)
assert ("\nThat is outside of the interval that planning expected: " in answer) == (not low <= s["total_transactions"] <= high), (low, high, s["total_transactions"], answer)
error = s["prediction_error"]
assert "was {:.2f} % {} the mean of {} unseen epochs".format(abs(100 * error), "below" if error < 0 else "above", s["epochs"]) in answer, answer
P
says() { plan -o "$1" "${@:2}" >"$1.txt" && python3 answer.py "$1.txt" "$1/plan.json"; }
ok "a plan" says P
ok "all rows are in GPUs, so no further row saves" eval 'says A --budget 100% && grep -q "^0 PCIe reads remain" A.txt'
ok "planning expected other reads than there are, and the answer says so" eval '"$HOTSET" graph synth rmat --vertices 4000 --edges 60000 --train-share 0.2 --seed 3 -o H --quiet >/dev/null && says W --graph H --presample-epochs 4 --budget 30% && grep -q "^That is outside of the interval that planning expected: " W.txt'
ok "a policy without an interval is outside of none" says V --policy legion
ok "where transfers bind" says T --server dgx-h100 --budget 1% --peer-access own
ok "with SSDs below the GPUs, whose reads no plan of the GPUs alone has" says S --host-memory 20% --ssd gen4
ok "SSDs bind it, so all rows in GPUs would save most" eval '[ "$(grep -oE "would save (another )?[0-9]+" S.txt | grep -oE "[0-9]+$")" -gt 50 ]'
ok "not simulated, they say nothing of seconds" eval 'plan -o N --host-memory 20% --ssd gen4 --simulate-epochs 0 >N.txt && ! grep -q "An epoch " N.txt'
ok "not simulated, without memories: what is expected" eval 'plan -o E --simulate-epochs 0 >E.txt && grep -q "^An epoch is expected to take " E.txt && grep -q "^Nothing was simulated; 95 % interval: " E.txt'
ok "another model than the plan's" eval '"$HOTSET" simulate P --model gcn --hidden 1024 --epochs 2 --quiet -o R.json >R.txt && python3 answer.py R.txt R.json'
ok "nothing cached saves nothing" eval 'plan -o U --policy dgl-uva --budget 0 >U.txt && ! grep -q "nothing cached" U.txt'
ok "what saw the epochs is no prediction" eval 'plan -o O --policy oracle >O.txt && grep -q "knew these epochs in advance" O.txt && ! grep -q "unseen" O.txt'
ok "the answer is last" eval 'tail -n 1 P.txt | grep -q -- "^--explain adds " && plan -o X --explain | tail -n 1 | grep -q "^The prediction was "'
cat >nodes.py <<'P'
import json, re
d, text = json.load(open("D/plan.json")), open("D.txt").read()
answer = text[text.index("\nAn epoch takes "):].strip().split("\n")
parts, n = [p["simulated"] for p in d["parts"]], {"ms": 1e-3, "us": 1e-6}
slowest = max(range(3), key=lambda i: parts[i]["epoch_time"]["seconds"])
v, unit, where = re.search(r"^An epoch takes ([\d.]+) (\w+) on node(\d), the slowest of 3 servers; its longest stage is ", answer[0]).groups()
assert int(where) == slowest and abs(float(v) * n[unit] / parts[slowest]["epoch_time"]["seconds"] - 1) < 6e-3, answer
rows = [sum(g["feature_rows"][k] for p in parts for g in p["gpus"]) for k in ("local", "peer", "host")]
assert "{:,} PCIe reads remain per epoch in all; GPUs serve {:.2f} % of features, ".format(sum(p["total_transactions"] for p in parts), 100 * (1 - rows[2] / sum(rows))) in answer[-3], answer
assert "within {:.2f} % of".format(100 * max(abs(p["prediction_error"]) for p in parts)) in answer[-2], answer
P
ok "a plan of several nodes" eval 'plan -o D --nodes 3 --nic-gbps 12.5 >D.txt && python3 nodes.py && tail -n 1 D.txt | grep -q -- "^--explain adds the plan of each server"'
ok "--explain has the plan of each" eval 'plan -o D --nodes 3 --nic-gbps 12.5 --explain >long && [ "$(grep -c "^epoch time by the model: " long)" = 3 ] && grep -qx "node 2" long && tail -n 1 long | grep -q "^The prediction of each was "'
ok "and simulate ends like it" eval '"$HOTSET" simulate D --quiet | grep -q "the slowest of 3 servers"'
for f in P S D N E O; do awk -v f=$f 'length > 100 && !/^[^ ]*  / && !/  / { print f ": " $0 }' $f.txt; done | none "sentences have at most 100 columns"

# ---- other words
for pair in "reach own peer-access" "deal gpu assignment"; do
    set -- $pair
    ok "--$1 is taken, and told" eval '"$HOTSET" plan --graph G --server dgx-v100 --budget 5% --batch 20 --fanout 5,4 --presample-epochs 2 --'$1' '$2' --simulate-epochs 0 -o old-'$1' >/dev/null 2>said && grep -q "hotset: --'$1' is now called --'$3' here" said && plan --'$3' '$2' --simulate-epochs 0 -o new-'$1' >/dev/null && (for f in new-'$1'/*.npy; do cmp "$f" "old-'$1'/${f##*/}" || exit 1; done)'
done
old() { "$HOTSET" "$@" >out 2>said; grep -q "hotset: --$was is now called --$is here" said; }
while read -r was is words; do
    ok "--$was of ${words%% --*} is --$is" old $words
done <<'E'
within pay-within refresh P --trace none -o X --within 3
within epoch-within what-if P --within 1s
share memory-share size --graph G --server none --share 0.5
share window-share drift --graph none --server siton --share 0.5
epochs window-epochs drift --graph none --server siton --epochs 2
seeds random-seeds reproduce --only none -o X --seeds 1
like rates-of server import none.txt --like dgx-v100 -o X.json
epochs training-epochs size --graph none --server siton --epochs 3
epochs noise-epochs observe none none.jsonl --epochs 3
epochs run-epochs execute none --epochs 1
epochs covered-epochs trace import none --trace none --graph none -o X --epochs 1
E
ok "--like of a data set is --stand-in" eval '"$HOTSET" size --like products --server none >/dev/null 2>said; grep -q "hotset: --like of a data set is now called --stand-in here" said'
ok "commands of the lab are found without it" eval '(for c in bench curve drift execute reproduce validate; do "$HOTSET" lab $c -h >with && "$HOTSET" $c -h | cmp - with || exit 1; done)'
finish
