#!/usr/bin/env bash
# In which order training vertices are taken: orders that are given, planned, taken from a trace; what runtimes carry out.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
: "${CC:=cc}"
lib=$root/${BUILD:-build}/lib
[ -f "$lib/libhotset.a" ] || lib=${BUILD:-build}/lib
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --communities 80 --mixing 0.05 --seed 3 --feature-dim 128 -o G --quiet >/dev/null
common="--graph G --server dgx-v100:4 --fanout 5,4 --batch 16 --presample-epochs 2 --simulate-epochs 2 --assignment gpu --budget 4% --quiet"
plan() { "$HOTSET" plan $common "$@" >/dev/null; }
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1] + "/plan.json")); print(eval(sys.argv[2]))' "$@"; }
mixed() { field "$1" '"communities" in d["order"]'; }
ok "a mixture that nobody asked for is left out where --memory does not hold it; the plan is the same" eval 'plan --threads 1 -o whole && plan --threads 1 --memory 80MiB -o small && [ "$(mixed whole) $(mixed small)" = "True False" ] && for f in whole/*.npy; do cmp "$f" "small/${f#whole/}" || exit 1; done'
ok "an order that is asked for is refused there" exits 5 "$HOTSET" plan $common --threads 1 --memory 80MiB --order auto -o none

# ---- given
for order in shuffle blocks:16 blocks:3 blocks:1 bfs; do
    at=P-$order
    ok "--order $order" plan --order $order -o "$at"
    ok "$order: the same on one thread and on two" eval "plan --order $order --threads 1 --force -o one && plan --order $order --threads 2 --force -o two && diff -rx .hotset one $at && diff -rx .hotset two $at"
    ok "$order: the plan verifies" "$HOTSET" verify "$at" --graph G --quiet
    "$HOTSET" simulate "$at" --graph G --seed 7 --epochs 3 --force --export-batches B --quiet >/dev/null || echo "not exported"
    PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/cli/order.py" "$at" B "$lib" 2>&1 | none "$order: seeds are in the order of the rule, and of Python"
done
if ! command -v od >/dev/null; then skip "libhotset" "od is not installed"; else
    cat >order.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "hotset.h"
int main(int argc, char **argv)
{
    hotset_plan *p;
    struct hotset_error e;
    uint64_t count;
    uint32_t out[4096];
    if (argc < 3 || hotset_open(argv[1], NULL, &p, &e)) return puts(e.text), 1;
    hotset_ids(p, 1, HOTSET_TRAIN, &count);
    if (!hotset_epoch_order(p, 1, 7, 0, count + 1, out, &e) || !hotset_epoch_order(p, 9, 7, 0, count, out, &e)) return 2;
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        if (hotset_epoch_order(p, 1, 7, epoch, count, out, &e)) return puts(e.text), 1;
        for (uint64_t i = 0; i < count; i++) printf("%u\n", out[i]);
    }
    fprintf(stderr, "%s %d\n", hotset_text(p, HOTSET_TEXT_ORDER), (int)hotset_batch(p));
    hotset_close(p);
    return 0;
}
C
    ok "a runtime in C builds" eval '$CC ${SANITIZE:-} -Wall -Werror -I "$lib" order.c "$lib/libhotset.a" -ljansson -pthread -o runtime'
    for order in shuffle blocks:3 bfs; do
        "$HOTSET" simulate P-$order --graph G --seed 7 --epochs 3 --force --export-batches B --quiet >/dev/null
        ok "$order: libhotset gives the judged mini-batches" eval "./runtime P-$order 1 >have 2>facts && od -An -v -tu4 -w4 -j128 B/gpu1_seeds.npy | tr -d ' ' | diff - have && [ \"\$(cat facts)\" = '$order 16' ]"
    done
