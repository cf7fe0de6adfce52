#!/usr/bin/env bash
# simulate --export-batches: what it writes is what simulate counts, for every sampler; the same on any number of threads.
. "$(dirname "$0")/tap"

awk 'BEGIN { srand(3); for (v = 0; v < 900; v++) { if (v % 11 == 4) continue; d = 1 + v % 17; if (v < 3) d = 500
    for (i = 0; i < d; i++) print v, int(rand() * rand() * 900), 1 + int(rand() * 9) } print 898, 899, 1 }' >arcs.txt
"$HOTSET" graph import arcs.txt --sample out --weights --train-share 0.3 --feature-dim 4 -o G --quiet >/dev/null || echo "graph import failed"
[ -f G/weights.npy ]
ok "the graph is there" [ $? = 0 ]
words=$("$HOTSET" plan --help-all | tr -s ' \n' ' ' | awk -F'--sampler NAME' '{ sub(/.*How neighbours are drawn/, "", $2); match($2, /One of: [a-z, -]*/); print substr($2, RSTART + 8, RLENGTH - 8) }' | tr -d ',')
ok "help names the samplers" eval '[[ " $words " == *" uniform "*" walk "* ]]'

# NAME PLAN-OPTIONS..: plans, simulates, exports, and lets the other program compare
holds() {
    local name=$1 who="--sampling gpu"
    shift
    rm -rf P B
    case $* in *--policy*) who= ;; esac # whose system says who samples
    "$HOTSET" plan --graph G --server dgx-v100:3 --objective transactions $who --budget 12% --batch 20 --simulate-epochs 0 "$@" -o P --quiet >/dev/null &&
        "$HOTSET" simulate P --graph G --seed 99 --epochs 2 --json --quiet >judged.json &&
        "$HOTSET" simulate P --graph G --seed 99 --epochs 2 --export-batches B --threads 3 --quiet >/dev/null || echo "not written"
    python3 "$root/tests/cli/batches.py" P G B judged.json 2>&1 | none "$name"
}
if ! command -v python3 >/dev/null; then skip "exported mini-batches" "python3 is not installed"; else
    for s in $words; do
        case $s in temporal*) continue ;; esac # needs a graph with times: times.sh
        holds "sampler $s" --sampler "$s" $([ "$s" = walk ] || echo --fanout 6,3)
        holds "sampler $s, seeds edges" --sampler "$s" --seeds edges $([ "$s" = walk ] || echo --fanout 4,3)
        [ "$s" = walk ] || holds "sampler $s, frontier all" --sampler "$s" --frontier all --fanout 3,3,2
    done
    holds "edges with negatives" --seeds edges --negatives 3 --fanout 4,3
    holds "the order of a search" --order bfs --fanout 6,3
    holds "rows passed on by other GPUs" --policy dsp --fanout 6,3
    holds "another policy" --policy legion --fanout 600,2
    # a program that cannot fail proves nothing: one entry of each array changed
    for k in seeds vertices expanded edges rows columns; do
        cp -r B D
        printf '\005' | dd of=D/gpu2_$k.npy bs=1 seek=$((128 + 40 * $([ $k = edges ] && echo 8 || echo 4))) conv=notrunc 2>/dev/null
        cmp -s D/gpu2_$k.npy B/gpu2_$k.npy && echo "$k: nothing was changed"
        [ -n "$(python3 "$root/tests/cli/batches.py" P G D judged.json 2>&1)" ] || echo "$k: a change was not noticed"
        rm -rf D
    done | none "changed files are noticed"
fi
for t in 1 2 5; do "$HOTSET" simulate P --graph G --seed 99 --epochs 2 --export-batches B$t --threads $t --quiet >/dev/null; diff -rx .hotset B B$t; done | none "the same files on any number of threads"
"$HOTSET" simulate P --graph G --seed 99 --epochs 2 --export-batches one --gpu 1 --quiet --json >one.json
ok "--gpu writes one GPU's files, the same" eval '[ $(ls one | wc -l) = 11 ] && for f in one/gpu1_*; do cmp $f B/${f#one/} || exit 1; done'
ok "--json prints what batches.json is" cmp one.json one/batches.json
ok "a folder of batches is replaced" "$HOTSET" simulate P --graph G --seed 99 --epochs 1 --force --export-batches one --quiet --json
ok "another folder is left alone" eval 'exits 3 "$HOTSET" simulate P --graph G --seed 99 --export-batches G; grep -q "which this command reads" .stderr && [ -f G/graph.json ]'
ok "an unknown GPU is told" eval 'exits 2 "$HOTSET" simulate P --graph G --export-batches X --gpu 77; grep -q "gpu 77" .stderr && [ ! -e X ]'
ok "--gpu alone is told" exits 2 "$HOTSET" simulate P --graph G --gpu 1
ok "--movement is told" exits 2 "$HOTSET" simulate P --graph G --export-batches X --movement
ok "--cache is told" exits 2 "$HOTSET" simulate P --graph G --export-batches X --cache lru
ok "too little memory is told, nothing is left" eval 'exits 5 "$HOTSET" simulate P --graph G --export-batches X --memory 30000; [ ! -e X ] && ! ls -a | grep -q "^\.X"'
finish
