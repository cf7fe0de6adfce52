#!/usr/bin/env python3
"""options.py HOTSET - prints simulator/lib/hotset/_options.py: the options of each command that is a Python function, from the program's own tables.

    python3 simulator/lib/package/options.py build/hotset >simulator/lib/hotset/_options.py        # after an option came or went
"""
import keyword
import re
import subprocess
import sys

#: Function: (command, its own parameters, which are no options).
FUNCTIONS = {"Graph": ("graph import", "source path output"), "Plan": ("plan", "graph server path runtime output"), "Job": ("plan", "data server memory num_neighbors batch_size path group graph output"),
             "Compare": ("compare", "graph server policies policy"),
             "Size": ("size", "graph server target"), "Advise": ("advise", "graph server"), "Simulate": ("simulate", "plan"),
             "Validate": ("lab validate", ""), "Record": ("trace record", "graph server path output"), "Refresh": ("refresh", "plan trace path output"),
             "Drift": ("lab drift", "graph server"), "Curve": ("lab curve", "plan"), "WhatIf": ("what-if", "of")}
#: Names that PyG's users know, of options that have another.
ALSO = {"fanout": "num_neighbors", "batch": "batch_size"}
#: What the command line calls --output is path in every function.
PATH = "File (of validate: folder) to write, with the answer"
HEAD = '''"""_options.py - options of the program's commands, as keywords of functions; written by simulator/lib/package/options.py, not by hand."""
from __future__ import annotations

from typing import Dict, TypedDict

from ._program import Option
'''


def options(program, command):
    """{name: (whether it is a flag, its words)} of a command."""
    said = subprocess.run([program, *command.split(), "--help-all"], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    found, name = {}, None
    for line in said.splitlines():
        begin = re.match(r"^ {2,6}(?:-\w, )?--([a-z0-9-]+)(?: ((?:\S| (?! ))+))?(?:  +(.*))?$", line)
        if begin:
            name = begin.group(1).replace("-", "_")
            found[name] = [not begin.group(2), begin.group(3) or ""]
        elif name and re.match(r"^ {20,}\S", line):
            found[name][1] += " " + line.strip()
        else:
            name = None
    return found


def sentence(words):
    """The first sentence, without what follows; a colon ends it behind four words ("CPU threads, 0:" says nothing yet)."""
    text = re.sub(r" \[default.*", "", " ".join(words.split()))
    ends = [m.start() for m in re.finditer(r"(?<=[a-z0-9)'])[.:;] ", text) if text[m.start()] == "." or len(text[:m.start()].split()) >= 4]
    text = text[:ends[0] if ends else None].rstrip(".")
    return text if len(text) <= 120 else text[:text.rindex(" ", 0, 117)] + " .."


def wrapped(items, indent, width=158):
    lines, line = [], " " * indent
    for item in items:
        if len(line) + len(item) > width:
            lines.append(line.rstrip())
            line = " " * indent
        line += item + " "
    return "\n".join([*lines, line.rstrip()])


def main():
    program, words, out = sys.argv[1], {}, [HEAD]
    for function, (command, own) in FUNCTIONS.items():
        fields = {}
        for name, (flag, text) in options(program, command).items():
            if name in own.split() or name in ("json", "help", "help_all"):
                continue
            name, text = ("path", PATH) if name == "output" else (name, text)
            for one in [name, *([ALSO[name]] if name in ALSO else [])]:
                one += "_" if keyword.iskeyword(one) else ""
                fields[one] = "bool" if flag else "Option"
                words.setdefault(one, sentence(text))
                if one in own.split():
                    del fields[one]
        out.append("%sOptions = TypedDict(\"%sOptions\", {\n%s\n}, total=False)\n" % (function, function,
                                                                                 wrapped(['"%s": %s,' % item for item in sorted(fields.items())], 4)))
    out.append("#: What each says.\nWORDS: Dict[str, str] = {\n%s\n}" % "\n".join('    "%s": %s,' % (name, repr(text)) for name, text in sorted(words.items())))
    print("\n".join(out))


if __name__ == "__main__":
    main()
