#!/usr/bin/env bash
# Servers whose GPUs and cliques are alike share recordings, deals and estimates: what size says of each is what it says of it alone; they
# run next to each other, and the terminal says about how long the others take. Others run side by side, with the same answer.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "what servers share" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 4000 --edges 40000 --seed 3 --feature-dim 64 -o G --quiet >/dev/null
ask="$HOTSET size --graph G --presample-epochs 1 --simulate-epochs 1 --steps 3 --nodes 1 --best time"
cat >same.py <<'P'
import json
together = json.load(open("all.json"))
def points(d, curve):
    return [{k: v for k, v in p.items() if k not in ("curve", "label")} for p in d["candidates"] if p["curve"] == curve]
for i, c in enumerate(together["curves"]):
    alone = json.load(open("%s-%d.json" % (c["server"], c["batch"])))
    mine, own = points(together, i), points(alone, 0)
    assert len(own) > 2 and mine == own, (c["label"], [(a, b) for a, b in zip(mine, own) if a != b][:1])
P
servers="p3.16xlarge dgx-h100 dgx-v100 dgx-a100"
for batches in 20 7,20; do
    $ask --fanout 8,4 --batches $batches --server "${servers// /,}" --threads 1 --force -o all.json >/dev/null 2>said-$batches
    $ask --fanout 8,4 --batches $batches --server "${servers// /,}" --threads 3 --force -o beside.json >/dev/null 2>beside-$batches
    ok "mini-batches of $batches: side by side as one after the other" cmp all.json beside.json
    for s in $servers; do for b in ${batches//,/ }; do
        [ -f "$s-$b.json" ] || $ask --fanout 8,4 --batch "$b" --server "$s" --quiet -o "$s-$b.json" >/dev/null
    done; done
    ok "mini-batches of $batches: each server as alone" python3 same.py
done
ok "alike servers follow each other" eval '[ "$(grep -o "[1-4]/4 [a-z0-9.-]*" said-20 | tr "\n" " ")" = "1/4 p3.16xlarge 2/4 dgx-v100 3/4 dgx-h100 4/4 dgx-a100 " ]'
ok "how long the others take" eval '[ "$(grep -cE "^hotset: [2-4]/4 [^,]*, about .* left$" said-20)" = 3 ] && ! grep "1/4" said-20 | grep -q left'
ok "who runs side by side is said, each once" eval '[ "$(grep -o "[1-4]/4 [a-z0-9.-]*" beside-20 | cut -d" " -f2 | sort | tr "\n" " ")" = "dgx-a100 dgx-h100 dgx-v100 p3.16xlarge " ] &&
    [ "$(grep -o "[1-4]/4" beside-20 | tr "\n" " ")" = "1/4 2/4 3/4 4/4 " ]'
# Of several budgets the counts of GPUs are laid side by side once, and deals are tried budget beside budget; of one they are not.
"$HOTSET" graph synth like igbh-tiny --scale 0.02 -o T --quiet >/dev/null
cat >alone.py <<'P'
import json, sys
rows = lambda f: [r for r in json.load(open(f))["rows"] if r["policy"] == "hotset"]
together, alone = rows("budgets.json"), [rows("budget-%s.json" % b)[0] for b in sys.argv[1:]]
assert len(together) == len(sys.argv) - 1 >= 4 and together == alone, [(a, b) for a, b in zip(together, alone) if a != b][:1]
P
rest
for g in G T; do
    ask="$HOTSET compare --graph $g --server dgx-a100 --policy hotset --fanout 8,4 --batch 20 --presample-epochs 2 --simulate-epochs 1 --quiet"
    $ask --budget 1%,3%,10%,30% -o budgets.json >/dev/null
    for b in 1 3 10 30; do $ask --budget $b% -o budget-$b.json >/dev/null; done
    ok "graph $g: budgets planned together as each alone" python3 alone.py 1 3 10 30
done
finish
