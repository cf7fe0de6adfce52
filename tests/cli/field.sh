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
with zipfile.ZipFile("attr.npz", "w") as z:
    z.writestr("adj_indptr.npy", npy("(4,)", "<i8", struct.pack("<4q", 0, 1, 2, 3)))
    z.writestr("adj_indices.npy", npy("(3,)", "<i8", struct.pack("<3q", 1, 2, 0)))
    z.writestr("attr_data.npy", npy("(2,)", "<f4", bytes(8)))
    z.writestr("attr_shape.npy", npy("(2,)", "<i8", struct.pack("<2q", 3, 767)))
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
ok "options count more, and that is said" eval 'import gb --feature-dim 9 --force -o g2 && rows g2 "9 f32 --feature-dim" && "$HOTSET" graph import gb --feature-dim 9 --force -o g2 2>&1 | grep -q "warning: metadata.yaml states feature rows of 6 x f32, but options say 9 x f32"'
ok "the type alone is changed" eval 'import gb --feature-type f16 --force -o g2 && rows g2 "6 f16 metadata.yaml"'
metadata numpy short.npy
ok "rows of another number than vertices are refused" eval 'exits 3 "$HOTSET" graph import gb --force -o g2 && grep -q "states 3 feature rows, but the graph has 4 vertices" .stderr'
metadata torch feat.pt
ok "rows whose shape is not read are told" eval '"$HOTSET" graph import gb --force -o g2 2>&1 | grep -q "format torch, whose shape is not read; give --feature-dim" && rows g2 "128 f32 assumed"'
printf 'graph:\n  nodes:\n  - num: x\n  edges:\n  - format: numpy\n    path: edges/e.npy\n' >gb/metadata.yaml
ok "a number of nodes that is none" eval 'exits 3 "$HOTSET" graph import gb --force -o g2 && grep -q num .stderr'
printf 'graph:\n  no key\n' >gb/metadata.yaml
ok "a line that is no key" eval 'exits 3 "$HOTSET" graph import gb --force -o g2 && grep -q "line 2 (.no key.) is neither" .stderr'
{ printf 'a:\n' && for i in $(seq 40); do printf '%*sk:\n' "$i" ''; done; } >gb/metadata.yaml
ok "a file that is nested without end" eval 'exits 3 "$HOTSET" graph import gb --force -o g2 && grep -q "deeper than 32" .stderr'
printf 'graph:\n  \xff: 1\n' >gb/metadata.yaml
ok "no UTF-8" eval 'exits 3 "$HOTSET" graph import gb --force -o g2 && grep -q "line 2 is not UTF-8" .stderr'
ok "npz: x, stored; its rows count the vertices" eval 'import stored.npz --force -o g3 && rows g3 "1024 f16 x of stored.npz" && [ "$(key g3 vertices)" = 5 ]'
ok "npz: x, deflated" eval 'import deflated.npz --force -o g3 && rows g3 "1024 f16 x of deflated.npz"'
ok "npz: an array that is pickled is no rows" eval 'import pickled.npz --force -o g3 && rows g3 "128 f32 assumed"'
ok "npz: a sparse matrix of rows" eval 'import attr.npz --force -o g3 && rows g3 "767 f32 attr_shape of attr.npz"'
ok "npz: rows of other vertices are refused" eval 'exits 3 "$HOTSET" graph import other.npz --force -o g3 && grep -q "7 feature rows, but the graph has 3 vertices" .stderr'
printf '0,1\n1,2\n' >ogb/raw/edge.csv && echo 3 >ogb/raw/num-node-list.csv && echo 2 >ogb/raw/num-edge-list.csv && printf '1,2,3\n4,5,6\n7,8,9\n' | gzip >ogb/raw/node-feat.csv.gz
ok "OGB's csv: columns of node-feat" eval 'import ogb -o g4 && rows g4 "3 f32 node-feat.csv.gz"'
printf '0 1\n1 2\n' >e.txt
ok "a list of edges states none, and the table says so" eval '"$HOTSET" graph import e.txt -o g5 2>/dev/null | grep -q "128 x f32, assumed: the source states none (--feature-dim)" && rows g5 "128 f32 assumed"'
ok "a plan says what it assumes, and only that" eval '"$HOTSET" plan --graph g5 --server dgx-v100 --budget 1KiB --fanout 2 --batch 1 -o p5 2>&1 >/dev/null | grep -q "assumed: feature rows of 128 x 4 bytes (no source states them" && ! "$HOTSET" plan --graph g4 --server dgx-v100 --budget 1KiB --fanout 2 --batch 1 -o p4 2>&1 | grep -q "assumed: feature"'

printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n' >loop.mtx
ok "a self-loop of a symmetric matrix is one arc, and no duplicate" eval '"$HOTSET" graph import loop.mtx --force -o g6 --json 2>/dev/null >/dev/null && python3 -c "
import json; d = json.load(open(\"g6/graph.json\")); assert (d[\"edges\"], d[\"self_loops\"], d[\"duplicates_dropped\"]) == (5, 1, 0), d"'

# ---- columns
has() { # FILE ARCS OPTIONS.. : the graph of the file has these arcs
    local file=$1 want=$2
    shift 2
    rm -rf h
    import "$file" "$@" --force -o h || { cat .err; return 1; }
    [ "$(arcs h)" = "$want" ] || { arcs h; false; }
}
asks() { # FILE WORDS OPTIONS.. : it is refused with these words
    local file=$1 words=$2
    shift 2
    exits 3 "$HOTSET" graph import "$file" "$@" --force -o h && grep -q -- "$words" .stderr || { cat .stderr; false; }
}
printf ',src,dst\n0,5,6\n1,7,6\n2,6,5\n' >pidx.csv
printf 'index,node1,node1_type,relation,node2,node2_type\n0,5,A,r1,6,B\n1,7,A,r2,6,B\n2,6,B,r1,5,A\n' >kg.csv
printf 'target,source\n1,0\n1,2\n0,3\n' >ts.csv
printf 'head;relation;tail\n0;9;1\n2;9;1\n3;8;0\n' >hrt.csv
printf 'weight\tsource\ttarget\n0.5\t0\t1\n0.25\t2\t1\n0.125\t3\t0\n' >wst.tsv
printf 'src,dst,time,weight\n0,1,100,0.5\n2,1,200,0.25\n3,0,300,0.125\n' >tw.csv
printf 'id_1,id_2\n0,1\n2,1\n3,0\n' >ids.csv
printf '"Source","Target","Label"\n"0","1","a, b"\n"2","1","c ""d"", e"\n"3","0",""\n' >gephi.csv
printf 'title,source,target\n"a, b",0,1\nc,2,1\n"d ""x"", e",3,0\n' >titles.csv
printf 'user_id,item_id,timestamp\n0,0,0.0\n0,1,36.0\n' >jodie.csv
printf 'a,b,c\n0,1,9\n2,1,9\n3,0,8\n' >abc.csv
printf '0 1\n1 0\n2 0\n' >two.txt
ok "an index before them" has pidx.csv "6->5 5->6 7->6"
ok "between types and a relation" has kg.csv "6->5 5->6 7->6"
ok "what is not read is told" eval '"$HOTSET" graph import kg.csv --force -o h 2>&1 | grep -q "columns that were not read: index, node1_type, relation, node2_type"'
ok "target before source" has ts.csv "3->0 0->1 2->1"
ok "head, relation, tail" has hrt.csv "3->0 0->1 2->1"
ok "a weight first" eval 'has wst.tsv "3->0 0->1 2->1" --weights && python3 -c "
import struct
d = open(\"h/weights.npy\", \"rb\").read()
assert struct.unpack(\"<3f\", d[-12:]) == (0.125, 0.5, 0.25)"'
ok "the weight behind a time" eval 'has tw.csv "3->0 0->1 2->1" --weights && python3 -c "
import struct
d = open(\"h/weights.npy\", \"rb\").read()
assert struct.unpack(\"<3f\", d[-12:]) == (0.125, 0.5, 0.25)"'
ok "two names that count" has ids.csv "3->0 0->1 2->1"
ok "ids and marks between quotes" has gephi.csv "3->0 0->1 2->1"
ok "a quoted text before them" has titles.csv "3->0 0->1 2->1"
ok "two kinds of things ask" asks jodie.csv "--source-column user_id --target-column item_id; if they number two kinds"
ok "and are read when named" has jodie.csv "0->0 0->1" --source-column user_id --target-column item_id
ok "unknown names ask" asks abc.csv "no two of its columns are known"
printf 'src,dst,time\n0,1,5\n2,1,6\n' >sdt.csv && printf 'src,dst,weight\n0,1,5\n2,1,6\n' >sdw.csv
ok "a time is no weight" asks sdt.csv "no column of it is known to be a weight" --weights
ok "a weight is no time" asks sdw.csv "no column of it is known to be a time" --times
ok "unless it is named" has sdt.csv "0->1 2->1" --weights --weight-column time
ok "by name" has abc.csv "1->0 1->2 0->3" --source-column b --target-column a
ok "by number" has abc.csv "3->0 0->1 2->1" --source-column 1 --target-column 2
ok "a name that is not there" eval 'exits 2 "$HOTSET" graph import abc.csv --source-column x --target-column b --force -o h && grep -q "has no column .x." .stderr'
ok "a name without a header" eval 'exits 2 "$HOTSET" graph import two.txt --source-column x --target-column 2 --force -o h && grep -q "no header" .stderr'
ok "one column for both" eval 'exits 2 "$HOTSET" graph import two.txt --source-column 2 --target-column 2 --force -o h && grep -q "cannot be source and target" .stderr'
ok "the other way round without a header" has two.txt "1->0 0->1 0->2" --source-column 2 --target-column 1
printf 'a,b,c,d\n0,1,9,1\n2,1,9,2\n' >abcd.csv
ok "a weight that no header names asks" asks abcd.csv "no column of it is known to be a weight; name it: --weight-column" --weights --source-column a --target-column b
mkdir -p users && cp jodie.csv users/ && printf '{"types": [{"name": "user"}, {"name": "item", "feature_dim": 4}], "relations": [{"source": "user", "name": "edits", "target": "item", "edge_index": "jodie.csv"%s}]}' ', "columns": ["user_id", "item_id"]' >users/hetero.json
ok "two kinds of things as a graph of two types" eval 'import users --force -o h && python3 -c "
import json
d = json.load(open(\"h/graph.json\"))
assert [(t[\"name\"], t[\"count\"]) for t in d[\"types\"]] == [(\"user\", 1), (\"item\", 2)], d"'
sed -i 's/user_id/used_id/' users/hetero.json
ok "with a column that is not there" eval 'exits 2 "$HOTSET" graph import users --force -o h && grep -q "no column .used_id." .stderr'

# ---- lines, directions, numbers of vertices
printf '0,1\r2,1\r3,0\r' >cr.csv
ok "lines that end by a carriage return alone" has cr.csv "3->0 0->1 2->1"
ok "and through a pipe" eval '{ printf "0,1\r2,1"; sleep 0.2; printf "\r3,0\r"; } | "$HOTSET" graph import - --force -o h --quiet >.out && [ "$(arcs h)" = "3->0 0->1 2->1" ]'
ok "both are one line end, also across reads" eval '{ printf "0,1\r"; sleep 0.2; printf "\n2,1\r\n3,0\r\n"; } | "$HOTSET" graph import - --force -o h --quiet >.out && [ "$(arcs h)" = "3->0 0->1 2->1" ]'
printf '0 1 2 3\n1 2 3 0\n2 3 0 1\n3 0 1 2\n' >adj.txt
ok "a vertex with its neighbours per line asks" asks adj.txt "looks like a vertex with its neighbours"
ok "unless columns are named" has adj.txt "3->0 0->1 1->2 2->3" --source-column 1 --target-column 2
printf '0 1 1100\n1 2 1200\n2 3 1300\n3 0 1400\n' >stamps.txt
ok "times are no neighbours" has stamps.txt "3->0 0->1 1->2 2->3"
printf '# Undirected graph (each unordered pair of nodes is saved once): x.txt\n# Nodes: 6 Edges: 3\n0 1\n2 1\n3 0\n' >snap.txt
ok "SNAP's remark: undirected" has snap.txt "1->0 3->0 0->1 2->1 1->2 0->3"
ok "and how many vertices there are" [ "$(key h vertices)" = 6 ]
printf '# Undirected graph: ../../data/output/dblp.ungraph.txt\n0 1\n2 1\n' >com.txt
ok "SNAP's remark of communities' graphs" has com.txt "1->0 0->1 2->1 1->2"
printf '# Nodes: 3 Edges: 3\n0 1\n2 1\n7 0\n' >gaps.txt
ok "a number below the largest id counts for nothing" eval 'has gaps.txt "7->0 0->1 2->1" && [ "$(key h vertices)" = 8 ]'
printf '%% sym unweighted\n1 2\n3 2\n' >out.sym && printf '%% bip weighted\n1 2 5\n3 2 1\n' >out.bip && printf '%% asym unweighted\n1 2\n3 2\n' >out.asym
ok "KONECT: sym" has out.sym "2->1 1->2 3->2 2->3"
ok "KONECT: asym" has out.asym "1->2 3->2"
ok "KONECT: bip asks" asks out.bip "two columns number different vertices"
ok "--vertices" eval 'has two.txt "1->0 2->0 0->1" --vertices 9 && [ "$(key h vertices)" = 9 ]'
ok "an id beyond it" asks two.txt "but --vertices says 2" --vertices 2
ok "a source that states another number" eval 'exits 2 "$HOTSET" graph import ogb --vertices 5 --force -o h && grep -q "states 3 vertices itself" .stderr'
ok "a negative id is no case for --renumber" eval 'printf "0 -1\n" >neg && asks neg "a negative number" && ! grep -q renumber .stderr'
# ---- parallel arcs: 1 -> 0 a hundred times, 2 .. 21 -> 0 once. Five of the 120 entries are drawn: 1 is among them in 1 - C(20, 5) / C(120, 5) =
# 0.99992 of the mini-batches, each of the others in 5 / 120; without parallel arcs each is in 5 / 21
{ for i in $(seq 100); do echo 1 0; done; for i in $(seq 2 21); do echo "$i 0"; done; } >multi.txt && echo 0 >zero.txt
drawn() { # OPTIONS..: shares of 400 mini-batches that read vertex 1, and a mean other one
    import multi.txt --train zero.txt --feature-dim 4 "$@" --force -o m || return 1
    "$HOTSET" trace record --graph m --server siton:1 --fanout 5 --batch 1 --epochs 400 --quiet --force -o mt >/dev/null || return 1
    python3 - <<'P'
import struct
d = open("mt/hotness_feature.npy", "rb").read()
counts = struct.unpack("<22I", d[-88:])
print(round(counts[1] / 400, 1), round(sum(counts[2:]) / 20 / 400, 2))
P
}
ok "dropped, and that is told" eval 'drawn >one && grep -Eq "^0.[23] 0.24$" one && "$HOTSET" graph import multi.txt -o m2 2>&1 | grep -q "99 duplicate arcs (82.5 %) were dropped"'
ok "--parallel draws them as often as they are listed" eval '[ "$(drawn --parallel)" = "1.0 0.04" ] && [ "$(key m edges)" = 120 ]'

if [ -d "$field/ogb" ]; then
    ok "field: OGB" eval 'import "$field/ogb" --force -o g6 && rows g6 "2 f32 node-feat.csv.gz"'
    for f in pidx kg; do ok "field: $f" has "$field/$f.csv" "6->5 5->6 7->6"; done
    for f in ts tw cr; do ok "field: $f" has "$field/$f.csv" "3->0 0->1 2->1"; done
    ok "field: jodie" asks "$field/jodie.csv" "two kinds"
    ok "field: snap" eval 'has "$field/snap.txt" "3->0 0->1 2->1" && [ "$(key h vertices)" = 6 ]'
    ok "field: het" eval 'import "$field/het" -o g7'
    ok "field: lists of neighbours" asks "$field/../hostile/adj4.txt" "looks like a vertex with its neighbours"
    ok "field: 1,000 lines that end by a carriage return" eval 'import "$field/../hostile/cr1000.txt" -o g8 && [ "$(key g8 edges)" = 1000 ]'
else skip "field data" "there is no folder of it"; fi
finish
