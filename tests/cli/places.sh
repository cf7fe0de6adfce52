#!/usr/bin/env bash
# hotset plan with the memories below and beside GPUs: places, lists and reads are those that another program finds; without these options a plan is
# the one it was; every policy; nodes; what other commands say of such a plan; refusals.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null || echo "no graph"
plan() { "$HOTSET" plan --graph G --budget 2% --batch 50 --fanout 6,4 --presample-epochs 2 --simulate-epochs 1 --partition stream --assignment nested --quiet "$@"; }
recounted() { # plan, name
    rm -rf B
    "$HOTSET" simulate "$1" --seed 99 --epochs 2 --quiet --json >R.json || echo "$2: not simulated"
    "$HOTSET" simulate "${3:-$1}" --seed 99 --epochs 2 --export-batches B --quiet >/dev/null || echo "$2: no mini-batches"
    python3 "$root/tests/cli/${5:-places.py}" "${3:-$1}" "${4:-G}" B R.json 2>&1 | none "$2: another program counts the same"
}
plan --server dgx-v100:4 -o P0 >/dev/null || echo "no plan"
if ! command -v python3 >/dev/null; then skip "places recounted" "python3 is not installed"; else
    for how in "--server dgx-v100 --host-memory 30% --ssd 2xgen4" "--server dgx-v100:4 --host-memory 130%" \
        "--server dgx-v100:4 --policy quiver-plus --host-memory 40% --ssd gen4" "--server siton --policy legion --host-memory 140%" \
        "--server dgx-v100:4 --sampler labor --cache-type f16 --host-memory 40% --ssd gen4" "--server dgx-a100 --peer-access own --host-memory 25% --ssd gen4"; do
        rm -rf P
        # shellcheck disable=SC2086
        plan $how -o P >said || echo "no plan: $how"
        recounted P "$how"
        ok "$how: a table" grep -q "^DRAM" said
        rest
    done
    sed -i 's/"feature_rows": [0-9]\+,/"feature_rows": 7,/' R.json
    ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/places.py" P G B R.json 2>&1)" ]'
fi
ok "lists of GPUs that others placed stay as they are" eval 'plan --server dgx-v100:4 --policy legion -o L0 >/dev/null; plan --server dgx-v100:4 --policy legion --host-memory 30% --ssd gen4 -o L1 >/dev/null; for i in 0 1 2 3; do cmp L0/gpu${i}_feature.npy L1/gpu${i}_feature.npy || exit 1; done'
for t in 1 3; do plan --server dgx-v100 --host-memory 30% --ssd gen4 --threads $t -o S$t >/dev/null; done
ok "the same bytes on any number of threads" diff -rx .hotset S1 S3
ok "one problem is not dearer than GPUs first, and near its bound" eval 'python3 - <<PY
import json
m = json.load(open("S1/plan.json"))["memories"]
assert m["bound_seconds"] <= m["predicted_seconds"] * (1 + 1e-9) <= m["tier_by_tier_seconds"] * (1 + 1e-6), m
assert m["above_bound"] < 0.02, m["above_bound"]
PY'
plan --server dgx-v100 --host-memory 30% --ssd gen4 --cache-type i8 -o I8 >/dev/null
ok "rounded rows on GPUs are one problem with what lies below, and keep the budget" eval 'python3 - <<PY
import json
m, s1 = (json.load(open(f + "/plan.json"))["memories"] for f in ("I8", "S1"))
assert m["planned"] == "one problem" and m["bound_seconds"] <= m["predicted_seconds"] * (1 + 1e-9) < 0.9 * m["tier_by_tier_seconds"], m
assert m["predicted_seconds"] < s1["predicted_seconds"], (m["predicted_seconds"], s1["predicted_seconds"])
d = json.load(open("I8/plan.json"))
n, row = 3000, d["graph"]["feature_dim"] + 4  # i8: an element each, and a scale
for g in d["gpus"]:
    assert g["feature"]["bytes"] == row * g["feature"]["count"], g["feature"]
    assert g["topology"]["bytes"] + g["feature"]["bytes"] <= g["budget_bytes"], g
