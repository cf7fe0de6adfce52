"""Checks what Python's hotset makes of the program's commands, in a folder that face.sh filled. Prints "ok name" or "failed name", and "ok end"."""
import filecmp
import inspect
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
import warnings

import numpy as np

import hotset
from hotset._program import words_of


def check(name, good):
    print("ok" if good else "failed", name, flush=True)


def same(a, b):
    names = sorted(set(os.listdir(a)) - {".hotset"})  # which says how each was asked for
    return names == sorted(set(os.listdir(b)) - {".hotset"}) and filecmp.cmpfiles(a, b, names, shallow=False)[1:] == ([], [])


def shell(*words):
    subprocess.run([os.environ["HOTSET"], *words, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def refusal(call):
    try:
        call()
    except hotset.Error as e:
        return e
    return None


def failure(call):
    try:
        call()
    except Exception as e:
        return e
    return None


# ---- graphs from arrays, as the shell imports the same arrays
rng = np.random.default_rng(2)
row, col = rng.integers(0, 500, (2, 3000))
train = np.arange(0, 500, 3)
np.savez("arcs.npz", edge_index=np.stack([row, col]))
np.save("train.npy", train)
shell("graph", "import", "arcs.npz", "--train", "train.npy", "--feature-dim", "20", "--name", "own", "-o", "A")
g = hotset.graph((row, col), "B", train=train, feature_dim=20, name="own", quiet=True)
origin = re.compile(rb'"(origin|source)[^\n]*\n')
text = lambda path: origin.sub(b"", open(path + "/graph.json", "rb").read())
check("a pair of arrays becomes the graph that the shell imports", all(filecmp.cmp("A/" + f, "B/" + f, False) for f in ("indptr.npy", "indices.npy", "train.npy"))
      and text("A") == text("B") and g.document["vertices"] == 500)
order = np.argsort(row, kind="stable")
csr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=600))]), col[order]  # 100 vertices more, without arcs
h = hotset.graph(csr, quiet=True, train_share=0.1, feature_dim=20)
check("so does (indptr, indices), with the vertices that have no arcs", h.document["vertices"] == 600 and h.document["edges"] == g.document["edges"])
temporary = h.path
del h
check("a graph without a path is gone with its object", not os.path.exists(temporary))


class Data:
    """What PyG's Data is to hotset."""
    edge_index, num_nodes, x, train_mask, y = np.stack([row, col]), 510, np.zeros((510, 12), np.float16), np.arange(510) % 2 == 0, np.arange(510) % 4


d = hotset.graph(Data(), "D", quiet=True)
about = json.load(open("D/graph.json"))
check("of PyG's Data it takes rows, training vertices and labels", (d.document["vertices"], about["feature_dim"], about["feature_bytes"], about["train_vertices"],
                                                                 about["label_classes"]) == (510, 12, 2, 255, 4))
check("a keyword wins over the Data", hotset.graph(Data(), feature_dim=7, quiet=True).document["feature_dim"] == 7)
try:
    import scipy.sparse
    check("a SciPy matrix is the same graph", hotset.graph(scipy.sparse.coo_matrix((np.ones(3000), (row, col)), (500, 500)).tocsr(), train=train, feature_dim=20,
                                                           quiet=True).document["fingerprint"] == g.document["fingerprint"])
except ImportError:
    print("skip a SciPy matrix: SciPy is not installed")

# ---- what a graph lacks is asked for, never invented


def with_(**more):
    return type("Data", (), {"edge_index": np.array([[0, 1, 2, 2], [1, 2, 3, 3]]), "num_nodes": 4, "x": np.zeros((4, 3), np.float32), **more})()


mask, of_types = np.array([True, False, True, False]), {"types": {"a": {"count": 4, "feature_dim": 3}}, "relations": {("a", "r", "a"): {"edge_index": (np.arange(3), np.arange(3))}}}
for what, source, options, words in (("several training sets", with_(train_mask=np.ones((4, 10), bool)), {}, "choose a column, as train_mask[:, 0]"),
                                     ("a mask of one column", with_(train_mask=mask[:, None]), {}, "train_mask[:, 0]"),
                                     ("ids in two columns", with_(train_idx=np.ones((2, 2), int)), {}, "train_idx[:, 0]"),
                                     ("several validation sets", with_(train_mask=mask, val_mask=np.ones((4, 2), bool)), {}, "val_mask[:, 0]"),
                                     ("no training set", with_(), {}, "write train=ids or a mask, or train_share=0.1"),
                                     ("no training set, a pair", (row, col), {"feature_dim": 3}, "train_share=0.1"),
                                     ("no training set, types", of_types, {}, "train_share=0.1"),
                                     ("train= in columns", (row, col), {"feature_dim": 3, "train": np.ones((500, 2), bool)}, "train[:, 0]"),
                                     ("types, train in columns", {**of_types, "types": {"a": {"count": 4, "train": np.ones((4, 2))}}}, {}, "train[:, 0]"),
                                     ("types, a mask of another length", {**of_types, "types": {"a": {"count": 4, "train": np.ones(5, bool)}}}, {}, "mask of 5 entries"),
                                     ("no features", with_(x=None, train_mask=mask), {}, "write feature_dim=100"), ("no features, a pair", (row, col), {"train": train}, "feature_dim=100")):
    e = refusal(lambda: hotset.graph(source, quiet=True, **options))
    check("%s: %s" % (what, e), e and e.code == 2 and words in str(e))
