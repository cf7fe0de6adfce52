#!/usr/bin/env python3
"""Every command beside every feature: a cell runs and is checked, or is refused with one reason.

usage: matrix.py [--hotset build/hotset] [--only COMMAND|FEATURE ..] [--write GUIDE.md | --check GUIDE.md]

A cell that runs is checked: what the command says agrees with the plan, and it differs from what the command says
without the feature, so no option is taken that has no effect. A refusal is one sentence with exit code 1, 2 or 3.
Prints TAP, then the table as Markdown; --write puts it between the marks of a document, --check compares it with that.
"""
import argparse
import array
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap

REFUSED_MOST = 0.10
MARKS = ("<!-- matrix -->", "<!-- end of matrix -->")
DRAWS = ["--batch", "20", "--fanout", "5,3"]
SERVER = ["--server", "dgx-v100"]

# ---- features: what a run gets. graph: which one; draw: options of sampling; plan: options of placing; below: memories
FEATURES = {
    "one type": {},
    "several types": {"graph": "types"},
    "edge features": {"graph": "edges"},
    "f16 cache": {"plan": ["--cache-type", "f16"]},
    "i8 cache": {"plan": ["--cache-type", "i8"]},
    "order": {"draw": ["--order", "blocks:2"]},
    "assignment": {"deal": ["--assignment", "global"]},
    "peer access": {"plan": ["--peer-access", "own"]},
    "LABOR": {"draw": ["--sampler", "labor"]},
    "weights": {"graph": "weights", "draw": ["--sampler", "biased"]},
    "times": {"graph": "times", "draw": ["--sampler", "temporal"]},
    "host memory": {"below": ["--host-memory", "60%", "--ssd", "gen4"]},
    "SSDs": {"below": ["--host-memory", "15%", "--ssd", "2xgen4"]},
    "two sockets": {"below": ["--host-memory", "150%"]},
    "4 nodes": {"below": ["--nodes", "4", "--nic-gbps", "25"]},
    "given lists": {"lists": True},
    "several ranks": {"ranks": 2},
}


class Refused(Exception):
    pass


class Wrong(Exception):
    pass