fi
ok "less random orders read less" [ "$(python3 -c '
import json
t = [json.load(open("P-%s/plan.json" % o))["simulated"]["total_transactions"] for o in ("shuffle", "blocks:16", "blocks:3", "blocks:1")]
print(t[1] <= 1.02 * t[0] and t[2] < 0.97 * t[0] and t[3] < t[2])')" = True ]
ok "and say so" [ "$(python3 -c '
import json
o = [json.load(open("P-%s/plan.json" % o))["order"] for o in ("shuffle", "blocks:16", "blocks:3", "blocks:1")]
s = [x["largest_community"] for x in o]
print(s[0] == o[0]["largest_community_shuffled"] and s[0] < s[2] < s[3] <= 1 and len({x["communities"] for x in o}) == 1)')" = True ]
ok "--order shuffle is the default" eval 'plan -o d && diff -rx .hotset d P-shuffle'
ok "another policy has the order, too" eval 'plan --policy quiver --assignment auto --order blocks:3 -o q && [ "$(field q "d[\"order\"][\"chosen\"]")" = blocks:3 ]'

# ---- planned
ok "--order auto" plan --order auto -o A
ok "it tried every order" [ "$(field A '[t["order"] for t in d["order"]["tried"]]')" = "['shuffle', 'blocks:8', 'blocks:2', 'bfs', 'blocks:1']" ]
ok "it took the one with the fewest predicted transactions" [ "$(field A 'min(d["order"]["tried"], key=lambda t: t["predicted_transactions"])["order"] == d["order"]["chosen"] == d["workload"]["order"]')" = True ]
ok "it is the same plan on one thread" eval 'plan --order auto --threads 1 -o A1 && diff -rx .hotset A A1'
ok "it leaves less than a shuffled one" [ "$(field A 'd["simulated"]["total_transactions"] < 0.97 * json.load(open("P-shuffle/plan.json"))["simulated"]["total_transactions"]')" = True ]
ok "compare states what was tried: the ends and bfs, or all" [ "$(for exact in '' --exact; do "$HOTSET" compare $common --policy hotset --order auto $exact -o c.json --force --quiet >/dev/null; python3 -c 'import json; print([t["order"] for t in json.load(open("c.json"))["rows"][0]["order"]["tried"]])'; done)" = "['shuffle', 'bfs', 'blocks:1']
['shuffle', 'blocks:8', 'blocks:2', 'bfs', 'blocks:1']" ]
ok "a policy that plans no deal plans no order" exits 2 plan --policy legion --assignment auto --order auto -o L
ok "one mini-batch per GPU: nothing to choose" eval 'plan --order auto --batch 4000 -o W && [ "$(field W "len(d[\"order\"][\"tried\"]), d[\"order\"][\"chosen\"]")" = "(1, '"'shuffle'"')" ]'

# ---- from a trace, and back
ok "a trace in blocks" "$HOTSET" trace record --graph G --server dgx-v100:4 --fanout 5,4 --batch 16 --epochs 2 --assignment gpu --order blocks:3 -o T --quiet
ok "a plan has the order of its trace" eval 'plan --trace T --force -o t && [ "$(field t "d[\"workload\"][\"order\"]")" = blocks:3 ] && for g in 0 3; do cmp t/gpu${g}_order.npy T/order_gpu$g.npy || exit 1; done'
ok "--order beside a trace is said to be ignored" eval '"$HOTSET" plan --graph G --server dgx-v100:4 --trace T --order bfs --budget 5% --simulate-epochs 0 --force -o t >/dev/null 2>said && grep -q "order is ignored" said'
ok "a plan's held-out epochs, recorded" eval '"$HOTSET" trace record --plan P-blocks:3 --graph G --server dgx-v100:4 --seed 7 --epochs 3 -o R --quiet >/dev/null && for g in 0 3; do cmp P-blocks:3/gpu${g}_order.npy R/order_gpu$g.npy || exit 1; done'
ok "are those that are simulated" [ "$("$HOTSET" simulate P-blocks:3 --graph G --seed 7 --epochs 3 --json --quiet | python3 -c '
import json, sys
x = json.load(sys.stdin)["rows"][0]["simulated"]["gpus"]
raw = open("R/hotness_feature.npy", "rb").read()[128:]
import array
a = array.array("I", raw)
print([sum(g["feature_rows"].values()) for g in x] == [sum(a[i * 4000:(i + 1) * 4000]) for i in range(4)])')" = True ]
ok "a trace without its order" eval 'cp -r T T-less && rm T-less/order_gpu2.npy && exits 3 "$HOTSET" plan $common --trace T-less -o no && grep -q order_gpu2.npy .stderr'
ok "a trace with another order" eval 'cp -r T T-else && cp T/order_gpu1.npy T-else/order_gpu2.npy && exits 3 "$HOTSET" plan $common --trace T-else -o no && grep -q order_gpu2.npy .stderr'
ok "a BFS plan of before, without the file" eval 'cp -r P-bfs old && rm old/gpu*_order.npy && python3 - <<"P"
import json
d = json.load(open("old/plan.json"))
for k in ("order", "checksum"): d.pop(k)
for g in d["gpus"]: g.pop("order")
d["files"] = [f for f in d["files"] if "_order" not in f["name"]]
json.dump(d, open("old/plan.json", "w"))
P
"$HOTSET" simulate old --graph G --seed 7 --epochs 1 --json --quiet >a && "$HOTSET" simulate P-bfs --graph G --seed 7 --epochs 1 --json --quiet >b && diff a b'

# ---- refused
for word in blocks blocks:0 blocks:17 blocks:x dfs; do
    ok "--order $word" eval "exits 2 \"\$HOTSET\" plan \$common --order $word -o no && grep -q -e --order .stderr && [ ! -e no ]"
done
for order in bfs blocks:2 auto; do
    ok "--order $order of edges" eval "exits 2 \"\$HOTSET\" plan \$common --order $order --seeds edges -o no && grep -q 'start from edges' .stderr"
done
ok "trace record --order auto" exits 2 "$HOTSET" trace record --graph G --server dgx-v100:4 --order auto -o no
finish
