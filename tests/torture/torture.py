#!/usr/bin/env python3
"""torture.py - hostile conditions for every command: what fails must say so, leave nothing, and never exit 0 with a missing or half file.

Attacks (--attack chooses, by regular expression):
  memory     the k-th allocation fails (fail_memory.c, preloaded)
  calls      the k-th openat, read, write, close, mmap, fsync, rename, .. fails (fail_calls.c, seccomp and ptrace); writes also for good
  disk       a file system of a few KiB (tmpfs, needs root), or ulimit -f
  limits     ulimit -v, -n
  kill       kill -9 at a random moment, then the same command: the same bytes
  pair       two processes on one output
  outputs    outputs beside files of others, over inputs, onto links (spared.py)
  poison     what an unfinished run left in its .partial folder is damaged: bits, lengths, swapped files, planted links, foreign files
  keys       every key of every document deleted, of another kind, out of range or with another value: readers agree (keys.py)
  hostile    plan, trace and graph folders, archives, XML, JSON and texts made to hurt (hostile.py)
  names, rates, signals
             what a terminal obeys, numbers that are none, signals that come together (shown.py)

Every attack is a list of trials. Trials of all attacks and commands take turns, spread evenly over k, until all are done or --seconds are
over: a short run looks everywhere, a long one looks at everything. Same --seed, same trials. A finding that known.txt lists is told, but
does not fail. Speaks TAP; ends with a table (attack, trials, findings).
"""
import argparse
import collections
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import flows as inputs  # noqa: E402
import hostile  # noqa: E402
import keys  # noqa: E402
import shown  # noqa: E402
import spared  # noqa: E402

ENOENT, EIO, EAGAIN, ENOMEM, ENOSPC, EMFILE = 2, 5, 11, 12, 28, 24
# calls, error, for good; EINTR is left out: no handler of hotset returns
CALLS = [("openat,open", EIO, 0), ("openat,open", EMFILE, 1), ("read,pread64", EIO, 0), ("write,writev", ENOSPC, 0), ("write,writev", ENOSPC, 1),
         ("close", EIO, 0), ("mmap", ENOMEM, 0), ("fsync", EIO, 0), ("rename,renameat,renameat2", EIO, 0), ("ftruncate,fallocate", ENOSPC, 0),
         ("mkdir,mkdirat", ENOSPC, 0), ("lseek", EIO, 0), ("unlink,unlinkat", EIO, 0), ("getdents64", EIO, 0)]


def snapshot(folder):
    """Digest of every file below, None for folders."""
    found = {}
    for at, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(at, name), folder)] = None
        for name in files:
            path = os.path.join(at, name)
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = os.readlink(path)
            elif os.path.isfile(path):
                found[os.path.relpath(path, folder)] = hashlib.sha256(open(path, "rb").read()).hexdigest()
            else:
                found[os.path.relpath(path, folder)] = "a pipe"
    return found


def difference(tree, want):
    for name in sorted(set(tree) | set(want)):
        if name not in want:
            return "%s is left behind" % name
        if name not in tree:
            return "%s is missing" % name
        if tree[name] != want[name]:
            return "%s is not what it should be" % name
    return None


