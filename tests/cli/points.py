"""points.py KIND: the points over the figures of page-KIND against KIND.json and against each other: what they say, how many there are, where they stand."""
import csv
import glob
import html
import json
import math
import re
import sys

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "%": 0.01, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def figures(page):
    """Title without its subject: a list of (series, text, x, y, wide, tall)."""
    out = {}
    for label, inside in re.findall(r'<svg class="over"[^>]*aria-label="Values: (.*?)">(.*?)</svg>', page, re.S):
        points = []
        for series, group in re.findall(r'<g role="group"[^>]*aria-label="(.*?)">(.*?)</g>', inside, re.S):
            for x, y, w, h, text in re.findall(r'<rect x="([-\d.]+)" y="([-\d.]+)" width="([\d.e+]+)" height="([\d.e+]+)"[^>]*><title>(.*?)</title>', group):
                points.append((html.unescape(series), html.unescape(text), float(x) + float(w) / 2, float(y) + float(h) / 2, float(w), float(h)))
        out[html.unescape(label).rsplit(" (", 1)[0]] = points
    return out


def same(text, value):
    """Whether a number with its unit is a value, to half of its last digit."""
    found = re.fullmatch(r"([-+]?[\d.]+(?:e[+-]?\d+)?) ?(\D*)", text)
    assert found, text
    decimals = len(found[1].split("e")[0].partition(".")[2])
    exponent = int(found[1].partition("e")[2] or 0)
    unit = UNITS[found[2].split(" left")[0].strip()]
    assert abs(float(found[1]) * unit - value) <= 0.501 * unit * 10.0 ** (exponent - decimals) + 1e-9 * abs(value), (text, value)


def straight(pairs, what):
    """Pixels are a linear function of the values, to a pixel."""
    assert len(pairs) > 1, what
    n, sx, sy = len(pairs), sum(v for v, _ in pairs), sum(p for _, p in pairs)
    sxx, sxy = sum(v * v for v, _ in pairs), sum(v * p for v, p in pairs)
    spread = n * sxx - sx * sx
    if spread <= 1e-18 * max(1, sxx): return
    slope = (n * sxy - sx * sy) / spread
    for v, p in pairs: assert abs(p - (sy / n + slope * (v - sx / n))) < 1.2, (what, v, p)


def said(points, records, straight_by=None):
    """The texts of points are those of the records [(series, words before the number, value)], whatever their order."""
    left = {}
    for p in points: left.setdefault((p[0], p[1].rpartition(": ")[0]), []).append(p)
    for series, words, value in records:
        found = left.get((series, words))
        assert found, (series, words, sorted(left)[:6])
        p = found.pop(0)
        if not found: del left[series, words]
        same(p[1].rpartition(": ")[2], value)
        if straight_by is not None: straight_by.append((value, p))
    assert not left, ("more is said", list(left)[:4])


def bars(pairs, what):
    """Bars stand on one line, and are as tall as their values, where they are not made taller to be hit."""
    straight([(v, p[5]) for v, p in pairs if p[5] > 8.5], what)
    feet = {round(p[3] + p[5] / 2) for v, p in pairs if p[5] > 8.5}
    assert max(feet) - min(feet) <= 1, (what, feet)


def executed(d, f):
    names = ["sample", "look up", "gather own", "gather peer", "gather host"]
    at, keys = [], [k for k in d["gpus"][0]["stages"] if k.startswith(("sample", "look", "gather"))]
    said(f["Time of a mini-batch by stage"], [(n, "GPU %d, %s" % (g["id"], n), g["stages"][k]["median_seconds"]) for n, k in zip(names, keys) for g in d["gpus"]], at)
    bars(at, "stages")
    at = []
    sweep = d["sweep"]["points"]
    records = [(k, "alpha %.3g, %s" % (p["alpha"], k), p[k]["total_transactions"]) for k in ("predicted", "simulated", "counted") for p in sweep]
    times = [(n, "alpha %.3g, %s" % (p["alpha"], n), p["seconds"][k]) for n, k in (("gather host", "gather_host"), ("all stages", "total")) for p in sweep]
    said(f["Transactions and time by alpha"], records + times, at)
    straight([(v, p[3]) for v, p in at[:len(records)]], "transactions")
    straight([(v, p[3]) for v, p in at[len(records):]], "seconds")
    for part in (at[:len(records)], at[len(records):]): straight([(float(p[1].split()[1].rstrip(",")), p[2]) for v, p in part], "alpha")
    at = []
    kinds = [k for k in ("predicted", "simulated", "counted", "measured") if d["totals"].get(k) and d["totals"][k]["feature_transactions"] is not None and d["totals"][k]["topology_transactions"] is not None]
    said(f["Transactions per epoch"], [(n, "%s, %s" % (k, n), d["totals"][k][m]) for n, m in (("topology", "topology_transactions"), ("features", "feature_transactions")) for k in kinds], at)
    straight([(v, p[5]) for v, p in at], "parts of bars")


