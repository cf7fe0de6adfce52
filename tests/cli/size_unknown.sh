#!/usr/bin/env bash
# hotset size, what-if: an option whose time is not known is never the answer beside one that has a time; the same answer in both commands.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "size" "python3 is not installed"; finish; }
export HOTSET
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --communities 30 --seed 3 --feature-dim 64 -o G --quiet >/dev/null
echo '{"schema": "server/1", "name": "bare", "gpus": [{"id": 0, "memory_bytes": 4000000000}, {"id": 1, "memory_bytes": 4000000000}], "nvlinks": [], "host_memory_bytes": 1099511627776}' >bare.json
cat >ask.py <<'P'
import json, os, re, subprocess, sys
run = lambda *words: subprocess.run([os.environ["HOTSET"], *words, "--quiet"], capture_output=True, text=True)
numbers = re.compile(r"(?<![a-z])-?(nan|inf)(?![a-z])", re.I)
unknown = 0
for words in (["--server", "bare.json,dgx-v100", "--nodes", "2,1", "--target", "hit-rate>=0.3"],
              ["--server", "dgx-v100,bare.json", "--nodes", "2,1", "--price", "0"], ["--server", "dgx-v100", "--nodes", "2,1", "--price", "3", "--target", "hit-rate>=0.3,energy<=1kWh"],
              ["--server", "bare.json,dgx-v100", "--nodes", "2,1", "--price", "2", "--target", "cost<=1"],):
    r = run("size", "--graph", "G", "--fanout", "5,4", "--batch", "100", "--steps", "1", "--assignment", "global", "--simulate-epochs", "1", "--presample-epochs", "1", "--force", "-o", "s.json", *words)
    d = json.load(open("s.json"))
    o, best = d["options"], d["decision"]
    assert r.returncode == 0 and not numbers.search(r.stdout + r.stderr), (words, numbers.search(r.stdout))
    dark = [x for x in o if x["fits"] and x["epoch_seconds"] is None]
    unknown += len(dark)
    for i in [best["option"], best["runner_up"], *best["best"].values()]: assert i is None or o[i]["epoch_seconds"] is not None, (words, i)
    said = [n for n in best["notes"] if n.startswith("not ranked, for their time is not known")]
    assert len(said) == 1 and all("%d x %s (" % (x["servers"], x["label"]) in said[0] for x in dark[:3]) and ("and %d more" % (len(dark) - 3) in said[0]) == (len(dark) > 3) and "--nic-gbps" in said[0] + "--nic-gbps" * ("bare" in said[0]), said
    w = run("what-if", "s.json", "--json")
    name = "%d x %s" % (o[best["option"]]["servers"], o[best["option"]]["label"])
    assert json.loads(w.stdout)["decision"].split(",")[0] == name, (words, name, json.loads(w.stdout)["decision"])
    assert not numbers.search(w.stdout)
assert unknown == 10, unknown
# alone, it is an answer, which says what would make its time known; a rate that nobody stated is no 0
r = run("size", "--graph", "G", "--fanout", "5,4", "--batch", "100", "--steps", "1", "--assignment", "global", "--server", "dgx-v100", "--nodes", "2", "--price", "3")
assert "--nic-gbps RATE" in r.stdout and "what its NICs carry (--nic-gbps)" in r.stdout and not numbers.search(r.stdout) and "cost not known" in r.stdout.split("\n\n")[-1].split("\n")[0]
# the first within 1 % is size's answer and what-if's; it turns where the other has less by more than it had
d = json.load(open("s.json"))
a = [x for x in d["options"] if x["epoch_seconds"]][0]
b = dict(a, servers=9, epoch_seconds=a["epoch_seconds"] / 1.006, epoch_seconds_interval=[v / 1.006 for v in a["epoch_seconds_interval"]])
d["options"], d["targets"] = [a, b], []
d["decision"].update(option=0, objective="time")
json.dump(d, open("near.json", "w"))
assert json.loads(run("what-if", "near.json", "--json").stdout)["decision"] == "1 x " + a["label"]
# of more options than are moved, the answer is one
d["options"] = [dict(a, servers=i + 1, epoch_seconds=a["epoch_seconds"] * (1 + (99 - i) / 100)) for i in range(100)]
d["decision"].update(option=99)
json.dump(d, open("far.json", "w"))
assert json.loads(run("what-if", "far.json", "--json").stdout)["decision"] == "100 x " + a["label"]
P
ok "no unknown time is an answer, in size or what-if, and both answer the same" python3 ask.py
"$HOTSET" size --graph G --fanout 5,4 --batch 100 --steps 2 --assignment global --server bare.json,siton --quiet >curves.txt
"$HOTSET" size --graph G --fanout 5,4 --batch 100 --steps 2 --assignment global --server 2x3090 --explain --quiet | unbroken >some.txt
ok "nor above one that there are none where some rows have" eval 'sed -n "/^caches/,/^knee:/p" some.txt | grep -qE " [0-9.]+ us " && grep -q "2x3090: epoch times of some caches are not known, because .* lacks host_memory_gbps" some.txt'
ok "no row has a time above the sentence that there is none" eval 'grep -q "bare: epoch times are not known" curves.txt && ! grep -q "siton: epoch times are not known" curves.txt'
finish
