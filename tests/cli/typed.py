"""Typed graphs from the outside: writes one random graph in every layout that is imported, and holds directories and plans against it.

usage: typed.py make FOLDER | same FOLDER G [undirected] | weights FOLDER G | plan G P | compare R.json P | explain G P TABLES VERTEX | trained P | printed P TEXT | diff P P2 D.json | export P E | page G P PAGE | batches G B | relabelled G G2

Shares nothing with hotset but the files: NumPy's format is written and read here.
"""
import array
import ast
import csv
import gzip
import json
import os
import re
import random
import struct
import sys

TYPES = {"paper": (40, 8, "f4"), "author": (30, 4, "f2"), "field": (7, 0, "")}
RELATIONS = [("author", "writes", "paper", 120), ("paper", "cites", "paper", 150), ("field", "about", "paper", 60), ("paper", "by", "author", 90)]


def npy_write(path, kind, shape, values):
    head = str({"descr": "<" + kind, "fortran_order": False, "shape": tuple(shape)}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    codes = {"i8": "q", "u4": "I", "f4": "f", "i4": "i"}
    data = array.array(codes[kind], values).tobytes() if kind in codes else bytes(2 * len(values))
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data)


def npy_read(path):
    raw = open(path, "rb").read()
    length, = struct.unpack("<H", raw[8:10])
    kind = ast.literal_eval(raw[10:10 + length].decode())["descr"][1:]
    a = array.array({"i8": "q", "u4": "I", "i2": "h", "f4": "f"}[kind])
    a.frombytes(raw[10 + length:])
    return list(a)


def graph():
    r = random.Random(15)
    edges = {(s, n, t): [(r.randrange(TYPES[s][0]), r.randrange(TYPES[t][0])) for _ in range(m)] for s, n, t, m in RELATIONS}
    train = sorted(r.sample(range(40), 25))
    return edges, train


