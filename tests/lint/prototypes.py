#!/usr/bin/env python3
"""prototypes.py - prints every function that a header declares without a word about it.

A prototype is documented by a comment right above it, by a comment behind it on its last line, or by the comment above a block of
prototypes that follow each other without an empty line.
"""
import re
import subprocess
import sys

PROTOTYPE = re.compile(r"^[A-Za-z_][A-Za-z0-9_ \*]*[ \*]([a-z_][A-Za-z0-9_]*)\(")


def statements(text):
    """(line number, kind, text) of comments, empty lines, code statements at file level."""
    depth, at, lines = 0, 0, text.split("\n")
    while at < len(lines):
        start, line = at, lines[at]
        if not line.strip():
            yield start, "empty", ""
        elif line.lstrip().startswith("/*"):
            while "*/" not in lines[at]:
                at += 1
            yield start, "comment", ""
        elif line.startswith("#"):
            while lines[at].endswith("\\"):
                at += 1
            yield start, "directive", ""
        else:
            code = line
            while True:
                bare = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
                depth = bare.count("{") - bare.count("}")
                if depth == 0 and (bare.rstrip().endswith(";") or bare.rstrip().endswith("}")) and "/*" not in bare:
                    break
                at += 1
                if at >= len(lines):
                    break
                code += "\n" + lines[at]
            yield start, "code", code
        at += 1


def findings(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    told = False
    for line, kind, code in statements(text):
        if kind == "comment":
            told = True
        elif kind in ("empty", "directive"):
            told = False
        else:
            match = PROTOTYPE.match(code)
            prototype = match and not code.startswith(("static", "typedef", "extern const", "#")) and "{" not in code
            if prototype and not told and "/*" not in code:
                print(f"{path}:{line + 1}: {match.group(1)} is declared without a comment")
            told = told or "/*" in code


def main():
    names = subprocess.run(["git", "ls-files", "base", "kernels", "hwprofiles", "traces", "reports", "simulator", "planner"],
                           capture_output=True, text=True, check=True).stdout.split()
    for path in names:
        if path.endswith((".h", ".cuh")):
            findings(path)


if __name__ == "__main__":
    sys.exit(main())
