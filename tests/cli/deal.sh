#!/usr/bin/env bash
# Who trains what: deals that are planned, given, taken from a trace or from a file of parts.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --communities 40 --seed 3 --feature-dim 128 -o G --quiet >/dev/null
"$HOTSET" graph synth rmat --scale 11 --edges 30000 --seed 4 --feature-dim 128 -o R --quiet >/dev/null
common="--graph G --fanout 5,4 --batch 40 --presample-epochs 2 --simulate-epochs 2 --quiet"
plan() { "$HOTSET" plan $common --server "$1" --budget "${@: -1}" "${@:2:$#-2}" >/dev/null; }
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }

# ---- planned
ok "a plan without --assignment" plan dgx-v100 -o A 5%
deals() { field $1 '[t["deal"] for t in d["deal"]["tried"]], d["deal"]["tried"][-1]["partition"]'; }
ok "it tried parts per GPU, others where GPUs wait, and parts that draw equally" [ "$(deals A/plan.json)" = "(['gpu', 'nested', 'gpu'], 'reads-draws')" ]
ok "where they wait less no others" eval 'plan dgx-v100:4 -o A4 5% && [ "$(deals A4/plan.json)" = "('"['gpu', 'gpu'], 'reads-draws'"')" ]'
"$HOTSET" server show dgx-v100 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); del d["pcie"], d["fingerprint"]; json.dump(d, open("bare.json", "w"))'
ok "where waiting is not known others, too" eval 'plan bare.json -o Bare 5% && [ "$(deals Bare/plan.json)" = "('"['gpu', 'nested'], 'reads'"')" ]'
ok "it took the one with the shortest predicted epoch, within 0.1 %" [ "$(field A/plan.json 'min(t["predicted_epoch_seconds"] for t in d["deal"]["tried"] if (t["deal"], t["partition"]) == (d["deal"]["chosen"], d["partition"])) <= 1.001 * min(t["predicted_epoch_seconds"] for t in d["deal"]["tried"])')" = True ]
ok "it is the same plan on one thread" eval 'plan dgx-v100 --threads 1 -o B 5% && diff -rx .hotset A B'
ok "communities are dealt to GPUs, not at random" [ "$(field A/plan.json 'd["deal"]["chosen"] in ("gpu", "nested")')" = True ]
ok "which leaves fewer transactions than a random deal inside cliques" eval 'plan dgx-v100 --assignment clique -o C 5% && [ "$(field A/plan.json "d[\"simulated\"][\"total_transactions\"] < 0.95 * json.load(open(\"C/plan.json\"))[\"simulated\"][\"total_transactions\"]")" = True ]'
ok "one clique: a nested deal is one part per GPU" eval 'plan dgx-a100 -o D 5% && [ "$(field D/plan.json "[t[\"deal\"] for t in d[\"deal\"][\"tried\"]]")" = "['"'gpu', 'clique', 'gpu'"']" ]'
ok "one GPU per clique: there is one deal with the fewest transactions" eval 'plan pcie-8 --objective transactions -o E 5% && [ "$(field E/plan.json "len(d[\"deal\"][\"tried\"])")" = 0 ]'
ok "the work of the GPUs is stated" [ "$(field A/plan.json 'len(d["deal"]["gathers_per_gpu"]) == 8 and abs(max(d["deal"]["gathers_per_gpu"]) * 8 / sum(d["deal"]["gathers_per_gpu"]) - d["deal"]["busiest_gathers"]) < 0.001')" = True ]
rest
"$HOTSET" compare $common --server dgx-v100 --budget 5% --policy hotset --exact --json >all.json
ok "--exact tries every deal" [ "$(field all.json '[t["deal"] for t in d["rows"][0]["deal"]["tried"]]')" = "['clique', 'gpu', 'nested', 'gpu']" ]
# of large graphs with some of the rows
"$HOTSET" graph synth community --vertices 66000 --edges 900000 --communities 300 --seed 6 --feature-dim 32 -o Large --quiet >/dev/null
large() { "$HOTSET" compare --graph Large --server $1 --budget 2%,8% --batch 400 --presample-epochs 1 --simulate-epochs 0 --policy hotset,random --json --quiet "${@:2}"; }
for s in dgx-v100 siton; do large $s >some.json && large $s --exact >every.json && python3 - $s <<'P'
import json, sys
some, every = ([r["deal"]["tried"] for r in json.load(open(f + ".json"))["rows"] if r["policy"] == "hotset"] for f in ("some", "every"))
what = lambda t: (t["deal"], t["partition"])
both = [(x, y) for a, b in zip(some, every) for x in a for y in b if what(x) == what(y)]
if len(both) < 4 or {x["of_rows"] for x, y in both} != {0.5} or any("of_rows" in y for _, y in both): print(sys.argv[1], both)
if not all("clique" in [t["deal"] for t in a] for a in some): print(sys.argv[1], some) # beside other systems
for key in "predicted_epoch_seconds", "predicted_transactions":
    off = [x[key] / y[key] - 1 for x, y in both]
    if max(map(abs, off)) > 0.02: print(sys.argv[1], key, off)
