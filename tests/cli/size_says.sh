#!/usr/bin/env bash
# What hotset size says around its answer: details where they are asked for, what can be bought, and the answer last; several servers and
# their gradients, what "surely" is about, how close the choice is, what has no price; and what a narrow terminal keeps.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "what size says" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 4000 --edges 40000 --seed 3 --feature-dim 64 -o G --quiet >/dev/null
ask="$HOTSET size --graph G --batch 100 --fanout 8,4 --presample-epochs 1 --simulate-epochs 1 --assignment global --steps 2 --quiet"
$ask --server p3.8xlarge,dgx-v100,dgx-h100 --training-epochs 100 --within 1h --hidden 96 --classes 7 -o S.json --explain >s.txt
$ask --server p3.8xlarge,dgx-v100,dgx-h100 --training-epochs 100 --within 1h --hidden 96 --classes 7 >short.txt

cat >order.py <<'P'
import re
lines = open("s.txt").read().split("\n")
at = lambda start: next(i for i, l in enumerate(lines) if l.startswith(start))
marks = ["memory of a GPU, by server", "caches that were simulated: one p3.8xlarge", "where the numbers are from", "p3.8xlarge: list price", "surely: ", "what can be bought (90 % intervals",
         "  - an epoch takes ", "best by time: ", "the plan: "]
places = [at(m) for m in marks]
assert places[0] == 1 and places == sorted(places) and lines[places[-3] - 1].startswith("p3.8xlarge: "), places
short = open("short.txt").read().rstrip("\n").split("\n") # what to know before signing, then what can be bought, and the answer last
bought = next(i for i, l in enumerate(short) if l.startswith("what can be bought"))
assert bought > 2 and not short[bought - 1] and short[0].startswith("anything will do: ") and short[-2].startswith("the plan: ") and short[-1].startswith("--explain adds ")
assert len(short) - bought <= 20, len(short) - bought
whole = re.sub(r"\n +", " ", "\n".join(lines)) # a reason goes on with its details there
assert all(l in lines or re.sub(" +", " ", l.strip()) in whole for l in short[:-1]) and not any(l.startswith(("memory of", "caches that", "surely: ")) for l in short)
for head in ("what       ", "what        ", "               cache/GPU"): # no table without a title before it
    assert all(lines[i - 1].startswith(("what can be", "memory of", "caches that")) for i, l in enumerate(lines) if l.startswith(head) and lines[i + 1].startswith("---"))
assert not any("watts:" in l for l in lines[:at("where the numbers")] + lines[at("what can be bought"):])
P
ok "tables with titles, where numbers are from, the answer" python3 order.py

# by hand: GraphSAGE has 2 x 64 x 96 + 2 x 96 x 7 = 13,632 weights, 54,528 bytes of gradients; a ring of N moves 2 (N - 1) / N of them over
# the 8 x 50 GB/s of a DGX H100, on top of propagate; u = 0.15 of the other stages is not hidden, an epoch has an N-th of the iterations
cat >gradients.py <<'P'
import json, math, sys
d = json.load(open(sys.argv[1])); rate = float(sys.argv[2])
o = [x for x in d["options"] if x["label"] == "dgx-h100"]
assert [x["servers"] for x in o] == [1, 2, 4]
def iteration(s):
    all_ = [s["sample"], s["load"], s["transfer"], s["propagate"] + s["gradients"], s["network"], s["storage"]]
    return max(all_) + 0.15 * (sum(all_) - max(all_))
for x in o:
    n, s = x["servers"], x["stage_seconds"]
    wanted = 2 * 54528 * (n - 1) / n / rate
    assert abs(s["gradients"] - wanted) < 1e-6 * wanted + 1e-15, (s["gradients"], wanted)
    ratio = x["epoch_seconds"] / o[0]["epoch_seconds"]
    assert abs(ratio / (iteration(s) / iteration(o[0]["stage_seconds"]) / n) - 1) < 1e-6, (n, ratio)
