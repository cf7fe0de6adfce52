#!/usr/bin/env bash
# The page of hotset size says what size.json says: epochs, trainings, money, energy and their intervals, and where prices are from.
. "$(dirname "$0")/tap"
command -v gnuplot >/dev/null || { skip "the page of size" "gnuplot is not installed"; finish; }
command -v python3 >/dev/null || { skip "the page of size" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 -o G --quiet >/dev/null
asked="--graph G --batch 60 --fanout 8,4 --presample-epochs 1 --simulate-epochs 1 --server p3.16xlarge,p4d.24xlarge --gpus 2,4 --target hit-rate>=0.8 --steps 4 --quiet"
for epochs in 1 3 1000000; do
    "$HOTSET" size $asked --training-epochs $epochs -o $epochs.json >/dev/null
    "$HOTSET" report $epochs.json -o page-$epochs --quiet >/dev/null
    ok "$epochs epochs: the table is the document's" python3 - $epochs <<'X'
import html, json, re, sys
epochs = int(sys.argv[1])
d, page = json.load(open("%d.json" % epochs)), open("page-%d/index.html" % epochs).read().replace("\u00a0", " ")
table = page[page.index("What can be bought"):]
rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table[:table.index("</table>")], re.S)
text = lambda cell: html.unescape(re.sub(r"<[^>]*>", " ", cell)).split()
heads = [text(c)[0] for c in re.findall(r"<th[^>]*>(.*?)</th>", rows[0], re.S)]
assert ("training" in heads) == (epochs != 1), heads
units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400, "days": 86400,
         "uWh": 1e-9, "mWh": 1e-6, "Wh": 1e-3, "kWh": 1, "MWh": 1e3, "GWh": 1e6}
def numbers(words, unit_of):
    """[value, low, high] of a cell 'V UNIT LOW UNIT to HIGH UNIT'."""
    out, text = [], " ".join(words).replace("$", "")
    text = re.sub(r"(\d+) min (\d+) s\b", lambda m: "%d s" % (60 * int(m[1]) + int(m[2])), re.sub(r"(\d+) h (\d+) min", lambda m: "%d min" % (60 * int(m[1]) + int(m[2])), text))
    for w in text.split():
        if w in unit_of: out[-1] *= unit_of[w]
        elif w != "to": out.append(float(w.replace(",", "")))
    return out
options = [o for o in d["options"]]
# a tie, or when the choice holds, stands right below the headline
holds = d["decision"]["holds"]["sentence"]
first = " ".join(text(page[page.index('<p class="lead">'):]))
assert first.startswith(d["decision"]["line"] + " Does the choice hold? " + holds + "."), first[:400]
assert len(options) == len(rows) - 1 and options, (len(options), len(rows))
for o, row in zip(options, rows[1:]):
    cells = [text(c) for c in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)]
    assert cells[0][:3] == ["%d" % o["servers"], "x", o["label"]], cells[0]
    for head, key, unit_of in (("epoch", "epoch_seconds", units), ("training", "training_seconds", units), ("money", "cost", {}), ("energy", "energy_kwh", units)):
        if head not in heads: continue
        found = numbers(cells[heads.index(head)], unit_of)
        wanted = [o[key], *o[key + "_interval"]]
        assert len(found) == 3 and all(abs(f - w) <= 0.06 * abs(w) for f, w in zip(found, wanted)), (head, found, wanted)
    # a training is so many epochs, and watts times hours
    assert abs(o["training_seconds"] / (epochs * o["epoch_seconds"]) - 1) < 1e-6, o
# figures show the same answer as the headline, and cards name their values
best, drawn = d["options"][d["decision"]["option"]], html.unescape(re.sub(r"\s+", " ", page))
budget = text(re.findall(r'<td data-name="cache per GPU">(.*?)</td>', table)[options.index(best)])
assert "the answer (bold line): %s, %s of cache per GPU" % (best["label"], " ".join(budget)) in drawn, (best["label"], budget)
assert "the answer %s" % " ".join(budget) in drawn, budget
ends = [[float(x) for x in bar] for bar in re.findall(r'class="bar" style="--from:([0-9.]+)%;--to:([0-9.]+)%"', table)]
most = max(o["epoch_seconds_interval"][1] for o in options)
assert len(ends) == len(options) and all(abs(e / 100 - t / most) < 0.011 for o, bar in zip(options, ends) for e, t in zip(bar, o["epoch_seconds_interval"])), ends
notes = re.findall(r'<p class="note">(.*?)</p>', page)
for server in ("p3.16xlarge", "p4d.24xlarge"):
    said = [n for n in notes if n.startswith(server)]
    curve = next(c for c in d["curves"] if c["label"].startswith(server))
    assert len(said) == 1, (server, said)
    assert curve["price_text"] in html.unescape(said[0]) and curve["watts"]["source"] in html.unescape(said[0]), said
