#!/usr/bin/env bash
# hotset drift of several nodes: under replan every window reads what 'hotset plan' of the window's graph with the same options reads, node for
# node and summed as 'hotset compare' does; what moves between windows follows from the lists of those plans.
. "$(dirname "$0")/tap"
export PYTHONPATH="$root/tests/cli" OMP_WAIT_POLICY=passive
python3 - <<'END'
import random
random.seed(3)
first, second = range(900), range(900, 1800)  # who trains in window 0, and in windows 1 and 2
hot = lambda: int(random.paretovariate(0.6)) % 1800
with open("t.txt", "w") as f:
    for v in first: f.write("".join(f"{hot()} {v} 0\n" for _ in range(6)))
    for t in (1, 2):
        for v in second: f.write("".join(f"{1799 - hot()} {v} {t}\n" for _ in range(3)))
for name, s in (("a", first), ("b", second)): open(name, "w").write("".join(f"{v}\n" for v in s))
END
"$HOTSET" graph import t.txt --times --train-share 1 --feature-dim 32 --quiet -o G >/dev/null
for s in a b; do "$HOTSET" graph import t.txt --times --train $s --feature-dim 32 --quiet -o G$s >/dev/null; done
printf '{"schema": "cluster/1", "servers": [{"server": "dgx-a100:1", "count": 2}], "network": {"nic_gbps": 10, "oversubscription": 2}}' >c.json
how="--budget 3% --fanout 5,3 --batch 50 --presample-epochs 2 --simulate-epochs 2 --quiet"
check() { # NAME OPTIONS..: D-NAME.json, plans A-NAME and B-NAME of windows 0 and 1, and the row C-NAME.json that compare has of the latter
    local name=$1 deal=$2
    shift 2
    "$HOTSET" drift --graph G $how "$@" --assignment "$deal" --window-width 1 -o "D-$name.json" >"table-$name"
    for s in a b; do "$HOTSET" plan --graph G$s $how "$@" --objective transactions --assignment "$deal" -o "${s^^}-$name" >/dev/null; done
    "$HOTSET" compare --graph Gb $how "$@" --objective transactions --assignment "$deal" --policy hotset -o "C-$name.json" >/dev/null
    python3 "$root/tests/cli/drift_nodes.py" "D-$name.json" "A-$name" "B-$name" "C-$name.json" G 2>&1 | none "$name: a window under replan reads what plans of its graph read, and loads what their lists say"
}
check ssd global --server dgx-v100:1 --nodes 2 --nic-gbps 2 --host-memory 20% --ssd 2xgen4
check dram global --server dgx-v100:2 --nodes 2 --nic-gbps 1 --host-memory 60%
check cluster global --cluster c.json --host-memory 60%
ok "people read sums of nodes" eval 'grep -q "^replan " table-ssd && head -1 table-ssd | grep -q "below GPUs *$"'
drift() { "$HOTSET" drift --graph G $how --server dgx-v100:1 --nodes 2 --nic-gbps 2 --host-memory 20% --ssd 2xgen4 --assignment global --window-width 1 "$@"; }
ok "the same on one thread" eval 'drift --threads 1 -o T.json >/dev/null && cmp T.json D-ssd.json'
"$HOTSET" graph synth like ogbn-mag --scale 0.004 -o mag --quiet >/dev/null
"$HOTSET" drift --graph mag --server dgx-v100:1 $how --windows 3 --nodes 2 --nic-gbps 2 --host-memory 20% --ssd gen4 --json >types.json
ok "several types" python3 - <<'END'
import json
d = json.load(open("types.json"))
s = {x["scheme"]: x for x in d["schemes"]}
assert d["nodes"] == 2 and d["network"]["nic_gbps"] == 2 and list(s) == ["fixed", "refresh", "auto", "replan", "oracle"]
assert all(w["memories"]["ssd"]["blocks"] > 0 for x in s.values() for w in x["windows"])
assert s["replan"]["memories"]["dram"]["bytes_loaded"] > 0 == s["fixed"]["memories"]["dram"]["bytes_loaded"]
assert s["oracle"]["total_transactions"] < s["fixed"]["total_transactions"]
END
ok "no network is named" eval 'exits 2 "$HOTSET" drift --graph G --server dgx-v100:1 $how --nodes 2 && grep -q "needs --nic-gbps" .stderr'
"$HOTSET" graph synth uniform --vertices 500 --edges 2000 --train-share 0.04 --quiet -o few >/dev/null
ok "more GPUs than a window trains" eval 'exits 3 "$HOTSET" drift --graph few --server dgx-v100:1 $how --nodes 8 --nic-gbps 2 && grep -q "each needs one" .stderr'
finish