def make(folder):
    edges, train = graph()
    for name in ("hetero", "processed", "ogb", "graphbolt"):
        os.makedirs(os.path.join(folder, name))
    at = lambda *p: os.path.join(folder, *p)
    # hetero.json and pairs
    doc = {"name": "made", "types": [], "relations": []}
    os.makedirs(at("weighted"))
    for name, (count, dim, kind) in TYPES.items():
        t = {"name": name, "count": count}
        if dim:
            t.update(feature_dim=dim, feature_type={"f4": "f32", "f2": "f16"}[kind])
        if name == "paper":
            t["train"] = "train.npy"
        doc["types"].append(t)
    for i, ((s, n, t), e) in enumerate(edges.items()):
        doc["relations"].append({"source": s, "name": n, "target": t, "edge_index": "e%d.npy" % i})
        npy_write(at("hetero", "e%d.npy" % i), "i8", (2, len(e)), [x for x, _ in e] + [y for _, y in e])
    npy_write(at("hetero", "train.npy"), "i8", (len(train),), train)
    json.dump(doc, open(at("hetero", "hetero.json"), "w"))
    # the same with weights: those of edges are 1, 2, .. of the relation's edges, by their place in the source
    for i, r in enumerate(doc["relations"]):
        for f in ("e%d.npy" % i, "train.npy"):
            with open(at("weighted", f), "wb") as to:
                to.write(open(at("hetero", f), "rb").read())
        if i < 2:
            m = len(edges[r["source"], r["name"], r["target"]])
            r["weights"] = "w%d.npy" % i
            npy_write(at("weighted", "w%d.npy" % i), "f4", (m,), range(1, m + 1))
    json.dump(doc, open(at("weighted", "hetero.json"), "w"))
    # MAG240M's and IGBH's folders: (m, 2) as IGBH has it, (2, m) as MAG240M
    for i, ((s, n, t), e) in enumerate(edges.items()):
        os.makedirs(at("processed", "processed", "%s__%s__%s" % (s, n, t)))
        flat = [v for p in e for v in p] if i % 2 else [x for x, _ in e] + [y for _, y in e]
        npy_write(at("processed", "processed", "%s__%s__%s" % (s, n, t), "edge_index.npy"), "i4", (len(e), 2) if i % 2 else (2, len(e)), flat)
    for name, (count, dim, kind) in TYPES.items():
        os.makedirs(at("processed", "processed", name))
        if dim:
            npy_write(at("processed", "processed", name, "node_feat.npy"), kind, (count, dim), [0] * (count * dim))
    npy_write(at("processed", "train.npy"), "i8", (len(train),), train)
    # OGB's csv, zipped
    text = lambda path, lines: gzip.open(path, "wt").write("".join(x + "\n" for x in lines))
    os.makedirs(at("ogb", "raw", "relations"))
    text(at("ogb", "raw", "num-node-dict.csv.gz"), [",".join(TYPES), ",".join(str(c) for c, _, _ in TYPES.values())])
    text(at("ogb", "raw", "triplet-type-list.csv.gz"), [",".join(k) for k in edges])
    for k, e in edges.items():
        os.makedirs(at("ogb", "raw", "relations", "___".join(k)))
        text(at("ogb", "raw", "relations", "___".join(k), "edge.csv.gz"), ["%d,%d" % p for p in e])
    os.makedirs(at("ogb", "raw", "node-feat", "paper"))
    text(at("ogb", "raw", "node-feat", "paper", "node-feat.csv.gz"), [",".join(["0.5"] * 8)] * 40)
    os.makedirs(at("ogb", "split", "time", "paper"))
    text(at("ogb", "split", "time", "paper", "train.csv.gz"), [str(v) for v in train])
    # GraphBolt
    y = ["dataset_name: made", "graph:", "  nodes:"]
    for name, (count, _, _) in TYPES.items():
        y += ["    - type: %s" % name, "      num: %d" % count]
    y.append("  edges:")
    for i, (k, e) in enumerate(edges.items()):
        y += ["    - type: \"%s\"" % ":".join(k), "      format: %s" % ("csv" if i == 1 else "numpy"), "      path: e%d" % i]
        if i == 1:
            open(at("graphbolt", "e1"), "w").write("".join("%d,%d\n" % p for p in e))
        else:
            npy_write(at("graphbolt", "e%d" % i), "i8", (2, len(e)), [x for x, _ in e] + [z for _, z in e])
    y.append("feature_data:")
    for name, (count, dim, kind) in TYPES.items():
        if dim:
            y += ["  - domain: node", "    type: %s" % name, "    name: feat", "    format: numpy", "    path: %s.npy" % name]
            npy_write(at("graphbolt", name + ".npy"), kind, (count, dim), [0] * (count * dim))
    y += ["tasks:", "  - name: node_classification", "    num_classes: 3", "    train_set:", "      - type: paper", "        data:",
          "          - name: seeds", "            format: numpy", "            path: train.npy",
          "          - name: labels", "            format: numpy", "            path: labels.npy",
          "    validation_set:", "      - type: paper", "        data:", "          - name: seeds", "            format: numpy", "            path: other.npy"]
    npy_write(at("graphbolt", "train.npy"), "i8", (len(train),), train)
    open(at("graphbolt", "metadata.yaml"), "w").write("\n".join(y) + "\n")


def weights(folder, g):
    """Every entry has the least weight of the edges that it stands for; relations without weights have no file."""
    edges, _ = graph()
    for i, (triple, e) in enumerate(edges.items()):
        path = os.path.join(g, "relation%d_weights.npy" % i)
        if i >= 2:
            assert not os.path.exists(path), path
            continue
        least = {}
        for k, (s, t) in enumerate(e):
            least.setdefault((s, t), k + 1)
        indptr, indices, w = (npy_read(os.path.join(g, "relation%d_%s.npy" % (i, f))) for f in ("indptr", "indices", "weights"))
        seen = {(indices[k], t): w[k] for t in range(len(indptr) - 1) for k in range(indptr[t], indptr[t + 1])}
        assert seen == least and len(w) == len(least), triple


def same(folder, g, undirected):
    """Types may come in another order; relations are looked for by their names."""
    edges, train = graph()
    if undirected:
        for (s, n, t), e in list(edges.items()):
            turned = [(y, x) for x, y in e]
            if s == t:
                edges[s, n, t] = e + turned
            else:
                edges[t, "rev_" + n, s] = turned
    d = json.load(open(os.path.join(g, "graph.json")))
    wrong = []
    counts = {t["name"]: t["count"] for t in d["types"]}
    if counts != {k: v[0] for k, v in TYPES.items()}:
        wrong.append("types %s" % counts)
    if {(r["source"], r["name"], r["target"]) for r in d["relations"]} != set(edges):
        wrong.append("relations differ")
    for i, r in enumerate(d["relations"]):
        e = edges[r["source"], r["name"], r["target"]]
        rows = [sorted({x for x, y in e if y == v}) for v in range(counts[r["target"]])]
        indptr, indices = npy_read(os.path.join(g, "relation%d_indptr.npy" % i)), npy_read(os.path.join(g, "relation%d_indices.npy" % i))
        if [indices[indptr[v]:indptr[v + 1]] for v in range(len(rows))] != rows or r["edges"] != sum(map(len, rows)):
            wrong.append("rows of %s differ" % r["name"])
    paper = [t["name"] for t in d["types"]].index("paper")
    if npy_read(os.path.join(g, "type%d_train.npy" % paper)) != train:
        wrong.append("training vertices differ")
    print("\n".join(wrong))
    return bool(wrong)


