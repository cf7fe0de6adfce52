#!/usr/bin/env python3
"""Whether another policy has a shorter epoch than hotset's default, or leaves fewer transactions than --objective transactions.

usage: cells.py HOTSET GRAPH[:BATCH].. [-- OPTION..]   (options of hotset compare, as in --server dgx-h100)

Cells are the graphs, on four servers, at 1, 5 and 10 % per GPU, with peer access own and direct; batch 512 unless a graph names one.
Rivals are the policies of other systems at the same peer access, without those whose GPUs hold more memory than the budget. Prints
how many cells are lost by more than 0.5 %, and the worst ten of each kind.
"""
import collections
import json
import subprocess
import sys

OWN = {"hotset", "exact", "oracle", "random", "single-type", "mean-row", "legion+density", "legion+exact-split"}
USUAL = ["--server", "dgx-v100,dgx-a100,dgx-h100,dgx-b200", "--budget", "1%,5%,10%"]
LOST = 0.005


def compare(hotset, graph, batch, reach, more):
    words = [hotset, "compare", "-g", graph, "--batch", batch, "--peer-access", reach, "--json", "--quiet", *USUAL, *more]
    cells = collections.defaultdict(dict)
    for row in json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)["rows"]:
        if row["status"] != "ok" or (row.get("held_bytes") or 0) > (row.get("held_budget_bytes") or float("inf")): continue
        if row["policy"] == "hotset" and row["reach"] != reach: continue  # hotset is planned at --peer-access own, too
        simulated = row["simulated"]
        seconds = (simulated.get("epoch_time") or {}).get("seconds")
        cells[row["server"], row["budget"]][row["policy"]] = (seconds, simulated["total_transactions"])
    return cells


def lost(cells, at):
    """By how much the best rival has less, cell by cell, the worst first."""
    out = []
    for cell, of in cells.items():
        rivals = [(v[at], p) for p, v in of.items() if p not in OWN and v[at] is not None]
        if rivals and of.get("hotset", (None, None))[at] is not None:
            least, by = min(rivals)
            out.append(((of["hotset"][at] + 1e-12) / (least + 1e-12) - 1, cell, by, of["hotset"][at], least))
    return sorted(out, reverse=True)


def main(hotset, *words):
    cut = words.index("--") if "--" in words else len(words)
    graphs, more = words[:cut], list(words[cut + 1:])
    for at, what, objective in (0, "seconds", []), (1, "transactions", ["--objective", "transactions"]):
        cells = {}
        for name in graphs:
            graph, _, batch = name.partition(":")
            for reach in "own", "direct":
                for (server, budget), of in compare(hotset, graph, batch or "512", reach, objective + more).items():
                    cells[name, reach, server, budget] = of
        found = lost(cells, at)
        print("%d cells by %s: %d lost by more than %g %%" % (len(found), what, sum(x[0] > LOST for x in found), 100 * LOST))
        for by, cell, rival, mine, theirs in found[:10]:
            print("  %+6.2f %%  %s: hotset %.6g, %s %.6g" % (100 * by, " ".join(cell), mine, rival, theirs))


if __name__ == "__main__":
    main(*sys.argv[1:])
