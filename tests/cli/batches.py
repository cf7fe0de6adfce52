"""Holds exported mini-batches against the graph, the plan and what `hotset simulate` counted. Prints one line per finding; nothing is well.

usage: batches.py P G B SIMULATED.json

Shares nothing with hotset but the files: NumPy's format is read here, sources are looked for in the plan's lists, the samplers' laws are
restated. A law that is not known (another sampler's) is not checked, everything else is.
"""
import json
import os
import sys

from recount import npy

plan_path, graph_path, batches_path, judged_path = sys.argv[1:5]
plan = json.load(open(os.path.join(plan_path, "plan.json")))
about = json.load(open(os.path.join(batches_path, "batches.json")))
judged = {g["id"]: g for g in json.load(open(judged_path))["rows"][0]["simulated"]["gpus"]}
indptr, indices = npy(os.path.join(graph_path, "indptr.npy")), npy(os.path.join(graph_path, "indices.npy"))
work, hops, epochs = about["workload"], about["hops"], about["epochs"]
sampler, edge_seeds = work.get("sampler", "uniform"), work.get("seeds") == "edges"
each = 2 + work.get("negatives", 0)  # vertices that an edge brings
found_wrong = 0
all_rows, all_visits = {"local": 0, "peer": 0, "host": 0}, {"local": 0, "peer": 0, "host": 0}


def wrong(what):
    global found_wrong
    found_wrong += 1
    if found_wrong <= 20:
        print(what)


def degree(v):
    return indptr[v + 1] - indptr[v]


def places(gpu, kind):
    """vertex -> "local" or "peer"; the host is what is not in it."""
    held = {v: "local" for v in npy(os.path.join(plan_path, "gpu%d_%s.npy" % (gpu["id"], kind)))}
    for peer in gpu["peers"]:
        for v in npy(os.path.join(plan_path, "gpu%d_%s.npy" % (peer, kind))):
            held.setdefault(v, "peer")
    return held


def count(vertices, held, into):
    for v in vertices:
        into[held.get(v, "host")] += 1


def check_hop(where, h, known, level, expanded, rows, columns, edges, seeds_first):
    """known: vertices before the hop. Returns those after it."""
    runs, k = [], 0
    if not (len(rows) == len(columns) == len(edges)):
        wrong("%s: %d rows, %d columns, %d edges" % (where, len(rows), len(columns), len(edges)))
        return known
    for v in expanded:  # each visit's draws follow those of the visit before
        run = []
        while k < len(edges) and whole[rows[k]] == v and (sampler != "walk" or not run):
            run.append(edges[k])
            k += 1
        runs.append(run)
    if k != len(edges):
        wrong("%s: %d of %d draws belong to a vertex that was expanded" % (where, k, len(edges)))
    after, seen = list(known), set(known)
    for row, column, edge in zip(rows, columns, edges):
        v = whole[row]
        if not indptr[v] <= edge < indptr[v + 1] or indices[edge] != whole[column]:
            wrong("%s: edge %d is not one from %d to %d" % (where, edge, v, whole[column]))
        if whole[column] not in seen:
            seen.add(whole[column])
            after.append(whole[column])
    fanout = work["fanout"][h] if "fanout" in work else 1
    entries = sum(degree(v) for v in expanded)
    if sampler == "walk":
        if len(expanded) != seeds_first * work["walks"]:
            wrong("%s: %d visits of %d seeds' walks" % (where, len(expanded), seeds_first))
        if any(len(run) != (degree(v) > 0) for v, run in zip(expanded, runs)):
            wrong("%s: a step of a walk draws one neighbour where there is one" % where)
    elif work["frontier"] == "all" and list(expanded) != known or work["frontier"] == "new" and list(expanded) != level:
        wrong("%s: other vertices are expanded than the frontier" % where)
    if sampler in ("uniform", "biased"):
        for v, run in zip(expanded, runs):
            if len(run) != min(fanout, degree(v)) or len(set(run)) != len(run):
                wrong("%s: %d draws %s of its %d neighbours" % (where, v, run, degree(v)))
    if sampler == "layer-wise" and (len(edges) != min(fanout, entries) or len(set(edges)) != len(edges)):
        wrong("%s: %d draws, %d entries" % (where, len(edges), entries))
    if sampler == "layer-wise-replace" and len(edges) != (fanout if entries else 0):
        wrong("%s: %d draws" % (where, len(edges)))
    return after


