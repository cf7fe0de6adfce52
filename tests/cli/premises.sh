#!/usr/bin/env bash
# What an answer rests on is said: every document has its premises, one line tells those that nobody stated and that move the answer,
# --strict refuses them, and how far they move it is held against servers whose numbers are moved.
. "$(dirname "$0")/tap"
"$HOTSET" graph synth community --vertices 3000 --edges 30000 --train-share 0.2 --seed 3 -o G --quiet >/dev/null
seq 0 40 | awk '{ print $1, ($1 * 7 + 1) % 41; print $1, ($1 * 5 + 2) % 41 }' >edges.txt
"$HOTSET" graph import edges.txt -o N --quiet >/dev/null 2>&1
all="--fanout 5,3 --batch 40 --hidden 64 --frontier new --precision f32 --unoverlapped 0.15 --peer-access direct"
few="--presample-epochs 1 --simulate-epochs 1"
said() { "$HOTSET" "$@" --force 2>&1 >/dev/null | grep '^hotset: assumed:'; }
has() { python3 - "$@" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
at = {p["name"]: p for p in d["premises"]}
for want in sys.argv[2:]:
    name, kind = want.split("=")
    if at[name]["kind"] != kind: sys.exit(f"{name}: {at[name]}")
P
}
# a server that states everything, from the profile that states most
"$HOTSET" list servers --json >/dev/null
python3 - "$root/hwprofiles/servers/dgx-v100.json" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
for p in d["provenance"]: p["kind"] = "measured"
d["name"] = "mine"
json.dump(d, open("mine.json", "w"))
P
# every default of the commands that decide is a premise, or PREMISES.md says why it is none
for c in plan compare size advise what-if; do "$HOTSET" $c --help-all; done | python3 -c '
import re, sys
text = re.sub(r"\n {20,}", " ", sys.stdin.read())
told = open(sys.argv[1]).read()
for name in sorted({m.group(1) for m in re.finditer(r"^ +(?:-\w, )?--([\w-]+)[^\n]*\[default: ", text, re.M)}):
    if f"`--{name}`" not in told: print(name)' "$root/planner/PREMISES.md" | none "every default is a premise, or it is said why not"
ok "defaults are told, with the options that state them" eval 'said plan --graph G --server mine.json --budget 5% $few -o P | grep -qF "fan-outs 25,10, 8,000 seeds per mini-batch, vertices that are expanded once (as in PyG), 256 hidden channels, computing in f32"'
ok "nothing is told where all is stated" eval '"$HOTSET" plan --graph G --server mine.json --budget 5% $all $few -o P --force >out 2>&1 && ! grep -q "assumed:" out'
ok "and --strict goes through" exits 0 "$HOTSET" plan --graph G --server mine.json --budget 5% $all $few -o P --force --strict
ok "what is measured here is called so" has P/plan.json fanouts=stated batch=stated hidden_channels=stated feature_rows=stated training_vertices=stated gpu_peak=measured
ok "a shipped profile is no measurement" eval '"$HOTSET" plan --graph G --server dgx-v100 --budget 5% $all $few -o P --force >/dev/null 2>&1 && has P/plan.json gpu_peak=profile nvlinks=profile'
ok "rows and training vertices that nobody names" eval 'said plan --graph N --server mine.json --budget 5% --fanout 2 --batch 4 --hidden 64 $few -o Q | grep -qF "feature rows of 128 x 4 bytes (no source states them; graph import --feature-dim, --feature-type); 4 training vertices (chosen at random; graph import --train, --train-share)"'
ok "--strict refuses them" exits 3 "$HOTSET" plan --graph N --server mine.json --budget 5% --fanout 2 --batch 4 --hidden 64 $few -o Q2 --strict
ok "with the list" grep -q "strict: the answer rests on what nobody stated: feature rows" .stderr
ok "and writes no plan" eval '! [ -e Q2/plan.json ]'
python3 - "$root/hwprofiles/servers/dgx-v100.json" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
for gpu in d["gpus"]: del gpu["switch"]
d["provenance"] = [p for p in d["provenance"] if p["what"] != "switch"]
json.dump(d, open("unswitched.json", "w"))
P
ok "a server that knows no switches" eval 'said plan --graph G --server unswitched.json --budget 1% --policy data-tiering $all $few -o P | grep -q "a PCIe uplink of its own for every GPU (server dgx-v100 states no switches)" && has P/plan.json uplinks=assumed'
# eight GPUs below four uplinks of 13.1 GB/s at most: with rows in equal parts, 13.1 of a socket's 26.2 GB/s cross
python3 - mine.json <<'P'
import json, sys
for name, links in ("unlinked", None), ("narrow", 5), ("wide", 14):
    d = json.load(open(sys.argv[1]))
    del d["socket_links"]
    if links: d["socket_links"] = [{"a": 0, "b": 1, "gbps": links}]
    d["name"] = name
    json.dump(d, open(name + ".json", "w"))