for kind, source in (("ids", with_(train_idx=np.array([0, 2]))), ("a mask", with_(train_mask=mask)), ("a mask of a type", {**of_types, "types": {"a": {"count": 4, "train": mask}}})):
    made = hotset.graph(source, quiet=True)
    check("%s: the training vertices" % kind, np.load(made.path + ("/type0_train.npy" if "type" in kind else "/train.npy")).tolist() == [0, 2])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    hotset.graph(with_(train_mask=mask, edge_attr=np.zeros((4, 2))), quiet=True)
check("arcs that are merged and edge_attr that is left out are told", [w in str(t.message) for w, t in zip(("edge_attr is left out", "1 parallel arcs were merged"), told)] == [True, True])
for bad in (None, 5, [1, 2, 3], with_(edge_index=None)):
    for what, call in (("graph", lambda: hotset.graph(bad)), ("make_plan", lambda: hotset.make_plan(bad, "dgx-v100")), ("compare", lambda: hotset.compare(bad, "dgx-v100"))):
        e = failure(call)
        check("%s of %s: %s" % (what, type(bad).__name__, e), isinstance(e, TypeError) and "hotset.graph(data)" in str(e))

# ---- a plan keeps its graph, also when it is saved and opened elsewhere
temporary = hotset.make_plan(hotset.graph((row, col), train=train, feature_dim=20, quiet=True), "dgx-v100:2", budget="5%", fanout=[5, 3], batch=16, quiet=True)
there = temporary.graph_folder()
judge = lambda plan: hotset.simulate(plan, epochs=1, quiet=True)["rows"][0]["simulated"]["total_transactions"]
total = judge(temporary)
temporary.save("kept")
copy = pickle.loads(pickle.dumps(temporary))
check("a plan of a temporary graph is simulated, and a pickled one is the same", total > 0 and copy.document == temporary.document and copy.path == temporary.path)
del temporary, copy
check("after save, too, when the graph is gone", not os.path.exists(there) and judge("kept") == judge(hotset.Plan("kept")) == total)
sized = pickle.loads(pickle.dumps(hotset.graph("G")))
check("graphs and servers are pickled", sized.path == "G" and pickle.loads(pickle.dumps(hotset.server("dgx-v100"))).word == "dgx-v100")
e = pickle.loads(pickle.dumps(hotset.Error(3, "G: is none; make one")))
check("an error is pickled", (str(e), e.code, e.hint) == ("G: is none; make one", 3, "make one"))

# ---- servers
own = dict(hotset.server("dgx-v100:4").document, name="own")
check("a server from its document", hotset.server(own).document["gpus"] == hotset.server("dgx-v100:4").document["gpus"] and "4 GPUs" in repr(hotset.server(own)))

# ---- documents, byte for byte
p, common = hotset.Plan("P"), dict(fanout=[8, 4], batch=32, quiet=True)
answers = {"compare": hotset.compare("G", ["dgx-v100:4", hotset.server("siton")], policies=["legion", "hotset"], budget=["1%", "5%"], **common),
           "size": hotset.size("G", "dgx-v100:4", "hit-rate>=0.8", **common), "advise": hotset.advise("G", "dgx-v100:2", budget="5%", **common),
           "simulate": hotset.simulate(p, epochs=2, seed=9, quiet=True), "validate": hotset.validate(quiet=True),
           "drift": hotset.drift("G", "dgx-v100:2", windows=4, window_epochs=1, **common), "curve": hotset.curve(p, points=20, orders=["lru", "degree-in"], cache_share="gpu", quiet=True),
           "what-if": hotset.what_if(p, vary={"link": "0.5..2"}, quiet=True)}
for name, answer in answers.items():
    answer.save("saved.json")
    check("%s answers what the shell prints" % name, filecmp.cmp("saved.json", name + ".json", False) and answer.yes and len(answer.rows) > 0)
    page = answer._repr_html_()
    check("%s has a table and a picture" % name, page.count("<tr>") == len(answer.rows) + 1 and page.count("<svg") == 1 and len(repr(answer).splitlines()) > 1)
