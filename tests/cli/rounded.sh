#!/usr/bin/env bash
# Caches that hold features in a smaller element type than the host: more rows fit, a hit reads the cached bytes, a miss the host's lines; the
# errors of rounding, against another computation; what cannot hold such rows refuses the plan.
. "$(dirname "$0")/tap"
export OMP_WAIT_POLICY=passive PYTHONPATH="$root/tests/cli"
command -v python3 >/dev/null || { skip "rounded caches" "no python3"; finish; }
py() { python3 "$root/tests/cli/rounded.py" "$@"; }
refuses() { "$@" --quiet >/dev/null 2>said && return 1; grep -q "$words" said || { cat said; return 1; }; }

"$HOTSET" graph synth uniform --vertices 1200 --edges 9000 --feature-dim 32 -o G --seed 3 --quiet >/dev/null
record() { "$HOTSET" trace record --graph "$1" --server dgx-v100:2 --fanout 4,2 --batch 40 --epochs 2 -o "$2" --quiet >/dev/null; }
record G T
plan() { "$HOTSET" plan --graph G --server dgx-v100:2 --trace T --budget 6% --simulate-epochs 2 --quiet "$@"; }
py make F.npy f4 1200 32 7
py make H.npy f2 1200 32 7
for c in host:128 f16:64 bf16:64 f8:32 i8:36; do
    type=${c%:*}
    [ "$type" = host ] && option= || option="--cache-type $type --features F.npy"
    ok "$type" eval "plan --policy quiver $option -o Q-$type >$type.txt && python3 '$root/tests/cli/rounded.py' one G Q-$type $type ${c#*:}"
    [ "$type" = host ] || ok "errors of $type" py bands T F.npy Q-$type
done
ok "errors of halves" eval 'plan --policy quiver --cache-type f8 --features H.npy -o Q-half >/dev/null && py bands T H.npy Q-half'
ok "the table is printed" grep -q 'mean error over gathers' f8.txt
ok "words of frameworks are taken: float16 is f16" eval 'plan --cache-type f16 --features F.npy -o short >/dev/null && plan --cache-type float16 --features F.npy -o long >/dev/null && for f in short/*.npy; do cmp "$f" "long/${f#short/}" || exit 1; done && grep -q "\"cache_type\": \"f16\"" long/plan.json'
ok "hotset on one thread" eval 'plan --sampling gpu --cache-type i8 --features F.npy -o P >/dev/null; plan --sampling gpu --cache-type i8 --features F.npy --threads 1 -o P1 >/dev/null; diff -rx .hotset P P1'
ok "fewer transactions with smaller rows" python3 - <<'END'
import json
left = [json.load(open("Q-%s/plan.json" % t))["simulated"]["total_transactions"] for t in ("host", "f16", "i8", "f8")]
assert left == sorted(left, reverse=True) and left[3] < 0.9 * left[0], left
END
ok "verify" "$HOTSET" verify P --graph G
ok "simulate counts what plan counted" eval '"$HOTSET" simulate P --epochs 2 --json --quiet >s.json && python3 -c "import json; a, b = json.load(open(\"s.json\")), json.load(open(\"P/plan.json\"))[\"simulated\"]; r = a[\"rows\"][0][\"simulated\"] if \"rows\" in a else a[\"simulated\"]; assert r[\"total_transactions\"] == b[\"total_transactions\"]"'
ok "a dynamic cache has as many rows" eval '"$HOTSET" simulate P --cache lru --epochs 1 --quiet >lru.txt'
ok "diff: rows in another element type are loaded again" eval '"$HOTSET" diff P Q-host --json --quiet >d.json && python3 - <<END
import json
d, p, q = json.load(open("d.json")), json.load(open("P/plan.json")), json.load(open("Q-host/plan.json"))
held = lambda plan: [(g["feature"]["count"], g["feature"]["bytes"]) for g in plan["gpus"]]
for g, (n, bytes), (m, more) in zip(d["gpus"], held(p), held(q), strict=True):
    f = g["feature"]
    assert f["before"] == {"rows": n, "bytes": bytes} and f["after"] == {"rows": m, "bytes": more} and not f["kept"]["rows"], f
    assert f["added"]["rows"] + f["moved_in"]["rows"] == m and f["removed"]["rows"] + f["moved_out"]["rows"] == n and m > 0, f
