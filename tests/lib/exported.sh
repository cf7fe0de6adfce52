#!/usr/bin/env bash
# The scripts of exports, in their runtimes: mini-batches of the simulation are replayed, and rows must come from the places that it counted.
# HOTSET_PYTHON names a Python with torch; with cugraph-pyg and PyG, too, their own Python runs. HOTSET_GLT_PYTHON names one with graphlearn-torch. Both need
# no GPU. Without these packages their classes are written out in the checks. HOTSET_PAGRAPH names a clone of PaGraph, whose cache server then runs.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3} glt=${HOTSET_GLT_PYTHON:-${HOTSET_PYTHON:-python3}} lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
"$HOTSET" graph synth community --vertices 3000 --edges 30000 --feature-dim 6 -o G --quiet >/dev/null
# check NAME PYTHON [SCRIPT [WORDS..]]: the export NAME of a plan that was made for it
check() {
    local name=$1 python=$2 script=${3:-check_$1.py}
    if ! "$python" -c 'import torch' 2>/dev/null; then
        skip "$name: mini-batches replayed" "torch is not installed for $python (HOTSET_PYTHON names another)"
        return
    fi
    # shellcheck disable=SC2086
    "$HOTSET" plan --graph G --server dgx-v100 ${planned:---for $name} --budget 3% --fanout 10,5 --batch 32 --simulate-epochs 0 -o "P-$name" --quiet >/dev/null
    "$HOTSET" export "P-$name" --to "$name" --simulate-epochs 0 -o "E-$name" --quiet >/dev/null
    "$HOTSET" simulate "P-$name" --seed 99 --epochs 2 --json --quiet >"judged-$name.json"
    "$HOTSET" simulate "P-$name" --seed 99 --epochs 2 --export-batches "B-$name" --quiet >/dev/null
    [ -f features.npy ] || "$python" -c 'import numpy as np; np.save("features.npy", np.random.default_rng(5).random((3000, 6), np.float32))'
    "$python" "$root/tests/lib/$script" "P-$name" "E-$name" "B-$name" "judged-$name.json" features.npy G "${@:4}" >verdicts 2>python.err
    ok "$name: the replay ran to its end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
    while read -r verdict what; do ok "$what" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
    while read -r _ what; do skip "${what%%:*}" "${what#*: }"; done < <(grep '^skipped ' verdicts)
}
check glt "$glt"
check wholegraph "$python"
check quiver "$python"
if [ -z "${HOTSET_PAGRAPH:-}" ]; then skip "pagraph's own cache server: mini-batches replayed" "HOTSET_PAGRAPH names no clone of zhiqi-0/PaGraph"; else
    planned="--policy pagraph" check pagraph "$python" check_pagraph.py "$HOTSET_PAGRAPH"
fi
"$HOTSET" graph synth like ogbn-mag --scale 0.002 --feature-dim 16 -o M --quiet >/dev/null
"$HOTSET" plan --graph M --server dgx-v100 --for pyg --cache-type paper=f16 --order blocks:2 --budget 3% --fanout 3,2 --batch 50 --simulate-epochs 0 -o TP --quiet >/dev/null
"$HOTSET" export TP --to pyg -o TE --simulate-epochs 0 --quiet >/dev/null
check pyg "$python" check_planned.py TP TE M
rest
emulated=${lib%/lib}/ptx/libhotset_cuda.so
if [ ! -e "$emulated" ] || ! "$python" -c 'import torch, torch_geometric' 2>/dev/null; then
    skip "exports gather by hotset's op" "$emulated is not there (make ptx-check, with nvcc), or torch_geometric is not installed for $python"
else
    for p in P2: P16:--cache-type=f16; do
        # shellcheck disable=SC2086
        "$HOTSET" plan --graph G --server dgx-v100:2 --budget 3% --fanout 10,5 --batch 32 --simulate-epochs 0 --sampling cpu ${p#*:} -o ${p%:*} --quiet >/dev/null
        for t in pyg dgl; do "$HOTSET" export ${p%:*} --to $t --simulate-epochs 0 -o E-${p%:*}-$t --quiet >/dev/null; done
    done
    "$python" "$root/tests/lib/check_exported.py" E-P2-pyg E-P2-dgl P2 E-P16-pyg "$emulated" >verdicts 2>python.err
    ok "the checks of hotset's op ran to their end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
    while read -r verdict what; do ok "$what" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
fi
finish
