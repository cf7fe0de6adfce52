#!/usr/bin/env bash
# Real files from tests/data: what their sources say about them, and a count of our own that shares no code with hotset.
. "$(dirname "$0")/tap"
data=$root/tests/data
field() { python3 -c 'import json, sys; print(eval(sys.argv[2], {"d": json.load(open(sys.argv[1]))}))' "$1" "$2"; }
few="--fanout 10,5 --batch 100 --seed 3 --quiet"

ok "a published graph is imported" "$HOTSET" graph import "$data/squirrel.npz" --undirected --train-share 0.2 -o G --quiet
"$HOTSET" graph info G --json --quiet >info.json
if command -v python3 >/dev/null; then
    # 46,998 edges, each once and none from a vertex to itself: twice as many arcs
    ok "it has the vertices and arcs that its source states" [ "$(field G/graph.json '(d["vertices"], d["edges"])')" = "(2223, 93996)" ]
    cat >count.py <<'P'
import struct, sys, zipfile
def array(b):
    head = struct.unpack("<H", b[8:10])[0]
    kind = "Q" if b"'<u8'" in b[:10 + head] or b"'<i8'" in b[:10 + head] else "I"
    return struct.unpack("<%d%s" % ((len(b) - 10 - head) // (8 if kind == "Q" else 4), kind), b[10 + head:])
ends = array(zipfile.ZipFile(sys.argv[1]).read("edges.npy"))
want = {(a, b) for u, v in zip(ends[::2], ends[1::2]) for a, b in ((u, v), (v, u))}
start, rows = array(open("G/indptr.npy", "rb").read()), array(open("G/indices.npy", "rb").read())
have = {(v, rows[i]) for v in range(len(start) - 1) for i in range(start[v], start[v + 1])}
sys.exit(want != have or len(rows) != len(have))
P
    ok "every arc of the file is in the graph, and no other" python3 count.py "$data/squirrel.npz"
else skip "vertices and arcs" "python3 is not installed"; fi
for s in siton dgx-v100; do
    ok "$s: a plan" "$HOTSET" plan --graph G --server $s --policy hotset --budget 5% --presample-epochs 2 --simulate-epochs 1 -o P-$s $few
    ok "$s: it is valid for its graph" "$HOTSET" verify P-$s --graph G --quiet
    ok "$s: and simulated" "$HOTSET" simulate P-$s --graph G --seed 9 --epochs 1 -o S-$s.json --quiet
done
if command -v python3 >/dev/null; then
    # parts that are cut for reads lie close together, where single samples say too much: 1.08 before real mini-batches were measured
    "$HOTSET" plan --graph G --server dgx-v100 --assignment nested --budget 2% --batch 130 --fanout 10,5 --simulate-epochs 0 -o deal --quiet >/dev/null
    ok "GPUs gather about equally many rows" [ "$(field deal/plan.json 'd["deal"]["busiest_gathers"] <= 1.05')" = True ]
else skip "GPUs gather about equally many rows" "python3 is not installed"; fi
ok "policies are compared on it" "$HOTSET" compare --graph G --server dgx-v100 --policy hotset,legion,dgl-uva --budget 5% --presample-epochs 2 --simulate-epochs 1 -o R.json $few
ok "a report is drawn" "$HOTSET" report R.json -o page --quiet
ok "a POWER8 server with four P100" "$HOTSET" server import "$data/power8gpudistances.xml" -o power8.json --quiet
"$HOTSET" server show power8.json --explain --quiet >power8.txt 2>/dev/null
ok "NVLink joins two and two" grep -q '^Cliques.*: {0,1} {2,3}$' power8.txt
ok "by two links of 20 GB/s each" grep -q '^GPU0   X      NV2    \.      \.$' power8.txt
ok "an AWS p4d.24xlarge" "$HOTSET" server import "$data/aws_p4d-24xl-topo.xml" --gpu-memory 40GiB -o p4d.json --quiet
"$HOTSET" server show p4d.json --explain --quiet >p4d.txt 2>/dev/null
ok "has eight GPUs" grep -q '^8 GPUs, ' p4d.txt
ok "two below each switch, two switches at each socket" [ "$(awk '/^GPU[0-9]/ { printf "%s%s ", $5, $6 }' p4d.txt)" = "00 00 10 10 21 21 31 31 " ]
ok "the file states no NVLink, and hotset makes none up" grep -q '^NVLink: unknown' p4d.txt
# XGNN measured that pre-sampling serves fewer reads than degree where 0.3 % of the vertices train or fewer.
hits() { # GRAPH EPOCHS HOTNESS: hit rate in percent times 100, of a tenth of the vertices, over 10 other epochs
    "$HOTSET" compare --graph $1 --server pcie-8:1 --policy quiver --hotness $3 --budget 10%V --fanout 15,10,5 --batch 8000 \
        --presample-epochs $2 --simulate-epochs 10 --threads 1 --quiet --json | python3 -c 'import json, sys; print(round(1e4 * json.load(sys.stdin)["rows"][0]["simulated"]["feature_hit_rate"]))'
}
few_train() { # NAME FILE
    ok "$1: few vertices train" "$HOTSET" graph import "$2" --undirected --train-share 0.0027 --feature-dim 32 -o few-$1 --quiet
    local degree=$(hits few-$1 1 degree-in) seen=$(hits few-$1 1 presample) best=$(hits few-$1 1 calibrated)
    ok "$1: pre-sampling serves less than degree, calibrated counts do not ($seen, $degree, $best of 10,000)" [ $seen -lt $degree -a $best -ge $degree ]
}
if command -v python3 >/dev/null; then
    few_train squirrel "$data/squirrel.npz"
    ok "plan warns" eval '"$HOTSET" plan --graph few-squirrel --server pcie-8:1 --policy quiver-plus --budget 10%V -o few-plan >/dev/null 2>few.txt; grep -q "warning: 6 of 2223 vertices train (0.27 %)" few.txt'
    ok "and not where many train" eval '"$HOTSET" plan --graph G --server pcie-8:1 --policy quiver-plus --budget 10%V -o many-plan >/dev/null 2>many.txt; ! grep -q "vertices train (" many.txt'
    real=$root/../shared/data/graphs
    if [ -d "$real" ]; then
        few_train slashdot "$real/soc-slashdot0902/soc-Slashdot0902.txt.gz"
    else skip "few training vertices on larger graphs" "the folder of graphs is not here"; fi
else skip "few training vertices" "python3 is not installed"; fi
finish
