#!/usr/bin/env bash
# --job inference: what a plan states is what another program counts, also on a real graph; simulate counts the same; a good order reads
# less than half; the same bytes on any number of threads; refusals.
. "$(dirname "$0")/tap"

plan() { "$HOTSET" plan --job inference -o P --quiet "$@" >said; }
recounted() { # NAME, GRAPH, options of plan
    local name=$1 graph=$2
    shift 2
    rm -rf P
    plan --graph "$graph" "$@" || echo "$name: not planned"
    python3 "$root/tests/cli/inference.py" "$graph" P 2>&1 | none "$name: another program counts the same"
    ok "$name: simulate counts the same" "$HOTSET" simulate P --quiet
}
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 --feature-dim 60 -o G --quiet >/dev/null || echo "no graph"
"$HOTSET" graph synth like igbh-tiny --scale 0.01 -o T --quiet >/dev/null || echo "no graph of types"
if ! command -v python3 >/dev/null; then skip "inference recounted" "python3 is not installed"; else
    export CLIQUES='[0, 0, 0, 0, 1, 1, 1, 1]'
    recounted "one type" G --server dgx-v100 --chunk 100 --budget 40KiB --between f16
    recounted "arcs" G --server dgx-v100 --chunk 1500edges --budget 100KiB --layers 3 --chunk-order bfs
    recounted "bytes" G --server dgx-v100 --chunk 200KiB --budget 20KiB --layers 1
    recounted "SSDs" G --server dgx-v100 --chunk 100 --budget 20KiB --host-memory 3MiB --ssd gen4
    recounted "a set" G --server dgx-v100 --chunk 50 --budget 20KiB --evaluate train
    recounted "several types" T --server dgx-v100 --chunk 150 --budget 300KiB --layers 3
    recounted "several types, SSDs" T --server dgx-v100 --chunk 150 --budget 300KiB --host-memory 20MiB --ssd gen4
    recounted "one of several types" T --server dgx-v100 --chunk 20 --budget 300KiB --evaluate institute
    sed -i 's/"own_rows": [0-9]*/"own_rows": 7/' P/plan.json && sed -i '/"checksum"/d' P/plan.json && sed -i 'N;$!P;$!D;s/,\n}/\n}/' P/plan.json
    ok "a changed number is noticed by the other program" eval '[ -n "$(python3 "$root/tests/cli/inference.py" T P 2>&1)" ]'
    ok "and by simulate" exits 1 "$HOTSET" simulate P --quiet
    real=$root/../shared/data/graphs/soc-slashdot0902/soc-Slashdot0902.txt.gz
    if [ ! -f "$real" ]; then skip "a real graph" "../shared/data is not there"; else
        "$HOTSET" graph import "$real" --feature-dim 32 --train-share 0.1 -o R --quiet >/dev/null
        recounted "a real graph" R --server dgx-v100 --chunk 5000 --chunk-order locality --budget 1MiB
    fi
fi

# 100 communities of 200 vertices with shuffled ids
awk 'BEGIN { srand(1); n = 20000; for (v = 0; v < n; v++) p[v] = v; for (v = n - 1; v > 0; v--) { u = int(rand() * (v + 1)); t = p[v]; p[v] = p[u]; p[u] = t }
    for (v = 0; v < n; v++) for (k = 0; k < 8; k++) { u = rand() < 0.03 ? int(rand() * n) : int(v / 200) * 200 + int(rand() * 200); if (u != v) print p[v], p[u] } }' >edges.txt
