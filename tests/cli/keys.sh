#!/usr/bin/env bash
# A document whose optional key has the wrong kind is refused, exit code 3, and the key is named: plan, trace, graph, hetero.json, case.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "kinds of keys" "python3 is not installed"; finish; }

"$HOTSET" graph synth community --vertices 400 --edges 3000 --train-share 0.2 --feature-dim 16 -o G --quiet >/dev/null || exit 2
"$HOTSET" graph synth like igbh-tiny --scale 0.01 -o H --quiet >/dev/null || exit 2
draw=(--batch 20 --fanout 5,3 --quiet)
for g in G H; do
    "$HOTSET" plan --graph $g --server dgx-v100 --budget 5% "${draw[@]}" --simulate-epochs 1 -o P$g >/dev/null || exit 2
    "$HOTSET" trace record --graph $g --server dgx-v100 "${draw[@]}" -o T$g >/dev/null || exit 2
done
# edit FILE PATH VALUE: sets the member at a path (a.0.b; VALUE - removes it); a checksum goes, so that the edit is what is found
edit() {
    python3 - "$@" <<'PY'
import json, sys
path, keys, value = sys.argv[1], sys.argv[2].split("."), sys.argv[3]
top = json.load(open(path))
top.pop("checksum", None)
at = top
for k in keys[:-1]: at = at[int(k) if k.isdigit() else k]
if value == "-": del at[keys[-1]]
else: at[keys[-1]] = json.loads(value)
json.dump(top, open(path, "w"))
PY
}
# wrong NAME DOCUMENT KEY VALUE COMMAND..: the command on a copy of NAME, whose document is edited, ends with 3 and names the key
wrong() {
    local of=$1 document=$2 key=$3 value=$4
    rm -rf copy && cp -r "$of" copy && edit "copy/$document" "$key" "$value" || return 1
    "${@:5}" >/dev/null 2>said
    [ $? = 3 ] && grep -q "\"\?${key##*.}\"\?" said || { cat said; return 1; }
}
for g in G H; do
    ok "$g: the plan and the trace are good" eval '"$HOTSET" verify P$g --graph $g --quiet >/dev/null && "$HOTSET" plan --graph $g --server dgx-v100 --budget 5% --trace T$g --simulate-epochs 0 --force -o good --quiet >/dev/null'
    while read -r key value; do
        ok "plan of $g: $key $value" wrong P$g plan.json "$key" "$value" "$HOTSET" simulate copy --graph $g --epochs 1 --quiet
    done <<'EOT'
workload.sampler 7
workload.order ["bfs"]
server.document.pcie 5
EOT
    python3 "$root/tests/cli/keys.py" "$HOTSET" plan.json P$g "$HOTSET" simulate copy --graph $g --epochs 1 --quiet 2>&1 | none "plan of $g: every key of another kind is refused by its name"
    python3 "$root/tests/cli/keys.py" "$HOTSET" trace.json T$g "$HOTSET" plan --graph $g --server dgx-v100 --budget 5% --trace copy --simulate-epochs 0 -o none --quiet 2>&1 | none "trace of $g: likewise"
    rest
done
# what policies and options state, which a plan keeps
made() { "$HOTSET" plan --graph G --server dgx-v100:2 --budget 5% "${draw[@]}" --simulate-epochs 1 "$@" >/dev/null 2>&1 || exit 2; }
made --policy pagraph -o P1
made --policy gnnlab -o P2
made --policy hyscale -o P3
made --objective time --peer-access forward -o P4
made --cache-type f8 -o P5
made --for dgl -o P6
made --policy dgl-uva --order blocks:2 -o P7
"$HOTSET" plan --graph G --server dgx-v100:2 --policy dgl-uva "${draw[@]}" --simulate-epochs 1 -o P8 >/dev/null 2>&1 || exit 2
"$HOTSET" trace record --graph G --server dgx-v100 "${draw[@]}" --seed 5 --plan PG -o T2 >/dev/null 2>&1 || exit 2
"$HOTSET" refresh PG --graph G --trace T2 --quiet -o P9 >/dev/null 2>&1 || exit 2
python3 "$root/tests/cli/keys.py" "$HOTSET" plan.json P1,P2,P3,P4,P5,P6,P7,P8,P9 "$HOTSET" simulate copy --graph G --epochs 1 --quiet 2>&1 | none "what plans of other policies state has rows, too"
ok "these plans have each of those keys" eval 'for k in policy_options partition_share partition_bytes sampler_gpus splits cpu deal order objective reservation rounding reach settings for refresh premises; do grep -qs "^  \"$k\"" P?/plan.json || { echo "$k"; false; } || break; done'
ok "a plan that is loaded still says what it minimised" eval '"$HOTSET" simulate P4 --graph G --epochs 1 --quiet | grep -q "Caching every row would save "'
# what only sums and other numbers tell: verify (exit 1) and simulate (exit 3) alike
said() { rm -rf copy && cp -r PG copy && edit copy/plan.json "$1" "$2" && "$HOTSET" verify copy --quiet >/dev/null 2>one; [ $? = 1 ] && "$HOTSET" simulate copy --graph G --epochs 1 --quiet >/dev/null 2>two; [ $? = 3 ] && cmp one two; }
while read -r key value; do
    ok "verify and simulate say the same of $key $value" said "$key" "$value"
