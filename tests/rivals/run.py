#!/usr/bin/env python3
"""Runs hotset and its rivals back to back on the same generated graphs and prints ratios (make bench-rivals).

Each pair is run in turn, ours then the rival, --rounds times after one round to warm up, with 1 and with 2 threads. A ratio is the rival's time
by ours of the same round: more than 1 means that hotset is faster. Median, lowest and highest ratio are shown, and with --out kept as JSON
(rivals/1). A rival that is not installed is skipped with a line that says how to get it. Nothing of a rival is part of this repository.
"""
import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VERTICES, ARCS = 1048576, 31400000
NUMPY = "NumPy and SciPy: python3 -m venv V; V/bin/pip install numpy scipy; make bench-rivals RIVALS_PYTHON=V/bin/python"
GRAPHBOLT = ("GraphBolt: python3 -m venv V (Python 3.8 to 3.11); V/bin/pip install --no-deps dgl==2.1.0; V/bin/pip install torch==2.2.1 torchdata==0.7.1 'numpy<2' "
             "'setuptools<70' pandas scipy networkx requests tqdm psutil pyyaml pydantic; make bench-rivals GRAPHBOLT_PYTHON=V/bin/python")
GAP = "GAP Benchmark Suite: clone gapbs of github.com/sbeamer, make pr_spmv there; make bench-rivals GAPBS=its folder"


def run(command, threads):
    """Standard output of a program that must end well."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads))
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True)
    text, trouble = child.communicate()
    if child.returncode:
        sys.exit(f"rivals: {' '.join(command)} failed: {trouble.strip()[-600:]}")
    return text


def document(command, threads):
    return json.loads(run(command, threads))


class Bench:
    def __init__(self, args):
        self.args, self.rows = args, []

    def pair(self, what, threads, ours, rival):
        """ours, rival: functions that return {measure: seconds or bytes}; every measure that both have becomes a row."""
        rounds = [(ours(), rival()) for _ in range(self.args.rounds + 1)][1:]
        for measure in rounds[0][1]:
            if measure not in rounds[0][0]:
                continue
            a, b = ([float(side[measure]) for side in r] for r in zip(*rounds))
            ratios = sorted(y / x for x, y in zip(a, b))
            self.rows.append({"pair": what, "measure": measure, "threads": threads, "ours": statistics.median(a), "rival": statistics.median(b),
                              "ratio": statistics.median(ratios), "lowest": ratios[0], "highest": ratios[-1]})
            self.show(self.rows[-1])

    @staticmethod
    def show(r):
        form = (lambda v: f"{v / 2**20:9.1f} MiB") if "resident" in r["measure"] else (lambda v: f"{1e3 * v:10.2f} ms")
        print(f"{r['pair']:34} {r['measure']:22} {r['threads']}  {form(r['ours'])} {form(r['rival'])}   {r['ratio']:6.2f}x  ({r['lowest']:.2f} - {r['highest']:.2f})", flush=True)


def graph(args, kind):
    folder = f"{args.work}/{kind}"
    if not os.path.exists(f"{folder}/graph.json"):
        run([args.hotset, "graph", "synth", kind, "--vertices", str(VERTICES), "--edges", str(ARCS), "--quiet", "-o", folder], 2)
    return folder


def answers(python, modules):
    if not python:
        return False
    try:
        return subprocess.run([python, "-c", f"import {modules}"], capture_output=True).returncode == 0
    except OSError:
        return False


def processor_seconds(command):
    """Of a program that has one thread and times itself only by the wall."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, 1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def same_work(yes, otherwise):
    if not yes:
        sys.exit(f"rivals: the two sides did not do the same work: {otherwise}")


