#!/usr/bin/env bash
# Every page in headless Chromium, at four widths, light and dark, and as PDF: nothing overlaps, nothing leaves the window, all texts can be read, and
# the browser has no complaint. pages_measure.js measures, pages_acts.js
# uses the page's own script, pages_check.py says what a page may run. Chromium is optional (apt-get install chromium).
. "$(dirname "$0")/tap"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { skip "pages in a browser" "chromium is not installed"; finish; }
command -v gnuplot >/dev/null || { skip "pages in a browser" "gnuplot is not installed"; finish; }
command -v python3 >/dev/null || { skip "pages in a browser" "python3 is not installed"; finish; }

"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 -o G --quiet >/dev/null
few="--graph G --batch 60 --fanout 8,4 --presample-epochs 2 --simulate-epochs 2 --quiet"
"$HOTSET" compare $few --server dgx-v100,siton --budget 1%,2%,5% -o many.json >/dev/null
"$HOTSET" compare $few --server siton --policy hotset,legion,dgl-uva --budget 5% -o bars.json >/dev/null
"$HOTSET" plan $few --server dgx-v100 --policy legion --budget 3% -o P >/dev/null
"$HOTSET" simulate P --cache all -o caches.json --quiet >/dev/null
"$HOTSET" execute P --sweep 0,25,60,100 -o executed.json --quiet >/dev/null
"$HOTSET" size $few --server p3.16xlarge,p3dn.24xlarge,p4d.24xlarge,p5.48xlarge --gpus 1,2,4,8 --target 'hit-rate>=0.8' --training-epochs 100 --vary budget,gpus --steps 8 -o size.json >/dev/null
"$HOTSET" size $few --server siton --target 'epoch-time<=1s' --vary gpus,server -o small.json >/dev/null
"$HOTSET" advise $few --server siton --budget 3% -o advice.json >/dev/null
"$HOTSET" curve P --graph G --epochs 1 -o curve.json --quiet >/dev/null
cp "$root"/tests/data/answers/{tiers,sockets,storage,storages,nodes,nodes-sizes}.json . # commands of older versions, whose answers are drawn on
"$HOTSET" drift --graph G --server dgx-v100:2 --batch 60 --fanout 8,4 --presample-epochs 1 --simulate-epochs 1 --budget 3% --windows 5 -o drift.json --quiet >/dev/null
"$HOTSET" plan --job inference --graph G --server l4-2 --layers 3 --budget 20KiB --host-memory 5MiB --ssd gen4 --chunk 300 --json -o I --quiet >inference.json
# Pages of reports/answers are all of shell/bars: three series, a range with marks, long names.
"$HOTSET" plan --like P --policy hotset --simulate-epochs 1 -o P2 --quiet >/dev/null
"$HOTSET" diff P P2 --json --quiet >diff.json
"$HOTSET" what-if P --epoch-within "$(python3 -c 'import json; print(1.2 * json.load(open("P/plan.json"))["simulated"]["epoch_time"]["seconds"])')s" -o what-if.json --quiet >/dev/null
"$HOTSET" graph synth like ogbn-mag --scale 0.005 --feature-dim 8 -o M --quiet >/dev/null
"$HOTSET" plan --graph M --server dgx-v100:4 --budget 6% --fanout "cites=5,3;*=2,2" --batch 20 --simulate-epochs 0 -o PM --quiet >/dev/null
"$HOTSET" explain PM --json --quiet >explain.json
"$HOTSET" simulate PM --seed 501 --epochs 1 --json --quiet >one.json
python3 "$root/tests/cli/observe_types.py" one.json PM 501 job.jsonl nopeer
"$HOTSET" observe PM job.jsonl --json --quiet >observe.json
"$HOTSET" trace record --graph G --server dgx-v100 --plan P2 --seed 7 -o T --quiet >/dev/null
"$HOTSET" refresh P2 --trace T --simulate-epochs 1 -o R --json --quiet >refresh.json
"$HOTSET" bench --only sort,scan,replay --size 100000 --repeats 1 --json --quiet >bench.json
sed -i '0,/"share_of_limit": *[0-9.]*/s//"share_of_limit": 2.999/' bench.json # what a cache that holds the data, or a busy machine, makes of a limit
"$HOTSET" size --job inference --graph G --server l4-2,p3.16xlarge --layers 3 --json --quiet >inference-size.json
"$HOTSET" verify P --json --quiet >verify.json
new="observe refresh bench nodes-sizes inference-size verify"
for page in $(for p in $new; do echo $p:$p.json; done) diff:diff.json what-if:what-if.json explain:explain.json tiers:tiers.json storage:storage.json storages:storages.json sockets:sockets.json nodes:nodes.json advice:advice.json curve:curve.json drift:drift.json inference:inference.json many:many.json bars:bars.json plan:P caches:caches.json executed:executed.json size:size.json small:small.json; do
    "$HOTSET" report "${page#*:}" -o "page-${page%%:*}" --quiet >/dev/null || echo "$page" >>undrawn
