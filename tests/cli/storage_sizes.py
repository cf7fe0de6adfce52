"""storage_sizes.py HOTSET sizes.json: a table of sizes (of plan P, --seed 99 --epochs 3 --ssd gen3,4xgen4 --within W) against the answer for
every size alone. Prints what differs."""
import json
import subprocess
import sys

with open(sys.argv[2], encoding="utf-8") as f:
    d = json.load(f)
memories = [r["host_memory_bytes"] for r in d["sizes"]]
if memories != sorted(set(memories)):
    print("memories are not ascending, each once")
good, tried = [], 0
for r in d["sizes"]:
    for x, ssd in zip(r["drives"], ("gen3", "4xgen4")):
        said = subprocess.run([sys.argv[1], "storage", "P", "--seed", "99", "--epochs", "3", "--quiet", "--json", "--host-memory",
                               str(r["host_memory_bytes"]), "--ssd", ssd], capture_output=True, check=True)
        one = json.loads(said.stdout)["simulated"]
        if (x["ssd_seconds"], x["epoch_seconds"], r["blocks"]) != (one["ssd_seconds"], one["epoch"]["seconds"], one["blocks"]):
            print(r["host_memory_bytes"], ssd, "differs from the answer for it alone")
        if d["all_in_dram_seconds"] != one["epoch"]["without_ssd_seconds"]:
            print("another epoch without SSDs")
        if abs(x["slower"] - (x["epoch_seconds"] / d["all_in_dram_seconds"] - 1)) > 1e-6 * (1 + x["slower"]):
            print("slower is not what it says")
        tried += 1
        if x["slower"] <= d["within"]:
            good.append((r["host_memory_bytes"], x["name"], x["drives"]))
a = d["answer"]
if not good or len(good) == tried:
    print(len(good), "of", tried, "are good: nothing to choose")
elif not a or (a["host_memory_bytes"], a["name"], a["drives"]) != good[0]:
    print("answer", a, "instead of", good[0])