done <<'EOT'
server.cls -
gpus.0.peers -5
gpus.0.feature.file "gpu1_feature.npy"
gpus.0.budget_bytes 1000000
gpus.0.clique 3
files.1.bytes 7
cliques.0.budget_bytes 7
cliques.0.feature_bytes 7
cliques.0.predicted.total_transactions 7
predicted.feature_transactions 7
predicted.total_transactions 7
simulated.total_transactions 7
graph.feature_bytes -
workload.fanout []
EOT
ok "a plan for rows of another size" eval 'rm -rf copy && cp -r G copy && edit copy/graph.json feature_dim 128 && exits 3 "$HOTSET" simulate PG --graph copy --quiet && grep -q "feature rows of 16 x 4 bytes" "$work/.stderr"'
ok "graph.json without feature_dim" wrong G graph.json feature_dim - "$HOTSET" graph info copy
ok "graph.json: feature_bytes beside another feature_type" wrong G graph.json feature_bytes 16 "$HOTSET" graph info copy
ok "a plan of several types without its graph's fingerprint" wrong PH plan.json graph.fingerprint - "$HOTSET" simulate copy --graph H --epochs 1 --quiet
ok "a trace of several types without it" wrong TH trace.json graph.fingerprint - "$HOTSET" plan --graph H --server dgx-v100 --budget 5% --trace copy --simulate-epochs 0 -o none --quiet
for total in vertices edges train_vertices; do ok "graph.json of several types: $total is no sum" wrong H graph.json $total 7 "$HOTSET" graph info copy; done

# a folder with hetero.json
mkdir X && python3 - <<'PY'
import json, struct
def npy(path, kind, shape, numbers):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % ({"q": "<i8"}[kind], shape)).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%d%s" % (len(numbers), kind), *numbers))
npy("X/e.npy", "q", (2, 3), [0, 1, 2, 2, 1, 0])
npy("X/tr.npy", "q", (2,), [0, 1])
json.dump({"name": "x", "types": [{"name": "a", "count": 3, "feature_dim": 4, "feature_type": "f32", "train": "tr.npy"}],
           "relations": [{"source": "a", "name": "r", "target": "a", "edge_index": "e.npy", "feature_dim": 2, "feature_type": "f16"}]}, open("X/hetero.json", "w"))
PY
ok "hetero.json is good" "$HOTSET" graph import X -o XG --quiet
while read -r key value; do
    ok "hetero.json: $key $value" wrong X hetero.json "$key" "$value" "$HOTSET" graph import copy -o none --quiet
done <<'EOT'
types.0.train 2
types.0.train ["tr.npy"]
types.0.feature_type 16
relations.0.feature_dim -
relations.0.weights 1
name 4
EOT
rm -rf copy && cp -r XG copy && rm copy/relation0_edge_ids.npy
ok "a graph whose edges have features needs their numbers" eval 'exits 3 "$HOTSET" graph info copy && grep -q relation0_edge_ids.npy "$work/.stderr"'

"$HOTSET" validate --show gather-host >case.json 2>/dev/null || "$HOTSET" validate --show gather-host -o case.json >/dev/null 2>&1
mkdir C && cp case.json C
ok "a case whose given is a text" wrong C case.json given '"x"' "$HOTSET" validate --case copy/case.json -o none
finish
