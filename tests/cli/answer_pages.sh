#!/usr/bin/env bash
# Pages of answers say what their documents say: the sentence, every table and every bar (answer_pages.py reads both). A page for every kind, and its
# command in the list that people read.
. "$(dirname "$0")/tap"
command -v gnuplot >/dev/null || { skip "pages of answers" "gnuplot is not installed"; finish; }
command -v python3 >/dev/null || { skip "pages of answers" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100 --policy legion --budget 3% --batch 60 --fanout 8,4 --presample-epochs 2 --simulate-epochs 1 -o P --quiet >/dev/null
for b in 3 5; do "$HOTSET" plan --like P --policy hotset --budget $b% --simulate-epochs 1 -o Q$b --quiet >/dev/null; done
"$HOTSET" graph synth like ogbn-mag --scale 0.005 --feature-dim 8 -o M --quiet >/dev/null
for b in 6 9; do "$HOTSET" plan --graph M --server dgx-v100:4 --budget $b% --fanout "cites=5,3;*=2,2" --batch 20 --simulate-epochs 1 -o M$b --quiet >/dev/null; done
"$HOTSET" simulate M6 --seed 501 --epochs 1 --json --quiet >one.json
python3 "$root/tests/cli/observe_types.py" one.json M6 501 job.jsonl nopeer
"$HOTSET" trace record --graph G --server dgx-v100 --plan P --seed 7 -o T --quiet >/dev/null # of policy legion: there is something to load
ask() { "$HOTSET" "$@" --json --quiet 2>/dev/null; }
ask diff P Q3 >diff.json
ask diff M6 M9 >diff-types.json
ask explain P --vertex 42 --graph G >explain.json
ask explain M6 >explain-types.json
ask explain M6 --vertex paper:5 >explain-paper.json
ask refresh P --trace T --simulate-epochs 1 -o R >refresh.json
ask observe M6 job.jsonl >observe.json
pages() { # of every document that has none yet
    for file in *.json; do
        name=${file%.json}
        if [ "$name" = one ] || [ -e "page-$name" ]; then continue; fi
        ok "$name: a page" exits 0 "$HOTSET" report "$file" -o "page-$name" --quiet
        ok "$name: its sentence, tables and bars are the document's" python3 "$root/tests/cli/answer_pages.py" "$name"
    done
}
pages
rest
ask what-if P --epoch-within "$(python3 -c 'import json; print(1.2 * json.load(open("P/plan.json"))["simulated"]["epoch_time"]["seconds"])')s" >what-if.json
ask what-if P Q3 Q5 >what-if-plans.json
"$HOTSET" plan --like P --policy hotset --host-memory 40% --ssd 2xgen4 --simulate-epochs 1 -o B --quiet >/dev/null
ask explain B --vertex 42 --graph G >explain-below.json
ask verify P >verify.json
ask verify P --graph G >verify-graph.json
ask verify M6 --graph M >verify-types.json
ask size --job inference --graph G --server l4-2,p3.16xlarge --layers 3 >inference-size.json
ask size --job inference --graph G --server l4-2,p3.16xlarge --layers 2 --chunk 500,1500 --host-memory 1MiB --ssd gen4 >inference-size-ssd.json
ask bench --only sort,scan,replay --size 100000 --repeats 1 >bench.json
cp "$root"/tests/data/answers/nodes-sizes{,-rows,-target}.json . # of older versions
pages
ok "several at once" exits 0 "$HOTSET" report diff.json what-if.json bench.json -o front --quiet
ok "the front page has their sentences" python3 "$root/tests/cli/answer_pages.py" front diff what-if bench
python3 - <<'P'
import json
d = json.load(open("bench.json"))
d["rows"][0]["name"] = ""
json.dump(d, open("nameless.json", "w"))
P
ok "a row without a name ends no figure" eval '"$HOTSET" report nameless.json -o nameless --quiet && [ "$(wc -l <nameless/data/*-share.csv)" = "$(wc -l <page-bench/data/*-share.csv)" ] && grep -q "(no name)" nameless/index.html'
# What a document lacks is a dash, or it is refused: no nan reaches a reader.
cat >lacking.py <<'P'
import json, os, random, re, subprocess, sys
dice = random.Random(4)
def members(d, at=()):
    for k, v in (d.items() if isinstance(d, dict) else enumerate(d) if isinstance(d, list) else ()):
        if isinstance(v, (int, float)) and not isinstance(v, bool): yield (*at, k)
        yield from members(v, (*at, k))
for file in sys.argv[1:]:
    paths = {re.sub(r"\d+", "N", str(p)): p for p in members(json.load(open(file)))}  # one of each kind
    for at in dice.sample(sorted(paths.values(), key=str), min(12, len(paths))):
        d = json.load(open(file))
        of = d
        for k in at[:-1]: of = of[k]
        of[at[-1]] = None
        json.dump(d, open("lacks.json", "w"))
        done = subprocess.run([os.environ["HOTSET"], "report", "lacks.json", "-o", "lacks", "--quiet"], capture_output=True, text=True)
        if done.returncode not in (0, 3): print(file, at, "exit", done.returncode)
        if done.returncode == 0 and re.search(r"\b-?nan\b", re.sub(r"<(script|style).*?</\1>", "", open("lacks/index.html").read(), flags=re.S)): print(file, at, "nan")
P
export HOTSET
python3 lacking.py bench.json what-if.json observe.json explain-paper.json explain-types.json diff.json refresh.json 2>&1 | none "numbers that are missing are no nan"
# A comparison: what caches nothing is dgl-uva in every number of the page, and bytes are those of an epoch.
cat >against.py <<'P'
import csv, glob, json, re
rows = [r for r in json.load(open("against.json"))["rows"] if r["budget"] == "5%" and r["status"] == "ok"]
total = {r["policy"]: r["simulated"]["total_transactions"] for r in rows if r["policy"] != "hotset" or r["reach"] == "direct"}
page = re.sub(r"<[^>]*>", "", open("against-page/index.html").read())
fewer = float(re.search(r"([\d.]+)\s%\s+fewer than dgl-uva, which caches nothing", page)[1])
assert abs(fewer - 100 * (1 - total["hotset"] / total["dgl-uva"])) < 0.6, (fewer, total)
drawn = [float(x["y"]) for x in csv.DictReader(open(glob.glob("against-page/data/*traffic.csv")[0]))]
bytes_ = {r["policy"] + r["reach"]: sorted(x / r["simulated"]["epochs"] for line in r["simulated"]["traffic_bytes"] for x in line) for r in rows}
assert any(len(b) == len(drawn) and all(abs(x - y) <= 1e-6 * y + 1e-9 for x, y in zip(sorted(drawn), b)) for b in bytes_.values()), drawn
P
"$HOTSET" compare --graph G --server dgx-v100 --policy hotset,legion,dgl-uva --peer-access direct --budget 5% --batch 60 --fanout 8,4 --presample-epochs 2 --simulate-epochs 3 --quiet -o against.json >/dev/null 2>&1
"$HOTSET" report against.json -o against-page --quiet >/dev/null
ok "a page of a comparison says what nothing cached is, and bytes of an epoch" python3 against.py
# Whatever has a page is named where people look for it.
ls "$root"/reports/*/*_page.c | sed 's,.*/,,' | while read -r file; do
    grep -oE '\.what = "[^"]*hotset (lab )?[a-z-]*' "$root"/reports/*/"$file" | sed -E 's/.*hotset (lab )?//'
done | sort -u >kinds
ok "kinds are found" [ "$(wc -l <kinds)" -ge 15 ]
"$HOTSET" report --help-all | tr '\n' ' ' >help
while read -r command; do
    grep -qE "[ ,]$command[ ,.:]" help || echo "hotset report -h does not name $command"
done <kinds | none "help names every command that has a page"
finish
