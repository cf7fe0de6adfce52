#!/usr/bin/env bash
# hotset size --buy: an hour of a server that is bought costs its price over the hours of its years and the electricity of the busy server; renting stands
# beside it, and the share of the hours from which owning is cheaper. Prices come from the option, the list, the server's file; an old or unconfirmed one
# is marked where it decides.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "size --buy" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 3000 --edges 15000 --seed 3 -o G --quiet >/dev/null
ask="$HOTSET size --graph G --batch 800 --assignment global --objective transactions --sampling gpu --presample-epochs 1 --simulate-epochs 1 --steps 1 --nodes 1 --quiet"
"$HOTSET" server show dgx-v100:2 --json >file.json
python3 - <<'P2'
import json
d = json.load(open("file.json"))
json.dump({**d, "name": "mine", "purchase_price": 40000}, open("mine.json", "w"))
json.dump({"schema": "prices/1", "currency": "USD", "prices": [
    {"server": "dgx-v100", "region": "here", "date": "2020-01", "source": "a quote", "purchase": 90000, "on_demand": None},
    {"server": "p3.16xlarge", "region": "here", "date": "2026-11", "source": "a page", "on_demand": 24}]}, open("own.json", "w"))
P2
both="$ask --server dgx-v100:2,p3.16xlarge:2"
$both --training-epochs 5 --prices own.json --buy dgx-v100=87600,p3.16xlarge=100000 --years 4 --electricity 0.25 --power 2000 --explain -o bought.json >bought.txt
$both --prices own.json -o rented.json >/dev/null
$both --prices own.json --buy list --power 2000 -o listed.json >listed.txt
$ask --server mine.json --buy list --power 2000 -o mine_answer.json >/dev/null
cat >check.py <<'P2'
import json, sys
def load(f): return json.load(open(f))
def near(a, b): assert abs(a - b) <= 1e-6 * abs(b), (a, b)
def of(f): return {c["server"].split(":")[0]: c for c in load(f)["curves"]}
def hours():
    d, c = load("bought.json"), of("bought.json")
    v, p = c["dgx-v100"]["owned"], c["p3.16xlarge"]["owned"]
    near(v["electricity_per_hour"], 2 * 0.25)
    near(v["per_hour"], 87600 / (4 * 8760) + 0.5)  # 2.5 and a half
    near(c["dgx-v100"]["price_per_hour"], 3)
    assert v["rent_per_hour"] is None and v["cheaper_from_share"] is None
    near(p["rent_per_hour"], 24)
    near(p["cheaper_from_share"], 100000 / 35040 / 23.5)  # of a used hour renting costs 24 and owning its electricity, beside the price
    for o in d["options"]:
        near(o["cost"], o["training_seconds"] / 3600 * d["curves"][o["curve"]]["price_per_hour"])
    notes = "\n".join(d["decision"]["notes"])
    assert "an hour of dgx-v100:2, bought, costs 3, 0.5 of it electricity; no price of renting it is known" in notes.replace("$", ""), notes
    assert "rented $24: owning is cheaper where it trains more than 12 % of the time" in notes, notes
    assert c["dgx-v100"]["price_source"] == "--buy" and "bought for" in open("bought.txt").read()
    assert all(x["owned"] is None for x in of("rented.json").values())
def listed():  # what has no purchase price is rented, and an old price is marked where it decides
    c = of("listed.json")
    near(c["dgx-v100"]["price_per_hour"], 90000 / (3 * 8760))
    near(c["p3.16xlarge"]["price_per_hour"], 24)
    assert c["p3.16xlarge"]["owned"] is None and "over a year older" in c["dgx-v100"]["price_doubt"]
    notes = "\n".join(load("listed.json")["decision"]["notes"])
    assert "p3.16xlarge:2 has no purchase price (--buy), so it is rented" in notes and "that of dgx-v100:2 is of 2020-01" in notes, notes
    assert "without electricity" in c["dgx-v100"]["price_text"]
    near(load("mine_answer.json")["curves"][0]["price_per_hour"], 40000 / (3 * 8760))
globals()[sys.argv[1]]()
P2
ok "an hour of owning, beside renting, by hand" python3 check.py hours
ok "prices of the list and of a server's file" python3 check.py listed
for wrong in "--years 3" "--electricity 1" "--buy -1" "--buy x" "--buy 1 --years 0" "--buy 1 --electricity x"; do ok "refused: $wrong" exits 2 $both $wrong; done
"$HOTSET" report bought.json -o page --quiet >/dev/null && ok "the page says what it is bought for" grep -q "bought for" page/index.html
finish