END'
ok "refresh keeps the type" eval '"$HOTSET" refresh P --trace T -o PR --quiet >/dev/null && grep -q "\"cache_type\": \"i8\"" PR/plan.json && "$HOTSET" verify PR --quiet'
words='without --cache-type' ok "export to legion refuses" refuses "$HOTSET" export P --to legion -o E
ok "execute rounds what caches hold and turns it back" eval '"$HOTSET" execute P --verify --features F.npy --quiet -o x.json >/dev/null && grep -q "\"equals_simulated\": true" x.json && ! grep -q "\"equals_simulated\": false" x.json && grep -q "\"wrong_rows\": 0" x.json'
ok "export to npy" eval '"$HOTSET" export P --to npy -o E --quiet >/dev/null'
"$HOTSET" graph synth uniform --vertices 100 --edges 300 --feature-dim 8 --feature-type f16 -o Z --seed 3 --quiet >/dev/null
words='only smaller rows' ok "rows that would not shrink" refuses "$HOTSET" plan --graph Z --server dgx-v100:2 --cache-type f16 -o X
words='needs --cache-type' ok "features alone" refuses "$HOTSET" plan --graph G --server dgx-v100:2 --features F.npy -o X
words='not finite' ok "a row that is not finite" eval 'python3 -c "
b = bytearray(open(\"F.npy\", \"rb\").read()); b[128:] = b\"\\x00\\x00\\xc0\\x7f\" * ((len(b) - 128) // 4); open(\"N.npy\", \"wb\").write(b)"; refuses plan --cache-type f16 --features N.npy -o X'
rest
words='has shape\|shape' ok "features of another graph" eval 'py make S.npy f4 1100 32 1; refuses plan --cache-type f16 --features S.npy -o X'
python3 - <<'END'
import json, shutil
d = json.load(open("Q-f16/plan.json"))
d["cache_type"] = "f32"
del d["checksum"]
shutil.copytree("Q-f16", "bad")
json.dump(d, open("bad/plan.json", "w"))
END
words='cache_type' ok "an element type that is not known" refuses "$HOTSET" simulate bad
words='cache_type' ok "to the library, too" refuses "$HOTSET" diff bad P
numpy=${HOTSET_PYTHON:-python3}
if "$numpy" -c 'import numpy' 2>/dev/null; then
    ok "hotset.py states the type" env PYTHONPATH="$root/${BUILD:-build}/lib" "$numpy" - <<'END'
import hotset
p, q = hotset.Plan("Q-i8"), hotset.Plan("Q-host")
assert (p.cache_type, p.row_bytes, p.cached_row_bytes, p.bytes(0).feature) == ("i8", 128, 36, 36 * len(p.feature_ids(0)))
assert (q.cache_type, q.row_bytes, q.cached_row_bytes) == ("", 128, 128)
try:
    hotset.fill(p, bytes(1200 * 128))
    assert False, "filled"
except hotset.Error as e:
    assert "i8" in str(e)
END
else
    skip "hotset.py states the type" "no NumPy"
fi

# several types: by name, for all, and what is measured
"$HOTSET" graph synth like ogbn-mag --scale 0.001 --feature-dim 8 -o M --quiet >/dev/null
record M TM
many() { "$HOTSET" plan --graph M --server dgx-v100:2 --trace TM --budget 4% --simulate-epochs 1 --quiet "$@"; }
papers=$(python3 -c "import json; print(json.load(open('M/graph.json'))['types'][0]['count'])")
authors=$(python3 -c "import json; print(json.load(open('M/graph.json'))['types'][1]['count'])")
py make paper.npy f4 $papers 128 5
py make author.npy f4 $authors 8 6
ok "types by name" eval 'many --cache-type paper=f8,author=i8 --features paper=paper.npy,author=author.npy -o PM >m.txt && python3 "$root/tests/cli/typed.py" plan M PM && py bands TM paper.npy PM paper && py bands TM author.npy PM author'
ok "all types" eval 'many --cache-type f16 -o PA >/dev/null && python3 "$root/tests/cli/typed.py" plan M PA && [ "$(grep -c "\"host_element\": \"f32\"" PA/plan.json)" = 4 ]'
ok "hits read the cached bytes" python3 - <<'END'
import json
d = json.load(open("PA/plan.json"))
s, size = d["simulated"], {t["type"]: (t["row_bytes"], t["host_row_bytes"]) for t in d["cache_types"]}
assert size["paper"] == (256, 512) and size["author"] == (16, 32)
held = sum(sum(row[:-1]) for row in s["traffic_bytes"])
rows = sum((t["reads"]["local"] + t["reads"]["peer"]) * size[t["type"]][0] for t in s["tables"] if t["kind"] == "feature")
assert rows <= held  # and the rest is topology: 16 bytes a visit, 4 a draw of at most 4
visits = sum(t["reads"]["local"] + t["reads"]["peer"] for t in s["tables"] if t["kind"] == "topology")
assert 16 * visits <= held - rows <= (16 + 16) * visits, (held, rows, visits)
for t in s["tables"]:
    if t["kind"] == "feature" and t["type"] == "paper":  # 512 bytes at multiples of 512: 8 lines
        assert abs(t["transactions"] - 8 * t["reads"]["host"] / s["epochs"]) <= 1
END
ok "one thread" eval 'many --cache-type f16 --threads 1 -o PB >/dev/null; diff -rx .hotset PA PB'
ok "verify, simulate and explain" eval '"$HOTSET" verify PM --quiet && "$HOTSET" simulate PM --epochs 1 --quiet >/dev/null && "$HOTSET" explain PM --vertex paper:3 --json --quiet >v.json && grep -q "\"bytes\": 128" v.json'
compared() { "$HOTSET" diff "$1" "$2" --json --quiet >d.json && python3 "$root/tests/cli/typed.py" diff "$1" "$2" d.json && "$HOTSET" diff "$1" "$2" --quiet >/dev/null; }
ok "rows in other element types are loaded again" compared PA PM
words='is no type' ok "an unknown type" refuses "$HOTSET" plan --graph M --server dgx-v100:2 --budget 4% --cache-type nobody=f16 -o X
words='is no type whose rows' ok "features of a type that is not rounded" refuses "$HOTSET" plan --graph M --server dgx-v100:2 --trace TM --budget 4% --cache-type paper=f16 --features author=author.npy -o X
words='names paper twice' ok "one element for a type" refuses many --cache-type paper=f16,paper=i8 -o X
words='gone.npy: cannot be opened' ok "the only file is not there" refuses many --cache-type paper=f16 --features gone.npy -o X
ok "a type of which no row is held has no mean error" eval '"$HOTSET" plan --graph M --server dgx-v100:2 --trace TM --budget 1KiB --policy dgl-uva --simulate-epochs 0 --cache-type paper=f16 --features paper.npy -o PN --quiet >n.txt && grep -q "no mini-batch gathers" n.txt && ! grep -q nan n.txt'
ok "baselines of a plan that leaves nothing" eval '"$HOTSET" plan --graph M --server dgx-v100:2 --trace TM --budget 1GiB --simulate-epochs 1 -o PW --quiet >w.txt && grep -q "where this plan leaves none" w.txt && ! grep -q -- "-1.000 times" w.txt'

# rows held exactly beside rounded ones were once made by an option that is gone
words='error-price is gone' ok "a price of errors" refuses many --cache-type paper=f8 --features paper=paper.npy --error-price 200 -o X
python3 - <<'END'
import json, shutil
d = json.load(open("PM/plan.json"))
next(x for x in d["gpus"][0]["lists"] if x.get("type") == "paper")["exact"] = True
del d["checksum"]
shutil.copytree("PM", "BX")
json.dump(d, open("BX/plan.json", "w"))
END
for command in "simulate BX --graph M" "diff PM BX" "export BX --to npy -o X"; do
    words='with --cache-type alone' ok "a plan of the time when there was one: $command" refuses "$HOTSET" $command
done

# compare: every policy with rounded rows, and the errors to expect
beside() { "$HOTSET" compare --graph M --server dgx-v100:2 --policy hotset,quiver,gnnlab --budget 2%,4% --fanout 4,2 --batch 40 --presample-epochs 2 --simulate-epochs 1 --quiet "$@"; }
files=paper=paper.npy,author=author.npy
ok "compare with rounded rows" eval 'beside --cache-type paper=f8,author=i8 --features $files -o C.json >c.txt && beside --cache-type paper=f8,author=i8 -o CN.json >/dev/null && beside -o CH.json >/dev/null && "$HOTSET" plan --graph M --server dgx-v100:2 --budget 4% --fanout 4,2 --batch 40 --presample-epochs 2 --simulate-epochs 1 --cache-type paper=f8,author=i8 --features $files -o PC --quiet >/dev/null && py compared C.json CN.json CH.json PC'
ok "compare prints errors" eval 'grep -q "GPUs hold paper feature rows as f8" c.txt && grep -q "mean error of what GPUs serve rounded, 4%" c.txt'
ok "compare on one thread" eval 'beside --cache-type paper=f8,author=i8 --features $files --threads 1 -o C1.json >/dev/null; cmp C.json C1.json'
ok "rows that overflow are told, and are in no mean" eval 'py make huge.npy f4 $papers 128 5 && python3 -c "
b = bytearray(open(\"huge.npy\", \"rb\").read()); b[128:128 + 512 * 400] = (b\"\\x00\\x00\\x80\\x4f\" * 128) * 400; open(\"huge.npy\", \"wb\").write(b)" && beside --cache-type paper=f16 --features huge.npy -o CO.json >o.txt && grep -q "reads per epoch get rows that overflow" o.txt && python3 -c "
import json
for r in json.load(open(\"CO.json\"))[\"rows\"]:
    e = r[\"expected_error\"]
    assert e[\"overflowed_reads\"] > 1 and 0 < e[\"mean\"] < 0.001, e"'
words='add author=FILE' ok "compare needs the errors of every type" refuses beside --cache-type paper=f8,author=i8 --features paper=paper.npy
words='needs --cache-type' ok "compare with features alone" refuses beside --features $files
ok "compare on one type" eval '"$HOTSET" compare --graph G --server dgx-v100:2 --policy hotset,legion --budget 2% --fanout 4,2 --batch 40 --presample-epochs 2 --simulate-epochs 1 --cache-type f16 --quiet -o CP.json >/dev/null && grep -q "cache_type" CP.json'
finish