P
ok "what several servers have alike is told once" eval 'said size --graph G --server p3.8xlarge,p3.16xlarge --batch 40 -o two.json >told && [ "$(grep -o "of each GPU for training" told | wc -l)" = 1 ]'
ok "links between sockets that nobody states are told" eval 'said plan --graph G --server unlinked.json --budget 5% $all $few -o P | grep -q "links between sockets that no epoch waits for (server unlinked states none)" && has P/plan.json socket_links=assumed'
ok "so are those that would not carry it" eval 'said plan --graph G --server narrow.json --budget 5% $all $few -o P | grep -q "(server narrow states less than cross)" && has P/plan.json socket_links=assumed'
ok "with what it may cost" python3 -c 'import json; p = {p["name"]: p for p in json.load(open("P/plan.json"))["premises"]}["socket_links"]; assert p["value"] == 5 and 1 < p["effect"] < 2, p'
ok "those that would are not" eval '"$HOTSET" plan --graph G --server wide.json --budget 5% $all $few -o P --force --strict >/dev/null && has P/plan.json socket_links=stated'
ok "a server of one socket has none" eval '"$HOTSET" plan --graph G --server dgx-v100:1 --budget 5% $all $few -o P --force >/dev/null 2>&1 && ! grep -q "links between sockets" P/plan.json'
ok "without a budget, what training takes" eval 'said plan --graph G --server dgx-v100 $all $few -o P | grep -q "of each GPU for training (estimated; --reserve)" && has P/plan.json reservation=assumed gpu_memory=profile'
rest
ok "compare, of two servers" eval 'said compare --graph G --server mine.json,dgx-a100 --policy hotset --budget 5% $all $few -o R.json | grep -q "server dgx-a100 assumes it" && has R.json fanouts=stated'
ok "size" eval 'said size --graph G --server mine.json --steps 2 --fanout 5,3 --hidden 64 $few -o S.json | grep -q "8,000 seeds" && has S.json batch=assumed reservation=assumed'
ok "advise" eval 'said advise --graph G --server dgx-v100 --budget 5% --fanout 5,3 --batch 40 $few -o A.json | grep -q "256 hidden" && has A.json hidden_channels=assumed'
ok "what-if has those of the plan" eval '"$HOTSET" plan --graph G --server dgx-a100 --budget 5% $all $few -o P --force >/dev/null 2>&1 && said what-if P -o W.json | grep -q "server dgx-a100 assumes it" && has W.json batch=stated'
ok "and of the document" eval 'said what-if S.json -o W2.json | grep -q "8,000 seeds"'
ok "a trace states its workload" eval '"$HOTSET" trace record --graph G --server mine.json --fanout 5,3 --batch 40 --epochs 1 -o T --quiet >/dev/null && ! said plan --graph G --server mine.json --trace T --budget 5% --hidden 64 --precision f32 --unoverlapped 0.15 --peer-access direct --simulate-epochs 1 -o P | grep -q defaults && has P/plan.json batch=stated'
ok "a pass over all vertices" eval 'said plan --job inference --graph G --server dgx-a100 -o PI | grep "share of the peaks" | grep -vq "sampling rate" && has PI/plan.json hidden_channels=assumed && ! "$HOTSET" plan --job inference --graph G --server dgx-a100 -o PJ --strict 2>/dev/null && [ ! -e PJ ]'
ok "two nodes state them, too" eval '"$HOTSET" plan --graph G --server mine.json --nodes 2 --nic-gbps 25 --budget 5% $all $few -o D --force >/dev/null 2>&1 && for n in 0 1; do has D/node$n/plan.json batch=stated || exit 1; done'
ok "documents hold to their schemas" eval '"$HOTSET" verify P >/dev/null'
# Host memory: ids of 8 bytes are 4 more per arc, and every copy has all.
cat >host.py <<'P'
import json
one, wide, copies = (json.load(open(f + ".json")) for f in ("h1", "h2", "h3"))
m = json.load(open("G/graph.json"))["edges"]
a, b, c = (d["curves"][0] for d in (one, wide, copies))
assert b["host_topology_bytes"] - a["host_topology_bytes"] == 4 * m, (a, b)
assert c["host_topology_bytes"] == 8 * b["host_topology_bytes"] and c["host_feature_bytes"] == 8 * a["host_feature_bytes"]
assert (a["host_copies"], b["host_id_bytes"], c["host_copies"]) == (1, 8, 8)
P
size="size --graph G --server mine.json --steps 2 $few --fanout 5,3 --batch 40 --force"
ok "ids and copies in host memory" eval '"$HOTSET" $size -o h1.json --explain 2>/dev/null | unbroken | grep -q "1 copy of the graph and its rows for all GPUs, ids of 4 bytes" && "$HOTSET" $size --id-bytes 8 -o h2.json >/dev/null 2>&1 && "$HOTSET" $size --id-bytes 8 --copies 8 -o h3.json >/dev/null 2>&1 && python3 host.py'
ok "they are told where they decide what fits" eval '! said $size -o h1.json | grep -q "copy of graph" && said $size --host-memory $(python3 -c "import json; c = json.load(open(\"h1.json\"))[\"curves\"][0]; print(c[\"host_loader_bytes\"] + c[\"host_topology_bytes\"] + c[\"host_feature_bytes\"] + 100)")B -o h1.json | grep -q "1 copy of graph and rows in host memory"'
ok "an id has 4 or 8 bytes" exits 2 "$HOTSET" $size --id-bytes 5
# A rate that is half or twice moves the epoch by no more than is said.
cat >moved.py <<'P'
import json, subprocess, sys
hotset = sys.argv[1]
def epoch(server):
    json.dump(server, open("moved.json", "w"))
    run = subprocess.run([hotset, "simulate", "P", "--server", "moved.json", "--epochs", "1", "--json", "--quiet"], capture_output=True, text=True)
    assert not run.returncode, run.stderr
    return json.loads(run.stdout)["rows"][0]["simulated"]["epoch_time"]["seconds"]
