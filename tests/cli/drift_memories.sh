#!/usr/bin/env bash
# hotset drift with memories below the GPUs: what DRAM and SSDs serve is what they serve under 'hotset plan' of a window's graph, what
# moves into DRAM follows from the lists, and what is not there is said.
. "$(dirname "$0")/tap"
export PYTHONPATH="$root/tests/cli"
python3 - <<'END'
import random
random.seed(3)
first, second = range(1500), range(1500, 3000)  # who trains in window 0, and in windows 1 and 2
hot = lambda: int(random.paretovariate(0.6)) % 3000
with open("t.txt", "w") as f:
    for v in first: f.write("".join(f"{hot()} {v} 0\n" for _ in range(6)))
    for t in (1, 2):
        for v in second: f.write("".join(f"{2999 - hot()} {v} {t}\n" for _ in range(3)))
for name, s in (("a", first), ("b", second)): open(name, "w").write("".join(f"{v}\n" for v in s))
END
"$HOTSET" graph import t.txt --times --train-share 1 --quiet -o G >/dev/null
for s in a b; do "$HOTSET" graph import t.txt --times --train $s --quiet -o G$s >/dev/null; done
how() { echo "--server dgx-v100:$1 --budget 3% --fanout 5,3 --batch 50 --presample-epochs 2 --simulate-epochs 2"; }
drift() { "$HOTSET" drift --graph G $(how "$1") --window-width 1 "${@:2}"; }
little="--host-memory 25% --ssd 2xgen4" much="--host-memory 130%"
for g in 1 2; do
    for s in a b; do "$HOTSET" plan --graph G$s --objective transactions --assignment global $(how $g) $little --quiet -o P$g$s >/dev/null; done
    drift $g $little --quiet -o D$g.json >table$g
    python3 "$root/tests/cli/drift_memories.py" G D$g.json P${g}a P${g}b $([ $g = 2 ] || echo moves) 2>&1 |
        none "$g GPUs: a window under replan reads what the plan of its graph reads"
done
ok "the same on two threads" eval 'drift 2 $little --quiet --threads 2 -o T.json >/dev/null && cmp T.json D2.json'
drift 2 --quiet -o without.json >plain
drift 2 $much -o all.json >table 2>said
ok "DRAM that holds all rows: the plan that knows the window has the same transactions, and no block is read" python3 - <<'END'
import json
without, with_all, little = (json.load(open(f)) for f in ("without.json", "all.json", "D2.json"))
of = lambda d, s: [x["windows"] for x in d["schemes"] if x["scheme"] == s][0]
for a, b, c in zip(of(without, "oracle"), of(with_all, "oracle"), of(little, "oracle")):
    for k in ("total_transactions", "feature_hit_rate", "topology_hit_rate", "transfer_seconds"): assert a[k] == b[k], (k, a, b)
    assert a["total_transactions"] == c["total_transactions"] and not b["memories"]["ssd"] and c["memories"]["ssd"]["blocks"] > 0
    lines = sum(p["feature_lines"] + p["topology_lines"] for p in b["memories"]["places"])
    assert abs(lines - b["total_transactions"]) <= 2, (lines, b)
assert with_all["drives"] is None and "memories" not in json.dumps(without) and "left_out" not in without
assert [x["scheme"] for x in with_all["left_out"]] == ["lru", "sieve"] and not {"lru", "sieve"} & {x["scheme"] for x in with_all["schemes"]}
END
for s in a b; do "$HOTSET" plan --graph G$s --assignment global $(how 2) $much --quiet -o M$s >/dev/null; done
python3 "$root/tests/cli/drift_memories.py" G all.json Ma Mb 2>&1 | none "and replan those of a plan with this DRAM"
ok "people read what is left out, and a column more" eval 'grep -q "lru and sieve are left out" said && head -1 table | grep -q "saved  *below GPUs$" && ! grep -q "below GPUs" plain && grep -q "^lru " plain'
ok "too little DRAM and no SSDs" eval 'exits 1 drift 2 --host-memory 50% && grep -q "no home has all rows" .stderr'
ok "samplers that SSDs are not modelled for" eval 'exits 1 drift 1 --host-memory 6% --ssd gen4 --sampler temporal && grep -q "DRAM holds all topology" .stderr'
"$HOTSET" graph synth like ogbn-mag --scale 0.004 -o mag --quiet >/dev/null
"$HOTSET" drift --graph mag $(how 2) --windows 3 $little --json --quiet >types.json
ok "several types" python3 - <<'END'
import json
d = json.load(open("types.json"))
s = {x["scheme"]: x for x in d["schemes"]}
assert d["left_out"] == [] and list(s) == ["fixed", "refresh", "auto", "replan", "oracle"]
assert all(w["memories"]["ssd"]["blocks"] > 0 for x in s.values() for w in x["windows"])
assert s["replan"]["memories"]["dram"]["bytes_loaded"] > 0 == s["fixed"]["memories"]["dram"]["bytes_loaded"]
END
"$HOTSET" report D2.json -o page --quiet >/dev/null && "$HOTSET" report without.json -o plain-page --quiet >/dev/null
ok "the page has a column of them, which another has not" python3 - <<'END'
import json, re
page = open("page/index.html").read().replace("\u00a0", " ")
rows = {r[0]: r[1:] for r in ([re.sub("<[^>]*>", "", c).strip() for c in re.findall(r"<t[hd].*?</t[hd]>", line)] for line in page.split("<tr>")) if len(r) == 8}
for x in json.load(open("D2.json"))["schemes"]:
    value, unit = rows[x["scheme"]][-1].split()
    seconds = float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit]
    assert abs(seconds - x["memories"]["seconds"]) < 6e-3 * seconds, (x["scheme"], rows[x["scheme"]], x["memories"]["seconds"])
assert "below GPUs" in page and "below GPUs" not in open("plain-page/index.html").read()
END
finish
