#!/usr/bin/env bash
# What size says of a server that needs SSDs is what plan says with the same DRAM and drives: reads, seconds, transactions; also where the
# topology does not fit DRAM, at the scale of a stand-in, and in the parts of an array.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "size with SSDs" "python3 is not installed"; finish; }
export HOTSET
"$HOTSET" graph synth community --vertices 4000 --edges 40000 --seed 3 -o G --quiet >/dev/null
cat >same.py <<'P'
import json, os, subprocess, sys
hotset, asked = os.environ["HOTSET"], sys.argv[1:]
def call(words):
    done = subprocess.run([hotset, *words, "--quiet", "--json"], capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, words, done.stderr)
    return json.loads(done.stdout)
near = lambda x, y: abs(x - y) <= 1e-6 * abs(y)
d = call(["size", *asked])
o, = d["options"]
c, = d["curves"]
assert o["fits"] and o["rows_below"] == "ssd", o["lacks"]
plan = call([*o["command"].split()[1:], "--force"])["simulated"]
below, time = plan["memories"], plan["epoch_time"]
reads = below["ssd"]["blocks"]
assert reads > 0 and o["ssd_reads"] == reads, (o["ssd_reads"], reads)
assert near(o["stage_seconds"]["storage"] * time["iterations"], below["ssd"]["seconds"])
assert near(o["epoch_seconds"], below["epoch"]["seconds"]) and o["transactions"] == plan["total_transactions"], (o, below)
assert near(o["feature_hit_rate"], plan["feature_hit_rate"])
assert o["budget_bytes"] == c["limit_bytes"]  # the largest: no SSD is asked for what a GPU holds
assert o["host_needs_bytes"] == c["host_memory_bytes"] and o["host_left_bytes"] == 0
low = c["host_memory_bytes"] - c["host_loader_bytes"] < c["host_topology_bytes"]
assert low == (os.environ.get("TOPOLOGY") == "below"), c
P
common="--graph G --batch 100 --presample-epochs 1 --simulate-epochs 1 --nodes 1 --steps 1"
ok "features on SSDs: as plan says" python3 same.py $common --server siton --host-memory 40% --ssd 3xgen4 --most 30KiB
ok "topology on SSDs, too" env TOPOLOGY=below python3 same.py $common --assignment global --server siton --host-memory 5% --ssd gen4 --most 30KiB --cache-type f16
ok "another policy's lists, LABOR, one stage after the other" env TOPOLOGY=below python3 same.py $common --assignment global --server dgx-v100 --host-memory 7% --ssd 2xgen4 --most 20KiB --policy legion --sampler labor --schedule sequential
"$HOTSET" graph synth like igbh-tiny --scale 0.02 -o T --quiet >/dev/null
ok "several types" env TOPOLOGY=below python3 same.py ${common/--graph G/--graph T} --fanout 8,4 --assignment global --server siton --host-memory 1% --ssd gen4 --most 100KiB

# ---- lists of host memory, drives and networks: each is what it is alone; where money is the same the first that is enough is taken
cat >lists.py <<'P'
import json, os, subprocess, sys
def ask(*words):
    done = subprocess.run([os.environ["HOTSET"], "size", *sys.argv[1:], *words, "--quiet", "--json"], capture_output=True, text=True)
    assert done.returncode in (0, 1), (words, done.stderr)
    return json.loads(done.stdout)
