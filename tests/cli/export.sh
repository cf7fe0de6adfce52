#!/usr/bin/env bash
# Exports are read back by a reader of each format that shares nothing with hotset, and by hotset's own readers; what a runtime will make of a plan is
# what that runtime's policy makes of it.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "exports are read back" "python3 is not installed"; finish; }
export PYTHONDONTWRITEBYTECODE=1
here=$root/tests/cli
# every one that is registered; pagraph has a plan of its own below
targets=$("$HOTSET" list exports --json | python3 -c 'import json, sys; print(*(e["name"] for e in json.load(sys.stdin)["exports"] if e["name"] != "pagraph"))')
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
    rest
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
cp -r E-P-mesh-pyg spoilt && sed -i 's/^1\. /2. /' spoilt/README.md && python3 -c 'import hashlib, json
d = json.load(open("spoilt/export.json")); data = open("spoilt/README.md", "rb").read()
for f in d["files"]:
    if f["name"] == "README.md": f["sha256"] = hashlib.sha256(data).hexdigest()
json.dump(d, open("spoilt/export.json", "w"))'
ok "another list of what is left to do" eval '! reader pyg spoilt P-mesh G'
rm -rf spoilt
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
    plan Q --server dgx-v100 --policy ${t%:*} --budget 4% --frontier "$([ ${t#*:} = dgl ] && echo all || echo new)"
    export_ Q ${t#*:} E-own --simulate-epochs 2 >/dev/null
    ok "a plan of ${t%:*} is what ${t#*:} will run" test "$(value E-own 'd["as_run"]["total_transactions"] == d["plan"]["total_transactions"]')" = True
    ok "and what the plan was judged by" test "$(value E-own 'd["plan"]["total_transactions"] == json.load(open("Q/plan.json"))["simulated"]["total_transactions"]'  )" = True
    rm -rf Q E-own
done
for t in legion gnnlab quiver dgl pyg glt gids; do
    ok "$t: every loss has its sentence, and the last row is there" test "$(value E-P-mesh-$t 'all(w["why"].endswith(".") for w in d["without"]) and d["as_run"]["total_transactions"] > 0')" = True
done
ok "without peers, reads of peers go to the host" test "$(value E-P-mesh-gids '[w["feature_hit_rate"] < d["plan"]["feature_hit_rate"] for w in d["without"] if "peers" in w["what"]]')" = "[True]"
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
# ---- what runtimes do not do is said, and is not in how they will run
left() { value "$1" 'd["as_run"]["total_transactions"]'; }
what() { value "$1" '[w["what"] for w in d["without"]]'; }
plan P-far --server dgx-v100 --budget 4% --assignment global --peer-access forward
plan P-near --server dgx-v100 --budget 4% --assignment global
plan P-p2p --server pcie-8 --budget 4% --peer-access p2p
for t in quiver glt wholegraph legion; do
    export_ P-far $t E-far-$t >/dev/null
    ok "$t: a plan that forwards is exported with the cliques of direct links" eval 'what E-far-$t | grep -q "pass on over several NVLinks" && value E-far-$t "d[\"without\"][0][\"why\"]" | grep -qF "[[0, 1, 2, 3], [4, 5, 6, 7]]"'
    [ $t = legion ] || ok "$t: and runs without forwarding" test "$(value E-far-$t 'd["as_run"]["feature_hit_rate"] < d["plan"]["feature_hit_rate"] - 0.05')" = True
    export_ P-p2p $t E-p2p-$t --simulate-epochs 0 >/dev/null
    ok "$t: peer access over PCIe is said" eval 'what E-p2p-$t | grep -q "GPU memory over PCIe"'
done
# which memory type of WholeGraph is safe: mapped where all its GPUs reach each other, else passed on by NCCL
use() { python3 -c 'import json, sys; print(*json.load(open(sys.argv[1] + "/export.json"))["use"], sep="\n")' "$1"; }
backend() { grep -o "^BACKEND = {[^}]*}" "$1/load_wholegraph.py"; }
plan P-all-wide --server hgx-h100-8 --budget 2%
export_ P-all-wide wholegraph E-wide-wholegraph --simulate-epochs 0 >/dev/null
plan P-alone --server dgx-v100:1 --budget 4%
export_ P-alone wholegraph E-alone-wholegraph --simulate-epochs 0 >/dev/null
ok "wholegraph: two cliques are mapped inside, and joined by NCCL" eval 'use E-far-wholegraph | grep -qF "a clique of [[0, 1, 2, 3], [4, 5, 6, 7]]: continuous (vmm)" && use E-far-wholegraph | grep -q "over 1 NVLink to each peer or more" && use E-far-wholegraph | grep -q "all processes together: distributed (nccl) only" && backend E-far-wholegraph | grep -qF "{'"'cpu': 'vmm', 'cuda': 'nccl'}"'"'
ok "wholegraph: a switch of NVLinks maps all GPUs" eval 'use E-wide-wholegraph | grep -q "all processes together: continuous (vmm)" && backend E-wide-wholegraph | grep -qF "'"'cuda': 'vmm'"'" && ! use E-wide-wholegraph | grep -q nccl'
ok "wholegraph: over PCIe it is mapped, and said to be slower" eval 'use E-p2p-wholegraph | grep -q "over PCIe, slower than NVLink"'
ok "wholegraph: one GPU reads no peer" eval '! use E-alone-wholegraph | grep -q "each other over"'
export_ P-near legion E-near-legion >/dev/null
ok "legion, which places rows itself, runs as for a plan that does not forward" [ "$(left E-far-legion)" = "$(left E-near-legion)" ]
ok "the files have those cliques, too" eval 'grep -qF "[[0, 1, 2, 3], [4, 5, 6, 7]]" E-far-quiver/load_quiver.py && [ -s E-far-quiver/clique1_feature_order.npy ]'
ok "npy executes such a plan as it is" eval 'export_ P-far npy E-far-npy && [ "$(value E-far-npy "d[\"as_run\"][\"difference\"] == 0 and d[\"without\"] == []")" = True ]'
# the same plan, drawn as the runtime draws: rows and training vertices are those of the plan, and so are its held-out epochs
plan P-all --server dgx-v100:4 --sampling gpu --budget 4% --frontier layers --sampler labor --labor-iterations 1 --order blocks:2 --batch 20
for t in quiver glt wholegraph ugache legion gnnlab gids; do
    export_ P-all $t E-all-$t --simulate-epochs 1 $([ $t = ugache ] && echo "--hbm-gbps 350 --pcie-gbps 8") >/dev/null
    ok "$t: frontier and sampler are said to be lost" eval 'what E-all-$t | grep "a frontier by layers" | grep -q "the sampler"'
    lost=$(what E-all-$t | grep -c "the order of training vertices")
    ok "$t: so is the order, where its script does not have it" test "$lost" = "$(case $t in quiver | glt | wholegraph) echo 0 ;; *) echo 1 ;; esac)"
done
drawn() { # OPTIONS..: transactions of the plan P-all's lists in epochs that are drawn with these options
    rm -rf L P-drawn && mkdir L && cp P-all/gpu*_feature.npy P-all/gpu*_topology.npy P-all/gpu*_train.npy L && plan P-drawn --server dgx-v100:4 --from-lists L --batch 20 --simulate-epochs 1 "$@" >/dev/null
}
without() { value "$1" '[w["total_transactions"] for w in d["without"] if w["what"] == "'"$2"'"][0]'; }
simulated() { python3 -c 'import json; print(json.load(open("P-drawn/plan.json"))["simulated"]["total_transactions"])'; }
drawn --frontier new --sampler labor --labor-iterations 1 --order blocks:2
ok "without the frontier: as such epochs cost" [ "$(without E-all-quiver 'a frontier by layers')" = "$(simulated)" ]
drawn --frontier layers --sampler uniform --order blocks:2
ok "without the sampler" [ "$(without E-all-quiver 'the sampler')" = "$(simulated)" ]
drawn --frontier layers --sampler labor --labor-iterations 1
ok "without the order" [ "$(without E-all-legion 'the order of training vertices')" = "$(simulated)" ]
export_ P-all dgl E-all-dgl --simulate-epochs 1 >/dev/null
ok "dgl has LABOR, but not its iterations" eval 'what E-all-dgl | grep -q "LABOR.s iterations and dependencies" && grep -q "^SAMPLE = .sample_layer_neighbor" E-all-dgl/load_graphbolt.py && grep -q "^SAMPLE = .sample_neighbor" E-order-dgl/load_graphbolt.py'
ok "graphbolt is another name of dgl" eval 'export_ P-all graphbolt E-all-gb --simulate-epochs 1 >/dev/null && diff -rx .hotset E-all-dgl E-all-gb'
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
ok "README.md names all that PyG needs, and where hotset's wheel is from" eval 'grep -q "pyg-lib or torch-sparse" E-P-mesh-pyg/README.md && grep -q "make wheel" E-P-mesh-pyg/README.md'
ok "and what the CPU sends is said where it samples" eval 'grep -q "the CPU samples and sends GPUs the blocks that it drew, 8 bytes per sampled edge" E-P-mesh-pyg/export.json'
for t in pyg glt wholegraph quiver npy gids pagraph ugache; do ok "$t takes none, and says so" eval 'exits 2 export_ P-pairs $t E-x --features feat.npy && grep -q -- "--features: a folder for $t has no feature rows; leave it out: " .stderr'; done
ok "where its script takes them" eval 'exits 2 export_ P-pairs pyg E-x --features feat.npy && grep -q "load_pyg.py takes them in Python: Features(.FILE.npy., device)$" .stderr'
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
for t in legion gnnlab quiver npy dgl pyg glt gids; do ok "a plan whose rows are not placed is refused for $t" exits 1 export_ P-bgl $t E-no; done
mkdir foreign && echo mine >foreign/file
ok "a foreign folder is left alone" eval 'exits 3 export_ P-mesh npy foreign && [ "$(cat foreign/file)" = mine ]'
ok "an old export is replaced" eval 'export_ P-pairs legion E-P-mesh-legion --force && reader legion E-P-mesh-legion P-pairs G'
echo 1 >E-apart/labels
ok "but not with a file in it that no export wrote" eval 'exits 3 export_ P-apart legion E-apart && grep -q "labels" .stderr && [ -f E-apart/labels ]'
ok "a plan is no export" exits 3 export_ P-mesh npy P-pairs
ok "nothing half-made is left" eval '! ls -d E-no .*.tmp-* 2>/dev/null'

# ---- rows that GPUs hold rounded
plan P-f16 --server dgx-v100:4 --budget 4% --cache-type f16
plan P-i8 --server dgx-v100:4 --budget 4% --cache-type i8
for t in npy pyg dgl; do ok "$t has rounded rows of any kind" eval 'export_ P-f16 $t E-f16-$t --simulate-epochs 0 && export_ P-i8 $t E-i8-$t --simulate-epochs 0'; done
ok "the script says so" eval 'grep -q "^ELEMENT = .f16.$" E-f16-pyg/load_pyg.py && grep -q "^ELEMENT = .i8.$" E-i8-dgl/load_graphbolt.py'
ok "wholegraph has f16, but not i8" eval 'export_ P-f16 wholegraph E-f16-w --simulate-epochs 0 && exits 1 export_ P-i8 wholegraph E-no && grep -q "holds them as the host does or as f16 or bf16" .stderr'
for t in quiver glt legion gnnlab gids ugache; do ok "$t refuses them" eval 'exits 1 export_ P-f16 $t E-no --hbm-gbps 350 && grep -q "P-f16: its GPUs hold features as f16, but $t holds them as the host does; plan without --cache-type" .stderr'; done

# ---- several types
"$HOTSET" graph synth like ogbn-mag --scale 0.002 --feature-dim 16 -o M --quiet >/dev/null
"$HOTSET" graph synth like igbh-tiny --scale 0.002 --feature-dim 16 -o I --quiet >/dev/null
typed() { "$HOTSET" plan --fanout 3,2 --batch 40 --presample-epochs 1 --quiet -o "$@" >/dev/null; }
typed T-mesh --graph M --server dgx-v100 --budget 3% --simulate-epochs 2
typed T-pairs --graph M --server siton --policy legion --budget 2%
typed T-one --graph M --server hgx-h100-8 --policy data-tiering:replicated=0.4 --budget 1%
for p in T-mesh T-pairs T-one; do
    for t in $([ $p = T-mesh ] && echo quiver dgl pyg) glt wholegraph; do
        ok "$p to $t" export_ $p $t E-$p-$t
        ok "$p to $t: an independent reader finds the rows of every type" reader $t E-$p-$t $p M
    done
done
typed T-even --graph I --server dgx-v100:4 --budget 3% --simulate-epochs 2
ok "types with rows of one size to gids" eval 'export_ T-even gids E-T-gids && reader gids E-T-gids T-even I'
ok "of several sizes" eval 'exits 1 export_ T-mesh gids E-no && grep -q "rows of all types have one size there, but those of paper and author" .stderr'
for t in legion gnnlab pagraph ugache; do ok "$t has no types" eval 'exits 1 export_ T-mesh $t E-no && grep -q "T-mesh: has rows of several types, but $t " .stderr'; done
ok "graph import of the dgl folder is the graph" eval '"$HOTSET" graph import E-T-mesh-dgl -o back-M --quiet >/dev/null 2>&1 && [ "$(fingerprint back-M)" = "$(fingerprint M)" ]'
export_ T-mesh glt E-T-2 --simulate-epochs 2 >/dev/null
ok "what it costs is stated" test "$(value E-T-2 'd["as_run"]["difference"] > 0 and d["plan"]["total_transactions"] == json.load(open("T-mesh/plan.json"))["simulated"]["total_transactions"]')" = True
export_ T-mesh npy E-T-npy >/dev/null
ok "npy loses nothing of several types" test "$(value E-T-npy 'd["as_run"]["difference"] == 0 and d["without"] == []')" = True
ok "an export of several types is replaced" export_ T-mesh glt E-T-npy --force
typed T-f16 --graph M --server dgx-v100:4 --budget 3% --cache-type paper=f16 --order blocks:2
ok "f16 and an order of several types" eval 'export_ T-f16 pyg E-T-f16 --simulate-epochs 0 && reader pyg E-T-f16 T-f16 M && grep -q "^ELEMENT = {.paper.: .f16., " E-T-f16/load_pyg.py && [ -s E-T-f16/gpu0_order_0.npy ]'
ok "glt refuses one rounded type" eval 'exits 1 export_ T-f16 glt E-no && grep -q "hold features as f16" .stderr'
cp -r E-T-mesh-pyg spoilt && printf '\x7f' | dd of=spoilt/gpu3_feature_0.npy bs=1 seek=130 conv=notrunc status=none
ok "a changed list is noticed" eval '! reader pyg spoilt T-mesh M'
for t in dgl wholegraph pyg; do
    export_ T-mesh $t T1 --threads 1 >t1.txt
    export_ T-mesh $t T5 --threads 5 >t5.txt
    ok "several types to $t: one thread and five give the same bytes" eval 'diff -rx .hotset T1 T5 && cmp t1.txt t5.txt'
    rm -rf T1 T5
done

# ---- the same on any number of threads
for t in $targets; do
    export_ P-mesh $t T1 --threads 1 --hbm-gbps 350 >t1.txt
    export_ P-mesh $t T5 --threads 5 --hbm-gbps 350 >t5.txt
    ok "$t: one thread and five give the same bytes" eval 'diff -rx .hotset T1 T5 && cmp t1.txt t5.txt'
    rm -rf T1 T5
done
finish
