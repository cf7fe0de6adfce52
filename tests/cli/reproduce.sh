#!/usr/bin/env bash
# hotset reproduce: on tiny stand-ins, because here only its documents, its page and its repeatability are judged, not the verdicts.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "reproduce" "python3 is not installed"; finish; }
some=legion-fig4b,pagraph-fig11,dsp-fig10

ok "reproduce --list names every file in planner/claims/figures" eval \
    'diff <("$HOTSET" reproduce --list --json | python3 -c "import json, sys; [print(c[\"name\"]) for c in json.load(sys.stdin)[\"claims\"]]" | sort) <(basename -s .json "$root"/planner/claims/figures/*.json | sort)'
ok "list claims has the same names" eval 'diff <("$HOTSET" list claims --json | grep -c "\"name\"") <("$HOTSET" reproduce --list --json | grep -c "\"name\"")'
ok "--only with an unknown name is refused" exits 2 "$HOTSET" reproduce --only legion-fg2 -o no
ok "and says what was meant" grep -q "did you mean legion-fig2?" .stderr
ok "--graph with an unknown data set is refused" exits 2 "$HOTSET" reproduce --graph prodcts=G -o no
ok "and says what was meant" grep -q "did you mean products?" .stderr
ok "--scale 0 is refused" exits 2 "$HOTSET" reproduce --scale 0 -o no
ok "--change of an unknown key is refused" exits 2 "$HOTSET" reproduce --change products:mxing=1 -o no
ok "and says what was meant" grep -q "did you mean mixing?" .stderr
ok "--change without a value is refused" exits 2 "$HOTSET" reproduce --change products:mixing -o no
ok "--random-seeds 0 is refused" exits 2 "$HOTSET" reproduce --random-seeds 0 -o no
ok "nothing is left behind" [ ! -e no ]
cat >quotes.py <<'P'
import json, re, sys
files = {"Data Tiering": "data-tiering", "DSP": "dsp-ppopp23", "HyScale": "hyscale-gnn", "Legion": "legion-atc23", "PaGraph": "pagraph-socc20"}
def flat(t): # without blanks, marks and what the conversion from LaTeX wrote twice
    t = re.sub(r"([\d.]+)\u00d7\1\\times", "\\1\u00d7", t.replace("\\SystemName", "Legion")).replace("\\times", "\u00d7")
    return re.sub("[^a-z0-9.%\u00d7]+", "", t.lower())
texts, missing = {}, []
for x in json.load(open("list.json"))["claims"]:
    for of in [v for k, v in files.items() if x["paper"].startswith(k)]:
        texts.setdefault(of, flat(open(f"{sys.argv[1]}/{of}.txt").read()))
        missing += [(x["name"], c["quote"]) for c in x["states"] if not c["quote"] or flat(c["quote"]) not in texts[of]]
assert len(texts) == 5 and not missing, missing
P
papers=$root/../shared/papers
"$HOTSET" reproduce --list --json >list.json
if [ -d "$papers" ]; then ok "every claim has a sentence of its paper, word for word" python3 quotes.py "$papers"
else skip "every claim has a sentence of its paper, word for word" "the papers are not here"; fi
command -v gnuplot >/dev/null || { skip "reproduce draws" "gnuplot is not installed"; finish; }

ok "runs on a tiny scale" "$HOTSET" reproduce --only $some --scale 0.02 --threads 1 --random-seeds 2 --quiet -o one
ok "again on two threads" "$HOTSET" reproduce --only $some --scale 0.02 --threads 2 --random-seeds 2 --quiet --force -o two
ok "both folders are equal byte for byte" diff -rx .hotset one two
ok "replaces its own folder" "$HOTSET" reproduce --only dsp-fig10 --scale 0.02 --random-seeds 1 --format pdf --quiet --force -o two
ok "so that what it replaced is gone" [ ! -e two/figures/legion-fig4b.json ]
rest
ok "measures every figure on very tiny stand-ins" "$HOTSET" reproduce --scale 0.003 --random-seeds 1 --quiet -o all
ok "--format pdf draws a PDF, without a date of its own" grep -qa "D:20000101000000" two/figures/dsp-fig10.pdf
mkdir other && touch other/file
ok "does not replace another folder" exits 3 "$HOTSET" reproduce --only dsp-fig10 --scale 0.02 --random-seeds 1 --quiet -o other

