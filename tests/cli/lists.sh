#!/usr/bin/env bash
# A placement that was made elsewhere becomes a plan: hotset plan --from-lists, hotset.write_plan.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
command -v python3 >/dev/null || { skip "lists" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 2000 --edges 30000 --communities 20 --seed 3 --feature-dim 16 -o G --quiet >/dev/null
common="--graph G --fanout 5,4 --batch 40 --presample-epochs 2 --simulate-epochs 2 --quiet"
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
# npy FILE IDS..: an array of int64
npy() {
    python3 - "$@" <<'P'
import struct, sys
ids = [int(x) for x in sys.argv[2:]]
head = ("{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }" % len(ids)).encode()
head += b" " * (-(len(head) + 11) % 64) + b"\n"
open(sys.argv[1], "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%dq" % len(ids), *ids))
P
}
from() { "$HOTSET" plan $common --server siton:2 --from-lists "$@"; }

# ---- the lists of a plan make the same plan again
"$HOTSET" plan $common --server dgx-v100 --policy hotset --budget 3% -o P >/dev/null
mkdir L && cp P/gpu*_feature.npy P/gpu*_topology.npy P/gpu*_train.npy L/
ok "the lists of a plan" "$HOTSET" plan $common --server dgx-v100 --from-lists L --budget 3% -o Q
ok "they leave what the plan leaves" [ "$(field P/plan.json 'd["simulated"]["total_transactions"]')" = "$(field Q/plan.json 'd["simulated"]["total_transactions"]')" ]
ok "its lists are those" eval 'for f in L/*; do cmp "$f" "Q/${f#L/}" || exit 1; done'
ok "it verifies" "$HOTSET" verify Q --graph G --quiet
ok "its policy is named" [ "$(field Q/plan.json 'd["policy"]')" = lists ]
ok "without train files, the vertices are dealt" eval 'rm L/gpu*_train.npy && "$HOTSET" plan $common --server dgx-v100 --from-lists L --assignment nested --budget 3% -o N >/dev/null && [ "$(field N/plan.json "d[\"deal\"][\"chosen\"]")" = nested ]'
ok "it stands beside others on a page" eval '! command -v gnuplot >/dev/null || "$HOTSET" report P Q -o page --quiet >/dev/null'

# ---- by hand: rows of 64 bytes; GPU 0 holds 3 of them, GPU 1 the row of one vertex
mkdir H
npy H/gpu0_feature.npy 7 5 1999
npy H/gpu1_topology.npy 12
ok "lists by hand" from H -o A
ok "the order is kept, missing lists are empty" [ "$(field A/plan.json '[g[k]["count"] for g in d["gpus"] for k in ("feature", "topology")]')" = "[3, 0, 0, 1]" ]
ok "the budget is what the fullest GPU takes" [ "$(field A/plan.json '[g["budget_bytes"] for g in d["gpus"]] == 2 * [max(d["gpus"][0]["feature"]["bytes"], d["gpus"][1]["topology"]["bytes"])]')" = True ]
mkdir B
for f in gpu0_feature gpu0_topology gpu1_feature gpu1_topology; do npy B/$f.npy 700; done
ok "every list may hold the same vertex" from B -o S
ok "more lists than a budget" eval 'from H --budget 100 -o no 2>said; [ $? = 1 ] && grep -q "the lists of GPU 0 take 192 B" said'

# refused SENTENCE FILE IDS..
refused() {
    rm -rf W && cp -r H W && npy "W/$2" "${@:3}"
    from W -o no 2>said
    [ $? = 3 ] && grep -q "$1" said && [ ! -e no ]
}
ok "an id beyond the graph" refused "gpu0_feature.npy: element 1 is 2000, but the graph has the ids 0 to 1999 there" gpu0_feature.npy 1 2000
ok "a negative id" refused "element 0 is -1" gpu1_feature.npy -1
ok "an id twice" refused "gpu1_topology.npy: element 2 repeats id 4" gpu1_topology.npy 4 5 4
ok "a vertex that trains nowhere" refused "no gpu<i>_train.npy lists vertex" gpu0_train.npy
ok "a folder without lists" eval 'mkdir E && from E -o no 2>said; [ $? = 3 ] && grep -q "gpu0_feature.npy" said'
ok "a folder that is not there" exits 3 from nowhere -o no
ok "lists beside a policy" exits 2 from H --policy legion -o no
cp P/gpu*_train.npy L/
ok "train files beside a deal" exits 2 "$HOTSET" plan $common --server dgx-v100 --from-lists L --assignment gpu -o no

