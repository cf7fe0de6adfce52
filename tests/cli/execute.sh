#!/usr/bin/env bash
# hotset execute: equal to the simulation on every engine, the document is whole, what is refused, the sweep, the driver's PCIe counter.
. "$(dirname "$0")/tap"
emulated=${EMULATED:-${BUILD:-build}/emulated/hotset}
case $emulated in /*) ;; *) emulated=$root/$emulated ;; esac
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 5 --feature-dim 20 -o G --quiet >/dev/null
common="--graph G --server dgx-v100 --fanout 5,4 --batch 40 --budget 3% --simulate-epochs 2 --quiet"
for p in legion hotset quiver-plus hyscale bgl; do "$HOTSET" plan $common --policy $p -o $p >/dev/null; done

for p in legion hotset quiver-plus hyscale; do
    ok "$p: counts equal the simulation, every row is right" eval '"$HOTSET" execute $p --device cpu --verify --quiet -o $p.json >said && grep -q "\"equals_simulated\": true" $p.json && ! grep -q "\"equals_simulated\": false" $p.json && grep -q " 0 differ" said'
done
counts() { grep -vE '"(seconds|median_seconds|p95_seconds|topology_seconds|feature_seconds|gbps|host_gbps|device)":|"(sample|lookup|gather_[a-z]*|total)": [0-9]*[.e]' "$1"; }
ok "counts do not depend on the number of threads" eval '"$HOTSET" execute legion --device cpu --verify --quiet --threads 3 -o three.json >/dev/null && diff <(counts legion.json) <(counts three.json)'
ok "--json is what -o has" eval '"$HOTSET" execute legion --device cpu --verify --quiet --json >j && diff <(counts legion.json) <(counts j)'
ok "a window of rows changes no count" eval '"$HOTSET" execute legion --device cpu --feature-memory 30KiB --quiet -o w.json >/dev/null && grep -q "\"equals_simulated\": true" w.json && grep -q "\"held_rows\": 384" w.json'

# ---- real features
header="{'descr': '<f4', 'fortran_order': False, 'shape': (3000, 20), }"
{ printf '\223NUMPY\001\000\166\000%-117s\n' "$header"; head -c 240000 /dev/urandom; } >features.npy
ok "a feature matrix" eval '"$HOTSET" execute legion --device cpu --features features.npy --verify --quiet -o f.json >/dev/null && grep -q "\"source\": \"file\"" f.json && grep -q "\"equals_simulated\": true" f.json'
{ printf '\223NUMPY\001\000\166\000%-117s\n' "${header/20/10}"; head -c 120000 /dev/urandom; } >narrow.npy
ok "a matrix of another shape is bad input" eval 'exits 3 "$HOTSET" execute legion --device cpu --features narrow.npy --quiet && grep -q "(3000, 10)" .stderr'

# ---- several types, edges with features, caches that round
types="--graph X --server dgx-v100 --fanout 4,3 --batch 20 --budget 8% --simulate-epochs 2 --quiet"
mkdir hetero && python3 - <<'END'
import json, random, struct
r = random.Random(3)
def npy(name, shape, values):
    head = ("{'descr': '<i8', 'fortran_order': False, 'shape': %s, }" % (shape,)).ljust(117) + "\n"
    open("hetero/" + name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.encode() + struct.pack("<%dq" % len(values), *values))
count = {"item": 300, "user": 200}
doc = {"name": "shop", "types": [{"name": "item", "count": 300, "feature_dim": 20, "feature_type": "f32", "train": "train.npy"},
                                 {"name": "user", "count": 200, "feature_dim": 7, "feature_type": "f16"}], "relations": []}
npy("train.npy", (150,), range(0, 300, 2))
for s, n, t, dim in (("user", "bought", "item", 5), ("item", "of", "user", 0), ("item", "like", "item", 3)):
    npy(n + ".npy", (2, 3000), [r.randrange(count[s]) for _ in range(3000)] + [r.randrange(count[t]) for _ in range(3000)])
    doc["relations"].append(dict({"source": s, "name": n, "target": t, "edge_index": n + ".npy"}, **({"feature_dim": dim, "feature_type": "f32"} if dim else {})))
json.dump(doc, open("hetero/hetero.json", "w"))
END
"$HOTSET" graph import hetero -o X --quiet >/dev/null
equal() { "$HOTSET" execute "$1" --device cpu --verify --quiet --force -o "$1.json" "${@:2}" >/dev/null && grep -q '"equals_simulated": true' "$1.json" && ! grep -q '"equals_simulated": false' "$1.json" && grep -q '"wrong_rows": 0' "$1.json"; }
for how in "" "--policy legion" "--policy gnnlab --budget 60%" "--cache-type i8" "--cache-type item=f8,bought=f16" "--fanout-over vertex" "--sampler labor" "--cpu-share 0.3"; do
    rm -rf XP && ok "several types $how" eval '"$HOTSET" plan $types $how -o XP >/dev/null && equal XP'
done
"$HOTSET" plan $types -o XP0 >/dev/null
python3 - <<'END' # as 0.1 wrote it
import json, shutil
shutil.copytree("XP0", "XP1")
d = json.load(open("XP1/plan.json"))
del d["checksum"]
for g in d["simulated"]["gpus"]: g["transactions"] = g["transactions"]["total"]
json.dump(d, open("XP1/plan.json", "w"))
d["simulated"]["gpus"][0]["transactions"] += 1
shutil.copytree("XP1", "XP2")
json.dump(d, open("XP2/plan.json", "w"))
END
ok "an older plan of several types" eval 'equal XP1 && ! equal XP2'
ok "a window of every table" eval 'equal XP0 --feature-memory 20KiB && python3 -c "import json; f = json.load(open(\"XP0.json\"))[\"features\"]; assert len(f[\"tables\"]) == 4 and all(t[\"held_rows\"] < t[\"rows\"] for t in f[\"tables\"])"'
{ printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f2', 'fortran_order': False, 'shape': (200, 7), }"; head -c 2800 /dev/urandom; } >user.npy
ok "features of a type" eval 'equal XP0 --features user=user.npy && grep -q "\"source\": \"both\"" XP0.json'
ok "of a type that is not there" exits 2 "$HOTSET" execute XP0 --features users=user.npy
ok "a sweep of several types" eval '"$HOTSET" plan $types --policy legion -o XL >/dev/null && "$HOTSET" execute XL --device cpu --sweep 0,50 --quiet -o xs.json >/dev/null && [ $(grep -c "\"equals_simulated\": true" xs.json) = 11 ]'

# ---- what is refused
ok "a dynamic cache" eval 'exits 1 "$HOTSET" execute bgl --device cpu && grep -q "dynamic cache fifo" .stderr'
ok "the planning seed" eval 'exits 2 "$HOTSET" execute legion --seed 1 && grep -q "held out" .stderr'
ok "a GPU that is not there" exits 2 "$HOTSET" execute legion --gpu 8
ok "a sweep without an alpha" eval 'exits 2 "$HOTSET" execute hotset --device cpu --sweep 3 && grep -q "has no alpha to sweep" .stderr'
ok "a window of nothing" exits 2 "$HOTSET" execute legion --feature-memory 10
ok "memory is refused before it is taken" eval 'exits 5 "$HOTSET" execute legion --device cpu --memory 360KiB && grep -q "feature-memory" .stderr'
ok "no result is left behind" eval 'exits 1 "$HOTSET" execute bgl --device cpu -o never.json; [ ! -e never.json ]'

# ---- the sweep
ok "a sweep, planned from its trace" eval '"$HOTSET" trace record --graph G --server dgx-v100 --fanout 5,4 --batch 40 --epochs 4 --seed 1 -o T --quiet >/dev/null && "$HOTSET" execute legion --device cpu --sweep 0,25,50 --trace T --quiet -o s.json >t.txt && "$HOTSET" execute legion --device cpu --sweep 0,25,50 --quiet -o s2.json >/dev/null && diff <(counts s.json) <(counts s2.json) && grep -q "shortest time" t.txt && [ $(grep -c "\"equals_simulated\": true" s.json) = 12 ]'

# ---- measured rates
ok "measured rates go into a server file" eval '"$HOTSET" execute legion --device cpu --quiet --server-file S.json >/dev/null && "$HOTSET" server show S.json --json | grep -A2 "\"cpu_sampling_edges_per_second\", *$\|\"what\": \"cpu_sampling_edges_per_second\"" | grep -q measured && ! grep -q effective S.json'
ok "such a server is the plan's" eval '"$HOTSET" execute legion --device cpu --quiet --server S.json --server-file S2.json >/dev/null && [ $(grep -c "hotset execute on" S2.json) = 1 ]'
ok "another server is refused" eval 'exits 3 "$HOTSET" execute legion --device cpu --server siton --server-file S3.json && [ ! -e S3.json ]'

# ---- the page
if command -v gnuplot >/dev/null; then
    ok "report draws what was executed" eval '"$HOTSET" report s.json legion.json -o page --quiet >/dev/null && [ $(ls page/plots/*.svg | wc -l) = 5 ] && grep -q "figure 13" page/index.html'
    ok "figures have the numbers" eval 'tr -d "\r" <$(echo page/data/1-*-alpha.csv) | awk -F, "\$4 == 0 { v[\$2] = \$5 } END { exit !(v[\"simulated\"] == v[\"counted\"] && v[\"counted\"] > 0 && v[\"measured\"] == \"\" && v[\"all stages\"] > 0) }"'
    ok "executed plans and others get a page each" "$HOTSET" report s.json legion -o mixed --quiet
    ok "in front of which one leads to both, in their order" eval '[ "$(grep -oE "href=\"[a-z]+/index.html\"" mixed/index.html | tr "
" " ")" = "href=\"executed/index.html\" href=\"comparison/index.html\" " ]'
    ok "and whose pages are those of each alone" eval '"$HOTSET" report s.json -o alone --quiet >/dev/null && for f in plots data; do diff -rx .hotset alone/$f mixed/executed/$f || exit 1; done && diff <(grep -v "\.\./index.html" mixed/executed/index.html) <(cat alone/index.html)'
    for f in good bare empty odd; do
        cp "$root/tests/fuzz/corpus/executed/$f" $f.json
        "$HOTSET" report $f.json -o page-$f --quiet >/dev/null 2>said || cat said
    done | none "documents that lack almost everything are drawn"
    ok "texts cannot break out" grep -q "&lt;b&gt;" page-good/index.html
else skip "the page" "gnuplot is not installed"; fi

# ---- the CUDA engine, compiled for the CPU
if [ ! -x "$emulated" ]; then skip "the CUDA engine on the CPU" "there is no C++ compiler (apt-get install g++)"; finish; exit; fi
bodies() { counts "$1" | sed -n '/"gpus": \[/,$p' | grep -vE '"(feature|total)_(transactions|how)"|"(topology|received)_bytes"|"bytes_per_line"' | sed '/"notes"/,$d'; }
for p in legion hotset hyscale; do
    ok "$p: CUDA counts what the CPU counts" eval '"$emulated" execute $p --device cuda --verify --quiet --force -o cuda.json >/dev/null && diff <(bodies $p.json) <(bodies cuda.json) && grep -q "\"kind\": \"cuda\"" cuda.json'
done
ok "several types: CUDA counts what the CPU counts" eval 'equal XP0 && "$emulated" execute XP0 --device cuda --overlap --verify --quiet --force -o cuda.json >/dev/null && diff <(bodies XP0.json) <(bodies cuda.json) && grep -q "\"sampling\": \"host\"" cuda.json'
ok "caches that round are the CPU's" eval '"$HOTSET" plan $types --cache-type i8 -o XR >/dev/null && exits 1 "$emulated" execute XR --device cuda --quiet && grep -q "take --device cpu" .stderr'
ok "sampling beside gathering changes no count" eval '"$emulated" execute legion --device cuda --overlap --verify --quiet --force -o o.json >/dev/null && diff <(bodies legion.json) <(bodies o.json) && grep -q "sampling while gathering" o.json'
ok "several emulated threads" eval 'HOTSET_EMULATED_THREADS=3 "$emulated" execute legion --device cuda --verify --quiet --force -o o.json >/dev/null && diff <(bodies legion.json) <(bodies o.json)'
ok "rows that cross PCIe give a point" eval '"$emulated" execute legion --device cuda --quiet --server-file P.json >/dev/null && grep -q "\"payload_bytes\": 80" P.json && grep -q "rows of 80 bytes at random places" P.json'
ok "odd rows" eval '"$HOTSET" graph synth community --vertices 900 --edges 9000 --seed 5 --feature-dim 13 --feature-type i8 -o O --quiet >/dev/null && "$HOTSET" plan ${common/ G / O } --policy legion -o odd >/dev/null && "$emulated" execute odd --device cuda --verify --quiet --force -o o.json >/dev/null && grep -q "\"wrong_rows\": 0" o.json && ! grep -q "\"equals_simulated\": false" o.json'
ok "too little GPU memory is said" eval 'HOTSET_EMULATED_MEMORY=1000 exits 5 "$emulated" execute legion --device cuda --quiet && grep -q "GPU memory" .stderr'
least_memory() { for m in $(seq 150000 2000 260000); do HOTSET_EMULATED_MEMORY=$m "$emulated" execute legion --device cuda --gpu 0 --verify --quiet -o l.json >/dev/null 2>&1 && break; done; }
ok "a run that fits is not thrown away when timed reads do not" eval 'least_memory && grep -q "\"feature_how\": \"there was no memory left" l.json && grep -q "\"equals_simulated\": true" l.json && grep -q "\"wrong_rows\": 0" l.json'
for k in 1 2 3 5 8 13 21 34 55 89 200; do
    HOTSET_EMULATED_FAIL=$k "$emulated" execute legion --device cuda --quiet -o failed.json >/dev/null 2>said
    case $? in
    0) ;;
    4 | 5) grep -q "GPU" said || echo "call $k: the message does not speak of the GPU: $(cat said)"; [ ! -e failed.json ] || echo "call $k: a result was left" ;;
    *) echo "call $k: exit code $?: $(cat said)" ;;
    esac
    rm -f failed.json
done | none "a call that fails is said"

mkdir lib
ok "the stand-in of the driver's library compiles" ${CC:-cc} -shared -fPIC -o lib/libnvidia-ml.so.1 "$root/tests/fake/nvml.c"
echo 'gpu 0 0 0 4 16 1000000 made up' >machine
echo 'received 4294967000 1000' >>machine
with_counter() { FAKE_NVML=$work/machine LD_LIBRARY_PATH=$work/lib:${LD_LIBRARY_PATH:-} "$emulated" execute legion --device cuda --quiet "$@"; }
# 1000 bytes per question, one question per mini-batch: whatever wraps in between. A row of 80 bytes lies in two lines of 64 wherever it begins, and 3000 rows are
# read 428 at a time, so known rows take 1000 / 856 bytes per line. Where the CPU draws, the counter is not believed.
told() { awk -v like="$1" '/"batches"/ { b = $2 + 0 } /"total_transactions"/ && b { t = $2 } /"total_how"/ && b { how = $0 } /"received_bytes"/ && b { r = $2 + 0 } /"bytes_per_line"/ && b {
    l = $2 + 0; if (r != 1000 * b || (l - 1000 / 856) ^ 2 > 1e-10) exit 1
    if (how ~ /"counters"/ ? t + 0 != int(b * 856 / 2 + 0.5) : t !~ /null/ || how !~ like) exit 1
    n++; c += how ~ /"counters"/; b = 0 } END { if (n != 8 || (like == "never") != (c == 8)) exit 1 }' c.json; }
ok "the driver's counter is read, and held against known rows" eval 'with_counter --force -o c.json >/dev/null && told never && grep -q "counts bytes, not transactions" c.json'
ok "a GPU for each of the plan's, joined by NVLink" eval 'HOTSET_EMULATED_DEVICES=8 with_counter --verify --force -o c.json >/dev/null && told never && grep -q "\"peers\": \"nvlink\"" c.json && diff <(bodies legion.json) <(bodies c.json)'
ok "peers over PCIe are told from NVLink, and their bytes from the host's" eval 'HOTSET_EMULATED_PCIE=1 HOTSET_EMULATED_DEVICES=8 with_counter --force -o c.json >/dev/null && told "peers were read over PCIe" && grep -q "\"peers\": \"pcie\"" c.json'
ok "rows that a cache could hold are not timed" eval 'HOTSET_EMULATED_L2=60001 with_counter -o c.json >/dev/null && [ $(grep -c "\"feature_how\": \"the host.s features have fewer bytes .* L2 cache" c.json) = 8 ] && [ $(grep -c "\"total_how\": .* L2 cache" c.json) = 8 ] && ! grep -q "\"feature_how\": \"timed\"" c.json'
ok "rows that it could not are" eval 'HOTSET_EMULATED_L2=60000 with_counter -o c.json >/dev/null && ! grep -q "L2 cache" c.json'
ok "what ran beside sampling is not timed, but counted" eval 'with_counter --overlap --force -o c.json >/dev/null && told never && [ $(grep -c "\"feature_how\": \"sampling read host memory at the same time" c.json) = 8 ]'
counter() { grep -v received machine >$1; echo "received $2" >>$1; }
counter wide '4294967000 1000 3 32'; counter long '4294967000 1000 3 64'; counter fell '9999999999 -1000 3 64'; counter real '5 1000 0 64'
run_with() { FAKE_NVML=$work/$1 LD_LIBRARY_PATH=$work/lib:${LD_LIBRARY_PATH:-} "$emulated" execute legion --device cuda --quiet --force -o c.json; }
ok "32 bits that wrap in a wider type" eval 'run_with wide >/dev/null && told never'
ok "64 bits go on" eval 'run_with long >/dev/null && told never'
ok "a counter that was reset is not used" eval 'run_with fell >/dev/null && grep -q "counter was reset" c.json && ! grep -q "\"received_bytes\": [0-9]" c.json'
ok "a counter that is no count is none" eval 'run_with real >/dev/null && grep -q "no counter of PCIe bytes" c.json'
"$HOTSET" graph synth community --vertices 3000 --edges 3000 --seed 5 --feature-dim 500000 -o W --quiet >/dev/null
"$HOTSET" plan --graph W --server dgx-v100 --fanout 60,60 --batch 1 --budget 1% --simulate-epochs 1 --policy legion --quiet -o wide-rows >/dev/null
ok "a counter that may wrap is not read, and buffers that do not fit are not allocated" eval 'FAKE_NVML=$work/machine LD_LIBRARY_PATH=$work/lib HOTSET_EMULATED_MEMORY=6500000000 "$emulated" execute wide-rows --device cuda --gpu 0 --batches 2 --feature-memory 128MB --memory 60GiB --quiet --force -o c.json >/dev/null && grep -q "more than 3 GiB" c.json && grep -q "too few rows" c.json && grep -q "\"wrong_rows\": 0" c.json'
grep -v received machine >silent
ok "a GPU without the counter says so" eval 'FAKE_NVML=$work/silent LD_LIBRARY_PATH=$work/lib "$emulated" execute legion --device cuda --gpu 0 --quiet --force -o c.json >/dev/null && grep -q "no counter of PCIe bytes" c.json'
finish
