#!/usr/bin/env python3
"""rooms.py - holds every folder of sources against its README.md; prints one finding per line.

A room is a folder with C or CUDA sources. Its README.md has 10 to 25 lines and one line `May include: base, traces/graph, ..`: the
rooms that its files include beside their own. `base` alone stands for the floor and all its rooms. What is included must be listed,
what is listed must be used, and the rooms must not form a cycle.
"""
import os
import re
import sys

FLOORS = ["base", "kernels", "hwprofiles", "traces", "reports", "simulator", "planner"]
ALLOWED = {"base": {"base"}, "kernels": {"base", "kernels"}, "reports": {"base", "reports"},
           "traces": {"base", "kernels", "traces"}, "hwprofiles": {"base", "kernels", "hwprofiles"},
           "simulator": {"base", "kernels", "traces", "hwprofiles", "simulator"}, "planner": set(FLOORS)}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
SOURCE = re.compile(r"\.(c|h|cu|cuh)$")


def rooms():
    for floor in FLOORS:
        for folder, _, files in os.walk(floor):
            sources = sorted(f for f in files if SOURCE.search(f))
            if sources and not folder.endswith("examples"):
                yield folder, sources


def includes(folder, sources):
    """{room included: the first file that does}, without the room itself."""
    found = {}
    for name in sources:
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as f:
            for header in INCLUDE.findall(f.read()):
                room = os.path.dirname(header)
                if room and room != folder:
                    found.setdefault(room, path)
    return found


def listed(folder):
    """The rooms that README.md lists, or None with a finding printed."""
    path = os.path.join(folder, "README.md")
    if not os.path.exists(path):
        print(f"{folder}: README.md is missing; say what lives here, what comes in and goes out, and 'May include: ..'")
        return None
    with open(path, encoding="utf-8") as f:
        text = f.read()
    lines = text.count("\n")
    if not 10 <= lines <= (40 if folder in FLOORS else 25):
        print(f"{path}: has {lines} lines, 10 to 25 (40 for a floor) are wanted")
    match = re.search(r"^May include: (.*?)(?:\n\s*\n|\Z)", text, re.M | re.S)
    if not match:
        print(f"{path}: has no line 'May include: ..'")
        return None
    words = re.sub(r"\s+", " ", match.group(1)).strip().rstrip(".")
    return [] if words in ("", "nothing") else [w.strip() for w in words.split(",")]


def check(folder, found):
    names = listed(folder)
    if names is None:
        return
    floor = folder.split("/")[0]
    for room, path in sorted(found.items()):
        if not any(room == n or room.startswith(n + "/") for n in names):
            print(f"{path}: includes a header of {room}, which {folder}/README.md does not list")
    for n in names:
        if n.split("/")[0] not in ALLOWED[floor]:
            print(f"{folder}/README.md: lists {n}, which floor {floor} must not include")
        elif not any(room == n or room.startswith(n + "/") for room in found):
            print(f"{folder}/README.md: lists {n}, but no file here includes it")


def cycles(graph):
    """Prints one line per pair of rooms that reach each other."""
    reach = {}
    for start in graph:
        seen, open_ = set(), [start]
        while open_:
            for room in graph.get(open_.pop(), ()):
                if room not in seen:
                    seen.add(room)
                    open_.append(room)
        reach[start] = seen
    for a in sorted(graph):
        for b in sorted(reach[a]):
            if a < b and a in reach.get(b, ()):
                print(f"{a} and {b} include each other, directly or through others")


def main():
    graph = {}
    for folder, sources in rooms():
        graph[folder] = includes(folder, sources)
        check(folder, graph[folder])
    cycles(graph)


if __name__ == "__main__":
    sys.exit(main())
