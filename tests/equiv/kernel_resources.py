#!/usr/bin/env python3
"""What the compiler gives each CUDA kernel, and what that allows (make kernel-resources).

kernel_resources.py NVCC ARCH.. -- COUNTS FILE.cu..: compiles every file for every architecture (80 90 100) with ptxas's report, and prints a table of
registers and shared memory per kernel and the share of an SM's threads that can be resident (occupancy, by arithmetic). Spills end with exit
code 1: a kernel that keeps variables in memory is slower than it looks. Kernels of CUB are left out; NVIDIA tunes them.

Where `make ptx-kernels` has left COUNTS, what a run did is printed beside: instructions issued by warps; active lanes per instruction (of 32);
sectors of 32 bytes that accesses touch, without caches, per 32 bytes that they ask for (1 is best; atomics left out); turns per access to
shared memory (1 is best). A kernel that is no operation's has none.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "ptx"))
from kernels import read  # noqa: E402

BLOCK = 256  # CUDA_BLOCK in kernels/cuda/cuda.cuh, BLOCK in simulator/lib/hotset_cuda.cu
# Per SM: registers, shared memory in KiB, threads, blocks; CUDA C++ Programming Guide, table of technical specifications per compute capability.
SM = {"75": (65536, 64, 1024, 16), "80": (65536, 164, 2048, 32), "90": (65536, 228, 2048, 32), "100": (65536, 228, 2048, 32)}


def kernels(nvcc, arch, path):
    """(name, registers, spilled bytes, shared bytes) of every kernel of a file."""
    said = subprocess.run([nvcc, "-O3", "-std=c++17", "-I.", "-DHOTSET_CUDA", "-Xptxas", "-v", "-cubin", f"-arch=sm_{arch}", "-o", "/dev/null", path],
                          capture_output=True, text=True, check=False)
    if said.returncode:
        sys.exit(f"kernel_resources: {path} does not compile for sm_{arch}:\n{said.stderr}")
    found = []
    for part in said.stderr.split("Compiling entry function '")[1:]:
        name = subprocess.run(["c++filt", part.split("'")[0]], capture_output=True, text=True, check=True).stdout.strip()
        if "cub::" in name:
            continue
        spills = sum(map(int, re.findall(r"(\d+) bytes spill", part)))
        registers = int(re.search(r"Used (\d+) registers", part).group(1))
        shared = re.search(r"(\d+) bytes smem", part)
        name = re.sub(r"^void |\(anonymous namespace\)::|\btask::", "", name)
        found.append((re.sub(r"\(.*", "", name).replace("unsigned ", "u"), registers, spills, int(shared.group(1)) if shared else 0))
    return found


def occupancy(arch, registers, shared):
    """Share of the SM's threads. A warp gets its registers in steps of 256, a block its shared memory in steps of 1 KiB, one of them reserved."""
    all_registers, kib, threads, blocks = SM[arch]
    warp = -(-registers * 32 // 256) * 256
    fit = min(blocks, threads // BLOCK, all_registers // (warp * BLOCK // 32))
    if shared:
        fit = min(fit, kib // (-(-shared // 1024) + 1))
    return fit * BLOCK / threads


def counted(path):
    """{name: columns} of the interpreter's counts."""
    share = lambda a, b: f"{a / b:7.2f}" if b else " " * 7
    return {name.replace("unsigned ", "u"): f"{k['issued']:14} {k['lanes'] / k['issued']:6.1f} {share(32 * k['sectors'], k['bytes'])} {share(k['turns'], k['shared'])}"
            for name, k in read(path).items()} if os.path.exists(path) else {}


def main():
    at = sys.argv.index("--")
    nvcc, archs, counts, files = sys.argv[1], sys.argv[2:at], sys.argv[at + 1], sys.argv[at + 2:]
    rows, spilled, did = {}, [], counted(counts)
    for path in files:
        for arch in archs:
            for name, registers, spills, shared in kernels(nvcc, arch, path):
                rows.setdefault((path, name), {})[arch] = f"{registers:4} {shared / 1024:6.1f} {100 * occupancy(arch, registers, shared):5.0f} %"
                if spills:
                    spilled.append(f"{name} ({path}, sm_{arch}): {spills} bytes spilled")
    print(f"{'kernel':26}" + "".join(f"{'sm_' + a:>9}: regs  KiB  occ." for a in archs) + (f"{'instructions':>14}  lanes sectors   banks" if did else ""))
    for (path, name), row in rows.items():
        print((f"{name:26}" + "".join(f"{row.get(a, ''):>24}" for a in archs) + did.get(name, "")).rstrip())
    if not did:
        print(f"make ptx-kernels first, for instructions, lanes, sectors and banks ({counts} is missing)")
    print("\n".join(spilled) if spilled else "no kernel spills registers")
    sys.exit(bool(spilled))


main()