"$HOTSET" graph import edges.txt --undirected --train-share 0.1 --feature-dim 128 -o C --quiet >/dev/null
bytes() { "$HOTSET" plan --job inference --graph C --server dgx-v100:2 --chunk 200 --force -o Q --quiet --json "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["total"]["host_bytes"])'; }
rest
if command -v python3 >/dev/null; then
    ok "chosen by hotset, communities are read in less than half of the bytes of id order" \
        eval '[ $((2 * $(bytes --budget 0))) -lt "$(bytes --budget 0 --chunk-order id)" ]'
    ok "also with a cache of 200 KiB" eval '[ $((2 * $(bytes --budget 200KiB))) -lt "$(bytes --budget 200KiB --chunk-order id)" ]'
fi
for t in 1 3; do "$HOTSET" plan --job inference --graph C --server dgx-v100 --budget 100KiB --threads $t -o P$t --quiet >/dev/null; done
ok "the same bytes on any number of threads" diff -rx .hotset P1 P3
for t in 1 3; do "$HOTSET" plan --job inference --mode sampled --graph C --server dgx-v100 --batch 300 --fanout 5,5 --budget 100KiB --threads $t -o S$t --quiet >/dev/null; done
ok "sampled: the same bytes on any number of threads" diff -rx .hotset S1 S3
ok "sampled: simulate counts the same" "$HOTSET" simulate S1 --quiet

if command -v python3 >/dev/null; then
    number() { python3 -c 'import json, sys; print(eval(sys.argv[1], {"d": json.load(sys.stdin)}))' "$1"; }
    "$HOTSET" compare --job inference --graph C --server dgx-v100:2,l4-2 --budget 0,200KiB --chunk 200,1000 --chunk-order id,locality --json --quiet >rows.json
    ok "compare: a row per server, budget, order and size, as plan counts them" eval '[ "$(number "len(d[\"rows\"])" <rows.json)" = 16 ] &&
        [ "$(number "[r[\"host_bytes\"] for r in d[\"rows\"] if r[\"order\"] == \"id\" and r[\"chunk\"][\"limit\"] == 200 and r[\"budget\"] == \"200KiB\"][0]" <rows.json)" = "$(bytes --budget 200KiB --chunk-order id)" ]'
    "$HOTSET" advise --job inference --graph C --server dgx-v100:2 --budget 200KiB --chunk 200 --json --quiet >advice.json
    ok "advise: today is the plan of id order without a cache; together levers save at least what the best saves alone" eval '[ "$(number "d[\"today\"][\"host_bytes\"]" <advice.json)" = "$(bytes --budget 0 --chunk-order id)" ] &&
        number "d[\"together\"][-1][\"saves\"] >= max(l[\"saves\"] for l in d[\"levers\"]) > 0.5" <advice.json | grep -q True'
    size() { "$HOTSET" size --job inference --server dgx-v100,l4-2 --json --quiet "$@"; }
    ok "size: the fewest GPUs that meet the target" eval 'size --graph C --target "epoch-time<=1s" | number "d[\"server\"]" | grep -qx l4-2'
    ok "size: a data set that is not at hand" eval 'size --stand-in products --scale 0.002 --host-memory 64GiB | number "d[\"rows\"][1][\"host_peak_bytes\"] > 2e9" | grep -q True'
    ok "size: no server is fast enough" exits 1 "$HOTSET" size --job inference --graph C --server l4-2 --target 'epoch-time<=1us' --quiet
    ok "size: targets of training are refused" exits 2 "$HOTSET" size --job inference --graph C --server l4-2 --target 'hit-rate>=0.5' --quiet
fi
if ! command -v python3 >/dev/null || ! command -v gnuplot >/dev/null; then skip "the page" "python3 and gnuplot are not both installed"; else
    "$HOTSET" plan --job inference --graph C --server l4-2 --layers 3 --budget 200KiB --host-memory 16MiB --ssd gen4 --chunk 200 -o D --json --quiet >D.json
    "$HOTSET" report D.json --force -o page --quiet >/dev/null
    drawn() {
        python3 - <<'END'
import csv, glob, json
d = json.load(open("D.json"))
def rows(what):  # bytes of each bar by group
    out = {}
    for r in list(csv.reader(open(glob.glob(f"page/data/*-{what}.csv")[0])))[1:]: out.setdefault(r[2], []).append(float(r[4]))
    return out
orders = {t["order"]: [t[k] for k in ("host_bytes", "ssd_bytes", "nvlink_bytes", "written_bytes")] for t in d["tried"]}
assert len(orders) == 4 == len(d["tried"]) and rows("orders") == orders
assert list(rows("layers").values()) == [[l[k] for k in ("host_bytes", "ssd_row_bytes", "topology_bytes", "written_bytes")] for l in d["layers"]]
assert f"<b>{d['order']}</b> is the order to take" in open("page/index.html").read()
END
    }
    ok "the page draws every order and every layer" drawn
fi
refused() { ok "refused: $1" eval "exits 2 \"\$HOTSET\" plan --graph G --server dgx-v100 -o X $2 && grep -q -e '$3' '$work/.stderr'"; }
refused "options of draws" "--job inference --fanout 5,5" "fanout: has no meaning with --job inference, which draws no neighbours"
refused "policies" "--job inference --policy legion" "policy: has no meaning with --job inference"
refused "layers of draws" "--job inference --mode sampled --layers 3" "layers: has no meaning with --job inference --mode sampled"
refused "options of inference for training" "--chunk 5" "chunk: is of inference; add --job inference"
refused "a word that is no chunk" "--job inference --chunk 5x5" "chunk"
refused "an unknown order" "--job inference --chunk-order degree" "is no order"
ok "a chunk that no GPU holds" exits 1 "$HOTSET" plan --job inference --graph G --server dgx-v100 --chunk all --budget 16GiB -o X --quiet
ok "a host that is too small" eval 'exits 1 "$HOTSET" plan --job inference --graph G --server dgx-v100 --host-memory 1MiB -o X --quiet && grep -q "the host needs" "$work/.stderr"'
ok "ids beyond the graph" eval 'printf "\223NUMPY\1\0v\0%-117s\n" "{'"'descr': '<u4', 'fortran_order': False, 'shape': (1,)"'}" >ids.npy; printf "\377\377\0\0" >>ids.npy; exits 3 "$HOTSET" plan --job inference --graph G --server dgx-v100 --evaluate ids.npy -o X --quiet'
taken() { ok "$3: says what the plan is" eval "exits $1 \"\$HOTSET\" $2 >/dev/null && grep -q 'is a plan of --job inference' '$work/.stderr'"; }
taken 1 "verify P1" verify
for c in "explain P1 --vertex 1" "execute P1" "export P1 --to npy -o E" "storage P1 --host-memory 1MiB -o E" "observe P1 x" "diff P1 P3" "sockets P1 --host-memory 1MiB -o E" \
    "trace record --graph C --server dgx-v100 --plan P1 -o E"; do taken 3 "$c" "${c%% *}"; done
# sampled evaluation with every sampler, and rows on SSDs that DRAM holds: counted again from the lists, all is the same
awk 'BEGIN { srand(5); for (i = 0; i < 6000; i++) print int(i / 6 + 200 * rand()), int(i / 6 + 200 * rand() * rand()), i }' >timed.txt
"$HOTSET" graph import timed.txt --times --undirected --feature-dim 16 -o timed --quiet >/dev/null
"$HOTSET" graph import timed.txt --weights --undirected --feature-dim 16 -o weighted --quiet >/dev/null
again() { # NAME OPTIONS..
    "$HOTSET" plan --job inference --server dgx-v100 --budget 5% --json --quiet -o again "${@:2}" >planned.json && "$HOTSET" simulate again --json --quiet >counted.json
    ok "$1: counted again" python3 -c 'import json
a, b = json.load(open("planned.json")), json.load(open("counted.json"))
assert a["total"] == b["total"] and a["memory"] == b["memory"] and a["layers"] == b["layers"] and a["total"]["host_bytes"] > 0, (a["total"], b["total"])'
    rm -rf again
}
for s in uniform biased layer-wise layer-wise-replace labor walk temporal temporal-last; do
    case $s in temporal*) on=timed ;; *) on=weighted ;; esac
    again "sampler $s" --graph $on --mode sampled --sampler $s $([ $s = walk ] || echo --fanout 5,3)
done
again "DRAM and SSDs" --graph weighted --layers 2 --host-memory 60% --ssd gen4
grep -q '"dram_rows": [1-9]' planned.json
ok "where DRAM holds rows of SSDs" [ $? = 0 ]
if ! command -v gnuplot >/dev/null; then skip "pages of a plan of inference" "gnuplot is not installed"; else
    "$HOTSET" graph synth community --vertices 2000 --edges 20000 --seed 3 -o page-G --quiet >/dev/null
    "$HOTSET" plan --job inference --graph page-G --server l4-2 --layers 2 --budget 20KiB --chunk 300 -o page-I --quiet >/dev/null
    "$HOTSET" simulate page-I -o page-I.json --quiet >/dev/null
    for x in page-I page-I.json; do
        "$HOTSET" report $x --force -o page --quiet >/dev/null
        ok "the page of $x: the plan's bytes" python3 - <<'END'
import json
d, page = json.load(open("page-I/plan.json")), open("page/index.html").read().replace("\u00a0", " ")
assert f"<b>{d['order']}</b> is the order to take" in page
mib = d["total"]["host_bytes"] / 2**20
assert any(f"{mib:.{k}f} MiB" in page for k in (1, 2)) or f"{mib * 1024:.1f} KiB" in page, mib
END
    done
    ok "choices only where there were some" eval '! grep -q "What was tried" page/index.html'
fi
finish
