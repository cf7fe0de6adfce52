#!/usr/bin/env python3
"""mutants.py - applies the faults of mutants.txt one by one, compiles what is named with nvcc, and runs the named test until it fails.

Says TAP: a fault is noticed when the program says "not ok", or the interpreter stops it, or it ends with a failure. `make ptx-mutants` calls
it with what the Makefile knows. A fault that compiles to the same PTX is an error of the list.
"""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Mutant:
    def __init__(self, name):
        self.name, self.file, self.compiled, self.run, self.old, self.new = name, "", "", [], [], []


def read_list():
    found = []
    for line in open(os.path.join(HERE, "mutants.txt")):
        line = line.rstrip("\n")
        if not line.strip() or line.startswith("#"):
            continue
        kind, text = line[:2], line[2:]
        if kind == "@ ":
            found[-1].file = text
        elif kind == "! ":
            found[-1].compiled, run = text.split(": ")
            found[-1].run = run.split()
        elif kind == "- ":
            found[-1].old.append(text)
        elif kind == "+ ":
            found[-1].new.append(text)
        else:
            found.append(Mutant(line))
    return found


def must(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(command), done.stdout))


def build(m, work, a):
    """The program with the fault in it; None where its text does not occur exactly once."""
    old, text = "\n".join(m.old), open(m.file).read()
    if text.count(old) != 1:
        return None
    place = os.path.join(work, m.file)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w") as out:
        out.write(text.replace(old, "\n".join(m.new)))
    source = place if m.file == m.compiled else m.compiled
    changed = os.path.join(work, "changed.o")
    compiler, *flags = a.nvcc.split()
    must([compiler, "-I" + work] + flags + ["-Isimulator/lib", "-c", source, "-o", changed])
    plain = os.path.join(a.build, m.compiled[:-2] + "o")
    program = os.path.join(work, "program")
    if m.run[0] == "gather":
        objects = [a.gather] + [o for o in a.objects.split() if "/tests/ptx/" in o] + a.gather_libs.split()
    elif m.run[0] in ("store", "sampler"):
        beside = [os.path.join(a.build, "simulator/lib/hotset_%s.o" % name) for name in ("cuda", "store", "sampler")]
        objects = getattr(a, m.run[0]).split() + [o for o in beside if o != plain] + [o for o in a.objects.split() if "/tests/ptx/" in o] + a.gather_libs.split()
    else:
        main = {"equiv": a.equiv, "sampling": a.sampling, "seeds": a.main}[m.run[0]]
        objects = [main] + [o for o in a.objects.split() if o != plain] + a.libs.split()
    must(a.cc.split() + ["-fopenmp", objects[0], changed] + objects[1:] + ["-o", program])
    return program


def noticed(m, program, a):
    """What was said, or None."""
    command, env = [os.path.abspath(program)], dict(os.environ, HOTSET=os.path.abspath(a.hotset))
    if m.run[0] == "equiv":
        command += ["cuda"] + m.run[1:]
    elif m.run[0] == "seeds":
        command = ["tests/ptx/seeds.sh"]
        env.update(PTX_PROGRAM=os.path.abspath(program), SEEDS="1")
    run = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    said, next_too = None, False
    for line in run.stdout:
        if next_too and line.startswith("#"):
            said += " " + line.strip()
        if said:
            break
        if line.startswith("not ok") or line.startswith("ptx fault"):
            said = line.strip()
            next_too = line.startswith("not ok")
            if not next_too:
                break
    if said:
        run.kill()
    code = run.wait()
    return said or ("exit code %d" % code if code else None)


def main():
    p = argparse.ArgumentParser()
    for name in ("nvcc", "cc", "build", "objects", "libs", "gather_libs", "equiv", "sampling", "gather", "store", "sampler", "main", "hotset"):
        p.add_argument("--" + name.replace("_", "-"), required=True)
    p.add_argument("--only", help="a part of a name, or the test that must notice")
    a = p.parse_args()
    failed = number = 0
    for i, m in enumerate(read_list()):
        if a.only and a.only not in m.name and a.only != m.run[0]:
            continue
        number += 1
        work = os.path.join(a.build, "mutants", str(i))
        shutil.rmtree(work, ignore_errors=True)  # another fault may have had the number
        program = build(m, work, a)
        said = noticed(m, program, a) if program else None
        failed += not said
        print("%sok %d - %s: %s" % ("" if said else "not ", number, m.name, said or ("not noticed" if program else "its text is not in %s" % m.file)), flush=True)
    print("1..%d" % number)
    return failed != 0


sys.exit(main())
