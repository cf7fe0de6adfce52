#!/usr/bin/env bash
# hotset size decides: what fits, how long it takes and how sure that is, what it costs and draws; refusals; units.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "size" "python3 is not installed"; finish; }
export HOTSET
"$HOTSET" graph synth community --vertices 4000 --edges 40000 --seed 3 -o G --quiet >/dev/null
common="--graph G --batch 100 --presample-epochs 1 --simulate-epochs 1 --quiet"

# ---- what can be bought, and how sure it is
"$HOTSET" size $common --server p3.8xlarge,dgx-v100,siton --nodes 1,2 --nic-gbps 12.5 --training-epochs 100 --within 1h --assignment global --steps 3 -o buy.json >buy.txt
cat >buy.py <<'P'
import json, math, subprocess, os
d = json.load(open("buy.json"))
o, c = d["options"], d["curves"]
assert [(x["servers"], c[x["curve"]]["server"]) for x in o] == [(n, s) for s in ("p3.8xlarge", "dgx-v100", "siton") for n in (1, 2)]
for x in o:
    low, high = x["epoch_seconds_interval"]
    assert low < x["epoch_seconds"] < high < 10 * low and abs(x["training_seconds"] - 100 * x["epoch_seconds"]) < 1e-6 * x["training_seconds"]
    assert x["verdict"] == ("surely" if 100 * high <= 3600 else "probably" if 100 * x["epoch_seconds"] <= 3600 else "not"), x
    price = c[x["curve"]]["price_per_hour"]
    assert (x["cost"] is None) == (price is None) and (price is None or abs(x["cost"] - x["servers"] * price * x["training_seconds"] / 3600) < 1e-6 * x["cost"])
    lo, hi = x["energy_kwh_interval"]
    assert 0 < lo < x["energy_kwh"] < hi and x["binds"] and x["host_needs_bytes"] == sum(c[x["curve"]]["host_%s_bytes" % k] for k in ("topology", "feature", "loader"))