PY
"$HOTSET" verify I8 --graph G --quiet | grep -q "places below the GPUs"'
# several types: tables of rows of several sizes, edge features
"$HOTSET" graph synth like ogbn-mag --scale 0.001 --feature-dim 8 -o M --quiet >/dev/null || echo "no graph"
if command -v python3 >/dev/null; then
    python3 "$root/tests/cli/typed.py" make src
    python3 - <<'END'
import json
d = json.load(open("src/hetero/hetero.json"))
for i, r in enumerate(d["relations"][::2]):
    r.update(feature_dim=3 + i, feature_type="f32")
json.dump(d, open("src/hetero/hetero.json", "w"))
END
    "$HOTSET" graph import src/hetero -o XG --quiet >/dev/null || echo "no graph"
    types() { "$HOTSET" plan --budget 2% --batch 5 --fanout 3,2 --presample-epochs 2 --simulate-epochs 1 --quiet "$@"; }
    for how in "M --server dgx-v100 --host-memory 30% --ssd 2xgen4" "XG --server dgx-v100:2 --host-memory 40% --ssd gen4" "XG --server dgx-v100:2 --host-memory 100%" \
        "M --server dgx-v100:4 --policy gnnlab --host-memory 30% --ssd gen4" "M --server siton --policy quiver-plus --host-memory 60% --ssd gen4" \
        "XG --server dgx-v100:4 --sampler labor --cache-type paper=f16 --host-memory 40% --ssd gen4"; do
        rm -rf TP
        # shellcheck disable=SC2086
        types --graph $how -o TP >said || echo "no plan: $how"
        recounted TP "$how" TP "${how%% *}" places_types.py
        ok "$how: verify" eval '"$HOTSET" verify TP --quiet | grep -q "places below the GPUs"'
    done
    sed -i 's/"feature_rows": [0-9]\+,/"feature_rows": 7,/' R.json
    ok "a changed number of several types is noticed" eval '[ -n "$(python3 "$root/tests/cli/places_types.py" TP XG B R.json 2>&1)" ]'
    types --graph XG --server dgx-v100:2 --nodes 2 --nic-gbps 12.5 --host-memory 75% -o TN >said || echo "no plan of nodes"
    recounted TN "several types, a node's plan" TN/node1 XG places_types.py
    ok "nodes of several types are verified" eval '"$HOTSET" verify TN --quiet | grep -q "plans of 2 nodes"'
    for t in 1 3; do types --graph M --server dgx-v100 --host-memory 60% --ssd gen4 --threads $t -o TS$t >/dev/null; done
    ok "several types: the same bytes on any number of threads" diff -rx .hotset TS1 TS3
    ok "several types: explain and diff" eval '"$HOTSET" explain TS1 --vertex paper:3 --quiet | grep -q "the paper feature row is read by GPU" && "$HOTSET" diff TS1 TS3 --quiet | grep -q "^DRAM of socket 1 "'
    ok "several types: near the bound" eval 'python3 - <<PY
import json
m = json.load(open("TS1/plan.json"))["memories"]
assert m["bound_seconds"] <= m["predicted_seconds"] * (1 + 1e-9) <= m["tier_by_tier_seconds"] * (1 + 1e-6) and m["above_bound"] < 0.05, m
PY'
    cat >hurt_types.py <<'END'
import hashlib, json, sys
folder, what = sys.argv[1:]
d = json.load(open(folder + "/plan.json"))
del d["checksum"]
m = d["memories"]
l = [x for p in m["places"] for x in p.get("lists", [])]
def ids(change):  # of the first list; the checksum says so
    path = folder + "/" + l[0]["file"]
    raw = bytearray(open(path, "rb").read())
    change(raw)
    open(path, "wb").write(raw)
    next(f for f in d["files"] if f["name"] == l[0]["file"])["sha256"] = hashlib.sha256(raw).hexdigest()
