#!/usr/bin/env bash
# Small stacks, little address space and missing threads: the same bytes, or exit code 5 with a sentence; never a signal.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth community --vertices 2000 --edges 20000 --train-share 0.2 --feature-dim 16 -o G --quiet >/dev/null || exit 2
plan=("$HOTSET" plan --graph G --server dgx-v100 --budget 5% --batch 20 --fanout 5,3 --presample-epochs 2 --simulate-epochs 1 --quiet)
"${plan[@]}" -o P >/dev/null || exit 2
ok "a plan with a stack of 128 KiB" eval '(ulimit -s 128; "${plan[@]}" -o small >/dev/null)'
ok "is the same" diff -rx .hotset P small
small_stack() { (ulimit -s 128; "$HOTSET" "$@" --quiet >/dev/null); }
ok "size" small_stack size --graph G --server dgx-v100,siton --batch 20 --fanout 5,3 --target 'hit-rate>=0.5'
ok "advise" small_stack advise --graph G --server dgx-v100 --budget 5% --batch 20 --fanout 5,3
ok "memories below" small_stack plan -o below --assignment nested --graph G --server dgx-v100 --budget 5% --batch 20 --fanout 5,3 --host-memory 30% --ssd gen4
ok "nodes" small_stack plan --graph G --server dgx-v100:2 --nodes 2 --nic-gbps 9 --batch 20 --fanout 5,3 -o N
ok "compare" small_stack compare --graph G --server dgx-v100 --policy legion,hotset,exact --budget 5% --batch 20 --fanout 5,3 -o R.json
ok "simulate" small_stack simulate P --graph G --epochs 1

# without room for the stack, or for the threads
sentence() { # exit code 5, and one sentence that begins with hotset:
    "${@:2}" >out 2>said
    [ $? = 5 ] && [ "$(grep -c . said)" = 1 ] && grep -q "^hotset: .*$1" said || { cat said; return 1; }
}
little() { (ulimit -v "$1"; shift; "$@"); }
# What the program and its libraries take before main() is the loader's (exit codes 127 and 1, or a signal), and differs with
# what is linked in. From where they fit on, nothing but 0 and 5 is right.
loaded=4000
while little $loaded "$HOTSET" --version >/dev/null 2>&1; code=$?; [ $code != 0 ] && [ $code != 5 ] && [ $loaded -lt 1000000 ]; do
    loaded=$((loaded + 500))
done 2>/dev/null
for more in 500 5000 15000 30000 45000; do
    kib=$((loaded + more))
    little $kib "${plan[@]}" -o none >/dev/null 2>said
    code=$?
    ok "$more KiB of addresses beyond what the program itself takes: a sentence (exit code $code)" eval '[ '$code' = 0 ] || { [ '$code' = 5 ] && grep -q "^hotset: " said; }'
done
threads_refused() { sentence "threads cannot be started" little 700000 "${plan[@]}" --threads 64 -o none; }
ok "64 threads that cannot be had: exit code 5 and a sentence" threads_refused
ok "no plan is left" eval '[ ! -e none ]'
# The program starts itself once more, so that OpenMP's waiting threads sleep (base/threads.h): unless the user says how they wait, and never as another's words.
mkfifo edges
waits() { # starts a command that waits for its input; prints its name and what it says of waiting
    "$@" "$HOTSET" graph import edges -o never --quiet >/dev/null 2>&1 &
    local pid=$! i
    for i in $(seq 50); do sleep 0.1; [ "$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | cut -c1-3)" != env ] && break; done
    sleep 0.3
    echo "$(cat "/proc/$pid/comm") $(tr '\0' '\n' <"/proc/$pid/environ" | grep -E '^(GOMP_SPINCOUNT|OMP_WAIT_POLICY)=')"
    kill $pid 2>/dev/null
    wait $pid 2>/dev/null
}
if [ -r /proc/self/environ ]; then
    ok "waiting threads sleep, and the program keeps its name" eval '[ "$(waits env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT)" = "hotset GOMP_SPINCOUNT=3000" ]'
    ok "unless the user says how they wait" eval '[ "$(waits env -u GOMP_SPINCOUNT OMP_WAIT_POLICY=active)" = "hotset OMP_WAIT_POLICY=active" ]'
    loader=$(sed -n 's,.* \(/[^ ]*/ld-linux[^ ]*\)$,\1,p' "/proc/self/maps" | head -n 1)
    [ -x "$loader" ] && ok "it starts below the loader, too" eval 'env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT "$loader" "$HOTSET" --version | grep -q "^hotset "'
else skip "how threads wait" "there is no /proc"; fi
finish