assert o[1]["epoch_seconds"] > o[0]["epoch_seconds"] / 2          # gradients cross the network
best = d["decision"]
assert best["objective"] == "money" and o[best["option"]]["cost"] <= 1.01 * min(x["cost"] for x in o if x["cost"] is not None and x["verdict"] == "surely")
key = {"money": "cost", "time": "epoch_seconds", "energy": "energy_kwh"}
for k, i in best["best"].items(): assert o[i][key[k]] <= 1.01 * min(x[key[k]] for x in o if x[key[k]] is not None), k
def beats(a, b): return all((a[k] is None) == (b[k] is None) and (a[k] is None or a[k] <= b[k]) for k in key.values()) and any(a[k] is not None and a[k] < b[k] for k in key.values())
for i, x in enumerate(o): assert (i in best["front"]) == x["front"] == (not any(beats(y, x) for y in o)), x["label"]
assert "as of 2024" in c[0]["price_text"] and c[0]["currency"] == "$" and "data sheet" in c[0]["watts"]["source"] and 2 <= len(best["reasons"]) <= 3
command = o[best["best"]["time"]]["command"] if o[best["best"]["time"]]["servers"] == 1 else o[2]["command"]
run = command.replace("hotset", os.environ["HOTSET"], 1).split() + ["--presample-epochs", "1", "--simulate-epochs", "1", "--quiet"]
subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
assert json.load(open("P/plan.json"))["gpus"][0]["budget_bytes"] == int(command.split("--budget ")[1].split("B")[0])
P
rm -rf P
ok "options: fits, intervals, money, energy, verdicts, the front, and a command that runs" python3 buy.py
ok "a line is the answer" eval 'grep -qE "^[a-z0-9.: x-]+: [0-9.]+ (ms|s|min), [$][0-9.e-]+, surely$" buy.txt'
ok "without a price nothing is ranked by money" eval '"$HOTSET" size $common --server dgx-v100,siton --target "epoch-time<=1h" --assignment global --steps 1 --json | python3 -c "
import json, sys; d = json.load(sys.stdin)[\"decision\"]; assert d[\"objective\"] == \"time\" and d[\"best\"][\"money\"] is None and \"no price\" in d[\"line\"]"'
cat >loose.py <<'P'
import json, subprocess, os, sys
def ask(code, *words):
    r = subprocess.run([os.environ["HOTSET"], "size", *sys.argv[1].split(), "--assignment", "global", "--nodes", "1", "--steps", "6", "--target", "epoch-time<=1h", "--force", "-o", "loose.json", *words], capture_output=True, text=True)
    assert r.returncode == code, (r.returncode, r.stderr)
    return json.load(open("loose.json")), r.stdout
d, text = ask(0, "--server", "dgx-v100,siton,p3.8xlarge,p3.16xlarge")
o, of = d["options"], [[p for p in d["candidates"] if p["curve"] == i] for i in range(4)]
for i, x in enumerate(o):
    points = of[i]
    assert points[0]["budget_bytes"] == 0 and points[0]["meets"] and d["curves"][i]["answer_budget_bytes"] == 0 and x["verdict"] == "surely"  # with nothing cached
    least = min(p["epoch_seconds"] for p in points)             # and yet it gets the smallest cache within 1 % of the shortest epoch
    assert x["budget_bytes"] == next(p["budget_bytes"] for p in points if p["epoch_seconds"] <= 1.01 * least), (x["budget_bytes"], points)
    row = next(l for l in text.splitlines() if l.startswith("1 x " + x["label"]))
    assert ("no price" in row) == (x["cost"] is None) == (x["label"] in ("dgx-v100", "siton")) and " us (" in row
assert any(x["budget_bytes"] > 0 for x in o)
best = d["decision"]
priced = [i for i, x in enumerate(o) if x["cost"] is not None]
assert best["objective"] == "money" and best["option"] == min(priced, key=lambda i: o[i]["cost"]) == best["best"]["money"] and best["runner_up"] in priced
assert o[best["best"]["time"]]["epoch_seconds"] <= 1.01 * min(x["epoch_seconds"] for x in o) and o[best["best"]["time"]]["cost"] is None  # the fastest has no price
d, text = ask(3, "--server", "dgx-v100,siton", "--best", "money")
assert d["decision"]["option"] is None and d["decision"]["runner_up"] is None and d["decision"]["best"]["money"] is None
assert "\n\nNo price is known, so nothing is ranked by money" in text and "No combination meets" not in text
d, text = ask(0, "--server", "dgx-v100,siton")
assert d["decision"]["objective"] == "time" and "no price" in d["decision"]["line"]
P
ok "a loose target: all meet it with nothing cached, what has no price is not ranked by money" python3 loose.py "$common"
echo '{"schema": "prices/1", "currency": "EUR", "prices": [{"server": "siton", "date": "2026-01", "on_demand": 7, "reserved_1y": 5}]}' >prices.json
# Two servers that differ in their price alone: whatever is asked for, the cheaper one is best, also behind the other.
cat >alike.py <<'P'
import json, subprocess, sys
d = json.load(open("dear.json"))
d["name"], d["price_per_hour"] = "dear", 30
json.dump(d, open("dear.json", "w"))
d["name"], d["price_per_hour"] = "cheap", 20
json.dump(d, open("cheap.json", "w"))
for order in ("dear.json,cheap.json", "cheap.json,dear.json"):
    r = json.loads(subprocess.run([sys.argv[1], "size", *sys.argv[2].split(), "--server", order, "--assignment", "global", "--steps", "1", "--json"], check=True, capture_output=True).stdout)
    best = r["decision"]["best"]
    assert {r["curves"][r["options"][i]["curve"]]["server"].split(".")[0] for i in best.values()} == {"cheap"}, (order, best)
P
"$HOTSET" server import p3.16xlarge -o dear.json --quiet >/dev/null 2>&1
ok "what is alike in one thing is told apart by the others" python3 alike.py "$HOTSET" "$common"
ok "prices of your own, and terms" eval '"$HOTSET" size $common --server siton --prices prices.json --term 1y --assignment global --steps 1 --json | python3 -c "
import json, sys; c = json.load(sys.stdin)[\"curves\"][0]; assert c[\"price_per_hour\"] == 5 and c[\"currency\"] == \"EUR\" and \"reserved\" in c[\"price_text\"]"'
# the newest shipped price is of 2026-11: what is of 2025-11 is a year old, of 2025-10 more
cat >old.py <<'P'
import json, os, subprocess, sys
def ask(date, *words):
    json.dump({"schema": "prices/1", "currency": "USD", "prices": [{"server": "siton", "date": date, "on_demand": 1}]}, open("old-prices.json", "w"))
    subprocess.run([os.environ["HOTSET"], "size", *sys.argv[1].split(), "--prices", "old-prices.json", "--assignment", "global", "--steps", "1", "--nodes", "1", "--force", "-o", "old.json", *words], stdout=subprocess.DEVNULL)
    d = json.load(open("old.json"))
    return {c["server"]: c["price_doubt"] for c in d["curves"]}, [n for n in d["decision"]["notes"] if n.startswith("the choice rests on prices: ")]
doubt, notes = ask("2025-11", "--server", "siton,p5en.48xlarge")
assert doubt == {"siton": None, "p5en.48xlarge": None} and not notes, (doubt, notes)
assert json.load(open("old.json"))["curves"][1]["price_per_hour"] == 63.296
doubt, notes = ask("2025-10", "--server", "siton,p3.8xlarge")
assert doubt["siton"] == "of 2025-10, over a year older than the newest price" and doubt["p3.8xlarge"].endswith(", unconfirmed"), doubt
assert len(notes) == 1 and "that of siton is of 2025-10, over" in notes[0] and "that of p3.8xlarge is of 2024-01, over" in notes[0], notes
assert not ask("2025-10", "--server", "siton,p3.8xlarge", "--best", "time")[1]  # they do not decide
P
ok "a price that is old or unconfirmed is marked where it decides" python3 old.py "$common"
echo '{"schema": "prices/1", "currency": "EUR", "prices": [{"server": "siton", "date": "2026-01", "on_demand": -7}]}' >bad.json
ok "a bad price is bad input" exits 3 "$HOTSET" size $common --server siton --prices bad.json
ok "which entry" grep -q 'bad.json: key "prices\[0\].on_demand" is -7, expected 0 to 1e+06' .stderr
cat >mine.json <<'J'
{"schema": "validation-case/1", "name": "mine", "title": "t", "source": "s", "hardware": "h", "quantity": "epoch", "unit": "s", "tolerance": 1, "model": "given",
 "points": [{"name": "a", "measured": 3, "inputs": {"predicted": 2}}, {"name": "b", "measured": 6.1, "inputs": {"predicted": 4}}, {"name": "c", "measured": 4.4, "inputs": {"predicted": 3}}]}
J
"$HOTSET" size $common --server p3.8xlarge,siton --case mine.json --assignment global --steps 3 -o own.json --quiet >own.txt
ok "a case of one's own corrects, and narrows; before and after are there" python3 -c "
import json; d = json.load(open('own.json')); b = json.load(open('buy.json'))
for x, y in zip(d['options'], [b['options'][0], b['options'][4]]):
    (l, h), (bl, bh) = x['epoch_seconds_interval'], x['epoch_seconds_without_cases_interval']
    assert abs(x['epoch_seconds'] / x['epoch_seconds_without_cases'] - 1.5) < 1e-6 and h / l < bh / bl and d['intervals']['epoch']['own'] and 'mine' in d['intervals']['epoch']['cases']
    assert abs(x['epoch_seconds_without_cases'] / y['epoch_seconds'] - 1) < 1e-6"
ok "a case that is none is bad input" exits 3 "$HOTSET" size $common --server siton --case G/graph.json

# ---- what does not hold the graph is refused, with what would; units
"$HOTSET" size $common --server siton --host-memory 22MiB --assignment global --steps 1 --target 'epoch-time<=1h' >refused 2>.stderr
ok "host memory counts" [ $? = 1 ]
unbroken refused >refused.txt
ok "refused by name, with what would make it fit" grep -qE 'siton: refused, host memory: .* are missing, .* needed, 22.00 MiB there; what would make it fit: ' refused.txt
ok "rows of many servers, or SSDs, make it fit" eval '"$HOTSET" size $common --server siton --host-memory 21497308216B --nodes 1,2 --nic-gbps 10 --assignment global --steps 1 --json >split.json; "$HOTSET" size $common --server siton --host-memory 21497308216B --ssd 1xgen4 --nodes 1 --assignment global --steps 1 --json >ssd.json; python3 -c "
import json; a = json.load(open(\"split.json\"))[\"options\"]; b = json.load(open(\"ssd.json\"))[\"options\"]
assert not a[0][\"fits\"] and \"--nodes\" in a[0][\"remedy\"] and \"--ssd\" in a[0][\"remedy\"] and a[1][\"rows_below\"] == \"split\" and b[0][\"rows_below\"] == \"ssd\", (a, b)
assert \"rows of f16\" in a[0][\"remedy\"] and a[0][\"host_needs_bytes\"] == 21497908216"'
# by hand: 4000 rows of 128 f32 and 39,870 neighbours of 4 bytes are 2,207,480 bytes; a gen4 drive writes 5.1 GB/s, three of them fill in
# 144.28 us, once, before any epoch
"$HOTSET" size $common --server siton --host-memory 21497308216B --ssd 3xgen4 --nodes 1 --assignment global --steps 1 --training-epochs 7 --price 3600 --best money -o fill.json >/dev/null
"$HOTSET" size $common --server siton --host-memory 32GiB --nodes 1 --assignment global --steps 1 --training-epochs 7 -o left.json --explain | unbroken >left.txt
cat >fill.py <<'P'
import json, re, subprocess, os
one = lambda f: json.load(open(f))["options"][0]
a, b = one("fill.json"), one("left.json")
assert a["rows_below"] == "ssd" and abs(a["ssd_fill_seconds"] - 2207480 / (3 * 5.1e9)) < 1e-12 and a["host_left_bytes"] == 0
assert abs(a["training_seconds"] - 7 * a["epoch_seconds"] - a["ssd_fill_seconds"]) < 1e-8 * a["training_seconds"]
# a unit of money per second; of energy, GPUs idle, host and three drives busy meanwhile
near = lambda x, y: abs(x - y) < 1e-6 * abs(y)
assert near(a["ssd_fill_cost"], a["ssd_fill_seconds"]) and near(a["cost"], a["training_seconds"]), a
w = json.load(open("fill.json"))["curves"][0]["watts"]
assert near(a["ssd_fill_kwh"], a["ssd_fill_seconds"] * (w["gpus_idle"] + w["host_busy"] + 3 * 16.6) / 3.6e6), (a, w)
watts = (a["energy_kwh"] - a["ssd_fill_kwh"]) * 3.6e6 / (7 * a["epoch_seconds"])
assert near(watts, w["gpus_busy"] + w["host_busy"] + 3 * 16.6), (watts, w)  # GPUs compute all the time
t = json.loads(subprocess.run([os.environ["HOTSET"], "what-if", "fill.json", "--json"], capture_output=True, text=True).stdout)
assert t, t
assert b["ssd_fill_seconds"] == b["ssd_fill_kwh"] == 0 and b["host_left_bytes"] == (32 << 30) - b["host_needs_bytes"] == 34359738368 - 21497908216
assert abs(b["training_seconds"] - 7 * b["epoch_seconds"]) < 1e-8 * b["training_seconds"] and "left to the page cache" in open("left.txt").read()
# 300,000 bytes are left for rows: half of them (f16) do not fit, 512,000 in one byte neither; ceil(2048000 / 300000) = 7 servers hold them
text = json.loads(open("few.json").read())["options"][0]["remedy"]
assert re.match(r"7 servers \(--nodes\), or SSDs of 2.11 MiB, as --ssd 1xgen4, or 20.02 GiB of host memory$", text), text
P
"$HOTSET" size $common --server siton --host-memory 21496160216B --nodes 1 --assignment global --steps 1 --target 'epoch-time<=1h' -o few.json >/dev/null 2>&1
ok "SSDs are filled once, the page cache has what is left, and what would make it fit is computed" python3 fill.py
echo '{"schema": "server/1", "name": "small", "gpus": [{"id": 0, "memory_bytes": 4000000000}], "nvlinks": [], "host_memory_bytes": 1099511627776}' >small.json
cat >batch.py <<'P'
import json, re, subprocess, os, sys
def ask(batch, job):
    words = [os.environ["HOTSET"], "size", *sys.argv[1].split(), "--server", "small.json", "--assignment", "global", "--steps", "1", "--hidden", "4096", "--second-job", job, "--batch", str(batch), "--force", "-o", "b.json"]
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    d = json.load(open("b.json")); return d["options"][0], d["curves"][0]
_, c = ask(200, "0B")
job = 4000000000 - c["reservation"]["total_bytes"] - 1  # leaves a byte with mini-batches of 200
o, c = ask(1600, f"{job}B")
n = int(re.match(r"mini-batches of (\d+) \(--batch\), or GPUs with ", o["remedy"]).group(1))
assert not o["fits"] and n == 200 and c["missing_bytes"] > 0, o["remedy"]
assert ask(n, f"{job}B")[0]["fits"] and not ask(2 * n, f"{job}B")[0]["fits"], n
o, c = ask(1600, "4000000000B")
assert not o["fits"] and o["remedy"].startswith("GPUs with "), o["remedy"]
P
ok "where a GPU has no room, the mini-batch that fits is named" python3 batch.py "${common/--batch 100 /}"
for bad in '--within 24' '--within -1h' '--host-memory 64' '--most 5' '--second-job 64' '--price 5%%' '--power -1' '--target cost<=5%' '--target energy<=5' '--scale 2' '--nodes 0' '--nodes 65'; do
    ok "$bad is wrong usage" exits 2 "$HOTSET" size $common --server siton $bad
done
ok "--host-memory 64 says how" eval '! "$HOTSET" size $common --server siton --host-memory 64 2>said; grep -q "64GiB\|64 bytes\|unit" said'
ok "64g is a size" eval '"$HOTSET" size $common --server siton --host-memory 64g --steps 1 --assignment global --quiet >/dev/null 2>said || grep -q "64GiB\|GiB" said'

# ---- of many options, people read those that matter: of every configuration the best number of servers, and what no other one beats
"$HOTSET" size $common --server p3.16xlarge,p4d.24xlarge,p5.48xlarge --gpus 1,2,4,8 --nodes 1,2,4 --within 1h --assignment global --steps 1 -o many.json >many.txt
"$HOTSET" report many.json -o page-many --quiet >/dev/null
cat >many.py <<'P'
import json, re
d = json.load(open("many.json"))
o, best = d["options"], d["decision"]
assert len(o) == 36 and best["objective"] == "money"
want = set(best["front"]) | set(best["best"].values()) | {best["option"], best["runner_up"]}
for curve in {x["curve"] for x in o}:
    of = [i for i, x in enumerate(o) if x["curve"] == curve and x["fits"] and x["verdict"] == "surely" and x["cost"] is not None]
    least = min((o[i]["cost"] for i in of), default=None)
    want.add(next((i for i in of if o[i]["cost"] <= 1.01 * least), min(i for i, x in enumerate(o) if x["curve"] == curve)))
assert {i for i, x in enumerate(o) if x["listed"]} == want and len(want) < 30, (want, [x["listed"] for x in o])
rows, text = ["%d x %s" % (o[i]["servers"], o[i]["label"]) for i in sorted(want)], open("many.txt").read()
said = "%d more options, with other numbers of the same servers" % (36 - len(want))
table = text.split("what can be bought")[1].split(said)[0]
assert re.findall(r"^(\d x [a-z0-9.]+:\d)", table, re.M) == rows, (table, rows)
page = open("page-many/index.html").read()
assert said in page and re.findall(r'<th scope="row">(\d x [a-z0-9.]+:\d)(?: \*)?</th>', page) == rows
P
ok "of 36 options, those that matter are listed, and it says how many are not" python3 many.py

# ---- two epochs that compute binds: nobody measured how fast a B200 multiplies, so its interval is wider than an H100's by what such GPUs are off
"$HOTSET" size $common --server dgx-h100,dgx-b200 --nodes 1 --assignment global --steps 1 -o products.json >/dev/null
cat >products.py <<'P'
import json, math
d = json.load(open("products.json"))
off = {k: math.log(v["factor"]) for k, v in d["intervals"].items()}
assert off["products"] > 0.3
sides = {d["curves"][o["curve"]]["server"]: math.log(o["epoch_seconds_interval"][1] / o["epoch_seconds"]) for o in d["options"]}
near = lambda x, y: abs(x / y - 1) < 0.02
assert near(sides["dgx-h100"], math.hypot(off["propagate"], off["epoch"])), (sides, off)
assert near(sides["dgx-b200"], math.hypot(off["propagate"], off["products"], off["epoch"])), (sides, off)
P
ok "a GPU whose products nobody measured has the wider interval" python3 products.py

# ---- the energy of Micron's published run, from the program's own watts, is what planner/BENCH.md says
cat >micron.py <<'P'
import json, re, sys
p = json.load(open(sys.argv[1] + "/planner/decisions/data/power.json"))
gpu, host, drive = next(g for g in p["gpus"] if g["model"] == "H100 SXM5"), p["other_hosts"], p["drive"]["busy"]
assert drive == 16.6
def saved(t, gib):
    compute = 1 - (1 - t) / (1 - 1 / 1.6)
    always = gpu["idle"] + (2 * host["per_socket"]["busy"] + gib * host["per_gib"]["busy"]) * (1 + host["share"])
    slow = always + (gpu["busy"] - gpu["idle"]) * compute + drive * t / 0.57
    return 100 * (1 - (always * t + (gpu["busy"] - gpu["idle"]) * compute + drive * t) / slow)
rows = re.findall(r"\| (0\.\d+) \| 0\.\d+ \| [0-9.]+ W \| (\d+) to (\d+) % less \| 29 % less \|", open(sys.argv[1] + "/planner/BENCH.md").read())
assert len(rows) == 2
for t, low, high in rows:
    t = 1 / 1.33 if t == "0.752" else float(t)
    assert [round(saved(t, 0)), round(saved(t, 1536))] == [int(low), int(high)], (t, saved(t, 0), saved(t, 1536))
assert abs(saved(0.67, 768) - 29) < 3
P
ok "the energy of a published run" python3 micron.py "$root"

finish
