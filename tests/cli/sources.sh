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
finish
