#!/usr/bin/env bash
# What looks as if a file was misread is said when it is imported; a graph is named after its folder.
. "$(dirname "$0")/tap"

import() { "$HOTSET" graph import "$@" >/dev/null 2>said; }
says() { # WORDS FILE-TEXT OPTION..: imports the text and looks for the words on stderr
    local words=$1
    printf "$2" >edges.txt
    shift 2
    rm -rf G
    import edges.txt -o G "$@" && grep -q -- "$words" said || { cat said; return 1; }
}
silent() { ! says warning "$@"; }
ring='0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n'
shifted='1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n4 5\n5 4\n'
gaps='0 90\n90 0\n90 50\n50 90\n'

ok "a whole graph is imported without a warning" silent "$ring"
ok "vertices without arcs are counted" says 'warning: 96.7 % of the vertices (88 of 91) have no arc; .*--renumber' "$gaps"
ok "--renumber leaves them out, and nothing is left to say" silent "$gaps" --renumber
for i in $(seq 6 60); do shifted="$shifted$i $((i - 1))\n$((i - 1)) $i\n"; done
ok "ids that count from 1 are told" says 'vertex 0 has no arc, but vertex 1 has one: ids seem to start at 1' "$shifted"
ok "and with --renumber they count from 0" silent "$shifted" --renumber
ok "a first line of counts is doubted" says "line 1 ('5 8') was read as an arc" "5 8\n$ring"
ok "edges listed once are told" says 'no arc has its reverse' '0 1\n1 2\n2 3\n3 0\n'
ok "--quiet says nothing" eval '! says . "$gaps" --quiet'

# features beside the edges: only their size is wanted
python3 - <<'P'
import struct
def save(path, kind, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)
save("x.npy", "<f4", (9, 5), bytes(180))
save("half.npy", "<f2", (9, 5), bytes(90))
save("ids.npy", "<i8", (2, 2), struct.pack("<4q", 0, 1, 1, 2))
P
size="x.npy: 9 rows of 5 numbers of type f4 are features, of which planning takes only the size; give the edges alone, with --feature-dim 5 --feature-type f32"
refused() { exits 3 "$HOTSET" graph import "$@" -o no --quiet && tr '\n' ' ' <.stderr | grep -qF -- "$size"; }
printf "$ring" >edges.txt
ok "features in the place of edges" refused x.npy
ok "beside an edge list" refused edges.txt x.npy
ok "beside an edge_index" refused ids.npy x.npy
ok "of two bytes" eval 'exits 3 "$HOTSET" graph import half.npy -o no --quiet && grep -q -- "--feature-dim 5 --feature-type f16" .stderr'
ok "as an option" eval 'exits 2 "$HOTSET" graph import edges.txt --features x.npy -o no && grep -q -- "--features: planning takes the size of a feature row alone: --feature-dim 5 --feature-type f32 for x.npy;" .stderr'
ok "of two bytes, with =" eval 'exits 2 "$HOTSET" graph import edges.txt --features=half.npy -o no && grep -q -- "--feature-dim 5 --feature-type f16 for half.npy;" .stderr'
ok "of a file that is not there" eval 'exits 2 "$HOTSET" graph import edges.txt --features none.npy -o no && grep -q -- "alone: --feature-dim 100 --feature-type f32; the rows" .stderr'

loops() { printf '0 0 1\n0 1 2\n1 1 3\n1 1 4\n2 0 5\n' >loops.txt; "$HOTSET" graph import loops.txt --force -o L --quiet "$@" | grep -q '^self-loops kept  *2 *$'; }
ok "self-loops are counted, each once" loops
ok "and so with weights" loops --weights

name() { "$HOTSET" graph info "$1" --json | sed -n 's/^ "name": "\(.*\)",$/\1/p'; }
import edges.txt -o social.v2/ --undirected
ok "a graph is named after its folder" [ "$(name social.v2)" = social.v2 ]
import edges.txt -o other --undirected --name mine
ok "--name comes first" [ "$(name other)" = mine ]
origin() { printf "$ring" >edges.txt && import edges.txt -o "$@"; }
origin first
ok "nothing is replaced where nothing was" eval '! grep -q replaced said'
origin first --undirected --force
ok "a graph that is replaced is named" grep -q '^hotset: replaced an earlier result: first (4 files)$' said
ok "another command needs --force" exits 3 "$HOTSET" graph synth uniform --vertices 500 --edges 4000 -o first --quiet
ok "and says so" grep -q "first: holds a result of 'hotset graph import', and this is 'hotset graph synth'; choose another -o, or replace it with --force" .stderr
ok "with it the folder is replaced" exits 0 "$HOTSET" graph synth uniform --vertices 500 --edges 4000 -o first --quiet --force
ok "a folder of another maker is a reason to stop" exits 3 "$HOTSET" graph relabel other --by degree-in -o first --quiet
"$HOTSET" graph relabel other --by degree-in -o first --quiet --force >/dev/null
"$HOTSET" graph import edges.txt --train-share 0.5 -o first --quiet --force >/dev/null
origin first --quiet --force
ok "--quiet replaces it silently" [ ! -s said ]
finish