done
"$HOTSET" reproduce -o page-claims --only legion-fig2,legion-fig10,legion-fig3 --scale 0.05 --quiet >/dev/null || echo claims >>undrawn
"$HOTSET" report size.json curve.json many.json bars.json advice.json -o page-front --quiet >/dev/null || echo front >>undrawn
ok "all pages are drawn" [ ! -e undrawn ]
ok "the front page shows a picture of each" [ "$(grep -o "<figure" page-front/index.html | wc -l)" = 4 ]
ok "the front page leads to each" eval 'for p in size curve comparison advice; do grep -q "href=\"$p/index.html\"" page-front/index.html && [ -s page-front/$p/index.html ] || exit 1; done'
pages=${PAGES:-$new diff what-if explain tiers storage storages sockets nodes advice curve drift inference many bars plan caches executed size small claims} # PAGES="size claims": these alone

# chrome URL WORDS..: its standard output; what it logs goes to .log
chrome() {
    local url=$1
    shift
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --enable-logging=stderr "$@" "$url" 2>"$work/.log"
}
for p in $pages front; do ok "$p: one script, known to the policy, and nothing from elsewhere" python3 "$root/tests/cli/pages_check.py" page-$p/index.html; done
# acts PAGE SCRIPT..: the page used or judged by scripts, whose line of what they saw goes to standard output; they tell what is wrong in lines below it.
acts() {
    local page=$1
    shift
    python3 "$root/tests/cli/pages_check.py" "page-$page/index.html" "$@" || return
    chrome "file://$work/page-$page/measured.html" --window-size=1000,900 --virtual-time-budget=20000 --dump-dom >dom
    python3 -c 'import html, re, sys
found = re.search(r"<pre id=.acts.>(.*?)</pre>", open("dom").read(), re.S)
lines = html.unescape(found[1]).split("\n") if found else ["nothing was said", ""]
print("\n".join(lines))
sys.exit(any(lines[1:]))'
}
for p in $pages; do ok "$p is used: values, series, order, budgets" acts $p "$root/tests/cli/pages_acts.js"; done
used() { acts $1 "$root/tests/cli/pages_acts.js" >used && grep -Eq "$2" used || { cat used; return 1; }; }
ok "budgets of two servers: points, switches, tables and sliders" used many '"points":[1-9][0-9]{2},"series":[1-9][0-9]+,"sorted":[1-9][0-9]+,"units":[0-9]+,"sliders":[2-9]'
ok "columns of ms and s, mWh and Wh are sorted" used size '"units":[1-9]'
ok "bars and cells have points: 3 + 3 + 6 + 3 and 8 GPUs by 9 sources" used bars '"points":87,"series":12'
ok "curves have points" used curve '"points":[1-9][0-9]+,"series":7'
# What a page says is what its document says.
says() { python3 - "$1" "$2" <<'P'
import json, sys
d, page = json.load(open(sys.argv[1] + ".json")), open(f"page-{sys.argv[1]}/index.html").read().replace("\u00a0", " ")
words = eval(sys.argv[2])
for w in words: assert w in page, w
P
}
ok "tiers: how many times as long tier by tier" says tiers '["%.2f times as long" % (d["ways"][1]["simulated_seconds"] / d["ways"][0]["simulated_seconds"])]'
ok "storage: what DRAM serves" says storage '["DRAM serves %.1f %% of" % (100 * d["simulated"]["feature"]["dram_hit_rate"])]'
ok "storage of several sizes: each with its hits" says storages '["<td>%.1f %%</td>" % (100 * s["dram_hit_rate"]) for s in d["sizes"]]'
ok "sockets: what crosses" says sockets '["<td>%.1f %%</td>" % (100 * w["simulated"]["crossing_share"]) for w in d["ways"]]'
ok "nodes: what stays remote" says nodes '["<td>%.1f %%</td>" % (100 * p["of_gathered"]) for r in d["rankings"] for p in r["points"]]'
# No violation of what axe-core knows (pip download axe-playwright-python carries axe.min.js).
if [ -n "${AXE_JS:-}" ]; then
    for p in $pages front; do ok "$p: axe-core finds nothing" acts $p "$AXE_JS" "$root/tests/cli/pages_axe.js"; done
