#!/usr/bin/env bash
# Exports are read back by a reader of each format that shares nothing with hotset, and by hotset's own readers; what a runtime will make of a plan is
# what that runtime's policy makes of it.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "exports are read back" "python3 is not installed"; finish; }
export PYTHONDONTWRITEBYTECODE=1
here=$root/tests/cli
targets="legion gnnlab quiver dgl glt gids wholegraph npy ugache"
reader() { python3 "$here/export_reader.py" "$@"; }
export_() { "$HOTSET" export "$1" --to "$2" -o "$3" --quiet "${@:4}"; }

"$HOTSET" graph synth community --vertices 1500 --edges 15000 --communities 12 --feature-dim 20 -o G --quiet >/dev/null
plan() { "$HOTSET" plan --graph G --fanout 5,4 --batch 40 --simulate-epochs 2 --quiet -o "$@" >/dev/null; }
plan P-mesh --server dgx-v100 --budget 4%
plan P-pairs --server siton --policy legion --budget 3%
plan P-turned --server dgx-v100:0+5+1+4 --policy quiver-plus --budget 3%
plan P-one --server hgx-h100-8 --policy data-tiering:replicated=0.4 --budget 2% # rows on every GPU of the clique
for p in P-mesh P-pairs P-turned P-one; do
    for t in $targets; do
        ok "$p to $t" export_ $p $t E-$p-$t --hbm-gbps 350 --pcie-gbps 8
        ok "$p to $t: an independent reader finds the plan" reader $t E-$p-$t $p G
    done
done
ok "P-pairs to pagraph" export_ P-pairs pagraph E-P-pairs-pagraph
ok "P-pairs to pagraph: an independent reader finds the partitions" reader pagraph E-P-pairs-pagraph P-pairs G

# ---- the reader sees what is wrong: it would be no test otherwise
spoil() { # NAME TARGET FILE: one byte of the file is changed
    cp -r E-P-pairs-$2 spoilt
    printf '\x7f' | dd of=spoilt/$3 bs=1 seek="$(($(stat -c %s spoilt/$3) - 4))" conv=notrunc status=none
    ok "$1" eval '! reader '"$2"' spoilt P-pairs G'
    python3 - spoilt "$3" <<'S'
import hashlib, json, sys
d = json.load(open(sys.argv[1] + '/export.json'))
for f in d['files']:
    if f['name'] == sys.argv[2]: f['sha256'] = hashlib.sha256(open(sys.argv[1] + '/' + f['name'], 'rb').read()).hexdigest()
json.dump(d, open(sys.argv[1] + '/export.json', 'w'))
S
    ok "$1, in its contents, too" eval '! reader '"$2"' spoilt P-pairs G'
    rm -rf spoilt
}
spoil "a changed edge" legion edge_dst
spoil "a changed partition" legion partition
spoil "a changed ranking" gnnlab cache_by_heuristic.bin
spoil "a changed local order" quiver clique0_local_order.npy
spoil "changed edges" dgl edges.npy
spoil "a changed list of rows" gids pin_file.pt
spoil "a changed order" glt clique1_id2index.npy
spoil "a changed partition's neighbour" pagraph subadj_1_indices.npy
spoil "a changed look-up" npy gpu3_feature_slot.npy
cp -r E-P-pairs-gnnlab longer && printf 'x' >>longer/indptr.bin
ok "a byte too many" eval '! reader gnnlab longer P-pairs G'

