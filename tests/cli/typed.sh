#!/usr/bin/env bash
# Graphs with several node types and relations: four layouts give one graph; traces and plans are the same on any number of threads; other
# commands refuse them with a sentence.
. "$(dirname "$0")/tap"
export OMP_WAIT_POLICY=passive # tiny graphs: waiting threads would take the cores of other tests
py() { python3 "$root/tests/cli/typed.py" "$@"; }
command -v python3 >/dev/null || { skip "typed graphs" "no python3"; finish; }
py make src
for f in hetero ogb graphbolt; do ok "import $f" eval "'$HOTSET' graph import src/$f -o G-$f --quiet >$f.txt && python3 '$root/tests/cli/typed.py' same src G-$f"; done
ok "import processed" eval "'$HOTSET' graph import src/processed --train paper=src/processed/train.npy -o G-processed --quiet >/dev/null && python3 '$root/tests/cli/typed.py' same src G-processed"
ok "reversed relations" eval "'$HOTSET' graph import src/hetero --undirected -o G-both --quiet >/dev/null && python3 '$root/tests/cli/typed.py' same src G-both undirected"
ok "weights" eval "'$HOTSET' graph import src/weighted -o G-weighted --quiet >/dev/null && python3 '$root/tests/cli/typed.py' weights src G-weighted && python3 '$root/tests/cli/typed.py' same src G-weighted"
ok "info and fingerprint" "$HOTSET" graph info G-both --verify
python3 - <<'END'
b = bytearray(open("G-ogb/relation0_indices.npy", "rb").read())
b[-4] ^= 1 # of the last id: still one of 30 authors
open("G-ogb/relation0_indices.npy", "wb").write(b)
END
ok "relabelled" eval "'$HOTSET' graph relabel G-both --by degree-out -o G-hot --quiet >/dev/null && python3 '$root/tests/cli/typed.py' relabelled G-both G-hot && '$HOTSET' graph info G-hot --verify --quiet"
ok "relabelled, with edge features" eval "cp -r src/hetero src/edges && python3 -c 'import json; d = json.load(open(\"src/edges/hetero.json\")); d[\"relations\"][0].update(feature_dim=4, feature_type=\"f32\"); json.dump(d, open(\"src/edges/hetero.json\", \"w\"))' && '$HOTSET' graph import src/edges -o G-edges --quiet >/dev/null && '$HOTSET' graph relabel G-edges --by degree-out -o G-edges2 --quiet >/dev/null && python3 '$root/tests/cli/typed.py' relabelled G-edges G-edges2"
ok "on one thread" eval "'$HOTSET' graph relabel G-both --by degree-out -o G-hot1 --threads 1 --quiet >/dev/null && diff -rx .hotset G-hot G-hot1"
ok "a changed array is noticed" exits 1 "$HOTSET" graph info G-ogb --verify --quiet
"$HOTSET" graph synth like ogbn-mag --scale 0.002 --feature-dim 16 -o M --quiet >m1.txt
ok "synth is the same on one thread" eval "'$HOTSET' graph synth like ogbn-mag --scale 0.002 --feature-dim 16 --threads 1 -o M1 --quiet >/dev/null; diff -rx .hotset M M1"
fan="cites=5,3;writes=4,2;rev_has_topic=2,2;*=1,1"
record() { "$HOTSET" trace record --graph M --server dgx-v100 --fanout "$fan" --batch 50 --epochs 3 -o "$@" --quiet >/dev/null; }
ok "record" record T
ok "record on one thread" eval 'record T1 --threads 1; diff -rx .hotset T T1'
place() { "$HOTSET" plan --graph M --server dgx-v100 "$@" --quiet; }
plan() { place --budget 3% "$@"; }
ok "plan" eval 'plan --assignment clique --fanout "$fan" --batch 50 --presample-epochs 3 --force -o P >p.txt'
ok "plan from the trace" eval 'plan --trace T --threads 1 -o P1 >/dev/null; same_plan P P1'
ok "the plan adds up" py plan M P
rest
"$HOTSET" trace record --graph M --server dgx-v100:4 --fanout "$fan" --batch 50 --epochs 2 -o T4 --quiet >/dev/null
four() { # gnnlab deals by itself
    local trace="--trace T4"
    [ "${2-}" = gnnlab ] && trace="--fanout $fan --batch 50 --presample-epochs 2"
    "$HOTSET" plan --graph M --server dgx-v100:4 $trace --clique-budget 12% --simulate-epochs 2 "$@" --quiet >/dev/null
}
together() { "$HOTSET" plan --graph M --server dgx-v100:4 --fanout 6,3 --fanout-over vertex --batch 50 --presample-epochs 8 --clique-budget 12% --simulate-epochs 4 "$@" --quiet >/dev/null; }
for p in hotset gnnlab legion; do ok "fan-outs of all relations together, $p" eval "together --policy $p -o PV-$p && python3 '$root/tests/cli/typed.py' plan M PV-$p"; done
ok "and by vip" eval "together --hotness vip -o PV-vip && python3 '$root/tests/cli/typed.py' plan M PV-vip"
ok "and on one thread" eval 'together --threads 1 -o PV1 && diff -rx .hotset PV-hotset PV1'
ok "predictions follow the law" python3 - <<'END'
import json
for p, most in (("hotset", 0.02), ("gnnlab", 0.02), ("legion", 0.1), ("vip", 0.1)):
    d = json.load(open("PV-%s/plan.json" % p))
    a, b = d["predicted"]["total_transactions"], d["simulated"]["total_transactions"]
    assert d["workload"]["fanout_over"] == "vertex" and abs(a / b - 1) < most, (p, a, b)