class Run:
    """The commands, with one plan per feature that they share."""

    def __init__(self, hotset, work):
        self.hotset, self.work, self.plans = hotset, work, {}
        # small runs beside each other: threads and ranks that wait give their core away
        self.env = dict(os.environ, OMP_WAIT_POLICY="passive", OMPI_MCA_mpi_yield_when_idle="1", NO_COLOR="1",
                        OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.graphs = {"one": self.path("G"), "types": self.path("T"), "edges": self.path("E")}
        self.call(["graph", "synth", "community", "--vertices", "2000", "--edges", "20000", "--feature-dim", "64",
                   "--train-share", "0.2", "-o", self.graphs["one"]])
        self.graphs["times"] = self.path("H")
        write_times(self.path("times.txt"))
        self.call(["graph", "import", self.path("times.txt"), "--times", "--undirected", "--feature-dim", "64",
                   "--train-share", "0.2", "-o", self.graphs["times"]])
        self.graphs["weights"] = self.path("W")
        self.call(["graph", "import", self.path("times.txt"), "--weights", "--undirected", "--feature-dim", "64",
                   "--train-share", "0.2", "-o", self.graphs["weights"]])
        for name, edge_dim in (("types", 0), ("edges", 8)):
            source = self.path(name)
            os.mkdir(source)
            write_types(source, edge_dim)
            self.call(["graph", "import", source, "-o", self.graphs[name]])

    def path(self, name):
        return os.path.join(self.work, name)

    def call(self, words, ranks=1, no=False):
        """What a command says; Refused with its reason. no: a document that answers 'no' (exit code 1) is an answer."""
        start = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
        done = subprocess.run(start + [self.hotset, *words, "--quiet", "--json"], cwd=self.work, capture_output=True,
                              text=True, timeout=300, env=self.env)
        if done.returncode in (1, 2, 3) and not done.stdout.strip():
            raise Refused(reason_of(done.stderr))
        if done.returncode and not (no and done.returncode == 1):
            raise Wrong(f"exit code {done.returncode}: {' '.join(words)}: {done.stderr.strip()[-300:]}")
        return json.loads(done.stdout) if done.stdout.strip() else {}

    def asked(self, feature, *kinds):
        """Options of a feature, of these kinds."""
        out = []
        for kind in kinds:
            out += feature.get(kind, [])
        if "draw" in kinds:
            out = DRAWS + out
        return ["--graph", self.graphs[feature.get("graph", "one")]] + out

    def lists(self):
        """Lists of another plan, as they come from elsewhere."""
        made = self.path("lists")
        if not os.path.exists(made):
            other = self.path("other")
            self.call(["plan", *self.asked({}, "draw"), *SERVER, "--budget", "3%", "--policy", "legion", "-o", other])
            os.mkdir(made)
            for name in os.listdir(other):
                if name.endswith(".npy"):
                    shutil.copy(os.path.join(other, name), made)
        return ["--from-lists", made]

    def plan(self, name):
        """The plan of a feature: its directory and what planning said; made once."""
        if name not in self.plans:
            feature, out = FEATURES[name], self.path("P-" + name.replace(" ", "-"))
            words = ["plan", *self.asked(feature, "draw", "deal", "plan", "below"), *SERVER, "--budget", "5%", "-o", out]
            words += self.lists() if feature.get("lists") else []
            try:
                self.plans[name] = (out, self.call(words, feature.get("ranks", 1)))
            except (Refused, Wrong) as e:
                self.plans[name] = e
        if isinstance(self.plans[name], Exception):
            raise self.plans[name]
        return self.plans[name]


def write_times(path):
    """Who writes to whom, which drifts with time."""
    dice = random.Random(7)
    with open(path, "w") as f:
        for i in range(10000):
            f.write(f"{i // 6 + dice.randrange(300)} {i // 6 + int(dice.paretovariate(0.8)) % 300} {i}\n")


def write_npy(path, code, shape, values):
    head = str({"descr": {"q": "<i8"}[code], "fortran_order": False, "shape": shape}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + array.array(code, values).tobytes())


def write_types(folder, edge_dim):
    """Papers that cite, authors who write, and a relation back; skewed, so that caches are worth something."""
    random.seed(7)
    count = {"paper": 1500, "author": 900}
    doc = {"name": "made", "types": [{"name": "paper", "count": count["paper"], "feature_dim": 64, "train": "train.npy"},
                                     {"name": "author", "count": count["author"], "feature_dim": 32}], "relations": []}
    skewed = lambda n: int(n * random.random() ** 2.5)
    for source, name, target, edges in (("paper", "cites", "paper", 9000), ("author", "writes", "paper", 6000),
                                        ("paper", "written_by", "author", 5000)):
        pairs = {(skewed(count[source]), random.randrange(count[target])) for _ in range(edges)}
        relation = {"source": source, "name": name, "target": target, "edge_index": name + ".npy"}
        if edge_dim and name != "written_by":
            relation["feature_dim"] = edge_dim
        doc["relations"].append(relation)
        pairs = sorted(pairs)
        write_npy(os.path.join(folder, name + ".npy"), "q", (2, len(pairs)), [p[0] for p in pairs] + [p[1] for p in pairs])
    train = random.sample(range(count["paper"]), 300)
    write_npy(os.path.join(folder, "train.npy"), "q", (len(train),), train)
    with open(os.path.join(folder, "hetero.json"), "w") as f:
        json.dump(doc, f)


def reason_of(said):
    """The sentence of a refusal, without names of this run."""
    lines = [line for line in said.strip().splitlines() if line.startswith("hotset: ")]
    if not lines:
        raise Wrong("refused without a sentence: " + said.strip()[-300:])
    return lines[-1][len("hotset: "):]


# ---- commands: what is run for a feature; returns the document that must differ from that without the feature

DOCUMENTS = {}


def same_of_ranks(what, name, said):
    """What a command says; that of several ranks is that of one process."""
    if name == "one type":
        DOCUMENTS[what] = said
    if "ranks" not in FEATURES[name]:
        return said
    if stripped(said) != stripped(DOCUMENTS[what]):
        raise Wrong("several ranks say another thing than one process")
    return None


def total(simulated):
    return simulated["total_transactions"]


def expect(left, right, what):
    if left != right:
        raise Wrong(f"{what}: {left} is not {right}")


def same_files(a, b):
    names = sorted(os.listdir(a))
    expect(names, sorted(os.listdir(b)), "files")
    for name in names:
        left, right = os.path.join(a, name), os.path.join(b, name)
        if os.path.isdir(left):
            same_files(left, right)
        elif open(left, "rb").read() != open(right, "rb").read():
            raise Wrong(f"{name} differs")


def run_plan(run, name):
    out, said = run.plan(name)
    run.call(["verify", out])
    if name == "several ranks":
        same_files(run.plan("one type")[0], out)
        return None
    return said


def run_trace(run, name):
    f = FEATURES[name]
    out = run.path("T-" + name.replace(" ", "-"))
    words = ["trace", "record", *run.asked(f, "draw", "deal"), *SERVER, "--epochs", "2", "-o", out]
    if "plan" in f or "below" in f or "lists" in f: # what a plan's mini-batches read
        words = ["trace", "record", *run.asked(f), *SERVER, "--plan", run.plan(name)[0], "--epochs", "2", "-o", out]
    said = run.call(words, f.get("ranks", 1))
    if name == "several ranks":
        run_trace(run, "one type")
        same_files(run.path("T-one-type"), out)
    return None if "ranks" in f or "plan" in f or "below" in f else said


def run_compare(run, name):
    f = FEATURES[name]
    words = ["compare", *run.asked(f, "draw", "deal", "plan", "below"), *SERVER, "--budget", "5%", "--policy",
             "lists,hotset" if f.get("lists") else "hotset,legion"]
    words += run.lists() if f.get("lists") else []
    said = run.call(words, f.get("ranks", 1))
    good = [r for r in said["rows"] if r["status"] == "ok"]
    expect(len(good), len(said["rows"]), "rows that are good")
    planned = run.plan(name)[1].get("simulated")
    if planned:
        expect(total(good[0]["simulated"]), total(planned), "compare and plan")
    return same_of_ranks("compare", name, said["rows"])


def run_size(run, name):
    f = FEATURES[name]
    words = ["size", *run.asked(f, "draw", "deal", "plan", "below"), *SERVER, "--target", "hit-rate>=0.3"]
    words += run.lists() if f.get("lists") else []
    said = run.call(words, f.get("ranks", 1), no=True)
    if not any(o["fits"] for o in said["options"]): # an answer that no server holds it answers nothing about the feature
        raise Refused(re.sub(r"[0-9.]+ [KMGT]?i?B", "..", said["options"][0]["lacks"]))
    return same_of_ranks("size", name, said)


def run_advise(run, name):
    f = FEATURES[name]
    words = ["advise", *run.asked(f, "draw", "deal", "plan", "below"), *SERVER, "--budget", "5%"]
    words += run.lists() if f.get("lists") else []
    said = run.call(words, f.get("ranks", 1))
    planned = run.plan(name)[1].get("simulated")
    if planned:
        expect(said["today"]["value"]["transactions"], total(planned), "advise and plan")
    return same_of_ranks("advise", name, said["today"]["value"])


def run_verify(run, name):
    """What verify says of a good plan has nothing of its features; a plan whose list was cut is no good."""
    out, _ = run.plan(name)
    run.call(["verify", out], FEATURES[name].get("ranks", 1))
    bad = run.path("bad")
    shutil.rmtree(bad, ignore_errors=True)
    shutil.copytree(out, bad)
    lists = [os.path.join(d, f) for d, _, files in os.walk(bad) for f in files if "feature" in f and npy_length(os.path.join(d, f))]
    with open(sorted(lists)[0], "r+b") as f:
        f.seek(-4, 2)
        f.write(b"\xff\xff\xff\x7f")
    try:
        run.call(["verify", bad])
    except Refused:
        return None
    raise Wrong("a plan with an unknown vertex is called good")


def run_simulate(run, name):
    out, planned = run.plan(name)
    said = run.call(["simulate", out], FEATURES[name].get("ranks", 1))
    if planned.get("simulated"):
        expect(total(said["rows"][0]["simulated"]), total(planned["simulated"]), "simulate and plan")
    return same_of_ranks("simulate", name, said["rows"])


def run_execute(run, name):
    out, _ = run.plan(name)
    said = run.call(["execute", out, "--epochs", "1", "--verify"], FEATURES[name].get("ranks", 1))
    return None if "ranks" in FEATURES[name] else said # with measured times


def run_refresh(run, name):
    f = FEATURES[name]
    out, _ = run.plan(name)
    trace, new = run.path("T2"), run.path("P2")
    shutil.rmtree(trace, ignore_errors=True)
    shutil.rmtree(new, ignore_errors=True)
    run.call(["trace", "record", *run.asked(f), *SERVER, "--plan", out, "--seed", "7", "--epochs", "2", "-o", trace])
    said = run.call(["refresh", out, "--trace", trace, "-o", new], f.get("ranks", 1))
    run.call(["verify", new])
    return same_of_ranks("refresh", name, said)


def run_observe(run, name):
    """A job that reads what the simulation says: no difference beyond noise."""
    out, _ = run.plan(name)
    counters, one = run.path("job.jsonl"), run.path("one.json")
    shutil.rmtree(counters, ignore_errors=True)
    if os.path.exists(counters):
        os.remove(counters)
    said = run.call(["simulate", out, *(["--seed", "501"] if name == "times" else [])]) # one job in 20 is told of a difference
    if FEATURES[name].get("graph") in ("types", "edges"):
        said = run.call(["simulate", out, "--seed", "501", "--epochs", "1"])
        with open(one, "w") as f:
            json.dump(said, f)
        maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "observe_types.py")
        subprocess.run([sys.executable, maker, one, out, "501", counters], check=True)
    elif len(said["rows"]) > 1:
        os.mkdir(counters)
        for i, row in enumerate(said["rows"]):
            write_counters(os.path.join(counters, f"node{i}"), os.path.join(out, f"node{i}"), row["simulated"])
    else:
        write_counters(counters, out, said["rows"][0]["simulated"])
    return same_of_ranks("observe", name, run.call(["observe", out, counters], FEATURES[name].get("ranks", 1)))


