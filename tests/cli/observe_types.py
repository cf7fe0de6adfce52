"""Writes the counters of a job that reads as `hotset simulate P --json` counts. usage: observe_types.py SIMULATED.json PLAN EPOCH OUT [nopeer]"""
import json
import sys

simulated, plan = json.load(open(sys.argv[1]))["rows"][0]["simulated"], json.load(open(sys.argv[2] + "/plan.json"))
size = {"f32": 4, "f16": 2}
row_bytes = {t["name"]: t["feature_dim"] * size[t["feature_type"]] for t in plan["graph"]["types"] if t["feature_dim"]}
for r in plan["graph"]["relations"]:
    if r["feature_dim"]:
        row_bytes["%s-%s->%s" % (r["source"], r["name"], r["target"])] = r["feature_dim"] * size[r["feature_type"]]
batches = {g["id"]: -(-sum(t["count"] for t in g["train"]) // plan["workload"]["batch"]) for g in plan["gpus"]}
with open(sys.argv[4], "a") as out:
    for g in simulated["gpus"]:
        for i, t in enumerate(t for t in g["tables"] if t["kind"] != "topology"):
            name = t["type"] if t["kind"] == "feature" else "%s-%s->%s" % (t["source"], t["relation"], t["target"])
            rows = dict(zip(("own", "peer", "host"), (t["reads"][k] for k in ("local", "peer", "host"))))
            if sys.argv[5:]:
                rows = {"own": rows["own"], "peer": 0, "host": rows["host"] + rows["peer"]}
            line = {"schema": "observed/1", "table": name, "gpu": g["id"], "epoch": int(sys.argv[3]), "batches": batches[g["id"]], "rows": rows,
                    "bytes": {k: n * row_bytes[name] for k, n in rows.items()}, "seconds": {} if i else {"sample": 0.5}}
            out.write(json.dumps(line) + "\n")