X
done

# without a target nothing is said of one, and money is in the terminal's words
"$HOTSET" size ${asked/--target hit-rate>=0.8/} -o free.json >free.txt
"$HOTSET" report free.json -o page-free --quiet >/dev/null
cat >free.py <<'X'
import html, re
page, said = (html.unescape(re.sub(r"\s+", " ", open(f).read().replace("\u00a0", " "))) for f in ("page-free/index.html", "free.txt"))
own = re.sub(r"<dd>.*?</dd>", "", page)  # the rules are of all questions
assert not re.search(r"verdict</th>|needed cache|data-name=\"verdict\"|meets the targets|meet the target", own), re.findall(r".{40}meet.{40}", own)
asked = html.unescape(re.sub(r"\s+", " ", open("page-1/index.html").read()))
assert all(w in asked for w in ("needed cache", 'data-name="verdict"', "the least that meets the targets"))
assert "money and energy of one epoch" in said and re.search(r"money(<[^>]*>| )*of one epoch", page) and "of the training" not in page
price = re.search(r"1 x p3.16xlarge:2 .*?\$([0-9.]+e-[0-9]+)", said)[1]
assert "$" + price in page and not re.search(r">\$?0\.0000[0-9]+<", page), price
X
ok "no target: no column and no sentence of one" python3 free.py

# by hand: 4000 rows of 64 f32 and 39,870 neighbours of 4 bytes are 1,183,480 bytes, which three gen4 drives (5.1 GB/s each) write in 77.35 us,
# before 7 epochs; half a megabyte less than all rows need beside 20 GiB (4 of the system, 2 for each of 8 GPUs) leaves the page cache nothing;
# without SSDs neither is drawn
"$HOTSET" graph synth community --vertices 4000 --edges 40000 --seed 3 --feature-dim 64 -o H --quiet >/dev/null
asked="--graph H --batch 100 --fanout 8,4 --presample-epochs 1 --simulate-epochs 1 --server siton,dgx-h100 --nodes 1 --assignment global --steps 1 --best time --training-epochs 7 --quiet"
"$HOTSET" size $asked --host-memory 21481786072B --ssd 3xgen4 -o filled.json --explain >said
"$HOTSET" size $asked --host-memory 32GiB -o held.json >/dev/null
for f in filled held; do "$HOTSET" report $f.json -o page-$f --quiet >/dev/null; done
cat >drawn.py <<'X'
import html, json, re
page = lambda f: html.unescape(open("page-%s/index.html" % f).read())
bars = lambda f, what: dict(re.findall(r">1 x ([a-z0-9.-]+), %s: ([^<]+)<" % what, page(f)))
options = {o["label"]: o for o in json.load(open("filled.json"))["options"]}
assert bars("filled", "filling SSDs") == {"siton": "77.4 us", "dgx-h100": "77.4 us"}, bars("filled", "filling SSDs")
for server, text in bars("filled", "epochs").items():
    assert text.endswith(" us") and abs(float(text[:-3]) / (7e6 * options[server]["epoch_seconds"]) - 1) < 0.006, text
assert len(bars("filled", "epochs")) == 2 and not bars("held", "filling SSDs") and not bars("held", "epochs")
assert bars("filled", "left to the page cache") == {"siton": "0 B", "dgx-h100": "0 B"}, bars("filled", "left to the page cache")
assert bars("filled", "needed") == {"siton": "20.0 GiB", "dgx-h100": "20.0 GiB"} and not bars("held", "needed"), bars("filled", "needed")
assert page("filled").count("The page cache may take what is left") == 1
X
ok "filling SSDs and the page cache are drawn" python3 drawn.py
ok "and said in units that show them" grep -q "filling the SSDs once takes 77.4 us" said
finish
