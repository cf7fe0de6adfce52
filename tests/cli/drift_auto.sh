#!/usr/bin/env bash
# hotset drift against hotset refresh on the same data: whether moving pays, what it loads, and the time that it saves.
. "$(dirname "$0")/tap"
of() { python3 "$root/tests/cli/drift_auto.py" "$@"; }
"$HOTSET" graph synth community --vertices 3000 --edges 45000 --communities 16 --mixing 0.05 --train-share 0.5 --feature-dim 48 --quiet -o G >/dev/null
of server >S.json
for t in 0 1 2; do
    of window G 3 0.5 $t >train$t.txt
    "$HOTSET" graph import G/indptr.npy G/indices.npy --train train$t.txt --feature-dim 48 --quiet -o G$t >/dev/null
done
how="--server S.json --fanout 5,3 --batch 50 --presample-epochs 2 --quiet"
agree() { # NAME BUDGET DEAL RECORDED: drift and refresh decide, load and save alike
    local name=$1 budget=$2 deal=$3 recorded=$4
    rm -rf P T R? R?? R???? D*.json
    "$HOTSET" plan --graph G0 $how --objective transactions --sampling gpu --budget "$budget" --assignment "$deal" --simulate-epochs 0 -o P >/dev/null
    "$HOTSET" trace record --graph G1 --server S.json $recorded --fanout 5,3 --batch 50 --epochs 2 --quiet -o T >/dev/null 2>&1
    "$HOTSET" simulate P --graph G2 --epochs 2 --json --quiet >fixed.json 2>/dev/null
    # shellcheck disable=SC2086
    for n in 0 $epochs; do
        "$HOTSET" refresh P --graph G1 --trace T --pay-within $n --auto --json --simulate-epochs 0 --quiet -o R$n >R$n.json
        "$HOTSET" simulate R$n --graph G2 --epochs 2 --json --quiet >auto$n.json 2>/dev/null
        [ $n = 0 ] || "$HOTSET" drift --graph G $how --budget "$budget" --assignment "$deal" --simulate-epochs 2 --windows 3 --window-share 0.5 --window-epochs $n --json --move-budget 64KiB >D$n.json
    done
    ok "$name: what refresh --auto decides, loads and takes, drift does, for 1 to 1,000 epochs" of decided $epochs
    ok "$name: saved: links and memory by their rates, against what loading takes" of saved $epochs
}
epochs="1 2 5 20 1000"
agree parts 4% gpu "--plan P"
rest
epochs="1 1000"
agree "at random" 4% global "--assignment global" # drift records a deal at random as it falls, and lets GPUs exchange what they recorded, as refresh does
of server 20 >S.json # links that an epoch waits for: GPUs that hold all rows exchange them
agree exchanged 40% gpu "--plan P"
ok "exchanged: rows come from peers" of peers $epochs
finish
