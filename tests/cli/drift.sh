#!/usr/bin/env bash
# hotset drift on a graph with times and on one without: the same on two threads, plans that know their past alone, what
# moving costs; refresh --auto and --move-budget. SNAP's sx-mathoverflow-c2a, where there is a copy (DRIFT_GRAPH names it).
. "$(dirname "$0")/tap"
python3 - <<'END'
import random
random.seed(1)
with open("t.txt", "w") as f:
    for i in range(12000):  # who writes drifts with time
        f.write(f"{i // 60 + random.randrange(300)} {i // 60 + int(random.paretovariate(0.8)) % 300} {i}\n")
END
"$HOTSET" graph import t.txt --times --undirected --train-share 1 --quiet -o G >/dev/null
how="--graph G --server dgx-v100:2 --budget 3% --fanout 5,3 --batch 50 --presample-epochs 2 --simulate-epochs 1 --quiet"
for t in 1 2; do "$HOTSET" drift $how --windows 5 --sampler temporal --move-budget 4KiB --threads $t -o D$t.json >table$t; done
ok "the same on two threads" cmp D1.json D2.json
ok "a table with every scheme" eval 'for s in fixed refresh auto replan oracle lru sieve; do grep -q "^$s " table1 || exit 1; done'
if ! command -v gnuplot >/dev/null; then skip "the page" "gnuplot is not installed"; else
    "$HOTSET" report D1.json -o page --quiet >/dev/null
    drawn() {
        python3 - <<'END'
import csv, glob, json
rows = list(csv.reader(open(glob.glob("page/data/*.csv")[0])))[1:]
d = json.load(open("D1.json"))
kind = "feature" if any(s["feature_hit_rate"] for s in d["schemes"]) else "topology"
asked = [(s["scheme"], w["window"], w[kind + "_hit_rate"]) for s in d["schemes"] for w in s["windows"]]
assert len(rows) == len(asked) and all(r[1] == a[0] and max(abs(float(x) - y) for x, y in zip(r[3:], a[1:])) < 1e-6 for r, a in zip(rows, asked)), rows[:3]
best = max((s for s in d["schemes"] if s["seconds_saved"]), key=lambda s: s["seconds_saved"])
assert f"<b>{best['scheme']}</b> pays most" in open("page/index.html").read()
END
    }
    ok "the page draws every window of every scheme, and names what pays most" drawn
