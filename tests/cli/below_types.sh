#!/usr/bin/env bash
# DRAM of sockets, and SSDs below it, for graphs with several types: what they state is what another program counts from exported mini-batches; more
# memory reads less; threads change nothing; what is refused.
. "$(dirname "$0")/tap"

command -v python3 >/dev/null || { skip "memories below several types recounted" "python3 is not installed"; finish; exit; }
python3 "$root/tests/cli/typed.py" make src
python3 - <<'END'
import json
d = json.load(open("src/hetero/hetero.json"))
for i, r in enumerate(d["relations"][::2]):
    r.update(feature_dim=3 + i, feature_type="f32")
json.dump(d, open("src/hetero/hetero.json", "w"))
END
"$HOTSET" graph import src/hetero -o X --quiet >/dev/null || echo "no graph"
"$HOTSET" graph synth like ogbn-mag --scale 0.001 --feature-dim 8 -o M --quiet >/dev/null || echo "no graph"
plan() { rm -rf P; "$HOTSET" plan --server dgx-v100 --budget 2% --batch 5 --fanout 3,2 --presample-epochs 2 --simulate-epochs 0 "$@" -o P --quiet >/dev/null; }
below() { "$HOTSET" plan --like P --simulate-epochs 1 --quiet --force -o K "$@"; }
for how in "X" "M" "M --policy quiver-plus" "M --policy gnnlab"; do
    # shellcheck disable=SC2086
    plan --graph $how || echo "no plan: $how"
    for rows in "45% --ssd 2xgen4" "80% --ssd g5.8xlarge" "130%" "110% --socket-rows replicate"; do
        rm -rf K KB
        # shellcheck disable=SC2086
        below --host-memory $rows >/dev/null && "$HOTSET" simulate K --seed 99 --epochs 2 --export-batches KB --quiet >/dev/null &&
            "$HOTSET" simulate K --seed 99 --epochs 2 --json --quiet >K.json || echo "not simulated"
        python3 "$root/tests/cli/below_types.py" K "${how%% *}" KB K.json 2>&1 | none "$how: $rows: another program counts the same"
    done
    rest
done
sed -i 's/"other_socket_lines": [0-9]*/"other_socket_lines": 7/' K.json
ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/below_types.py" K M KB K.json 2>&1)" ]'
plan --graph M
blocks_with() { below --host-memory "$1" --ssd gen4 --json | python3 -c 'import json, sys; print(int(json.load(sys.stdin)["simulated"]["memories"]["ssd"]["blocks"]))'; }
last=$(blocks_with 45%)
for m in 60% 80% 100%; do
    now=$(blocks_with $m)
    ok "$m: no more blocks than with less memory" [ "$now" -le "$last" ]
    last=$now
done
ok "with room for all nothing is read" [ "$last" = 0 ]
for t in 1 3; do below --host-memory 50% --ssd gen4 --threads $t -o S$t >/dev/null; below --host-memory 120% --threads $t -o K$t >/dev/null; done
ok "the same bytes on any number of threads" eval 'diff -rx .hotset S1 S3 && diff -rx .hotset K1 K3'
ok "sizes" eval '"$HOTSET" size --like P --simulate-epochs 1 --nodes 1 --price 0 --most 10KiB --steps 1 --host-memory 45%,80% --ssd gen4,2xgen4 --target "epoch-time<=100s" --quiet | grep -q "^dgx-v100, host 45 %, 1 x gen4: "'
# 300 lists of papers, 600 of authors: author 211's pair of offsets lies in one block, though row 511 of all, and of a table, begins the next. What a list
# saves is what is read beside its offsets, and DRAM has room for the hottest lists: that of author 211 is short, and drawn most
mkdir two
PYTHONPATH="$root/tests/cli" python3 - <<'END'
import json
from typed import npy_write
npy_write("two/by.npy", "i8", (2, 600), [a // 2 for a in range(600)] + list(range(600)))
npy_write("two/writes.npy", "i8", (2, 900), 300 * [211] + list(range(600)) + list(range(300)) + [a // 2 for a in range(600)])
npy_write("two/train.npy", "i8", (300,), range(300))
json.dump({"name": "two", "types": [{"name": "paper", "count": 300, "train": "train.npy", "feature_dim": 1, "feature_type": "f32"}, {"name": "author", "count": 600}],
           "relations": [{"source": "author", "name": "writes", "target": "paper", "edge_index": "writes.npy"},
                         {"source": "paper", "name": "by", "target": "author", "edge_index": "by.npy"}]}, open("two/hetero.json", "w"))
END
"$HOTSET" graph import two -o W --quiet >/dev/null || echo "no graph"
plan --graph W --policy dgl-uva
ok "offsets are counted from the first row of a table" eval 'below --host-memory 90% --ssd gen4 >/dev/null && PYTHONPATH="$root/tests/cli" python3 -c "
from typed import npy_read
assert any(211 in npy_read(\"K/dram%d_topology_1.npy\" % s) for s in (0, 1))"'
plan --graph M --sampler labor
ok "LABOR" below --host-memory 50% --ssd gen4
plan --graph X --cache-type i8
ok "rows that GPUs hold rounded are whole in DRAM" eval 'below --host-memory 100% --ssd gen4 --json | tr -d " \n" | grep -q "\"blocks\":0.0"'
ok "rules for rows of one size" eval 'below --host-memory 50% --ssd gen4 >/dev/null; exits 2 "$HOTSET" simulate K --cache lru >/dev/null; grep -q -- "--cache" .stderr'
ok "too little for the offsets" eval 'exits 1 below --host-memory 1KiB --ssd gen4 >/dev/null; grep -q "offsets alone take" .stderr'
ok "too little for two sockets" eval 'exits 1 "$HOTSET" plan --like P --host-memory 60% -o Z --quiet >/dev/null; grep -q "no home has all rows" .stderr'
finish