P
done | none "half of the rows tells what all rows tell, within 2 %"
ok "a plan says with how many" eval '"$HOTSET" plan --graph Large --server dgx-v100 --budget 2% --batch 400 --presample-epochs 1 --simulate-epochs 0 -o S --explain >said && grep -q "predicted from one epoch and 1 in 2 rows: gpu" said'
# everything is cached: all deals leave nothing
ok "of deals that leave the same it took that whose busiest GPU gathers fewest rows" eval 'plan dgx-v100:4 --objective transactions -o Z 40% && [ "$(field Z/plan.json "len({t[\"predicted_transactions\"] for t in d[\"deal\"][\"tried\"]}) == 1 and min(d[\"deal\"][\"tried\"], key=lambda t: t[\"busiest_rows\"])[\"deal\"] == d[\"deal\"][\"chosen\"] != d[\"deal\"][\"tried\"][0][\"deal\"]")" = True ]'
ok "the plan verifies" "$HOTSET" verify A --graph G --quiet
# 72 GPUs x 932,068 vertices x (2 + 2 hops) x 4 B are 1 GiB
ok "deals of a large graph are not tried, which is said" eval '"$HOTSET" graph synth uniform --vertices 1000000 --edges 100000 --train-share 0.001 -o big --quiet && "$HOTSET" plan --graph big --server gb200-nvl72 --budget 5% --fanout 1,1 --partition multilevel --presample-epochs 1 --simulate-epochs 0 -o L >said && grep -q "other assignments were not tried" said && [ "$(field L/plan.json "d[\"deal\"][\"chosen\"], d[\"deal\"][\"tried\"], d[\"deal\"][\"too_large_to_try\"]")" = "('"'gpu', [], True"')" ]'
ok "which is not said of a deal that was asked for" eval '"$HOTSET" plan --graph big --server gb200-nvl72 --budget 5% --fanout 1,1 --partition hash --assignment gpu --presample-epochs 1 --simulate-epochs 0 -o M >said && ! grep -q "not tried" said'

# ---- given
for deal in global clique gpu nested; do
    ok "--assignment $deal" eval "plan dgx-v100 --assignment $deal -o $deal 5% && [ \"\$(field $deal/plan.json 'd[\"deal\"][\"chosen\"]')\" = $deal ] && \"\$HOTSET\" verify $deal --graph G --quiet"
done
ok "a policy whose system lets the user deal" eval 'plan dgx-v100 --policy quiver --assignment nested -o q 5% && [ "$(field q/plan.json "d[\"deal\"][\"chosen\"]")" = nested ]'
ok "a policy whose system deals by itself refuses another deal" exits 2 plan dgx-v100 --policy pagraph --assignment nested -o p 20%
ok "an unknown deal" exits 2 "$HOTSET" plan $common --server dgx-v100 --budget 5% --assignment random -o no
ok "exact and its bound with parts per GPU" eval '"$HOTSET" plan $common --server dgx-v100 --policy exact --assignment gpu --bound --budget 5% -o X >/dev/null; [ $? = 0 ] && [ "$(field X/plan.json "d[\"bound\"][\"gap\"] >= 0")" = True ] || "$HOTSET" plan $common --server dgx-v100 --policy exact --budget 5% -o X 2>&1 | grep -q GLPK'

