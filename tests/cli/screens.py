"""Runs the daily commands on pseudo-terminals and into a pipe, and says, in TAP, what a reader sees last. Usage: screens.py HOTSET WORK, which holds G."""
import re
import subprocess
import sys

from shown import plain, shown

HOTSET, WORK = sys.argv[1:3]
JOB = ["--graph", "G", "--batch", "40", "--fanout", "5,4", "--presample-epochs", "1", "--simulate-epochs", "2"]
# What it runs; how the header of its last table begins; how its answer begins.
DAILY = {
    "demo": (["demo", "-o", "D", "--vertices", "1000", "--edges", "9000", "--budget", "5%", "--batch", "40"], " +feature hits", "An epoch takes "),
    "plan": (["plan", *JOB, "--server", "dgx-v100", "--budget", "5%", "-o", "P"], "clique ", "An epoch takes "),
    "compare": (["compare", *JOB, "--server", "dgx-v100", "--budget", "5%", "--policy", "all", "-o", "C.json"], "policy ", "hotset .* has the shortest epoch|.* has the shortest"),
    "size": (["size", *JOB, "--server", "p3.8xlarge,dgx-v100,dgx-h100", "--epochs", "100", "--within", "1h", "--steps", "2", "-o", "S.json"], "what ", "p3.8xlarge: "),
    "advise": (["advise", *JOB, "--server", "dgx-v100", "-o", "A.json"], "lever ", "advised: "),
    "what-if": (["what-if", "S.json"], "input ", "an epoch of "),
    "simulate": (["simulate", "P", "--epochs", "2"], "clique ", "An epoch takes "),
    "explain": (["explain", "P"], "rows ", "Rows of all tables "),
    "explain a vertex": (["explain", "P", "--vertex", "5"], "reader ", "(topology|feature) row not cached|GPU"),
    "export": (["export", "P", "--to", "dgl", "-o", "X", "--simulate-epochs", "1"], "simulated, held", "as it will run: "),
    "report": (["report", "C.json", "-o", "R"], "R/index.html", "R/index.html"),
    "server": (["server", "show", "dgx-v100"], "part ", "Cliques, "),
    "graph": (["graph", "info", "G"], "graph ", "fingerprint"),
}
tests, failed = 0, False


def check(name, good, why=""):
    global tests, failed
    tests += 1
    failed |= not good
    print(f"{'ok' if good else 'not ok'} {tests} - {name}")
    if not good:
        print("\n".join("# " + line for line in why.splitlines()[-60:]))


def screen(words, columns=80, rows=24):
    """The lines that such a terminal shows, those that it folds as several, and those that it folds."""
    lines = plain(shown([HOTSET, *words], WORK, rows, columns, NO_COLOR="1")[0]).rstrip("\n").split("\n")
    return [line[i:i + columns] for line in lines for i in range(0, max(len(line), 1), columns)], [line for line in lines if len(line) > columns]


SCREENS = (80, 24), (100, 30)
copied = re.compile(r"(^|: )hotset [a-z]")
for name, (words, head, answer) in DAILY.items():
    force = [] if words[0] in ("simulate", "explain", "graph", "server", "what-if") else ["--force"]
    piped = subprocess.run([HOTSET, *words, *force, "--quiet"], cwd=WORK, capture_output=True, text=True)
    wide = [line for line in piped.stdout.split("\n") if len(line) > 100 and not re.search(r"\S  +\S|^-+(  -+)*$", line) and not copied.search(line)]
    check(f"{name}: a pipe's sentences have at most 100 columns", piped.returncode == 0 and not wide, piped.stderr + "\n".join(wide))
    for columns, rows in SCREENS:
        lines, folded = screen([*words, *force], columns, rows)
        heads = [i for i, line in enumerate(lines) if re.match(head, line)]
        answers = [i for i, line in enumerate(lines) if re.match(answer, line)]
        check(f"{name}, {columns} x {rows}: header, rows and answer are on the last screen", heads and answers and len(lines) - heads[-1] < rows and len(lines) - answers[-1] < rows,
              f"header {len(lines) - heads[-1] if heads else '-'} lines above the end\n" + "\n".join(lines))
        folded = [line for line in folded if not copied.search(line)]
        check(f"{name}, {columns} x {rows}: only a command to copy is wider than the screen", not folded, "\n".join(folded))
    commands = [line for line in piped.stdout.split("\n") if copied.search(line) and " -o P" in line]
    check(f"{name}: its command is one line", all(line.rstrip().endswith((" -o P", "%")) for line in commands), "\n".join(commands)) if name in ("size", "advise", "demo") else None
short, _ = screen([*DAILY["compare"][0], "--policy", "hotset,dgl-uva,legion", "--force"])
table = next(i for i, line in enumerate(short) if line.startswith("policy "))
check("compare of a few policies takes 16 lines", len([line for line in short[table - 1:] if not line.startswith("hotset: ")]) <= 16, "\n".join(short))
print(f"1..{tests}")
sys.exit(failed)
