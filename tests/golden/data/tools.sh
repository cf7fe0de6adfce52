# tools.sh - shared by the cases: . ../data/tools.sh

# npy_u4 FILE "SHAPE" VALUE.. writes a .npy of uint32 (values below 256); SHAPE as NumPy writes it: "(3,)" or "(2, 8)".
npy_u4() {
    local file=$1 header="{'descr': '<u4', 'fortran_order': False, 'shape': $2, }" v
    shift 2
    { printf '\223NUMPY\001\000\166\000%-117s\n' "$header"
      for v in "$@"; do printf "\\$(printf %03o "$v")\\000\\000\\000"; done; } >"$file"
}
# ids FILE: the uint32 values behind a 128-byte .npy header, in one line.
ids() { od -An -v -tu4 -w4096 -j128 "$1" | tr -s ' ' | sed 's/^ //'; }
# The graph of eight vertices with rows of 12 float32 (48 bytes), trained on 0, 4 and 7.
graph() { "$HOTSET" graph import ../data/eight.txt --sample out --train ../data/train.txt --feature-dim 12 -o G --quiet >/dev/null; }
# part FILE KEY: one member of the document's top level, without sums of bytes that nobody works out by hand.
part() { awk -v key=" \"$2\":" 'index($0, key) == 1 { on = 1 } on { print } on && /^ ([]}]|"[a-z_]*": [^[{])/ && !/[[{]$/ { exit }' "$1"; }
# sweep FILE: the points of every sweep, equal neighbours joined: first..last topology features
sweep() {
    awk '/"sweep": \[/ { on = 1; n = 0; next } !on { next }
         /"topology_transactions"/ { t = $2 + 0 } /"feature_transactions"/ { f = $2 + 0 }
         /"total_transactions"/ { if ($2 + 0 != t + f) print "a total is not the sum of its parts"
             if (n && (t != T || f != F)) { print first ".." n - 1, T, F; first = n } if (!n) first = 0; T = t; F = f; n++ }
         /^   \]/ { if (n) print first ".." n - 1, T, F; on = 0 }' "$1"
}
# unsealed FILE: removes the checksum of a plan.json, as one does who edits it on purpose.
unsealed() { sed -i -e '$!N' -e 's/,\n *"checksum": "[^"]*"//' -e 'P;D' "$1"; }
# squeeze: stdin with every member "movement" in few lines, one per inner object.
squeeze() {
    awk '!on && /"movement": [{]$/ { on = 1; depth = match($0, /[^ ]/); text = "" } !on { print; next }
         { s = $0; sub(/^ +/, "", s); text = text s (s ~ /,$/ ? " " : ""); if (match($0, /[^ ]/) == depth && /[}]/) { sub(/ $/, "", text); gsub(/[}], /, "},\n", text); print text; on = 0 } }'
}
# trace_pair KIND: trace T of two epochs of the eight vertices on pair.json, fan-outs 4,4, one mini-batch per GPU: GPU 0 trains 0, GPU 1 trains 4 and 7. The
# counts are worked out in plan-legion-by-hand.
trace_pair() {
    mkdir T
    cat >T/trace.json <<J
{"schema": "trace/1", "gpus": [0, 1], "cliques": [[0, 1]], "assignment": "$1", "epochs": 2, "batches": [1, 1], "fanout": [4, 4], "batch": 8,
 "frontier": "new", "sampler": "uniform", "seed": 1, "cls": 64, "n_tsum": [42], "n_tsum_source": "model"}
J
    npy_u4 T/hotness_topology.npy "(2, 8)"   6 4 8 4 0 0 0 0   6 0 8 0 6 0 6 4
    npy_u4 T/hotness_feature.npy "(2, 8)"    2 2 2 2 2 0 0 0   2 2 2 2 2 2 2 2
    npy_u4 T/visits.npy "(2, 2, 8)"          2 0 0 0 0 0 0 0   0 0 0 0 2 0 0 2   0 2 2 2 0 0 0 0   2 0 2 0 0 2 2 0
    npy_u4 T/train_gpu0.npy "(1,)" 0
    npy_u4 T/train_gpu1.npy "(2,)" 4 7
}
# trace_trio: trace T of one epoch on trio.json, fan-out 4, a global deal: GPUs 0, 1, 2 train 0, 4, 7. The counts are worked out in plan-quiver-plus-by-hand.
trace_trio() {
    mkdir T
    cat >T/trace.json <<'J'
{"schema": "trace/1", "gpus": [0, 1, 2], "cliques": [[0, 1], [2]], "assignment": "global", "epochs": 1, "batches": [1, 1, 1], "fanout": [4], "batch": 8,
 "frontier": "new", "sampler": "uniform", "seed": 1, "cls": 64, "n_tsum": [4, 3], "n_tsum_source": "model"}
J
    npy_u4 T/hotness_topology.npy "(3, 8)"   3 0 0 0 0 0 0 0   0 0 0 0 3 0 0 0   0 0 0 0 0 0 0 2
    npy_u4 T/hotness_feature.npy "(3, 8)"    1 1 1 1 0 0 0 0   0 0 1 0 1 1 1 0   1 0 0 0 0 0 1 1
    npy_u4 T/visits.npy "(1, 3, 8)"          1 0 0 0 0 0 0 0   0 0 0 0 1 0 0 0   0 0 0 0 0 0 0 1
    npy_u4 T/train_gpu0.npy "(1,)" 0
    npy_u4 T/train_gpu1.npy "(1,)" 4
    npy_u4 T/train_gpu2.npy "(1,)" 7
}
# plan ARGUMENT..: plans graph G into P, over the last one; prints what every GPU trains and holds, the share of topology, then hits of features and of visits, and transactions
# of topology, of features and together, as predicted and as simulated.
plan() {
    "$HOTSET" plan --graph G "$@" --force -o P --quiet >table || return
    for f in P/gpu*_train.npy; do f=${f%_train.npy}; echo "${f#P/} trains $(ids ${f}_train.npy), topology $(ids ${f}_topology.npy), features $(ids ${f}_feature.npy)" | sed -E 's/ +(,|$)/ -\1/g'; done
    grep -oE '"alpha": .*' P/plan.json | tr -d '",' | uniq
    grep -oE '^(predicted|simulated, held out) .*' table | tr -s ' '
}
# unbroken [FILE..]: the lines with whole sentences.
unbroken() { awk -f ../data/unbroken.awk "$@"; }