END
ok "PageRank over the union" eval "four --policy quiver --hotness wrpagerank -o PR && python3 '$root/tests/cli/typed.py' plan M PR"
ok "rates without calibration" eval "four --hotness vip -o PV && python3 '$root/tests/cli/typed.py' plan M PV"
ok "baselines are told" grep -q 'all types as one' p.txt
for p in hotset exact legion gnnlab quiver quiver-plus data-tiering random oracle dgl-uva single-type mean-row; do
    ok "policy $p" eval "four --objective transactions $([ $p = hotset ] && echo --sampling gpu) --policy $p --force -o P-$p && python3 '$root/tests/cli/typed.py' plan M P-$p"
done
ok "hotset leaves less than legion, quiver-plus, random and single-type" python3 - <<'END'
import json
left = lambda p: json.load(open(p + "/plan.json"))["simulated"]["total_transactions"]
assert all(left("P-hotset") <= 1.002 * left("P-" + p) for p in ("legion", "quiver-plus", "random", "single-type", "mean-row")), "worse"
assert left("P-exact") <= 1.005 * left("P-hotset") and left("P-oracle") <= 1.01 * left("P-hotset") and left("P-dgl-uva") > left("P-hotset")
END
drawn() { if command -v gnuplot >/dev/null; then ok "$@"; else skip "$1" "gnuplot is not installed"; fi; }
none_left() { ! grep .; }
refuses() { "$@" --quiet >/dev/null 2>said && return 1; grep -q "$words" said || { cat said; return 1; }; }
ok "compare" eval '"$HOTSET" compare --graph M --server dgx-v100:4,siton:2 --policy hotset,quiver --budget 2%,5% --batch 50 --fanout "$fan" --simulate-epochs 2 --presample-epochs 2 --seed 3 -o R.json --quiet >r.txt'
ok "compare on one thread" eval '"$HOTSET" compare --graph M --server dgx-v100:4,siton:2 --policy hotset,quiver --budget 2%,5% --batch 50 --fanout "$fan" --simulate-epochs 2 --presample-epochs 2 --seed 3 --threads 1 -o R1.json --quiet >/dev/null && cmp R.json R1.json'
"$HOTSET" plan --graph M --server dgx-v100:4 --policy quiver --budget 5% --batch 50 --fanout "$fan" --simulate-epochs 2 --presample-epochs 2 --seed 3 --force -o PC --quiet >/dev/null
ok "compare adds up, and says what plan says" py compare R.json PC
ok "compare prints hit rates by type" grep -q '^field_of_study  *feature' r.txt
samplers() { # the sampler's topology is that of graph info, and the table says where it exceeds the budget
    "$HOTSET" compare --graph M --server dgx-v100:2 --policy gnnlab --budget 1%,100% --batch 50 --fanout 2,1 --simulate-epochs 0 --presample-epochs 1 -o RS.json --quiet >rs.txt &&
        "$HOTSET" graph info M --json --quiet >M.json && python3 "$root/tests/cli/typed.py" samplers RS.json M.json rs.txt
}
ok "compare says what a GPU that only samples holds beyond the budget" samplers
"$HOTSET" graph synth like ogbn-mag --scale 0.03 -o L --quiet >/dev/null
large() { "$HOTSET" "$@" --graph L --server dgx-v100 --fanout 10,5 --batch 1000 --threads 2 --partition stream; }
memory() { # stages in a plan's stamp, and in the refusal of a limit
    large plan --budget 3% --order blocks:1 --presample-epochs 2 --simulate-epochs 1 --stamp -o PL --quiet >/dev/null || return 1
    exits 5 large plan --budget 3% --order blocks:1 --presample-epochs 2 --simulate-epochs 1 --memory 8MiB -o PM || return 1
    cp .stderr memory.txt && grep -q 'raise --memory, or ' memory.txt && python3 "$root/tests/cli/typed.py" memory PL memory.txt
}
ok "memory is estimated stage by stage" memory
ok "recordings are bounded by --memory" eval 'exits 5 large trace record --epochs 2 --memory 8MiB -o TM && grep -q "above the limit of 8.00 MiB" .stderr && [ ! -e TM ]'
ok "so are comparisons" eval 'exits 5 large compare --policy quiver --budget 1% --memory 8MiB && grep -q "the stage .* needs about .* the limit is 8.00 MiB" .stderr'
drawn "a page with types" eval '"$HOTSET" report R.json -o page --quiet >/dev/null && grep -q "features of field_of_study" page/index.html && grep -q "topology,author-writes->paper" page/data/types.csv'
drawn "the page of a plan" eval '"$HOTSET" report P-exact -o plan_page --quiet >/dev/null && python3 "$root/tests/cli/typed.py" page M P-exact plan_page && grep -q "Rows by type and relation" plan_page/index.html && "$HOTSET" report P-exact R.json -o both --quiet >/dev/null && grep -q "^P-exact,1,.*topology,author-writes->paper" both/data/types.csv'
words='is no relation of\|no type with rows' ok "explain of an unknown type" refuses "$HOTSET" explain P --type nobody
ok "explain" eval '"$HOTSET" explain P-hotset --json --quiet >e.json && "$HOTSET" explain P-hotset --trace T4 --json --quiet | cmp - e.json && "$HOTSET" explain P-hotset --vertex author:7 --json --quiet >v.json && python3 "$root/tests/cli/typed.py" explain M P-hotset e.json v.json'
place --server siton --fanout "$fan" --batch 50 --budget 3% --simulate-epochs 0 --force -o PC >/dev/null # two cliques that do not read each other
trains=$(py trained PC)
ok "explain of a vertex that is trained, in two cliques" eval '"$HOTSET" explain PC --json --quiet >e2.json && "$HOTSET" explain PC --vertex "$trains" --json --quiet >v2.json && grep -q "\"trained_by\": [0-9]" v2.json && python3 "$root/tests/cli/typed.py" explain M PC e2.json v2.json'
ok "a plan is printed as one of one type" eval '"$HOTSET" plan --graph M --server dgx-v100:4 --fanout "$fan" --batch 50 --budget 8% --model sage --simulate-epochs 2 --explain -o PP --quiet >pp.txt && python3 "$root/tests/cli/typed.py" printed PP pp.txt'
ok "and a trace" eval '"$HOTSET" trace record --graph M --server dgx-v100:2 --fanout "$fan" --batch 50 --epochs 2 -o TT --quiet >tt.txt && python3 - <<END
import json, re
d, rows = json.load(open("TT/trace.json")), [re.split(r"\s{2,}", x.strip()) for x in open("tt.txt")]
read = {r[0]: int(r[2].replace(",", "")) for r in rows if len(r) == 4 and r[1] == "vertices in mini-batches"}
first = rows[2]
assert first[0] == "0" and int(first[4].replace(",", "")) - sum(read.values()) in range(-len(read), len(read) + 1), (first, read)
assert first[5] == "{:,}".format(sum(d["n_tsum"]) // d["epochs"]), first
END'
ok "explain says that cliques read each other" eval '"$HOTSET" explain P --quiet | grep -q "uses NVLinks between cliques" && ! "$HOTSET" explain P-hotset --quiet | grep -q "between cliques"'
"$HOTSET" plan --graph M --server dgx-v100:1 --fanout "$fan" --batch 50 --budget 3% --simulate-epochs 0 -o PE --quiet >/dev/null
more=$("$HOTSET" explain PE --vertex author:7 --json --quiet | python3 -c "import json, sys; r = [r for r in json.load(sys.stdin)['pools'][0]['rows'] if r['kind'] == 'feature'][0]; print(0 if r['held'] else r['more_bytes'])")
had=$(python3 -c "import json; print(json.load(open('PE/plan.json'))['gpus'][0]['budget_bytes'])")
ok "the bytes that explain asks for are enough" eval '[ "$more" -gt 0 ] && "$HOTSET" plan --graph M --server dgx-v100:1 --fanout "$fan" --batch 50 --budget $((had + more)) --simulate-epochs 0 -o PF --quiet >/dev/null && "$HOTSET" explain PF --vertex author:7 --json --quiet >f.json && python3 -c "import json; assert [r for r in json.load(open(\"f.json\"))[\"pools\"][0][\"rows\"] if r[\"kind\"] == \"feature\"][0][\"held\"]"'
ok "diff" eval '"$HOTSET" diff P-hotset P-quiver --json --quiet >d.json && python3 "$root/tests/cli/typed.py" diff P-hotset P-quiver d.json && "$HOTSET" diff P P --quiet | grep -q "training vertices"'
few="--graph M --server dgx-v100:2 --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 1"
ok "advise" eval '"$HOTSET" advise $few --budget 5% --json --quiet >a.json && python3 -c "import json; d = json.load(open(\"a.json\")); assert any(l[\"possible\"] for l in d[\"levers\"]), d"'
ok "advise says why it does not change elements" eval '"$HOTSET" advise $few --budget 5% --explain --quiet >a.txt; [ "$(grep -c "not tried; every type has an element of its own" a.txt)" = 3 ]'
ok "size" eval '"$HOTSET" size $few --target "hit-rate>=0.5" --json --quiet >z.json && python3 -c "import json; d = json.load(open(\"z.json\")); assert d[\"answer\"], d"'
ok "execute counts what plan simulated" eval '"$HOTSET" execute P --verify --quiet -o x.json >/dev/null && grep -q "\"equals_simulated\": true" x.json && ! grep -q "\"equals_simulated\": false" x.json && grep -q "\"wrong_rows\": 0" x.json'
ok "a part of an epoch for the CPU" eval 'for share in 0 0.25; do "$HOTSET" plan $few --objective transactions --budget 5% --cpu-share $share -o PC$share --quiet >/dev/null; done; "$HOTSET" verify PC0.25 --quiet >/dev/null && "$HOTSET" simulate PC0.25 --epochs 1 --json --quiet >cs.json && python3 - <<END
import json
a, b = (json.load(open("PC%s/plan.json" % s)) for s in ("0", "0.25"))
again = json.load(open("cs.json"))
again = again.get("simulated") or again["rows"][0]["simulated"]
assert again["total_transactions"] == b["simulated"]["total_transactions"] and again["tables"] == b["simulated"]["tables"], "what is read again"
for whole, part in zip(a["simulated"]["tables"], b["simulated"]["tables"]):
    assert abs(part["transactions"] - 0.75 * whole["transactions"]) <= 2 and abs(part["reads"]["host"] - 0.75 * whole["reads"]["host"]) <= 2, part
for key in "predicted", "simulated":
    assert abs(b[key]["total_transactions"] - 0.75 * a[key]["total_transactions"]) <= 30, key
END'
ok "hyscale" eval '"$HOTSET" plan $few --budget 5% --policy hyscale -o PH --quiet >/dev/null && "$HOTSET" verify PH --quiet >/dev/null && "$HOTSET" execute PH --quiet --json >h.json && grep -q "\"equals_simulated\": true" h.json'
ok "a plan that draws nothing" eval 'rm -rf PN && cp -r P PN && python3 - <<END
import json
d = json.load(open("PN/plan.json"))
del d["checksum"]
d["workload"]["fanout"] = {k: [0] * len(v) for k, v in d["workload"]["fanout"].items()}
json.dump(d, open("PN/plan.json", "w"))
END
exits 3 "$HOTSET" simulate PN --quiet >/dev/null; grep -q "draws from no relation; some hop" .stderr'
ok "export to npy" eval '"$HOTSET" export P --to npy -o EN --quiet >/dev/null && python3 "$root/tests/cli/typed.py" export P EN'
words='P: has rows of several types, but legion reads one' ok "export to legion refuses" refuses "$HOTSET" export P --to legion -o E2
ok "simulate counts what plan counted" eval '"$HOTSET" simulate P --json --quiet >s.json && python3 -c "import json; s, p = json.load(open(\"s.json\"))[\"rows\"][0][\"simulated\"], json.load(open(\"P/plan.json\"))[\"simulated\"]; has = lambda a, b: all(has(x, y) for x, y in zip(a, b, strict=True)) if isinstance(b, list) else all(has(a[k], b[k]) for k in b) if isinstance(b, dict) else a == b; assert has(s, p)"'
again() { "$HOTSET" plan --graph M --budget 3% --batch 50 --fanout 3,2 --presample-epochs 1 --model sage "$@" -o PA --quiet >/dev/null && "$HOTSET" simulate PA --model sage --json --quiet >a.json &&
    python3 -c 'import json; a, b = json.load(open("a.json"))["rows"][0]["simulated"], json.load(open("PA/plan.json"))["simulated"]; assert a["tables"] == b["tables"] and {k: a[k] for k in b if k != "gpus"} == {k: b[k] for k in b if k != "gpus"}, (a, b)'; local s=$?; rm -rf PA; return $s; }
ok "simulate draws in the planned order" again --server dgx-v100:2 --order blocks:4
ok "and knows who gathers" again --server dgx-v100 --policy gnnlab
ok "and which GPUs share a switch" again --server siton --peer-access p2p
cp -r P PM
python3 - <<'END'
import json
d = json.load(open("PM/plan.json"))
del d["checksum"]
d["gpus"][0]["lists"][0]["bytes"] += 4
json.dump(d, open("PM/plan.json", "w"))
END
words='the rows listed take' ok "bytes that the rows do not have" refuses "$HOTSET" simulate PM
batches() { "$HOTSET" simulate P --epochs 1 --export-batches "$@" --quiet; }
ok "mini-batches are the same on one thread" eval 'batches B && batches B1 --threads 1 && diff -rx .hotset B B1'
ok "they are drawn from the graph" python3 "$root/tests/cli/typed.py" batches M B
words='gpu: does not work' ok "--gpu without mini-batches refuses" refuses "$HOTSET" simulate P --gpu 0
words='no such GPU' ok "mini-batches of an unknown GPU" refuses batches X --gpu 77
ok "verify" "$HOTSET" verify P --graph M
cp -r P bad && printf x >>bad/gpu0_feature_0.npy
ok "verify notices" exits 1 "$HOTSET" verify bad --quiet
words='rejects is not drawn' drawn "and such a plan is not drawn" refuses "$HOTSET" report bad -o X
words='another graph' ok "the plan of another graph" refuses "$HOTSET" simulate P --graph G-both
words='bgl: cannot plan graphs with several types, because' ok "policy bgl refuses" refuses plan --trace T --policy bgl -o X
ok "every other policy plans" eval 'for p in dsp gnnlab pagraph data-tiering ducati aligraph random oracle single-type; do plan $few --policy $p --force -o P-$p >/dev/null && "$HOTSET" verify P-$p --quiet >/dev/null || echo $p; done | none_left'
ok "--peer-access own" eval 'plan $few --peer-access own --policy hotset -o P-own >/dev/null && python3 -c "import json; assert not any(g[\"peers\"] for g in json.load(open(\"P-own/plan.json\"))[\"gpus\"])"'
ok "the bound is below what is predicted" eval 'four --objective transactions --sampling gpu --bound -o PB && python3 -c "import json; d=json.load(open(\"PB/plan.json\")); assert 0 <= d[\"bound\"][\"gap\"] < 0.01, d[\"bound\"]"'
words='needs --metapath' ok "--sampler walk without a metapath refuses" refuses plan --sampler walk -o X
words='no agreed law' ok "layer-wise samplers refuse" refuses plan --sampler layer-wise -o X
words='no relation that is drawn has weights' ok "--sampler biased without weights refuses" refuses plan --sampler biased -o X
words='some of which are vertices of paper' ok "a metapath that begins elsewhere refuses" refuses plan --sampler walk --metapath rev_writes -o X
words='and none does' ok "edges of vertices that do not train refuse" refuses plan --seeds edges:rev_writes -o X
words='do not hold walks' ok "mini-batches of walks are not written" eval 'plan --sampler walk --metapath writes,rev_writes --batch 50 -o PW >/dev/null && refuses "$HOTSET" simulate PW --export-batches X'
# the plan adds up and is the same on one thread; trace record --plan draws as it says
other() {
    local graph=$1 s
    shift
    "$HOTSET" plan --graph "$graph" --server dgx-v100:2 --batch 20 --budget 4% "$@" -o PO --quiet >/dev/null && "$HOTSET" verify PO --graph "$graph" --quiet >/dev/null &&
        "$HOTSET" plan --graph "$graph" --server dgx-v100:2 --batch 20 --budget 4% "$@" --threads 1 -o PO1 --quiet >/dev/null && diff -rx .hotset PO PO1 &&
        python3 "$root/tests/cli/typed.py" plan "$graph" PO && "$HOTSET" trace record --graph "$graph" --server dgx-v100:2 --plan PO --epochs 1 -o TO --quiet >/dev/null &&
        python3 -c 'import json; a, b = json.load(open("PO/plan.json")), json.load(open("TO/trace.json")); bad = {k: (v, b[k]) for k, v in a["workload"].items() if k != "seed" and b[k] != v}; assert not bad, bad; p, s = (a[k]["total_transactions"] for k in ("predicted", "simulated")); assert abs(p / s - 1) < 0.1, (p, s)'
    s=$?
    rm -rf PO PO1 TO
    return $s
}
ok "by weight" other G-weighted --sampler biased --fanout 3,2
ok "walks along a metapath" other M --sampler walk --metapath writes,rev_writes --walk-length 4 --walks 3
ok "edges with negatives" other M --seeds edges:cites --edge-share 0.1 --negatives 2 --fanout "cites=3,2;writes=2,1"
ok "edges of two types by LABOR" other M --seeds edges:writes --edge-share 0.1 --sampler labor --fanout 3,2
for what in "--sampler labor" "--frontier layers" "--order bfs" "--objective time"; do ok "$what" eval "plan \$few $what -o P-what >/dev/null && \"\$HOTSET\" simulate P-what --quiet >/dev/null; s=\$?; rm -rf P-what; [ \$s = 0 ]"; done
words='for all relations of a vertex together' ok "named fan-outs of all relations together" refuses plan --fanout "cites=2,2" --fanout-over vertex -o X
words='no relation of' ok "a wrong relation" refuses plan --fanout "cite=2,2" -o X
ok "no budget" eval '"$HOTSET" plan $few -o P-all --quiet >/dev/null && rm -rf P-all'
words='this graph has only one' ok "named fan-outs on one type" eval "'$HOTSET' graph synth uniform --vertices 50 --edges 90 -o U --quiet >/dev/null; refuses '$HOTSET' plan --graph U --server siton --budget 1% --fanout 'a=2,2' -o X"
python3 - <<'END'
import json, os, shutil
d = json.load(open("U/graph.json"))
os.mkdir("U2")
for old, new in (("indptr", "relation0_indptr"), ("indices", "relation0_indices"), ("train", "type0_train")): shutil.copy("U/%s.npy" % old, "U2/%s.npy" % new)
json.dump({"schema": "graph/2", "name": "U", "sample": "in", "types": [{"name": "v", "count": d["vertices"], "feature_dim": 8, "feature_type": "f32", "train_vertices": d["train_vertices"]}],
           "relations": [{"source": "v", "name": "to", "target": "v", "edges": d["edges"]}]}, open("U2/graph.json", "w"))
END
ok "info of a typed directory with one type" "$HOTSET" graph info U2 --quiet
ls -d X R E 2>/dev/null | none "nothing is left behind"
finish