# ---- from a trace
ok "a trace of a nested deal" "$HOTSET" trace record --graph G --server dgx-v100 --fanout 5,4 --batch 40 --epochs 2 --assignment nested -o T --quiet
ok "a plan has the deal of its trace" eval 'plan dgx-v100 --trace T --force -o t 5% && [ "$(field t/plan.json "d[\"deal\"][\"chosen\"], d[\"deal\"][\"tried\"]")" = "('"'nested', []"')" ]'
ok "--assignment beside a trace is said to be ignored" eval '"$HOTSET" plan --graph G --server dgx-v100 --trace T --assignment gpu --budget 5% --force -o t >/dev/null 2>said && grep -q "assignment is ignored" said'
ok "the old name of the option" eval '"$HOTSET" trace record --graph G --server dgx-v100 --fanout 5,4 --batch 40 --epochs 2 --assignment hierarchical -o T1 --quiet >/dev/null && "$HOTSET" trace record --graph G --server dgx-v100 --fanout 5,4 --batch 40 --epochs 2 -o T2 --quiet >/dev/null && diff -rx .hotset T1 T2'

# ---- from a file of parts
python3 - <<'P'
open("parts8", "w").writelines(f"{v * 8 // 4000}\n" for v in range(4000))
open("parts2", "w").writelines(f"{v % 2}\n" for v in range(4000))
open("parts3", "w").writelines(f"{v % 3}\n" for v in range(4000))
P
ok "parts for GPUs" eval 'plan dgx-v100 --parts parts8 --force -o f 5% && [ "$(field f/plan.json "d[\"deal\"][\"chosen\"], d[\"deal\"][\"partition\"]")" = "('"'gpu', 'given'"')" ]'
ok "parts for cliques" eval 'plan dgx-v100 --parts parts2 --force -o f 5% && [ "$(field f/plan.json "d[\"deal\"][\"chosen\"], d[\"deal\"][\"partition\"]")" = "('"'clique', 'given'"')" ]'
ok "another number of parts" eval 'exits 3 "$HOTSET" plan $common --server dgx-v100 --budget 5% --parts parts3 -o no && grep -q "has 3 parts, but server" .stderr'
ok "parts against a deal" eval 'exits 2 "$HOTSET" plan $common --server dgx-v100 --budget 5% --parts parts8 --assignment clique -o no && grep -q "not taken by --assignment clique; leave that out" .stderr'
ok "no file of parts" exits 3 "$HOTSET" plan $common --server dgx-v100 --budget 5% --parts missing -o no

# ---- nobody else leaves less, at equal order and reach
for g in G R; do for s in dgx-v100 siton; do
    "$HOTSET" compare --graph $g --server $s --fanout 5,4 --batch 40 --policy all --budget 2%,5% --presample-epochs 2 --simulate-epochs 2 -o $g-$s.json --quiet >/dev/null || echo "$g $s: compare failed"
    python3 - $g-$s.json <<'P'
import json, sys
rows = [r for r in json.load(open(sys.argv[1]))["rows"] if r["simulated"] and r["simulated"]["total_transactions"]]
for b in {r["budget"] for r in rows}:
    # the row of each reach, against all that read no farther
    for own in [r for r in rows if r["budget"] == b and r["policy"].split(" --reach ")[0] == "hotset"]:
        far = own["policy"].split(" --reach ")[1] if " --reach " in own["policy"] else "direct"
        left, whole = own["simulated"]["total_transactions"], own["uncached_transactions"]
        for r in rows:  # bgl trains in another order, oracle has seen the judged epochs
            other = r["policy"].split(" --reach ")
            reads = other[1] if len(other) > 1 else "forward" if r["policy"] == "dsp" else "own" if r["reach"] == "own" else "direct"
            if ["own", "direct", "forward"].index(reads) > ["own", "direct", "forward"].index(far):
                continue
            if r["budget"] == b and r["policy"] not in ("bgl", "oracle") and left >= 0.01 * whole and r["simulated"]["total_transactions"] < 0.995 * left:
                print(sys.argv[1], b, r["policy"], r["simulated"]["total_transactions"], own["policy"], left)