for one in about["gpus"]:
    gpu = next(g for g in plan["gpus"] if g["id"] == one["id"])
    name = {k: npy(os.path.join(batches_path, "gpu%d_%s.npy" % (one["id"], k)))
            for k in ("seeds", "vertices", "expanded", "edges", "rows", "columns", "seeds_at", "vertices_at", "expanded_at", "edges_at")}
    total = one["batches"] * epochs
    if [len(name[k]) for k in ("seeds_at", "vertices_at", "expanded_at", "edges_at")] != [total + 1, total * (hops + 1) + 1, total * hops + 1, total * hops + 1]:
        wrong("GPU %d: the offsets are of another number of mini-batches" % one["id"])
        continue
    if [one[k] for k in ("seeds", "vertices", "expanded", "edges")] != [name[k][-1] for k in ("seeds_at", "vertices_at", "expanded_at", "edges_at")]:
        wrong("GPU %d: batches.json states other lengths" % one["id"])
    rows, visits = {"local": 0, "peer": 0, "host": 0}, {"local": 0, "peer": 0, "host": 0}
    feature, topology = places(gpu, "feature"), places(gpu, "topology")
    dealt = [[] for _ in range(epochs)]

    def part(k, i):
        at = name[{"rows": "edges", "columns": "edges"}.get(k, k) + "_at"]
        return name[k][at[i]:at[i + 1]]

    for t in range(total):
        where = "GPU %d, mini-batch %d" % (one["id"], t)
        levels = [list(part("vertices", t * (hops + 1) + l)) for l in range(hops + 1)]
        whole = [v for level in levels for v in level]
        seeds = part("seeds", t)
        dealt[t // one["batches"]].extend(zip(seeds[::each], seeds[1::each]) if edge_seeds else seeds)
        if len(set(whole)) != len(whole) or levels[0] != list(dict.fromkeys(seeds)):
            wrong("%s: vertices twice, or not the seeds first" % where)
        known = list(levels[0])
        for h in range(hops):
            i = t * hops + h
            after = check_hop("%s, hop %d" % (where, h), h, known, levels[h], part("expanded", i), part("rows", i), part("columns", i), part("edges", i), len(levels[0]))
            if after[len(known):] != levels[h + 1]:
                wrong("%s: hop %d finds other vertices than it draws" % (where, h))
            known = after
            count(part("expanded", i), topology, visits)
        count(whole, feature, rows)
    train = npy(os.path.join(plan_path, "gpu%d_train.npy" % one["id"]))
    for e in range(epochs):
        if not edge_seeds and sorted(dealt[e]) != sorted(train):
            wrong("GPU %d, epoch %d: the seeds are not the training vertices" % (one["id"], e))
        if edge_seeds and (len(set(dealt[e])) != len(dealt[e]) or set(dealt[e]) != set(dealt[0])
                           or any(u not in indices[indptr[v]:indptr[v + 1]] or v not in set(train) for v, u in dealt[e])):
            wrong("GPU %d, epoch %d: the seeds are no training edges" % (one["id"], e))
    if rows != judged[one["id"]]["feature_rows"]:
        wrong("GPU %d: feature rows %s, simulate counted %s" % (one["id"], rows, judged[one["id"]]["feature_rows"]))
    if visits != judged[one["id"]]["topology_visits"]:
        wrong("GPU %d: topology visits %s, simulate counted %s" % (one["id"], visits, judged[one["id"]]["topology_visits"]))
    for of, here in ((all_rows, rows), (all_visits, visits)):
        for k in of:
            of[k] += here[k]
if about["gpus"][1:] and not (all(all_rows.values()) and all(all_visits.values())):
    wrong("the counts are trivial: rows %s, visits %s" % (all_rows, all_visits))
