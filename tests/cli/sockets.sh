#!/usr/bin/env bash
# hotset sockets: what it states is what another program counts from exported mini-batches; every row has a home within the memory; placing by readers
# crosses least, and not less than the bound; refusals.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
plan() { "$HOTSET" plan --graph G --server dgx-v100 --budget 3% --batch 100 --fanout 6,4 --simulate-epochs 0 "$@" -o P --quiet >/dev/null; }
sockets() { "$HOTSET" sockets P --seed 99 --epochs 2 --quiet "$@"; }
plan
if ! command -v python3 >/dev/null; then skip "sockets recounted" "python3 is not installed"; else
    "$HOTSET" simulate P --seed 99 --epochs 2 --export-batches B --quiet >/dev/null
    for how in interleave replicate place; do
        rm -rf S
        sockets --host-memory 130% --how $how -o S >said
        python3 "$root/tests/cli/sockets.py" P G B S 2>&1 | none "$how: another program counts the same"
    done
    sed -i '/"way": "place"/,$ s/"crossing_bytes": [0-9]*/"crossing_bytes": 7/' S/sockets.json
    ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/sockets.py" P G B S 2>&1)" ]'
    sockets --host-memory 104% --json >tight.json
    python3 - <<'PY' 2>&1 | none "placing crosses least, and no less than its bound"
import json
d = json.load(open("tight.json"))
inter, rep, place = (w["predicted_crossing_bytes"] for w in d["ways"])
if not d["bound_crossing_bytes"] <= place + 1 <= rep + 1 <= inter + 1: print(inter, rep, place, d["bound_crossing_bytes"])
if place > 1.02 * d["bound_crossing_bytes"]: print("place has", place, "the bound is", d["bound_crossing_bytes"])
for w in d["ways"]:
    if abs(w["prediction_error"]) > 0.15: print(w["way"], "is predicted", w["prediction_error"], "off")
    if sum(w["held_bytes"]) > d["host_memory_bytes"]: print(w["way"], "holds too much")
    seconds = w["simulated"]["crossing_bytes"] / 62.4e9
    if not seconds / 2 <= w["simulated"]["link_seconds"] <= seconds * 1.01: print(w["way"], "takes", w["simulated"]["link_seconds"])
PY
fi
for t in 1 3; do sockets --host-memory 110% --threads $t -o S$t >/dev/null; done
ok "the same bytes on any number of threads" diff -r S1 S3
ok "with room for all copies nothing crosses" eval 'sockets --host-memory 220% --json | grep -A12 "\"way\": \"place\"" | grep -q "\"crossing_bytes\": 0"'
ok "the server's own memory is the default" eval 'sockets | grep -q "^socket 1: 172.8 GiB of DRAM, GPU4 GPU5 GPU6 GPU7"'
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
"$HOTSET" server show dgx-v100 --json | sed 's/"host_memory_bytes": [0-9]*/"host_memory_bytes": null/' >sizes.json
ok "each socket's own memory is enough" eval 'grep -q "\"host_memory_bytes\": null" sizes.json && sockets --server sizes.json | grep -q "^socket 1: 172.8 GiB of DRAM"'
# 40394 arcs x 4 + 3001 offsets x 8 + 3000 rows x 512 B = 1.64 MiB; more: one row.
ok "too little memory, in numbers" says 1 "features take 1.64 MiB, and up to [0-9]* B more because rows are not split, but the DRAM of 2 sockets holds" sockets --host-memory 100%
ok "too little memory" says 1 "the DRAM of 2 sockets holds" sockets --host-memory 90%
ok "one socket" says 1 "all of its DRAM is equally near" eval '"$HOTSET" server show dgx-v100 --json | sed "s/\"socket\": 1/\"socket\": 0/; s/\"b\": 1, \"gbps\": 62.4/&/" | python3 -c "
import json, sys
d = json.load(sys.stdin); d.pop(\"socket_links\"); d[\"numa\"] = []
json.dump(d, open(\"one.json\", \"w\"))"; sockets --server one.json'
ok "sockets that are not known" says 1 "does not state the socket of GPU 0" eval 'sed "s/\"socket\": 0/\"socket\": null/" one.json >none.json; sockets --server none.json'
ok "another server" says 2 "has no GPU 4" sockets --server dgx-v100:4
ok "the plan's own seed" says 2 "would not be held out" "$HOTSET" sockets P --seed 1
ok "another folder is left alone" says 3 "choose another -o" sockets -o G
finish