def plan(g, p):
    """Files, bytes, budgets and sums of a plan, added up again."""
    d, of = json.load(open(os.path.join(p, "plan.json"))), json.load(open(os.path.join(g, "graph.json")))
    size = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "f8": 1, "i8": 1}
    names = {t["name"]: i for i, t in enumerate(of["types"])}
    triples = {(r["source"], r["name"], r["target"]): i for i, r in enumerate(of["relations"])}
    wrong, held = [], {}
    for gpu in d["gpus"]:
        total = 0
        for x in gpu["lists"]:
            ids = npy_read(os.path.join(p, x["file"]))
            if len(ids) != x["count"] or len(set(ids)) != len(ids):
                wrong.append("%s: count or ids" % x["file"])
            if x["kind"] == "feature":
                t = of["types"][names[x["type"]]]
                held_as = [y["element"] for y in d.get("cache_types", []) if y["type"] == x["type"]]
                each = t["feature_dim"] * size[held_as[0] if held_as else t["feature_type"]] + 4 * (held_as == ["i8"])
                if x.get("element") != (held_as[0] if held_as else None):
                    wrong.append("%s: element" % x["file"])
                bytes_ = each * len(ids)
                key = ("feature", x["type"])
            else:
                i = triples[x["source"], x["relation"], x["target"]]
                indptr = npy_read(os.path.join(g, "relation%d_indptr.npy" % i))
                weighed = d["workload"]["sampler"] == "biased" and os.path.exists(os.path.join(g, "relation%d_weights.npy" % i))
                bytes_ = sum((8 if weighed else 4) * (indptr[v + 1] - indptr[v]) + 8 for v in ids)
                key = (x["kind"], i)
            if bytes_ != x["bytes"]:
                wrong.append("%s: %d bytes, stated %d" % (x["file"], bytes_, x["bytes"]))
            again = held.setdefault((gpu["clique"],) + key, set())
            if again & set(ids) and d["policy"] != "gnnlab":
                wrong.append("%s: a row twice in a clique" % x["file"])
            again |= set(ids)
            total += bytes_
        if total != gpu["held_bytes"] or total > gpu["budget_bytes"]:
            wrong.append("GPU %d holds %d" % (gpu["id"], total))
    s = d["simulated"]
    if sum(t["transactions"] for t in s["tables"]) != s["total_transactions"] or sum(x["transactions"]["total"] for x in s["gpus"]) != s["total_transactions"]:
        wrong.append("transactions do not add up")
    if sum(k["transactions"] for k in s["kinds"].values()) != s["total_transactions"]:
        wrong.append("kinds do not add up")
    for gpu in s["gpus"]:
        for key, topology in (("topology_visits", True), ("feature_rows", False)):
            if gpu[key] != {w: sum(t["reads"][w] for t in gpu["tables"] if (t["kind"] == "topology") == topology) for w in ("local", "peer", "host")}:
                wrong.append("GPU %d: %s" % (gpu["id"], key))
    if [s[k + "_transactions"] for k in ("topology", "feature")] != [sum(t["transactions"] for t in s["tables"] if (t["kind"] == "topology") == topology) for topology in (True, False)]:
        wrong.append("transactions of kinds")
    if sum(t["transactions"] for t in d["predicted"]["tables"]) != d["predicted"]["total_transactions"]:
        wrong.append("predictions do not add up")
    trains = sum(x["count"] for gpu in d["gpus"] for x in gpu["train"])
    if trains != of["train_vertices"]:
        wrong.append("%d training vertices of %d" % (trains, of["train_vertices"]))
    print("\n".join(wrong))
    return bool(wrong)


def same_rows(a, b):
    """Whether two entries of documents name the same rows."""
    return all(a.get(k) == b.get(k) for k in ("kind", "type", "source", "relation", "target"))