def alone(d): return {k: v for k, v in d["options"][0].items() if k not in ("label", "curve", "listed", "front", "verdict", "command", "line")}
disks = ["--server", "dgx-v100:4", "--nodes", "1", "--price", "0", "--most", "30KiB"]
hosts, drives = ("20%", "40%", "80%"), ("gen4", "4xgen4")
d = ask(*disks, "--host-memory", ",".join(hosts), "--ssd", ",".join(drives))
asked = [ask(*disks, "--host-memory", h, "--ssd", s) for h in hosts for s in drives]
each = [alone({"options": [o]}) for o in d["options"]]
assert each == [alone(a) for a in asked], [(k, x[k], y[k]) for x, y in zip(each, map(alone, asked)) for k in x if x[k] != y.get(k)]
assert [o["label"] for o in d["options"]] == ["dgx-v100:4, host %s %%, %s x gen4" % (h[:-1], n) for h in hosts for n in "14"]
seconds = [o["epoch_seconds"] for o in d["options"]]
assert seconds[0] > seconds[1] and seconds[0] > seconds[2] > seconds[4], seconds
want = 1.05 * seconds[2]
d = ask(*disks, "--host-memory", ",".join(hosts), "--ssd", ",".join(drives), "--target", "epoch-time<=%.9gs" % want)
verdicts = [o["verdict"] for o in d["options"]]
best = max(verdicts, key=["unknown", "not", "probably", "surely"].index)
first = next(i for i, v in enumerate(verdicts) if v == best)
assert d["sentence"].startswith(d["options"][first]["label"] + ":"), (first, verdicts, d["sentence"])
rates = ("0.2", "25")
d = ask("--server", "dgx-v100:4", "--nodes", "2", "--nic-gbps", ",".join(rates), "--target", "epoch-time<=1s")
each = [alone({"options": [o]}) for o in d["options"]]
assert each == [alone(ask("--server", "dgx-v100:4", "--nodes", "2", "--nic-gbps", r, "--target", "epoch-time<=1s")) for r in rates]
P
ok "lists of host memory, drives and networks" python3 lists.py ${common/--nodes 1/}
ok "what is no list of drives" eval 'exits 3 "$HOTSET" size $common --server siton --ssd gen4,gem4 --quiet && grep -q "did you mean" .stderr'
ok "nor of networks" exits 2 "$HOTSET" size $common --server siton --nic-gbps 25,fast --quiet

# ---- what cannot be planned is refused in words; DRAM always has the offsets, and for a layer-wise sampler all topology
cat >refused.py <<'P'
import json, os, subprocess, sys
def ask(*words):
    done = subprocess.run([os.environ["HOTSET"], "size", *sys.argv[1:], "--server", "siton", "--ssd", "gen4", *words, "--quiet", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["options"][0]
layers = ["--sampler", "layer-wise", "--fanout", "100,100", "--most", "9KiB"]
for words, why in ((["--host-memory", "1%"], "offsets beside SSDs"), (["--host-memory", "5%", *layers], "all topology for this sampler"),
                   (["--host-memory", "40%", "--policy", "bgl", "--most", "30KiB"], "dynamic cache")):
    o = ask(*words)
    assert not o["fits"] and o["rows_below"] is None and why in o["lacks"] and "of host memory" in o["remedy"] and "--ssd" not in o["remedy"], o
o = ask("--host-memory", "50%", *layers)
assert o["rows_below"] == "ssd" and o["ssd_reads"] > 0, o
P
ok "what has no plan with SSDs is refused in words" python3 refused.py $common

# ---- a stand-in: mini-batches, budgets and DRAM divided by its factor, reads multiplied
cat >stand_in.py <<'P'
import json, os, subprocess
def call(*words):
    done = subprocess.run([os.environ["HOTSET"], *words, "--quiet", "--json"], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return json.loads(done.stdout)
share, batch = 0.01, 16000
once = ["--assignment", "global", "--presample-epochs", "1", "--simulate-epochs", "1", "--server", "siton", "--fanout", "8,4"]
d = call("size", "--like", "products", "--scale", str(share), "--repeats", "0", "--batch", str(batch), *once, "--nodes", "1", "--steps", "1",
         "--host-memory", "5%", "--ssd", "gen4", "--most", "5MiB")
o, c = d["options"][0], d["curves"][0]
dram, budget = (c["host_memory_bytes"] - c["host_loader_bytes"]) * share, o["budget_bytes"] * share
call("graph", "synth", "like", "products", "--scale", str(share), "-o", "L")
p = call("plan", "--graph", "L", *once, "--batch", str(int(batch * share)), "--host-memory", f"{int(dram)}B", "--ssd", "gen4", "--budget",
         f"{int(budget)}B", "--force", "-o", "Q")["simulated"]["memories"]["ssd"]
assert p["blocks"] > 0 and abs(o["ssd_reads"] * share / p["blocks"] - 1) < 1e-3, (o["ssd_reads"], p)
P
ok "a stand-in: DRAM at its scale, reads of the full size" python3 stand_in.py

# ---- the parts of an array have what the plan with SSDs found
asked="$common --assignment global --server siton,dgx-v100 --host-memory 5% --ssd gen4 --most 30KiB --quiet"
"$HOTSET" size $asked -o whole.json >/dev/null
for i in 0 1; do "$HOTSET" size $asked -o parts.json --cells $i/2 >/dev/null; done
"$HOTSET" size $asked -o parts.json --merge-cells 2 >/dev/null
ok "an array says what one run says" cmp whole.json parts.json
finish