def size(d, f):
    labels = [c["label"] for c in d["curves"]]
    of = lambda i: [c for c in d["candidates"] if c["curve"] == i]
    shown = d["shown"]
    curve = [(s, "%s, %s per GPU" % (labels[shown], style_bytes(c["budget_bytes"])), c) for c in of(shown) for s in ("features", "topology", "epoch time")]
    points = f["Effect of the cache size"]
    value = {"features": "feature_hit_rate", "topology": "topology_hit_rate", "epoch time": "best_epoch_seconds"}
    word = {"features": "feature hit rate ", "topology": "topology hit rate ", "epoch time": "epoch time "}
    strip = lambda ps: [(p[0], re.sub(r": [a-z ]*(?=[\d.-])", ": ", p[1])) + p[2:] for p in ps]
    at = []
    said(strip(points), [(s, w, c[value[s]]) for s, w, c in curve], at)
    rates = [(v, p) for v, p in at if p[0] != "epoch time"]
    straight([(v, p[3]) for v, p in rates], "rates")
    straight([(c["budget_bytes"], p[2]) for (s, w, c), (v, p) in zip(curve, at) if s != "epoch time"], "caches")
    at = []
    many = len(d["curves"]) > 7  # the first view has at most seven lines, the answer's among them
    if many:
        first = {p[1].rpartition(", ")[0] for p in f["Cache size by configuration"]}
        drawn = {c["label"] for c in d["curves"]}
        assert len(first) == 7 and first <= drawn and labels[d["answer"]["curve"]] in first, first
    said([(None,) + p[1:] for p in strip(f["Cache size, all configurations" if many else "Cache size by configuration"])], [(None, "%s, %s per GPU" % (labels[c["curve"]], style_bytes(c["budget_bytes"])), c["feature_hit_rate"]) for c in d["candidates"]], at)
    straight([(v, p[3]) for v, p in at], "rates of all")
    # The panels of the first figure: what the answer says, of every option.
    options, points = d["options"], f["Time and money of each option" if any(o["cost"] is not None for o in d["options"]) else "Time of each option"]
    for key in ["training_seconds" if d["run"]["told"] else "epoch_seconds", "cost"]:
        of = [o for o in options if o[key] is not None]
        panel, points, pairs = points[:len(of)], points[len(of):], []
        for o in of:
            (p,) = [p for p in panel if p[1].startswith("%d x %s: " % (o["servers"], o["label"]))]
            numbers = re.fullmatch(r".*: (.*), (.*) to (.*)", p[1])
            for text, v in zip(numbers.groups(), [o[key], *o[key + "_interval"]]): same(text, v)
            pairs.append((sum(o[key + "_interval"]) / 2, p[2]))
        straight(pairs, "middles of intervals")
    assert not points
    names = {k: sum(p[0] == k for p in f["Who is not beaten"]) for k in ("frontier", "other candidates")}
    expected = len(d["frontier"]["hit_memory"]) + len(d["frontier"].get("time_cost") or d["frontier"]["time_memory"])
    assert names["frontier"] == expected, (names, expected)
    cells = [v for row in d["vary"]["values"] for v in row if v is not None]
    (points,) = [ps for title, ps in f.items() if title.startswith("Feature hit rate by ")]
    assert len(points) == len(cells), (len(points), len(cells))
    for p, v in zip(points, cells): same(p[1].rpartition(": ")[2], v)


def style_bytes(v):
    units, step = ["B", "KiB", "MiB", "GiB"], 0
    while v >= 1023.5 and step < 3: v, step = v / 1024, step + 1
    return "%.*f %s" % (0 if not step or v >= 99.95 else 2 if v < 9.995 else 1, v, units[step])


def advice(d, f):
    steps = sorted([l for l in d["levers"] if l["advised"]], key=lambda l: l["place"])
    word = lambda name: "assignment" if name == "deal" else name.replace("reach ", "peer access ")
    for key, title in ("seconds", "time"), ("transactions", "reads"): waterfall(d, steps, word, key, f["What the levers save together: " + title])


def waterfall(d, steps, word, key, points):
    bars_of = [("today", d["today"]["value"][key])] + [(word(l["name"]), l["on_top"][key]) for l in steps]
    texts = [p[1] for p in sorted(points, key=lambda p: p[2])]
    assert len(texts) <= len(bars_of) + 1 and texts[0].startswith("today: ") and texts[-1].startswith("together: "), texts
    values = dict(bars_of)
    for t in texts[:-1]: same(t.rpartition(": ")[2].replace(" left", ""), values[t.rpartition(": ")[0]])
    same(texts[-1].rpartition(": ")[2].replace(" left", ""), values[texts[-2].rpartition(": ")[0]])
    ordered = sorted(points, key=lambda p: p[2])
    left = [values[t.rpartition(": ")[0]] for t in texts[:-1]]
    for k in range(1, len(left)): assert abs(abs(left[k - 1] - left[k]) / left[0] * ordered[0][5] - ordered[k][5]) < 1.2 or ordered[k][5] <= 8.5, (k, ordered[k])


