"""answer_pages.py NAME | front NAME..: holds page-NAME/index.html against NAME.json, which it reads by itself."""
import csv
import glob
import html
import json
import re
import sys

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "%": 0.01, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def text(part):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", part)).split())


def tables(page):
    """Caption: rows of cells, without the head."""
    out = {}
    for t in re.findall(r"<table>(.*?)</table>", page, re.S):
        rows = [[text(c) for c in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", r, re.S)] for r in re.findall(r"<tr[^>]*>(.*?)</tr>", t, re.S)]
        out.setdefault(text(re.search(r"<caption>(.*?)</caption>", t, re.S)[1]), []).append(rows[1:])
    return out


def number(cell):
    found = re.fullmatch(r"[+]?(-?[\d.]+(?:e[+-]?\d+)?) ?(\D*)", cell)
    return None if cell in ("-", "") else float(found[1]) * UNITS[found[2]]


def same(cell, value, what):
    """Whether a cell is a value, to half of its last digit."""
    shown = number(cell) if not isinstance(value, str) else cell
    if isinstance(value, str) or value is None:
        assert shown == value, (what, cell, value)
        return
    digits = re.search(r"\.(\d+)", cell)
    last = UNITS[re.fullmatch(r"[-+\d.e]+ ?(\D*)", cell)[1]] * 10.0 ** -(len(digits[1]) if digits else 0)
    assert shown is not None and abs(shown - value) <= 0.501 * last + 1e-9 * abs(value), (what, cell, value)


def path(d, keys):
    for k in keys.split("."): d = d.get(k) if d else None
    return d


def hold(rows, records, keys):
    """Every row is its record: keys[i] is the path of column i (None: not looked at); a function of the record where it is computed."""
    assert len(rows) == len(records) > 0, (len(rows), len(records))
    for row, r in zip(rows, records):
        for cell, key in zip(row, keys):
            if key: same(cell, key(r) if callable(key) else path(r, key), (row[0], key))


def label(x):
    rows = x["kind"] + (" " + x["type"] if "type" in x else "")
    return rows + (" %s-%s->%s" % (x["source"], x["relation"], x["target"]) if "relation" in x else "")


def bars(name, what, values):
    """The CSV of a figure, a record per bar, series by series: the values row by row. What has no name marks bars."""
    (file,) = glob.glob("page-%s/data/*-%s.csv" % (name, what))
    found = [float(r[3]) if r[3] else None for r in sorted([r for r in list(csv.reader(open(file)))[1:] if r[1]], key=lambda r: float(r[4]))]
    assert len(found) == len(values), (what, len(found), len(values))
    for a, b in zip(found, values): assert (a is None) == (b is None) and (b is None or abs(a - b) <= 1e-6 * abs(b)), (what, a, b)


def says(sentence, *parts):
    for p in parts: assert p in sentence, (p, sentence)


def near(sentence, pattern, value):
    found = re.search(pattern, sentence)
    assert found, (pattern, sentence)
    same(found[1], value, pattern)


def diff(d, t, sentence, name):
    sum_of = lambda g, *keys: sum(g[p][k]["bytes"] for p in ("feature", "topology") for k in keys)
    says(sentence, "From %s (%s)" % (d["before"]["path"], d["before"]["policy"]), "to %s (%s)" % (d["after"]["path"], d["after"]["policy"]))
    near(sentence, r"GPUs load ([\d.]+ .?i?B)", sum(sum_of(g, "added", "moved_in") for g in d["gpus"]))
    total = d["simulated"]["total_transactions"]
    near(sentence, r"([\d.]+ %) " + ("fewer" if total["change"] < 0 else "more"), abs(total["change"]))
    bars(name, "moves", [sum_of(g, *k) for g in d["gpus"] for k in (("kept",), ("added", "moved_in"), ("removed", "moved_out"))])
    amounts = ("before", "after", "kept", "added", "removed", "moved_in", "moved_out")
    hold(t["Training vertices"][0], d["gpus"], ["id"] + ["train.%s.rows" % a for a in amounts])
    if "tables" in d["gpus"][0]: hold(t["Rows of each type and relation"][0], [dict(x, gpu=g["id"]) for g in d["gpus"] for x in g["tables"]], [label, "gpu"] + [a + ".rows" for a in amounts])
    for k in ("Feature", "Topology"): hold(t[k + " rows"][0], d["gpus"], ["id"] + ["%s.%s.rows" % (k.lower(), a) for a in amounts])
    if "How caches are split" in t: hold(t["How caches are split"][0], d["cliques"], [None, "alpha_before", "alpha_after"])
    for rows, how in zip(t["What both plans read"], ("simulated", "predicted")): same(rows[0][2], d[how]["total_transactions"]["after"], how)


def explain(d, t, sentence, name):
    cliques = d["pools"]
    if "tables" in cliques[0]:
        all_of = [dict(x, clique=c["clique"], gpus=c["gpus"]) for c in cliques for x in c["tables"]]
        by = {}
        for x in all_of: by[label(x)] = by.get(label(x), 0) + x["transactions_saved"]
        best = max(by, key=by.get)
        says(sentence, "; most by %s rows," % best)
        near(sentence, r"rows, ([\d.]+ ?[kM]?)\.", by[best])
        near(sentence, r"which save ([\d.]+ ?[kM]?) of", sum(by.values()))
        near(sentence, r" of ([\d.]+ ?[kM]?) expected", sum(x["transactions"] for x in all_of))
        near(sentence, r"GPUs hold ([\d.]+ .?i?B)", sum(x["held_bytes"] for x in all_of))
        hold(t["What the rows of each type and relation take and save"][0], all_of,
             [label, "clique", lambda x: ", ".join(map(str, x["gpus"])), "held_rows", "rows", "held_bytes", lambda x: x["bytes"] / x["rows"], "reads", "transactions_saved",
              lambda x: x["transactions_saved"] / x["transactions"] if x["transactions"] else None, "saved_per_byte_densest", "saved_per_byte_least_held", "saved_per_byte_best_left"])
        bars(name, "saved", [v for x in all_of for v in (x["transactions_saved"], x["transactions"] - x["transactions_saved"])])
        bars(name, "tables", [x[k] and x[k] * 2**20 for x in all_of for k in ("saved_per_byte_least_held", "saved_per_byte_best_left")])
        return
    rows = [dict(x, clique=c["clique"], saved=x["transactions_saved_per_epoch"], copies=x["held"]) for c in cliques for x in c["rows"]]
    hold(t["Its rows in every clique"][0], rows,
         [label, "clique", None, "bytes", lambda x: x.get("visits_per_epoch", x.get("mini_batches_per_epoch")), "saved", "saved_per_byte", "rank", "of", lambda x: ", ".join("GPU %d slot %d" % (h["gpu"], h["slot"]) for h in x["copies"]) or "no", "more_bytes"])
    reads = []
    for k in (k for k in d["readers"][0] if k != "gpu"):
        by = {s: [(r["gpu"], r[k]["gpu"]) for r in d["readers"] if r[k]["source"] == s] for s in ("own", "peer", "host")}
        reads.append([k] + [", ".join("%d from %d" % x if s == "peer" else "%d" % x[0] for x in by[s]) or "-" for s in by])
    assert [c[:] for c in t["Where each GPU reads them"][0]] == reads, (t["Where each GPU reads them"], reads)
    below = [(k, ", ".join(x["held_by"]), r) for k, x in d.get("memories", {}).items() for r in x["read_from"]]
    assert [c[:] for c in t.get("Below the GPUs", [[]])[0]] == [[k, held, ", ".join(map(str, r["gpus"])), r["place"] or "-"] for k, held, r in below], (t.get("Below the GPUs"), below)
    missing = [x for x in rows if not x["copies"] and x["more_bytes"]]
    if missing: near(sentence, r"would need ([\d.]+ .?i?B)", min(x["more_bytes"] for x in missing))
    bars(name, "row", [v for x in rows for v in (x["saved"] / x["bytes"] * 2**20, x["last_row_taken"]["saved_per_byte"] * 2**20 if x.get("last_row_taken") else None)])


def refresh(d, t, sentence, name):
    near(sentence, r"Loading (\d+) rows", d["rows_to_load"])
    near(sentence, r"rows \(([\d.]+ .?i?B)\)", d["bytes_to_load"])
    if d["pays_after_epochs"] is not None: near(sentence, r"pays after ([\d.]+) epochs", d["pays_after_epochs"])
    shares = ("feature_reads_served.local", "feature_reads_served.peer", "feature_reads_served.host", "simulated.topology_hit_rate", "predicted.feature_hit_rate", "predicted.topology_hit_rate")
    bars(name, "served", [path(d[side], s) for s in shares for side in ("before", "after")])
    bars(name, "load", [g["feature"]["bytes_to_load"] + g["topology"]["bytes_to_load"] for g in d["gpus"]])
    hold(t["Rows that each GPU keeps, loads and drops"][0], d["gpus"], ["id"] + ["%s.%s" % (k, a) for k in ("feature", "topology") for a in ("kept", "to_load", "dropped")] + ["feature.from_peers", "topology.from_peers", "seconds_to_load"])
    hold(t["What crosses each PCIe uplink"][0], d["uplinks"], ["switch", lambda u: ", ".join(map(str, u["gpus"])) if len(u["gpus"]) > 1 else u["gpus"][0], "bytes_to_load", "seconds_to_load", "bytes_before", "bytes_after"])
    if d["nvlinks"]: hold(t["What crosses each NVLink"][0], d["nvlinks"], ["from", "to", "bytes_to_load", "seconds_to_load", "bytes_before", "bytes_after"])
    for row, k in zip(t["What the plan reads from the host"][0], ("predicted", "simulated")): same(row[1], d["before"][k]["total_transactions"], k), same(row[2], d["after"][k]["total_transactions"], k)


def observe(d, t, sentence, name):
    says(sentence, "%d of %d counts differ" % (d["differ"], d["noise"]["comparisons"]))
    near(sentence, r"hold ([\d.]+ %)", d["feature_hit_rate"]["observed"])
    near(sentence, r"([\d.]+ %) in simulation", d["feature_hit_rate"]["simulated"])
    bars(name, "host", [g["rows_per_batch"]["host"][k] for g in d["gpus"] for k in ("simulated", "observed")])
    records = [dict(g["rows_per_batch"][p], of="GPU %d %s" % (g["id"], g["table"]), place=w) for g in d["gpus"] for p, w in (("own", "own memory"), ("peer", "peers"), ("host", "the host"))]
    rows = t["Feature rows per mini-batch, seen and simulated"][0]
    assert len(rows) == len(records)
    for row, r in zip(rows, records):
        assert row[:2] == [r["of"], r["place"]] and row[6] == ("differs" if r["differs"] else "noise"), (row, r)
        for cell, k in zip(row[2:6], ("observed", "simulated", "difference", "noise")): assert abs(float(cell) - r[k]) <= 0.051, (row, r)


def what_if(d, t, sentence, name):
    says(sentence, "An epoch of %s takes" % d["of"], ": %s, and" % d["decision"])
    near(sentence, r"takes ([\d.]+ [um]?s)", d["epoch_seconds"])
    flips = [(i, f) for i in d["inputs"] for f in i["flips"]]
    for i, f in flips: says(sentence, "%s at x %.3g" % (i["name"], f["factor"]), "(%s)" % f["decision"])
    assert ("no input changes that" in sentence) == (not flips), sentence
    bars(name, "tornado", [max(d["epoch_seconds"], i["low"]["epoch_seconds"], i["high"]["epoch_seconds"]) for i in d["inputs"]])
    (file,) = glob.glob("page-%s/data/*-tornado.csv" % name)
    marks = [r for r in list(csv.reader(open(file)))[1:] if not r[1]]
    assert [int(r[4]) for r in marks] == [d["inputs"].index(i) for i, f in flips], marks
    for r, (i, f) in zip(marks, flips): assert abs(float(r[3]) - f["epoch_seconds"]) <= 1e-6 * f["epoch_seconds"], r
    for i, f in flips: # a flip lies on the way from now to the end at which it is
        ends = sorted([d["epoch_seconds"], i["low" if f["factor"] < 1 else "high"]["epoch_seconds"]])
        assert ends[0] <= f["epoch_seconds"] * (1 + 1e-9) and f["epoch_seconds"] <= ends[1] * (1 + 1e-9), (f, ends)
    hold(t["Inputs moved alone, widest first"][0], d["inputs"], ["name", None, None, "low.epoch_seconds", "high.epoch_seconds"])
    hold(t["What the inputs are"][0], d["inputs"], ["name", "what", "source"])
    hold(t["What was compared"][0], d["subjects"], ["name", "epoch_seconds", "binds"])
    if "plans" in name: assert not flips and len(d["subjects"]) == 3
    else: assert len(flips) >= 2, "choose another time"


def bench(d, t, sentence, name):
    shares = [r["share_of_limit"] for r in d["rows"]]
    says(sentence, "%d of %d operations" % (sum(s >= 0.5 for s in shares), len(shares)), "the least is %s with" % min(d["rows"], key=lambda r: r["share_of_limit"])["name"])
    bars(name, "share", shares)
    hold(t["Operations and stages"][0], d["rows"], ["name", "backend", "seconds", "best_seconds", "per_second", "items", "limit_seconds", "share_of_limit"])
    hold(t["Random loads of 4 bytes"][0], d["limits"]["gathers"], ["span_bytes", "loads_per_second"])


def nodes_sizes(d, t, sentence, name):
    a = d["answer"]
    if a and a["epoch_seconds"] is not None:
        network = "s, %g GB/s" % a["nic_gbps"] if a["nodes"] > 1 else ""
        says(sentence, "%d node%s, alpha %g:" % (a["nodes"], network, a["alpha"]))
        near(sentence, r"needs ([\d.]+ .?i?B)", a["memory_bytes"])
        near(sentence, r"epoch takes ([\d.]+ [um]?s)", a["epoch_seconds"])
    for what, key in (("epoch", "epoch_seconds"), ("network", "network_seconds"), ("rows", "remote_rows")):
        most = [max(p[key] for p in s["points"]) if s["points"][0][key] is not None else None for s in d["sizes"]]
        if any(m is None for m in most): assert not glob.glob("page-%s/data/*-%s.csv" % (name, what))
        else: bars(name, what, most)
    hold(t["Numbers of nodes, networks and copies"][0], [dict(p, nodes=s["nodes"], nic=s["nic_gbps"]) for s in d["sizes"] for p in s["points"]],
         ["nodes", "nic", "alpha", "memory_bytes", "remote_rows", "network_seconds", "epoch_seconds", "slower"])


def verification(d, t, sentence, name):
    if "checks" not in d:
        says(sentence, d["plan"] + ": " + d["result"])
        return
    hold(t["What was checked"][0], d["checks"], ["check", "what", "result"])
    left = [c["check"] for c in d["checks"] if c["result"] == "not checked"]
    says(sentence, "%s: %d of %d checks hold" % (d["plan"], len(d["checks"]) - len(left), len(d["checks"])), *left)
    assert ("not checked" in sentence) == (len(left) > 0), sentence


def inference_size(d, t, sentence, name):
    if d["answer"]: says(sentence, d["answer"])
    says(sentence, "%d of %d ways fit" % (sum(r["fits"] for r in d["rows"]), len(d["rows"])))
    for what, key in (("time", "seconds"), ("host", "host_bytes"), ("peak", "gpu_peak_bytes")): bars(name, what, [r[key] if r["fits"] else None for r in d["rows"]])
    rows = t["Servers, orders and chunks"][0]
    hold(rows, d["rows"], ["server", "gpus", "order", "chunk.limit", "chunk.unit", "seconds", "host_bytes", "ssd_bytes", "nvlink_bytes", "written_bytes"])
    rows = t["What it holds at most"][0]
    hold(rows, d["rows"], ["server", "order", "chunk.limit", "gpu_peak_bytes", "host_peak_bytes", "ssd_peak_bytes"])
    for cells, r in zip(rows, d["rows"]): assert cells[6] == (r["why"] or "-"), (cells, r["why"])


def page_of(name):
    page = open("page-%s/index.html" % name).read().replace("\u00a0", " ")
    return page, text(re.search(r'<p class="lead">(.*?)</p>', page, re.S)[1])


if sys.argv[1] == "front":
    front = text(open("front/index.html").read().replace("\u00a0", " "))
    for name in sys.argv[2:]: says(front, page_of(name)[1])
else:
    name = sys.argv[1]
    d = json.load(open(name + ".json"))
    page, sentence = page_of(name)
    {"diff": diff, "explain": explain, "refresh": refresh, "observation": observe, "what-if": what_if, "bench": bench, "nodes-sizes": nodes_sizes, "verification": verification, "inference-size": inference_size}[d["schema"].split("/")[0]](d, tables(page), sentence, name)
