"""shown.py - attacks of torture.py on what leaves hotset: names that command terminals, numbers that are none, signals that come together.

  names    every text and key of every document, every word of every command line and a file's name hold what a terminal obeys: none of it is
           printed, whatever the exit code
  rates    every number of every kind of shipped document (servers, drives, clusters, prices, cases) is 1e-308, 0, -1, 1e308 or no number:
           exit code 3 with a sentence, or a result without nan and inf
  signals  two signals within 10 ms, while an output folder is filled: nothing stays beside it
"""
import copy
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time

EVIL = "\x1b[31mX\x1b]0;pwn\x07\u202e\u2067\x7f\u009b2J\rY"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
NONE = re.compile(r"(?<![\w/.-])[-+]?(nan|inf|infinity)(?![\w/-])", re.I)
VALUES = (1e-308, 0, -1, 1e308, float("nan"), "NaN", 1e-60, 1e-6)


def obeyed(data):
    """What a terminal would obey in what was printed, or None."""
    try:
        found = OBEYED.search(data.decode())
    except UnicodeDecodeError as e:
        return "bytes that are no UTF-8: %r" % data[e.start - 20:e.end + 20]
    return found and "the control character U+%04X near %r" % (ord(found.group()), data.decode()[max(0, found.start() - 30):found.end() + 10])


def places(d, at=()):
    """Paths to all values and keys below."""
    for key, value in list(d.items()) if isinstance(d, dict) else enumerate(d) if isinstance(d, list) else ():
        yield at + (key,), value
        yield from places(value, at + (key,))


def changed(d, at, value=None, key=None):
    """A copy of a document with another value, or another key, at a path."""
    d = copy.deepcopy(d)
    inner = d
    for step in at[:-1]:
        inner = inner[step]
    if key is None:
        inner[at[-1]] = value
    else:
        inner[key] = inner.pop(at[-1])
    return d


# ---- names

