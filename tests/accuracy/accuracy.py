#!/usr/bin/env python3
"""Measures what deals and orders of training vertices cost in accuracy: trains what plans of hotset say on eight replicas, several seeds each.

usage: accuracy.py --hotset PROGRAM --library FOLDER [--tolokers FILE] [--seeds N] [--jobs N] [--only GRAPH]

Training vertices of each GPU come from the plan, their order in every epoch from hotset_epoch_order (hotset.py). Every case of a seed has the same graph,
split, initial weights and held-out vertices. Speaks TAP; tables stand in remarks. The test fails where the deal and order that hotset takes without being
asked lose more than one standard deviation (over seeds, of training vertices dealt and shuffled at random), where a model does not learn, or where
a control, mini-batches of one class each, goes unnoticed.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import torch

sys.dont_write_bytecode = True
import graphsage  # noqa: E402

warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
SERVER, BATCH, CONTROL = "dgx-v100", 64, "one class at a time"
RANDOM, DEFAULT = "--assignment global", "(default)"
CASES = {RANDOM: ["--assignment", "global"], "--assignment clique": ["--assignment", "clique"], "--assignment gpu": ["--assignment", "gpu"], DEFAULT: [],
         **{"--assignment gpu --order " + o: ["--assignment", "gpu", "--order", o] for o in ("blocks:8", "blocks:2", "bfs")}}
# What is reached by a model that learned from features alone must lie below `floor`; `level` is the metric whose epoch is told.
GRAPHS = {"tolokers": dict(metric="ROC-AUC", epochs=40, floor=0.77, level=0.80),
          "planted": dict(metric="accuracy", epochs=25, floor=0.60, level=0.68)}


def hotset(program, *words):
    done = subprocess.run([program, *map(str, words), "--threads", "1", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit("accuracy: hotset %s: %s" % (words[0], done.stderr))


def tolokers(a, folder, seed):
    """The published graph with published split number `seed`, features standardized (Platonov et al., ICLR 2023)."""
    data = np.load(a.tolokers)
    split = seed % len(data["train_masks"])
    np.save(folder + "/train.npy", data["train_masks"][split].astype(np.uint8))
    x = data["node_features"]
    hotset(a.hotset, "graph", "import", a.tolokers, "--undirected", "--train", folder + "/train.npy", "--feature-dim", x.shape[1], "-o", folder + "/G")
    held = [np.nonzero(data[k][split])[0] for k in ("val_masks", "test_masks")]
    return (x - x.mean(0)) / x.std(0), data["node_labels"], np.nonzero(data["train_masks"][split])[0], held


def planted(a, folder, seed, vertices=20000, communities=40, classes=8, width=16):
    """Communities with a class and a noisy feature vector each; one label of ten is of a random class."""
    hotset(a.hotset, "graph", "synth", "community", "--vertices", vertices, "--edges", 16 * vertices, "--communities", communities, "--mixing", 0.2,
           "--train-share", 0.3, "--feature-dim", width, "--seed", seed + 1, "-o", folder + "/G")
    rng = np.random.default_rng(seed)
    home = np.arange(vertices) * communities // vertices  # communities are ranges of ids
    y = np.where(rng.random(vertices) < 0.1, rng.integers(classes, size=vertices), home % classes)
    x = rng.normal(size=(communities, width))[home] + rng.normal(scale=2, size=(vertices, width))
    train = np.load(folder + "/G/train.npy").astype(np.int64)
    rest = rng.permutation(np.setdiff1d(np.arange(vertices), train))
    return x, y, train, [rest[:len(rest) // 3], rest[len(rest) // 3:]]


def planned(a, folder, seed, how):
    """A plan with a deal and an order: per epoch, each GPU's training vertices; and what the plan leaves on PCIe, and its deal."""
    hotset(a.hotset, "plan", "--graph", folder + "/G", "--server", SERVER, "--fanout", "10,5", "--batch", BATCH, "--budget", "5%", "--presample-epochs", 2,
           "--simulate-epochs", 1, "--seed", seed + 1, *how, "-o", folder + "/P")
    sys.path.insert(0, a.library)
    import hotset as library
    plan = library.Plan(folder + "/P")
    with open(folder + "/P/plan.json") as f:
        document = json.load(f)
    orders = [[plan.epoch_order(gpu, seed, e) for gpu in plan.gpus] for e in range(60)]
    told = document["simulated"]["total_transactions"], (document.get("deal") or {}).get("chosen", "")
    del plan
    subprocess.run(["rm", "-rf", folder + "/P"], check=True)
    return lambda epoch: orders[epoch], told