rest
# ---- policies of one's own in a comparison: hotset's lists by another name leave what hotset leaves
rm -rf O && mkdir -p O/3% && cp P/gpu*_feature.npy P/gpu*_topology.npy O/3%/ && cp P/gpu*_feature.npy O/
"$HOTSET" plan $common --server dgx-v100 --policy hotset --budget 3% --assignment clique -o C >/dev/null
for f in C/gpu*_feature.npy C/gpu*_topology.npy; do cp "$f" O/3%/; done
"$HOTSET" compare $common --server dgx-v100 --assignment clique --budget 3%,1% --policy mine=lists:O,hotset -o own.json >own
ok "lists stand in a table under their name, and leave what their maker's plan leaves" python3 - <<'P'
import json
rows = {(r["policy"], r["budget"]): r for r in json.load(open("own.json"))["rows"]}
plan = json.load(open("C/plan.json"))
assert set(rows) == {(p, b) for p in ("mine", "hotset") for b in ("3%", "1%")}, set(rows)
for key in ("simulated", "policy"):
    assert key in rows["mine", "3%"]
a, b = (rows[p, "3%"]["simulated"]["total_transactions"] for p in ("mine", "hotset"))
assert a == b == plan["simulated"]["total_transactions"], (a, b)
assert rows["mine", "1%"]["status"] == "oom" and "the lists of GPU" in rows["mine", "1%"]["reason"], rows["mine", "1%"]
P
ok "the table names them" grep -q '^hotset = mine' own
ok "a plan of them has their name" eval '"$HOTSET" plan $common --server dgx-v100 --assignment clique --budget 3% --policy mine=lists:O -o own-plan >/dev/null && [ "$(field own-plan/plan.json "d[\"policy\"]")" = mine ] && cmp own-plan/gpu0_topology.npy C/gpu0_topology.npy'
ok "the same on any number of threads" eval 'for n in 1 3; do "$HOTSET" compare $common --server dgx-v100 --assignment clique --budget 3% --policy mine=lists:O,legion --threads $n -o own$n.json >/dev/null; done; cmp own1.json own3.json'
mkdir -p O/dgx-v100:2 && cp H/gpu0_feature.npy O/dgx-v100:2/
ok "lists of a server go before" eval '"$HOTSET" compare $common --server dgx-v100:2 --budget 3% --policy mine=lists:O -o of.json >/dev/null && [ "$(field of.json "d[\"rows\"][0][\"status\"]")" = ok ]'
own_refused() { # CODE SENTENCE WORD
    "$HOTSET" compare $common --server dgx-v100 --budget 3% --policy "$3" 2>said >/dev/null
    [ $? = "$1" ] && grep -q "$2" said
}
ok "a name that is taken" own_refused 2 "legion is a policy of hotset" legion=lists:O
ok "a name that is none" own_refused 2 "no good name" "my policy=lists:O"
ok "two of a name" own_refused 2 "two policies are called a" a=lists:O,a=lists:H
ok "no folder" own_refused 3 "nowhere: is no folder" a=lists:nowhere
ok "train files in a comparison" eval 'cp P/gpu*_train.npy O/3%/ && own_refused 3 "has train files" a=lists:O'
ok "BibTeX entries of all papers behind policies" eval '"$HOTSET" list bibtex >bib && [ "$(grep -c "^@" bib)" = "$(grep -c "^}" bib)" ] && "$HOTSET" list bibtex --json >bib.json && "$HOTSET" list policies --json >policies.json' 
ok "servers by a word of their name or description, with GPUs and prices" eval '"$HOTSET" list servers azure --json | python3 -c "
import json, sys
s = json.load(sys.stdin)[\"servers\"]
assert len(s) > 1 and all(\"azure\" in (x[\"name\"] + x[\"summary\"]).lower() for x in s), s
x = {x[\"name\"]: x for x in s}[\"nd96asr-v4\"]
assert (x[\"gpus\"], x[\"gpu_memory_bytes\"] >> 30) == (8, 40) and x[\"price_per_hour\"] > 1, x" && "$HOTSET" list servers azure | grep -q "nd96asr-v4 .* 8 x 40 GiB  *[\$][0-9]" && "$HOTSET" list servers nowhere 2>&1 | grep -q "nothing here has"'
ok "each policy of another system has one" python3 - <<'P'
import json
cited = {p for r in json.load(open("bib.json"))["bibtex"] for p in r["policies"]}
assert all(r["policies"] and r["bibtex"].startswith("@") for r in json.load(open("bib.json"))["bibtex"])
sources = {p["name"] for p in json.load(open("policies.json"))["policies"] if p["source"] != "this project"}
assert sources == cited, "planner/policies/references.c: these have a source and no BibTeX entry, or the reverse: %s" % sorted(sources ^ cited)
P

# ---- several types: what export writes, plan reads
typed="--graph M --server dgx-v100:4 --fanout 3,2 --batch 50 --presample-epochs 1 --simulate-epochs 2 --quiet"
"$HOTSET" graph synth like ogbn-mag --scale 0.002 --feature-dim 16 -o M --quiet >/dev/null
cat >same.py <<'P'
"""same.py P Q: both plans hold the same rows and train the same vertices, and what both leave is counted to be the same."""
import json, sys
p, q = (json.load(open(f + "/plan.json")) for f in sys.argv[1:])
key = lambda x: tuple(x.get(k) for k in ("kind", "type", "source", "relation", "target", "element", "count", "bytes"))
for a, b in zip(p["gpus"], q["gpus"]):
    assert a["lists"] and {key(x) for x in a["lists"]} == {key(x) for x in b["lists"]}, (a["lists"], b["lists"])
    for x in a["lists"] + a["train"]:
        assert open(sys.argv[1] + "/" + x["file"], "rb").read() == open(sys.argv[2] + "/" + x["file"], "rb").read(), x
del p["simulated"]["prediction_error"], q["simulated"]["prediction_error"]  # each predicts in its own way
assert p["simulated"] == q["simulated"] and q["policy"] == "lists"
P
again() { # OPTIONS..: a plan, its export, and the plan from that
    rm -rf TP TE TQ
    "$HOTSET" plan $typed --sampling gpu --budget 3% "$@" -o TP >/dev/null && "$HOTSET" export TP --to npy -o TE --quiet >/dev/null && "$HOTSET" plan $typed --from-lists TE --policy lists $back -o TQ >/dev/null && python3 same.py TP TQ && "$HOTSET" verify TQ --quiet
}
back="" ok "lists of several types come back" again
back="--cache-type paper=f8" ok "rounded ones, too" again --cache-type paper=f8
mkdir typed && cp TE/gpu*.npy typed && rm typed/gpu*_train_*.npy
ok "without train files their vertices are dealt" eval '"$HOTSET" plan $typed --from-lists typed --cache-type paper=f8 --assignment nested -o TN >/dev/null && [ "$(field TN/plan.json "d[\"deal\"][\"chosen\"]")" = nested ]'
typed_refused() { # SENTENCE FILE IDS..
    rm -rf W && cp -r TE W && npy "W/$2" "${@:3}"
    "$HOTSET" plan $typed --from-lists W -o no 2>said
    [ $? = 3 ] && grep -q "$1" said && [ ! -e no ]
}
institutions=$(python3 -c 'import json; print([t["count"] for t in json.load(open("M/graph.json"))["types"] if t["name"] == "institution"][0])')
number=$(python3 -c 'import json; print([t["name"] for t in json.load(open("M/graph.json"))["types"]].index("institution"))')
ok "an id beyond its type" typed_refused "gpu0_feature_$number.npy: element 1 is $institutions, but the graph has the ids 0 to" gpu0_feature_$number.npy 0 $institutions
ok "a train file with one of another GPU" typed_refused "gpu1_train_.*repeats id" "$(cd TE && ls gpu1_train_*.npy)" $(python3 - <<'P'
import glob, struct
print(struct.unpack("<I", open(glob.glob("TE/gpu0_train_*.npy")[0], "rb").read()[128:132])[0])
P
)
touch typed/gpu0_feature_0_exact.npy
ok "rows held exactly beside rounded ones are gone" eval '"$HOTSET" plan $typed --from-lists typed -o no 2>said; [ $? = 3 ] && grep -q "gpu0_feature_0_exact.npy: rows held exactly" said'
rm typed/gpu0_feature_0_exact.npy
ok "lists of one type for several" eval '"$HOTSET" plan $typed --from-lists L -o no 2>said; [ $? = 3 ] && grep -q "gpu0_feature_0.npy" said'
ok "compare says what policy lists is" eval 'exits 2 "$HOTSET" compare --graph M --server dgx-v100:4 --policy lists --budget 3% && grep -q -- "--from-lists DIR" .stderr'

# ---- from Python
if python3 -c 'import numpy' 2>/dev/null; then
    cat >try.py <<'P'
import hotset, numpy as np
out = hotset.write_plan("py", "G", "siton:2", feature={0: np.array([7, 5, 1999]), 1: []}, topology={1: np.array([12], dtype=np.uint32)},
                        options=["--fanout", "5,4", "--batch", "40", "--presample-epochs", "2", "--simulate-epochs", "2"])
assert list(out.feature_ids(0)) == [7, 5, 1999] and list(out.topology_ids(1)) == [12]
try:
    hotset.write_plan("no", "G", "siton:2", feature={0: [2000]})
except hotset.Error as e:
    assert e.code == 3 and "element 0 is 2000" in str(e), e
else:
    raise SystemExit("a bad id was taken")
P
    ok "write_plan" env HOTSET="$HOTSET" PYTHONPATH="$root/simulator/lib" HOTSET_LIBRARY="$(cd "$root" && cd "$BUILD" && pwd)/lib/libhotset.so" python3 try.py
    ok "the same plan as from the files, whose folder's name its settings have" eval 'diff -rx .hotset -x plan.json A py && diff <(grep -v "\"from-lists\"\|\"checksum\"" A/plan.json) <(grep -v "\"from-lists\"\|\"checksum\"" py/plan.json)'
else
    skip "write_plan" "NumPy is not installed for python3"
fi
finish