exec(what)
json.dump(d, open(folder + "/plan.json", "w"))
END
    for change in 'm["places"][0]["lists"].append(l[0])' 'l[0]["relation"] = "none"' 'l[0]["file"] = "gpu0_topology_0.npy"' 'm["places"][0]["lists"] = 3' 'm["feature_row_bytes"][0] += 4' \
        'm["readers"][0]["feature_row_seconds"] = m["readers"][0]["feature_row_seconds"][0]' 'ids(lambda raw: raw.__setitem__(slice(-4, None), b"\xff" * 4))' \
        'ids(lambda raw: raw.__setitem__(slice(-4, None), raw[-8:-4]))' 'm["places"].pop()' 'm["places"][0]["capacity_bytes"] = 5'; do
        rm -rf TD && cp -r TS1 TD && python3 hurt_types.py TD "$change"
        ok "simulate and verify refuse $change" eval 'exits 3 "$HOTSET" simulate TD --quiet >/dev/null && grep -q TD/ .stderr && ! "$HOTSET" verify TD --quiet >/dev/null 2>&1'
    done
    ok "export to npy has the lists of several types" eval '"$HOTSET" export TS1 --to npy --simulate-epochs 0 -o TX --quiet >/dev/null && (cd TS1 && sha256sum dram*.npy) >lists.sum && (cd TX && sha256sum dram*.npy) | cmp - lists.sum'
fi
# nodes
ok "nodes have a plan each" eval 'plan --server dgx-v100:4 --nodes 2 --nic-gbps 12.5 --host-memory 70% -o N >said && grep -q "^node1 " said && grep -q "plan-nodes/1" N/plan.json'
command -v python3 >/dev/null && recounted N "a node's plan" N/node1
ok "nodes train all vertices, and hold all rows together" eval 'python3 - <<PY
import json
d = [json.load(open("N/node%d/plan.json" % i)) for i in range(2)]
assert sum(g["train"]["count"] for p in d for g in p["gpus"]) == json.load(open("G/graph.json"))["train_vertices"]
for kind in ("topology", "feature"):
    assert sum(x[kind]["count"] for p in d for x in p["memories"]["places"] if x["kind"] == "dram") >= 3000, kind
PY'
ok "verify knows a plan of nodes" eval '"$HOTSET" verify N --graph G --quiet | grep -q "plans of 2 nodes"'
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 4 --train-share 0.2 -o G4 --quiet >/dev/null || echo "no graph"
ok "verify compares the plans of nodes with the graph" eval '"$HOTSET" verify N --graph G --quiet | grep -q "fingerprint of its arrays"; ! "$HOTSET" verify N --graph G4 --quiet >/dev/null 2>.stderr; grep -q "was made for a graph" .stderr'
damaged() { # what sed changes, what is said
    rm -rf DN; cp -r N DN
    sed -i "$1" DN/plan.json
    ! "$HOTSET" verify DN --quiet >/dev/null 2>.stderr && grep -q -- "$2" .stderr && ! "$HOTSET" simulate DN --quiet >/dev/null 2>.stderr && grep -q -- "$2" .stderr
}
ok "a changed byte in the plan of nodes is found" damaged 's/"policy": "hotset"/"policy": "hotsat"/' checksum
ok "parts are those of the folder" damaged '/"checksum"/d; s/^ \],$/ ]/; s/"path": "node1"/"path": "node0"/' 'the path of part 1 is "node0", expected "node1"'
ok "a damaged list is found" eval 'cp -r S1 D; printf x >>D/dram0_feature.npy; ! "$HOTSET" verify D --quiet >/dev/null 2>.stderr; grep -q "dram0_feature.npy" .stderr'
ok "and by simulate" eval '! "$HOTSET" simulate D --quiet >/dev/null 2>.stderr; grep -q "dram0_feature.npy" .stderr'
if command -v python3 >/dev/null; then
    cat >hurt.py <<'END'
