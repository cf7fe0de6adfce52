"""schemas.py HOTSET PLAN..: hotset's JSON Schemas, checked by the jsonschema package: what hotset writes and ships is valid, and what a schema refuses
hotset refuses as well. Prints what is wrong."""
import copy, glob, json, os, shutil, subprocess, sys
from jsonschema import Draft202012Validator

hotset, plans = sys.argv[1], sys.argv[2:]
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
load = lambda path: json.load(open(path))
schema = {}
for one in json.loads(subprocess.run([hotset, "list", "schemas", "--json"], capture_output=True).stdout)["schemas"]:
    name = one["name"]
    schema[name] = json.loads(subprocess.run([hotset, "list", "schemas", name, "--json"], capture_output=True).stdout)
    Draft202012Validator.check_schema(schema[name])
    assert one["file"] == name.replace("/", "-") + ".json", one
validators = {name: Draft202012Validator(s) for name, s in schema.items()}
assert set(validators) == {"server/1", "cluster/1", "drive/1", "prices/1", "validation-case/1", "calibration/1", "graph/1", "graph/2", "trace/1", "trace/2", "plan/1", "plan/2", "size/1", "results/1",
                           "batches/1", "observed/1", "advice/1", "drift/1", "observation/1"}, set(validators)

shipped = sum((sorted(glob.glob(root + at)) for at in ("/hwprofiles/servers/*.json", "/hwprofiles/drives/*.json", "/tests/validation/*.json",
                                                        "/planner/decisions/data/prices.json")), [])
assert len(shipped) > 60, shipped
traces = ["TG", "TGT"]
graphs = [load(p + "/plan.json")["graph"]["path"] for p in plans]
for path in shipped + [p + "/plan.json" for p in plans] + [g + "/graph.json" for g in graphs] + [t + "/trace.json" for t in traces]:
    d = load(path)
    for e in validators[d["schema"]].iter_errors(d):
        print(f"{path}: {e.json_path}: {e.message}")
    if d["schema"].startswith("plan/"):
        for e in validators["server/1"].iter_errors(d["server"]["document"]):
            print(f"{path}: the server in it: {e.json_path}: {e.message}")

def lacking(schema, d, path):
    """Prints keys that hotset writes and the schema does not know."""
    if isinstance(d, list):
        for one in d:
            lacking(schema.get("items", {}), one, path + "[]")
    for key in d if isinstance(d, dict) and "properties" in schema else ():
        if key in schema["properties"]:
            lacking(schema["properties"][key], d[key], path + "." + key)
        else:
            print(f"{path}.{key}: is written, and no row of the table names it")

answers = sorted(glob.glob("D/*.json"))
assert len(answers) > 19, answers
for path in answers:
    d = load(path)
    lacking(schema[d["schema"]], d, path)
    for e in validators[d["schema"]].iter_errors(d):
        print(f"{path}: {e.json_path}: {e.message}")

def both(kind, d, change, command, file="wrong.json", code=3, beyond=False):
    """The schema and hotset refuse d with the change, a list of keys and the value. beyond: what a schema cannot say."""
    d = copy.deepcopy(d)
    d.pop("checksum", None)  # of the text as it was
    at = d
    for key in change[:-2]:
        at = at[key]
    at[change[-2]] = change[-1]
    with open(file, "w") as f:
        json.dump(d, f)
    if validators[kind].is_valid(d) != beyond:
        print(f"the schema {kind} takes {change}")
    run = subprocess.run([hotset] + command, capture_output=True, text=True)
    if run.returncode != code or str(change[-2]) not in run.stderr:
        print(f"{' '.join(command)}: exit {run.returncode} with {change}: {run.stderr}")

server = load(root + "/hwprofiles/servers/dgx-v100.json")
for change in (["cls", "64"], ["gpus", 0, "id", None], ["gpus", 0, "tflops", -1], ["gpus", 0, "memory", 7], ["pcie", "gbps", 0], ["sockets", 1.5],
               ["nvlinks", 0, "links", 100], ["name", "x" * 64], ["schema", "server/2"], ["cliques", [[0, "1"]]], ["hostmemory", 1]):
    both("server/1", server, change, ["server", "show", "wrong.json"])
