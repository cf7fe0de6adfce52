#!/usr/bin/env bash
# Ranks of mpirun share work: the same bytes for any number of them, one sentence for an error, finished steps after a kill.
. "$(dirname "$0")/tap"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { mpirun --oversubscribe -n "$@"; }
why=""
command -v mpirun >/dev/null || why="mpirun is not installed (apt-get install libopenmpi-dev openmpi-bin)"
[ -n "$why" ] || ranks 1 true 2>/dev/null || why="mpirun cannot start a process here"
[ -n "$why" ] || ! ranks 2 "$HOTSET" plan --graph none --server siton -o P 2>&1 | grep -q "does not know Open MPI" || why="this build has no Open MPI"
if [ -n "$why" ]; then
    for check in record plan compare errors kill; do skip "ranks: $check" "$why"; done
    finish
fi

# ---- the same bytes ----

"$HOTSET" graph synth community --vertices 3000 --edges 30000 --train-share 0.1 --feature-dim 32 -o G --quiet >/dev/null
common="--graph G --batch 10 --threads 1 --quiet"
record="$HOTSET trace record $common --server dgx-v100 --assignment global --fanout 5,3 --epochs 3"
layers="$HOTSET trace record $common --server siton --sampler layer-wise --fanout 20,10 --epochs 1"
plan="$HOTSET plan $common --server dgx-v100 --fanout 5,3 --budget 5% --simulate-epochs 2"
compare="$HOTSET compare $common --server siton --fanout 5,3 --budget 2%,5% --simulate-epochs 1 --policy legion,gnnlab,oracle,cache:lru"
$record -o trace1 >/dev/null
$layers -o layers1 >/dev/null
$plan -o plan1 >plan1.txt
$compare -o compare1 >compare1.txt
for n in 1 2 4 8; do
    ranks $n $record -o trace$n.of >/dev/null
    ok "trace record: $n ranks" diff -rx .hotset trace1 trace$n.of
    [ $n = 1 ] || ranks $n ${record/ --quiet/} --graph-ranges -o range$n >/dev/null 2>said$n
    [ $n = 1 ] || ok "trace record: $n ranks that own ranges" diff -rx .hotset trace1 range$n
    [ $n = 1 ] || rest
done
$record --graph-ranges -o range1 >/dev/null
ok "trace record: one process that owns everything" diff -rx .hotset trace1 range1
ok "what was exchanged is printed" grep -q '^hotset: 2 ranks exchanged [0-9.]* [KM]iB, which took .* with waiting; arrays of the largest rank: [0-9]' said2
ok "a rank of four owns a quarter" grep -q '^hotset: graph ranges: the largest is 25\.[0-9] % of the topology (.*); a rank had at most .* in memory' said4
# several NAME RANKS COMMAND..: the output NAME1 of one rank and what it printed in NAME1.txt are those of several ranks
several() {
    ranks "$2" "${@:3}" -o "$1$2" >"$1$2.txt"
    ok "$1: $2 ranks" diff -rx .hotset "$1"1 "$1$2"
    ok "$1: $2 ranks print once, as one does" cmp "$1"1.txt "$1$2.txt"
}
"$HOTSET" graph synth like igbh-tiny --scale 0.01 -o H --quiet >/dev/null
types="--graph H --server dgx-v100:4 --batch 8 --fanout 4,3 --threads 1 --quiet"
"$HOTSET" trace record $types --epochs 2 -o typed1 >/dev/null
ranks 3 "$HOTSET" trace record $types --epochs 2 -o typed3 >/dev/null
ok "trace record: several types" diff -rx .hotset typed1 typed3
"$HOTSET" compare $types --budget 4% --policy hotset,legion,gnnlab,hyscale --simulate-epochs 1 -o mixed1 >mixed1.txt
several plan 2 $plan
several mixed 3 "$HOTSET" compare $types --budget 4% --policy hotset,legion,gnnlab,hyscale --simulate-epochs 1
several compare 8 $compare
ranks 3 $layers -o layers3 >/dev/null
ok "trace record: a layer-wise sampler, whose draws are counted apart" diff -rx .hotset layers1 layers3
ranks 2 ${plan/--budget/--trace trace1 --budget} -o given2 >/dev/null
${plan/--budget/--trace trace1 --budget} -o given1 >/dev/null
ok "plan: from a trace" diff -rx .hotset given1 given2

# Little memory plans the cells in two batches. The assignment (18000 x 4 B) is made and handed over with the first one only.
"$HOTSET" graph synth community --vertices 20000 --edges 60000 --train-share 0.9 --feature-dim 32 -o G9 --quiet >/dev/null
moved() {
    ranks 2 "$HOTSET" compare --graph G9 --server dgx-v100:2 --order shuffle --fanout 2 --batch 5000 --presample-epochs 1 --simulate-epochs 1 --threads 1 \
        --policy legion --budget "$(seq -s, 1 60 | sed 's/,/KiB,/g')KiB" --memory "$1" 2>&1 | sed -n 's/.* exchanged \([0-9.]*\) MiB.*/\1/p'
}
ok "a second batch of cells makes no assignment again" eval 'awk "BEGIN { a = $(moved 4GiB); b = $(moved 160MiB); exit !(a > 3 && b - a < 0.03) }"'

# ---- CPUs ----

