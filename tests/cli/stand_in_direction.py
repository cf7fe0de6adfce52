"""Reads a stand-in's arcs and says whether one graph is the other with its reverse; counts the rows per seed that a plan reads.

usage: stand_in_direction.py both PUBLISHED REVERSED | rows PLAN LOW HIGH
"""
import array
import json
import sys


def ints(path, code):
    """A .npy file of one dimension."""
    with open(path, "rb") as f:
        head = f.read(10)
        f.seek(10 + head[8] + 256 * head[9])
        found = array.array(code)
        found.frombytes(f.read())
    return found


def arcs(graph):
    starts, ids = ints(graph + "/indptr.npy", "q"), ints(graph + "/indices.npy", "I")
    return [(v, ids[i]) for v in range(len(starts) - 1) for i in range(starts[v], starts[v + 1])]


if sys.argv[1] == "both":
    published, stored = arcs(sys.argv[2]), arcs(sys.argv[3])
    facts = [json.load(open(g + "/graph.json")) for g in sys.argv[2:4]]
    wanted = set(published) | {(u, v) for v, u in published}
    assert set(stored) == wanted and len(stored) == len(wanted) < 2 * len(published), (len(stored), len(wanted))
    assert [f["sample"] for f in facts] == ["in", "both"] and facts[1]["edges"] == len(wanted), facts
    assert [f["origin"] for f in facts] == ["synth citation", "synth citation, reverse arcs added"], facts
    # what both directions of all that was drawn have, less what is stored
    drawn = len(published) + facts[0]["duplicates_dropped"]
    assert facts[1]["duplicates_dropped"] == 2 * drawn - len(stored), (facts, drawn)
    assert ints(sys.argv[2] + "/train.npy", "I") == ints(sys.argv[3] + "/train.npy", "I")
else:
    plan = json.load(open(sys.argv[2] + "/plan.json"))
    read = plan["simulated"]["movement"]["pcie"]["total"]["feature"]["useful_bytes"] / 512
    found = read / plan["graph"]["train_vertices"]
    assert float(sys.argv[3]) <= found <= float(sys.argv[4]), found
