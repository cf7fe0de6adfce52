#!/usr/bin/env python3
"""run.py - mutation testing: applies one small fault at a time, builds, runs the tests, and lists the faults that no test notices.

The faults stand in the .txt files beside this program: "@ file", then lines of old text ("- ") and of new text ("+ "). Old text must
occur exactly once in its file. A line "= reason" marks a fault that changes nothing anybody can see; it is checked to apply, not run.

The tree is copied below the work folder and built with -O1 as a shared library, so that a fault costs the compilation of what it touches
and one link; the test programs are linked once. Tests run one after another until one fails: first those that killed a neighbour of the
fault, then the quickest; a program that cannot reach the changed file is left out. A test that fails must pass on the unchanged library. Results are kept in a file: a second run continues, and repeats survivors only with --again.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Scripts that judge decisions and files; the others are about manuals, installation and interruption.
SCRIPTS = ["tests/golden/golden", "tests/cli/same.sh", "tests/cli/model_example.sh", "tests/cli/contract.sh", "tests/cli/cross_clique.sh",
           "tests/cli/reproduce.sh", "tests/cli/outputs.sh", "tests/cli/size.sh", "tests/cli/batches.sh", "tests/cli/export.sh",
           "tests/cli/corrupt.sh"]
# Tests that were written for a source: asked first for its faults, whatever they take.
AIMED = {"traces/recording/trace_counts.c": ["tests/cli/pcm.sh"], "hwprofiles/model/server_reach.c": ["tests/cli/reach.sh"], "simulator/movement/epoch_load.c": ["tests/cli/reach.sh"], "planner/decisions/levers.c": ["tests/cli/advise.sh"],
         "planner/engine/given_lists.c": ["tests/cli/lists.sh"], "planner/decisions/size.c": ["tests/cli/size.sh"], "traces/recording/trace_parts.c": ["build/tests/property/test_files"],
         "planner/running/refresh.c": ["tests/cli/drift.sh", "tests/cli/refresh.sh"], "planner/running/refresh_moves.c": ["tests/cli/refresh.sh"], "planner/running/drift_document.c": ["tests/cli/drift.sh", "tests/cli/drift_nodes.sh"], "simulator/curves/curves.c": ["tests/cli/curve.sh"],
         "simulator/lib/verify.c": ["build/tests/lib/test_lib"], "planner/policies/aligraph.c": ["tests/golden/golden"], "planner/results/explain.c": ["build/tests/unit/test_explain"],
         "simulator/plan/plan_load.c": ["tests/cli/reach.sh", "tests/cli/corrupt.sh"], "simulator/plan/plan_ids.c": ["tests/cli/corrupt.sh"], "simulator/plan/plan_save.c": ["tests/cli/reach.sh"], "planner/partition/assign.c": ["tests/cli/reach.sh"]}
# Guesses, in seconds, of how long slow tests take; what is measured replaces them.
SLOW = {"test_oom": 20, "test_explain": 20, "test_study_memory": 30, "test_partition": 20, "test_partition_reads": 9, "test_files": 20, "test_plans": 40, "equiv": 60,
        "golden": 5}
KINDS = {"lib": 6, "unit": 1, "oracle": 2, "property": 6, "cli": 20}
# Sources of the library besides its own folder.
LIBRARY = {"base/doc.c", "base/doc_seal.c", "base/npy.c", "traces/recording/assignment.c"}


class Mutant:
    def __init__(self, place, file):
        self.place, self.file, self.old, self.new, self.equivalent = place, file, [], [], None

    def texts(self):
        return "\n".join(self.old), "\n".join(self.new)

    def key(self):
        return hashlib.sha256("\0".join((self.file,) + self.texts()).encode()).hexdigest()[:12]

    def line(self):
        return "%s: %s -> %s" % (self.file, " ".join(self.texts()[0].split()), " ".join(self.texts()[1].split()))


def read_list():
    found = []
    for name in sorted(n for n in os.listdir(HERE) if n.endswith(".txt")):
        mutant = None
        for number, line in enumerate(open(os.path.join(HERE, name)), 1):
            line = line.rstrip("\n")
            if line.startswith("@ "):
                mutant = Mutant("%s:%d" % (name, number), line[2:].strip())
                found.append(mutant)
            elif mutant and line[:2] in ("- ", "+ ", "= "):
                if line[0] == "=":
                    mutant.equivalent = line[2:]
                else:
                    (mutant.old if line[0] == "-" else mutant.new).append(line[2:])
            elif line and not line.startswith("#"):
                sys.exit("mutants: %s:%d is none of '@ file', '- old', '+ new', '= reason', '# remark'" % (name, number))
    return found


def check(mutants):
    """Every fault still applies exactly once, and no two are the same. Returns the number of findings."""
    wrong, seen = 0, {}
    for m in mutants:
        old, new = m.texts()
        path = os.path.join(ROOT, m.file)
        times = open(path).read().count(old) if os.path.exists(path) else -1
        if not old or not new or old == new:
            print("mutants: %s has no old or no new text" % m.place)
        elif times == -1:
            print("mutants: %s: there is no %s" % (m.place, m.file))
        elif times != 1:
            print("mutants: %s: the old text occurs %d times in %s, expected once: %s" % (m.place, times, m.file, old))
        elif m.key() in seen:
            print("mutants: %s repeats %s" % (m.place, seen[m.key()]))
        else:
            seen[m.key()] = m.place
            continue
        wrong += 1
    return wrong


def run(command, cwd, env, seconds):
    """Exit code and output; a test that takes too long has failed."""
    p = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         start_new_session=True)
    try:
        out, _ = p.communicate(timeout=seconds)
        return p.returncode, out.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, 9)
        p.communicate()
        return 124, "took longer than %d s" % seconds


class Bench:
    """A copy of the tree with its own build."""

    def __init__(self, work, cc):
        self.tree, self.cc = os.path.join(work, "tree"), cc.split()
        self.tmp = os.path.join(work, "tmp")
        self.env = dict(os.environ, CC=cc, CFLAGS="-O1 -fPIC", OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", TMPDIR=self.tmp, HOTSET=os.path.join(self.tree, "build/hotset"),
                        BUILD="build", CMOCKA_MESSAGE_OUTPUT="TAP", LC_ALL="C", NO_COLOR="1", CCACHE_BASEDIR=self.tree, CCACHE_NOHASHDIR="1")
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
            self.env.pop(name, None)
        self.seconds = {}

    def must(self, command):
        code, out = run(command, self.tree, self.env, 3600)
        if code:
            sys.exit("mutants: %s failed:\n%s" % (" ".join(command)[:200], out[-3000:]))
        return out

    def copy(self):
        os.makedirs(self.tmp, exist_ok=True)
        os.makedirs(self.tree, exist_ok=True)
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.split(b"\0")
        wanted = {n.decode() for n in names if n}
        for name in sorted(wanted):
            source, to = os.path.join(ROOT, name), os.path.join(self.tree, name)
            if not os.path.exists(source):
                continue
            data = open(source, "rb").read()
            if os.path.exists(to) and open(to, "rb").read() == data:
                continue
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(source, to)
        for folder, _, files in os.walk(self.tree):
            for f in files:
                name = os.path.relpath(os.path.join(folder, f), self.tree)
                if not name.startswith("build/") and name not in wanted:
                    os.remove(os.path.join(self.tree, name))

    def objects(self):
        found = []
        for folder, _, files in os.walk(os.path.join(self.tree, "build")):
            name = os.path.relpath(folder, self.tree)
            if not name.startswith(("build/tests", "build/lib", "build/clean")):
                found += [os.path.join(name, f) for f in files if f.endswith(".o") and self.has_source(os.path.join(name, f))]
        return sorted(found)

    def has_source(self, built):
        """False for what is left of a source that was removed or renamed."""
        return built.startswith("build/gen/") or any(os.path.exists(os.path.join(self.tree, built[len("build/"):-2] + end)) for end in (".c", ".cu"))

    def compile(self, source):
        """Builds the library anew where one source changed, without make. Returns what the compiler said, None when all is well."""
        code, out = run(self.cc + ["-O1", "-fPIC"] + self.flags + ["-c", source, "-o", "build/" + source[:-2] + ".o"], self.tree, self.env, 600)
        if code == 0:
            code, out = run(self.cc + ["-shared", "-fopenmp", "-o", "build/libmutant.so"] + [o for o in self.objects() if o != "build/planner/main.o"] +
                            self.libs, self.tree, self.env, 600)
        return out if code else None

    def make(self):
        """Builds the library anew. Returns what make said, None when all is well."""
        code, out = run(["make", "NVCC=", "build/libhotset_core.a", "build/planner/main.o", "build/lib/libhotset.a"], self.tree, self.env, 1800)
        if code:
            return out
        code, out = run(self.cc + ["-shared", "-fopenmp", "-o", "build/libmutant.so", "-Wl,--whole-archive", "build/libhotset_core.a",
                                   "-Wl,--no-whole-archive"] + self.libs, self.tree, self.env, 600)
        return out if code else None

    def prepare(self):
        self.copy()
        # the libraries as the Makefile chooses them
        self.libs = self.must(["make", "-s", "NVCC=", "--eval=mutants-libs: ; @echo $(HS_LIBS)", "mutants-libs"]).split()
        wrong = self.make()
        if wrong:
            sys.exit("mutants: the unchanged tree does not build:\n" + wrong[-3000:])
        so = ["-Lbuild", "-lmutant", "-Wl,-rpath," + os.path.join(self.tree, "build")]
        self.flags = flags = self.must(["make", "-s", "NVCC=", "--eval=mutants-flags: ; @echo $(HS_CFLAGS)", "mutants-flags"]).split()
        self.must(self.cc + ["-fopenmp", "build/planner/main.o"] + so + self.libs + ["-o", "build/hotset"])
        headers = subprocess.run(["git", "ls-files", "*.h"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout.split()
        changed = max(os.path.getmtime(os.path.join(self.tree, h)) for h in headers if os.path.exists(os.path.join(self.tree, h)))
        self.programs, self.linked = [], set()
        for folder in ("unit", "oracle", "property", "equiv"):
            os.makedirs(os.path.join(self.tree, "build/tests", folder), exist_ok=True)
            for f in sorted(os.listdir(os.path.join(self.tree, "tests", folder))):
                source, to = "tests/%s/%s" % (folder, f), "build/tests/%s/%s" % (folder, f[:-2])
                if not f.endswith(".c") or not (f.startswith("test_") or folder == "equiv" and f == "equiv.c"):
                    continue
                self.programs.append(to)
                own = os.path.getmtime(os.path.join(self.tree, source))
                # structures of any header may have changed, so every program is made anew then
                if os.path.exists(os.path.join(self.tree, to)) and os.path.getmtime(os.path.join(self.tree, to)) >= max(changed, own):
                    continue
                self.linked.add(to)
                self.must(self.cc + ["-O1"] + flags + ["-Itests", source] + so + ["-lcmocka"] + self.libs + ["-o", to])
        self.library = ["build/tests/lib/" + n for n in ("test_lib", "test_batches", "test_gather")]
        self.tests = self.programs + self.library + [s for s in SCRIPTS if os.path.exists(os.path.join(self.tree, s))]

    def find_reach(self):
        """What each test program can run at all: the sources whose objects it needs, directly or through others (by symbols)."""
        def symbols(paths, kinds, more=()):
            found = {}
            for line in self.must(["nm", "-A", "-P"] + list(more) + paths).split("\n"):
                words = line.split()
                if len(words) > 2 and words[2] in kinds:
                    found.setdefault(words[0].rstrip(":").split("[")[0], set()).add(words[1].split("@")[0])
            return found

        objects = self.objects()
        home = {}
        for o, names in symbols(objects, "TDBRCVW").items():
            for n in names:
                home[n] = o
        needs = {o: {home[n] for n in names if n in home} for o, names in symbols(objects, "Uw").items()}
        self.reach = {}
        for program, names in symbols(self.programs, "UBDRT").items():
            todo, seen = [home[n] for n in names if n in home], set()
            while todo:
                o = todo.pop()
                if o not in seen:
                    seen.add(o)
                    todo += needs.get(o, ())
            self.reach[program] = {o[len("build/"):-2] + ".c" for o in seen}
        # What a test includes it is about.
        self.about = {t: set(re.findall(r'^#include "([a-z_/0-9]+)\.h"', open(os.path.join(self.tree, t[len("build/"):] + ".c")).read(), re.M)) for t in self.programs}

    def may_notice(self, test, file):
        if test in self.library:
            return file.startswith("simulator/lib/") or file in LIBRARY
        return test not in self.reach or file.endswith(".h") or file in self.reach[test]

    def test(self, name, seconds):
        if name in self.library:  # linked with libhotset.a, as users do
            code, out = run(["make", "NVCC=", name], self.tree, self.env, 600)
            if code:
                return 0, "not built"
        code, out = run([os.path.join(self.tree, name)], self.tree, self.env, seconds)
        bad = [line for line in out.split("\n") if line.startswith("not ok") and "# SKIP" not in line]
        shutil.rmtree(self.tmp, ignore_errors=True)
        os.makedirs(self.tmp)
        return (code or len(bad)), (bad[0] if bad else "exit code %d" % code)

    def sound(self, name, keep):
        """Whether a test passes on the unchanged library; asked once, when it first fails."""
        if name not in self.proved:
            env = self.env
            self.env = dict(env, LD_LIBRARY_PATH=os.path.join(self.tree, "build/clean"))
            began = time.time()
            failed, why = self.test(name, 1800)
            self.env = env
            self.proved[name] = not failed
            self.seconds[name] = time.time() - began
            with open(keep, "a") as f:
                f.write("%.3f %s %s\n" % (self.seconds[name], "good" if not failed else "bad", name))
            if failed:
                print("mutants: %s fails on the unchanged tree (%s) and is left out" % (name, why))
        return self.proved[name]

    def recall(self, keep):
        """Times and soundness of tests from an earlier run; a guess by kind otherwise."""
        self.proved = {}
        if os.path.exists(keep):
            for line in open(keep):
                seconds, verdict, name = line.split()
                self.seconds[name] = float(seconds)
                if verdict == "good" and name not in self.linked:
                    self.proved[name] = True
        for name in self.tests + [t for tests in AIMED.values() for t in tests]:
            self.seconds.setdefault(name, SLOW.get(os.path.basename(name), KINDS.get(name.split("/")[-2], 10)))
        os.makedirs(os.path.join(self.tree, "build/clean"), exist_ok=True)
        shutil.copy(os.path.join(self.tree, "build/libmutant.so"), os.path.join(self.tree, "build/clean/libmutant.so"))

    def judge(self, m, kills, slowest, patience, keep, passed):
        """(verdict, test): killed, survived or unbuilt. passed: how many tests, in their order, have not noticed it in an earlier run."""
        path = os.path.join(self.tree, m.file)
        text = open(path).read()
        old, new = m.texts()
        stem = os.path.splitext(os.path.basename(m.file))[0]
        room = os.path.dirname(m.file)
        alone = m.file.endswith(".c") and m.file not in LIBRARY and not m.file.startswith("simulator/lib/")
        built = os.path.join(self.tree, "build", os.path.splitext(m.file)[0] + ".o")
        if alone:
            shutil.copy2(built, built + ".good")
        open(path, "w").write(text.replace(old, new))
        try:
            if self.compile(m.file) if alone else self.make():
                return "unbuilt", "the compiler"

            def order(test):
                history = kills.get((m.file, test), 0) * 100 + kills.get((os.path.dirname(m.file), test), 0)
                related = re.search(r"(^|_)%s" % re.escape(stem), os.path.basename(test)) is not None
                about = self.about.get(test, ())
                near = 30 if "%s/%s" % (room, stem) in about or (test in self.library and m.file.startswith("simulator/lib/")) else 5 if any(os.path.dirname(h) == room for h in about) else 0
                return (self.seconds[test] + len(self.reach.get(test, ())) / 100 - 20 * min(history, 5) - (30 if related else 0) - near)

            started = time.time()
            aimed = AIMED.get(m.file, [])
            tests = sorted((t for t in self.tests if t not in aimed), key=order)
            first = sum(order(t) < -20 for t in tests)
            if aimed:
                first = min(first, 3)
            tests = tests[:first] + aimed + tests[first:]
            changed = []
            if passed:  # before: what changed since and what there was no patience for come first
                changed = [t for t in tests if t in self.linked]
                left = sorted(tests[passed:], key=lambda t: t != SCRIPTS[0])  # the goldens notice most
                tests, first, aimed = changed + left + tests[:passed], 0, []
            for number, test in enumerate(tests):
                if time.time() - started > patience and number >= first + len(aimed):
                    return "survived", "after %d of %d tests" % (min(passed + max(number - len(changed), 0), len(self.tests)), len(self.tests))
                if (self.seconds[test] > slowest and test not in AIMED.get(m.file, [])) or not self.proved.get(test, True) or not self.may_notice(test, m.file):
                    continue
                began = time.time()
                failed, why = self.test(test, 30 + 8 * self.seconds[test])
                if not failed:
                    self.seconds[test] = (self.seconds[test] + time.time() - began) / 2
                if failed and self.sound(test, keep):
                    for place in (m.file, os.path.dirname(m.file)):
                        kills[(place, test)] = kills.get((place, test), 0) + 1
                    return "killed", test + " | " + why
            return "survived", "-"
        finally:
            open(path, "w").write(text)
            if alone:
                shutil.move(built + ".good", built)
            else:
                self.make()  # so that no object of this fault is left for the next one


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--check", action="store_true", help="only check that every fault still applies exactly once")
    p.add_argument("--work", default=os.path.join(ROOT, "build/mutants"), help="folder of the copy and the results")
    p.add_argument("--only", default="", help="regular expression over 'file: old -> new'")
    p.add_argument("--again", action="store_true", help="judge survivors once more")
    p.add_argument("--most", type=float, default=5, help="percent of survivors that pass")
    p.add_argument("--slowest", type=float, default=120, help="tests that take longer are left out (seconds)")
    p.add_argument("--patience", type=float, default=1e9, help="seconds of tests for one fault; then it counts as survived, until --again asks with more")
    p.add_argument("--seconds", type=float, default=1e9, help="stop before the next fault after this time")
    a = p.parse_args()
    mutants = read_list()
    wrong = check(mutants)
    if a.check or wrong:
        print("mutants: %d faults, %d do not apply" % (len(mutants), wrong))
    if a.check:
        return 1 if wrong else 0
    mutants = [m for m in mutants if open(os.path.join(ROOT, m.file)).read().count(m.texts()[0]) == 1]
    os.makedirs(a.work, exist_ok=True)
    keep = os.path.join(a.work, "results")
    told = {}
    if os.path.exists(keep):
        for line in open(keep):
            key, verdict, test = line.rstrip("\n").split("\t")[:3]
            told[key] = (verdict, test)
    todo = [m for m in mutants if not m.equivalent and re.search(a.only, m.line()) and
            (m.key() not in told or (a.again and told[m.key()][0] == "survived"))]
    # in an order that looks everywhere early; headers last: they compile almost everything
    todo.sort(key=lambda m: (m.file.endswith(".h"), m.key()))
    began, kills = time.time(), {}
    if todo:
        bench = Bench(os.path.abspath(a.work), os.environ.get("CC", "gcc"))
        bench.prepare()
        times = os.path.join(a.work, "times")
        bench.recall(times)
        bench.find_reach()
        # These are linked with the fault, so whether they pass without it is asked now.
        if any(m.file in LIBRARY or m.file.startswith("simulator/lib/") for m in todo):
            for test in bench.library:
                bench.sound(test, times)
        for m in mutants:
            if m.key() in told and told[m.key()][0] == "killed":
                test = told[m.key()][1].split(" | ")[0]
                for place in (m.file, os.path.dirname(m.file)):
                    kills[(place, test)] = kills.get((place, test), 0) + 1
    for number, m in enumerate(todo, 1):
        if time.time() - began > a.seconds:
            print("mutants: stopped after %d s; the same command continues" % a.seconds)
            break
        started = time.time()
        before = re.match(r"after (\d+) of", told.get(m.key(), ("", ""))[1])
        passed = int(before[1]) if before else 0
        told[m.key()] = bench.judge(m, kills, a.slowest, a.patience, times, passed)
        verdict, test = told[m.key()]
        print("%3d/%d %5.1f s  %-8s %s  [%s]" % (number, len(todo), time.time() - started, verdict, m.line()[:150], test[:70]), flush=True)
        with open(keep, "a") as f:
            f.write("%s\t%s\t%s\t%s\n" % (m.key(), verdict, test, m.line()))
    judged = [m for m in mutants if m.key() in told and not m.equivalent]
    alive = [m for m in judged if told[m.key()][0] == "survived"]
    built = [m for m in judged if told[m.key()][0] != "unbuilt"]
    for m in judged:
        if told[m.key()][0] == "unbuilt":
            print("not built: %s %s" % (m.place, m.line()))
    for m in alive:
        print("survived: %s %s" % (m.place, m.line()))
    share = 100.0 * len(alive) / len(built) if built else 0
    print("mutants: %d of %d faults judged, %d killed, %d survived (%.1f %%), %d equal by reason" % (
        len(built), len(mutants), len(built) - len(alive), len(alive), share, sum(m.equivalent is not None for m in mutants)))
    return 1 if share > a.most else 0


if __name__ == "__main__":
    sys.exit(main())
