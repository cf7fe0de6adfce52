"""spared.py - outputs beside files of others, over what is read, onto links: nothing may be lost, and a sentence says why nothing was written."""
import os
import re
import shutil
import subprocess

import flows

# Commands that write and have no line in flows.py, because they take long or need more than its inputs.
MORE = {
    "what-if": "what-if ../in/P --vary link=0.5..2 --threads 1 --quiet -o out.json",
    "curve": "lab curve ../in/P --graph ../in/G --epochs 1 --threads 1 --quiet -o out.json",
    "drift": "lab drift --graph ../in/G --server ../in/solo.json --budget 60B --fanout 2,2 --batch 2 --windows 2 --threads 1 --quiet -o out.json",
    "observe": "observe ../in/P ../in/job.jsonl --graph ../in/G --threads 1 --quiet -o out.json",
    "plan --socket-rows": "plan --like ../in/P --graph ../in/G --server siton --host-memory 150B --socket-rows replicate --threads 1 --quiet -o out",
    "plan --ssd": "plan --graph ../in/G --server ../in/solo.json --budget 60B --host-memory 150B --ssd gen4 --fanout 2,2 --batch 2 --threads 1 --quiet -o out",
    "reproduce": "lab reproduce --only legion-fig2 --threads 1 --quiet -o out",
    "validate": "lab validate --only gather-host --quiet -o out",
    "bench": "lab bench --only scan --size 1024 --threads 1 --quiet -o out.json",
    "demo": "demo --vertices 2000 --edges 20000 --policy random --threads 1 --quiet -o out",
    "server probe": "server probe --quiet -o out.json",
    "server show --svg": "server show ../in/solo.json --quiet --svg out.svg",
    "simulate --timeline": "simulate ../in/P --graph ../in/G --epochs 1 --threads 1 --quiet --timeline out.json",
    "execute --server-file": "lab execute ../in/P --graph ../in/G --server ../in/solo.json --run-epochs 1 --threads 1 --quiet --server-file out.json",
}
WRITES = ("-o", "--svg", "--timeline", "--export-requests", "--export-batches", "--server-file")


def snapshot(folder):
    found = {}
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(at, name)
            key = os.path.relpath(path, folder)
            found[key] = os.readlink(path) if os.path.islink(path) else None if os.path.isdir(path) else open(path, "rb").read()
    return found


def lost(before, after):
    for name, data in before.items():
        if name not in after:
            return "%s is gone" % name
        if after[name] != data:
            return "%s is another" % name
    return None


def commands_that_write(hotset):
    listed = subprocess.run([hotset, "help", "--commands"], stdout=subprocess.PIPE).stdout.decode().split("\n")
    for c in filter(None, listed):
        text = subprocess.run([hotset] + c.split() + ["--help-all"], stdout=subprocess.PIPE).stdout.decode()
        if "-o, --output" in text:
            yield c


def all_flows(hotset):
    found = [f for f in flows.flows() if not f.long] + [flows.Flow(name, line) for name, line in MORE.items()]
    found = [f for f in found if any(w in f.args for w in WRITES)]
    for c in commands_that_write(hotset):
        if not any(f.args[:len(c.split())] == c.split() for f in found):
            raise SystemExit("torture: '%s' writes, but neither flows.py nor spared.py has a line for it" % c)
    return found


