#!/usr/bin/env bash
# hotset size --grow: growth is demand. Of several futures the answer is of the largest, whatever a smaller one would cost; every future has an answer of
# its own, the one that size gives when it is asked of that future alone; the first future that a server does not hold, or in which it misses, is named.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "size --grow" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 3000 --edges 30000 --seed 3 -o G --quiet >/dev/null
ask="$HOTSET size --graph G --server siton:1,dgx-v100:1 --batch 200 --presample-epochs 1 --simulate-epochs 1 --steps 2 --nodes 1 --price 1 --quiet"

$ask --grow 9,1,4 -o all.json >all.txt
$ask --grow 4 -o four.json >/dev/null
# a host that holds 4 x the graph and not 9 x, and a target that lies between their epochs
python3 - >between.txt <<'P2'
import json
d = json.load(open("all.json"))
needs = lambda grow: [c["host_loader_bytes"] + c["host_topology_bytes"] + c["host_feature_bytes"] for c in d["curves"] if c["grow"] == grow]
seconds = lambda grow: [o["epoch_seconds"] for o in d["options"] if d["curves"][o["curve"]]["grow"] == grow]
assert max(needs(4)) < min(needs(9)) and max(seconds(4)) < min(seconds(9))
print((max(needs(4)) + min(needs(9))) // 2, (max(seconds(4)) + min(seconds(9))) / 2)
P2
read -r host slow <between.txt
$ask --grow 9,1,4 --host-memory "${host}B" -o held.json >held.txt 2>held.err; code=$?
$ask --grow 9,1,4 --target "epoch-time<=${slow}s" -o late.json >late.txt 2>/dev/null

cat >check.py <<'P2'
import json, sys
def load(f): return json.load(open(f))
def grow(d, o): return d["curves"][d["options"][o]["curve"]]["grow"]
def largest():
    d = load("all.json")
    c = d["decision"]
    best = [c["option"], c["runner_up"], *c["best"].values(), *c["front"]]
    assert all(grow(d, o) == 9 for o in best), best
    cheap = min((o for o in d["options"]), key=lambda o: o["cost"])
    assert d["curves"][cheap["curve"]]["grow"] == 1 and cheap["cost"] < d["options"][c["option"]]["cost"]
    assert d["curves"][d["shown"]]["grow"] == 9 and "graph x 9" in c["line"] and c["line"].count("graph x") == 1, c["line"]
    assert all("graph x 9" in s["name"] for s in c["holds"]["shares"])
def each():
    d, four = load("all.json"), load("four.json")
    f = d["decision"]["futures"]
    assert [x["grow"] for x in f] == [1, 4, 9] and [grow(d, x["option"]) for x in f] == [1, 4, 9]
    mine, alone = d["options"][f[1]["option"]], four["options"][four["decision"]["option"]]
    assert mine["epoch_seconds"] == alone["epoch_seconds"] and mine["budget_bytes"] == alone["budget_bytes"]
    assert four["decision"]["futures"] == [] and four["decision"]["stops"] == []
    assert [s["grow"] for s in d["decision"]["stops"]] == [None, None] and f[1]["line"] in open("all.txt").read()
def memory():
    d = load("held.json")
    assert d["decision"]["option"] is None and "host memory" in open("held.err").read()
    assert [x["option"] is None for x in d["decision"]["futures"]] == [False, False, True]
    for s in d["decision"]["stops"]:
        needs = {c["grow"]: c["host_loader_bytes"] + c["host_topology_bytes"] + c["host_feature_bytes"] for c in d["curves"] if c["label"].startswith(s["label"])}
        assert needs[4] <= int(sys.argv[2]) < needs[9] and s["grow"] == 9 and "does not hold the graph (host memory" in s["why"], s
        assert s["line"] in " ".join(open("held.txt").read().split())
def targets():
    d = load("late.json")
    assert d["decision"]["option"] is None
    for s in d["decision"]["stops"]: assert s["grow"] == 9 and "misses the targets" in s["why"], s
globals()[sys.argv[1]]()
P2
ok "the answer is of the largest future, though a smaller one costs less" python3 check.py largest
ok "every future has the answer that it has alone" python3 check.py each
ok "where a server stops holding the graph is named" python3 check.py memory "$host"
ok "nothing holds the largest future: no answer" [ "$code" = 1 ]
ok "where a server stops meeting the targets is named" python3 check.py targets
"$HOTSET" what-if all.json --json >w.json 2>/dev/null
ok "what-if moves the options of that future alone" python3 -c '
import json
d = json.load(open("w.json"))
assert "graph x 9" in d["decision"] and "graph x 1" not in json.dumps(d).replace("graph x 9", ""), d["decision"]'
finish
