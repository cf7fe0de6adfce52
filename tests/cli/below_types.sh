#!/usr/bin/env bash
# hotset storage, and the DRAM of sockets, for graphs with several types: what they state is what another program counts from exported mini-batches; more
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
below() { "$HOTSET" "$1" P --seed 99 --epochs 2 --quiet "${@:2}"; }
recounted() { # graph, command, options
    rm -rf S
    below "${@:2}" -o S >said || echo "not written"
    python3 "$root/tests/cli/below_types.py" P "$1" B S 2>&1 | none "$how: ${*:2}: another program counts the same"
}
for how in "X" "M" "M --policy quiver-plus" "M --policy gnnlab"; do
    # shellcheck disable=SC2086
    plan --graph $how || echo "no plan: $how"
    rm -rf B
    "$HOTSET" simulate P --seed 99 --epochs 2 --export-batches B --quiet >/dev/null || echo "no mini-batches: $how"
    recounted "${how%% *}" storage --host-memory 45% --ssd 2xgen4
    recounted "${how%% *}" storage --host-memory 80% --ssd g5.8xlarge --disk-order id
    for rows in "130%" "110% --socket-rows replicate"; do
        rm -rf K KB
        # shellcheck disable=SC2086
        "$HOTSET" plan --like P --host-memory $rows -o K --quiet >/dev/null &&
            "$HOTSET" simulate K --seed 99 --epochs 2 --export-batches KB --quiet >/dev/null && "$HOTSET" simulate K --seed 99 --epochs 2 --json --quiet >K.json || echo "not simulated"
        python3 "$root/tests/cli/below_types.py" K "${how%% *}" KB K.json 2>&1 | none "$how: $rows: another program counts the same"
    done
    rest
done
sed -i 's/"other_socket_lines": [0-9]*/"other_socket_lines": 7/' K.json
ok "a changed number is noticed" eval '[ -n "$(python3 "$root/tests/cli/below_types.py" K M KB K.json 2>&1)" ]'
plan --graph M
blocks_with() { below storage --host-memory "$1" --disk-order id --json | python3 -c 'import json, sys; print(int(json.load(sys.stdin)["simulated"]["blocks"]))'; }
last=$(blocks_with 45%)
for m in 60% 80% 100%; do
    now=$(blocks_with $m)
    ok "$m: no more blocks than with less memory" [ "$now" -le "$last" ]
    last=$now
done
ok "with room for all nothing is read" [ "$last" = 0 ]
for t in 1 3; do below storage --host-memory 50% --ssd gen4 --threads $t -o S$t >/dev/null; "$HOTSET" plan --like P --host-memory 120% --threads $t -o K$t --quiet >/dev/null; done
ok "the same bytes on any number of threads" eval 'diff -r S1 S3 && diff -r K1 K3'
ok "a table of sizes" eval 'below storage --host-memory 45%,80% --ssd gen4,2xgen4 --within 100 | grep -q "of host memory and 1 x gen4: an epoch takes"'
ok "people read how much of all rows DRAM holds" eval 'below storage --host-memory 100% | grep -q "topology of [0-9.,]* .*rows (100.0 %).*features of [0-9.,]* .*rows (100.0 %)"'
# 300 lists of papers, 600 of authors: author 211's pair of offsets lies in one block, though row 511 of all, and of a table, begins the next. What a list
# saves is what is read beside its offsets, and DRAM has room for the hottest lists: that of author 211 is short, and drawn most
mkdir two
PYTHONPATH="$root/tests/cli" python3 - <<'END'
import json
from typed import npy_write
npy_write("two/by.npy", "i8", (2, 600), [a // 2 for a in range(600)] + list(range(600)))
npy_write("two/writes.npy", "i8", (2, 900), 300 * [211] + list(range(600)) + list(range(300)) + [a // 2 for a in range(600)])
npy_write("two/train.npy", "i8", (300,), range(300))
json.dump({"name": "two", "types": [{"name": "paper", "count": 300, "train": "train.npy"}, {"name": "author", "count": 600}],
           "relations": [{"source": "author", "name": "writes", "target": "paper", "edge_index": "writes.npy"},
                         {"source": "paper", "name": "by", "target": "author", "edge_index": "by.npy"}]}, open("two/hetero.json", "w"))
END
"$HOTSET" graph import two -o W --quiet >/dev/null || echo "no graph"
plan --graph W --policy dgl-uva
ok "offsets are counted from the first row of a table" eval 'rm -rf S; below storage --host-memory 90% --ssd gen4 -o S >/dev/null && PYTHONPATH="$root/tests/cli" python3 -c "
from typed import npy_read
held = npy_read(\"S/dram_topology_1.npy\")
assert 211 in held, len(held)"'
plan --graph M --sampler labor
ok "LABOR" eval 'below storage --host-memory 50% --ssd gen4 --json | grep -q "\"schema\": \"storage/1\""'
plan --graph X --cache-type i8
ok "rows that GPUs hold rounded are whole in DRAM" eval 'below storage --host-memory 100% --ssd gen4 --json | tr -d " \n" | grep -q "\"blocks\":0.0"'
ok "rules for rows of one size" eval 'exits 2 below storage --host-memory 50% --cache lru >/dev/null; grep -q "rules replace rows of one size, but .* has several types" .stderr'
ok "too little for the offsets" eval 'exits 1 below storage --host-memory 1KiB >/dev/null; grep -q "8 bytes per neighbour list, and one more per relation" .stderr'
ok "too little for two sockets" eval 'exits 1 "$HOTSET" plan --like P --host-memory 60% -o Z --quiet >/dev/null; grep -q "no home has all rows" .stderr'
finish
