#!/usr/bin/env bash
# Servers whose description states no rate of host memory: their epochs have no time, and what is said names what would make it known; with
# --host-memory-gbps they have the time of the same server that states it in its file. A server that states its own keeps it. Drives of several kinds are
# refused, with what to write.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "size --host-memory-gbps" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 3000 --edges 30000 --seed 3 -o G --quiet >/dev/null
ask="$HOTSET size --graph G --batch 200 --presample-epochs 1 --simulate-epochs 1 --steps 2 --nodes 1 --most 1KiB"
"$HOTSET" server show l40s-8 --json >l40s-8.json
python3 - <<'P2'
import json
d = json.load(open("l40s-8.json"))
assert d.get("host_memory_gbps") is None
json.dump({**d, "host_memory_gbps": 300}, open("stated.json", "w"))
P2
$ask --quiet --server l40s-8 -o without.json >without.txt 2>&1
$ask --quiet --server l40s-8 --host-memory-gbps 300 -o with.json >with.txt 2>&1
$ask --quiet --server stated.json -o stated_answer.json >/dev/null 2>&1
$ask --quiet --server stated.json --host-memory-gbps 1 -o kept.json >/dev/null 2>&1
cat >check.py <<'P2'
import json
load = lambda f: json.load(open(f))
seconds = lambda f: [o["epoch_seconds"] for o in load(f)["options"]]
P2
ok "without the rate no time is known, and the option that states it is named" python3 -c '
from check import *
assert seconds("without.json") == [None] and load("without.json")["curves"][0]["unknown"] == ["host_memory_gbps"]
text = " ".join(open("without.txt").read().split())
assert "lacks host_memory_gbps (channels times their rate: --host-memory-gbps)" in text, text'
ok "with it the time is that of a file that states it" python3 -c '
from check import *
assert seconds("with.json") == seconds("stated_answer.json") != [None], (seconds("with.json"), seconds("stated_answer.json"))
rate, = [p for p in load("with.json")["premises"] if p["name"] == "host_memory_rate"]
assert rate["kind"] == "stated" and rate["value"] == 300, rate
assert "--host-memory-gbps 300" in load("with.json")["options"][0]["command"]'
ok "a server that states its own keeps it" python3 -c '
from check import *
assert seconds("kept.json") == seconds("stated_answer.json")'
"$HOTSET" plan --graph G --server l40s-8 --batch 200 --budget 1KiB --host-memory-gbps 300 --presample-epochs 1 --simulate-epochs 1 -o P --quiet >/dev/null 2>&1
ok "plan names it where it is lacking" eval '"$HOTSET" plan --graph G --server l40s-8 --batch 200 --budget 1KiB --presample-epochs 1 --simulate-epochs 1 --force -o N --quiet 2>/dev/null | tr "\n" " " | grep -q "states no host_memory_gbps (channels times their rate: plan with --host-memory-gbps)"'
ok "plan takes it, too" python3 -c '
import json
p = json.load(open("P/plan.json"))
assert p["server"]["document"]["host_memory_gbps"] == 300 and p["simulated"]["epoch_time"]["seconds"] > 0'
"$HOTSET" plan --graph G --server stated.json --batch 200 --budget 1KiB --host-memory-gbps 1 --presample-epochs 1 --simulate-epochs 1 -o S >/dev/null 2>kept.err
ok "and says so" grep -q "states its own, 300 GB/s, which counts" kept.err
"$HOTSET" plan --graph G --server siton --host-memory 7GiB --ssd 2xgen5,2xgen4 -o Q --quiet 2>mixed.err; code=$?
ok "mixed drives are refused with what to write" eval '[ "$code" = 2 ] && grep -q "mixes kinds of drives, .* write 4xgen4 " mixed.err'
finish
