#!/usr/bin/env bash
# The worked example of planner/model: its input is run, and every number that stands there is compared with the program's.
. "$(dirname "$0")/tap"
. "$root/tests/golden/data/tools.sh"

model=$root/planner/model/example.md
# the lines "key: value" of the blocks marked `example`
awk '/^```text example$/ { on = 1; next } /^```/ { on = 0 } on' "$model" "$root/planner/model/transactions.md" >example
value() { awk -v key="$1: " 'index($0, key) == 1 { print substr($0, length(key) + 1); exit }' example; }
echo -n >used
input() { echo "$1" >>used; value "$1"; }
same() { [ "$1" = "$2" ] || { echo "the model says '$1', hotset says '$2'"; false; }; }
# is KEY ACTUAL: the document says what the program says
is() {
    echo "$1" >>used
    ok "$1" same "$(value "$1")" "$(echo "$2" | tr -s ' ' | sed 's/^ //; s/ $//')"
}

# ---- input
input "arcs" | tr ' ' '\n' | tr - ' ' >arcs.txt
input "training vertices" | tr ' ' '\n' >train.txt
echo '{"schema": "server/1", "name": "pair", "gpus": [{"id": 0}, {"id": 1}], "nvlinks": [{"a": 0, "b": 1, "links": 1}]}' >pair.json
dim=$(input "feature dimension") fanout=$(input "fan-outs") batch=$(input "mini-batch") budget=$(input "budget per GPU")
ok "the graph" "$HOTSET" graph import arcs.txt --sample out --train train.txt --feature-dim "$dim" -o G --quiet
ok "the trace" "$HOTSET" trace record --graph G --server pair.json --fanout "$fanout" --batch "$batch" --epochs 1 -o T --quiet
plan_of() { "$HOTSET" plan --graph G --server pair.json --trace T --policy "$1" --budget "$2" --simulate-epochs 1 --explain -o "$3" --quiet >"$3.table"; }
for policy in legion hotset; do ok "the plan of $policy" plan_of "$policy" "$budget" "P-$policy"; done
ok "the plan without budget" plan_of legion 0 P-nothing

# ---- the trace: arrays of [gpus, n] and [hops, gpus, n]
n=$(grep -oE '"vertices": *[0-9]+' G/graph.json | grep -oE '[0-9]+$')
row() { ids "$1" | tr ' ' '\n' | sed -n "$(($2 * n + 1)),$((($2 + 1) * n))p" | tr '\n' ' '; } # FILE ROW
for g in 0 1; do
    is "GPU $g trains" "$(ids T/train_gpu$g.npy)"
    for h in 0 1; do is "visits, hop $h, GPU $g" "$(row T/visits.npy $((2 * h + g)))"; done
    is "H_T, GPU $g" "$(row T/hotness_topology.npy $g)"
    is "H_F, GPU $g" "$(row T/hotness_feature.npy $g)"
done
is "N_TSUM" "$(grep -A1 '"n_tsum"' T/trace.json | tail -n 1)"

# ---- rows and orders, as `explain` tells them: one line per vertex and kind: kind vertex bytes reads saved rank
explained() { # PLAN
    for v in $(seq 0 $((n - 1))); do
        "$HOTSET" explain "$1" --vertex "$v" --json --quiet | awk -v v="$v" '{ gsub(/[",]/, "") }
            /^     kind:/ { kind = substr($2, 1, 1) } /^     bytes:/ { bytes = $2 } /^     (visits|mini_batches)_per_epoch:/ { reads = $2 }
            /^     transactions_saved_per_epoch:/ { saved = $2 } /^     rank:/ { print kind, v, bytes, reads, saved, $2 }'
    done
}
explained P-legion >legion.rows
explained P-hotset >hotset.rows
of_kind() { awk -v kind="$1" '$1 == kind { print '"$2"' }' hotset.rows | tr '\n' ' '; }
is "bytes of a topology row" "$(of_kind t '$3')"
is "lines of a visit" "$(of_kind t '$5 / $4')"
is "lines of a feature row" "$(of_kind f '$5 / $4')"
ranked() { awk -v kind="$1" '$1 == kind' legion.rows | sort -n -k6 | awk '{ print $2 }' | tr '\n' ' '; }
is "Q_T" "$(ranked t)"
is "Q_F" "$(ranked f)"
is "hotset, order" "$(sort -n -k6 hotset.rows | awk '{ print $1 $2 }' | tr '\n' ' ')"

# ---- plans
simulated() { sed -n 's/^simulated, held out *//p' "$1.table"; }
is "uncached, simulated" "$(simulated P-nothing | awk '{ print $(NF - 2), $(NF - 1), $NF }')"
while read -r range topology feature; do is "sweep $range" "$topology $feature"; done < <(sweep P-legion/plan.json)
for p in legion hotset; do
    is "$p, alpha" "$(grep -oE '"alpha": [0-9.]+' P-$p/plan.json | sed -n '1s/.* //p')"
    for g in 0 1; do
        is "$p, GPU $g topology" "$(ids P-$p/gpu${g}_topology.npy)"
        is "$p, GPU $g features" "$(ids P-$p/gpu${g}_feature.npy)"
    done
    is "$p, predicted" "$(sed -n 's/^predicted *//p' P-$p.table)"
    is "$p, simulated" "$(simulated P-$p)"
    is "$p, error" "$(sed -n 's/^prediction error: \([^ ]* %\).*/\1/p' P-$p.table)"
done

# ---- transactions.md: a row of which a part is drawn. Vertex 0 has the entries before it, vertex 1 the row.
before=$(input "entries before the row") entries=$(input "entries of the row")
{ seq -f '0 %.0f' 2 $((before + 1)); seq -f '1 %.0f' 2 $((entries + 1)); } >long.txt
echo 1 >one.txt
ok "the graph of transactions.md" "$HOTSET" graph import long.txt --sample out --train one.txt -o L --quiet
ok "a plan for it" "$HOTSET" plan --graph L --server pair.json --budget 0 --fanout "$(input "draws")" --presample-epochs 1 -o PL --quiet
is "expected transactions of a visit" "$("$HOTSET" explain PL --vertex 1 --json --quiet | sed -n 's/.*"transactions_saved_per_epoch": \([0-9.]*\).*/\1/p' | head -n 1 | awk '{ printf "%.4f", $1 }')"

# ---- no number stands there unchecked
sed 's/: .*//' example | sort >stated
sort -u used | comm -13 - stated | none "every line of the example is compared"
ok "there are many" eval '[ "$(wc -l <stated)" -ge 50 ]'
finish
