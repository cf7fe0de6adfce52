#!/usr/bin/env python3
"""coverage.py FILE - which lines of the CUDA code were executed as PTX: a table by file, and the lines that were not.

FILE is what processes appended while HOTSET_PTX_COVERAGE named it. Lines are those to which nvcc -lineinfo ascribes instructions.
Exit code 1 where a line was never executed that UNREACHED does not name.
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Lines (by their text) that no test reaches, and why.
UNREACHED = {("kernels/backends/cuda.cu", "__global__ void cuda_probe() {}"): "it is only asked whether this kernel is there"}


def main():
    lines, runs = {}, {}
    for text in open(sys.argv[1]):
        name, *numbers = text.split()
        name = os.path.relpath(os.path.join(ROOT, name), ROOT)
        if name.startswith("tests/") or name.startswith(".."):
            continue
        known = lines.setdefault(name, set())
        run = runs.setdefault(name, set())
        for number in numbers:
            known.add(int(number.rstrip("*")))
            if number.endswith("*"):
                run.add(int(number[:-1]))
    missing = []
    print("%-44s %6s %9s" % ("file", "lines", "executed"))
    for name in sorted(lines):
        print("%-44s %6d %9d" % (name, len(lines[name]), len(runs[name])))
        source = open(os.path.join(ROOT, name)).read().split("\n")
        missing += [(name, n, source[n - 1].strip()) for n in sorted(lines[name] - runs[name])]
    print("%-44s %6d %9d" % ("all", sum(map(len, lines.values())), sum(map(len, runs.values()))))
    bad = 0
    for name, number, text in missing:
        why = UNREACHED.get((name, text))
        bad += not why
        print("not executed: %s:%d: %s%s" % (name, number, text, "; " + why if why else ""))
    return 1 if bad or not lines else 0


sys.exit(main())