drive = load(root + "/hwprofiles/drives/gen4.json")
for change in (["read_gbps", -7], ["block_bytes", "4096"], ["reads", 1]):
    both("drive/1", drive, change, ["plan", "--like", plans[0], "--host-memory", "30%", "--ssd", "wrong.json", "-o", "wrong"])
prices = load(root + "/planner/decisions/data/prices.json")
for change in (["prices", 0, "on_demand", -1], ["prices", 1, "server", None], ["prices", 0, "date", 2024], ["currency", 1], ["prices", {}],
               ["prices", 2, "on_demmand", 3]):
    both("prices/1", prices, change, ["size", "--graph", "G", "--server", "p3.16xlarge", "--prices", "wrong.json", "--fanout", "2", "--batch", "10"])
case = load(root + "/tests/validation/gather-host.json")
for change in (["points", 0, "measured", 0], ["points", 0, "name", None], ["points", 0, "used", "fit"], ["points", 0, "use", "fitted"], ["points", []],
               ["known", [7]], ["minimise", "sums"], ["tolerance", 11], ["title", False]):
    both("validation-case/1", case, change, ["validate", "--case", "wrong.json"])
calibration = {"schema": "calibration/1", "points": [{"measured_seconds": 2, "model_seconds": 1}, {"measured_seconds": 3, "results": "R.json", "policy": "legion"}]}
validators["calibration/1"].validate(calibration)
for change in (["points", []], ["points", 0, 7], ["points", 0, "measured_seconds", 0], ["points", 0, "measured_seconds", None], ["points", 0, "model_second", 1],
               ["points", 1, "policy", 7], ["schema", "calibration/2"]):
    both("calibration/1", calibration, change, ["simulate", plans[0], "--calibration", "wrong.json", "--quiet"])
cluster = {"schema": "cluster/1", "servers": [{"server": "p4d.24xlarge", "count": 2}], "network": {"oversubscription": 2}}
validators["cluster/1"].validate(cluster)
for change in (["servers", 0, "count", 0], ["network", "oversubscription", 0.5], ["network", "rail", True], ["network", "rails", 1]):
    both("cluster/1", cluster, change, ["plan", "--graph", "G", "--cluster", "wrong.json", "-o", "wrong"])
report = ["report", "wrong.json", "-o", "page"]
for change in (["schema", "size/2"], ["sentence", 7], ["primary", None], ["graph", "name", 7], ["curves", {}], ["curves", []], ["curves", 0, "label", None],
               ["curves", 0, "limit_bytes", -1], ["curves", 0, "watts", "gpus_busy", "1"], ["candidates", 1, "curve", -1], ["candidates", 1, "curve", None],
               ["candidates", 0, "feature_hit_rate", 1.5], ["candidates", 1, "transactions", "7"], ["candidates", 2, "stages", "load", -1],
               ["candidates", 0, "meets", 1], ["candidates", 0, "fanout", [2.5]], ["options", 0, "verdict", "maybe"], ["options", 0, "cost_interval", [1]],
               ["options", 0, "fits", "yes"], ["decision", "reasons", "x"], ["decision", "objective", "luck"], ["shown", -2], ["answer", []],
               ["answer", "candidate", 1.5], ["vary", "values", [["x"]]], ["intervals", "sample", 7], ["frontier", "time_cost", [-1]],
               ["targets", 0, "relation", "="], ["rules", "knee", 7]):
    both("size/1", load("D/map.json"), change, report)
both("size/1", load("D/like.json"), ["stand_in", "known_error", 7], report)
both("size/1", load("D/like.json"), ["uncertainty", "cost_per_epoch", 7], report)
for change in (["options", 0, "stage_seconds", "network", "fast"], ["options", 0, "epoch_seconds", "1"], ["decision", "option", "0"]):
    both("size/1", load("D/servers.json"), change, ["what-if", "wrong.json"])
for change in (["candidates", 0, "curve", 5], ["shown", 5], ["answer", "candidate", 99999], ["knee", "candidate", 99999]):  # numbers of others
    both("size/1", load("D/map.json"), change, report, beyond=True)
