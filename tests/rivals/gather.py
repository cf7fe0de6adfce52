#!/usr/bin/env python3
"""Rows gathered through a plan (hotset_gather, by Python's hotset) beside one torch index_select of the same rows from one tensor.

usage: gather.py --hotset build/hotset [--rows 1000,13000,100000] [--threads 1,2] [--vertices 200000] [--runs 15] [--work DIR]

Needs NumPy and torch; Python's hotset and libhotset are taken from `lib` beside the program. Both get the same ids (several batches in turn, so
that none stays in a cache that a training loop would not find it in), on the same torch threads, back to back; every result is compared. Prints one line
per case: the fastest and the median of the runs in microseconds, and the ratio of the fastest. "out": both write to a tensor that is there already.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--hotset", required=True)
parser.add_argument("--rows", default="1000,13000,100000")
parser.add_argument("--threads", default="1,2")
parser.add_argument("--vertices", type=int, default=200000)
parser.add_argument("--runs", type=int, default=15)
parser.add_argument("--work")
a = parser.parse_args()
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(a.hotset)), "lib"))
try:
    import numpy as np
    import torch

    import hotset
except ImportError as e:
    sys.exit("gather.py: skipped, %s" % e)

work = a.work or tempfile.mkdtemp(prefix="hotset-gather-")


def run(*words):
    subprocess.run([os.path.abspath(a.hotset), *words, "--quiet"], cwd=work, check=True, stdout=subprocess.DEVNULL)


if not os.path.exists(os.path.join(work, "P")):
    run("graph", "synth", "community", "--vertices", str(a.vertices), "--edges", str(10 * a.vertices), "--feature-dim", "128", "-o", "G")
    run("plan", "--graph", "G", "--server", "dgx-v100", "--budget", "5%", "--fanout", "10,5", "--batch", "512", "--simulate-epochs", "0", "-o", "P")
plan = hotset.Plan(os.path.join(work, "P"))
features = torch.randn(plan.vertices, 128)
memory = hotset.fill(plan, features)
rng = np.random.default_rng(1)


def microseconds(call, batches):
    start = time.perf_counter()
    for b in batches:
        call(b)
    return (time.perf_counter() - start) / len(batches) * 1e6


print("%-8s %-7s %-12s %-7s %28s %28s %6s" % ("rows", "threads", "look-up", "", "index_select, fastest (median)", "hotset, fastest (median)", "ratio"))
for threads in map(int, a.threads.split(",")):
    torch.set_num_threads(threads)
    planned = {layout: hotset.PlannedRows(plan, 0, features, memory, layout, threads) for layout in ("dense", "ranked")}
    for rows in map(int, a.rows.split(",")):
        batches = [torch.from_numpy(rng.choice(plan.vertices, rows, replace=False)) for _ in range(max(3, min(40, 1000000 // rows)))]
        out = torch.empty(rows, 128)
        for layout, p in planned.items():
            pairs = {"": (lambda b: features.index_select(0, b), p.gather),
                     "out": (lambda b: torch.index_select(features, 0, b, out=out), lambda b: p.gather(b, out))}
            for name, (theirs, ours) in pairs.items():
                if not all(torch.equal(theirs(b).clone(), ours(b)) for b in batches[:3]):
                    sys.exit("gather.py: the rows differ")
                seen = [[], []]
                for _ in range(a.runs):
                    for k, call in enumerate((theirs, ours)):
                        seen[k].append(microseconds(call, batches))
                t, o = map(min, seen)
                print("%-8d %-7d %-12s %-7s %18.1f (%9.1f) %18.1f (%9.1f) %6.2f" % (rows, threads, layout, name, t, statistics.median(seen[0]), o,
                                                                                 statistics.median(seen[1]), o / t), flush=True)
own = planned["dense"].counts
print("rows served: %s" % own)
