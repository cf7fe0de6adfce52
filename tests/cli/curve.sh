#!/usr/bin/env bash
# hotset curve of several types against one simulation per size in another program; knees and what their memory costs; one stream against
# libCacheSim where it is installed.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "hotset curve" "python3 is not installed"; finish; }

"$HOTSET" graph synth like ogbn-mag --scale 0.004 --feature-dim 16 -o M --quiet >/dev/null
"$HOTSET" plan --graph M --server p3.8xlarge --fanout "cites=5,3;writes=4,2;rev_has_topic=2,2;*=1,1" --batch 50 --budget 9% --simulate-epochs 0 -o P --quiet >/dev/null
"$HOTSET" simulate P --export-batches B --epochs 1 --quiet
curve() { "$HOTSET" curve P --epochs 1 --points 50 --orders plan,optimum,lru,fifo,presample --cache-share gpu --quiet "$@"; }
curve -o c.json >table
again() { python3 "$root/tests/cli/curve.py" P B "$1" 2>&1; }
again c.json | none "every type on every GPU and all GPUs together, 50 sizes: as one simulation per size counts"
ok "a changed number is noticed" eval 'python3 - <<"CHANGE" && again wrong.json | grep -q "lru, 30 of 50: .*, counted"
import json
d = json.load(open("c.json"))
lru = [l for l in d["parts"][5]["lines"] if l["name"] == "lru"][0]["hit_rate"]
lru[30] += 1e-4
json.dump(d, open("wrong.json", "w"))
CHANGE'
ok "the same on any number of threads" eval 'curve --threads 3 -o c3.json >/dev/null && cmp c.json c3.json'

# enough rows that few sizes are simulated: 10 to 20 of them, of a vertex of every size; the others are marked, in the table, too
python3 - <<'FILE'
import random, struct
random.seed(1)
with open("many.oracleGeneral.bin", "wb") as f:
    for t in range(300000): f.write(struct.pack("<IQIq", t, t if t < 60000 else int(60000 * random.random() ** 3), 1, -1))
FILE
"$HOTSET" curve --requests many.oracleGeneral.bin --points 100 --orders lru,fifo --quiet -o many.json >many
ok "sizes between simulated ones are marked" python3 - <<'CHECK'
import json
lines = {l["name"]: l for l in json.load(open("many.json"))["parts"][0]["lines"]}
fifo = lines["fifo"]["simulated"]
assert "simulated" not in lines["lru"] and {0, 1, 100} <= set(fifo) and 10 <= len(fifo) - 2 <= 20, fifo
row = [l.split("  ") for l in open("many") if l.startswith("fifo")][0]
cells = [c.strip() for c in row if "%" in c][:7]
assert [c[0] == "~" for c in cells] == [i not in fifo for i in (1, 2, 5, 10, 20, 50, 100)], (cells, fifo)
assert "~: not simulated" in open("many").read() and "~" not in [l for l in open("many") if l.startswith("lru")][0]
CHECK

# the page: a row per line of what is drawn, with the range of the single caches; its sentence is of what can be built
"$HOTSET" report c.json -o page --quiet >/dev/null
cat >page.py <<'CHECK'
import html.parser, json, re
class Rows(html.parser.HTMLParser):
    rows, cell = [], None
    def handle_starttag(self, tag, _):
        if tag == "tr": self.rows.append([])
        if tag in ("td", "th"): self.cell = ""
    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None: self.rows[-1].append(self.cell.strip()); self.cell = None
    def handle_data(self, text):
        if self.cell is not None: self.cell += text
    handle_entityref = handle_charref = lambda self, _: None