def compare(results, p):
    """Rows of results/1 added up again; the row of plan p is what p says."""
    rows, one, wrong = json.load(open(results))["rows"], json.load(open(os.path.join(p, "plan.json"))), []
    if len(rows) != 2 * 2 * 4 or len({(r["server"], r["budget"], r["policy"]) for r in rows}) != len(rows):
        wrong.append("%d rows" % len(rows))
    for r in rows:
        name = (r["server"], r["budget"], r["policy"])
        s = r["simulated"]
        if sum(t["transactions"] for t in r["tables"]) != s["total_transactions"] or s["feature_transactions"] + s["topology_transactions"] != s["total_transactions"]:
            wrong.append("%s: transactions" % (name,))
        if sum(t["predicted_transactions"] for t in r["tables"]) != r["predicted"]["total_transactions"]:
            wrong.append("%s: predictions" % (name,))
        if sum(t["held_bytes"] for t in r["tables"]) != sum(c["topology_bytes"] + c["feature_bytes"] + c["edge_feature_bytes"] for c in r["cliques"]):
            wrong.append("%s: bytes" % (name,))
        if abs(sum(t["uncached_transactions"] for t in r["tables"]) - r["uncached_transactions"]) > 2 * len(r["tables"]):
            wrong.append("%s: uncached" % (name,))
        for base, gain in r["gain"].items():
            of, = [x["simulated"]["total_transactions"] for x in rows if (x["server"], x["budget"], x["policy"]) == name[:2] + (base,)]
            if abs(gain - (1 - s["total_transactions"] / of)) > 1e-6:
                wrong.append("%s: gain over %s" % (name, base))
        hits = [g[k][w] for g in s["gpus"] for k in ("feature_rows",) for w in ("local", "peer", "host")]
        if sum(hits) != sum(sum(t["reads"].values()) for t in s["tables"] if t["kind"] != "topology"):
            wrong.append("%s: reads" % (name,))
    mine, = [r for r in rows if (r["server"], r["budget"], r["policy"]) == ("dgx-v100:4", "5%", one["policy"])]
    if mine["simulated"]["total_transactions"] != one["simulated"]["total_transactions"] or mine["simulated"]["tables"] != one["simulated"]["tables"]:
        wrong.append("the plan leaves other transactions")
    print("\n".join(wrong))
    return bool(wrong)


def samplers(results, info, said):
    """What GPUs that only sample hold: the topology of all relations, which the table states where it exceeds the budget."""
    topology = json.load(open(info))["bytes"]["topology"]
    rows = [r for r in json.load(open(results))["rows"] if r["policy"] == "gnnlab"]
    assert [r["budget"] for r in rows] == ["1%", "100%"] and rows[0]["budget_bytes"] < topology < rows[1]["budget_bytes"]
    assert all(r["sampler_held_bytes"] == topology and len(r["sampler_gpus"]) == 1 for r in rows), rows
    lines = [x for x in open(said) if "only samples; all hold" in x]
    assert len(lines) == 1 and lines[0].startswith("gnnlab at 1%: "), lines


def memory(p, said):
    """The estimate of every stage, as a refusal prints it, holds what the stage took, and not much more."""
    unit = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    words = [x.split() for x in open(said) if x.startswith("hotset:   ") and "on disk" not in x]
    estimate = {x[1]: float(x[2]) * unit[x[3]] for x in words}
    took = {x["name"]: x["peak_bytes"] for x in json.load(open(p + "/plan.json"))["stamp"]["stages"] if x["name"] in estimate}
    assert list(estimate) == ["partition", "pre-sampling", "communities", "estimates", "planning", "simulation"] and took.keys() == estimate.keys(), (estimate, took)
    for name, most in estimate.items():
        fixed = 48 << 20 if name in ("estimates", "planning") else 18 << 20 if name == "pre-sampling" else 1 << 20  # tables that do not grow with the graph
        assert took[name] <= most * 1.001, (name, took[name], most)
        if name not in ("partition", "communities"):  # METIS's own memory is not counted by the stamp
            assert most <= 2 * took[name] + fixed, (name, took[name], most)


def lists_of(p):
    """{GPU id: [(entry, ids)]} of a plan, and its document."""
    d = json.load(open(os.path.join(p, "plan.json")))
    return {g["id"]: [(x, npy_read(os.path.join(p, x["file"]))) for x in g["lists"]] for g in d["gpus"]}, d