# the long end: every stage as much longer as its kind is known to be off, the network as all cases; what else there is adds as squares
f = {k: d["intervals"][k]["factor"] for k in ("sample", "load", "transfer", "propagate", "network", "storage")}
def squares(x):
    s = x["stage_seconds"]
    longer = {**{k: s[k] * f[k] for k in f}, "gradients": s["gradients"] * f["network"]}
    return math.log(x["epoch_seconds_interval"][1] / x["epoch_seconds"]) ** 2 - math.log(iteration(longer) / iteration(s)) ** 2
assert d["intervals"]["network"]["points"] > 100 and squares(o[0]) > 0.01 and all(abs(squares(x) - squares(o[0])) < 1e-6 for x in o), [squares(x) for x in o]
note = next(x for x in d["decision"]["notes"] if x.startswith("numbers of servers tried: 1, 2, 4, unasked"))
assert "--nodes 1" in note and "gradients of 53.25 KiB" in note and "%g GB/s" % (rate / 1e9) in note, note
P
ok "gradients between servers are in the epochs" python3 gradients.py S.json 400e9
$ask --server dgx-h100 --training-epochs 100 --within 1h --hidden 96 --classes 7 --nic-gbps 0.5 -o slow.json >/dev/null
ok "and by --nic-gbps, where they bind" eval 'python3 gradients.py slow.json 0.5e9 && python3 -c "
import json; o = json.load(open(\"slow.json\"))[\"options\"]; assert o[0][\"binds\"] != \"network\" == o[1][\"binds\"] == o[2][\"binds\"] and o[2][\"epoch_seconds\"] > o[0][\"epoch_seconds\"], o"'
ok "a reservation of one's own takes none away" eval '$ask --server dgx-h100 --training-epochs 100 --within 1h --hidden 96 --classes 7 --reserve 1GiB -o own.json >/dev/null && python3 gradients.py own.json 400e9'
ok "what-if moves them" eval '"$HOTSET" what-if slow.json --vary network=0.5..500 --json >w.json && python3 -c "
import json; w = json.load(open(\"w.json\")); o = json.load(open(\"slow.json\"))[\"options\"]
four = next(x for x in w[\"inputs\"][0][\"flips\"]); assert w[\"decision\"].startswith(\"1 x\") and four[\"decision\"].startswith((\"2 x\", \"4 x\")), w"'
$ask --server siton --nodes 1,2 --training-epochs 10 --within 1h -o nics.json >/dev/null
ok "without NICs two servers are not known, and never surely" python3 -c "
import json; o = json.load(open('nics.json'))['options']
assert o[0]['verdict'] == 'surely' and o[1]['verdict'] == 'unknown' and o[1]['epoch_seconds'] is None and 'NICs are not stated' in o[1]['lacks']"
ok "one server that was asked for is no number to explain" eval '! grep -q "numbers of servers" <($ask --server dgx-h100 --nodes 1)'

notes() { python3 -c 'import json, sys; print("\n".join(json.load(open(sys.argv[1]))["decision"]["notes"]))' "$1"; }
ok "surely is about the target" eval 'notes S.json | grep -qxF "surely: all of the 90 % interval meets the targets (training-time<=1h surely); that says nothing of whether another server is better"'
ok "what has no price is named, and what was left to choose from" eval 'notes S.json | grep -q "^no price: dgx-v100, dgx-h100, not ranked; money could choose p3.8xlarge only "'
ok "a faster one without a price is named in the answer, and how to state its price" eval '$ask --server p3.8xlarge,dgx-h100 --nodes 1 2>/dev/null | tr "\n" " " | grep -q "best by time: dgx-h100: .* no price; money ranks it once its price is stated: --price PER_HOUR (0: you own it), --prices FILE or --buy PRICE"'
ok "a priced one is named without" eval '$ask --server p3.8xlarge,p4d.24xlarge --nodes 1 2>/dev/null >priced.txt; ! grep -q "its price is stated" priced.txt'
ok "where nothing is ranked by money nothing is said of it" eval '$ask --server p3.8xlarge,dgx-v100 --best time -o time.json >/dev/null && ! notes time.json | grep -q "no price"'
cat >close.py <<'P'
import json
d = json.load(open("two.json")); o = d["options"]; c = d["decision"]
a, b = o[c["option"]], o[c["runner_up"]]
apart = a["training_seconds_interval"][1] < b["training_seconds_interval"][0]
note = next(x for x in c["notes"] if x.startswith("the choice: time of the answer "))
assert note.endswith("the intervals do not overlap" if apart else "the intervals overlap, so it is not sure which of the two is better"), note
print(apart)
P
ok "how close the choice is" eval '$ask --server siton,p4d.24xlarge --nodes 1 --best time --force -o two.json >/dev/null && [ "$(python3 close.py)" = False ]'
ok "and how clear" eval '$ask --server dgx-h100,p2.16xlarge --nodes 1 --best time --nic-gbps 1000 --force -o two.json >/dev/null && [ "$(python3 close.py)" = True ]'

# what a size's rows are chosen by is said, and the split that it names can be asked for; its command asks plan for it, too
ok "by what a cache is chosen" eval 'tr "\n" " " <s.txt | grep -q "follows from the seconds of an epoch (--objective epoch); of the sizes, the smallest is taken whose epoch is within 1 % of the shortest"'
ok "another split by --policy" eval '$ask --server dgx-h100 --nodes 1 --best time --most 20KiB --policy legion+density:alpha=1 -o lists.json >lists.txt && grep -q "^the plan: .* --policy legion+density:alpha=1 " lists.txt && python3 -c "
import json; p = json.load(open(\"lists.json\"))[\"candidates\"][-1]; assert p[\"feature_hit_rate\"] == 0 < p[\"topology_hit_rate\"], p"'
ok "the plan of --exact can be asked for" eval '$ask --server dgx-h100:2 --nodes 1 --exact --seed 5 >exact.txt && sed -n "s/^the plan: hotset //p" exact.txt >words && grep -q -- "--seed 5" words && "$HOTSET" $(sed "s/ -o P/ -o Exact --quiet/" words) >/dev/null'
cat >shortest.py <<'P'
import json
d = json.load(open("S.json"))
for o in d["options"]:
    seconds = {p["budget_bytes"]: p["epoch_seconds"] for p in d["candidates"] if p["curve"] == o["curve"]}
    assert o["budget_bytes"] == min(b for b, s in seconds.items() if s <= 1.01 * min(seconds.values())), (o, seconds)
P
ok "the smallest that is within 1 %" python3 shortest.py

# ---- without a target one server is tried; a grown graph says so, is never sure, and its plan is of a graph of that size
$ask --server dgx-h100 -o one.json >/dev/null
ok "without a target several servers are not tried" python3 -c "
import json; d = json.load(open('one.json')); assert [o['servers'] for o in d['options']] == [1], d['options']"
$ask --server dgx-h100 --nodes 1 --training-epochs 100 --within 1h --grow 1 -o same.json >same.txt
$ask --server dgx-h100 --nodes 1 --training-epochs 100 --within 1h --grow 20 -o grown.json >grown.txt
ok "a graph that has grown is never sure" python3 -c "
import json
d, g = (json.load(open(f + '.json')) for f in ('same', 'grown'))
assert d['options'][0]['verdict'] == 'surely' and 'graph x' not in d['decision']['line'] and '--graph G ' in d['options'][0]['command']
line, notes = g['decision']['line'], ' '.join(g['decision']['notes'])
assert g['options'][0]['verdict'] == 'probably' and line.startswith('dgx-h100, graph x 20: '), line
assert 'a grown graph would meet the targets' in notes and 'a graph 20 times as large (' in notes, notes"
ok "mini-batches that are shorter than measured ones are told" python3 -c "
import json
d = json.load(open('same.json'))
note = [n for n in d['decision']['notes'] if n.startswith('an iteration of ')]
assert len(note) == 1 and 'training_layer_seconds' in note[0] and '--case' in note[0], d['decision']['notes']"
"$HOTSET" what-if same.json --json >w_same.json 2>/dev/null && "$HOTSET" what-if grown.json --json >w_grown.json 2>/dev/null
ok "what-if is as sure as size" python3 -c "
import json
assert json.load(open('w_same.json'))['decision'].endswith('surely in time') and json.load(open('w_grown.json'))['decision'].endswith('probably in time')"
ok "a graph is not scaled" eval '! "$HOTSET" size --graph G --server dgx-h100 --scale 0.5 2>said >/dev/null && grep -q "scale: is the size of a stand-in" said'
ok "and the rows that are cached are told by the reads they serve" grep -q 'per GPU as f32 (100 % of feature reads hit)' same.txt
$ask --server dgx-h100 --nodes 1 --force -o free.json --explain 2>/dev/null | tr '\n' ' ' | tr -s ' ' >free.txt
ok "without a target the answer says why its cache has that size" grep -q 'per GPU as f32, the least whose epoch is within 1 % of the shortest (' free.txt
ok "a cache far below a GPU's memory holds the whole graph" grep -Eq '[0-9.]+ GiB [0-9.]+ GiB [0-9.]+ [KM]?i?B \(whole graph\)' free.txt
ok "and the document says so" python3 -c "
import json
c, = json.load(open('free.json'))['curves']
assert c['limit_holds_all'] is True and c['limit_bytes'] < c['memory_bytes']"
ok "but not a smaller one" eval '$ask --server dgx-h100 --nodes 1 --most 20KiB --force -o free.json --explain 2>/dev/null >free.txt; ! grep -q "whole graph" free.txt && grep -q "20.00 KiB" free.txt'

# ---- a verdict per target: by another program, from the intervals; a time that no target asks for is never sure
cat >each.py <<'P'
import json, os, subprocess
key = {"hit-rate": "feature_hit_rate", "training-time": "training_seconds", "epoch-time": "epoch_seconds", "cost": "cost", "energy": "energy_kwh"}
def ask(targets, *words):
    subprocess.run([*os.environ["ASK"].split(), "--server", "p3.8xlarge,p3.16xlarge", "--nodes", "1", "--epochs", "10", "--target", targets, "--force", "-o", "each.json", *words], stdout=subprocess.DEVNULL)
    d = json.load(open("each.json"))
    for o in d["options"]:
        said, short = [], not o["validated"]
        for t in targets.split(","):
            name, value = t.replace(">=", "<=").split("<=")
            low, high = o[key[name] + "_interval"]
            value = float(value.rstrip("skWh"))
            if ">=" in t: said.append((name, "surely" if low >= value else "probably" if o[key[name]] >= value else "not"))
            else: said.append((name, "surely" if high * (10 if short else 1) <= value else "probably" if o[key[name]] <= value else "not"))
        timed = any("time" in n for n, _ in said)
        text = "; ".join("%s: %s" % x for x in said)
        assert o["verdicts"] == (said[0][1] if timed and len({v for _, v in said}) == 1 else text), (o["verdicts"], text)
        if ":" in o["verdicts"]: assert o["line"].endswith(text) if timed else "; time: " in o["line"] and o["line"].endswith("outside of what was validated" if short else "no target"), o["line"]
    return d
d = ask("hit-rate>=0.3")
assert not d["options"][0]["validated"] and not any("anything" in n for n in d["decision"]["notes"])
t = d["options"][0]["training_seconds_interval"][1]
for targets in ("hit-rate>=0.3,training-time<=%.9fs" % (2 * t), "hit-rate>=0.3,training-time<=%.9fs" % (10.5 * t), "cost<=1,energy<=1e-9kWh"): ask(targets)
# why a verdict is less sure than the interval that is printed
small = lambda targets: [n for n in ask(targets)["decision"]["notes"] if "shorter than any that training cases" in n]
rule = "only a target that all of it meets tenfold is surely met"
note, = small("training-time<=%.9fs" % (2 * t))
assert note.startswith("probably, not surely: an iteration of ") and rule in note, note
note, = small("training-time<=%.9fs" % (10.5 * t))
assert note.startswith("an iteration of ") and rule in note, note
note, = small("hit-rate>=0.3")
assert note.startswith("an iteration of ") and rule not in note, note
d = ask("training-time<=86400s", "--best", "time")
note, small = d["decision"]["notes"][0], d["options"][0]
assert d["decision"]["option"] == 1 and note.startswith("anything will do: the targets are met ") and note.endswith("a smaller one is " + small["line"]), note
assert not any("anything" in n for n in ask("training-time<=%.9fs" % (4 * t))["decision"]["notes"])
P
ok "a verdict for each target, and whether anything will do" eval 'ASK="$ask" python3 each.py'

# ---- what is missed by little: in digits that show it
cat >missed.py <<'P'
import json, os, re, subprocess
def none(target):
    r = subprocess.run([*os.environ["ASK"].split(), "--server", "dgx-h100", "--nodes", "1", "--most", "20KiB", "--target", target, "--force", "-o", "near.json"], capture_output=True, text=True)
    assert r.returncode == 1, r
    return r.stderr.split("The closest is ")[1], json.load(open("near.json"))["options"][0]
o = none("hit-rate>=1")[1]
epoch, hit = o["epoch_seconds"], o["feature_hit_rate"]
said = none("epoch-time<=%.9fs" % (0.9995 * epoch))[0]
got = float(re.search(r"It misses epoch-time<=\S+ with ([\d.]+) us\.", said)[1])
assert 0.9996 < got * 1e-6 / epoch < 1.0004 and got * 1e-6 > 0.9995 * epoch, (got, epoch)
said = none("hit-rate>=%.7f" % (hit + 2e-6))[0]
assert float(re.search(r"It misses hit-rate>=\S+ with ([\d.]+) %", said)[1]) < 100 * (hit + 1.9e-6), said
assert "It misses" not in none("hit-rate>=1")[0] # the sentence shows it already
P
ok "a target that is missed by little" eval 'ASK="$ask" python3 missed.py'

# ---- a terminal of 80 columns keeps the verdict
if python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
    cat >narrow.py <<'P'
import os, pty, sys
out = b""
def read(fd):
    global out
    data = os.read(fd, 65536); out += data
    return data
os.environ.update(COLUMNS=sys.argv[1], TERM="dumb", NO_COLOR="1")
pty.spawn(sys.argv[2:], read)
lines = out.decode().replace("\r", "").split("\n")
head = next(l for l in lines if l.startswith("what  "))
assert "verdict" in head and len(head) <= int(sys.argv[1]), head
row = next(l for l in lines if l.startswith("1 x")) # the name may go on in the next line
assert row.rstrip().endswith("surely"), row
P
    for width in 40 80 100 200; do
        ok "$width columns keep the verdict" eval 'python3 narrow.py $width $ask --server p3.8xlarge,dgx-v100 --training-epochs 100 --within 1h >/dev/null'
    done
else skip "a narrow terminal" "no pseudo-terminal can be made here"; fi
$ask --server p3.8xlarge >epoch.txt
ok "what nobody asked for has no column" eval 'grep -q "^what can be bought (.*of one epoch; --training-epochs" epoch.txt && ! grep "^what  " epoch.txt | grep -qE "training|verdict" && grep "^what  " short.txt | grep -q "training .*verdict"'
finish
