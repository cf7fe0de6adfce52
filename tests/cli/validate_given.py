"""Runs the commands that a case of model `given` states; compares what they give with the predictions stored in it.

usage: validate_given.py CASE stored|all. The commands stand in the first text of `assumed`, after "by 'simulate' on a stand-in: ", with
"; " between them. The graph G, the plan P and the results of each cache size stay, so that a second run uses them.
"""
import json
import os
import re
import subprocess
import sys

case = json.load(open(sys.argv[1]))
text = case["assumed"]
commands = re.match(r"Predicted by 'simulate' on a stand-in: (.*?)\. Misses", text[0]).group(1).split("; ")
graph, plan, simulate = (c.split() for c in commands)


def hotset(words, output, *more):
    """Runs one command, unless its output exists."""
    if not os.path.exists(output):
        subprocess.run([os.environ["HOTSET"], *words, *more, "--quiet", "-o", output], check=True, stdout=subprocess.DEVNULL)


def counts(rows, epochs):
    """Feature rows missed and read by each cache in so many epochs."""
    words = list(simulate)
    i = words.index("--epochs")
    assert words[i + 1:i + 4] == ["2", "and", "3"], words
    words[i + 1:i + 4] = [str(epochs)]
    words[words.index("--cache-rows") + 1] = str(rows)
    output = "misses-%d-%d.json" % (rows, epochs)
    hotset([words[0], "P", *words[1:]], output)
    found = {}
    for row in json.load(open(output))["rows"]:
        if row["policy"].startswith("cache:"):
            read = row["simulated"]["gpus"][0]["feature_rows"]
            found[row["policy"][len("cache:"):]] = (read["host"], sum(read.values()))
    return found


def misses(rows):
    """The share of reads missed in the third epoch, in percent: three epochs less the first two."""
    two, three = counts(rows, 2), counts(rows, 3)
    names = simulate[simulate.index("--cache") + 1].split(",")
    return [100 * (three[n][0] - two[n][0]) / (three[n][1] - two[n][1]) for n in names]


def differ(name, found, stored, half):
    """Whether a stored number is not the one found, rounded as it was."""
    if abs(found - stored) <= half + 1e-9:
        return 0
    print("%s: the commands give %.4f, stored %s" % (name, found, stored))
    return 1


numbers = lambda words: [float(x) for x in re.findall(r"\d+\.\d+", words)]
hotset(graph, "G")
hotset(plan, "P", "--graph", "G")
rows = int(simulate[simulate.index("--cache-rows") + 1])
found = misses(rows)
wrong = 0
for point, share in zip(case["points"], found[1:], strict=True):
    wrong += differ(point["name"], share / found[0], point["inputs"]["predicted"], 0.0005)
for share, stored in zip(found, numbers(text[0].split("third epoch: ")[1]), strict=True):
    wrong += differ("misses in percent", share, stored, 0.005)
if sys.argv[2] == "all":
    for count, words in re.findall(r"[Ww]ith ([\d,]+) rows(?: the ratios are)? ((?:\d\.\d+(?:, | and )?){3})", text[1]):
        found = misses(int(count.replace(",", "")))
        for share, stored in zip(found[1:], numbers(words), strict=True):
            wrong += differ("%s rows" % count, share / found[0], stored, 0.005)
    count, stored = re.search(r"\(([\d,]+) rows\).*\(([\d.]+) % in all four caches\)", text[1]).groups()
    for share in misses(int(count.replace(",", ""))):
        wrong += differ("%s rows, misses in percent" % count, share, float(stored), 0.005)
sys.exit(wrong > 0)