import hashlib, json, sys
folder, what = sys.argv[1:]
d = json.load(open(folder + "/plan.json"))
del d["checksum"]
if what == "order":  # two ids change places, and the checksum says so
    name = "dram0_feature.npy"
    raw = bytearray(open(folder + "/" + name, "rb").read())
    raw[128:136] = raw[132:136] + raw[128:132]
    open(folder + "/" + name, "wb").write(raw)
    for f in d["files"]:
        if f["name"] == name:
            f["sha256"] = hashlib.sha256(raw).hexdigest()
elif what.startswith("{"):
    d["memories"]["ssd"].update(json.loads(what))
else:
    exec(what, {"m": d["memories"], "d": d})
json.dump(d, open(folder + "/plan.json", "w"))
END
    hurt() { rm -rf D && cp -r S1 D && python3 hurt.py D "$1"; }
    ok "ids of a place ascend" eval 'hurt order && exits 3 "$HOTSET" simulate D --quiet >/dev/null; grep -q "ascending ids" .stderr'
    for ssd in '{"bytes": -5}' '{"read_gbps": -1}' '{"read_gbps": 0, "reads_per_second": 0}' '{"reads_per_second": -4}' '{"block_bytes": 0}' '{"drives": 70000}' '{"read_gbps": "much"}'; do
        ok "SSDs as $ssd are refused" eval 'hurt "$ssd" && exits 3 "$HOTSET" simulate D --quiet >/dev/null; grep -q "\"ssd\"" .stderr'
    done
    for change in 'd["memories"] = []' 'm["line_blocks"] = -3' 'm["nic_gbps"] = -1' 'm["readers"] *= 2' 'm["readers"][0]["gpus"] = []' \
        'm["readers"][0]["feature_row_seconds"][0] = 1e308' 'm["places"][0]["feature"]["file"] = "../G/indices.npy"' 'm["places"] = []' 'm["node"] = 1'; do
        ok "simulate and verify refuse $change" eval 'hurt "$change" && exits 3 "$HOTSET" simulate D --quiet >/dev/null && grep -qE "D/(plan.json|.*plan.json says)" .stderr && ! "$HOTSET" verify D --quiet >/dev/null 2>&1'
    done
fi
ok "explain says where a row lies" eval '"$HOTSET" explain S1 --vertex 5 --quiet | grep -q "the feature row is read by GPU 0,1,2,3 from "'
ok "diff counts rows of DRAM" eval '"$HOTSET" diff S1 S3 --quiet | grep -q "^DRAM of socket 0 "'
ok "export to npy has the lists" eval '"$HOTSET" export S1 --to npy -o X --quiet >/dev/null && cmp S1/dram1_feature.npy X/dram1_feature.npy'
ok "runtimes with one host memory do not get rows of SSDs" eval '! "$HOTSET" export S1 --to quiver -o Y --quiet >/dev/null 2>.stderr && grep -q "rows lie on SSDs, but quiver" .stderr'
ok "nor of other nodes" eval '! "$HOTSET" export N/node1 --to legion -o Y --quiet >/dev/null 2>.stderr && grep -q "rows lie on other nodes, but legion" .stderr'
ok "of sockets they say what stays behind" eval 'plan --server dgx-v100:4 --host-memory 130% -o DR >/dev/null && "$HOTSET" export DR --to quiver -o Y --quiet | grep -q "memories below the GPUs"'
printf '{"schema": "cluster/1", "servers": [{"server": "dgx-a100:4", "count": 2}], "network": {"nic_gbps": 10}}' >c.json
ok "a cluster file" eval 'plan --cluster c.json --host-memory 30% --ssd gen4 -o C >/dev/null && "$HOTSET" simulate C/node0 --quiet | grep -q "^node 1 "'
ok "100% holds everything, on one socket or two" eval 'plan --server dgx-v100 --host-memory 100% -o H2 >/dev/null && plan --server siton --host-memory 100% -o H1 >/dev/null'
says() { local code=$1 text=$2; shift 2; exits "$code" "$@" >/dev/null && grep -q -- "$text" .stderr; }
ok "too little memory is said before anything is recorded" says 1 "no home has all rows: topology and features take .*SSDs (--ssd)" plan --server dgx-v100:4 --host-memory 90% -o Z
ok "the number that it names is enough" eval 'exits 1 plan --server dgx-v100:4 --nodes 3 --nic-gbps 9 --host-memory 30% -o Z >/dev/null; size=$(sed -n "s/.*; give \([0-9.]*\) \([KMG]iB\).*/\1\2/p" .stderr); plan --server dgx-v100:4 --nodes 3 --nic-gbps 9 --host-memory "$size" -o HN >/dev/null'
# samplers that read weights, times or whole frontiers: DRAM holds all topology, SSDs feature rows
awk 'BEGIN { srand(5); for (i = 0; i < 9000; i++) print int(rand() * 900), int(rand() * rand() * 900), 1 + i % 7 }' >timed.txt
for kind in times weights; do "$HOTSET" graph import timed.txt --$kind --undirected --feature-dim 64 --train-share 0.2 -o "$kind" --quiet >/dev/null || echo "no graph"; done
for how in "times --sampler temporal --host-memory 60%" "weights --sampler biased --host-memory 60%" "times --sampler layer-wise --nodes 2 --nic-gbps 25 --host-memory 30%"; do
    # shellcheck disable=SC2086
    ok "$how: SSDs hold feature rows only" eval 'rm -rf ST && "$HOTSET" plan --graph $how --server dgx-v100 --budget 2% --batch 20 --fanout 6,4 --presample-epochs 2 --simulate-epochs 1 --ssd gen4 --quiet -o ST >said && python3 - <<PY