def trained(p):
    """A vertex that one GPU trains and others, of several cliques, hold a row of: TYPE:V."""
    lists, d = lists_of(p)
    for gpu in d["gpus"][1:]:
        for t in gpu["train"]:
            for v in npy_read(os.path.join(p, t["file"])):
                holders = {g for g, l in lists.items() for x, ids in l if x["kind"] == "topology" and x["target"] == t["type"] and v in ids}
                if len({next(c for c, x in enumerate(d["cliques"]) if g in x["gpus"]) for g in holders}) > 1 and gpu["id"] not in holders:
                    print("%s:%d" % (t["type"], v))
                    return


def explain(g, p, tables, vertex):
    """What explain says of types against the plan's lists, and of a vertex."""
    lists, d = lists_of(p)
    e, v, wrong = json.load(open(tables)), json.load(open(vertex)), []
    n = v["vertex"]
    for t in d["predicted"]["tables"]:
        left = 0
        for c in e["pools"]:
            x, = [x for x in c["tables"] if same_rows(x, t)]
            left += x["transactions"] - x["transactions_saved"]
            held = [(y["count"], y["bytes"]) for gpu in c["gpus"] for y, _ in lists[gpu] if same_rows(y, t)]
            if (sum(n for n, _ in held), sum(b for _, b in held)) != (x["held_rows"], x["held_bytes"]):
                wrong.append("%s: held" % t)
            if x["held_rows"] and x["saved_per_byte_least_held"] > x["saved_per_byte_densest"]:
                wrong.append("%s: densities" % t)
            if 0 < x["held_rows"] < x["rows"] and x["saved_per_byte_best_left"] > 1.001 * x["saved_per_byte_least_held"] and t["kind"] != "topology":
                wrong.append("%s: a denser row was left out" % t)
        if abs(left - t["transactions"]) > len(e["pools"]) + 1e-6 * left:
            wrong.append("%s: %f transactions left, predicted %d" % (t, left, t["transactions"]))
    for c in v["pools"]:
        if not any(r["kind"] == "feature" for r in c["rows"]):
            wrong.append("no feature row")
        for r in c["rows"]:
            places = {(gpu, ids.index(n)) for gpu in c["gpus"] for y, ids in lists[gpu] if same_rows(y, r) and n in ids}
            if places != {(x["gpu"], x["slot"]) for x in r["held"]} or bool(places) == bool(r["more_bytes"]) or not 1 <= r["rank"] <= r["of"]:
                wrong.append("vertex: %s" % r)
            # the last row taken: of all that the pool holds, none saves less per byte (policy hotset has one order)
            least = min(x["saved_per_byte_least_held"] for p in e["pools"] if p["gpus"] == c["gpus"] for x in p["tables"] if x["held_rows"])
            if abs(r["last_row_taken"]["saved_per_byte"] / least - 1) > 1e-6 or (not places and r["saved_per_byte"] > least * 1.000001 and r["bytes"] <= 8):
                wrong.append("vertex: the last row taken: %s" % r["last_row_taken"])
    name = lambda r: ("%s feature" % r["type"]) if r["kind"] == "feature" else "%s-%s->%s %s" % (r["source"], r["relation"], r["target"], r["kind"])
    for r in v["pools"][0]["rows"]:
        has = {gpu: any(n in ids for y, ids in l if same_rows(y, r)) for gpu, l in lists.items()}
        for reader in v["readers"]:
            peers = next(x["peers"] for x in d["gpus"] if x["id"] == reader["gpu"])
            first = next((q for q in [reader["gpu"]] + peers if has[q]), None)
            if reader[name(r)] != {"source": "host" if first is None else "own" if first == reader["gpu"] else "peer", "gpu": first}:
                wrong.append("reader %d of %s: %s" % (reader["gpu"], name(r), reader[name(r)]))
    trains = [x["id"] for x in d["gpus"] for t in x["train"] if t["type"] == v["type"] and n in npy_read(os.path.join(p, t["file"]))]
    degree = sum(at[n + 1] - at[n] for k, r in enumerate(json.load(open(os.path.join(g, "graph.json")))["relations"]) if r["target"] == v["type"]
                 for at in [npy_read(os.path.join(g, "relation%d_indptr.npy" % k))])
    if (v["vertex"], v["degree"], v["trained_by"]) != (n, degree, trains[0] if trains else None):
        wrong.append("vertex: degree %d, trained by %s" % (degree, trains))
    print("\n".join(wrong))
    return bool(wrong)


