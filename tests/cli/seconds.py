"""usage: seconds.py R.json table|-: what compare says against its own document. Ties are worked out again from the stages (model/time.md).
Prints what is wrong, and as its last line how many ties and rows there were."""
import json, math, re, sys

STAGES = ["sample", "load", "transfer", "propagate", "network", "storage"]
document = json.load(open(sys.argv[1]))
rows = [r for r in document["rows"] if r["simulated"]]
factors = {s: math.log(document["epoch_factors"][s]) for s in STAGES}


def seconds(row, moved):
    """moved: {stage: logarithm}, "share": of the unoverlapped, "all": logarithm."""
    e = row["simulated"]["epoch_time"]
    stage = [e["stages"].get(s, 0) * math.exp(moved.get(s, 0)) for s in STAGES]
    share = min(1, e["unoverlapped"] * (1 + moved.get("share", 0)))
    return e["iterations"] * (max(stage) + share * (sum(stage) - max(stage))) * math.exp(moved.get("all", 0))


def resource(row, stage):
    limit = row["simulated"]["epoch_time"]["limits"].get(stage, "")
    return {"sam": "GPU"}.get(limit[:3], limit[:3])


def deal(row): return row["deal"]["chosen"], row["deal"]["partition"], row["reach"]


def counts(row):
    low, high = row["simulated"].get("total_interval") or (0, 0)
    return math.log1p((high - low) / 2 / row["simulated"]["total_transactions"]) if row["simulated"]["total_transactions"] else 0


def tie(a, b):
    if seconds(a, {}) > seconds(b, {}): a, b = b, a
    causes = [("share", 1, 1, 1)]  # what, of a, of b, how far
    for s in STAGES:
        ra, rb = resource(a, s), resource(b, s)
        causes += [(s, 1, 1, factors[s])] if not ra or not rb or ra == rb else [(s, 1, 0, factors[s]), (s, 0, 1, factors[s])]
    if deal(a) != deal(b): causes += [("all", 1, 0, counts(a)), ("all", 0, 1, counts(b))]
    ahead = lambda by_a, by_b: math.log(seconds(b, by_b) / seconds(a, by_a))
    now, alone = ahead({}, {}), []
    for what, of_a, of_b, far in causes:
        side = min((-1, 1), key=lambda x: ahead({what: x * far} if of_a else {}, {what: x * far} if of_b else {}))
        alone.append((max(0, now - ahead({what: side * far} if of_a else {}, {what: side * far} if of_b else {})), side * far))
    whole, by_a, by_b = math.sqrt(sum(x * x for x, _ in alone)), {}, {}
    for (what, of_a, of_b, _), (closer, far) in zip(causes, alone):
        for of, by in ((of_a, by_a), (of_b, by_b)):
            if of and whole: by[what] = by.get(what, 0) + far * closer / whole
    left = ahead(by_a, by_b)
    return None if abs(left) < 1e-7 and now > 1e-7 else left <= 1e-12  # None: too near to say


# intervals: all stages at once, and what measured epochs were off beyond their stages, which is the same of all rows of a server whose GPUs
# were measured
spare = []
for r in rows:
    e = r["simulated"]["epoch_time"]
    for end, side in zip(e.get("interval", ()), (-1, 1)):
        by = math.log(seconds(r, {s: side * factors[s] for s in STAGES}) / seconds(r, {}))
        spare.append(math.log(end / e["seconds"]) ** 2 - by ** 2)
        if side * math.log(end / e["seconds"]) < 0.05: print("interval", e["interval"], e["seconds"])
of_server = {}
for r, x in zip([r for r in rows for _ in range(2)], spare): of_server.setdefault(r["server"], []).append(x)
if len(spare) < 2 * len(rows) or min(spare) < -1e-5 or any(max(x) - min(x) > 1e-5 for s, x in of_server.items() if s in ("dgx-v100", "dgx-h100")): print("intervals", of_server)

found = 0
for group in {(r["server"], r["budget"]) for r in rows}:
    mine = [r for r in rows if (r["server"], r["budget"]) == group]
    for r in mine:
        found += len(r.get("ties", []))
        for other in mine:
            want = r is not other and tie(r, other)
            if want is not None and want != (other["policy"] in r.get("ties", [])): print(group, r["policy"], other["policy"], "tie" if want else "no tie")
    if sys.argv[2] == "-": continue
    # the table: sorted by seconds, then reads; what the answer names stands in it
    text = open(sys.argv[2]).read().split("\n")
    lines = [x for x in text if re.match(r"\S+( = \S+)* +(own|direct|forward|p2p) .* (us|ms|s) ", x)]
    unit = {"us": 1e-6, "ms": 1e-3, "s": 1}
    shown = [float(t[1]) * unit[t[2]] for t in (re.search(r" ([\d.]+) (us|ms|s) ", x) for x in lines)]
    if shown != sorted(shown) or len(shown) < 5: print("order", shown)
    answer = next(x for x in text if " has the shortest epoch, " in x)
    names = re.match(r"(\S+).* has the shortest epoch, .*?(?:less than|as long as|tie with) (\S+)", answer)
    usable = sorted((r for r in mine if r["policy"] != "oracle" and not r.get("sampler_held_bytes", 0) > r["budget_bytes"]), key=lambda r: seconds(r, {}))
    best, ours = usable[0], lambda r: r["source"].startswith("this project")
    rival = next(r for r in usable if ours(r) != ours(best))
    for name, want in (names[1], best), (names[2], rival):  # of equals any
        same = [r["policy"] for r in usable if ours(r) == ours(want) and abs(seconds(r, {}) / seconds(want, {}) - 1) < 1e-6]
        if not any(p.split(" ")[0] == name.strip(",:") for p in same): print(name, "is named for", same, answer)
    for name in names[1].strip(","), names[2].strip(","):
        if not any(re.search(r"(^|= )%s " % re.escape(name), x) for x in lines): print(name, "does not stand in the table")
    if not any("; nothing cached: " in x for x in text[text.index(answer) + 1:][:3]): print("nothing cached is not said")
    gnnlab = next(r for r in mine if r["policy"] == "gnnlab")
    bytes_of = lambda key: sum(c[key] for c in gnnlab["cliques"])
    if gnnlab["held_bytes"] != bytes_of("topology_bytes") + bytes_of("feature_bytes"): print("held", gnnlab["held_bytes"])
    if gnnlab["held_budget_bytes"] != gnnlab["budget_bytes"] * sum(len(c["gpus"]) for c in gnnlab["cliques"]): print("budgets", gnnlab["held_budget_bytes"])
    for x in lines:
        if x.startswith("gnnlab ") and not x.rstrip().endswith("more memory"): print("gnnlab is not marked", x)
        note = x.rstrip().split("  ")[-1].strip()
        r = next(r for r in mine if r["policy"] == x.split(" ")[0] and r["reach"] in x or r["policy"].startswith(x.split(" ")[0] + " --reach") and r["reach"] == x.split()[1])
        if ours(r) != ("ours" in note): print("whose", x)
print(found > 0, len(rows) > 20)