P
done; done | none "no other policy leaves fewer transactions than hotset"
# GPUs that read no other: PaGraph's GPUs gather unequally many rows of a skewed graph (rmat); of a dense one every mini-batch reaches all
own() { "$HOTSET" compare --graph $1 --server pcie-8 --peer-access own --batch 512 --objective transactions --policy hotset,pagraph --budget 1%,5% --simulate-epochs 4 --threads 1 --json --quiet; }
"$HOTSET" graph synth rmat --vertices 5000 --edges 80000 --seed 11 -o skewed --quiet >/dev/null
"$HOTSET" graph synth web --vertices 2000 --edges 100000 --train-share 0.5 --seed 12 -o crossed --quiet >/dev/null
"$HOTSET" graph synth community --vertices 2000 --edges 125000 --train-share 0.5 --seed 13 -o dense --quiet >/dev/null
for g in skewed crossed dense; do own $g >own-$g.json && python3 - own-$g.json <<'P'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
left = {(r["policy"], r["budget"]): r["simulated"]["total_transactions"] for r in rows}
if len(left) != 4: print(sys.argv[1], left)
for b in "1%", "5%":
    if left["hotset", b] > 1.005 * left["pagraph", b]: print(sys.argv[1], b, left)
P
done | none "pagraph does not leave fewer either, where no GPU reads another"
many() { "$HOTSET" plan --graph skewed --server pcie-8 --batch 512 --budget 5% --quiet -o $1 "${@:2}" >/dev/null; }
ok "who asks for that lets GPUs gather unequally, with equally many training vertices" eval 'many few --objective transactions && [ "$(field few/plan.json "d[\"partition\"], d[\"deal\"][\"busiest_gathers\"] > 1.3")" = "('"'reads-fewest', True"')" ] && python3 -c "
import os
have = [os.path.getsize(f\"few/gpu{i}_train.npy\") // 4 for i in range(8)]
assert max(have) - min(have) <= 4, have"'
ok "and nobody else does" eval 'many usual && [ "$(field usual/plan.json "d[\"deal\"][\"busiest_gathers\"] < 1.15")" = True ]'
# how much of the lead is who trains what: what compare says by prediction, a comparison under the rival's deal counts
compared() { "$HOTSET" compare --graph G --server dgx-v100 --policy hotset,legion --budget 5% --batch 20 --fanout 5,4 --simulate-epochs 4 --json --quiet "$@"; }
compared >chosen.json && compared --assignment clique >clique.json
ok "what hotset would need under legion's deal is near what it needs" python3 -c '
import json, re
said = json.load(open("chosen.json"))["sentence"].split("\n")
found = [re.fullmatch(r"with legion.s assignment \(clique\) hotset would read ([0-9.]+) % fewer; its own \((?:gpu|nested)\) saves the rest", x) for x in said]
share = [float(f[1]) for f in found if f]
left = {r["policy"]: r["simulated"]["total_transactions"] for r in json.load(open("clique.json"))["rows"]}
counted = 100 * (1 - left["hotset"] / left["legion"])
assert len(share) == 1 and abs(share[0] - counted) < 3, (said, counted)'
# one mini-batch per GPU: neighbours of a part meet seldom, so a random deal is tried where the others leave GPUs with unequal work
"$HOTSET" graph synth like papers100m --scale 0.0001 --seed 7 -o Seven --quiet >/dev/null
"$HOTSET" plan --graph Seven --server dgx-v100 --budget 10% --batch 512 --peer-access own --simulate-epochs 0 -o Once --quiet >/dev/null
"$HOTSET" plan --graph Seven --server dgx-v100 --budget 10% --batch 4 --peer-access own --simulate-epochs 0 -o Often --quiet >/dev/null
ok "with one step per GPU a random deal is tried, and the shortest epoch is taken" python3 -c '
import json
once, often = (json.load(open(p + "/plan.json"))["deal"] for p in ("Once", "Often"))
tried = {(t["deal"], t["partition"]): t["predicted_epoch_seconds"] for t in once["tried"]}
assert ("global", "") in tried and tried[once["chosen"], once["partition"]] == min(tried.values()), once
assert not any(t["deal"] == "global" for t in often["tried"]), often'
"$HOTSET" compare --graph Seven --server dgx-v100 --budget 10% --batch 512 --peer-access own --policy hotset,ducati --json --quiet >seven.json
ok "no other deal has an epoch that is more than 0.5 % shorter" python3 -c '
import json
seconds = {r["policy"]: r["simulated"]["epoch_time"]["seconds"] for r in json.load(open("seven.json"))["rows"]}
assert seconds["hotset"] <= 1.005 * seconds["ducati"], seconds'
finish
