#!/usr/bin/env bash
# What the interpreter must find: each faulty kernel of faults.cu is stopped, with the right words, and the same kernel without its fault is not.
. "$(dirname "$0")/../cli/tap"
faults=${BUILD:-build}/ptx/faults
case $faults in /*) ;; *) faults=$root/$faults ;; esac
if [ ! -x "$faults" ]; then
    skip "faulty kernels" "there is no nvcc"
    finish
    exit
fi
export HOTSET_EMULATED_DEVICES=2
i=0
"$faults" list >list
while IFS='|' read -r name words; do
    for seed in 1 2 3 4 5; do HOTSET_PTX_SEED=$seed timeout 20 "$faults" $i 0 || echo "seed $seed: exit code $?"; done 2>&1 | grep -v 'never given back' | none "$name: without the fault"
    if [ "$words" != - ]; then
        for seed in 1 2 3 4 5; do
            { HOTSET_PTX_SEED=$seed timeout 20 "$faults" $i 1; } >said 2>&1 && echo "seed $seed: not found"
            grep -q -- "$words" said || echo "seed $seed: $(head -n 1 said)"
        done | none "$name: found"
    fi
    i=$((i + 1))
done <list
finish
