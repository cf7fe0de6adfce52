"""Once more what hotset drift says, for drift_auto.sh. usage: drift_auto.py COMMAND ..

server [SLOWER]: a description of four GPUs whose rates are the same for requests of every size, so that the time of a link is bytes by rate
window G WINDOWS SHARE T: the training vertices of window T, from the circle of ids
decided N..: windows of D<N>.json load what R<N>.json says, in as much time; some N move nothing, others do
peers N..: some R<N>.json load rows from peers
saved N..: transfer_seconds and seconds_saved from the counts of fixed.json and auto<N>.json
"""
import json
import sys

PCIE, NVLINK, MEMORY, HOST, LINE = 8e9, {(0, 1): 2e9, (2, 3): 2e9, (0, 2): 1e9, (1, 3): 1e9, (0, 3): 1e9, (1, 2): 1e9}, 400e9, 100e9, 64
ROW = 48 * 4  # bytes of a feature row


def server(slower="1"):
    gpus = [{"id": i, "model": "one", "memory_bytes": 1 << 30, "switch": i // 2, "socket": 0, "memory_gbps": MEMORY / 1e9} for i in range(4)]
    links = [{"a": a, "b": b, "links": 1, "gbps": rate / float(slower) / 1e9} for (a, b), rate in NVLINK.items()]
    print(json.dumps({"schema": "server/1", "name": "even", "gpus": gpus, "nvlinks": links, "cls": LINE, "host_memory_gbps": HOST / 1e9,
                      "pcie": {"generation": 3, "width": 16, "gbps": PCIE / 1e9}}))


def window(graph, windows, share, t):
    sys.path.insert(0, __file__.rsplit("/", 1)[0])
    from refresh_changed import load
    ids = sorted(load(graph + "/train.npy"))
    for i in range(int(float(share) * len(ids))):
        print(ids[(int(t) * len(ids) // int(windows) + i) % len(ids)])


def read(name):
    with open(name) as f:
        return json.load(f)


def scheme(n, name):
    return {s["scheme"]: s for s in read("D%s.json" % n)["schemes"]}[name]


def near(a, b):
    return abs(a - b) <= 1e-6 * abs(b)


def decided(*epochs):
    moved = []
    for n in epochs:
        said, last = read("R%s.json" % n), scheme(n, "auto")["windows"][-1]
        assert last["bytes_loaded"] == said["bytes_to_load"], (n, last, said["bytes_to_load"])
        assert near(last["seconds_loading"], said["seconds_to_load"]), (n, last, said["seconds_to_load"])
        assert (said["bytes_to_load"] > 0) == (said["seconds_saved"] * int(n) > said["seconds_to_load"]), (n, said["seconds_saved"])
        moved.append(said["bytes_to_load"])
    assert read("R0.json")["bytes_to_load"] == 0 < moved[0] < moved[-1], moved


def rates():
    """Bytes per second of each NVLink of the server that the runs were made for."""
    return {(x["a"], x["b"]): x["gbps"] * 1e9 for x in read("S.json")["nvlinks"]}


def peers(*epochs):
    """Some runs load rows from peers, and what these are counts in both commands (decided)."""
    assert any(0 < read("R%s.json" % n)["rows_from_peers"] <= read("R%s.json" % n)["rows_to_load"] for n in epochs)


def stage(name):
    """Seconds per epoch of the busiest uplink, NVLink or memory, of what a row of simulate counts."""
    s = read(name)["rows"][0]["simulated"]
    lines = [g["transactions"]["total"] for g in s["gpus"]]
    served = [[x / s["epochs"] for x in row] for row in s["traffic_bytes"]]  # reader x source
    times = [(lines[a] + lines[a + 1]) * LINE / PCIE for a in (0, 2)] + [sum(lines) * LINE / HOST]
    for (a, b), rate in rates().items(): times += [served[a][b] / rate, served[b][a] / rate]
    return max(times + [sum(served[g][x] for g in range(4)) / MEMORY for x in range(4)])


def saved(*epochs):
    for n in epochs:
        fixed, auto = scheme(n, "fixed"), scheme(n, "auto")
        for of, name in ((fixed, "fixed.json"), (auto, "auto%s.json" % n)):
            assert abs(of["windows"][-1]["transfer_seconds"] / stage(name) - 1) < 1e-3, (n, name, of["windows"][-1], stage(name))
        for x in (auto, scheme(n, "refresh"), scheme(n, "replan")):
            sums = [sum(w["transfer_seconds"] for w in y["windows"]) for y in (fixed, x)]
            assert near(x["seconds_saved"], (sums[0] - sums[1]) * int(n) - x["seconds_loading"]), (n, x["scheme"], x["seconds_saved"], sums)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