fi
check() {
    python3 - "$@" <<'END'
import json, sys
d = json.load(open("D1.json"))
s = {x["scheme"]: x for x in d["schemes"]}
assert d["schema"] == "drift/1" and all([w["window"] for w in x["windows"]] == [1, 2, 3, 4] for x in s.values())
for x in s.values():  # means and sums, once more
    w = x["windows"]
    assert abs(x["feature_hit_rate"] - sum(y["feature_hit_rate"] for y in w) / 4) < 1e-9
    assert x["total_transactions"] == (sum(y["total_transactions"] for y in w) + 2) // 4
    assert x["bytes_loaded"] == sum(y["bytes_loaded"] for y in w)
first = [x["windows"][0]["feature_hit_rate"] for k, x in s.items() if k in ("fixed", "refresh", "auto", "replan")]
assert len(set(first)) == 1, "window 1 is served by the plan of window 0"
assert not s["fixed"]["bytes_loaded"] and s["fixed"]["seconds_saved"] == 0
cliques = 2  # a GPU each, or one of both: at most as many as GPUs
assert 0 < s["refresh"]["bytes_loaded"] <= 3 * cliques * 4096
assert s["replan"]["total_transactions"] < 0.98 * s["fixed"]["total_transactions"], "the rows of window 0 age"
assert s["oracle"]["total_transactions"] <= min(x["total_transactions"] for k, x in s.items() if k in first or k in ("fixed", "refresh", "auto", "replan"))
END
}
ok "sums, budgets, and rows that age" check
# one GPU: what loads take is its bytes at the rate that refresh states for the same server
"$HOTSET" drift ${how/dgx-v100:2/dgx-v100:1} --windows 4 --sampler temporal --move-budget 4KiB -o S.json >/dev/null
one="--graph G --server dgx-v100:1 --batch 50 --quiet"
"$HOTSET" plan $one --sampling gpu --fanout 5,3 --budget 3% --simulate-epochs 0 -o S >/dev/null
"$HOTSET" trace record $one --fanout 2,2 --plan S --seed 9 --epochs 1 -o ST >/dev/null 2>&1
"$HOTSET" refresh S --trace ST --pay-within 1000 --simulate-epochs 0 --json --quiet -o SR >SR.json
took() {
    python3 - <<'END'
import json
r, d = (json.load(open(f)) for f in ("SR.json", "S.json"))
near = lambda a, b: abs(a - b) <= 1e-6 * abs(b)
gpu, rate = r["gpus"][0], r["bytes_per_second"]
assert r["bytes_to_load"] == sum(gpu[k]["bytes_to_load"] for k in ("feature", "topology")) > 0 and 1e9 < rate < 16e9
assert near(r["seconds_to_load"], r["bytes_to_load"] / rate)
assert near(r["pays_after_epochs"], r["seconds_to_load"] / r["seconds_saved"])
schemes = {s["scheme"]: s for s in d["schemes"]}
for s in schemes.values():
    assert all(near(w["seconds_loading"], w["bytes_loaded"] / rate) for w in s["windows"]), s
    assert near(s["seconds_loading"], sum(w["seconds_loading"] for w in s["windows"]))
assert all(schemes[s]["bytes_loaded"] > 0 for s in ("refresh", "auto", "replan"))
for s in ("refresh", "auto", "replan"):
    faster = sum(a["transfer_seconds"] - b["transfer_seconds"] for a, b in zip(schemes["fixed"]["windows"], schemes[s]["windows"]))
    assert near(schemes[s]["seconds_saved"], faster * d["epochs_per_window"] - schemes[s]["seconds_loading"]), s
END
}
ok "seconds of loading are bytes by the rate, and count against what they save" took
"$HOTSET" graph synth community --vertices 4000 --edges 40000 --train-share 0.5 --quiet -o C >/dev/null
rest
ok "without times, around the circle of ids" eval '"$HOTSET" drift ${how/--graph G/--graph C} --windows 3 --window-share 0.2 --json >E.json && grep -q "\"windows_by\": \"id\"" E.json'
# a path whose times are 0 to 3,999, an edge each: four windows of equally many arcs are four of the same width
awk 'BEGIN { for (i = 0; i < 4000; i++) print i, i + 1, i }' >line.txt && "$HOTSET" graph import line.txt --times --undirected --train-share 1 --quiet -o L >/dev/null
"$HOTSET" drift ${how/--graph G/--graph L} --windows 4 --sampler temporal --json >even.json
"$HOTSET" drift ${how/--graph G/--graph L} --window-width 1000 --sampler temporal --json >wide.json
ok "windows of a width" eval 'diff even.json wide.json >changed; [ "$(grep -c "^[<>]" changed)" = 1 ] && grep -q "^> *\"window_width\": 1000,$" changed'
ok "a width that gives one window" eval 'exits 2 "$HOTSET" drift $how --window-width 12000 --sampler temporal && grep -q "times from 0 to 11999 are fewer than 2 windows" .stderr'
ok "a width that gives too many" eval 'exits 2 "$HOTSET" drift $how --window-width 1 --sampler temporal && grep -q "too many windows; expected 2 to 1000" .stderr'
ok "both" eval 'exits 2 "$HOTSET" drift $how --window-width 3000 --windows 4 && grep -q "leave --windows out" .stderr'
ok "a width without times" eval 'exits 2 "$HOTSET" drift ${how/--graph G/--graph C} --window-width 5 && grep -q "has no times" .stderr'
# caches go on from window to window: one that has room for all rows misses those alone that no window had before
all=${how/--graph G/--graph C}
"$HOTSET" drift ${all/dgx-v100:2 --budget 3%/dgx-v100:1 --budget 120%} --windows 3 --window-share 1 --json >same.json
ok "LRU keeps its rows between windows" python3 - <<'END'
import json
s = {x["scheme"]: x["windows"] for x in json.load(open("same.json"))["schemes"]}
assert s["fixed"][0]["feature_hit_rate"] == 1 and all(0.99 < w["feature_hit_rate"] <= 1 for k in ("lru", "sieve") for w in s[k]), s["lru"]
END
# several types: windows turn around the training vertices of each; no dynamic caches, whose rows are of one table
"$HOTSET" graph synth like ogbn-mag --scale 0.004 -o mag --quiet >/dev/null
"$HOTSET" drift --graph mag --server dgx-v100:2 --budget 30% --fanout 5,3 --batch 50 --presample-epochs 2 --simulate-epochs 2 --windows 4 --move-budget 64KiB --json --quiet >types.json
ok "several types" python3 - <<'END'
import json
d = json.load(open("types.json"))
s = {x["scheme"]: x for x in d["schemes"]}
assert list(s) == ["fixed", "refresh", "auto", "replan", "oracle"] and d["windows_by"] == "id"
assert s["oracle"]["total_transactions"] < s["replan"]["total_transactions"] < s["fixed"]["total_transactions"]
assert 0 < s["refresh"]["bytes_loaded"] <= 2 * 2 * 65536 < s["replan"]["bytes_loaded"]  # two windows, two cliques at most
END
# options that change what GPUs hold or read change every static scheme in the direction that they must; others are refused
of_ids=${how/--graph G/--graph C}
"$HOTSET" drift $of_ids --windows 3 --window-share 0.2 --peer-access own --json >own.json
"$HOTSET" drift $of_ids --windows 3 --window-share 0.2 --cache-type f16 --json >f16.json
ok "GPUs that read no other GPU hit less, rounded rows more" python3 - <<'END'
import json
hits = lambda f: {s["scheme"]: s["feature_hit_rate"] for s in json.load(open(f))["schemes"]}
own, direct, f16 = hits("own.json"), hits("E.json"), hits("f16.json")
for s in ("fixed", "refresh", "replan", "oracle"): assert own[s] < direct[s] < f16[s], (s, own[s], direct[s], f16[s])
END
for o in "--parts X" "--partition hash" "--from-lists X"; do
    ok "$o is refused with its reason" eval 'exits 2 "$HOTSET" drift $of_ids $o && grep -Eq "every window|window to window|in every window" .stderr'
