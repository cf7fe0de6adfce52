"""Runs commands on a pseudo-terminal of many widths and says, in TAP, whether what they print fits.

Usage: terminal.py HOTSET WORK, where WORK holds the graph G, the plans P and Q, and the results E.json that terminal.sh made.
"""
import json
import os
import re
import shutil
import subprocess
import sys

from shown import plain, shown

HOTSET, WORK = sys.argv[1:3]
TIER = os.environ.get("TEST_TIER", "")
WIDTHS = {"short": (61,), "rest": (40, 80, 120, 200)}.get(TIER, (40, 61, 80, 120, 200))
COMMANDS = {
    "help": ["help"],
    "help of a command": ["plan", "-h"],
    "help with all options": ["size", "--help-all"],
    "help of a group": ["server"],
    "policies": ["list", "policies"],
    "servers": ["list", "servers"],
    "profile": ["server", "show", "dgx-a100"],
    "profile of 16 GPUs": ["server", "show", "dgx-2"],
    "rack": ["server", "show", "gb200-nvl72"],
    "differing profiles": ["server", "diff", "siton", "dgx-v100"],
    "graph": ["graph", "info", "G"],
    "recording": ["trace", "record", "--graph", "G", "--server", "siton", "--fanout", "3,2", "--batch", "10", "--epochs", "1", "-o", "T"],
    "plan": ["plan", "--graph", "G", "--server", "siton", "--fanout", "3,2", "--batch", "10", "--budget", "5%", "--bound", "-o", "P2"],
    "comparison": ["compare", "--graph", "G", "--server", "siton", "--fanout", "3,2", "--batch", "10", "--budget", "5%", "--policy", "hotset,dgl-uva,oracle", "--bound"],
    "movement": ["simulate", "P", "--epochs", "1", "--movement", "--server", "siton"],
    "dynamic caches": ["simulate", "P", "--epochs", "1", "--cache", "lru,fifo"],
    "sizes": ["size", "--graph", "G", "--server", "siton,dgx-v100", "--fanout", "3,2", "--batch", "10", "--target", "hit-rate>=0.5"],
    "map of sizes": ["size", "--graph", "G", "--server", "siton", "--fanout", "3,2", "--batch", "10", "--vary", "gpus,budget", "--steps", "4"],
    "execution": ["execute", "P", "--batches", "2"],
    "explanation": ["explain", "P", "--vertex", "3"],
    "difference": ["diff", "P", "Q"],
    "verification": ["verify", "P"],
    "export": ["export", "P", "--to", "dgl", "-o", "X", "--simulate-epochs", "1"],
    "cases of the benchmark": ["bench", "--list"],
    "error": ["plan", "--graph", "nowhere", "--server", "siton", "-o", "P3"],
    "stages": ["graph", "info", "G", "--stamp"],
}
EXIT = {"help of a group": 2, "differing profiles": 1, "error": 3}
tests = 0
failed = False


def check(name, good, why=""):
    global tests, failed
    tests += 1
    print(f"{'ok' if good else 'not ok'} {tests} - {name}")
    if not good:
        failed = True
        for line in why.splitlines()[:30]:
            print("# " + line)


def run(width, words, **env):
    return shown([HOTSET, *words], WORK, 50, width, **env)


def broken_names(text):
    """Lines that end within the name of an option, as --simulate- does."""
    return [line for line in plain(text).split("\n") if re.search(r"(?:^|[\s(=|])--(?:[a-z][a-z-]*-)?$", line.rstrip())]


def too_wide(text, width):
    """Lines beyond the width, but examples, which are to be copied, and words that no blank divides."""
    wide = []
    for line in re.split(r"[\n\r]", re.sub(r"\x1b\[[0-9;]*[mK]", "", text)):
        example = re.search(r"(^\s+|^[a-z ]+: )hotset [a-z]", line) or "  # " in line
        if len(line) > width and not example and max(map(len, line.split())) < width - 16:
            wide.append(f"{len(line)}: {line}")
    return wide