def write_counters(path, plan, simulated):
    with open(path, "w") as f:
        for g in simulated["gpus"]:
            rows = {k: g["feature_rows"][of] for k, of in (("own", "local"), ("peer", "peer"), ("host", "host"))}
            f.write(json.dumps({"schema": "observed/1", "gpu": g["id"], "epoch": 0, "rows": rows,
                                "batches": simulated["epochs"] * batches_of(plan, g["id"]),
                                "bytes": {k: 256 * n for k, n in rows.items()}}) + "\n")


def batches_of(plan, gpu):
    """Mini-batches of an epoch: the plan's training vertices of the GPU, by 20."""
    return -(-npy_length(os.path.join(plan, f"gpu{gpu}_train.npy")) // 20)


def npy_length(path):
    raw = open(path, "rb").read(128)
    return int(re.search(rb"'shape': \((\d+)", raw).group(1))


def run_explain(run, name):
    out, _ = run.plan(name)
    vertex = "paper:5" if FEATURES[name].get("graph") in ("types", "edges") else "5"
    return same_of_ranks("explain", name, run.call(["explain", out, "--vertex", vertex], FEATURES[name].get("ranks", 1)))


def run_diff(run, name):
    out, _ = run.plan(name)
    return same_of_ranks("diff", name, run.call(["diff", out, out], FEATURES[name].get("ranks", 1)))


def run_export(run, name):
    out, _ = run.plan(name)
    made = run.path("X")
    shutil.rmtree(made, ignore_errors=True)
    said = run.call(["export", out, "--to", "npy", "-o", made], FEATURES[name].get("ranks", 1))
    return same_of_ranks("export", name, [said, sorted(os.listdir(made))])


def run_report(run, name):
    f = FEATURES[name]
    results, page = run.path("R"), run.path("page")
    for old in (results, page):
        shutil.rmtree(old, ignore_errors=True)
    words = ["compare", *run.asked(f, "draw", "deal", "plan", "below"), *SERVER, "--budget", "2%,5%", "--policy",
             "lists,hotset" if f.get("lists") else "hotset,legion", "-o", results, "--force"]
    words += run.lists() if f.get("lists") else []
    run.call(words)
    run.call(["report", results, "-o", page, "--force"], f.get("ranks", 1))
    html = open(os.path.join(page, "index.html")).read()
    return same_of_ranks("report", name, re.sub(r"\s+", " ", html))


def of_memories(command, extra):
    def go(run, name):
        f = FEATURES[name]
        out, _ = run.plan(name)
        words = [command, out, *extra] if command != "plan" else [command, "--like", out, *extra, "-o", run.path("B"), "--force"]
        said = json.dumps(run.call(words, f.get("ranks", 1)))
        return same_of_ranks(command, name, json.loads(said.replace(out, "P")))
    return go


def of_graph(command, extra, kinds):
    def go(run, name):
        f = FEATURES[name]
        below = f.get("below", [])
        words = [command, *run.asked(f, *kinds), *below]
        words += [w for i in range(0, len(extra), 2) if extra[i] not in below for w in extra[i:i + 2]]
        words += run.lists() if f.get("lists") else []
        if command == "plan":
            words += ["-o", run.path("B"), "--force"]
        if command == "drift":  # deals at random unasked
            words = ["gpu" if w == "global" else w for w in words]
        return same_of_ranks(command, name, run.call(words, f.get("ranks", 1)))
    return go


def run_inference(run, name):
    """Planned and counted again, both of which say the same bytes."""
    f = FEATURES[name]
    out = run.path("I-" + name.replace(" ", "-"))
    sampled = ["--mode", "sampled", "--fanout", "5,3"] if "--sampler" in f.get("draw", []) else ["--layers", "2"]
    words = ["plan", "--job", "inference", *run.asked(f), *f.get("draw", []), *f.get("deal", []), *f.get("plan", []),
             *f.get("below", []), *SERVER, *sampled, "--budget", "5%", "-o", out]
    words += run.lists() if f.get("lists") else []
    said = run.call(words, f.get("ranks", 1))
    expect(run.call(["simulate", out])["total"], said["total"], "simulate and plan")
    return same_of_ranks("inference", name, said["total"])


COMMANDS = {
    "trace record": run_trace,
    "plan": run_plan,
    "compare": run_compare,
    "size": run_size,
    "advise": run_advise,
    "simulate": run_simulate,
    "execute": run_execute,
    "observe": run_observe,
    "refresh": run_refresh,
    "explain": run_explain,
    "verify": run_verify,
    "diff": run_diff,
    "export": run_export,
    "report": run_report,
    "what-if": of_memories("what-if", ["--epoch-within", "150us"]),
    "inference": run_inference,
    "curve": of_memories("curve", ["--points", "8"]),
    "drift": of_graph("drift", ["--server", "dgx-v100:2", "--budget", "5%", "--windows", "2", "--window-epochs", "1",
                                "--presample-epochs", "1"], ("draw", "deal", "plan")),
    "plan --ssd": of_memories("plan", ["--host-memory", "50%", "--ssd", "2xgen4"]),
    "plan --socket-rows": of_memories("plan", ["--host-memory", "150%", "--socket-rows", "replicate"]),
    "plan --nodes": of_graph("plan", ["--nodes", "2", "--nic-gbps", "12.5", "--host-memory", "70%", *SERVER, "--budget", "5%"], ("draw", "deal", "plan")),
    "plan --host-memory": of_graph("plan", ["--host-memory", "140%", *SERVER, "--budget", "5%"], ("draw", "deal", "plan")),
}

# DRAM that holds all rows changes nothing that curve says of GPUs; and here options take the place of the plan's memories. DRAM of two sockets
# changes no epoch (what-if) where the link between them is wider than PCIe, as on a DGX-1.
OF_GPUS = {("what-if", "two sockets"), ("curve", "two sockets"), ("plan --ssd", "host memory"), ("plan --ssd", "SSDs"),
           ("plan --ssd", "two sockets"), ("plan --socket-rows", "two sockets")}

# Documents repeat paths and times, which differ without any effect.
VOLATILE = {"seconds_used", "path", "elapsed", "measured", "options", "sentence", "created"}


def stripped(d):
    if isinstance(d, dict):
        return {k: stripped(v) for k, v in d.items() if k not in VOLATILE}
    if isinstance(d, list):
        return [stripped(v) for v in d]
    return d


def cell(run, command, feature, without):
    """("ran" | "refused" | "wrong", why)"""
    try:
        said = COMMANDS[command](run, feature)
    except Refused as e:
        return "refused", str(e)
    except (Wrong, KeyError, IndexError, OSError, ValueError, subprocess.TimeoutExpired) as e:
        return "wrong", f"{type(e).__name__}: {e}"
    said = stripped(said)
    if feature == "one type":
        without[command] = said
    elif said is not None and (said == without.get(command)) != ((command, feature) in OF_GPUS):
        return "wrong", "the feature has an effect" if (command, feature) in OF_GPUS else "the feature has no effect"
    return "ran", ""


def generic(reason, run):
    """A reason without the paths of this run."""
    return re.sub(re.escape(run.work) + r"/[\w.-]+", "G", reason)


def table(results, features, commands, run):
    """The names of all, then the cells that are refused: those with one reason, a command or a feature apart, in one line."""
    named, fill = ", ".join, lambda text, **how: textwrap.wrap(text, 138, break_on_hyphens=False, **how)
    by_command, by_reason = {}, {}
    for (c, f), (state, why) in sorted(results.items(), key=lambda r: (commands.index(r[0][0]), features.index(r[0][1]))):
        if state != "ran":
            by_command.setdefault((c, re.sub("^--[a-z-]+: ", "", generic(why, run)) if state == "refused" else "?"), []).append(f)
    for (c, why), of in by_command.items():
        by_reason.setdefault((why, named(of)), []).append(f"`{c}`")
    lines = fill(f"Commands: {named(f'`{c}`' for c in commands)}.") + [""] + fill(f"Features: {named(features)}.") + [""]
    for (why, of), by in by_reason.items():
        lines += fill(f"- {named(by)} with {of}: {why}", subsequent_indent="  ")
    return lines


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--hotset", default=os.environ.get("HOTSET", "build/hotset"))
    a.add_argument("--only", nargs="*", default=[])
    a.add_argument("--write")
    a.add_argument("--check")
    a = a.parse_args()
    chosen = lambda names: [n for n in names if n in a.only] or list(names)
    features, commands = chosen(FEATURES), chosen(COMMANDS)
    tier = os.environ.get("TEST_TIER", "")
    # the short tier: every command once, and every feature once; the rest tells the others, and the table
    is_short = lambda c, f: f == "one type" or c == "plan"
    if "one type" not in features:
        features = ["one type"] + features
    with tempfile.TemporaryDirectory(prefix="matrix-") as work:
        run = Run(os.path.abspath(a.hotset), work)
        results, without, tests = {}, {}, 0
        for c in commands:
            for f in features:
                if tier == "short" and not is_short(c, f):
                    continue
                state, why = results[c, f] = cell(run, c, f, without)
                if tier == "rest" and is_short(c, f) and state != "wrong":
                    continue
                tests += 1
                print(f"{'not ok' if state == 'wrong' else 'ok'} {tests} - {c} with {f}{': refused' if state == 'refused' else ''}")
                if why:
                    print("# " + generic(why, run).replace("\n", "\n# "))
                sys.stdout.flush()
        if tier == "short":
            print(f"1..{tests}")
            return
        refused = sum(state == "refused" for state, _ in results.values())
        lines = table(results, features, commands, run)
    tests += 1
    print(f"{'ok' if refused <= REFUSED_MOST * len(results) else 'not ok'} {tests} - {refused} of {len(results)} cells refuse")
    text = "\n".join(lines)
    if a.write or a.check:
        path = a.write or a.check
        old = open(path).read()
        at, end = old.index(MARKS[0]) + len(MARKS[0]), old.index(MARKS[1])
        new = old[:at] + "\n" + text + "\n" + old[end:]
        if a.write:
            open(path, "w").write(new)
        tests += 1
        print(f"{'ok' if a.write or new == old else 'not ok'} {tests} - the table of {os.path.basename(path)}")
    else:
        print("\n".join("# " + line for line in lines))
    print(f"1..{tests}")


if __name__ == "__main__":
    main()