done
# parts are cut anew for every window, but go where the plan of window 0 left its rows: GPUs that read no other GPU hit more with them than
# where vertices are dealt at random
"$HOTSET" graph synth community --vertices 4000 --edges 40000 --communities 8 --mixing 0.02 --train-share 0.5 --quiet -o E8 >/dev/null
of_parts=${how/--graph G --server dgx-v100:2/--graph E8 --server dgx-v100:4}
for deal in gpu global; do "$HOTSET" drift $of_parts --windows 4 --window-share 0.7 --peer-access own --assignment $deal --json >deal-$deal.json 2>said-$deal; done
ok "a part per GPU in every window, each near its rows" python3 - <<'END'
import json
of = {deal: json.load(open(f"deal-{deal}.json")) for deal in ("gpu", "global")}
hits = {deal: {s["scheme"]: [w["feature_hit_rate"] for w in s["windows"]] for s in d["schemes"]} for deal, d in of.items()}
assert of["gpu"]["deal"] == "gpu" and of["global"]["deal"] == "global"
for s in ("fixed", "oracle"):
    assert sum(hits["gpu"][s]) > 1.2 * sum(hits["global"][s]), (s, hits["gpu"][s], hits["global"][s])
END
printf '0 1 5\n1 2 5\n2 0 6\n' >few.txt && "$HOTSET" graph import few.txt --times --train-share 1 --quiet -o F >/dev/null
ok "more windows than times" eval '! "$HOTSET" drift ${how/--graph G/--graph F} --windows 3 >/dev/null 2>why && grep -q "window 1 would be empty; take fewer than 3" why'
ok "--window-share of a graph with times" eval '! "$HOTSET" drift $how --window-share 0.5 >/dev/null 2>why && grep -q "belongs to graphs without times" why'
plan="--server dgx-v100:2 --fanout 5,3 --batch 50 --quiet"
"$HOTSET" plan --graph C $plan --budget 3% --simulate-epochs 0 -o P >/dev/null
"$HOTSET" graph relabel C --by degree-in --quiet -o C2 >/dev/null
"$HOTSET" trace record --graph C $plan --plan P --seed 9 --epochs 2 -o T >/dev/null 2>&1
loaded() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["refresh"]["bytes_to_load"])' "$1"; }
"$HOTSET" refresh P --trace T --pay-within 1000 --simulate-epochs 0 --quiet -o A >/dev/null
"$HOTSET" refresh P --trace T --pay-within 1000 --move-budget 2KiB --simulate-epochs 0 --quiet -o B >/dev/null
ok "a move budget is kept: $(loaded A/plan.json) bytes without it, $(loaded B/plan.json) with 2 KiB a clique" eval '[ "$(loaded B/plan.json)" -le 4096 ] && [ "$(loaded B/plan.json)" -lt "$(loaded A/plan.json)" ]'
ok "--auto says what it decided" eval '"$HOTSET" refresh P --trace T --pay-within 10 --auto --simulate-epochs 0 -o K 2>said >/dev/null && grep -Eq "rows are exchanged|all rows are kept|plan written" said'
ok "and keeps what one epoch does not pay" eval '"$HOTSET" refresh P --trace T --pay-within 0 --auto --simulate-epochs 0 --quiet -o Z >/dev/null && [ "$(loaded Z/plan.json)" = 0 ]'
if [ -f "${DRIFT_GRAPH:-}" ]; then
    "$HOTSET" graph import "$DRIFT_GRAPH" --times --undirected --renumber --train-share 1 --quiet -o M >/dev/null
    ok "a real graph" eval '"$HOTSET" drift --graph M --server dgx-v100:2 --sampler temporal --budget 5% --windows 20 --quiet'
else
    skip "a real graph" "DRIFT_GRAPH names no file: lines of source, target, time, such as sx-mathoverflow-c2a of SNAP"
fi
finish