def drift(d, f):
    features = any(s["feature_hit_rate"] > 0 for s in d["schemes"])
    key, at = "feature_hit_rate" if features else "topology_hit_rate", []
    said(f["Hit rate window by window"], [(s["scheme"], "%s, window %d" % (s["scheme"], w["window"]), w[key]) for s in d["schemes"][:7] for w in s["windows"]], at)
    straight([(v, p[3]) for v, p in at], "hit rates")


def inference(d, f):
    """Each figure has the numbers of one CSV, which the page's tables are tested by elsewhere."""
    tables = [[r for r in csv.reader(open(file)) if r[4]][1:] for file in glob.glob("page-inference/data/*.csv")]
    for title, points in f.items():
        (rows,) = [t for t in tables if {r[2] for r in t} == {p[1].split(",")[0] for p in points}]
        at = []
        said(points, [(r[1], r[2] + ", " + r[1], float(r[4])) for r in rows], at)
        bars(at, title)


def validation(d, f):
    all_of = [(c, p) for c in d["cases"] for p in c["measured"]]
    for title in ("How far off the predictions are", "Predicted against measured"):
        points = {}
        for p in f[title]: points.setdefault(p[1], p)
        assert len(f[title]) == len(all_of), (title, len(f[title]), len(all_of))
        pairs = []
        for c, p in all_of:
            text = "%s, %s: measured %.4g, predicted %.4g %s, %+.1f %%" % (c["name"], p["name"], p["measured"], p["predicted"], c["unit"], 100 * p["error"])
            assert text in points, (text, list(points)[:3])
            pairs.append((c["unit"], p, points[text]))
        if title.startswith("How"): straight([(p["error"], q[2]) for u, p, q in pairs], title)
        else:
            for unit in {u for u, p, q in pairs}:
                straight([(math.log(p["measured"]), q[2]) for u, p, q in pairs if u == unit], "measured")
                straight([(math.log(p["predicted"]), q[3]) for u, p, q in pairs if u == unit], "predicted")


def claims(d, f):
    count = 0
    for file in glob.glob("page-claims/figures/*.csv"):
        rows = [r for r in list(csv.reader(open(file)))[1:] if r[4]]
        name = json.load(open(file.replace(".csv", ".json")))["title"]
        (points,) = [p for title, p in f.items() if title == name or title.startswith(name) or name.startswith(title)]
        assert len(points) == len(rows), (file, len(points), len(rows))
        for (series, text, x, y, w, h), r in zip(points, rows):
            assert series == r[1] and text.startswith(r[1] + ", "), (text, r)
            same(text.rpartition(": ")[2], float(r[4]))
            count += 1
        for panel in {r[0] for r in rows}:
            pairs = [(float(r[4]), p) for p, r in zip(points, rows) if r[0] == panel]
            if pairs[0][1][4] == 12 == pairs[0][1][5]: straight([(v, p[3]) for v, p in pairs], panel)
    assert count > 20


def on_marks(page):
    """How many points lie, to two pixels, on a mark that gnuplot drew; all of a figure that has a mark for each must."""
    count = 0
    for body, over in re.findall(r'<svg role="img"((?:(?!<svg role).)*?</svg>)\s*<svg class="over"(.*?)</svg>', page, re.S):
        marks = [(float(x), float(y)) for x, y in re.findall(r"<use [^>]*transform='translate\(([\d.]+),([\d.]+)\)", body)]
        points = [(float(x) + float(w) / 2, float(y) + float(h) / 2) for x, y, w, h in
                  re.findall(r'<rect x="([-\d.]+)" y="([-\d.]+)" width="([\d.e+]+)" height="([\d.e+]+)"', over)]
        if len(marks) < len(points) or re.search(r'<rect [^>]*width="(?!12")', over): continue  # bars
        for x, y in points: assert any(abs(x - a) < 2 and abs(y - b) < 2 for a, b in marks), ("no mark below a point", x, y, over[:200])
        count += len(points)
    return count


kind = sys.argv[1]
page = open("page-%s/index.html" % kind).read()
globals()[kind](json.load(open(kind + ".json")), figures(page))
assert on_marks(page) >= {"drift": 21, "size": 20, "claims": 10}.get(kind, 0), (kind, on_marks(page))