def printed(p, text):
    """The tables that plan prints of several types, against its document: cliques, totals, GPUs, deal, epoch."""
    d, text = json.load(open(os.path.join(p, "plan.json"))), open(text).read()
    lines, s, count = text.split("\n"), d["simulated"], lambda x: "{:,}".format(x)
    line = lambda start: next((re.split(r"\s{2,}", x.strip()) for x in lines if x.startswith(start)), None)
    cells = line("simulated, held out")
    assert cells[3:] == [count(s[k + "_transactions"]) for k in ("topology", "feature", "total")], cells
    assert [float(x.rstrip(" %")) for x in cells[1:3]] == [round(100 * s[k + "_hit_rate"] + 1e-9, 2) for k in ("feature", "topology")], cells
    assert line("predicted")[5] == count(d["predicted"]["total_transactions"])
    assert "assignment of training vertices: %s" % d["deal"]["chosen"] in text
    took, unit = re.search(r"epoch time by the model: ([\d.]+) (s|ms|us)\b", text).groups()
    assert abs(float(took) / {"s": 1, "ms": 1e3, "us": 1e6}[unit] / s["epoch_time"]["seconds"] - 1) < 6e-3, (took, unit, s["epoch_time"])
    gpus = [re.split(r"\s{2,}", x.strip()) for x in lines[next(i for i, x in enumerate(lines) if x.startswith("GPU  train")) + 2:]][:len(d["gpus"])]
    for row, gpu, planned in zip(gpus, s["gpus"], d["gpus"], strict=True):
        of = lambda k: ["%.1f %%" % (100 * gpu[k][w] / sum(gpu[k].values())) for w in ("local", "peer", "host")]
        assert row == [str(gpu["id"]), count(sum(t["count"] for t in planned["train"]))] + of("feature_rows") + of("topology_visits") + [count(gpu["transactions"]["total"])], row
    cliques = [re.split(r"\s{2,}", x.strip()) for x in lines[lines.index(next(x for x in lines if x.startswith("clique "))) + 2:][:len(d["cliques"])]]
    for row, c in zip(cliques, d["cliques"], strict=True):
        held = c["topology_bytes"] + c["feature_bytes"] + c["edge_feature_bytes"]
        assert row[3] == "%.2f" % (c["topology_bytes"] / held) and row[6:8] == [count(sum(x["count"] for g in d["gpus"] if g["id"] in c["gpus"] for x in g["lists"] if x["kind"] == k)) for k in ("topology", "feature")], row


def diff(a, b, said):
    """diff/1 of several types against the sets of ids in both plans: a row in one form (as on the host, or rounded) is another than in the other."""
    (one, first), (two, second), d, wrong = lists_of(a), lists_of(b), json.load(open(said)), []
    names = {json.dumps({k: x[k] for k in ("kind", "type", "source", "relation", "target") if k in x}, sort_keys=True) for p in (one, two) for l in p.values() for x, _ in l}
    def form(plan, x):
        return next((c["element"] for c in plan.get("cache_types", []) if same_rows(c, x)), None)
    for name in names:
        table = json.loads(name)
        sets = [{gpu: {(i, form(plan, x)) for x, ids in l if same_rows(x, table) for i in ids} for gpu, l in p.items()} for p, plan in ((one, first), (two, second))]
        count = {gpu: dict.fromkeys(("kept", "added", "removed", "moved_in", "moved_out"), 0) for gpu in one}
        for row in sorted(set().union(*sets[0].values(), *sets[1].values()), key=str):
            lost = sorted(x for x in one if row in sets[0][x] and row not in sets[1][x])
            won = sorted(x for x in one if row in sets[1][x] and row not in sets[0][x])
            for x in one:
                count[x]["kept"] += row in sets[0][x] and row in sets[1][x]
            for k, x in enumerate(lost):
                count[x]["moved_out" if k < len(won) else "removed"] += 1
            for k, x in enumerate(won):
                count[x]["moved_in" if k < len(lost) else "added"] += 1
        for gpu in d["gpus"]:
            x = [x for x in gpu["tables"] if same_rows(x, table)]
            for key, n in count[gpu["id"]].items():
                if n != (x[0][key]["rows"] if x else 0):
                    wrong.append("GPU %d, %s: %s is not %d" % (gpu["id"], name, key, n))
            stated = [sum(y["bytes"] for y, _ in p[gpu["id"]] if same_rows(y, table)) for p in (one, two)]
            if x and (x[0]["before"], x[0]["after"]) != tuple({"rows": len(s[gpu["id"]]), "bytes": b} for s, b in zip(sets, stated)):
                wrong.append("GPU %d, %s: rows" % (gpu["id"], name))
    for gpu in d["gpus"]:
        for kind in ("feature", "topology"):
            of = [x for x in gpu["tables"] if (x["kind"] == "topology") == (kind == "topology")]
            for key in ("before", "after", "kept", "added", "removed", "moved_in", "moved_out"):
                if gpu[kind][key] != {k: sum(x[key][k] for x in of) for k in ("rows", "bytes")}:
                    wrong.append("GPU %d, %s: %s" % (gpu["id"], kind, key))
            if sum(x["rows"] for x in gpu[kind]["moved_to"]) != gpu[kind]["moved_out"]["rows"]:
                wrong.append("GPU %d: moves" % gpu["id"])
    print("\n".join(wrong))
    return bool(wrong)