cat >check.py <<'P'
import json, os, sys
d = json.load(open("one/claims.json"))
assert list(d) == ["schema", "seed", "simulate_seed", "seeds", "scale", "counts", "exhibits"] and d["schema"] == "claims/1", list(d)
assert d["seed"] != d["simulate_seed"] and d["scale"] == 0.02
seen = {"holds": 0, "does not hold": 0, "not measured": 0}
for x in d["exhibits"]:
    assert list(x) == ["name", "title", "paper", "place", "caption", "differs", "figure", "graphs", "claims"], list(x)
    for c in x["claims"]:
        assert list(c) == ["quote", "statement", "test", "why", "verdict", "seeds", "ours", "reason", "again"] and c["statement"] and c["test"] and c["why"]
        seen[c["verdict"]] += 1
        assert c["seeds"]["of"] == 2 and (c["verdict"] == "holds") == (c["seeds"]["holds"] == 2), c
        assert (c["reason"] if c["verdict"] == "not measured" else c["ours"]), c
    if x["figure"] is None: continue
    f = json.load(open("one/" + x["figure"]))
    assert f["schema"] == "figure/1" and f["name"] == x["name"] and f["panels"]
    for kind in ("gp", "svg", "png", "csv"): assert os.path.getsize(f"one/figures/{x['name']}.{kind}") > 200
    for s in (s for p in f["panels"] for s in p["series"]):
        assert len(s["ranges"]) == (0 if s["source"] == "paper" else len(s["points"])), s
        assert all(low is None or low <= p[1] <= high for p, (low, high) in zip(s["points"], s["ranges"])), s
    rows = sum(len(s["points"]) for p in f["panels"] for s in p["series"])
    assert len(open(f"one/figures/{x['name']}.csv").read().splitlines()) == rows + 1
    assert all(s["source"] in ("hotset", "paper") and s["name"] for p in f["panels"] for s in p["series"])
    assert all(g["edges"] > 0 and 0 < g["scale"] < 1 and not g["given"] for g in x["graphs"]) and x["graphs"]
assert seen == {"holds": d["counts"]["holds"], "does not hold": d["counts"]["does_not_hold"], "not measured": d["counts"]["not_measured"]}, (seen, d["counts"])
assert [x["name"] for x in d["exhibits"]] == sys.argv[1].split(",")
P
ok "claims.json and the figures are what they must be" python3 check.py $some
cat >page.py <<'P'
import html, json, re
page = open("one/index.html").read().replace("\u00a0", " ")
d = json.load(open("one/claims.json"))
for kind, of in re.findall(r'\b(href|src|xlink:href|action)\s*=\s*["\']([^"\']*)', page):
    assert of.startswith("#") or re.fullmatch(r"(figures/[a-z0-9-]+\.(csv|json|png|gp)|claims\.json)", of), of
for x in d["exhibits"]:
    assert f'id="{x["name"]}"' in page and f'href="#{x["name"]}"' in page
    for c in x["claims"]: assert page.count(html.escape(c["statement"]).replace("&#x27;", "&#39;")) >= 2, c["statement"]
assert page.count('<svg role="img"') == sum(x["figure"] is not None for x in d["exhibits"])
P
ok "the page holds every claim and picture, and refers to nothing outside" python3 page.py
ok "and runs its own script alone" python3 "$root/tests/cli/pages_check.py" one/index.html
"$HOTSET" graph synth like livejournal --scale 0.0005 --train-share 0.5 -o L --quiet >/dev/null
ok "takes a given graph" "$HOTSET" reproduce --only pagraph-fig11 --graph livejournal=L --random-seeds 1 --quiet -o given
ok "and says that it was given" python3 -c "import json; g = json.load(open('given/claims.json'))['exhibits'][0]['graphs'][0]; assert g['given'] and g['scale'] == 1 and g['vertices'] == 2020, g"
python3 - <<'P' >facts
import json
claims = [c for x in json.load(open("given/claims.json"))["exhibits"] for c in x["claims"]]
told = [c for c in claims if c["reason"] and "On the stand-in it " in c["reason"]]
assert all(c["verdict"] in ("holds on real graph livejournal-0.0005, not on the stand-in", "does not hold") for c in told), told
print(len(told))
P
ok "a verdict that the stand-in does not share says so" [ -s facts ]
"$HOTSET" reproduce --only pagraph-table1 --random-seeds 1 --scale 0.05 --quiet -o plain >/dev/null
"$HOTSET" reproduce --only pagraph-table1 --random-seeds 1 --scale 0.05 --change livejournal:a=0.4 --quiet -o changed >/dev/null
python3 - <<'P' >moved
import json
of = [[s["points"] for s in json.load(open(f + "/figures/pagraph-table1.json"))["panels"][0]["series"] if s["source"] == "hotset"][0] for f in ("plain", "changed")]
print(of[0][0] == of[1][0], of[0][2] == of[1][2], of[1][1][1] - of[0][1][1] > 0.2)
P
ok "--change moves the graph that it names, and no other" grep -qx "True True True" moved
finish
