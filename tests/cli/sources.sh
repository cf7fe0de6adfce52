#!/usr/bin/env bash
# Sources as people have them, continued from field.sh: compressed ones, formats that are refused with the shortest way in. Right answers are worked out by hand.
. "$(dirname "$0")/tap"
field=$root/../shared/data/field/graphs

# arcs G: "source->target" of every arc, in the order of targets, by name where the graph has names
cat >arcs.py <<'P'
import array, ast, os, struct, sys
def npy(path):
    with open(path, "rb") as f:
        assert f.read(6) == b"\x93NUMPY"
        size = struct.unpack("<H", f.read(4)[2:])[0]
        kind = ast.literal_eval(f.read(size).decode())["descr"]
        a = array.array({"<i8": "q", "<u4": "I", "<f4": "f", "|u1": "B"}[kind])
        a.frombytes(f.read())
        return a
g = sys.argv[1]
p, i = npy(g + "/indptr.npy"), npy(g + "/indices.npy")
name = list(map(str, range(len(p) - 1)))
if os.path.exists(g + "/name_bytes.npy"):
    o, b = npy(g + "/name_offsets.npy"), npy(g + "/name_bytes.npy").tobytes()
    name = [b[o[v]:o[v + 1]].decode() for v in range(len(o) - 1)]
print(" ".join("%s->%s" % (name[i[k]], name[v]) for v in range(len(p) - 1) for k in range(p[v], p[v + 1])))
P
arcs() { python3 arcs.py "$1"; }
import() { "$HOTSET" graph import "$@" --quiet >.out 2>.err; }
has() { # FILE ARCS OPTIONS.. : the graph of the file has these arcs
    local file=$1 want=$2
    shift 2
    rm -rf h
    import "$file" "$@" --force -o h || { cat .err; return 1; }
    [ "$(arcs h)" = "$want" ] || { arcs h; false; }
}
says() { # CODE FILE WORDS OPTIONS.. : it is refused with this exit code and these words
    local code=$1 file=$2 words=$3
    shift 3
    exits "$code" "$HOTSET" graph import "$file" "$@" --force -o h && grep -q -- "$words" .stderr || { cat .stderr; false; }
}

# ---- compressed: a frame of zstd with one raw block by hand, xz by Python
printf '\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x000 1\n2 1\n3 0\n' >e.txt.zst
python3 -c "
import lzma
data = lzma.compress(b'0 1\n2 1\n3 0\n')
open('e.txt.xz', 'wb').write(data)
open('cut.xz', 'wb').write(data[:-9])"
head -c 15 e.txt.zst >cut.zst
for way in zst xz; do
    name=${way/zst/zstd}
    if "$HOTSET" graph import e.txt.$way --force -o h --quiet 2>.err >.out || [ $? != 4 ]; then
        ok "$name" has e.txt.$way "3->0 0->1 2->1"
        ok "$name through a pipe" eval '"$HOTSET" graph import - --force -o h --quiet <e.txt.$way >.out && [ "$(arcs h)" = "3->0 0->1 2->1" ]'
        ok "$name, cut" says 3 cut.$way "the $name stream is damaged or truncated near byte"
        echo 3 >train && case $way in xz) xz -k train ;; zst) printf '\x28\xb5\x2f\xfd\x20\x02\x11\x00\x003\n' >train.zst ;; esac
        ok "$name: training vertices" eval 'import e.txt.$way --train train.$way --force -o h && grep -q "\"train_vertices\": 1," h/graph.json'
        rm -rf ogb && mkdir -p ogb/raw && printf '4\n' >ogb/raw/num-node-list.csv && printf '3\n' >ogb/raw/num-edge-list.csv && cp e.txt.$way ogb/raw/edge.csv.$way
        ok "$name in a folder of OGB" has ogb "3->0 0->1 2->1"
    else
        ok "$name is not built in, and that is told with a way round" eval 'grep -q "compressed by $name, and this build has no lib.*; unpack it into a pipe ($name -dc e.txt.$way | hotset" .err'
    fi