def export(p, e):
    """Every row that a GPU or its peers hold is found: nearest holder first, at its place in that GPU's list."""
    d, m = json.load(open(os.path.join(p, "plan.json"))), json.load(open(os.path.join(e, "export.json")))
    key = lambda x: tuple(x.get(k) for k in ("kind", "type", "source", "relation", "target"))
    lists = {g["id"]: {key(x): npy_read(os.path.join(p, x["file"])) for x in g["lists"]} for g in d["gpus"]}
    wrong, found = [], 0
    for g, x in zip(d["gpus"], m["gpus"]):
        tables = {key(t): t for t in x["tables"]}
        if (g["id"], g["clique"], g["peers"]) != (x["id"], x["clique"], x["peers"]):
            wrong.append("GPU %d" % g["id"])
        if set(tables) != {k for i in [g["id"]] + g["peers"] for k in lists[i]}:
            wrong.append("GPU %d: tables" % g["id"])
        for k, t in tables.items():
            want = {}
            for i in [g["id"]] + g["peers"]:
                for slot, v in enumerate(lists[i].get(k, [])):
                    want.setdefault(v, (i, slot))
            from_, slot, held = (npy_read(os.path.join(e, t[w])) for w in ("from", "slot", "list"))
            if held != lists[g["id"]].get(k, []) or len(from_) != t["rows"] or [want.get(v, (-1, 0)) for v in range(t["rows"])] != list(zip(from_, slot)):
                wrong.append("GPU %d: %s" % (g["id"], k))
            found += len(want)
        if [npy_read(os.path.join(p, a["file"])) for a in g["train"]] != [npy_read(os.path.join(e, a["list"])) for a in x["train"]]:
            wrong.append("GPU %d: training vertices" % g["id"])
    print("\n".join(wrong))
    return bool(wrong) or not found


def page(g, p, folder):
    """types.csv of a plan's page against the plan: rows from the graph, what is held from the lists, reads from the simulation."""
    d, types = json.load(open(os.path.join(p, "plan.json"))), {x["name"]: x["count"] for x in json.load(open(os.path.join(g, "graph.json")))["types"]}
    lines = list(csv.reader(open(os.path.join(folder, "data", "types.csv"), newline="")))[1:]
    assert len(lines) == len(d["simulated"]["tables"]) > 5
    for line, x in zip(lines, d["simulated"]["tables"]):
        name = x.get("type") or "%s-%s->%s" % (x["source"], x["relation"], x["target"])
        key = lambda y: [y.get(k) for k in ("kind", "type", "source", "relation", "target")]
        lists = [y for gpu in d["gpus"] for y in gpu["lists"] if key(y) == key(x)]
        assert line[6:8] == [{"topology": "topology", "feature": "features"}[x["kind"]], name], line
        said = [float(v or "nan") for v in line[8:15]]
        assert said[:3] == [types[x.get("type") or x["target"]], sum(y["count"] for y in lists), sum(y["bytes"] for y in lists)], (line, lists)
        assert said[5:] == [x["transactions"], x["uncached_transactions"]] and (x["hit_rate"] is None or abs(said[3] - x["hit_rate"]) < 1e-8), (line, x)
    (row,) = csv.DictReader(open(os.path.join(folder, "data", "results.csv"), newline=""))
    has = lambda start: [float(v) for k, v in row.items() if k.startswith(start)]
    kinds = d["simulated"]["kinds"]
    for start, value in (("simulated total [", d["simulated"]["total_transactions"]), ("predicted total [", d["predicted"]["total_transactions"]),
                         ("simulated topology [", kinds["topology"]["transactions"]), ("simulated feature [", kinds["feature"]["transactions"]),
                         ("simulated feature hit", kinds["feature"]["hit_rate"]), ("simulated topology hit", kinds["topology"]["hit_rate"]),
                         ("budget [share", 0.12), ("uncached [", sum(x["uncached_transactions"] for x in d["simulated"]["tables"]))):
        assert len(has(start)) == 1 and abs(has(start)[0] / value - 1) < 1e-4, (start, has(start), value)