def by_class(train, y, seed, gpus=8):
    """The control: in every step all GPUs train vertices of one class, or of two where one ends."""
    rng = np.random.default_rng(seed)

    def orders(_):
        mixed = rng.permutation(train)
        rank = rng.permutation(y.max() + 1)
        rows = mixed[np.argsort(rank[y[mixed]], kind="stable")]
        return [rows[g::gpus] for g in range(gpus)]

    return orders


def one_seed(a, name, seed):
    """{case: (metrics after every epoch, transactions, deal)}"""
    torch.set_num_threads(1)
    about, found = GRAPHS[name], {}
    with tempfile.TemporaryDirectory() as folder:
        x, y, train, held = globals()[name](a, folder, seed)
        graph = graphsage.Graph(*(np.load("%s/G/%s.npy" % (folder, k)) for k in ("indptr", "indices")), x, y)
        held = [torch.from_numpy(v) for v in held]
        for case in (*CASES, CONTROL):
            orders, told = planned(a, folder, seed, CASES[case]) if case in CASES else (by_class(train, y, seed), (0, ""))
            dealt = np.sort(np.concatenate(orders(0)))
            if not np.array_equal(dealt, train):
                raise SystemExit("accuracy: %s: the GPUs do not train the training vertices, each once" % case)
            found[case] = (graphsage.train(graph, orders, BATCH, about["epochs"], held, about["metric"], seed),) + told
    return found


def table(name, runs):
    """Prints a graph's table as remarks. Returns {case: test metric per seed} at the epoch that is best on the validation vertices."""
    about, test = GRAPHS[name], {}
    for case in (*CASES, CONTROL):
        test[case] = np.array([r[case][0][r[case][0][:, 0].argmax(), 1] for r in runs])
    print("# %s: %d seeds, %d epochs\n# | deal and order | test %s | against random, same seed | epochs to %.2f | PCIe transactions |\n# |---|---|---|---|---|" % (
        name, len(runs), about["epochs"], about["metric"], about["level"]))
    for case in test:
        reached = [np.nonzero(r[case][0][:, 1] >= about["level"])[0] for r in runs]
        epochs = [at[0] + 1 for at in reached if len(at)]
        told = "%.1f" % np.mean(epochs) if epochs else "never"
        told += " (%d of %d)" % (len(epochs), len(runs)) if 0 < len(epochs) < len(runs) else ""
        cost = np.mean([r[case][1] / r[RANDOM][1] for r in runs])
        apart = test[case] - test[RANDOM]
        chosen = sorted({r[case][2] for r in runs}) if case == DEFAULT else []
        print("# | %s | %.4f ± %.4f | %+.4f ± %.4f | %s | %s |" % (case + (": " + ", ".join(chosen) if chosen else ""), test[case].mean(), test[case].std(ddof=1), apart.mean(),
              apart.std(ddof=1), told, "%.2f" % cost if cost else ""))
    sys.stdout.flush()
    return test


class Tap:
    number = failed = 0

    def ok(self, good, what):
        self.number += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.number, what), flush=True)


def judge(tap, name, test):
    random, default, control = test[RANDOM], test[DEFAULT], test[CONTROL]
    lost, deviation = random.mean() - default.mean(), random.std(ddof=1)
    tap.ok(random.mean() > GRAPHS[name]["floor"], "%s: the model learns: %.4f, above %.2f" % (name, random.mean(), GRAPHS[name]["floor"]))
    tap.ok(lost <= deviation, "%s: what hotset takes unasked loses %+.4f, at most one deviation of %.4f" % (name, lost, deviation))
    tap.ok(random.mean() - control.mean() > deviation, "%s: mini-batches of one class are noticed: they lose %.4f" % (name, random.mean() - control.mean()))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--hotset", required=True)
    p.add_argument("--library", required=True, help="folder of hotset.py and libhotset")
    p.add_argument("--tolokers", default="")
    p.add_argument("--seeds", type=int, default=5)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--only", choices=GRAPHS)
    a = p.parse_args()
    a.hotset, tap = os.path.abspath(a.hotset), Tap()
    with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        tasks = {}
        for name in [a.only] if a.only else GRAPHS:
            there = name != "tolokers" or os.path.exists(a.tolokers)
            tasks[name] = [pool.submit(one_seed, a, name, seed) for seed in range(a.seeds)] if there else []
        for name, running in tasks.items():
            if running:
                judge(tap, name, table(name, [t.result() for t in running]))
                continue
            tap.number += 1
            print("ok %d - tolokers # SKIP %s is not there" % (tap.number, a.tolokers or "tolokers.npz"))
    print("1..%d" % tap.number)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
