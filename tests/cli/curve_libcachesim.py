"""curve_libcachesim.py REQUESTS CURVE.json: libCacheSim on the same file, one run per rule and size. Exact lines have its misses; sampled
ones have them within their bars in 19 of 20 cases."""
import json
import sys

import libcachesim as other

curve = json.load(open(sys.argv[2]))
part, points = curve["parts"][0], curve["points"]
rules = {"lru": other.LRU, "fifo": other.FIFO, "sieve": other.Sieve, "lfu": other.LFU, "belady": other.Belady}
inside = cases = 0
for line in part["lines"]:
    if line["name"] not in rules:
        continue
    for i in range(1, points, 2):
        reader = other.TraceReader(sys.argv[1], trace_type=other.TraceType.ORACLE_GENERAL_TRACE, reader_init_params=other.ReaderInitParam(ignore_obj_size=True))
        cache = rules[line["name"]](cache_size=part["rows"] * i // points)
        missed = cache.process_trace(reader)[0]
        away = abs(1 - missed - line["hit_rate"][i])
        cases += 1
        if line["exact"]:
            assert away < 1e-6, (line["name"], i, missed, line["hit_rate"][i])
        inside += line["exact"] or away <= line["bar"][i] + 1e-6
print(f"{inside} of {cases} equal or within the bar")
assert cases >= 50 and inside >= 0.95 * cases