done
# ---- names in place of numbers: vertices are numbered in the order in which their names first come
printf 'source,target\nalice,bob\nbob,carol\nalice,carol\n' >named.csv
ok "names, told by the first line below a header" has named.csv "alice->bob alice->carol bob->carol"
ok "that is told, and graph.json says how long they are" eval '"$HOTSET" graph import named.csv --force -o h2 2>&1 | grep -q "ids are names: .* name_offsets.npy and name_bytes.npy in h2 keep them" && grep -q "\"name_bytes\": 13" h2/graph.json && "$HOTSET" graph info h2 | grep -q "^names  *13 B"'
printf 'alice,bob\nbob,carol\n' >bare.csv
ok "without a header line 1 is an arc, and that is told" eval 'has bare.csv "alice->bob bob->carol" && "$HOTSET" graph import bare.csv --force -o h2 2>&1 | grep -q "line 1 (.alice,bob.) was taken for an arc; if it names the columns, say --source-column .alice. --target-column .bob."'
ok "unless options name the columns" has bare.csv "bob->carol" --source-column alice --target-column bob
printf '"b, ""x""";d e\n  d e  ;"f"\n' >quoted.csv
ok "quotes, blanks and marks within names" has quoted.csv 'b, "x"->d e d e->f'
printf '"New York" Paris\nParis "Los Angeles"\n' >blanks.txt
ok "quotes among blanks" has blanks.txt 'New York->Paris Paris->Los Angeles'
printf 'a, b\tc\nc\td; e\n' >tabs.tsv
ok "a tab goes before commas" has tabs.tsv 'a, b->c c->d; e'
printf 'zo\303\253,\346\235\261\n' >utf8.csv
ok "letters of all languages" has utf8.csv "$(printf 'zo\303\253->\346\235\261')"
printf '/m/1\t/r/x\t/m/2\n/m/2\t/r/y\t/m/3\n' >triples.tsv
ok "three columns ask which" says 3 triples.tsv "--source-column 1 --target-column 3"
ok "and are read by their numbers, line 1 too" has triples.tsv "/m/1->/m/2 /m/2->/m/3" --source-column 1 --target-column 3
printf 'a b 0.5\nb c 0.25\n' >weighted.txt
ok "weights behind names" eval 'has weighted.txt "a->b b->c" --weights && [ -s h/weights.npy ]'
printf 'user_id,item_id\nu1,i1\n' >two.csv
ok "two kinds of things ask" says 3 two.csv "if they number two kinds"
printf '0 b\n1 2\n' >mixed.txt
ok "a name beside a number asks" says 3 mixed.txt "line 1 has 'b', which is not an integer.*--names takes every id as one"
ok "--names takes both" has mixed.txt "0->b 1->2" --names
printf 'a,b\nc,d\n0,1\n' >heads.csv
ok "numbers below names ask" says 3 heads.csv "line 3 ('0,1') has two numbers, but ids above it are names"
ok "--names takes all" has heads.csv "a->b c->d 0->1" --names
ok "two sources share their names" has named.csv "alice->bob alice->carol bob->carol" bare.csv
printf '0 1\n' >numbers.txt
ok "numbers before names ask" says 3 numbers.txt "its ids are names, but those of the source before are numbers" bare.csv
printf 'a,\nb,c\n' >empty.csv
ok "an empty name" says 3 empty.csv "line 1: the name is empty"
printf 'a\377,b\nb,c\n' >latin.csv
ok "what is not UTF-8" says 3 latin.csv "line 1: the name .a.xff. is not UTF-8; make it so: iconv"
python3 -c "print('a' * 4096 + ',b'); print('b,' + 'c' * 4096)" >long.csv
ok "4,096 bytes are a name" eval 'import long.csv --force -o h && grep -q "\"name_bytes\": 8193" h/graph.json'
python3 -c "print('a' * 4097 + ',b'); print('b,c')" >longer.csv
ok "4,097 are not" says 3 longer.csv "has 4097 bytes; names have at most 4096"
printf 'a,b\n#c,d\n' >tags.csv
ok "an arc of hashtags is not passed over" says 3 tags.csv "line 2 ('#c,d') could be a comment or an arc"
printf 'a,b\nc,d\n#e,f\n' >late.csv
ok "further down, too" says 3 late.csv "line 3 ('#e,f') could be a comment or an arc"
ok "--renumber is for numbers" eval 'exits 2 "$HOTSET" graph import bare.csv --renumber --force -o h && grep -q "are names, which are numbered as they come" .stderr'
ok "and so is --vertices" eval 'exits 2 "$HOTSET" graph import bare.csv --vertices 9 --force -o h && grep -q "^hotset: --vertices" .stderr'
printf 'a\033[31m,b\nb,c\n' >control.csv
ok "a name commands no terminal" eval 'import control.csv --format edge-list --train-share 1 -o hc && "$HOTSET" plan --graph hc --server dgx-v100 --budget 100% --fanout 2 --batch 1 --simulate-epochs 0 -o pc --quiet >.out && "$HOTSET" explain pc --vertex 0 >.out && grep -q "^vertex 0 (a.u001b\[31m), " .out'
# training vertices and labels by name
printf 'carol\n"alice"\n' >by-name && printf 'name,class\nbob,1\nalice,0\n' >classes
ok "--train and --labels by name" eval 'import named.csv --train by-name --valid by-name --labels classes -o ht && python3 -c "
import struct
read = lambda name, kind: struct.unpack(kind, open(\"ht/\" + name, \"rb\").read()[128:])
assert read(\"train.npy\", \"<2I\") == (0, 2) == read(\"valid.npy\", \"<2I\") and read(\"labels.npy\", \"<3q\") == (0, 1, -1)"'
echo dave >nobody
ok "a name that the graph does not have" says 3 named.csv "nobody: line 1 names training vertex 'dave', which the graph does not have" --train nobody
printf 'alice,0\nbob,tall\n' >words
ok "a class that is no number" says 3 named.csv "words: line 2 is 'bob,tall'; expected the name of a vertex and the number of its class" --labels words
# what carries them on
ok "explain by name, and names in what it says" eval 'import named.csv --train-share 1 --feature-dim 8 --force -o h && "$HOTSET" plan --graph h --server dgx-v100 --budget 100% --fanout 2 --batch 1 --simulate-epochs 0 -o P --quiet >.out && "$HOTSET" explain P --vertex carol >.out && grep -q "^vertex 2 (carol), degree 2, " .out && "$HOTSET" explain P --vertex 2 --json | grep -q "\"name\": \"carol\""'
ok "a name that is none" eval 'exits 3 "$HOTSET" explain P --vertex dave && grep -q "no vertex of the graph has this name" .stderr'
ok "a name goes before a number" eval 'import mixed.txt --names --train-share 1 --feature-dim 8 -o hm && "$HOTSET" plan --graph hm --server dgx-v100 --budget 100% --fanout 2 --batch 1 --simulate-epochs 0 -o pm --quiet >.out && "$HOTSET" explain pm --vertex 1 | grep -q "^vertex 2 (1), "'
ok "relabel moves names with their vertices" eval '"$HOTSET" graph relabel h --by degree-in -o hr --quiet >.out && [ "$(arcs hr | tr " " "\n" | sort | tr "\n" " ")" = "alice->bob alice->carol bob->carol " ] && ! cmp -s h/name_bytes.npy hr/name_bytes.npy'
ok "export has them, and says how they are read" eval '"$HOTSET" export P --to npy -o E --simulate-epochs 0 --quiet >.out && cmp E/name_bytes.npy h/name_bytes.npy && cmp E/name_offsets.npy h/name_offsets.npy && grep -q "the name of vertex v is bytes(b\[o\[v\]:o\[v + 1\]\]).decode()" E/export.json'
printf '\x80' | dd of=h/name_bytes.npy bs=1 seek=130 conv=notrunc 2>.err
ok "damaged names are refused" eval 'exits 3 "$HOTSET" explain P --graph h --vertex carol && grep -q "the name of vertex 0 is not 1 to 4096 bytes of UTF-8" .stderr'

# ---- relations and types in columns of one text. Arcs of relation R by name: relation R of types S and T, by their positions
cat >typed.py <<'P'
import json, sys
sys.argv[1:] = [sys.argv[1]]
exec(open("arcs.py").read().split("g = sys.argv[1]")[0])
g = sys.argv[1]
d = json.load(open(g + "/graph.json"))
at = {t["name"]: i for i, t in enumerate(d["types"])}
def name(t, v):
    o, b = npy("%s/type%d_name_offsets.npy" % (g, t)), npy("%s/type%d_name_bytes.npy" % (g, t)).tobytes()
    assert d["types"][t]["name_bytes"] == len(b) and d["types"][t]["count"] == len(o) - 1
    return b[o[v]:o[v + 1]].decode()
for r, x in enumerate(d["relations"]):
    p, i = npy("%s/relation%d_indptr.npy" % (g, r)), npy("%s/relation%d_indices.npy" % (g, r))
    s, t = at[x["source"]], at[x["target"]]
    print(x["source"], x["name"], x["target"], " ".join("%s->%s" % (name(s, i[k]), name(t, v)) for v in range(len(p) - 1) for k in range(p[v], p[v + 1])))
P
typed() { # FILE WANTED OPTIONS..
    local file=$1 want=$2
    shift 2
    rm -rf h
    import "$file" "$@" --force -o h && [ "$(python3 typed.py h)" = "$want" ] || { cat .err; python3 typed.py h; false; }
}
printf 'index,node1,node1_type,relation,node2,node2_type\n0,5,A,r1,6,B\n1,7,A,r2,6,B\n2,6,B,r1,5,A\n' >kg.csv
kg=$'A r1 B 5->6\nA r2 B 7->6\nB r1 A 6->5'
ok "types by name, relations between them" typed kg.csv "$kg" --relation-column relation
ok "by numbers of columns" typed kg.csv "$kg" --relation-column 4 --source-type-column node1_type --target-type-column 6
ok "without the option that is told" eval '"$HOTSET" graph import kg.csv --force -o h 2>&1 | grep -q "columns that were not read: index, node1_type, relation, node2_type; --relation-column makes"'
ok "triples without a header" typed triples.tsv $'node /r/x node /m/1->/m/2\nnode /r/y node /m/2->/m/3' --relation-column 2
printf 'head;relation;tail\n"a; b";likes;c\nc;likes;"a; b"\nc;likes;"a; b"\n' >hrt.csv
ok "triples with one, one twice" typed hrt.csv "node likes node c->a; b a; b->c" --relation-column relation
ok "rows of every type" eval 'import kg.csv --relation-column relation --feature-dim 8 --feature-type f16 --force -o hk && "$HOTSET" graph info hk | grep -q "^vertices with names: A, B" && "$HOTSET" graph info hk | grep -q "^B  *1  *0  *8 x f16"'
echo 7 >seven
ok "--train TYPE=FILE by name, explain TYPE:NAME, relabel and export" eval 'import kg.csv --relation-column relation --feature-dim 8 --train A=seven --force -o hk && "$HOTSET" plan --graph hk --server dgx-v100 --budget 100% --fanout 2 --batch 1 --simulate-epochs 0 -o pk --quiet >.out &&
    "$HOTSET" explain pk --vertex A:7 | grep -q "^vertex A:1 (7), " && "$HOTSET" graph relabel hk --by degree-in -o hkr --quiet >.out && [ "$(python3 typed.py hkr | sort)" = "$(python3 typed.py hk | sort)" ] && "$HOTSET" export pk --to npy --simulate-epochs 0 -o ek --quiet >.out && cmp ek/type1_name_bytes.npy hk/type1_name_bytes.npy'
ok "a column that is not there" eval 'exits 2 "$HOTSET" graph import kg.csv --relation-column kind --force -o h && grep -q -- "--relation-column: the header of kg.csv .* has no column .kind." .stderr'
ok "columns of types belong to it" eval 'exits 2 "$HOTSET" graph import kg.csv --source-type-column node1_type --force -o h && grep -q "belong to --relation-column" .stderr'
ok "an option that is for one type" eval 'exits 2 "$HOTSET" graph import kg.csv --relation-column relation --labels seven --force -o h && grep -q "^hotset: --labels: kg.csv has several types" .stderr'
printf 'head,relation,tail\na,,b\n' >blank.csv
ok "a relation without a name" says 3 blank.csv "line 2 ('a,,b') has an empty field where a relation or a type is expected" --relation-column relation
{ echo head,relation,tail; for i in $(seq 257); do echo "a,r$i,b"; done; } >many.csv
ok "more relations than are held" says 3 many.csv "there are more than 256 relations" --relation-column relation
[ ! -f "$field/kg.csv" ] || ok "field: kg" typed "$field/kg.csv" "$kg" --relation-column relation

# ---- GraphML and GEXF, in the shape of NetworkX, igraph, yEd and Gephi
graphml() { # FILE ATTRIBUTES-OF-GRAPH LINES..: with a key of weights
    local file=$1 graph=$2
    shift 2
    { echo '<?xml version="1.0" encoding="UTF-8"?>' && echo '<!-- made by hand --><graphml xmlns="http://graphml.graphdrawing.org/xmlns">' &&
        echo '<key id="d0" for="node" attr.name="weight" attr.type="string"/><key id="w" for="edge" attr.name="Weight" attr.type="double"><default>4</default></key>' &&
        echo "<graph id=\"G\" $graph>" && printf '%s\n' "$@" && echo '</graph></graphml>'; } >"$file"
}
graphml d.graphml 'edgedefault="directed"' '<node id="a"/>' '<node id="b &amp; &#99;"><data key="d0">9</data></node>' '<node id="alone"/>' '<edge source="a" target="b &amp; &#99;"><data key="w">0.5</data></edge>' '<edge id="e1" source="b &amp; &#99;" target="b &amp; &#99;"/>'
ok "GraphML: names, entities" has d.graphml "a->b & c b & c->b & c"
ok "a node without edges is a vertex" [ "$(python3 -c "import json; print(json.load(open('h/graph.json'))['vertices'])")" = 3 ]
weights() { python3 -c "
import struct
d = open('$1/weights.npy', 'rb').read()[128:]
print(*struct.unpack('<%df' % (len(d) // 4), d))"; }
ok "weights by their key, and its default" eval 'has d.graphml "a->b & c b & c->b & c" --weights && [ "$(weights h)" = "0.5 4.0" ]'
graphml u.graphml 'edgedefault="undirected" parse.nodeids="canonical" parse.order="free"' '<edge source="0" target="1"/>' '<node id="0"/>' '<node id="1"/>' '<node id="2"/>' '<node id="3"/>' '<edge source="2" target="2"/>'
ok "edges before nodes, ids are numbers, undirected" eval 'has u.graphml "1->0 0->1 2->2" && grep -q "\"vertices\": 4," h/graph.json && grep -q "\"sample\": \"both\"" h/graph.json'
graphml mixed.graphml 'edgedefault="undirected"' '<node id="x"/><node id="y"/><node id="z"/>' '<edge source="x" target="y" directed="true"/>' '<edge source="y" target="z"/>'
ok "an edge may differ from the graph" eval 'has mixed.graphml "x->y z->y y->z" && grep -q "\"sample\": \"in\"" h/graph.json'
refuses() { # NAME WORDS LINES..
    local name=$1 words=$2
    shift 2
    graphml r.graphml 'edgedefault="directed"' "$@"
    ok "GraphML: $name" says 3 r.graphml "$words"
}
refuses "a graph in a node" "line 5: a graph lies in a node" '<node id="a"><graph id="b" edgedefault="directed"><node id="c"/></graph></node>'
refuses "an edge of three ends" "line 6: an edge of more than two ends (hyperedge)" '<node id="a"/>' '<hyperedge><endpoint node="a"/></hyperedge>'
refuses "a node twice" "line 6: the node 'a' is there twice" '<node id="a"/>' '<node id="a"/><edge source="a" target="a"/>'
refuses "an edge to nowhere" "edges name 1 nodes that the file does not declare" '<node id="a"/>' '<edge source="a" target="b"/>'
refuses "an edge without an end" "line 5: an edge has no source, or no target" '<edge source="a"/>'
refuses "no edges" "holds no arcs" '<node id="a"/>'
refuses "a second graph" "a second graph" '<edge source="a" target="b"/></graph><graph edgedefault="directed">'
refuses "numbers, then a name" "line 6 has id 'b', which is no number as those before it; --names" '<node id="0"/>' '<node id="b"/>'
refuses "cut" "</graph> is found where </edge> was expected for the element of line 5" '<edge source="a" target="b">'
graphml r.graphml '' '<edge source="a" target="b"/>'
ok "GraphML: no direction is stated" says 3 r.graphml "the graph states no edgedefault"
printf '<?xml version="1.0"?><!DOCTYPE graphml [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><graphml><graph edgedefault="directed"><node id="&b;"/></graph></graphml>' >bomb.graphml
ok "GraphML: entities are not declared" says 3 bomb.graphml "the DOCTYPE declares entities"
gexf() { # FILE ATTRIBUTES-OF-GRAPH LINES..
    local file=$1 graph=$2
    shift 2
    { echo '<?xml version="1.0" encoding="UTF-8"?><gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2"><meta><creator>Gephi 0.10</creator></meta>' &&
        echo "<graph $graph>" && printf '%s\n' "$@" && echo '</graph></gexf>'; } >"$file"
}
nodes='<nodes><node id="n0" label="Zero"><attvalues><attvalue for="0" value="1"/></attvalues><viz:size value="1.0"/></node><node id="n1" label="One"/><node id="n2" label="Two"/></nodes>'
gexf g.gexf 'defaultedgetype="directed" mode="static"' '<attributes class="node"><attribute id="0" title="x" type="integer"/></attributes>' "$nodes" '<edges><edge id="0" source="n0" target="n1" weight="2.5"/><edge id="1" source="n1" target="n2" type="undirected"/></edges>'
ok "GEXF: directed, one edge is not, a weight and the standard's 1" eval 'has g.gexf "n0->n1 n2->n1 n1->n2" --weights && [ "$(weights h)" = "2.5 1.0 1.0" ]'
gexf plain.gexf '' "$nodes" '<edges><edge source="n0" target="n1"/></edges>'
ok "GEXF: undirected where nothing is said" has plain.gexf "n1->n0 n0->n1"
gexf nested.gexf '' '<nodes><node id="a"><nodes><node id="b"/></nodes></node></nodes><edges><edge source="a" target="b"/></edges>'
ok "GEXF: nodes within nodes" says 3 nested.gexf "a graph lies in a node"
gexf pid.gexf '' '<nodes><node id="a"/><node id="b" pid="a"/></nodes><edges><edge source="a" target="b"/></edges>'
ok "GEXF: a node with a parent" says 3 pid.gexf "a node lies in another one (pid)"
if python3 -c "import networkx" 2>.err; then
    python3 -c "
import networkx as x
g = x.DiGraph([('a', 'b'), ('c', 'b'), ('b', 'b')])
x.write_graphml(g, 'n.graphml'), x.write_gexf(g, 'n.gexf')
x.write_gml(g, 'w.gml')"
    for f in n.graphml n.gexf; do ok "as NetworkX writes it: $f" has $f "a->b b->b c->b"; done
else skip "as NetworkX writes it" "$(tail -n 1 .err)"; fi

# ---- forms that are not read: each is told by its first bytes, and with the way in
while IFS='|' read -r name head what way; do
    printf "$head" >"$name"
    ok "$name: ${what#a }" says 3 "$name" "$name: is $what, which is not read; make of it what is: .*$way"
done <<'T'
e.parquet|PAR1\x15\x04|a Parquet file|pyarrow.parquet.*read_table('e.parquet').*graph import edges.npy -o G
e.arrow|ARROW1\x00\x00\xff|an Arrow file|pyarrow.feather
e.feather|FEA1\x00\x00|a Feather file|pyarrow.feather
e.orc|ORC\x11\x00|an ORC file|pyarrow.orc
e.h5|\x89HDF\r\n\x1a\n\x00|an HDF5 file|h5py.File('e.h5')
e.mat|MATLAB 5.0 MAT-file, Platform: GLNXA64|a MATLAB file|scipy.io.*graph import edges.npz
g.mat|MATLAB 7.3 MAT-file, Platform|a MATLAB file (HDF5)|h5py.File('g.mat')
graph.bin|\x3f\xa1\xb4\x46\xf0\x4f\x2e\xdd\x02|a file of DGL's save_graphs|dgl.load_graphs('graph.bin')
data.pt|PK\x03\x04\x00\x00\x08\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0d\x00\x00\x00data/data.pkl\x80\x02|a file of torch.save (PyTorch, PyG)|torch.load('data.pt'
e.xlsx|PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00\x21\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x13\x00\x00\x00[Content_Types].xml\x00|a spreadsheet|read_excel('e.xlsx')
g.pickle|\x80\x04\x95\x00\x00|a file of Python's pickle|pickle.load(open('g.pickle'
old.pickle|\x80\x02}q|a file of Python's pickle|which you trust
e.db|SQLite format 3\x00\x10|an SQLite database|sqlite3 -csv -header e.db
e.bz2|BZh91AY|compressed by bzip2|bzip2 -dc e.bz2 | hotset graph import - -o G
e.lz4|\x04\x22\x4d\x18\x64|compressed by LZ4|lz4 -dc e.lz4
g.nt|<http://a/s> <http://a/p> <http://a/o> .\n|RDF (N-Triples)|awk
urn.nt|<urn:s> <urn:p> <urn:o> .\n|RDF (N-Triples)|awk
g.ttl|@prefix a: <http://a/> .\n|RDF (Turtle)|rapper
g.gml|graph [\n  node [ id 0 ]\n]\n|a GML file|read_gml('g.gml')
igraph.gml|Creator "igraph version 0.10"\nVersion 1\n|a GML file|read_gml('igraph.gml')
g.dot|digraph g { a -> b }\n|a Graphviz file|read_dot('g.dot')
u.dot|graph { a -- b }\n|a Graphviz file|read_dot('u.dot')
g.net|*Vertices 2\n1 "a"\n|a Pajek file|read_pajek('g.net')
x.xml|<?xml version="1.0"?>\n<a/>\n|an XML document|GraphML or GEXF, with the program that wrote x.xml
g.json| {"nodes": []}\n|a JSON document|node_link_graph
T
{ head -c 257 /dev/zero; printf 'ustar\0'; } >e.tar
ok "e.tar: tar archive" says 3 e.tar "a tar archive, .*: tar -xf e.tar && hotset graph import FILE"
# The commands that a refusal names are run where their modules are: edges 0 -> 1, 2 -> 1, 3 -> 0
way() { # FILE
    exits 3 "$HOTSET" graph import "$1" --force -o h && rm -rf G edges.npy &&
        PATH=$PWD:$PATH bash -c "$(sed -n 's/.* make of it what is: //; s/, if it is .*//; /^python3\|^bzip2\|^awk/p' .stderr | head -n 1)" >.out 2>.err && arcs G >.arcs || { cat .stderr .err; false; }
}
ln -s "$HOTSET" hotset
with() { # MODULES FILE CODE that makes the file
    if ! python3 -c "import $1" 2>.err; then skip "the way in of $2" "$(tail -n 1 .err)"; return; fi
    python3 -c "$3" && ok "the way in of $2" eval 'way '"$2"' && [ "$(cat .arcs)" = "3->0 0->1 2->1" ]'
}
with pyarrow,numpy e.parquet "import pyarrow as a, pyarrow.parquet as q; q.write_table(a.table({'s': [0, 2, 3], 't': [1, 1, 0]}), 'e.parquet')"
with pyarrow,numpy e.arrow "import pyarrow as a, pyarrow.feather as f; f.write_feather(a.table({'s': [0, 2, 3], 't': [1, 1, 0]}), 'e.arrow')"
with h5py,numpy e.h5 "import h5py; h5py.File('e.h5', 'w')['edge_index'] = [[0, 2, 3], [1, 1, 0]]"
with scipy,numpy e.mat "import scipy.io, scipy.sparse as p; scipy.io.savemat('e.mat', {'A': p.coo_matrix(([1, 1, 1], ([0, 2, 3], [1, 1, 0])), (4, 4))})"
with torch,numpy data.pt "import torch; torch.save({'edge_index': torch.tensor([[0, 2, 3], [1, 1, 0]])}, 'data.pt')"
with networkx,numpy g.pickle "import pickle, networkx as x; pickle.dump(x.DiGraph([(0, 1), (2, 1), (3, 0)]), open('g.pickle', 'wb'))"
printf '<http://a/1> <http://a/p> <http://a/2> .\n<http://a/1> <http://a/p> "text" .\n' >g.nt
ok "the way in of g.nt" eval 'way g.nt && [ "$(cat .arcs)" = "http://a/1->http://a/2" ]'
with networkx g.gml "import networkx as x; x.write_gml(x.DiGraph([(0, 1), (2, 1), (3, 0)]), 'g.gml')"
with networkx g.json "import json, networkx as x; json.dump(x.node_link_data(x.DiGraph([(0, 1), (2, 1), (3, 0)])), open('g.json', 'w'))"
with bz2 e.bz2 "import bz2; open('e.bz2', 'wb').write(bz2.compress(b'0 1\n2 1\n3 0\n'))"
finish