# ---- the way back through hotset's own readers gives the same graph, training vertices included
fingerprint() { grep -o '"fingerprint": "[^"]*"' "$1/graph.json"; }
for t in legion:out gnnlab:in dgl:in; do
    "$HOTSET" graph import E-P-mesh-${t%:*} --sample ${t#*:} -o back-${t%:*} --quiet >/dev/null 2>&1
    ok "graph import of the ${t%:*} folder is the graph" test "$(fingerprint back-${t%:*})" = "$(fingerprint G)"
done
printf '# list\n' >edges.txt
for i in 0 1 2 3; do echo "$i $(((i + 1) % 4))"; done >>edges.txt
"$HOTSET" graph import edges.txt --sample in --train-share 1 --feature-dim 2 -o small --quiet >/dev/null
"$HOTSET" plan --graph small --server pcie-8:1 --policy quiver --budget 8 --fanout 1 --batch 4 --simulate-epochs 0 -o P-small --quiet >/dev/null
ok "everything trained: a stand-in is there all the same" eval 'export_ P-small legion E-small && reader legion E-small P-small small'

# ---- what it will make of the plan
value() { python3 -c 'import json, sys
d = json.load(open(sys.argv[1] + "/export.json"))["simulated"]
print(eval(sys.argv[2]))' "$@"; }
for t in legion-public:legion gnnlab:gnnlab quiver:quiver dgl-uva:dgl; do
    plan Q --server dgx-v100 --policy ${t%:*} --budget 4%
    export_ Q ${t#*:} E-own --simulate-epochs 2 >/dev/null
    ok "a plan of ${t%:*} is what ${t#*:} will run" test "$(value E-own 'd["as_run"]["total_transactions"] == d["plan"]["total_transactions"]')" = True
    ok "and what the plan was judged by" test "$(value E-own 'd["plan"]["total_transactions"] == json.load(open("Q/plan.json"))["simulated"]["total_transactions"]'  )" = True
    rm -rf Q E-own
done
for t in legion gnnlab quiver dgl glt gids; do
    ok "$t: every loss has its sentence, and the last row is there" test "$(value E-P-mesh-$t 'all(w["why"].endswith(".") for w in d["without"]) and d["as_run"]["total_transactions"] > 0')" = True
done
ok "without peers, reads of peers go to the host" test "$(value E-P-mesh-dgl '[w["feature_hit_rate"] < d["plan"]["feature_hit_rate"] for w in d["without"] if "peers" in w["what"]]')" = "[True]"
for p in P-mesh P-pairs P-turned P-one; do
    ok "$p: equal blocks of a clique read from the host what Quiver's parts read" test "$(value E-$p-glt 'd["as_run"]')" != "" -a "$(value E-$p-glt 'd["as_run"]["total_transactions"]')" = "$(value E-$p-quiver 'd["as_run"]["total_transactions"]')"
done
plan P-order --server dgx-v100:4 --budget 4% --order bfs
for t in quiver glt dgl npy; do
    export_ P-order $t E-order-$t --simulate-epochs 0 >/dev/null
    for g in 0 1 2 3; do # numbers of 4 bytes in the plan and for npy, of 8 for the others
        od -An -v -td4 -w4 -j128 P-order/gpu${g}_order.npy >want
        od -An -v -td$([ $t = npy ] && echo 4 -w4 || echo 8 -w8) -j128 E-order-$t/gpu${g}_order.npy | tr -s ' ' | diff <(tr -s ' ' <want) - | head -n 1
    done | none "$t: the order of training vertices is there"
done
plan P-pagraph --server pcie-8:2 --policy pagraph --budget 5% --frontier layers
ok "pagraph's own plan to pagraph" export_ P-pagraph pagraph E-pagraph
ok "pagraph loses nothing of its own plan" test "$(value E-pagraph 'd["as_run"]["difference"] == 0 and d["without"] == []')" = True
ok "npy loses nothing" test "$(value E-P-mesh-npy 'd["as_run"]["difference"] == 0 and d["without"] == []')" = True
ok "no simulation on request" eval 'export_ P-mesh legion E-none --simulate-epochs 0 | tee none.txt; grep -q "as it will run" none.txt && ! grep -q "per epoch" none.txt && [ "$(value E-none "d[\"epochs\"]")" = 0 ]'
ok "--json is the document that the folder holds" eval 'export_ P-mesh quiver E-json --json >out.json && cmp out.json E-json/export.json'

# ---- features
python3 - <<'S'
import array, struct
n, dim = 1500, 20
head = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (n, dim)).ljust(117) + '\n'
body = array.array('f', range(n * dim)).tobytes()
open('feat.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + head.encode() + body)
open('feat.raw', 'wb').write(body)
open('cut.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + head.encode() + body[:-4])
S
ok "features to Legion" eval 'export_ P-pairs legion E-f --features feat.npy --simulate-epochs 0 && cmp E-f/features feat.raw'
ok "features to GNNLab" eval 'export_ P-pairs gnnlab E-f2 --features feat.npy --simulate-epochs 0 && cmp E-f2/feat.bin feat.raw'
ok "features to GraphBolt" eval 'export_ P-pairs dgl E-f3 --features feat.npy --simulate-epochs 0 && cmp E-f3/feat.npy feat.npy && grep -q "^    path: feat.npy" E-f3/metadata.yaml && reader dgl E-f3 P-pairs G'
ok "features that are cut off are refused" exits 3 export_ P-pairs dgl E-x --features cut.npy
ok "features of another shape are refused" exits 3 export_ P-pairs dgl E-x --features P-pairs/gpu0_train.npy
ok "what must be added is said with its bytes" eval 'export_ P-pairs gnnlab E-x --simulate-epochs 0 | grep -q "feat.bin, 120,000 bytes"'

# ---- refusals
ok "an unknown target has a near one" eval 'exits 2 export_ P-mesh quivr E-no && grep -q "did you mean .quiver." .stderr'
ok "no target" exits 2 "$HOTSET" export P-mesh -o E-no
ok "no folder" exits 2 "$HOTSET" export P-mesh --to npy
"$HOTSET" plan --graph G --server dgx-v100:0+1+2+4 --policy quiver --budget 2% --fanout 3 --batch 40 --simulate-epochs 0 -o P-odd --quiet >/dev/null
ok "cliques of unequal size cannot be Legion's" eval 'exits 1 export_ P-odd legion E-no && grep -q "one size" .stderr'
"$HOTSET" plan --graph G --server hgx-h100-8:3 --policy quiver --budget 2% --fanout 3 --batch 40 --simulate-epochs 0 -o P-three --quiet >/dev/null
ok "nor cliques of three" eval 'exits 1 export_ P-three legion E-no && grep -q "1, 2, 4 or 8" .stderr'
"$HOTSET" plan --graph G --server pcie-8:2 --policy quiver --budget 2% --fanout 3 --batch 40 --simulate-epochs 0 -o P-apart --quiet >/dev/null
ok "a GPU without NVLink cannot be UGache's" eval 'exits 1 export_ P-apart ugache E-no --hbm-gbps 300 && grep -q "no NVLink" .stderr'
ok "but Legion's, as cliques of one" eval 'export_ P-apart legion E-apart && reader legion E-apart P-apart G'
"$HOTSET" plan --graph G --server siton --policy bgl --budget 2% --fanout 3 --batch 40 --simulate-epochs 0 -o P-bgl --quiet >/dev/null
for t in legion gnnlab quiver npy dgl glt gids; do ok "a plan whose rows are not placed is refused for $t" exits 1 export_ P-bgl $t E-no; done
mkdir foreign && echo mine >foreign/file
ok "a foreign folder is left alone" eval 'exits 3 export_ P-mesh npy foreign && [ "$(cat foreign/file)" = mine ]'
ok "an old export is replaced" eval 'export_ P-pairs legion E-P-mesh-legion && reader legion E-P-mesh-legion P-pairs G'
echo 1 >E-apart/labels
ok "but not with a file in it that no export wrote" eval 'exits 3 export_ P-apart legion E-apart && grep -q "labels" .stderr && [ -f E-apart/labels ]'
ok "a plan is no export" exits 3 export_ P-mesh npy P-pairs
ok "nothing half-made is left" eval '! ls -d E-no .*.tmp-* 2>/dev/null'

# ---- the same on any number of threads
for t in $targets; do
    export_ P-mesh $t T1 --threads 1 --hbm-gbps 350 >t1.txt
    export_ P-mesh $t T5 --threads 5 --hbm-gbps 350 >t5.txt
    ok "$t: one thread and five give the same bytes" eval 'diff -r T1 T5 && cmp t1.txt t5.txt'
    rm -rf T1 T5
done
finish