# A process that sees itself bound to four CPUs of a larger machine, all ranks alike (SAME), or each rank to CPUs of its own.
cat >bound.c <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    const char *rank = getenv("SAME") ? "0" : getenv("OMPI_COMM_WORLD_RANK");
    (void)pid;
    CPU_ZERO_S(bytes, set);
    for (int i = 0; i < 4; i++) CPU_SET_S((rank ? atoi(rank) : 0) * 4 + i, bytes, set);
    return 0;
}
END
# threads_of WORDS..: the threads that the run states
threads_of() { "$@" ${record/--threads 1/} --stamp --json -o bound | sed -n 's/^ *"threads": \([0-9]*\).*/\1/p' | head -1; }
if ${CC:-cc} -shared -fPIC -o bound.so bound.c && alone=$(LD_PRELOAD=$PWD/bound.so threads_of env) && [ "$alone" = 4 ]; then
    ok "ranks that are bound to the same CPUs share them" [ "$(threads_of ranks 2 env SAME=1 LD_PRELOAD="$PWD/bound.so")" = 2 ]
    ok "a rank has the CPUs that it alone is bound to" [ "$(threads_of ranks 2 env LD_PRELOAD="$PWD/bound.so")" = 4 ]
else for check in same own; do skip "CPUs of ranks: $check" "no compiler, or fewer than four CPUs allowed ($alone)"; done; fi

# ---- errors ----

# fails CODE SENTENCE WORDS..: one sentence of hotset, the exit code, nothing written
fails() {
    local code=$1 sentence=$2
    shift 2
    rm -rf none
    ranks 2 "$@" -o none >said 2>&1
    local got=$?
    cat said
    [ $got = "$code" ] && [ "$(grep -c '^hotset: ' said)" = 1 ] && grep -q "^hotset: .*$sentence" said && [ ! -e none ]
}
ok "no such graph" fails 3 "does not exist" "$HOTSET" plan --graph nowhere --server siton --quiet
ok "an unknown option" fails 2 "not known" "$HOTSET" plan --grph G --server siton
ok "a command that shares no work is done once" eval '"$HOTSET" simulate plan1 --json --quiet >alone.json && ranks 3 "$HOTSET" simulate plan1 --json >three.json 2>said && cmp alone.json three.json && grep -q "does not share its work: one of the 3 processes" said'
ok "a job's process that hides the job prints" eval 'OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 env -u OMPI_COMM_WORLD_SIZE "$HOTSET" --version | grep -q "^hotset "'
# The second rank alone cannot read its graph.
cat >second <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 0 ] && exec "$HOTSET" "$@"
exec "$HOTSET" "$(echo "$1")" "$2" --graph G2 --server dgx-v100 --fanout 5,3 --epochs 3 --batch 10 --quiet -o none
END
chmod +x second
sed 's/--graph G2/--grph G2/' second >mistaken && chmod +x mistaken
ok "a wrong option of another rank" fails 2 "rank 1 of 2: .*--grph.*not known" ./mistaken ${record#"$HOTSET" }
ok "an error of another rank" fails 3 "rank 1 of 2: .*G2.*does not exist" ./second ${record#"$HOTSET" }

# Only the rank that owns a row reads it.
mkdir G3
cp G/* G3
sed -i '/"fingerprint": *"[^"]*",$/d' G3/graph.json
printf '\377\377\377\177' | dd of=G3/indices.npy bs=1 seek=$(($(stat -c %s G3/indices.npy) - 4)) conv=notrunc 2>/dev/null
ok "a wrong id in another rank's range" fails 3 "rank 1 of 2: G3/indices.npy: entry .* is 2147483647" ${record/--graph G/--graph G3} --graph-ranges
alone() {
    "$@" -o none >said 2>&1
    local got=$?
    cat said
    [ $got = 2 ] && grep -q "$sentence" said && [ ! -e none ]
}
sentence="cuts the graph into parts, which reads all of it; add --assignment global"
ok "ranges and a partition" alone ${record/global/clique} --graph-ranges
sentence="a walk returns to its seed"
ok "ranges and walks" alone ${record/--fanout 5,3/--sampler walk} --graph-ranges

# ---- a rank that is killed ----

long="${record/--epochs 3/--epochs 4000}"
$long -o whole >/dev/null
mpirun --oversubscribe -n 2 sh -c 'echo $$ >rank$OMPI_COMM_WORLD_RANK; exec "$@"' - ${long/ --quiet/} --graph-ranges -o out >said 2>&1 &
job=$!
while kill -0 $job 2>/dev/null && ! ls out.partial/*gpu1.note >/dev/null 2>&1; do sleep 0.01; done
kill -KILL "$(cat rank1)"
wait $job
code=$?
ok "a killed rank ends the run" eval '[ $code != 0 ] && [ ! -e out ] && cat said && grep -q "rank 1 .*killed\|on signal 9" said'
ok "the first rank says how to go on" eval 'cat said; grep -q "interrupted; the same command continues from out.partial" said'
ok "finished steps are left" eval 'ls out.partial/*gpu1.note'
ranks 4 ${long/ --quiet/} -o out >said 2>&1
ok "four ranks that read the whole graph continue, and write the same bytes" eval 'cat said; grep -q "continuing from out.partial" said && diff -rx .hotset whole out'
ok "nothing is left over" [ ! -e out.partial ]
finish
