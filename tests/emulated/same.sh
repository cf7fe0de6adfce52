#!/usr/bin/env bash
# The CUDA backend, compiled for the CPU, writes what the CPU backend writes, byte by byte; and fails with a sentence where memory or the device does.
. "$(dirname "$0")/../cli/tap"
emulated=${EMULATED:-${BUILD:-build}/emulated/hotset}
case $emulated in /*) ;; *) emulated=$root/$emulated ;; esac
if [ ! -x "$emulated" ]; then
    skip "the CUDA backend on the CPU" "there is no C++ compiler (apt-get install g++)"
    finish
    exit
fi
run() { HOTSET_EMULATED_MEMORY=${memory:-4000000000} "$emulated" "$@"; }
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --seed 5 -o C --quiet >/dev/null
common="--graph C --server dgx-v100 --fanout 5,4 --batch 40 --budget 3% --simulate-epochs 2 --quiet"
for p in legion hotset data-tiering dsp; do
    "$HOTSET" plan $common --policy $p --device cpu -o cpu-$p >cpu-$p.txt
    run plan $common --policy $p --device cuda -o cuda-$p >cuda-$p.txt
    ok "plan --policy $p" diff -r cpu-$p cuda-$p
    ok "plan --policy $p: the same table" diff <(sed 's/cpu-//g' cpu-$p.txt) <(sed 's/cuda-//g' cuda-$p.txt)
done
for m in 200000 700000 2000000; do
    memory=$m run plan $common --policy legion --device cuda -o cuda-$m >cuda-$m.txt
    ok "plan with $m bytes of GPU memory, where some stages pass in pieces" diff -r cpu-legion cuda-$m
done
"$HOTSET" simulate cpu-legion --graph C --device cpu >cpu-judged.txt
memory=4000000000 run simulate cpu-legion --graph C --device cuda >cuda-judged.txt
ok "simulate" diff cpu-judged.txt cuda-judged.txt
memory=150000 run simulate cpu-legion --graph C --device cuda >cuda-judged.txt
ok "simulate in pieces" diff cpu-judged.txt cuda-judged.txt
memory=1000
ok "too little GPU memory is said" eval 'run plan $common --policy legion --device cuda -o small 2>said; [ $? != 0 ] && grep -q "GPU memory" said && [ ! -e small ]'
unset memory
for k in 1 2 5 9 14 20 33; do
    HOTSET_EMULATED_FAIL=$k "$emulated" plan $common --policy legion --device cuda -o failed >/dev/null 2>said
    case $? in
    0) diff -r cpu-legion failed >/dev/null || echo "call $k failed and the plan is another" ;;
    4 | 5 | 6) grep -q "GPU" said || echo "call $k: the message does not speak of the GPU: $(cat said)" ;;
    *) echo "call $k: exit code $?: $(cat said)" ;;
    esac
    rm -rf failed failed.partial
done | none "a call that fails is said"
finish
