#!/usr/bin/env bash
# What is drawn: no plan that verify rejects; a plan beside the dynamic caches in its place; no yardstick as the best. What is printed has arrived.
# Figures for a column of a paper.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth uniform --vertices 400 --edges 4000 --seed 2 -o G --quiet >/dev/null
plan() { "$HOTSET" plan --graph G --server siton --batch 50 --fanout 3,2 --budget 20% --presample-epochs 2 --simulate-epochs 1 --threads 1 "$@"; }
plan -o P --quiet >/dev/null

# ---- a full disk: messages flush standard output, too, so the failure may be an old one
if [ -w /dev/full ]; then
    full() { exits 5 "$HOTSET" "$@" >/dev/full; }
    ok "plan >/dev/full" eval 'exits 5 plan -o Q >/dev/full && grep -q "standard output cannot be written completely" .stderr'
    for words in "plan -h" "help" "--version" "list policies" "list policies --json" "help --man" "graph info G" "verify P" "simulate P --epochs 1" "simulate P --epochs 1 --json" "explain P --vertex 3"; do
        ok "$words >/dev/full" full $words
    done
else skip "/dev/full" "there is none"; fi

# ---- simulate --cache: the plan is a row of the results
"$HOTSET" simulate P --cache all --epochs 20 -o R.json --quiet >table
"$HOTSET" simulate P --epochs 20 -o own.json --quiet >/dev/null
policies() { sed -n 's/^   "policy": "\(.*\)",$/\1/p' "$1" | tr '\n' ' '; }
row() { awk '/^  \{/ { n++ } n == 1' "$1"; }
ok "simulate --cache: the plan comes first" eval '[ "$(policies R.json | cut -d" " -f1-2)" = "hotset cache:belady" ]'
ok "as it is simulated without --cache" eval '[ "$(row R.json | head -n -1)" = "$(row own.json | head -n -3)" ] || diff <(row R.json) <(row own.json)'
ok "the table, too" grep -q '^(plan: hotset) ' table

command -v gnuplot >/dev/null || { skip "pages" "gnuplot is not installed"; finish; }
sentence() { tr -d '\n' <page/index.html | grep -o '<p class="lead">[^<]*' | head -n 1; }
report() { rm -rf page && "$HOTSET" report "$@" -o page --quiet >/dev/null; }
ok "a page of plan and caches" report R.json
# the first screen has the answer and its figure; tables come after it
ok "the answer, then the figure that shows it, then tables" python3 -c '
import re
text = open("page/index.html").read()
at = [text.index(x) for x in ("<p class=\"lead\">", "<svg", "<table")]
assert at == sorted(at) and text.count("<ul>") == text.count("</ul>"), at'
least() { awk '/"policy"/ { p = $2 } /"simulated"/ { on = 1 } on && /"total_transactions"/ { print $2 + 0, p; on = 0 }' R.json | sort -n | head -n 1; }
ok "Belady's cache reads least" eval 'least | grep -q belady'
ok "the best is no cache that knows the future" eval 'sentence | grep -q ">hotset has the shortest epoch, .* than cache:.*, the best other; on uniform with siton" && ! sentence | grep -q belady'
ok "which is named as a yardstick" grep -q 'cache:belady needs [^<]*: a cache that knows all future reads' page/index.html

