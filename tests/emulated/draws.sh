#!/usr/bin/env bash
# Mini-batches that the CUDA backend draws (compiled for the CPU) give the files and tables that the CPU backend gives, byte by byte: recordings, plans,
# judgements; in whatever memory, with however many threads. Failures of the device are said and leave nothing behind.
. "$(dirname "$0")/../cli/tap"
emulated=${EMULATED:-${BUILD:-build}/emulated/hotset}
case $emulated in /*) ;; *) emulated=$root/$emulated ;; esac
if [ ! -x "$emulated" ]; then
    skip "mini-batches drawn by the CUDA backend on the CPU" "there is no C++ compiler (apt-get install g++)"
    finish
    exit
fi
# 300 vertices: 0 to 3 list nearly all others, some list themselves, one in five has no neighbours
awk 'BEGIN { srand(7); for (v = 0; v < 300; v++) { if (v % 5 == 4) continue; if (v % 7 == 0) print v, v
    d = v < 4 ? 290 : v % 13; for (i = 0; i < d; i++) print v, v < 4 ? (i * 2 + v) % 300 : int(rand() * 300) } print 298, 299 }' >arcs.txt
awk 'BEGIN { for (v = 0; v < 300; v += 2) print v }' >half.txt
printf '0\n4\n7\n' >three.txt
for t in half three; do "$HOTSET" graph import arcs.txt --sample out --train $t.txt --feature-dim 20 -o G-$t --quiet >/dev/null || echo "graph import failed"; done | none "the graphs are there"

# NAME OPTIONS..: the CPU's recording against the other backend's, in several settings; with too little memory it may say so instead.
same() {
    local name=$1 setting
    shift
    rm -rf cpu
    "$HOTSET" trace record --device cpu --quiet "$@" -o cpu >cpu.txt
    for setting in MEMORY=4000000000 THREADS=3 ${settings:-MEMORY=60000 MEMORY=31000 MEMORY=28000+NO_REGISTER=1 MEMORY=25000 MEMORY=23000+NO_REGISTER=1}; do
        rm -rf cuda
        env OMP_WAIT_POLICY=passive $(printf "HOTSET_EMULATED_%s " ${setting//+/ }) "$emulated" trace record --device cuda "$@" -o cuda 2>said >cuda.txt || { grep -q "of GPU memory" said || echo "$setting: $(tail -n 1 said)"; continue; }
        sed -n 's/.*drawn by the GPU, [0-9]* at a time, with \(.*\): .*/\1/p' said >>places
        diff -r cpu cuda && diff cpu.txt cuda.txt || echo "$setting: another recording"
    done 2>&1 | none "trace record: $name"
}
: >places
for frontier in new all; do
    for fanout in 1 5,4 25,10 40,3; do same "fan-outs $fanout, frontier $frontier" --graph G-half --server dgx-v100 --fanout $fanout --frontier $frontier --batch 8 --epochs 4; done
done
settings="MEMORY=340000 MEMORY=330000+NO_REGISTER=1"
for fanout in 100 300; do same "fan-outs $fanout" --graph G-half --server pcie-8:2 --fanout $fanout --batch 30 --epochs 3; done
unset settings
same "one GPU, mini-batches of one vertex" --graph G-half --server pcie-8:1 --fanout 5,4 --batch 1 --epochs 1
same "GPUs that train nothing" --graph G-three --server dgx-v100 --fanout 5,4 --batch 8 --epochs 5
same "the order of a search" --graph G-half --server pcie-8:2 --fanout 3,3 --batch 8 --order bfs --epochs 2
sort -u places >found
for place in "the graph in its memory" "the graph read from the host" "the hottest rows in its memory"; do grep -q "^$place" found || echo "never: $place"; done | none "the graph lay in device memory, on the host, and in both"

# what is planned and judged with such draws
common="--graph G-half --server pcie-8:3 --fanout 5,4 --batch 10 --budget 3% --simulate-epochs 2"
both() { # NAME WORDS..: the same table and document from both
    local name=$1
    shift
    "$HOTSET" "$@" --device cpu --quiet --json >cpu.txt 2>&1
    "$emulated" "$@" --device cuda --quiet --json >cuda.txt 2>&1
    ok "$name" diff cpu.txt cuda.txt
}
"$HOTSET" plan $common --policy hotset --device cpu --quiet -o P >/dev/null
both "compare, with what looks ahead and a dynamic cache" compare $common --policy hotset,oracle,cache:lru
both "simulate" simulate P --epochs 3
both "explain" explain P --vertex 4
for how in "--sampler walk" "--sampler layer-wise" "--seeds edges"; do
    both "trace record $how is the CPU's" trace record --graph G-half --server pcie-8:2 --fanout 5,4 --batch 10 --epochs 1 $how -o T
    rm -rf T
    "$emulated" trace record --graph G-half --server pcie-8:2 --batch 10 --epochs 1 $how --device cuda -o T 2>said >/dev/null
    ok "trace record $how says who draws" test "$(grep -c "drawn by the CPU" said)" = 1
    rm -rf T
done

# the k-th call of the device fails
rm -rf cpu
common="--graph G-half --server pcie-8:2 --fanout 5,70 --batch 30 --epochs 1"
"$HOTSET" trace record $common --device cpu --quiet -o cpu >/dev/null
for memory in 4000000000 335001; do
    for k in $(seq $((memory % 2 + 1)) 2 60) $(seq 63 29 250); do
        rm -rf cuda cuda.partial
        HOTSET_EMULATED_MEMORY=$memory HOTSET_EMULATED_FAIL=$k "$emulated" trace record $common --device cuda --quiet -o cuda >/dev/null 2>said
        case $? in
        0) diff -r cpu cuda >/dev/null || echo "call $k failed and the recording is another" ;;
        4 | 5) grep -q "GPU" said || echo "call $k: the message does not speak of the GPU: $(cat said)" ;;
        *) echo "call $k: exit code $?: $(cat said)" ;;
        esac
        grep "never given back" said
    done
done | none "a call that fails is said, and everything is given back"
finish
