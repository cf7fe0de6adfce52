"""Holds files against Chrome's trace event format, as Perfetto's importer reads it. Prints findings; nothing is well.

usage: trace_events.py T.json..

The rules are those of the format's own description, whatever hotset writes of it: strict JSON; whole numbers for processes and threads; microseconds that
are numbers and never negative; events of a thread in the order of time, nested or apart; B closed by E of the same name; names of processes and threads once
each, for every thread that has an event, and told apart by people.
"""
import collections
import json
import math
import sys

PHASES = {"X", "B", "E", "M", "i", "C"}
METADATA = {"process_name": str, "thread_name": str, "process_labels": str, "process_sort_index": int, "thread_sort_index": int}


def strict(pairs):
    if len(dict(pairs)) != len(pairs): raise ValueError("a key twice in one object: %s" % [k for k, _ in pairs])
    return dict(pairs)


def no_number(text): raise ValueError("%s is no JSON" % text)


def number(x): return isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x)


def whole(x): return isinstance(x, int) and not isinstance(x, bool) and 0 <= x < 2 ** 31


def text(x): return isinstance(x, str) and x.strip() == x != "" and x.isprintable()


def values(x): return all(map(values, x.values())) if isinstance(x, dict) else all(map(values, x)) if isinstance(x, list) else number(x) or isinstance(x, (str, bool))


def metadata(e, named):
    kind = METADATA.get(e["name"])
    if kind is None: return ["unknown metadata"]
    key = "sort_index" if kind is int else "labels" if e["name"] == "process_labels" else "name"
    found = e.get("args", {}).get(key)
    if list(e.get("args", {})) != [key] or not (whole(found) if kind is int else text(found)): return ["args of metadata"]
    at = e["name"], e["pid"], e["tid"] if e["name"].startswith("thread") else 0
    if at in named: return ["metadata twice"]
    named[at] = found
    return []


def event(e):
    """What is wrong with an event by itself."""
    if not isinstance(e, dict): return ["no object"]
    wrong = [k for k in ("pid", "tid") if not whole(e.get(k))]
    if e.get("ph") not in PHASES: return wrong + ["ph"]
    if e["ph"] != "E" and not text(e.get("name")): wrong.append("name")
    if e["ph"] == "M": return wrong
    if not number(e.get("ts")) or e["ts"] < 0: wrong.append("ts")
    if (e["ph"] == "X") != ("dur" in e) or not number(e.get("dur", 0)) or e.get("dur", 0) < 0: wrong.append("dur")
    if "cat" in e and not text(e["cat"]): wrong.append("cat")
    if not isinstance(e.get("args", {}), dict) or not values(e.get("args", {})): wrong.append("args")
    return wrong


def order(lane):
    """What is wrong with a thread's events, which stand in the order of the file; in nanoseconds, the finest that is read."""
    last, open_ = 0, []  # (end, name) of what is open; B has no end yet
    for e in lane:
        at, end = round(1000 * e["ts"]), round(1000 * (e["ts"] + e.get("dur", 0)))
        if at < last: yield "goes back in time", e
        last = at
        while open_ and open_[-1][0] is not None and open_[-1][0] <= at: open_.pop()
        if e["ph"] == "B": open_.append((None, e["name"]))
        elif e["ph"] == "E":
            if not open_ or open_[-1][0] is not None or e.get("name", open_[-1][1]) != open_[-1][1]: yield "ends what did not begin", e
            else: open_.pop()
        elif e["ph"] == "X":
            if open_ and open_[-1][0] is not None and end > open_[-1][0]: yield "overlaps the event before", e
            else: open_.append((end, e["name"]))
    for end, name in open_:
        if end is None: yield "never ends", name


def check(path):
    with open(path, encoding="utf-8") as f: d = json.load(f, object_pairs_hook=strict, parse_constant=no_number)
    if not isinstance(d, dict) or not isinstance(d.get("traceEvents"), list) or not d["traceEvents"]: return [("no events", "")]
    found = [("displayTimeUnit", d["displayTimeUnit"])] if d.get("displayTimeUnit", "ms") not in ("ms", "ns") else []
    found += [("otherData", d["otherData"])] if not isinstance(d.get("otherData", {}), dict) else []
    named, lanes = {}, collections.defaultdict(list)
    for e in d["traceEvents"]:
        wrong = event(e)
        if not wrong and e["ph"] == "M": wrong = metadata(e, named)
        elif not wrong: lanes[e["pid"], e["tid"]].append(e)
        found += [(what, e) for what in wrong]
    for pid, tid in lanes:
        if ("process_name", pid, 0) not in named: found.append(("a process without a name", pid))
        if ("thread_name", pid, tid) not in named: found.append(("a thread without a name", (pid, tid)))
        found += order(lanes[pid, tid])
    for name, owner in ("process_name", lambda pid: 0), ("thread_name", lambda pid: pid):
        alike = collections.Counter((owner(pid), is_) for (kind, pid, _), is_ in named.items() if kind == name)
        found += [("two with one " + name, at) for at, n in alike.items() if n > 1]
    if not lanes: found.append(("no event but metadata", ""))
    return found


for path in sys.argv[1:]:
    try: found = check(path)
    except (ValueError, OSError) as e: found = [("is not read", e)]
    for what, e in found[:5]: print("%s: %s: %s" % (path, what, e))