def pagerank(bench, threads):
    args = bench.args
    for kind in ("rmat", "uniform"):
        folder = graph(args, kind)
        both = {}

        def ours():
            both.update(document([args.ours, "pagerank", folder, str(threads)], threads))
            same_work(both["farthest_score"] < 1e-3, f"scores differ by {both['farthest_score']}")
            return {"PageRank iteration": both["ours"]}
        bench.pair(f"textbook pull kernel, {kind}", threads, ours, lambda: {"PageRank iteration": both["textbook"]})
        if args.gap:
            def gap():
                command = [args.gap, "-f", f"{folder}.sg", "-i", "100", "-t", "0", "-n"]
                if args.clock == "cpu":
                    return {"PageRank iteration": (processor_seconds(command + ["4"]) - processor_seconds(command + ["1"])) / 300}
                return {"PageRank iteration": float(re.findall(r"Trial Time:\s+([\d.]+)", run(command + ["2"], threads))[-1]) / 100}
            if not os.path.exists(f"{folder}.sg"):
                run([args.ours, "sg", folder, f"{folder}.sg"], 1)
            bench.pair(f"GAP pr_spmv, {kind}", threads, ours, gap)


def sampling(bench, threads):
    args, folder = bench.args, graph(bench.args, "rmat")

    def ours():
        d = document([args.ours, "sample", folder, str(threads)], threads)
        per_draw = d["presample"] / d["draws"]
        return {"a million draws": 1e6 * per_draw, "its kernel alone": 1e6 * per_draw}
    for how in ([], ["--workers"]) if threads > 1 else ([],):
        def graphbolt():
            d = document([args.graphbolt_python, f"{HERE}/graphbolt_sample.py", folder, "--threads", str(threads), "--epochs", "4"] + how, threads)
            return {"a million draws": 1e6 * d["whole"] / d["draws"], "its kernel alone": 1e6 * d["kernel"] / d["draws"]}
        bench.pair(f"GraphBolt int32{', worker processes' if how else ''}", threads, ours, graphbolt)


def plan(bench, threads):
    args, folder = bench.args, graph(bench.args, "rmat")
    idle = ("load", "draws", "alpha", "peak_bytes")

    def total(d):
        stages = {k: v for k, v in d.items() if k not in idle}
        stages["all stages"] = sum(stages.values())
        stages["peak resident"] = d["peak_bytes"]
        return stages
    did = {}

    def ours():
        did.update(document([args.ours, "plan", folder, str(threads)], threads))
        return total(did)

    def numpy():
        theirs = document([args.python, f"{HERE}/numpy_plan.py", folder], 1)
        same_work(abs(theirs["draws"] / did["draws"] - 1) < 0.01 and theirs["alpha"] == did["alpha"], f"{did} against {theirs}")
        return total(theirs)
    bench.pair("NumPy and SciPy, one thread", threads, ours, numpy)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, about in (("hotset", "the program"), ("ours", "build/tests/rivals/ours"), ("work", "folder for the graphs"), ("out", "result document"),
                        ("python", "a Python with numpy and scipy"), ("graphbolt-python", "a Python with dgl"), ("gapbs", "folder with pr_spmv")):
        args.add_argument(f"--{name}", help=about)
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--threads", default="1,2")
    args.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: the processor's seconds, one thread only, for a machine that others use")
    args = args.parse_args()
    if args.clock == "cpu":
        os.environ["RIVALS_CLOCK"], args.threads = "cpu", "1"
    os.makedirs(args.work, exist_ok=True)
    args.gap = f"{args.gapbs}/pr_spmv" if args.gapbs and os.access(f"{args.gapbs}/pr_spmv", os.X_OK) else None
    have = {GAP: args.gap, GRAPHBOLT: answers(args.graphbolt_python, "dgl.graphbolt"), NUMPY: answers(args.python, "numpy, scipy")}
    for how, there in have.items():
        if not there:
            print(f"rivals: skipped, not found. {how}")
    bench = Bench(args)
    print(f"{'rival':34} {'what':22} T  {'hotset':>13} {'rival':>13}    ratio  (lowest - highest)")
    for threads in map(int, args.threads.split(",")):
        pagerank(bench, threads)
        if have[GRAPHBOLT]:
            sampling(bench, threads)
        if have[NUMPY]:
            plan(bench, threads)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            json.dump({"schema": "rivals/1", "rounds": args.rounds, "clock": args.clock, "vertices": VERTICES, "arcs": ARCS, "rows": bench.rows}, f, indent=1)
            f.write("\n")


main()