import glob, json
plans = [json.load(open(f)) for f in glob.glob("ST/plan.json") + glob.glob("ST/node*/plan.json")]
plans = [d for d in plans if "memories" in d]
everywhere = sum(x["topology"]["count"] for d in plans for x in d["memories"]["places"] if x["kind"] == "dram")
assert everywhere >= plans[0]["graph"]["vertices"], everywhere
for d in plans:
    ssd = next(x for x in d["simulated"]["memories"]["places"] if x["kind"] == "ssd")
    assert ssd["topology_visits"] == 0 and ssd["feature_rows"] > 0, ssd
PY'
done
ok "too little DRAM for all topology" says 1 "so DRAM holds all topology; that takes .* beside the offsets, but there are" "$HOTSET" plan --graph times --sampler temporal --server dgx-v100 --budget 2% --batch 20 --fanout 6,4 --host-memory 10% --ssd gen4 --quiet -o Z
ok "too little memory of two nodes" says 1 "no home has all rows.* 2 nodes" plan --server dgx-v100:4 --nodes 2 --nic-gbps 9 --host-memory 45% -o Z
ok "scratch of one node for several" says 2 "--scratch: is of one node" plan --server dgx-v100:4 --nodes 2 --nic-gbps 9 --host-memory 100% --scratch T -o Z
ok "what is printed is what is written, checksum included" eval 'plan --server dgx-v100:4 --nodes 2 --nic-gbps 9 --host-memory 70% -o NJ --json >said && cmp said NJ/plan.json'
ok "a dynamic cache" says 1 "planned for lists" "$HOTSET" plan --graph G --server dgx-v100:4 --budget 2% --policy bgl --host-memory 130% --quiet -o Z
ok "nodes without a network" says 2 "needs --nic-gbps" plan --server dgx-v100:4 --nodes 2 --host-memory 100% -o Z
ok "lists of one node for several" says 2 "is of one node" "$HOTSET" plan --graph G --server dgx-v100:4 --nodes 2 --nic-gbps 9 --host-memory 100% --from-lists P0 --quiet -o Z
ok "a plan of nodes is explained node by node" eval '"$HOTSET" explain N --vertex 3 >said && grep -q "^node 0$" said && grep -q "^node 1$" said'
finish