class Spared:
    """One command line, tried in a folder with a copy of all inputs. try_all yields (how, trial); a trial returns what is wrong, or None."""

    def __init__(self, flow, inputs, run, here):
        self.inputs, self.run, self.here = inputs, run, here
        self.args = [re.sub(r"^\.\./in/", "in/", a) for a in flow.args]
        self.at = next(i for i, a in enumerate(self.args) if a in WRITES) + 1
        self.out = self.args[self.at]
        self.force = False

    def begin(self):
        shutil.rmtree(self.here, ignore_errors=True)
        os.makedirs(self.here)
        shutil.copytree(self.inputs, self.here + "/in")
        with open(self.here + "/in/job.jsonl", "w") as f:
            f.write("")

    def put(self, name, text="mine\n"):
        path = os.path.join(self.here, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def spare(self, out, refused=True):
        """Runs with this output: everything there must stay as it is, or the run must be right and lose nothing."""
        before = snapshot(self.here)
        args = list(self.args)
        args[self.at] = out
        r = self.run(args + (["--force"] if self.force else []))
        wrong = lost(before, snapshot(self.here))
        if wrong:
            return "exit code %d, and %s" % (r.code, wrong)
        if r.code >= 126 or r.code == 70:
            return "ends with code %d" % r.code
        if refused and r.code not in (2, 3, 4):
            return "exit code %d, expected a refusal" % r.code
        if r.code in (2, 3) and not re.search(r"^hotset: .{10,}", r.err.decode("utf-8", "replace"), re.M):
            return "exit code %d without a sentence" % r.code
        return None

    def foreign(self):
        """Beside a file of others, in what the same command wrote before."""
        self.begin()
        if self.run(self.args).code not in (0, 1) or not os.path.lexists(os.path.join(self.here, self.out)):
            return None
        if os.path.isdir(os.path.join(self.here, self.out)):
            self.put(self.out + "/theirs/thesis.tex")
        else:
            self.put(self.out)
        return self.spare(self.out)

    def unknown(self):
        """A folder or file that no hotset wrote."""
        self.begin()
        if os.path.splitext(self.out)[1]:
            self.put(self.out)
        else:
            for name in ("index.html", "plan.json", "graph.json", "trace.json", "export.json", "thesis.tex"):
                self.put(self.out + "/" + name, "{}")
        return self.spare(self.out)

    def another(self):
        """What another command wrote; --force is for results of hotset, and this is not asked for here."""
        self.begin()
        if os.path.splitext(self.out)[1]:
            shutil.copy(self.here + "/in/G/graph.json", os.path.join(self.here, self.out))
        else:
            shutil.copytree(self.here + "/in/P" if self.args[0] == "graph" else self.here + "/in/G", os.path.join(self.here, self.out))
        return self.spare(self.out)

    def over(self, path):
        self.begin()
        return self.spare(path)

    def linked(self):
        self.begin()
        self.put("victim/kept.txt")
        os.symlink("victim" if not os.path.splitext(self.out)[1] else "victim/kept.txt", os.path.join(self.here, self.out))
        return self.spare(self.out)

    def partial(self):
        """A link where the folder of an unfinished run would be."""
        self.begin()
        self.put("victim/kept.txt")
        os.symlink("victim", os.path.join(self.here, self.out + ".partial"))
        return self.spare(self.out, refused=False)

    def try_all(self):
        for force in (False, True):
            def one(f, force=force, **given):
                self.force = force
                return f(**given)

            how = " --force" if force else ""
            folder = not os.path.splitext(self.out)[1]
            if folder or not force:  # a file that --force names is the user's word
                yield "beside a foreign file" + how, lambda one=one: one(self.foreign)
                yield "over what others wrote" + how, lambda one=one: one(self.unknown)
                yield "onto a link" + how, lambda one=one: one(self.linked)
            if not force:
                yield "over another result", lambda one=one: one(self.another)
            yield "beside a linked .partial" + how, lambda one=one: one(self.partial)
            seen = {"in"}
            for a in self.args:
                for part in re.split(r"[,=]", a):
                    if part.startswith("in/"):
                        seen.add(part)
            for path in sorted(seen):
                if path != "in" or len(seen) > 1:
                    yield "over its input %s%s" % (path, how), lambda path=path, one=one: one(self.over, path=path)
                if path != "in" and not os.path.splitext(path)[1]:
                    yield "inside its input %s%s" % (path, how), lambda path=path, one=one: one(self.over, path=path + "/new" + os.path.splitext(self.out)[1])