r = answers["compare"]
printed = repr(r).splitlines()
at = next(k for k, line in enumerate(printed) if line.startswith("policy "))
check("a comparison says what the terminal says, in words", at >= 4 and re.match(r".* on dgx-v100:4, 1% per GPU: hotset .*(than|with) legion, the best other", printed[0])
      and all(word in printed[at] for word in ("feat. hits", "topo. hits", "all trans.", "prediction", "epoch")) and "_" not in printed[at] and "status" not in printed[at])
best = {}
for row in r:
    key, found = (row["server"], row["budget"]), (row["simulated"]["total_transactions"], row["policy"])
    best[key] = min(best.get(key, found), found)
check("the best of each server and budget first, its numbers with units", len(best) == 4 and all(
    printed[at + 1 + 2 * k].split()[:3] == [policy, server, budget] and "{:,.0f}".format(total) in printed[at + 1 + 2 * k] and printed[at + 1 + 2 * k].count(" %") == 3
    for k, ((server, budget), (total, policy)) in enumerate(best.items())))
r.plot("simulated.feature_hit_rate").save("p.svg")
check("a picture is a file", open("p.svg").read().count("<polyline") == 2)
check("rows are members of the document", r["rows"] == r.rows and {row["policy"] for row in r} == {"legion", "hotset"})
try:
    import pandas
    frame = r.to_pandas()
    check("to_pandas", isinstance(frame, pandas.DataFrame) and len(frame) == 8 and frame["simulated.total_transactions"].min() > 0)
except ImportError:
    print("skip to_pandas: pandas is not installed")
# ---- policies of one's own
seen = []


def by_worth(rows):
    seen.append(rows)
    return np.argsort(-rows.hotness.sum(0) / np.maximum(rows.bytes, 1), kind="stable")


mine = hotset.compare("G", ["dgx-v100:4", "siton:2"], policies=["legion", by_worth, {"one": lambda rows: {rows.gpus[1]: np.arange(3) + rows.table("feature").items.start}},
                                                                {"all": lambda rows: {rows.gpus[0]: np.arange(len(rows.bytes))}}], budget=["1%", "5%"], **common)
rows = {(r["policy"], r["server"], r["budget"]): r for r in mine}
check("functions are policies, under their names", len(rows) == 16 and {k[0] for k in rows} == {"legion", "by_worth", "one", "all"} and len(seen) == 4)
check("more of an order's rows with more memory", all(rows["by_worth", s, "5%"]["simulated"]["total_transactions"] < rows["by_worth", s, "1%"]["simulated"]["total_transactions"]
                                                      < rows["one", s, "1%"]["simulated"]["total_transactions"] for s in ("dgx-v100:4", "siton:2")))
check("lists beyond a budget are told", rows["all", "siton:2", "1%"]["status"] == "oom" and "the lists of GPU 0" in rows["all", "siton:2", "1%"]["reason"])
info, first = json.loads(subprocess.run([os.environ["HOTSET"], "graph", "info", "G", "--json"], stdout=subprocess.PIPE, check=True).stdout), seen[0]
check("bytes of rows are the graph's", [int(first.bytes[t.items].sum()) for t in first.tables] == [info["bytes"]["topology"], info["bytes"]["feature"]])
shell("trace", "record", "--graph", "G", "--server", "dgx-v100:4", "--fanout", "8,4", "--batch", "32", "-o", "T3")
epochs = json.load(open("T3/trace.json"))["epochs"]
check("hotness is what the program records", np.array_equal(first.hotness[:, first.table("feature").items] * epochs, np.load("T3/hotness_feature.npy"))
      and np.array_equal(first.hotness[:, first.table("topology").items] * epochs, np.load("T3/visits.npy").sum(0)))
check("budgets and cliques", first.budgets.tolist() == [int(info["bytes"]["total"] * 0.01)] * 4 and [c.tolist() for c in first.cliques] == [[0, 1, 2, 3]]
      and (first.budget, seen[3].budget, seen[3].server) == ("1%", "5%", "siton:2"))


def recounted(rows, order):
    """One row after the other, to the GPU of the clique that reads it most of those with room: what place() does, for rows of one size."""
    out, left = {g: [] for g in rows.gpus}, dict(zip(rows.gpus, rows.budgets))
    for item in order:
        for g in sorted((rows.gpus[k] for k in rows.cliques[0]), key=lambda g: -rows.hotness[rows.gpus.index(g), item]):
            if rows.bytes[item] <= left[g]:
                out[g].append(item)
                left[g] -= rows.bytes[item]
                break
    return out