def broken_tables(text):
    """Headers and first rows with a cell over the gap between two columns."""
    broken = []
    lines = plain(text).split("\n")
    for i, line in enumerate(lines):
        if not re.fullmatch(r"-+(  -+)*", line):
            continue
        for gap in [m.start() for m in re.finditer("  ", line)]:
            broken += [near for near in (lines[i - 1], lines[i + 1]) if near[gap:gap + 2].strip()]
    return broken


for name, words in COMMANDS.items():
    wide, broken, names = [], [], []
    for width in WIDTHS:
        text, code = run(width, words)
        if code != EXIT.get(name, 0):
            wide.append(f"exit code {code}: {text}")
        wide += [f"at {width}, {line}" for line in too_wide(text, width)]
        broken += [f"at {width}, {line}" for line in broken_tables(text)]
        names += [f"at {width}, {line}" for line in broken_names(text)] if name.startswith("help") else []
    check(f"{name}: fits every width", not wide, "\n".join(wide))
    check(f"{name}: tables are whole", not broken, "\n".join(broken))
    if name.startswith("help"):
        check(f"{name}: names of options are whole", not names, "\n".join(names))

if TIER == "short":
    print(f"1..{tests}")
    sys.exit(failed)

wide, narrow = run(200, COMMANDS["comparison"])[0], run(40, COMMANDS["comparison"])[0]
check("a narrow terminal has fewer columns", re.search("policy.*topo. hits", plain(wide)) and not re.search("policy.*topo. hits", plain(narrow)))
check("the answer is among them", re.search(r"policy .*epoch +all trans\.", plain(narrow)), narrow)
check("and what is missing is named", re.search("columns left out: .*topo. hits", plain(narrow).replace("\n", " ")), narrow)
check("COLUMNS goes first", "topo. trans." not in plain(run(200, COMMANDS["comparison"], COLUMNS="60")[0]).split("\n\n")[0].split("columns left out")[0])
check("40 columns are the least that is honoured", run(10, ["verify", "P"])[0] == run(40, ["verify", "P"])[0])