def names_attack(t, flows):
    evil = os.path.join(t.work, "shown")
    shutil.copytree(os.path.join(t.work, "in"), evil, dirs_exist_ok=True)
    asked = [[word.replace("../in/", "../shown/") for word in flow.args if word != "--quiet"] for flow in flows if not flow.long]

    def judge(name, args):
        t.fresh()
        r = t.run(args)
        wrong = obeyed(r.out) or obeyed(r.err)
        if r.code in (70, 124) or r.code > 128:
            wrong = "exit code %d" % r.code
        if not wrong and "--json" in args and r.code == 0:
            try:
                json.loads(r.out)
            except ValueError as e:
                wrong = "is no JSON: %s" % e
        t.find("names", name, " ".join(args), wrong)

    trials = []
    for path in sorted(glob.glob(evil + "/**/*.json", recursive=True)):
        of = "../shown/" + os.path.relpath(path, evil)
        takers = [args for args in asked if any(of == word or of.startswith(word + "/") for word in args)]
        kinds = {}
        for at, value in places(json.load(open(path))):
            kinds.setdefault((tuple("[]" if isinstance(x, int) else x for x in at), isinstance(value, str)), (at, value))
        for at, value in kinds.values():
            for args in takers:
                if isinstance(value, str):
                    trials.append((path, at, None, args))
                if isinstance(at[-1], str):
                    trials.append((path, at, EVIL, args))
    for i, (path, at, key, args) in enumerate(sorted(trials, key=hash_of)):
        def trial(path=path, at=at, key=key, args=args):
            before = open(path, "rb").read()
            d = json.loads(before)
            json.dump(changed(d, at, EVIL, key), open(path, "w"))
            try:
                judge("%s of %s" % ("key" if key else "text", os.path.basename(path)), args)
            finally:
                open(path, "wb").write(before)
        yield "names", trial
        if i % 4 == 0 and i // 4 < len(asked):
            for k in range(len(asked[i // 4])):
                def word(args=asked[i // 4], k=k):
                    judge("word of %s" % args[0], args[:k] + [EVIL + os.fsdecode(b"\xff\xc3")] + args[k + 1:])
                yield "names", word


def hash_of(trial):
    """An order that mixes documents and commands, the same in every run."""
    return hashlib.md5(repr(trial).encode()).hexdigest()


# ---- rates

def documents(t, root):
    """Kind, name, document, and the command lines that read it (FILE stands for it)."""
    on = "--graph ../in/G --fanout 2,2 --batch 2 --threads 1 --presample-epochs 1 --simulate-epochs 1".split()
    server = [["server", "show", "FILE"], ["compare", "--server", "FILE", "--budget", "60B", "--policy", "hotset"] + on,
              ["simulate", "../in/P", "--graph", "../in/G", "--epochs", "1", "--movement", "--server", "FILE"],
              ["size", "--server", "FILE", "--steps", "2", "--reserve", "1000B"] + on[:8],
              ["advise", "--server", "FILE", "--budget", "60B"] + on,
              ["plan", "-o", "P", "--force", "--server", "FILE", "--host-memory", "150B", "--ssd", "gen4", "--budget", "60B"] + on[:8]]
    drive = [["compare", "--policy", "hotset", "--server", "dgx-v100", "--host-memory", "150B", "--ssd", "FILE", "--budget", "60B"] + on,
             ["plan", "-o", "P", "--force", "--server", "dgx-v100", "--host-memory", "150B", "--ssd", "FILE", "--budget", "60B"] + on[:8],
             ["size", "--server", "dgx-v100", "--steps", "2", "--ssd", "FILE", "--host-memory", "100GiB"] + on[:8]]
    for path in sorted(glob.glob(root + "/hwprofiles/drives/*.json")):
        yield "drive", path, json.load(open(path)), drive
    for path in sorted(glob.glob(root + "/tests/validation/*.json")):
        yield "case", path, json.load(open(path)), [["validate", "--case", "FILE"], ["size", "--server", "siton", "--steps", "2", "--case", "FILE"] + on[:8]]
    cluster = {"schema": "cluster/1", "servers": [{"server": "p4d.24xlarge", "count": 2}], "network": {"nic_gbps": 12.5, "rails": False, "oversubscription": 2}}
    yield "cluster", "cluster", cluster, [["plan", "-o", "P", "--force", "--cluster", "FILE", "--simulate-epochs", "1", "--budget", "60B", "--graph", "../in/N"] + on[2:8]]
    prices = json.load(open(root + "/planner/decisions/data/prices.json"))
    yield "prices", "prices", prices, [["size", "--server", "p4d.24xlarge", "--steps", "2", "--prices", "FILE", "--target", "cost<=1"] + on[:8]]
    for path in sorted(glob.glob(root + "/hwprofiles/servers/*.json")):
        yield "server", path, json.load(open(path)), server


def rates_attack(t):
    root, seen = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), set()
    t.run("graph synth uniform --vertices 400 --edges 2000 -o ../in/N --quiet".split())  # 16 GPUs need 16 training vertices
    for kind, path, document, commands in documents(t, root):
        for at, value in places(document):
            place = kind, tuple("[]" if isinstance(x, int) else x for x in at)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or place in seen:
                continue
            seen.add(place)
            for number in VALUES:
                for args in commands:
                    def trial(kind=kind, at=at, number=number, args=args, document=document):
                        t.fresh()
                        with open(t.here + "/FILE.json", "w") as f:
                            json.dump(changed(document, at, number), f)
                        r = t.run([word.replace("FILE", "./FILE.json") for word in args] + ["--quiet"])
                        text, said = r.out.decode("utf-8", "replace"), r.err.decode("utf-8", "replace")
                        found, wrong = NONE.search(text), None
                        if r.code in (0, 1) and found:
                            wrong = "prints '%s'" % text[max(0, found.start() - 60):found.end() + 10].split("\n")[-1]
                        elif r.code not in (0, 1, 3) and not (r.code == 2 and "FILE.json" not in said):
                            wrong = "exit code %d: %s" % (r.code, said[:150])
                        elif r.code == 3 and not re.search(r"^hotset: .{10,}", said):
                            wrong = "exit code 3 without a sentence"
                        t.find("rates", "%s of a %s in %s" % (".".join(map(str, at)), kind, args[0]), "%r" % number, wrong)
                    yield "rates", trial


# ---- signals

def signals_attack(t):
    """The folder holds 16 MiB when the first signal comes, so that it takes a moment to remove it."""
    args = [t.hotset] + "graph synth uniform --vertices 300000 --edges 6000000 -o X --quiet --threads 2".split()
    for i in range(50):
        def trial(i=i):
            t.fresh()
            p = subprocess.Popen(args, cwd=t.here, env=t.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            full = False
            while p.poll() is None and not full:
                try:
                    full = sum(os.path.getsize(f) for f in glob.glob(t.here + "/.X*/*")) > 16 << 20
                except OSError:
                    pass
            both = t.random.sample((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), 2)
            p.send_signal(both[0])
            time.sleep(t.random.uniform(0, 0.001 + 0.0002 * i))
            p.send_signal(both[1])
            try:
                p.wait(20)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
                t.find("signals", "two signals", str(both), "hangs")
            left = [name for name in os.listdir(t.here) if name.startswith(".X")]
            t.find("signals", "two signals", str(both), "a temporary is left behind" if left else None)
        yield "signals", trial
