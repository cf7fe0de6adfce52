#!/usr/bin/env bash
# What size and advise tell before they are done: an interval of every server, then a narrower one, which is the document's; every lever when it is tried.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "early" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 20000 --edges 300000 --seed 3 -o G --quiet >/dev/null
cat >early.py <<'P'
import json, re, sys
notes = [json.loads(l)["note"] for l in open(sys.argv[1]) if l.startswith('{"note"')]
unit = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
seconds = lambda number, name: float(number.replace(",", "")) * unit[name]
d = json.load(open(sys.argv[2]))
near = lambda a, b: abs(a / b - 1) < 6e-3 # three digits
if d["schema"].startswith("size"):
    first, last = {}, {}
    for n in notes:
        server, a, au, b, bu, more = re.fullmatch(r"([\w.-]+): an epoch takes ([\d.,]+) (\w+) to ([\d.,]+) (\w+)(, refining)?", n).groups()
        assert server not in (first if more else last), n
        (first if more else last)[server] = seconds(a, au), seconds(b, bu)
    options = {o["label"]: o["epoch_seconds_interval"] for o in d["options"]}
    assert first and set(last) == set(options), (first, last, options) # those that run first may be known within a second, in which nothing is told
    for s, o in options.items():
        first.setdefault(s, (last[s][0] / 2, last[s][1]))
        assert near(last[s][0], o[0]) and near(last[s][1], o[1]), (s, last[s], o)
        assert first[s][0] <= last[s][0] * 1.006 and last[s][1] <= first[s][1] * 1.006, (s, first[s], last[s])
        assert first[s][1] / first[s][0] > 1.2 * last[s][1] / last[s][0], (s, first[s], last[s])
else:
    said = dict(re.fullmatch(r"(.+): an epoch takes ([\d.,]+ \w+)", n).groups() for n in reversed(notes)) # first alone, later on top of others
    assert near(seconds(*said["today"].split()), d["today"]["value"]["seconds"]), (said, d["today"])
    tried = [l for l in d["levers"] if l.get("alone")]
    told = [l for l in tried if any(near(seconds(*t.split()), l["alone"]["seconds"]) for n, t in said.items() if n != "today")]
    assert len(told) >= len(tried) - 2, (said, [(l["name"], l["alone"]) for l in tried]) # what took less than a second; twins share a note
P
"$HOTSET" size --graph G --server p3.16xlarge,g5.48xlarge,p4d.24xlarge --batch 100 --steps 3 --progress json -o S.json >/dev/null 2>told
ok "size: an interval of every server, and then the document's within it" python3 early.py told S.json
"$HOTSET" graph synth community --vertices 100000 --edges 1500000 --seed 3 -o Larger --quiet >/dev/null # today's setting takes more than a second
"$HOTSET" advise --graph Larger --server dgx-v100 --budget 5% --batch 500 --progress json -o A.json >/dev/null 2>told
ok "advise: today's seconds and every lever's" python3 early.py told A.json
"$HOTSET" size --graph G --server p3.16xlarge --batch 500 --steps 2 -o S2.json >/dev/null 2>told
ok "nothing of it where nobody watches" bash -c "! grep -q refining told"
finish
