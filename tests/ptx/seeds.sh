#!/usr/bin/env bash
# Blocks, warps, lanes and streams go on in an order that a seed decides: a hundred seeds give the same recording and the same plan.
. "$(dirname "$0")/../cli/tap"
ptx=${PTX_PROGRAM:-${BUILD:-build}/ptx/hotset}
case $ptx in /*) ;; *) ptx=$root/$ptx ;; esac
if [ ! -x "$ptx" ]; then
    skip "a hundred seeds" "there is no nvcc"
    finish
    exit
fi
"$HOTSET" graph synth community --vertices 400 --edges 5000 --seed 5 --feature-dim 45 -o C --quiet >/dev/null
common="--graph C --server pcie-8:3 --fanout 5,4 --batch 10 --budget 5% --simulate-epochs 1 --quiet"
"$HOTSET" plan $common --policy hotset --device cpu -o cpu >/dev/null
for seed in $(seq 1 ${SEEDS:-100}); do
    HOTSET_PTX_SEED=$seed "$ptx" plan $common --policy hotset --device cuda -o cuda 2>&1 >/dev/null
    diff -r cpu cuda || echo "seed $seed: another plan"
    rm -rf cuda
done 2>&1 | none "a hundred seeds, one plan"
"$HOTSET" execute cpu --device cpu --verify --quiet -o cpu.json >/dev/null
for seed in 1 2 3 4 5 6 7 8; do
    HOTSET_PTX_SEED=$seed HOTSET_EMULATED_DEVICES=3 "$ptx" execute cpu --device cuda --overlap --verify --quiet -o cuda.json 2>&1 >/dev/null
    grep -q '"wrong_rows": 0' cuda.json && ! grep -q '"equals_simulated": false' cuda.json || echo "seed $seed: other counts"
done 2>&1 | none "eight seeds execute the same"
finish
