"""option_words.py DIFFER: the same option says the same in every command.

Reads what `hotset CMD --help-all` says of each option, without its default and its list of words. DIFFER names the options that may say several things, a
line each: the name, how many things, why. More than so many are wrong, and so is a line that is no longer needed.
"""
import collections
import os
import re
import subprocess
import sys

HOTSET = os.environ["HOTSET"]


def help_of(command):
    return subprocess.run([HOTSET, *command.split(), "--help-all"], capture_output=True, text=True, env=dict(os.environ, COLUMNS="400"), check=True).stdout


def options(text):
    name, said = None, {}
    for line in text.split("\n"):
        found = re.match(r"  (?:-\w, |    )?(--[\w-]+)(.*)$", line)
        if found:
            name = found[1]
            said[name] = " ".join(re.split(r"\s{2,}", found[2].strip())[1:])
        elif name and re.match(r"\s{10,}\S", line): said[name] += " " + line.strip()
        elif not line.strip(): name = None
    return {n: re.sub(r"\s*(\[default:.*|One of: .*)$", "", t).strip(" .") for n, t in said.items()}


may = {}
for line in open(sys.argv[1]):
    if line.strip() and not line.startswith("#"): may[line.split()[0]] = int(line.split()[1])
said = collections.defaultdict(lambda: collections.defaultdict(list))
commands = subprocess.run([HOTSET, "help", "--commands"], capture_output=True, text=True, check=True).stdout.split("\n")
for command in filter(None, map(str.strip, commands)):
    for name, text in options(help_of(command)).items():
        if text: said[name][text].append(command)
assert len(said) > 150 and len(said["--graph"]) >= 1 and sum(map(len, said["--graph"].values())) > 15, "options were not read"
wrong = 0
for name in sorted(said):
    texts, most = said[name], may.pop(name, 1)
    if len(texts) > most or (most > 1 and len(texts) < most):
        wrong = 1
        print(name, "says", len(texts), "things,", most, "stand in", os.path.basename(sys.argv[1]))
        print("  an option of a name that others have says the same (planner/options/input_options.h shares texts), or gets another name; where it must differ, its number and "
              "the reason stand in tests/cli/option_words.txt")
        for text, of in texts.items(): print("   ", ", ".join(of), "|", text[:150])
for name in may: wrong = print(name, "is no option of several commands") or 1
sys.exit(wrong)
