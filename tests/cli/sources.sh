#!/usr/bin/env bash
# Sources as people have them, continued from field.sh: compressed ones, formats that are refused with the shortest way in. Right answers are worked out by hand.
. "$(dirname "$0")/tap"
field=$root/../shared/data/field/graphs

# arcs G: "source->target" of every arc, in the order of targets, by name where the graph has names
cat >arcs.py <<'P'
import array, ast, struct, sys
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
print(" ".join("%d->%d" % (i[k], v) for v in range(len(p) - 1) for k in range(p[v], p[v + 1])))
P
arcs() { python3 arcs.py "$1"; }
import() { "$HOTSET" graph import "$@" --quiet >.out 2>.err; }
has() { # FILE ARCS OPTIONS.. : the graph of the file has these arcs
    local file=$1 want=$2
    shift 2
    rm -rf h
    import "$file" "$@" -o h || { cat .err; return 1; }
    [ "$(arcs h)" = "$want" ] || { arcs h; false; }
}
says() { # CODE FILE WORDS OPTIONS.. : it is refused with this exit code and these words
    local code=$1 file=$2 words=$3
    shift 3
    exits "$code" "$HOTSET" graph import "$file" "$@" -o h && grep -q -- "$words" .stderr || { cat .stderr; false; }
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
    if "$HOTSET" graph import e.txt.$way -o h --quiet 2>.err >.out || [ $? != 4 ]; then
        ok "$name" has e.txt.$way "3->0 0->1 2->1"
        ok "$name through a pipe" eval '"$HOTSET" graph import - -o h --quiet <e.txt.$way >.out && [ "$(arcs h)" = "3->0 0->1 2->1" ]'
        ok "$name, cut" says 3 cut.$way "the $name stream is damaged or truncated near byte"
        echo 3 >train && case $way in xz) xz -k train ;; zst) printf '\x28\xb5\x2f\xfd\x20\x02\x11\x00\x003\n' >train.zst ;; esac
        ok "$name: training vertices" eval 'import e.txt.$way --train train.$way -o h && grep -q "\"train_vertices\": 1," h/graph.json'
        rm -rf ogb && mkdir -p ogb/raw && printf '4\n' >ogb/raw/num-node-list.csv && printf '3\n' >ogb/raw/num-edge-list.csv && cp e.txt.$way ogb/raw/edge.csv.$way
        ok "$name in a folder of OGB" has ogb "3->0 0->1 2->1"
    else
        ok "$name is not built in, and that is told with a way round" eval 'grep -q "compressed by $name, and this build has no lib.*; unpack it into a pipe ($name -dc e.txt.$way | hotset" .err'
    fi
done
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
g.json| {"nodes": []}\n|a JSON document|node_link_graph
T
{ head -c 257 /dev/zero; printf 'ustar\0'; } >e.tar
ok "e.tar: tar archive" says 3 e.tar "a tar archive, .*: tar -xf e.tar && hotset graph import FILE"
# The commands that a refusal names are run where their modules are: edges 0 -> 1, 2 -> 1, 3 -> 0
way() { # FILE
    exits 3 "$HOTSET" graph import "$1" -o h && rm -rf G edges.npy &&
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
with bz2 e.bz2 "import bz2; open('e.bz2', 'wb').write(bz2.compress(b'0 1\n2 1\n3 0\n'))"
finish