several = load("D/all.json")
several["rows"] = [r for r in several["rows"] if r["policy"] in ("legion", "hotset")]
for change in (["schema", "results/2"], ["rows", {}], ["rows", 0, 7], ["workload", "batch", []], ["rows", 0, "policy", 7], ["rows", 0, "status", "maybe"],
               ["rows", 1, "budget_bytes", "1"], ["rows", 0, "predicted", "feature_hit_rate", 1.5], ["rows", 0, "simulated", []],
               ["rows", 0, "simulated", "total_transactions", -1], ["rows", 0, "simulated", "gpus", 0, "feature_rows", "host", "x"],
               ["rows", 0, "simulated", "gpus", 1, 7], ["rows", 0, "simulated", "traffic_bytes", 0, 0, "x"], ["rows", 0, "simulated", "total_interval", [1]],
               ["rows", 0, "simulated", "epoch_time", "seconds", "1"], ["rows", 0, "simulated", "epoch_time", "stages", "load", -1],
               ["rows", 0, "movement", "nvlink_bytes", -1], ["rows", 0, "deal", "tried", 7], ["rows", 0, "cliques", 0, "gpus", ["x"]],
               ["rows", 0, "cliques", 0, "sweep", 0, "alpha", 2], ["rows", 0, "uncached_transactions", False], ["presample_epochs", 1.5]):
    both("results/1", several, change, report)
for name, change in (("bound", ["rows", 0, "bound", "gap", "1"]), ("drives", ["rows", 0, "memories", "ssd", "drives", 1.5]),
                     ("drives", ["rows", 0, "simulated", "memories", "places", 0, "seconds", "1"]), ("tables", ["rows", 0, "tables", 0, "reads", "peer", -1]),
                     ("tables", ["graph", "types", 0, "count", "1"]), ("nodes", ["rows", 0, "simulated", "gpus", 0, "node", -1]),
                     ("simulated", ["rows", 1, "dynamic", "misses", -1]), ("timeline", ["rows", 0, "timeline", "batches", "2"]),
                     ("timeline", ["rows", 0, "simulated", "movement", "pcie", "total", "total", "wire_bytes", -1])):
    both("results/1", load(f"D/{name}.json"), change, report)
for name, change in (("advice", ["today", 7]), ("advice", ["levers", 0, "name", None]), ("advice", ["advice", "value", "seconds", "1"]),
                     ("drift", ["schemes", []]), ("drift", ["schemes", 0, "windows", []]), ("drift", ["schemes", 1, "feature_hit_rate", 2]),
                     ("observation", ["gpus", 0, "rows_per_batch", "own", 7]), ("observation", ["noise", "comparisons", "1"])):
    both(name + "/1", load(f"D/{name}.json"), change, report)
for change in (["gpu", "0"], ["batches", -1], ["rows", "own", None], ["bytes", 7], ["table", 7]):
    both("observed/1", load("D/observed.json"), change, ["observe", plans[1], "wrong.json"])
for p in plans:
    shutil.copytree(p, "wrong")
    for change in (["gpus", 0, "budget_bytes", "1"], ["graph", "edges", -1], ["policy", 7]):
        both(load(p + "/plan.json")["schema"], load(p + "/plan.json"), change, ["verify", "wrong"], "wrong/plan.json", 1)
    shutil.rmtree("wrong")
for g in graphs:
    shutil.copytree(g, "wrong")
    d = load(g + "/graph.json")
    for change in [["vertices", "7"], ["sample", "up"], ["fingerprint", 1], ["edges", -1]] + (
            [["types", 0, "count", 0], ["types", 0, "name", "x" * 64], ["relations", 0, "edges", 1.5], ["relations", []]] if "types" in d else [["feature_dim", 0], ["edge_times", [1]]]):
        both(d["schema"], d, change, ["graph", "info", "wrong"], "wrong/graph.json")
    shutil.rmtree("wrong")
for t, g in zip(traces, graphs):
    shutil.copytree(t, "wrong")
    d = load(t + "/trace.json")
    for change in (["epochs", 0], ["cls", "64"], ["n_tsum", [-1]], ["n_tsum_source", "guess"], ["server", "name", 3], ["uneven", 1]):
        both(d["schema"], d, change, ["plan", "--graph", g, "--server", "dgx-v100", "--trace", "wrong", "--budget", "5%", "-o", "X"], "wrong/trace.json")
    shutil.rmtree("wrong")