features = np.argsort(-first.hotness[:, first.table("feature").items].sum(0), kind="stable") + first.table("feature").items.start
placed, slow = first.place(features), recounted(first, features)
check("an order is placed within budgets, every row once, as many as one by one",
      all(first.bytes[placed[g]].sum() <= b and len(placed[g]) == len(slow[g]) for g, b in zip(first.gpus, first.budgets))
      and len(set(np.concatenate(list(placed.values())))) == sum(map(len, placed.values())))
again = hotset.make_plan("G", "dgx-v100:4", "OP", policy=by_worth, budget="5%", quiet=True, **{k: v for k, v in common.items() if k != "quiet"})
check("a plan of one's own policy", again.policy == "by_worth" and again.document["simulated"]["total_transactions"] == rows["by_worth", "dgx-v100:4", "5%"]["simulated"]["total_transactions"])
typed = hotset.compare("M", "dgx-v100:2", policies=["hotset", by_worth], budget="2%", fanout=[3, 2], batch=32, quiet=True)
check("of several types, too", {r["policy"]: r["status"] for r in typed}["by_worth"] == "ok" and int(seen[-1].bytes.sum())
      == json.loads(subprocess.run([os.environ["HOTSET"], "graph", "info", "M", "--json"], stdout=subprocess.PIPE, check=True).stdout)["bytes"]["total"])
