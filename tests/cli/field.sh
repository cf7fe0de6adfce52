#!/usr/bin/env bash
# Files as people have them: what the source states is what is read, with the right answers worked out by hand. Twins of such files are made
# here; where a folder of field data is there, its files are read, too.
. "$(dirname "$0")/tap"
field=$root/../shared/data/field/graphs

# arcs G: "source->target" of every arc, in the order of targets
arcs() {
    python3 - "$1" <<'P'
import array, ast, json, struct, sys
def npy(path):
    with open(path, "rb") as f:
        assert f.read(6) == b"\x93NUMPY"
        size = struct.unpack("<H", f.read(4)[2:])[0]
        kind = ast.literal_eval(f.read(size).decode())["descr"]
        a = array.array({"<i8": "q", "<u4": "I", "<f4": "f"}[kind])
        a.frombytes(f.read())
        return a
g = sys.argv[1]
p, i = npy(g + "/indptr.npy"), npy(g + "/indices.npy")
print(" ".join("%d->%d" % (i[k], v) for v in range(len(p) - 1) for k in range(p[v], p[v + 1])))
P
}
key() { python3 -c "import json; print(json.load(open('$1/graph.json'))['$2'])"; }
import() { "$HOTSET" graph import "$@" --quiet >.out 2>.err; }

# ---- the size of a feature row
mkdir -p gb/edges ogb/raw
python3 - <<'P'
import struct, zipfile
def npy(shape, kind, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data
edges = npy("(2, 3)", "<i8", struct.pack("<6q", 0, 0, 2, 1, 2, 1))
open("gb/edges/e.npy", "wb").write(edges)
open("gb/feat.npy", "wb").write(npy("(4, 6)", "<f4", bytes(96)))
open("gb/short.npy", "wb").write(npy("(3, 6)", "<f4", bytes(72)))
for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
    with zipfile.ZipFile(name + ".npz", "w", method) as z:
        z.writestr("edge_index.npy", edges)
        z.writestr("x.npy", npy("(5, 1024)", "<f2", bytes(10240)))
with zipfile.ZipFile("pickled.npz", "w") as z:
    z.writestr("edge_index.npy", edges)
    z.writestr("x.npy", npy("(1,)", "|O", b"\x80\3N."))
with zipfile.ZipFile("other.npz", "w") as z:
    z.writestr("indptr.npy", npy("(4,)", "<i8", struct.pack("<4q", 0, 1, 2, 3)))
    z.writestr("indices.npy", npy("(3,)", "<i8", struct.pack("<3q", 1, 2, 0)))
    z.writestr("x.npy", npy("(7, 5)", "<f8", bytes(280)))
P
metadata() { # FORMAT PATH of the rows
    cat >gb/metadata.yaml <<Y
# as OnDiskDataset writes it
dataset_name: x
graph:
  nodes:
    - num: 4
  edges:
    - format: numpy
      path: edges/e.npy
feature_data:
  - domain: edge
    type: null
    name: feat
    format: numpy
    path: none.npy
  - domain: node
    type: null
    name: other
    format: numpy
    path: none.npy
  - domain: node
    type: null
    name: feat
    format: $1
    in_memory: true
    path: '$2'
tasks: []
Y
}
rows() { [ "$(key "$1" feature_dim) $(key "$1" feature_type) $(key "$1" feature_origin)" = "$2" ] || { cat "$1/graph.json"; false; }; }
metadata numpy feat.npy
ok "GraphBolt: the rows that metadata.yaml names" eval 'import gb -o g1 && rows g1 "6 f32 metadata.yaml"'
ok "options count more, and that is said" eval 'import gb --feature-dim 9 -o g2 && rows g2 "9 f32 --feature-dim" && "$HOTSET" graph import gb --feature-dim 9 -o g2 2>&1 | grep -q "warning: metadata.yaml states feature rows of 6 x f32, but options say 9 x f32"'
ok "the type alone is changed" eval 'import gb --feature-type f16 -o g2 && rows g2 "6 f16 metadata.yaml"'
metadata numpy short.npy
ok "rows of another number than vertices are refused" eval 'exits 3 "$HOTSET" graph import gb -o g2 && grep -q "states 3 feature rows, but the graph has 4 vertices" .stderr'
metadata torch feat.pt
ok "rows whose shape is not read are told" eval '"$HOTSET" graph import gb -o g2 2>&1 | grep -q "format torch, whose shape is not read; give --feature-dim" && rows g2 "128 f32 assumed"'
printf 'graph:\n  nodes:\n  - num: x\n  edges:\n  - format: numpy\n    path: edges/e.npy\n' >gb/metadata.yaml
ok "a number of nodes that is none" eval 'exits 3 "$HOTSET" graph import gb -o g2 && grep -q num .stderr'
printf 'graph:\n  no key\n' >gb/metadata.yaml
ok "a line that is no key" eval 'exits 3 "$HOTSET" graph import gb -o g2 && grep -q "line 2 (.no key.) is neither" .stderr'
{ printf 'a:\n' && for i in $(seq 40); do printf '%*sk:\n' "$i" ''; done; } >gb/metadata.yaml
ok "a file that is nested without end" eval 'exits 3 "$HOTSET" graph import gb -o g2 && grep -q "deeper than 32" .stderr'
printf 'graph:\n  \xff: 1\n' >gb/metadata.yaml
ok "no UTF-8" eval 'exits 3 "$HOTSET" graph import gb -o g2 && grep -q "line 2 is not UTF-8" .stderr'
ok "npz: x, stored; its rows count the vertices" eval 'import stored.npz -o g3 && rows g3 "1024 f16 x of stored.npz" && [ "$(key g3 vertices)" = 5 ]'
ok "npz: x, deflated" eval 'import deflated.npz -o g3 && rows g3 "1024 f16 x of deflated.npz"'
ok "npz: an array that is pickled is no rows" eval 'import pickled.npz -o g3 && rows g3 "128 f32 assumed"'
ok "npz: rows of other vertices are refused" eval 'exits 3 "$HOTSET" graph import other.npz -o g3 && grep -q "7 feature rows, but the graph has 3 vertices" .stderr'
printf '0,1\n1,2\n' >ogb/raw/edge.csv && echo 3 >ogb/raw/num-node-list.csv && echo 2 >ogb/raw/num-edge-list.csv && printf '1,2,3\n4,5,6\n7,8,9\n' | gzip >ogb/raw/node-feat.csv.gz
ok "OGB's csv: columns of node-feat" eval 'import ogb -o g4 && rows g4 "3 f32 node-feat.csv.gz"'
printf '0 1\n1 2\n' >e.txt
ok "a list of edges states none, and the table says so" eval '"$HOTSET" graph import e.txt -o g5 2>/dev/null | grep -q "128 x f32, assumed: the source states none (--feature-dim)" && rows g5 "128 f32 assumed"'
if [ -d "$field/ogb" ]; then ok "field: OGB" eval 'import "$field/ogb" -o g6 && rows g6 "2 f32 node-feat.csv.gz"'; else skip "field data" "there is no folder of it"; fi
finish