def batches(g, b):
    """Every drawn edge of exported mini-batches is one of the graph, from its column to its row; no edge twice in a hop of a mini-batch."""
    about, d = (json.load(open(os.path.join(*p))) for p in ((b, "batches.json"), (g, "graph.json")))
    types, relations, hops = [t["name"] for t in d["types"]], d["relations"], about["hops"]
    arrays = [tuple(npy_read(os.path.join(g, "relation%d_%s.npy" % (i, x))) for x in ("indptr", "indices")) for i in range(len(relations))]
    drawn = 0
    for gpu in about["gpus"]:
        vertices, edges, rows, columns, vertices_at, edges_at = (npy_read(os.path.join(b, "gpu%d_%s.npy" % (gpu["id"], x))) for x in ("vertices", "edges", "rows", "columns", "vertices_at", "edges_at"))
        assert len(vertices_at) == gpu["batches"] * len(types) * (hops + 1) + 1 and len(edges_at) == gpu["batches"] * len(relations) * hops + 1
        first = lambda batch, name: vertices_at[(batch * len(types) + types.index(name)) * (hops + 1)]
        for part in range(len(edges_at) - 1):
            batch, of = divmod(part // hops, len(relations))
            (indptr, indices), relation, here = arrays[of], relations[of], range(edges_at[part], edges_at[part + 1])
            assert len({edges[i] for i in here}) == len(here), "drawn twice"
            for i in here:
                target, source = vertices[first(batch, relation["target"]) + rows[i]], vertices[first(batch, relation["source"]) + columns[i]]
                assert indptr[target] <= edges[i] < indptr[target + 1] and indices[edges[i]] == source, (gpu["id"], part, i)
        drawn += len(edges)
    assert drawn


def relabelled(g, g2):
    """G2 is G with other ids inside the types: the same edges, in the entries that edge_ids names, and the same training vertices."""
    old, new = (json.load(open(os.path.join(x, "graph.json"))) for x in (g, g2))
    assert [(t["name"], t["count"], t["feature_dim"]) for t in old["types"]] == [(t["name"], t["count"], t["feature_dim"]) for t in new["types"]]
    order, first, at = npy_read(os.path.join(g2, "relabel.npy")), {}, 0
    for i, t in enumerate(old["types"]):
        first[t["name"]] = at
        mine = order[at:at + t["count"]]
        assert sorted(mine) == list(range(at, at + t["count"])), t
        files = [os.path.join(x, "type%d_train.npy" % i) for x in (g, g2)]
        assert os.path.exists(files[0]) == os.path.exists(files[1])
        if os.path.exists(files[0]):
            assert sorted(mine[v] - at for v in npy_read(files[1])) == sorted(npy_read(files[0]))
        at += t["count"]
    assert order != sorted(order)
    for i, r in enumerate(old["relations"]):
        rows = []
        for x in (g, g2):
            indptr, indices = (npy_read(os.path.join(x, "relation%d_%s.npy" % (i, k))) for k in ("indptr", "indices"))
            rows.append([(u, v) for v in range(len(indptr) - 1) for u in indices[indptr[v]:indptr[v + 1]]])
        back = [(order[first[r["source"]] + u] - first[r["source"]], order[first[r["target"]] + v] - first[r["target"]]) for u, v in rows[1]]
        assert sorted(back) == sorted(rows[0]), r
        if r["feature_dim"]:
            assert [rows[0][k] for k in npy_read(os.path.join(g2, "relation%d_edge_ids.npy" % i))] == back, r


if __name__ == "__main__":
    word, rest = sys.argv[1], sys.argv[2:]
    done = {"make": make, "same": lambda f, g, *more: same(f, g, bool(more)), "weights": weights, "plan": plan, "compare": compare, "explain": explain, "trained": trained, "printed": printed, "diff": diff, "export": export, "page": page, "samplers": samplers, "memory": memory, "batches": batches, "relabelled": relabelled}
    sys.exit(done[word](*rest))