else skip "axe-core on every page" "AXE_JS names no file of axe-core"; fi

# The page with a script that measures it.
for p in $pages front; do python3 "$root/tests/cli/pages_check.py" page-$p/index.html "$root/tests/cli/pages_measure.js"; done
# measured PAGE light|dark: prints what is wrong. Frames, because a window cannot be as narrow.
widths="360 500 800 1300"
measured() {
    local scheme=1 w
    [ "$2" = dark ] && scheme=0
    {
        echo "<!doctype html><style>iframe{border:0;color-scheme:$2}</style><pre id=\"measured\"></pre>"
        echo '<script>onmessage = (e) => { document.getElementById("measured").textContent += e.data + "\n"; };</script>'
        for w in $widths; do echo "<iframe src=\"measured.html\" width=\"$w\" height=\"900\"></iframe>"; done
    } >"page-$1/frame.html"
    chrome "file://$work/page-$1/frame.html" --window-size=1400,1000 --blink-settings=preferredColorScheme=$scheme --virtual-time-budget=9000 --dump-dom >dom
    python3 - "$2" $([ "$1" != verify ] && echo 1 || echo 0) $widths <<'P' # a verification has no figure
import html, re, sys
found = re.search(r'<pre id="measured">(.*?)</pre>', open("dom").read(), re.S)
lines = html.unescape(found[1] if found else "").splitlines()
seen = [l.split() for l in lines if l.startswith("seen ")]
wrong = [l for l in lines if not l.startswith("seen ")]
for width in sys.argv[3:]:
    if not any(s[1:3] == [width, sys.argv[1]] and int(s[4]) >= int(sys.argv[2]) for s in seen): wrong.append(f"not measured with figures at {width} pixels, {sys.argv[1]}: {seen}")
print("\n".join(wrong))
sys.exit(len(wrong) > 0)
P
}
for p in $pages front; do
    for scheme in light dark; do ok "$p at $widths pixels, $scheme" measured $p $scheme; done
    ok "$p: the browser has no complaint" eval 'chrome "file://$work/page-$p/index.html" --dump-dom >dom && grep -q "</html>" dom && ! grep CONSOLE .log'
done

# Paper is light and short, also for a reader with a dark screen.
pdf() { chrome "file://$work/page-$1/index.html" --blink-settings=preferredColorScheme=0 --no-pdf-header-footer --print-to-pdf="$work/$1.pdf" >/dev/null; }
count() { python3 -c 'import re, sys; print(len(re.findall(rb"/Type\s*/Page\b", open(sys.argv[1], "rb").read())))' "$1.pdf"; }
short() { # PAGE MOST
    local n
    pdf "$1" && n=$(count "$1") && echo "$n pages" && [ "$n" -ge 1 ] && [ "$n" -le "$2" ]
}
ok "two servers and all policies: at most 11 pages of A4" short many 11
ok "one plan: at most 3" short plan 3
ok "16 configurations: at most 5" short size 5
for p in bars caches executed small claims; do ok "$p: at most 8" short $p 8; done
if command -v pdftoppm >/dev/null; then
    white() { pdftoppm -r 20 -f 1 -l 1 plan.pdf p >/dev/null && python3 -c 'import glob
d = open(glob.glob("p-*.ppm")[0], "rb").read(); print(d[-3:]); raise SystemExit(d[-3:] != b"\xff\xff\xff")'; }
    ok "paper is white" white
else skip "paper is white" "pdftoppm is not installed"; fi
finish
