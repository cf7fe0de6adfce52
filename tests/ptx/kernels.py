#!/usr/bin/env python3
"""kernels.py FILE - what the kernels did while HOTSET_PTX_COUNTS named FILE, per kernel (CUB's left out).

instructions: issued by warps; lanes: active ones per instruction, of 32; bytes/sector: of the 32 bytes of each sector of device or host
memory that an access touches, how many it asked for (atomics left out); atomics: lanes; banks: turns per access to shared memory, 1 is best.
A sector is counted anew for each access: what a cache keeps between two accesses of a warp is not seen.
"""
import subprocess
import sys


def read(path):
    """{name: what it did}, of kernels that issued instructions."""
    kernels = {}
    for text in open(path):
        kind, name, *rest = text.rstrip("\n").split("\t")
        k = kernels.setdefault(name, dict(launches=0, issued=0, lanes=0, shared=0, turns=0, bytes=0, sectors=0, atomics=0))
        if kind == "kernel":
            for key, value in zip(("launches", "issued", "lanes", "shared", "turns"), rest):
                k[key] += int(value)
        elif rest[1] == "atomic":
            k["atomics"] += int(rest[5]) // int(rest[3])
        else:
            k["bytes"] += int(rest[5])
            k["sectors"] += int(rest[6])
    plain = subprocess.run(["c++filt"], input="\n".join(kernels), stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.split("\n")
    return {p.replace("(anonymous namespace)::", "").replace("void ", "").split("(")[0]: k
            for p, k in zip(plain, kernels.values()) if "cub::" not in p and k["issued"]}


def main():
    print("%-44s %8s %12s %6s %12s %12s %10s %6s" % ("kernel", "launches", "instructions", "lanes", "bytes", "bytes/sector", "atomics", "banks"))
    for plain, k in sorted(read(sys.argv[1]).items()):
        print("%-44s %8d %12d %6.1f %12d %12s %10d %6s" % (plain, k["launches"], k["issued"], k["lanes"] / k["issued"], k["bytes"],
              "%.1f" % (k["bytes"] / k["sectors"]) if k["sectors"] else "", k["atomics"], "%.2f" % (k["turns"] / k["shared"]) if k["shared"] else ""))


if __name__ == "__main__":
    main()