class Run:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class Torture:
    def __init__(self, a):
        self.hotset, self.random, self.a = os.path.abspath(a.hotset), random.Random(a.seed), a
        self.work = tempfile.mkdtemp(prefix="torture-", dir=os.environ.get("TMPDIR"))
        self.here = os.path.join(self.work, "run")
        self.calls, self.memory = os.path.join(self.work, "fail_calls"), os.path.join(self.work, "fail_memory.so")
        self.findings, self.trials = collections.OrderedDict(), collections.Counter()
        self.skipped = {}
        self.env = dict(os.environ, LC_ALL="C", NO_COLOR="1", TMPDIR=self.work, OMP_WAIT_POLICY="passive")
        for name in ("MALLOC_PERTURB_", "LD_PRELOAD"):
            self.env.pop(name, None)

    def build(self):
        cc = os.environ.get("CC", "cc").split()
        for command in (cc + ["-O1", "-o", self.calls, HERE + "/fail_calls.c"], cc + ["-O1", "-shared", "-fPIC", "-o", self.memory, HERE + "/fail_memory.c"]):
            subprocess.run(command, check=True)

    def fresh(self):
        shutil.rmtree(self.here, ignore_errors=True)
        os.makedirs(self.here)

    def run(self, args, env=None, before=(), limits=(), seconds=60, signals=True):
        def prepare():
            for what, value in limits:
                resource.setrlimit(what, (value, value))

        p = subprocess.Popen(list(before) + [self.hotset] + args, cwd=self.here, env=dict(self.env, **(env or {})), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=prepare if limits else None, start_new_session=True)
        try:
            out, err = p.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.communicate()
            return Run(124, b"", b"")
        code = p.returncode if p.returncode >= 0 else 128 - p.returncode
        return Run(code, out, err)

    # ---- what is right

    def reference(self, flow):
        """An undisturbed run, once; False when the command does not work here."""
        if flow.tree is None:
            self.fresh()
            began = time.time()
            r = self.run(flow.args, seconds=600)
            flow.seconds = time.time() - began
            flow.bytes = sum(os.path.getsize(os.path.join(at, f)) for at, _, files in os.walk(self.here) for f in files)
            if r.code not in ((0, 1) if flow.says_no else (0,)):
                raise SystemExit("torture: %s: exit code %d without an attack: %s" % (" ".join(flow.args), r.code, r.err.decode()))
            flow.tree, flow.out, flow.code = snapshot(self.here), r.out, r.code
        return flow

    def judge(self, flow, r, silent=False):
        """What is wrong with a disturbed run, or None. silent: the message itself may have been what failed."""
        tree, text = snapshot(self.here), r.err.decode("utf-8", "replace")
        if r.code == 127 and "error while loading shared libraries" in text:
            return None  # before hotset began
        if r.code == 124:
            return "hangs"
        if r.code >= 126:
            return "ends by signal %d" % (r.code - 128)
        if "internal error" in text or r.code == 70:
            return "calls it a fault of its own: " + text.strip()
        if r.code == flow.code:
            wrong = difference(tree, flow.tree) if flow.stable else None
            if not wrong and set(tree) != set(flow.tree):
                wrong = "other files than an undisturbed run writes"
            if not wrong and flow.stable and r.out != flow.out:
                wrong = "standard output differs"
            return wrong and "exit %d, but " % r.code + wrong
        if r.code not in (3, 4, 5) and not (r.code == 1 and flow.name.endswith("verify")):  # what cannot be read is not verified
            return "exit code %d: %s" % (r.code, text.strip()[:150])
        if not re.search(r"^hotset: .{10,}", text, re.M) and not silent:
            return "exit code %d without a sentence: %s" % (r.code, text.strip()[:150])
        for name in sorted(tree):
            top = name.split("/")[0]
            if top.endswith(".partial"):
                continue
            if top not in flow.tree:
                return "exit code %d, but %s is left behind" % (r.code, re.sub(r"\d+", "N", top))
            if tree[name] != flow.tree.get(name, "?") and flow.stable:
                return "exit code %d, but %s is half written" % (r.code, name)
        half = [n for n in flow.tree if n not in tree and n.split("/")[0] in tree]
        return "exit code %d, but the output lacks %s" % (r.code, half[0]) if half else None

    def find(self, attack, name, how, what):
        if not what:
            return
        what = re.sub(r"torture-\w+", "torture", re.sub(r"tmp-\d+", "tmp-N", what))
        key = (attack, name, re.sub(r" near .*|(?<=[ :(])-?\d{2,}(?=[ ,:)])|line -?\d+, column -?\d+", "", what))
        self.findings.setdefault(key, []).append(how)

    # ---- attacks: each yields (attack, trial), a function without arguments

    def count(self, flow, before, env):
        path = os.path.join(self.work, "count")
        self.fresh()
        r = self.run(flow.args, env=dict(env, FAIL_COUNT=path) if env else None, before=before, seconds=120)
        return int(open(path).read()) if r.code == flow.code and os.path.exists(path) else 0

    def spread(self, count, first=1):
        """1..count in an order whose every beginning is spread evenly."""
        step = max(1, int(count * 0.6180339887))
        while step > 1 and any(count % d == 0 and step % d == 0 for d in range(2, min(step, 2000) + 1)):
            step -= 1
        start = self.random.randrange(count) if count else 0
        for i in range(min(count, self.a.most)):
            yield first + (start + i * step) % count

    def memory_attack(self, flow):
        count = self.count(flow, (), {"LD_PRELOAD": self.memory})
        for k in self.spread(count):
            def trial(k=k):
                self.fresh()
                r = self.run(flow.args, env={"LD_PRELOAD": self.memory, "FAIL_AT": str(k)})
                wrong = self.judge(flow, r)
                if not wrong and r.code not in (flow.code, 5, 127) and not flow.name.endswith("verify"):
                    wrong = "out of memory is told with exit code %d: %s" % (r.code, re.sub(r"[0-9]+", "N", r.err.decode().strip())[:150])
                self.find("memory", flow.name, "FAIL_AT=%d" % k, wrong)
            yield "memory", trial

    def calls_attack(self, flow):
        for names, error, on in CALLS:
            before = [self.calls, names, "0", str(error), os.path.join(self.work, "count")]
            count = self.count(flow, before, None)
            first = 0
            if names == "mmap":  # those of the loader, which may end by a signal, come before the command's own
                self.run(["--version"], before=before)
                first = min(count, int(open(before[4]).read()))
            for k in self.spread(count - first, first + 1):
                def trial(names=names, error=error, on=on, k=k):
                    self.fresh()
                    r = self.run(flow.args, before=[self.calls, names, str(-k if on else k), str(error), "/dev/null"])
                    wrong = self.judge(flow, r, silent=names.startswith("write"))
                    if wrong and r.code == flow.code and "standard output differs" in wrong and not names.startswith("write"):
                        wrong = None if len(r.out) >= len(flow.out) / 2 else wrong  # an optional number of the machine is not known
                    self.find("calls", flow.name, "%s %s%d" % (names, "from " if on else "", k), wrong and "%s: %s" % (names.split(",")[0], wrong))
                yield "calls", trial

    def disk_attack(self, flow):
        if not flow.tree:
            return
        for kib in self.spread(flow.bytes // 4096 + len(flow.tree) + 2):
            def small(pages=kib):
                self.fresh()
                if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dk" % (4 * pages), "torture", self.here], stderr=subprocess.DEVNULL).returncode:
                    self.skipped["disk"] = "no tmpfs can be mounted here (needs root); ulimit -f stands in"
                    return
                try:
                    r = self.run(flow.args)
                    self.find("disk", flow.name, "tmpfs of %d KiB" % (4 * pages), self.judge(flow, r))
                finally:
                    subprocess.run(["umount", "-l", self.here])
            yield "disk", small
        for step in self.spread(12):
            def limited(bytes=2 ** step * 4):
                self.fresh()
                r = self.run(flow.args, limits=[(resource.RLIMIT_FSIZE, bytes)])
                self.find("disk", flow.name, "ulimit -f, %d bytes" % bytes, self.judge(flow, r))
            yield "disk", limited

    def limits_attack(self, flow):
        for mib in self.spread(100, 8):
            def space(mib=mib):
                self.fresh()
                r = self.run(flow.args, limits=[(resource.RLIMIT_AS, mib * 3 << 20)])
                self.find("limits", flow.name, "ulimit -v %d MiB" % (mib * 3), self.judge(flow, r, silent=r.code == 1 and b"libgomp" in r.err))
            yield "limits", space
        for files in self.spread(28, 4):
            def descriptors(files=files):
                self.fresh()
                r = self.run(flow.args, limits=[(resource.RLIMIT_NOFILE, files)])
                self.find("limits", flow.name, "ulimit -n %d" % files, self.judge(flow, r))
            yield "limits", descriptors

    def kill_attack(self, flow):
        for _ in range(min(200, self.a.most)):
            def trial():
                after = self.random.uniform(0, 1.1 * flow.seconds)
                self.fresh()
                for _ in range(self.random.randint(1, 3)):
                    p = subprocess.Popen([self.hotset] + flow.args, cwd=self.here, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)
                    time.sleep(after)
                    p.kill()
                    p.wait()
                r = self.run(flow.args, seconds=600)
                wrong = difference(snapshot(self.here), flow.tree) if flow.stable else None
                if wrong or r.code != flow.code:
                    wrong = "after kill -9, the same command: exit code %d, %s" % (r.code, re.sub(r"tmp-\d+", "tmp-N", "%s; %s" % (wrong, r.err.decode()[:300])))
                self.find("kill", flow.name, "after %.3f s" % after, wrong)
            yield "kill", trial

    def pair_attack(self, flow):
        if not any(name.startswith("out") for name in flow.tree):
            return
        for _ in range(min(20, self.a.most)):
            def trial():
                self.fresh()
                both = [subprocess.Popen([self.hotset] + flow.args, cwd=self.here, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.PIPE) for _ in range(2)]
                said = [(p.communicate()[1], p.returncode) for p in both]
                wrong = None
                for err, code in said:
                    if code not in (0, 3, 5) or (code and not err.startswith(b"hotset: ")):
                        wrong = "one of two ends with code %d: %s" % (code, err.decode()[:150])
                if not wrong and all(code for _, code in said):
                    wrong = "both of two fail: %s" % said[0][0].decode()[:150]
                self.find("pair", flow.name, "two at once", wrong or (flow.stable and difference(snapshot(self.here), flow.tree)) or None)
            yield "pair", trial

    def outputs_attack(self):
        for flow in spared.all_flows(self.hotset):
            if not re.search(self.a.flow, flow.name):
                continue
            s = spared.Spared(flow, os.path.join(self.work, "in"), self.run, self.here)
            for how, attempt in s.try_all():
                def trial(name=flow.name, how=how, attempt=attempt):
                    wrong = attempt()
                    self.find("outputs", name, how, wrong and "%s: %s" % (how, wrong))
                yield "outputs", trial

    def leave(self, flow, count):
        """A .partial folder of a run that could not rename its k-th file, or was killed; None when nothing is left."""
        self.fresh()
        if count:
            names = "rename,renameat,renameat2"
            self.run(flow.args, before=[self.calls, names, str(self.random.randint(max(1, count // 2), count)), str(EIO), "/dev/null"])
        else:
            p = subprocess.Popen([self.hotset] + flow.args, cwd=self.here, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
            time.sleep(self.random.uniform(0.2, 0.95) * flow.seconds)
            p.kill()
            p.wait()
        found = [f for f in os.listdir(self.here) if f.endswith(".partial")]
        folder = os.path.join(self.here, found[0]) if found else None
        return folder if folder and os.path.exists(folder + "/partial.json") else None

    def damage(self, folder, victim):
        """One hostile act; returns what it was."""
        names = sorted(n for n in os.listdir(folder) if not n.startswith(".") and n != "mine.tex")
        one, other = os.path.join(folder, self.random.choice(names)), os.path.join(folder, self.random.choice(names))
        act = self.random.choice(["bits", "bits", "bits", "cut", "swap", "copy", "link", "hard link", "gone", "foreign", "planted", "zeros", "longer"])
        data = bytearray(open(one, "rb").read())
        if act == "bits":
            for _ in range(self.random.choice([1, 1, 1, 2, 9])):
                if data:
                    data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
            open(one, "wb").write(data)
        elif act == "zeros":
            open(one, "wb").write(bytes(len(data)))
        elif act == "longer":
            open(one, "ab").write(b" ")
        elif act == "cut":
            os.truncate(one, self.random.randrange(len(data) + 1))
        elif act == "swap":
            os.rename(one, folder + "/.swap")
            os.rename(other, one) if one != other else None
            os.rename(folder + "/.swap", other)
        elif act == "copy" and one != other:
            shutil.copyfile(one, other)
        elif act in ("link", "hard link"):
            os.unlink(one)
            (os.symlink if act == "link" else os.link)(victim, one)
        elif act == "gone":
            os.unlink(one)
        elif act == "foreign":
            open(folder + "/mine.tex", "w").write("thesis")
        elif act == "planted":  # names that a run may take next
            for name in names:
                if not os.path.lexists(folder + "/." + name):
                    os.symlink(victim, folder + "/." + name)
        return "%s of %s" % (act, os.path.basename(one))

    def poison_attack(self, flow):
        if not any(name.startswith("out") for name in flow.tree) or flow.args[0] not in ("plan", "compare", "trace", "size", "advise"):
            return
        names = "rename,renameat,renameat2"
        count = 0 if flow.long or "calls" in self.skipped else self.count(flow, [self.calls, names, "0", str(EIO), os.path.join(self.work, "count")], None)
        for _ in range(min(400, self.a.most)):
            def trial():
                folder = self.leave(flow, count)
                if not folder:
                    return
                victim = os.path.join(self.work, "victim")
                open(victim, "w").write("thesis")
                done = [self.damage(folder, victim) for _ in range(self.random.choice([1, 1, 2]))]
                foreign = [n for n in os.listdir(folder) if n == "mine.tex" or os.path.islink(folder + "/" + n) and n.startswith(".")]
                kept = os.path.join(folder, "mine.tex")
                mine, marked = os.path.exists(kept), os.path.lexists(folder + "/partial.json")
                r = self.run(flow.args, seconds=600)
                wrong = None
                if open(victim).read() != "thesis" or (mine and (not os.path.exists(kept) or open(kept).read() != "thesis")):
                    wrong = "a file of somebody else was changed or removed"
                elif not marked and r.code == 3 and b"holds files but no partial.json" in r.err:
                    pass  # such a folder may be anybody's
                elif r.code != flow.code:
                    wrong = "exit code %d: %s" % (r.code, r.err.decode()[:200])
                elif flow.stable:
                    if foreign:
                        shutil.rmtree(folder, ignore_errors=True)
                    wrong = difference(snapshot(self.here), flow.tree)
                self.find("poison", flow.name, "; ".join(done), wrong)
            yield "poison", trial

    def keys_attack(self):
        so = os.path.join(os.path.dirname(self.hotset), "lib", "libhotset.so")
        library = keys.Library(so) if os.path.exists(so) else None
        inside = os.path.join(self.work, "in")
        changed = [(of, change) for of in keys.documents("../in/") for change in keys.changes(keys.load(os.path.join(inside, of[0], of[1])))]
        self.random.shuffle(changed)
        for (folder, document, commands, graph), (name, what, new) in changed[:self.a.most]:
            def trial(folder=folder, document=document, commands=commands, graph=graph, name=name, what=what, new=new):
                self.fresh()
                copy = os.path.join(self.here, "copy")
                shutil.copytree(os.path.join(inside, folder), copy)
                keys.save(new, os.path.join(copy, document))
                runs = [self.run(command.split()) for command in commands]
                wrong = next(("exit code %d: %s" % (r.code, r.err.decode("utf-8", "replace")[:150]) for r in runs if r.code not in (0, 1, 2, 3, 5)), None)
                if not wrong and graph and library:
                    wrong = keys.disagreement(name, [r.code for r in runs], library.refuses(copy, os.path.join(inside, graph)))
                self.find("keys", folder + "/" + document, "%s %s" % (name, what), wrong and re.sub(r"\.\d+", "", name) + ": " + wrong)
            yield "keys", trial

    def hostile_attack(self):
        for case in hostile.cases(self.hotset, os.path.join(self.work, "in"), self.random):
            def trial(case=case):
                self.fresh()
                args = case.prepare(self.here)
                before = snapshot(os.path.dirname(self.here)) if case.outside else {}
                kept = snapshot(self.here)
                r = self.run(args, limits=[(resource.RLIMIT_AS, 4 << 30)], seconds=40)
                self.find("hostile", case.name, " ".join(args), case.judge(r, self.here, kept))
                if case.outside and {k: v for k, v in snapshot(os.path.dirname(self.here)).items() if not k.startswith("run")} != {
                        k: v for k, v in before.items() if not k.startswith("run")}:
                    self.find("hostile", case.name, " ".join(args), "a file outside the output folder was changed")
            yield "hostile", trial

    # ---- all of them in turn

    def everything(self):
        lists = []
        for flow in inputs.flows():
            if flow.long and not self.a.long:
                continue
            attacks = [("kill", self.kill_attack), ("pair", self.pair_attack), ("poison", self.poison_attack)]
            if not flow.long:
                attacks = [("memory", self.memory_attack), ("calls", self.calls_attack), ("disk", self.disk_attack), ("limits", self.limits_attack)] + attacks
            if not re.search(self.a.flow, flow.name):
                continue
            for name, attack in attacks:
                if re.search(self.a.attack, name):
                    lists.append((lambda f=flow, at=attack: at(self.reference(f))))
        for name, attack in (("outputs", self.outputs_attack), ("hostile", self.hostile_attack), ("keys", self.keys_attack),
                             ("names", lambda: shown.names_attack(self, inputs.flows())), ("rates", lambda: shown.rates_attack(self)),
                             ("signals", lambda: shown.signals_attack(self))):
            if re.search(self.a.attack, name) and not self.a.flow:
                lists.append(attack)
        self.random.shuffle(lists)
        return lists

    def turns(self):
        live = [None] * 0
        for make in self.everything():
            if time.time() > self.until:
                return
            live.append(make())
        rounds = 0
        while live and time.time() < self.until:
            rounds += 1
            for trials in list(live):
                # these are quick and each is another: many per turn
                for _ in range(8 if getattr(trials, "__name__", "") in ("hostile_attack", "outputs_attack", "keys_attack", "names_attack", "rates_attack") else 1):
                    if time.time() > self.until:
                        return
                    item = next(trials, None)
                    if item is None:
                        live.remove(trials)
                        break
                    self.trials[item[0]] += 1
                    item[1]()
        self.complete = not live

    def tell(self, known):
        number = bad = 0
        per = collections.Counter()
        for (attack, name, what), how in self.findings.items():
            expected = [k for k in known if re.search(k[0], "%s: %s: %s" % (attack, name, what))]
            number += 1
            per[attack] += 1
            line = "%s: %s: %s" % (attack, name, " ".join(what.split())[:220])
            if expected:
                print("ok %d - known: %s # %s" % (number, line.replace("#", ""), expected[0][1]))
            else:
                bad += 1
                print("not ok %d - %s\n# %d times, as with %s" % (number, line.replace("#", ""), len(how), how[0]))
        for attack in sorted(self.trials):
            number += 1
            print("ok %d - %s: %d trials" % (number, attack, self.trials[attack]))
        for attack, why in self.skipped.items():
            number += 1
            print("ok %d - %s # SKIP %s" % (number, attack, why))
        print("1..%d" % number)
        print("# | attack | trials | kinds of findings |\n# |---|---|---|")
        for attack in sorted(self.trials):
            print("# | %s | %d | %d |" % (attack, self.trials[attack], per[attack]))
        print("# seed %d, %.0f s%s" % (self.a.seed, time.time() - self.began, "" if self.complete else ", not all trials"))
        return 1 if bad else 0

    def main(self):
        self.began, self.complete = time.time(), False
        self.until = self.began + self.a.seconds
        known = []
        for line in open(os.path.join(HERE, "known.txt")):
            if line.strip() and not line.startswith("#"):
                known.append([part.strip() for part in line.rstrip("\n").split("\t") if part.strip()])
        try:
            self.build()
            inputs.make_inputs(self.hotset, os.path.dirname(os.path.dirname(HERE)), os.path.join(self.work, "in"), self.a.long)
            self.fresh()
            probe = self.run(["list", "policies"], before=[self.calls, "read", "0", "5", "/dev/null"])
            if probe.code != 0:
                self.skipped["calls"] = "ptrace or seccomp is not permitted here"
                self.calls_attack = lambda flow: iter(())
            self.turns()
            return self.tell(known)
        finally:
            shutil.rmtree(self.work, ignore_errors=True)


p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
p.add_argument("--hotset", default=os.environ.get("HOTSET", "build/hotset"))
p.add_argument("--seconds", type=float, default=float(os.environ.get("TORTURE_SECONDS", 3300)))
p.add_argument("--most", type=int, default=10 ** 9, help="trials per command and fault")
p.add_argument("--attack", default="", help="regular expression over the names of attacks")
p.add_argument("--flow", default="", help="regular expression over the names of commands")
p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 1)))
p.add_argument("--long", action="store_true", help="also kill and pair commands that take a second or more")
sys.exit(Torture(p.parse_args()).main())