judged = 0
for profile in ("dgx-v100", "dgx-a100", "dgx-h100"):
    run = subprocess.run([hotset, "plan", "--graph", "G", "--server", profile, "--budget", "2%", "--fanout", "5,3", "--batch", "40", "--presample-epochs", "1",
                          "--simulate-epochs", "1", "--hidden", "64", "-o", "P", "--force"], capture_output=True, text=True)
    assert not run.returncode, run.stderr
    plan = json.load(open("P/plan.json"))
    at = {p["name"]: p for p in plan["premises"]}
    server = plan["server"]["document"]
    now = epoch(server)
    for name, key in (("gpu_memory_rate", "memory_gbps"), ("gpu_peak", "tflops"), ("gpu_sampling_rate", "sampling_edges_per_second"),
                      ("training_efficiency", "training_efficiency")):
        for by in (0.5, 2):
            other = json.loads(json.dumps(server))
            for gpu in other["gpus"]: gpu[key] *= by
            effect = abs(epoch(other) / now - 1)
            if effect > at[name]["effect"] * (1 + 1e-6) + 1e-9: print(profile, name, by, effect, at[name]["effect"])
            judged += 1
    if max(p["effect"] or 0 for p in plan["premises"] if p["name"] != "training_vertices") < 0.05: print(profile, "nothing moves it?")
if judged != 24: print("judged", judged)
P
python3 moved.py "$HOTSET" 2>&1 | none "no rate moves an epoch by more than its effect"
finish