# ---- a comparison: the terminal's small table of peer accesses, below the answer
"$HOTSET" graph synth community --vertices 1500 --edges 15000 --seed 3 --train-share 0.2 -o community --quiet >/dev/null
"$HOTSET" compare --graph community --server dgx-v100 --batch 30 --fanout 4,3 --simulate-epochs 2 --presample-epochs 2 --budget 3% --policy hotset,legion,dsp,pagraph -o access.json --quiet >compared
ok "a page has the peer accesses as the terminal has them" eval 'report access.json && python3 -c "
import re
said = [re.split(\"  +\", l.rstrip()) for l in open(\"compared\") if re.match(\"(own memory|NVLink neighbours|forwarded)  \", l)]
text = open(\"page/index.html\").read()
table = text[text.index(\"An epoch of hotset beside\"):].split(\"</table>\")[0]
rows = [re.findall(\"<t[hd][^>]*>([^<]*)\", r) for r in table.split(\"<tbody>\")[1].split(\"<tr>\")[1:]]
assert len(said) == 3 and [[a, b, c + \" \" + d, e, f] for a, b, c, d, e, f in said] == rows, (said, rows)
assert text.index(\"<ul>\\n<li>it needs\") < text.index(\"An epoch of hotset beside\") < text.index(\"<p>Counted on\")"'

# ---- plans that verify rejects
refused() { # WORDS INPUT..: neither verified nor drawn
    local words=$1
    shift
    "$HOTSET" verify P --quiet >/dev/null 2>&1 && { echo "verify accepts it"; return 1; }
    rm -rf page
    exits 3 "$HOTSET" report "$@" -o page --quiet && grep -q "$words" .stderr && [ ! -e page ] || { cat .stderr; return 1; }
}
ok "a good plan is drawn" report P
ok "and named by its file" report P/plan.json
ok "from its own folder, too" eval '(cd P && "$HOTSET" report plan.json -o ../page --force --quiet >/dev/null)'
cp -r P good
sed -i 's/"total_transactions": [0-9]*/"total_transactions": 1/' P/plan.json
ok "an edited plan.json is not" refused checksum P
ok "nor named by its file" refused checksum P/plan.json
cp P/plan.json renamed.json
ok "nor a copy of it" refused checksum renamed.json
sed -i '/"checksum"/d; s/\("files": \[\)/\1/' P/plan.json
sed -i ':a;N;$!ba;s/,\n}/\n}/' P/plan.json
sed -i 's/"budget_bytes": [0-9]*/"budget_bytes": 5/' P/plan.json
ok "a plan that exceeds its budgets is not" refused budget P R.json
rm -rf P && cp -r good P && printf x >>P/gpu1_feature.npy
ok "a plan whose array was changed is not" refused gpu1_feature.npy R.json P
rm -rf P && cp -r good P && rm P/gpu0_train.npy
ok "a plan without an array is not" refused gpu0_train.npy P

# ---- figures for a column of a paper
"$HOTSET" compare --graph G --server siton --batch 50 --fanout 3,2 --budget 5%,10%,20% --presample-epochs 2 --simulate-epochs 1 --policy hotset,legion,gnnlab,dsp,quiver,dgl-uva,pagraph \
    -o C.json --quiet >/dev/null
column() { report C.json --format pdf --width 3.3 "$@"; }
ok "chosen policies by names of one's own" column --policies hotset,legion,gnnlab,dsp --labels "hotset=Ours,legion=Legion"
cat >column.py <<'P'
import glob, re, sys
script, = glob.glob("page/plots/*-transactions-column.gp")
text = open(script).read()
labels = re.findall(r"^set label '([^']*)' at", text, re.M)
names = [name for name in ("Ours", "Legion", "gnnlab", "dsp", "hotset", "quiver") if name in labels]
media = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+)", open(glob.glob("page/plots/*-transactions.pdf")[0], "rb").read())
fonts = text.split("target eq 'pdf'")[1].split("set output")[0]
checks = {
    "wide": "size 3.3000in," in fonts and abs(float(media[1]) - 72 * 3.3) < 1,
    "points": [7.8, 7.2] == [float(re.search(form, fonts)[1]) for form in ("Sans,([0-9.]+)", "small_font = ',([0-9.]+)")],
    "untitled": not any("PCIe transactions per epoch (uniform" in label for label in labels),
    "names": names == ["Ours", "Legion", "gnnlab", "dsp"],
    "ticks": re.search(r"set xtics \('5 %%' \S+, '10 %%' \S+, '20 %%' [0-9.]+\)", text),
    "few": len(re.search(r"set ytics \((.*)\)", text)[1].split(",")) <= 6,
    "marks": len(set(re.findall(r"with linespoints lc \S+ '\S+' dt (\S+) .*? pt (\d+)", text))) == 4,
}
if sys.argv[1] == "inside":  # the names of at least one figure of lines stand below the upper edge of its plot
    found = []
    for file in glob.glob("page/plots/*-column.gp"):
        one = open(file).read()
        edge, name = re.search(r"set tmargin at screen ([0-9.]+)", one), re.search(r"^set label 'Ours' at screen [0-9.]+, screen ([0-9.]+)", one, re.M)
        if edge and name and "with linespoints" in one: found.append(float(name[1]) < float(edge[1]))
    checks["inside"] = any(found)
sys.exit(not checks[sys.argv[1]])
P
ok "so wide" python3 column.py wide
ok "in 7 to 8 points" python3 column.py points
ok "without a title" python3 column.py untitled
ok "these names and no others" python3 column.py names
ok "a tick at each budget" python3 column.py ticks
ok "few ticks upwards" python3 column.py few
ok "a legend inside, where a plot has room" python3 column.py inside
ok "lines that grey print tells apart" python3 column.py marks
ok "the page says what it leaves out" grep -q "Only policies that --policies names are shown; [34] more were compared" page/index.html
ok "at most six policies where none are chosen" eval 'column && [ "$(grep -o "with linespoints" page/plots/uniform-siton-transactions-column.gp | wc -l)" = 6 ]'
wrong() { # CODE WORDS OPTION..
    local code=$1 words=$2
    shift 2
    rm -rf page
    exits "$code" "$HOTSET" report C.json -o page --quiet --format pdf --width 3.3 "$@" && grep -q -e "$words" .stderr || { cat .stderr; return 1; }
}
ok "a policy that is not there" wrong 3 "no row is of 'legoin'" --policies hotset,legoin
ok "a label of none that is shown" wrong 3 "no policy that is shown is 'dsp'" --policies hotset,legion --labels dsp=DSP
ok "two of one name" wrong 2 "two policies are called 'A'" --labels hotset=A,legion=A
ok "a label without a policy" wrong 2 "POLICY=LABEL" --labels Ours
ok "seven in a column" wrong 2 "6 policies can be told apart" --policies hotset,legion,gnnlab,dsp,quiver,dgl-uva,pagraph
ok "no comparison to choose from" eval '"$HOTSET" curve good --graph G --epochs 1 -o curve.json --quiet >/dev/null; exits 2 "$HOTSET" report curve.json -o page --policies hotset --quiet && grep -q "none is given" .stderr'
finish
