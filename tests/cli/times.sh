#!/usr/bin/env bash
# Graphs with times: every way in, what is written and refused, and temporal samplers through plan, simulate, compare
# and trace record. A plain program checks the rows of an imported graph.
. "$(dirname "$0")/tap"
printf 'src,dst,rating,time\n0,1,5,100\n0,1,2,100\n0,1,5,200\n2,1,1,50\n1,2,1,300\n3,0,1,10\n' >a.csv
# rows V: the row of V as id@time
rows() {
    python3 - "$1" <<'END'
import struct, sys
def load(name, kind):
    data = open(f"{sys.argv[1]}/{name}", "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return memoryview(data[start:]).cast(kind).tolist()
p, ids, times = load("indptr.npy", "q"), load("indices.npy", "I"), load("edge_times.npy", "q")
print(";".join(",".join(f"{ids[e]}@{times[e]}" for e in range(p[v], p[v + 1])) for v in range(len(p) - 1)),
      load("vertex_times.npy", "q"))
END
}
ok "the column that the header calls time" eval '"$HOTSET" graph import a.csv --times --train-share 1 --quiet -o A >/dev/null && [ "$(rows A)" = "3@10;0@100,0@200,2@50;1@300; [200, 300, 300, 10]" ]'
ok "graph.json has the range" eval 'tr -d " \n" <A/graph.json | grep -q "\"edge_times\":\[10,300\],\"vertex_times\":\[10,300\]"'
ok "info says it" eval '"$HOTSET" graph info A | grep -q "times of arcs *10  to 300"'
tail -n +2 a.csv | cut -d, -f1,2,4 >b.csv
ok "the third column without a header" eval '"$HOTSET" graph import b.csv --times --quiet -o B >/dev/null && [ "$(rows B)" = "$(rows A)" ]'
ok "a column by its number" eval 'tail -n +2 a.csv >c.csv && "$HOTSET" graph import c.csv --times --time-column 4 --quiet -o C >/dev/null && [ "$(rows C)" = "$(rows A)" ]'
cut -d, -f3 b.csv >times; cut -d, -f1,2 b.csv >d.csv
ok "a file of the arcs' times" eval '"$HOTSET" graph import d.csv --edge-times times --quiet -o D >/dev/null && [ "$(rows D)" = "$(rows A)" ]'
ok "a file of the vertices'" eval 'printf "7\n8\n9\n-5\n" >vt && "$HOTSET" graph import a.csv --times --vertex-times vt --quiet -o E >/dev/null && [ "$(rows E)" = "3@10;0@100,0@200,2@50;1@300; [7, 8, 9, -5]" ]'
python3 - <<'END'
import struct
rows = [(0, 1, 100), (0, 1, 100), (0, 1, 200), (2, 1, 50), (1, 2, 300), (3, 0, 10)]
head = "{'descr': '<i8', 'fortran_order': False, 'shape': (6, 3), }"
head += " " * (117 - len(head)) + "\n"
open("n.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"".join(struct.pack("<3q", *r) for r in rows))
END
ok "an array (m, 3)" eval '"$HOTSET" graph import n.npy --times --quiet -o N >/dev/null && [ "$(rows N)" = "$(rows A)" ]'
mkdir -p ogb/raw && printf '0,1\n2,1\n' >ogb/raw/edge.csv && echo 3 >ogb/raw/num-node-list.csv && echo 2 >ogb/raw/num-edge-list.csv && printf '2013\n2014\n2015\n' >ogb/raw/node_year.csv
ok "years of OGB's vertices" eval '"$HOTSET" graph import ogb --times --train-share 1 --quiet -o O >/dev/null && tr -d " \n" <O/graph.json | grep -q "\"vertex_times\":\[2013,2015\]" && [ ! -e O/edge_times.npy ]'
ok "renumbered, on one thread" eval '"$HOTSET" graph import a.csv --times --undirected --renumber --threads 1 --quiet -o R1 >/dev/null'
ok "and on two" eval '"$HOTSET" graph import a.csv --times --undirected --renumber --threads 2 --name R1 --quiet -o R2 >/dev/null && diff -rx .hotset R1 R2'
ok "relabelled" eval 'python3 -c "
import struct
head = \"{'"'descr'"': '"'<u4'"', '"'fortran_order'"': False, '"'shape'"': (4,), }\"
head += \" \" * (117 - len(head)) + \"\n\"
open(\"order.npy\", \"wb\").write(b\"\x93NUMPY\x01\x00\" + struct.pack(\"<H\", len(head)) + head.encode(\"latin1\") + struct.pack(\"<4I\", 3, 2, 1, 0))" && "$HOTSET" graph relabel A --order order.npy --quiet -o L >/dev/null && [ "$(rows L)" = ";2@300;1@50,3@100,3@200;0@10 [10, 300, 300, 200]" ]'
# fractions: order and distinct times stay, in millionths; times before the first fraction are in the same unit
printf 'src,dst,time\n0,1,100\n0,1,100.7\n0,1,100.75\n2,1,0.1\n1,2,0.95\n3,0,-0.5\n' >f.csv
ok "fractions are kept" eval '"$HOTSET" graph import f.csv --times --quiet -o F >/dev/null && [ "$(rows F)" = "3@-500000;0@100000000,0@100700000,0@100750000,2@100000;1@950000; [100750000, 100750000, 950000, -500000]" ]'
ok "and graph.json states the unit" eval 'tr -d " \n" <F/graph.json | grep -q "\"time_unit\":1e-6" && "$HOTSET" graph info F | grep -q "times of arcs *-0.5  to 100.75; stored in millionths"'
ok "whole times with a point are whole" eval 'printf "0 1 5.0\n1 0 7.0\n" >w && "$HOTSET" graph import w --times --quiet -o W >/dev/null && [ "$(rows W)" = "1@7;0@5 [7, 7]" ] && ! grep -q time_unit W/graph.json'
ok "vertices' times beside fine ones" eval 'printf "1\n2.5\n3\n4\n" >vf && "$HOTSET" graph import f.csv --times --vertex-times vf --quiet --force -o V >/dev/null && [ "$(rows V | cut -d[ -f2)" = "1000000, 2500000, 3000000, 4000000]" ]'
ok "vertices' fractions between whole times" eval 'printf "1.5\n2\n-2.5\n4\n" >vf && "$HOTSET" graph import a.csv --times --vertex-times vf --quiet --force -o V >/dev/null && [ "$(rows V | cut -d[ -f2)" = "1, 2, -3, 4]" ]'
# windows of 10 of the source's units: 0.5 .. 39.5 are four of them, stored in millionths or not
python3 -c "
for i in range(40): print(i % 7, (i + 1) % 7, i)" >whole.txt && sed 's/$/.5/' whole.txt >half.txt
windows() { "$HOTSET" graph import "$1" --times --train-share 1 --feature-dim 4 --quiet --force -o DW >/dev/null && "$HOTSET" drift --graph DW --server siton:1 --budget 40B --fanout 2 --batch 2 --window-width 10 --json --quiet 2>/dev/null | python3 -c "import json, sys; d = json.load(sys.stdin); print(len(d['schemes'][0]['windows']))"; }
ok "a window is as wide in whole times and in fractions" eval '[ "$(windows whole.txt)" = "$(windows half.txt)" ] && [ "$(windows half.txt)" -ge 3 ]'
ok "relabelled, the unit stays" eval '"$HOTSET" graph relabel F --by degree-in --quiet -o FL >/dev/null && grep -q time_unit FL/graph.json'
refused() { # CODE WORDS COMMAND..
    local code=$1 words=$2
    shift 2
    "$@" >/dev/null 2>why
    [ $? = "$code" ] && grep -q "$words" why
}
import() { "$HOTSET" graph import "$@" --quiet -o X; }
ok "no such column" refused 3 "line 2 .*no time in column 9" import a.csv --times --time-column 9
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n' >m.mtx
ok "no room for fractions" refused 3 "no room for six digits" import <(printf '0 1 9300000000000\n1 0 0.5\n') --times
ok "a format without times" refused 3 "edge-times" import m.mtx --times
ok "a column that is not there" refused 3 "no time in column 3" import d.csv --times
ok "weights beside times" refused 2 "exclude" import a.csv --times --weights
ok "too few times" refused 3 "has 2 times" import d.csv --edge-times <(head -2 times)
ok "too many" refused 3 "7 times for 6 arcs" import d.csv --edge-times <(cat times; echo 9)
ok "times for some vertices" refused 3 "4 vertices" import a.csv --vertex-times times
cp -r A bad && sed -i 's/300/299/' bad/graph.json
ok "a time that graph.json does not know" refused 3 "entry 4 is 300" "$HOTSET" graph info bad
rm A/edge_times.npy
ok "a file that is missing" refused 3 "edge_times.npy" "$HOTSET" graph info A
python3 - <<'END'
import random
random.seed(1)
with open("t.txt", "w") as f:
    for i in range(8000):
        f.write(f"{(int(random.paretovariate(0.7)) + i // 50) % 1000} {random.randrange(1000)} {i}\n")
END
"$HOTSET" graph import t.txt --times --train-share 0.5 --quiet -o G >/dev/null
how="--graph G --server dgx-v100:2 --fanout 5,3 --batch 50 --presample-epochs 2 --simulate-epochs 1 --budget 3% --quiet"
for s in temporal temporal-last; do
    for t in 1 2; do "$HOTSET" plan $how --sampler $s --threads $t -o P$s$t >/dev/null; done
    ok "$s: a plan, the same on two threads" diff -rx .hotset P${s}1 P${s}2
    ok "$s: simulated, with LRU beside it" eval '"$HOTSET" simulate P${s}1 --epochs 1 --cache lru --quiet >/dev/null'
    ok "$s: verified" eval '"$HOTSET" verify P${s}1 --quiet >/dev/null'
    ok "$s: executed on the CPU" eval '"$HOTSET" execute P${s}1 --quiet >/dev/null'
done
ok "policies that count rows with their times" eval '"$HOTSET" compare --graph G --server dgx-v100:2 --fanout 5,3 --batch 50 --presample-epochs 2 --simulate-epochs 1 --budget 3% --sampler temporal --policy hotset,legion,dsp,gnnlab,ducati --quiet -o R.json >/dev/null'
ok "held-out epochs are recorded as they were simulated" eval '"$HOTSET" plan $how --sampler temporal --simulate-seed 7 -o Q >/dev/null && "$HOTSET" trace record --graph G --server dgx-v100:2 --plan Q --seed 7 --epochs 1 --quiet -o T >/dev/null && python3 -c "
import json, struct
told = [sum(g[\"feature_rows\"].values()) for g in json.load(open(\"Q/plan.json\"))[\"simulated\"][\"gpus\"]]
data = open(\"T/hotness_feature.npy\", \"rb\").read()
c = memoryview(data[10 + struct.unpack(\"<H\", data[8:10])[0]:]).cast(\"I\")
n = len(c) // len(told)
assert told == [sum(c[i * n:(i + 1) * n]) for i in range(len(told))] and sum(told)"'
"$HOTSET" graph synth rmat --vertices 500 --edges 2000 --quiet -o U >/dev/null
ok "a plan whose rows hold times is verified against its graph, and compared" eval '"$HOTSET" verify Ptemporal1 --graph G --quiet >/dev/null && "$HOTSET" diff Ptemporal1 Ptemporal2 --graph G --quiet | grep -q .'
ok "its topology rows have as many bytes as the plan states" eval '"$HOTSET" diff Ptemporal1 Ptemporal2 --graph G --json --quiet >d.json && python3 -c "
import json
d, p = json.load(open(\"d.json\")), json.load(open(\"Ptemporal1/plan.json\"))
assert [g[\"topology\"][\"before\"][\"bytes\"] for g in d[\"gpus\"]] == [g[\"topology\"][\"bytes\"] for g in p[\"gpus\"]] and d[\"gpus\"][0][\"topology\"][\"before\"][\"bytes\"] > 0"'
ok "a graph without times" refused 3 "has no times" "$HOTSET" plan --graph U --server dgx-v100 --budget 3% --sampler temporal -o no
ok "edges as seeds" refused 2 "not edges" "$HOTSET" plan $how --sampler temporal --seeds edges -o no
ok "other frontiers" refused 2 "frontier new" "$HOTSET" plan $how --sampler temporal --frontier all -o no
ok "several types" eval '"$HOTSET" graph synth like igbh-tiny --scale 0.002 --quiet -o H >/dev/null 2>&1; refused 2 "keep no times" "$HOTSET" plan --graph H --server dgx-v100 --budget 3% --sampler temporal -o no'
finish