e = refusal(lambda: hotset.compare("G", "dgx-v100:4", policies=[lambda rows: []], budget="1%"))
check("a function without a name is refused", e and e.code == 2 and "use def" in e.hint)
e = refusal(lambda: hotset.compare("G", "dgx-v100:4", policies=[{"far": lambda rows: [len(rows.bytes)]}], budget="1%", **common))
check("a row that is none is refused", e and e.code == 2 and "far: row 4000 is none" in str(e))
e = failure(lambda: hotset.compare("G", "dgx-v100:4", policies=[{"bad": lambda rows: 1 // 0}], budget="1%", **common))
check("a function's own error comes through", isinstance(e, ZeroDivisionError))
tex, bib = mine.to_latex(), mine.bibtex()
check("a LaTeX table and the papers behind it", tex.count("\\\\\n") == 17 and "by\\_worth & dgx-v100:4 & 1\\%" in tex and bib.count("@") == 1 and "{Legion}" in bib)
drift, curve = answers["drift"], answers["curve"]
check("windows and sizes are drawn", drift.plot().svg.count("<polyline") == len(drift.rows) == 7 and curve.plot().svg.count("<polyline") == 2
      and curve.plot(unit="gpu 1").svg.count("<circle") == 2 * 21 and [len(row["sizes"]) for row in curve] == [21] * 10)
check("their numbers are the document's", [[at["hit_rate"] for at in row["sizes"]] for row in curve] == [line["hit_rate"] for part in curve["parts"] for line in part["lines"]]
      and curve.rows[3]["sizes"][5]["share"] == 0.25 and curve.rows[3]["unit"] == "gpu 0" and curve.rows[3]["name"] == "degree-in")
e = failure(lambda: curve.plot("nothing"))
check("a column that is none is told", isinstance(e, KeyError) and "'nothing'" in str(e))
answers["size"].save("Z.json")
shell("size", "--graph", "G", "--server", "dgx-v100:2,dgx-v100:4", "--target", "hit-rate>=0.5", "--fanout", "8,4", "--batch", "32", "-o", "Y.json")
sized = hotset.size("G", ["dgx-v100:2", "dgx-v100:4"], "hit-rate>=0.5", **common)
check("what_if takes what size answered", hotset.what_if(sized, vary="link", quiet=True).document == hotset.what_if("Y.json", vary="link", quiet=True).document)
check("what_if takes several plans", [s["name"] for s in hotset.what_if(["P", hotset.Plan("P")], vary="link", quiet=True)["subjects"]] == ["P", "P"])
check("a picture has a width in inches", 'width="3.3in"' in mine.plot(width=3.3).svg)

T = hotset.record("G", "dgx-v100:4", "T2", plan=p, fanout=[10, 5], batch=32, epochs=1, seed=5, quiet=True)
check("record", same("T", "T2") and T.document["epochs"] == 1)
refreshed = hotset.refresh(p, T, "R2", quiet=True)
refreshed.moved.save("moved.json")
check("refresh", same("R", refreshed.path) and filecmp.cmp("moved.json", "refresh.json", False) and p.moved is None
      and sum(row["feature"]["to_load"] + row["topology"]["to_load"] for row in refreshed.moved) == refreshed.moved["rows_to_load"] > 0)
stays = hotset.refresh(p, T, auto=True, pay_within=0, quiet=True)
check("refresh(auto=True) decides", stays.moved["rows_to_load"] == 0 and all(np.array_equal(stays.feature_ids(g), p.feature_ids(g)) for g in p.gpus)
      and hotset.refresh(p, T, auto=True, pay_within=10**6, quiet=True).moved["rows_to_load"] > 0)
check("run takes any command", hotset.run("diff", p, "R", quiet=True).document["schema"].startswith("diff/"))

# ---- what a job reads comes back: mini-batches of a simulation are read, counted, imported, and the next plan is loaded
shell("simulate", "P", "--seed", "77", "--epochs", "2", "--export-batches", "J")
batches, recorder, want = hotset.Batches("J"), hotset.Recorder("JR", p), np.zeros((len(p.gpus), p.vertices), np.int64)
for epoch in range(batches.epochs):
    recorder = hotset.Recorder("JR", p) if epoch else recorder  # another process goes on
    for k, gpu in enumerate(p.gpus):
        for batch in batches.of(gpu, epoch):
            recorder.count(gpu, batch.vertices)
            want[k, batch.vertices] += 1
        recorder.end_epoch(gpu)
judged = hotset.simulate(p, epochs=2, seed=77, quiet=True)["rows"][0]["simulated"]["gpus"]
lines = [json.loads(line) for line in open("JR/observed.jsonl")]
check("rows by place are those of the simulation", all(list(recorder.served(g["id"])[""].values())[k] == sum(line["rows"][place] for line in lines if line["gpu"] == g["id"])
                                                       and list(recorder.served(g["id"])[""].values())[k] == g["feature_rows"][place] for g in judged for k, place in enumerate(("own", "peer", "host"))))
check("a folder holds a file per GPU", sorted(os.listdir("JR")) == sorted(["gpu%d-2.npy" % g for g in p.gpus] + ["observed.jsonl"]))
seen_by = hotset.run("observe", p, "JR", quiet=True)
check("observe takes the folder", seen_by.document["schema"].startswith("observation/") and len(seen_by.rows) == 4 and seen_by.yes)
job = hotset.recorded("JR", hotset.record("G", "dgx-v100:4", "T5", plan=p, fanout=[10, 5], batch=32, epochs=2, seed=5, quiet=True), "G", quiet=True)
check("plan --trace takes it", hotset.make_plan("G", "dgx-v100:4", trace=job, budget="5%", simulate_epochs=0, quiet=True).document["graph"]["vertices"] == p.vertices)
check("a recording becomes a trace with its counts", np.array_equal(np.load(job.path + "/hotness_feature.npy"), want) and job.document["epochs"] == 2 and want.max() > 2)
host = rng.random((p.vertices, p.feature_dim)).astype(np.float32)


def links(old, new, row_bytes):
    """({(source, gpu): rows}, ..bytes) to load: from the first peer with NVLinks that held a row, else from None, the host."""
    rows = {}
    for gpu in old.gpus:
        held = [(peer, set(old.feature_ids(peer))) for peer, wide in zip(old.peers(gpu), old.peer_links(gpu)) if wide]
        for v in set(new.feature_ids(gpu)) - set(old.feature_ids(gpu)):
            source = next((peer for peer, ids in held if v in ids), None)
            rows[source, gpu] = rows.get((source, gpu), 0) + 1
    return rows, {link: n * row_bytes for link, n in rows.items()}


memory = hotset.fill(p, host)
nxt = hotset.refresh(p, job, pay_within=1000, quiet=True)
differ = {g["id"]: g["feature"]["to_load"] for g in nxt.moved.document["gpus"]}
loaded = hotset.reload(memory, p, nxt, host)
check("the next plan is loaded, and only rows that differ", all(np.array_equal(memory[gpu], host[nxt.feature_ids(gpu)]) for gpu in p.gpus)
      and 0 < sum(loaded.values()) < sum(len(nxt.feature_ids(gpu)) for gpu in p.gpus) and loaded == differ == {gpu: len(set(nxt.feature_ids(gpu)) - set(p.feature_ids(gpu))) for gpu in p.gpus})
check("each row comes over the link that refresh counts it for", (loaded.rows, loaded.bytes) == links(p, nxt, p.row_bytes)
      and all(sum(n for (source, gpu), n in loaded.bytes.items() if gpu == g["id"] and source is not None) == g["feature"]["bytes_from_peers"]
              and sum(n for (source, gpu), n in loaded.bytes.items() if gpu == g["id"]) == g["feature"]["bytes_to_load"] for g in nxt.moved["gpus"]))
few = hotset.make_plan("G", "dgx-v100:4", budget="1%", simulate_epochs=0, quiet=True)
for now, then in ((few, nxt), (nxt, few), (few, nxt)):  # other lengths and slots: rows that a GPU holds are copied from where they lie
    fresh = hotset.reload(memory, then, now, host)
    check("a plan of another size is loaded", all(np.array_equal(memory[g], host[now.feature_ids(g)]) for g in p.gpus)
          and fresh == {g: len(set(now.feature_ids(g)) - set(then.feature_ids(g))) for g in p.gpus} and (fresh.rows, fresh.bytes) == links(then, now, p.row_bytes))
hosts = host.copy()
hosts[np.unique(np.concatenate([few.feature_ids(g) for g in p.gpus]))] = -1  # what a peer holds is not asked of the host
turned = hotset.reload(memory, few, p, hosts)
check("rows of peers are copied from them, although their slots change meanwhile", all(np.array_equal(memory[g], host[p.feature_ids(g)]) for g in p.gpus) and any(s is not None for s, _ in turned.rows))
hotset.reload(memory, p, nxt, host)
back = hotset.PlannedRows(nxt, p.gpus[0], host, memory)
check("gathered rows are the host's", np.array_equal(back.gather(np.arange(p.vertices)), host))
e = refusal(lambda: hotset.recorded("G", T, "G"))
check("a folder without recordings is told", e and e.code == 3 and "recorded no epoch" in str(e))
recorder.end_epoch(p.gpus[0])
e = refusal(lambda: hotset.recorded("JR", T, "G"))
check("different numbers of epochs are told", e and e.code == 3 and "different numbers of epochs" in str(e))
recorder.end_epoch(p.gpus[1])
np.save("JR/gpu1-3.npy", np.zeros(7, np.uint32))
e = refusal(lambda: hotset.Recorder("JR", p).count(p.gpus[1], [1]))
check("a recording of another graph is told", e and e.code == 3 and "gpu1-3.npy: counts 7 vertices" in str(e))
for gpu in p.gpus[2:]:
    recorder.end_epoch(gpu)
open("JR/gpu1-3.npy", "wb").write(b"PK")
e = refusal(lambda: hotset.recorded("JR", T, "G"))
check("a damaged recording is told", e and e.code == 3 and "JR/gpu1-3.npy" in str(e))
check("a vertex beyond the graph is an IndexError", isinstance(failure(lambda: recorder.count(p.gpus[0], np.array([p.vertices]))), IndexError))

# ---- the same of a graph with several types: counts per type, the trace, and the next plan
shell("plan", "--graph", "M", "--server", "dgx-v100:2", "--budget", "2%", "--fanout", "3,2", "--batch", "32", "--simulate-epochs", "0", "--sampling", "gpu", "-o", "MP")
shell("simulate", "MP", "--seed", "77", "--epochs", "2", "--export-batches", "MJ")
mp, mb = hotset.Plan("MP"), hotset.Batches("MJ")
recorder = hotset.Recorder("MR", mp)
for gpu in mp.gpus:
    for epoch in range(2):
        assert sum(1 for _ in recorder.watch(mb.of(gpu, epoch), gpu)) > 2
tables = {g["id"]: {t["type"]: t["reads"] for t in g["tables"] if t["kind"] == "feature"}
          for g in hotset.simulate(mp, epochs=2, seed=77, quiet=True)["rows"][0]["simulated"]["gpus"]}
check("several types: rows by type and place are those of the simulation",
      all(recorder.served(g)[t][place] == reads[place] for g in mp.gpus for t, reads in tables[g].items()
          for place in ("own", "peer", "host")) and len(tables[0]) > 2)
mt = hotset.record("M", "dgx-v100:2", plan=mp, epochs=2, seed=9, quiet=True)
job = hotset.recorded("MR", mt, "M", quiet=True)
check("several types: the trace has its counts", np.array_equal(np.load(job.path + "/hotness_feature.npy"), np.stack([np.load("MR/gpu%d-2.npy" % g) for g in mp.gpus])))
check("several types: observe and refresh take it", hotset.run("observe", mp, "MR", quiet=True).yes and hotset.refresh(mp, job, quiet=True).types == mp.types)
e = failure(lambda: recorder.count(0, [1], "nobody"))
check("a type that is none is told", isinstance(e, KeyError) and "nobody" in str(e))

# ---- a plan is a result, too
q = hotset.make_plan("G", own, budget="5%", fanout=[8, 4], batch=32, quiet=True)
q.save("S")
check("a plan without a path is saved", same(q.path, "S") and hotset.Plan("S").document["server"]["name"] == "own" and len(q.rows) == 4)
check("its table has what was simulated of each GPU", "feature_rows.host" in q._repr_html_() and q.rows[1]["feature_rows"]["own"] > 0)
# ---- one vocabulary; what was said before works, and warns where it is written
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", DeprecationWarning)
    new = hotset.compare("G", "dgx-v100:4", policies=["quiver"], budget="1%", path="V.json", **common)
    places = q["simulated"]["gpus"][1]["feature_rows"]
    check("the new words warn of nothing", not told and json.load(open("V.json")) == new.document and list(places) == ["own", "peer", "host"] == list(q.rows[1]["topology_visits"]))
    for call in (lambda: hotset.compare("G", "dgx-v100:4", policy=["quiver"], budget="1%", **common), lambda: hotset.compare("G", "dgx-v100:4", policies="quiver", budget="1%", **common),
                 lambda: hotset.compare("G", "dgx-v100:4", policies=["quiver"], budget="1%", output="W.json", **common)):
        check("an old word gives the same", call().document == new.document)
    check("local is own", places["local"] == places.get("local") == places["own"] == q.document["simulated"]["gpus"][1]["feature_rows"]["local"] and places.get("x", 3) == 3)
check("and each is told, here", len(told) == 5 and all(w.category is DeprecationWarning and w.filename == __file__ for w in told) and filecmp.cmp("V.json", "W.json", shallow=False))
for twice in (dict(policies=["quiver"], policy="quiver"), dict(policies=["quiver"], path="X.json", output="X.json")):
    check("the same said twice is refused", "say the same" in str(refusal(lambda: hotset.compare("G", "dgx-v100:4", budget="1%", **dict(common, **twice)))))
check("hotset.plan is no module", callable(hotset.plan) and not inspect.ismodule(hotset.plan))

# ---- errors
e = refusal(lambda: hotset.make_plan("G", "dgx-v100", budget="5%", polic="legion"))
check("an unknown keyword is the program's sentence", e and e.code == 2 and "did you mean --policy?" in str(e) and "-h" in e.hint)
e = refusal(lambda: hotset.graph("nowhere.txt"))
check("a missing file", e and e.code == 3 and "nowhere.txt" in str(e))
no = hotset.size("G", "dgx-v100:4", "epoch-time<=1us", fanout=[8, 4], batch=32, quiet=True)
check("an answer that is no is no error", not no and not no.yes and no.document["schema"].startswith("size/"))
program = os.environ["HOTSET"]
with open("crash", "w") as f:
    f.write("#!/bin/sh\nkill -SEGV $$\n")
os.chmod("crash", 0o755)
os.environ["HOTSET"] = os.path.abspath("crash")
e = refusal(lambda: hotset.run("plan"))
check("a crash is an exception, not the end", e and e.code == 70 and "signal 11" in str(e))
os.environ["HOTSET"] = "/nowhere/hotset"
e = refusal(lambda: hotset.run("plan"))
check("a program that is not there", e and e.code == 4 and "$HOTSET" in str(e))
with open("slow", "w") as f:
    f.write("#!/bin/sh\necho $$ >slow.pid\nexec sleep 60\n")
os.chmod("slow", 0o755)
child = subprocess.Popen([sys.executable, "-c", "import hotset\ntry:\n    hotset.run('plan')\nexcept KeyboardInterrupt:\n    print('interrupted')"],
                         env=dict(os.environ, HOTSET=os.path.abspath("slow")), stdout=subprocess.PIPE, text=True,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # a job in the background ignores it
for _ in range(200):
    if os.path.exists("slow.pid") and open("slow.pid").read().strip():
        break
    time.sleep(0.1)
os.kill(child.pid, signal.SIGINT)
said = child.communicate(timeout=30)[0]
check("Ctrl-C ends the program and leaves Python", said == "interrupted\n" and child.returncode == 0
      and not os.path.exists("/proc/" + open("slow.pid").read().strip()))
os.environ["HOTSET"] = program

# ---- a killed interpreter takes the program with it
for how in (signal.SIGTERM, signal.SIGKILL):
    child = subprocess.Popen([sys.executable, "-c", "import hotset; hotset.run('graph synth', 'community', vertices=3000000, edges=90000000, output='endless', quiet=True)"])
    mine = lambda: [p for p in os.listdir("/proc") if p.isdigit() and ppid(p) in family]


    def ppid(p):
        try:
            return int(open("/proc/%s/stat" % p).read().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            return 0


    family, found = {child.pid}, []
    while not found and child.poll() is None:
        found = mine()
        time.sleep(0.02)
    time.sleep(0.2)
    alive = [p for p in found if os.path.exists("/proc/" + p)]
    os.kill(child.pid, how)
    child.wait()
    for _ in range(100):
        left = [p for p in found if os.path.exists("/proc/" + p) and open("/proc/%s/stat" % p).read().rpartition(")")[2].split()[0] != "Z"]
        if not left:
            break
        time.sleep(0.05)
    for p in left:
        os.kill(int(p), signal.SIGKILL)
    check("%s: no planner is left" % how.name, alive and not left)

# ---- what one Plan cannot be is said before anything is planned
for what, call in (("several nodes", lambda: hotset.make_plan("nowhere", "dgx-v100", nodes=2)), ("a cluster", lambda: hotset.make_plan("nowhere", cluster="c.json")),
                   ("output", lambda: hotset.make_plan("nowhere", "dgx-v100", output="P"))):
    try: said = call()
    except hotset.Error as e: said = e.code, e.hint
    check("make_plan of %s: %s" % (what, said), isinstance(said, tuple) and said[0] == 2 and ("path" if what == "output" else 'hotset.run("plan", ..') in said[1])
os.makedirs("several", exist_ok=True)
with open("several/plan.json", "w") as f: f.write('{"schema": "plan-nodes/1"}')
try: said = hotset.refresh("several", "nowhere")
except hotset.Error as e: said = e.code, e.hint
check("refresh of several nodes: %s" % (said,), isinstance(said, tuple) and said[0] == 2 and 'hotset.run("refresh"' in said[1])

# ---- every option of the command line is a keyword, of every command; those with a function of their own by name
listed = subprocess.run([program, "-h"], stdout=subprocess.PIPE, text=True, check=True).stdout
functions = {"plan": "make_plan", "trace record": "record", "graph import": "graph"}
commands = [c for c in re.findall(r"^    ([a-z-]+) {2,}", listed, re.M) if c not in ("server", "graph", "trace", "help", "list", "lab")] + ["what-if", "trace record", "trace import", "graph import", "curve", "drift", "execute", "validate", "reproduce", "bench"]
named = {c: getattr(hotset, functions.get(c, c.replace("-", "_")), None) for c in commands}
check("the commands with a function", {c for c, f in named.items() if f} == {"plan", "compare", "size", "advise", "simulate", "validate", "refresh", "drift", "curve", "what-if",
                                                                            "observe", "trace record", "graph import"})
for command, f in named.items():
    names = re.findall(r"^ {2,6}(?:-\w, )?--([a-z0-9-]+)", hotset.options(command), re.M)
    lost = []
    for name in names:
        keyword = name.replace("-", "_") + ("_" if name in ("as", "for", "from") else "")
        taken = {k for k, v in inspect.signature(f or hotset.run).parameters.items() if v.kind is v.POSITIONAL_OR_KEYWORD}
        if words_of({keyword: "x"}, ".") != ["--" + name, "x"] or (command != "observe" and keyword in taken and keyword not in ("graph", "server", "target", "trace")):
            lost.append(name)
    check("%s: every option is a keyword%s" % (command, " but " + ", ".join(lost) if lost else ""), len(names) > (0 if f is None or command == "observe" else 8) and not lost)
# ---- errors are a family, and exported mini-batches have rows
kinds = {2: hotset.UsageError, 3: hotset.InputError, 4: hotset.MissingError, 5: hotset.LimitError}
check("an Error is of the class that its code names", all(type(hotset.Error(code, "x")) is kind for code, kind in kinds.items()) and type(hotset.Error(70, "x")) is hotset.Error)
check("a wrong option is a ValueError, a missing file is not", isinstance(failure(lambda: hotset.size("G", "siton", "nonsense>=1")), ValueError)
      and isinstance(failure(lambda: hotset.Plan("nowhere")), hotset.InputError) and not isinstance(failure(lambda: hotset.Plan("nowhere")), ValueError))
check("an error arrives in another process as what it is", type(pickle.loads(pickle.dumps(hotset.Error(5, "full")))) is hotset.LimitError)
exported = hotset.simulate("P", epochs=1, seed=9, export_batches="rows-B", quiet=True)
check("exported mini-batches have a row per GPU", [row["id"] for row in exported] == hotset.Plan("P").gpus and all(row["batches"] and row["vertices"] for row in exported))
expected = hotset.Plan("P").expected()
counted = {gpu["id"]: gpu["feature_rows"] for gpu in hotset.Plan("P").document["simulated"]["gpus"]}
epochs = hotset.Plan("P").document["simulated"]["epochs"]
check("a plan expects what its simulation counted, per epoch", all(abs(expected[g]["own"] * epochs - counted[g]["local"]) <= epochs for g in counted))
trace = hotset.Trace("T")
check("notebooks show graphs, servers, plans, traces and results", all("<table" in x._repr_html_() and "<td>" in x._repr_html_()
                                                                     for x in (g, hotset.server("siton"), hotset.Plan("P"), trace, exported)))

# ---- what people see of the package, and what they saw
check("twenty public names, and no private module among those that are completed", len(hotset.__all__) <= 20 and not [n for n in dir(hotset) if n.startswith("_")]
      and all(hasattr(hotset, n) for n in hotset.__all__))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    from hotset.rows import fill  # noqa
    same_module = sys.modules["hotset.rows"] is sys.modules["hotset._rows"] and fill is hotset.fill
check("a module that was public is found, with a warning at its import", same_module and [w.category for w in said] == [DeprecationWarning]
      and said[0].filename == __file__)
check("and nothing that never was", isinstance(failure(lambda: hotset.nonsense), AttributeError))
check("end", True)