d, page = json.load(open("c.json")), open("page/index.html").read().replace("\u00a0", " ")
shown = Rows(); shown.feed(page[page.index("Where each line turns"):])
want = []
for i, part in enumerate(d["parts"]):
    for l in part["lines"] if not i or part["unit"] == "all" else []:
        if not l.get("knee"): continue
        single = [x["knee"]["bytes"] for p in d["parts"][1:] if p["unit"] != "all" and p["table"] == part["table"] for x in p["lines"] if x["name"] == l["name"] and x.get("knee")]
        want.append((l["name"], part["table"], l["knee"]["bytes"], min(single), max(single)))
got = [r for r in shown.rows if len(r) == 6 and r[0] != "order or rule"]
bytes_of = lambda text: float(text.split()[0]) * {"B": 1, "KiB": 1024, "MiB": 2**20}[text.split()[1]]
near = lambda text, n: abs(bytes_of(text) - n) <= 0.05 * n + 0.5
assert len(got) == len(want) > 4, (len(got), len(want))
for r, (name, table, at, least, most) in zip(got, want):
    low, high = r[5].split(" to ")
    assert r[:2] == [name, table] and near(r[2], at) and near(low, least) and near(high, most), (r, name, table, at, least, most)
best = max((l for l in d["parts"][0]["lines"] if l.get("knee") and l["name"] not in ("optimum", "belady")), key=lambda l: l["knee"]["hit_rate"])
assert re.search(r"%s turns at .*%.1f %% of the reads; beyond" % (best["name"], 100 * best["knee"]["hit_rate"]), re.sub("<[^>]*>", "", page)), best
CHECK
python3 page.py 2>&1 | none "the page: a row per line, single caches as a range; the sentence is of an order that can be built"

# the price of memory: of the list, by the memory that the server's GPUs have
cat >price.py <<'CHECK'
import json, sys
d, server = json.load(open("c.json")), json.load(open("server.json"))
price = [p["on_demand"] for p in json.load(open(sys.argv[1]))["prices"] if p["server"] == "p3.8xlarge"][0]
gib = sum(g["memory_bytes"] for g in server["gpus"]) / 2**30
assert d["price"]["per_hour"] == price and abs(d["price"]["per_gib_hour"] - price / gib) < 1e-9 and price > 0, d["price"]
papers = [p for p in d["parts"] if p["unit"] == "all" and p["table"] == "paper"][0]
lru = [l for l in papers["lines"] if l["name"] == "lru"][0]
cost = lru["knee"]["bytes"] / 2**30 * price / gib * papers["caches"]
cells = [l.split() for l in open("table").read().split("paper: ")[1].split("\n\n")[0].splitlines() if l.startswith("lru")][0]
assert abs(float(cells[-1]) - cost) < 0.01 * cost, (cells, cost)
assert f"at ${price / gib:.3f} per GiB and hour" in open("table").read()
CHECK
ok "GPU memory has the list's price per GiB, and a knee that of its bytes in every cache" \
    eval '"$HOTSET" server show p3.8xlarge --json >server.json && python3 price.py "$root/planner/decisions/data/prices.json"'
ok "a server without a price has none" eval 'curve --server dgx-v100 --json | tr -d " \n" | grep -q "\"price\":null"'

# one GPU's requests in another program
"$HOTSET" graph synth community --vertices 6000 --edges 60000 --train-share 0.3 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100:1 --fanout 5,3 --batch 100 --budget 5% --simulate-epochs 0 -o Q --quiet >/dev/null
"$HOTSET" simulate Q --epochs 2 --export-requests r.oracleGeneral.bin --quiet >/dev/null
other=${HOTSET_PYTHON:-python3}
if ! "$other" -c 'import libcachesim' 2>/dev/null; then skip "libCacheSim" "$other has no libcachesim (HOTSET_PYTHON names another Python)"; else
    "$HOTSET" curve --requests r.oracleGeneral.bin --points 20 --quiet -o r.json >/dev/null
    ok "libCacheSim's misses at 10 sizes, under five rules" "$other" "$root/tests/cli/curve_libcachesim.py" r.oracleGeneral.bin r.json
fi
finish
