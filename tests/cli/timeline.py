"""Holds a timeline of `hotset simulate` against the exported mini-batches, the plan's lists and what was simulated. Prints findings; nothing is well.

usage: timeline.py T.json SIMULATED.json [P B]     P B: a plan of a graph with one type, and its exported mini-batches

Shares nothing with hotset but the files. The law of a slot is that of model/replay.md: stages of different mini-batches beside each other last as long
as the longest of them and a share of the others.
"""
import collections
import json
import os
import sys

from recount import mini_batches, npy

trace, judged = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["rows"][0]["simulated"]
about, time = trace["otherData"], judged["epoch_time"]
names = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
gpus = {int(n[4:]): p for p, n in names.items() if n.startswith("GPU ")}


def near(a, b, what, share=2e-3):
    if abs(a - b) > share * max(abs(a), abs(b)) + 3e-9: print("%s: %.9g against %.9g" % (what, a, b))


def of(gpu, lane, name=None):
    return [e for e in events if e["pid"] == gpus[gpu] and lanes[e["pid"], e["tid"]].split(":")[-1].strip().startswith(lane) and name in (None, e["name"])]


def seconds(list_of):
    return sum(e["dur"] for e in list_of) / 1e6


by_lane = collections.defaultdict(list)
for e in events:
    if (e["pid"], e["tid"]) not in lanes: print("an event in a lane without a name:", e)
    by_lane[e["pid"], e["tid"]].append((round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)))
for at, spans in by_lane.items():
    spans.sort()
    for a, b in zip(spans, spans[1:]):
        if b[0] < a[1]: print("overlap in", lanes[at], a, b)

# A GPU computes, synchronises or waits, and does nothing else, from begin to end.
for g in gpus: near(seconds(of(g, "computing")) + seconds(of(g, "waiting")), about["seconds"], "GPU %d computes and waits" % g)

# Sums of all mini-batches are those of the epoch.
whole = about["batches"] == about["epoch_batches"]
blocks = about["policy"] in ("gnnlab", "hyscale", "pagraph")  # sampled blocks are copied, of each mini-batch whole lines
for x in time["gpus"] if whole else []:
    sampler = not x["sample"] and of(x["id"], "sampling")  # of several GPUs, which sample for all
    near(seconds(of(x["id"], "sampling")), (time["stages"]["sample"] if sampler else x["sample"]) * time["iterations"], "GPU %d samples" % x["id"])
    near(seconds(of(x["id"], "computing", "compute")), x["propagate"] * time["iterations"], "GPU %d computes" % x["id"])
for x in judged["gpus"] if whole and "tables" not in judged else []:
    got = sum(e["args"]["transactions"] for e in of(x["id"], "host"))
    if abs(got - x["transactions"]["total"]) > (about["batches"] if blocks else 0):
        print("GPU %d: %d transactions, simulated %d" % (x["id"], got, x["transactions"]["total"]))

# Stages of a mini-batch follow each other, and slots have the model's length.
begins = collections.defaultdict(dict)  # stage -> mini-batch -> (begin, longest)
for e in events:
    lane = lanes[e["pid"], e["tid"]]
    stage = {"sampling": 0, "CPU: sampling": 0, "SSDs": 1, "CPU: gathering": 2, "computing": 4}.get(lane, None if lane == "waiting" else 3)
    if stage is None: continue
    b = e["args"]["batch"]
    begin, end = begins[stage].get(b, (e["ts"], e["ts"] + e["dur"]))
    begins[stage][b] = min(begin, e["ts"]), max(end, e["ts"] + e["dur"])
stages = sorted(begins)
for b in range(about["batches"]):
    for first, then in zip(stages, stages[1:]):
        if begins[then][b][0] < begins[first][b][1] - 2e-3: print("mini-batch %d: stage %d begins before stage %d ends" % (b, then, first))
if time.get("prefetch") == "one-stage" and {2, 3} <= set(stages):  # loading and transfer follow each other in one slot
    begins[3] = {b: (begins[2][b][0], x[1]) for b, x in begins[3].items()}
    stages.remove(2)
together = 0
for slot in range(about["batches"] + (len(stages) - 1 if time["pipelined"] else 0)):
    inside = [begins[s].get(slot - (i if time["pipelined"] else 0)) for i, s in enumerate(stages)]
    lengths = [x[1] - x[0] for x in inside if x]
    together += max(lengths) + time["unoverlapped"] * (sum(lengths) - max(lengths)) if time["pipelined"] else sum(lengths)
near(together / 1e6, about["seconds"], "slots add up")
near(about["mean_seconds"], time["execution_seconds"] * about["batches"], "mean mini-batches", 1e-6)
if time["pipelined"] and about["seconds"] < about["mean_seconds"]: print("faster than its means")

# Mini-batch by mini-batch: who serves the rows.
if len(sys.argv) > 3:
    plan_path, batches = sys.argv[3:5]
    for gpu in json.load(open(os.path.join(plan_path, "plan.json")))["gpus"]:
        held = {v: "own" for v in npy(os.path.join(plan_path, "gpu%d_feature.npy" % gpu["id"]))}
        for peer in gpu["peers"]:
            for v in npy(os.path.join(plan_path, "gpu%d_feature.npy" % peer)): held.setdefault(v, "peers")
        drawn = mini_batches(batches, gpu)
        steps = json.load(open(os.path.join(batches, "batches.json")))["hops"] + 1  # seeds, and what each hop adds
        for b in range(about["batches"]):
            counts = collections.Counter(held.get(v, "host") for v in drawn["vertices"][drawn["vertices_at"][b * steps] : drawn["vertices_at"][(b + 1) * steps]])
            for lane in ("own", "peers", "host"):
                got = sum(e["args"]["feature_rows"] for e in of(gpu["id"], lane) if e["args"]["batch"] == b)
                if got != counts[lane]: print("GPU %d, mini-batch %d: %s %d, counted %d" % (gpu["id"], b, lane, got, counts[lane]))