# What is said while a bar stands in the line: the bar goes first. Runs of a second and more draw one.
subprocess.run([HOTSET, "graph", "synth", "uniform", "--vertices", "20000", "--edges", "400000", "-o", "L", "--quiet"], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
for size in (6, 24):
    long = run(80, ["size", "--graph", "L", "--server", "siton,dgx-v100,p3.8xlarge,p4d.24xlarge", "--batch", "100", "--steps", str(size)])[0]
    said = [line for line in long.split("\n") if "hotset: " in line]
    if any(line.count("\r") > 1 for line in said):
        break
check("a run draws a bar, and says something after it", any(line.count("\r") > 1 for line in said), repr(said))
check("messages begin in an empty line", all(line.split("hotset: ")[0] == "" or line.split("hotset: ")[0].endswith("\r\x1b[K") for line in said), repr(said))
drawn = re.findall(r"\r(\d+)/(\d+) ([^\[\r]*?) +(?:\[[#.]*\] )? *(\d+) %", long)
check("it names a server and what is done there, and counts them", {(n, c) for n, c, _, _ in drawn} & {("1", "4"), ("2", "4"), ("3", "4"), ("4", "4")}
      and any(re.match(r"(siton|dgx-v100|p3\.8xlarge|p4d\.24xlarge): \w+", name) for _, _, name, _ in drawn), repr(drawn[:40]))
shares = [int(share) for *_, share in drawn]
check("its share never goes back", len(shares) > 2 and shares == sorted(shares) and shares[-1] <= 100, repr(shares))
done = [i for i, line in enumerate(long.split("\n")) if "hotset: done in " in line]
check("how long it took, and the memory, stand before the answer", len(done) == 1 and " of memory" in long.split("\n")[done[0]]
      and len(long.split("\n")) > done[0] + 8, repr(done))
told = subprocess.run([HOTSET, "size", "--graph", "L", "--server", "siton", "--batch", "100", "--steps", "6", "--progress", "json", "--json"], cwd=WORK, capture_output=True, text=True)
told = [t for t in (json.loads(line) for line in told.stderr.split("\n") if line.startswith("{")) if "note" not in t] # notes: early.sh
check("programs are told in JSON", told and all(set(t) <= {"progress", "share", "seconds", "seconds_left"} for t in told)
      and [t["share"] for t in told] == sorted(t["share"] for t in told) and 0 < told[-1]["share"] <= 1, repr(told[-3:]))
none = run(80, ["size", "--graph", "L", "--server", "siton", "--batch", "100", "--steps", "6", "--progress", "none"])[0]
check("--progress none draws nothing", "\x1b[K" not in none and "hotset: done in" not in none)
check("and where no bar was drawn, nothing is emptied", "\r" not in run(80, COMMANDS["error"])[0].replace("\r\n", "\n"))

# Names that command a terminal are shown. What is left of codes is hotset's own.
evil = "\x1b]0;pwn\x07\x1b[31m\u202e\u2066\x7f\u009b2J\r\xe4"
graph = json.load(open(f"{WORK}/G/graph.json"))
shutil.copytree(f"{WORK}/G", f"{WORK}/evil")
json.dump(graph | {"name": evil}, open(f"{WORK}/evil/graph.json", "w"))
for name, words in {"a name in a table": ["graph", "info", "evil"], "a name in JSON": ["graph", "info", "evil", "--json"], "an argument": ["verify", evil],
                    "a name in a message": ["verify", "P", "--graph", "evil"]}.items():
    text = run(80, words)[0]
    rest = re.sub(r"\x1b\[[0-9;]*m", "", text) if name != "a name in JSON" else text
    check(f"{name}: a terminal obeys none of it", not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", rest) and "\x1b[31m\u202e" not in text, repr(text))
    if name != "a name in a message":
        check(f"{name}: what cannot be obeyed is shown as it is", "\\u001b]0;pwn\\u0007" in text.replace("\n", "").lower() and "ä" in text, repr(text))
check("and JSON has the name", json.loads(run(80, ["graph", "info", "evil", "--json"])[0])["name"] == evil)

# colours
colour = re.compile(r"\x1b\[[0-9;]*m")
check("a terminal has colours", colour.search(run(80, ["verify", "P"])[0]))
check("an error is red", "\x1b[31m" in run(80, COMMANDS["error"])[0])
check("NO_COLOR has none", not colour.search(run(80, ["verify", "P"], NO_COLOR="1")[0]))
check("nor has an error", not colour.search(run(80, COMMANDS["error"], NO_COLOR="1")[0]))
check("an empty NO_COLOR means nothing", colour.search(run(80, ["verify", "P"], NO_COLOR="")[0]))
check("a dumb terminal has none", "\x1b" not in run(80, COMMANDS["plan"], TERM="dumb")[0])
piped = subprocess.run([HOTSET, "verify", "P"], cwd=WORK, capture_output=True, env=os.environ | {"TERM": "xterm", "NO_COLOR": ""})
check("a pipe has none", b"\x1b" not in piped.stdout + piped.stderr)
narrow = subprocess.run([HOTSET, *COMMANDS["comparison"], "--quiet"], cwd=WORK, capture_output=True, env=os.environ | {"COLUMNS": "40"})
check("a pipe has every column", b"feat. hits" in narrow.stdout and b"not shown" not in narrow.stdout)
text = run(80, ["list", "servers", "--json"])[0]
check("JSON is not wrapped", "\x1b[1m" not in text and any(len(line) > 80 for line in text.split("\n")), text[-500:])
print(f"1..{tests}")
sys.exit(failed)
