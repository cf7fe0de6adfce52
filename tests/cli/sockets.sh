#!/usr/bin/env bash
# Rows on the DRAM of two sockets: what is counted is what another program counts from exported mini-batches; every row has a home within the memory;
# placing by readers crosses least; refusals.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
plan() { "$HOTSET" plan --graph G --server dgx-v100 --budget 3% --batch 100 --fanout 6,4 --simulate-epochs 2 --quiet --force -o S "$@"; }
crossing() { # FILE: lines between sockets, and all that DRAM serves
    python3 -c 'import json, sys
p = json.load(open(sys.argv[1]))["simulated"]["memories"]["places"]
print(sum(x["other_socket_lines"] for x in p), sum(x["feature_lines"] + x["topology_lines"] for x in p))' "$1"
}
if ! command -v python3 >/dev/null; then skip "sockets recounted" "python3 is not installed"; else
    for how in interleave replicate place; do
        rm -rf S B
        plan --host-memory 130% --socket-rows $how >said || echo "no plan: $how"
        "$HOTSET" simulate S --seed 99 --epochs 2 --export-batches B --quiet >/dev/null
        "$HOTSET" simulate S --seed 99 --epochs 2 --json --quiet >R.json
        python3 "$root/tests/cli/sockets.py" S G B R.json 2>&1 | none "$how: another program counts the same"
    done
    sed -i 's/"other_socket_lines": [0-9]*/"other_socket_lines": 7/' R.json
    ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/sockets.py" S G B R.json 2>&1)" ]'
    for how in interleave replicate place; do plan --host-memory 104% --socket-rows $how --json >$how.json; done
    python3 - <<'PY' 2>&1 | none "placing crosses least, and is expected to take least"
import json
d = [json.load(open(w + ".json")) for w in ("interleave", "replicate", "place")]
inter, rep, place = (sum(p["other_socket_lines"] for p in x["simulated"]["memories"]["places"]) for x in d)
if not place < 0.5 * rep < 0.5 * inter: print(inter, rep, place)
for x in d:
    m, s = x["memories"], x["simulated"]
    if not m["bound_seconds"] <= m["predicted_seconds"] * (1 + 1e-9): print(m["planned"], "is below its bound")
    if abs(s["prediction_error"]) > 0.15: print(m["planned"], "is predicted", s["prediction_error"], "off")
    held = sum(p[k]["bytes"] for p in m["places"] for k in ("topology", "feature"))
    if held > m["host_memory_bytes"]: print(m["planned"], "holds too much")
if [x["memories"]["planned"] for x in d][:2] != ["interleave", "replicate"]: print("ways have other names")
if d[0]["predicted"] != d[1]["predicted"]: print("GPUs do not keep their lists")
half = inter / sum(p["feature_lines"] + p["topology_lines"] for p in d[0]["simulated"]["memories"]["places"])
if abs(half - 0.5) > 0.02: print("of pages in turn", half, "cross")
PY
fi
for t in 1 3; do plan --host-memory 110% --threads $t -o S$t >/dev/null; plan --host-memory 110% --socket-rows replicate --threads $t -o K$t >/dev/null; done
ok "the same bytes on any number of threads" eval 'diff -rx .hotset S1 S3 && diff -rx .hotset K1 K3'
ok "with room for all copies nothing crosses" eval 'plan --host-memory 220% --json >all.json && [ "$(crossing all.json | cut -d" " -f1)" = 0 ]'
ok "people read what crosses" eval 'plan --host-memory 130% | grep -q "^between sockets: [0-9,]* lines per epoch, [0-9.]* % of those that DRAM serves"'
ok "copies leave the seconds that they save" eval 'plan --host-memory 130% | grep -q "^DRAM of socket 1 "'
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
ok "DRAM of the server's own size" eval 'plan --ssd gen4 | grep -q "^DRAM of socket 1  *172.[0-9] GiB"'
ok "too little memory, in numbers" says 1 "topology and features take 1.64 MiB beside the offsets" plan --host-memory 90%
# 40394 arcs x 4 + 3000 lists x 8 + 3000 rows x 512 B are 1721576 B, 24008 B more the offsets: what is left at the ends of sockets does not hold a row
ok "too little memory for pages" says 1 "pages in turn leave no socket room" plan --host-memory 1745584B --socket-rows interleave
"$HOTSET" server show dgx-v100 --json | python3 -c "
import json, sys
d = json.load(sys.stdin); d.pop(\"socket_links\"); d[\"numa\"] = []
for g in d[\"gpus\"]: g[\"socket\"] = 0
json.dump(d, open(\"one.json\", \"w\"))
for g in d[\"gpus\"]: g[\"socket\"] = None
json.dump(d, open(\"none.json\", \"w\"))"
for s in one none; do ok "sockets of $s.json" says 1 "all of its DRAM is equally near" plan --server $s.json --host-memory 130% --socket-rows interleave; done
ok "sockets of several nodes" says 2 "is of the DRAM of one server" plan --nodes 2 --nic-gbps 9 --host-memory 130% --socket-rows replicate
ok "with SSDs rows lie where they are read" says 2 "lays out DRAM that has all rows" plan --host-memory 50% --ssd 2xgen4 --socket-rows interleave
ok "rows without memory" says 2 "give --host-memory" plan --socket-rows replicate
ok "another folder is left alone" says 3 "choose another -o" plan --host-memory 130% -o G
# the name that this had
plan >/dev/null
ok "hotset sockets runs hotset plan" eval '"$HOTSET" sockets S --host-memory 130% --how replicate --epochs 2 -o A >/dev/null 2>said && grep -q "write: hotset plan --like S --host-memory 130% --socket-rows replicate --simulate-epochs 2 -o A$" said ||
    { cat said; false; }'
ok "and is what it says" eval '"$HOTSET" plan --like S --host-memory 130% --socket-rows replicate --simulate-epochs 2 -o A2 --quiet >/dev/null && diff -rx .hotset A A2'
ok "a flag before the plan" eval '"$HOTSET" sockets --no-resume -oA4 S --host-memory 130% >/dev/null 2>said && [ -e A4/plan.json ]'
ok "help knows what it is" eval '"$HOTSET" help sockets 2>said | grep -q "^hotset plan - " && grep -q "is .hotset plan. now" said'
ok "it needs the memory" says 2 "needs --host-memory" "$HOTSET" sockets S -o A3
ok "a seed is simulate's" says 2 "simulate S --seed N" "$HOTSET" sockets S --host-memory 130% --seed 3 -o A3
finish
