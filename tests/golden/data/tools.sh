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
