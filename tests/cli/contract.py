"""contract.py DOCUMENT.. - whether documents have the members that programs rely on.

A DOCUMENT is KIND=FILE. Shapes are written as JSON-like Python: a dict has at least these members, a list of one shape holds such elements (at least one),
a list of none may hold anything; a tuple lists alternatives, and only where None is one of them may a member be null.
Prints one line per fault.
"""
import json
import sys

N, R, T, B = int, float, str, bool  # whole number, number, text, truth
GRAPH = {"name": T, "vertices": N, "edges": N, "sample": T, "feature_dim": N, "feature_bytes": N, "train_vertices": N, "fingerprint": T}
TRANSACTIONS = {"topology_transactions": N, "feature_transactions": N, "total_transactions": N}
RATES = dict(TRANSACTIONS, feature_hit_rate=R, topology_hit_rate=R)
SOURCES = {"local": N, "peer": N, "host": N}
SIMULATED = dict(RATES, epochs=N, seed=N, prediction_error=(R, None), traffic_bytes=[[N]], max_per_switch=(N, None), max_per_socket=(N, None),
                 gpus=[{"id": N, "feature_rows": SOURCES, "topology_visits": SOURCES, "transactions": {"topology": N, "feature": N, "total": N}}])
LISTED = {"file": T, "count": N}
HELD = dict(LISTED, bytes=N)
CLIQUE = {"gpus": [N], "budget_bytes": N, "alpha": R, "topology_bytes": N, "feature_bytes": N, "predicted": TRANSACTIONS}
PLAN = {
    "schema": "plan/1", "policy": T, "hotset_version": T, "server": {"name": T, "fingerprint": T, "cls": N}, "graph": GRAPH,
    "workload": {"fanout": [N], "batch": N, "frontier": T, "sampler": T, "seed": N},
    "cliques": [dict(CLIQUE, sweep=[])],
    "gpus": [{"id": N, "clique": N, "budget_bytes": N, "peers": [], "train": LISTED, "topology": HELD, "feature": HELD}],
    "predicted": RATES, "simulated": SIMULATED, "bound": None, "files": [{"name": T, "bytes": N, "sha256": T}]}
ROW = {"policy": T, "server": T, "graph": T, "budget_bytes": N, "budget_share": R, "predicted": RATES, "simulated": SIMULATED, "status": "ok", "reason": None}
UNKNOWN = dict.fromkeys(RATES)  # of dynamic caches nothing is predicted
STAGE = {"seconds": R, "median_seconds": R, "p95_seconds": R}
GATHER = dict(STAGE, bytes=N, gbps=(R, None))
TOTALS = dict.fromkeys(TRANSACTIONS, (N, None))
EXECUTED = {
    "schema": "executed/1", "policy": T, "machine": {"device": T, "kind": T, "pcie": B, "sampling": T, "peers": T}, "graph": GRAPH, "epochs": N, "seed": N,
    "features": {"source": ("file", "made"), "rows": N, "held_rows": N, "row_bytes": N}, "scaled": B, "equals_simulated": (B, None), "wrong_rows": N, "notes": [],
    "totals": {"predicted": TOTALS, "simulated": TOTALS, "counted": TRANSACTIONS, "measured": TOTALS,
               "errors": {"counted_over_simulated": (R, None), "counted_over_predicted": (R, None), "measured_over_predicted": (R, None), "measured_over_counted": (R, None)}},
    "gpus": [{"id": N, "batches": N, "all_batches": N, "fill": {"topology_bytes": N, "feature_bytes": N, "seconds": R, "gbps": (R, None)},
              "counted": {"feature_rows": SOURCES, "topology_visits": SOURCES, "transactions": {"topology": N, "feature": N, "total": N}}, "equals_simulated": (B, None),
              "stages": {"sample": STAGE, "lookup": STAGE, "gather_own": GATHER, "gather_peer": GATHER, "gather_host": GATHER},
              "measured": {"feature_transactions": (N, None), "feature_how": T, "total_transactions": (N, None), "total_how": T, "received_bytes": (N, None),
                           "bytes_per_line": (R, None)}}]}
POINT = {"alpha": R, "predicted": TOTALS, "simulated": TOTALS, "counted": TRANSACTIONS, "measured": TOTALS, "seconds": {"gather_host": R, "total": R}}
SHAPES = {
    "executed": EXECUTED,
    "executed-swept": dict(EXECUTED, sweep={"points": [POINT], "step": R, "best": {"predicted": R, "counted": R, "measured": (R, None), "judged_by": T, "within_one_step": B}}),
    "plan": PLAN,
    "plan-swept": dict(PLAN, cliques=[dict(CLIQUE, sweep=[dict(TRANSACTIONS, alpha=R)])]),
    "plan-unsimulated": dict(PLAN, simulated=None),
    "plan-bound": dict(PLAN, bound={"total_transactions": N, "gap": R}),
    "plan-dynamic": dict(PLAN, cliques=[dict(CLIQUE, predicted=dict.fromkeys(TRANSACTIONS), sweep=[])], predicted=UNKNOWN, dynamic={"cache": T, "rows": N}),
    "results": {"schema": "results/1", "rows": [ROW]},
    "results-dynamic": {"schema": "results/1", "rows": [dict(ROW, predicted=(RATES, UNKNOWN, None))]},
    "results-refused": {"schema": "results/1", "rows": [dict(ROW, predicted=None, simulated=None, status=("oom", "unsupported"), reason=T)]},
    "trace": {"schema": "trace/1", "gpus": [N], "cliques": [[N]], "epochs": N, "batches": [N], "fanout": [N], "batch": N, "frontier": T, "seed": N,
              "n_tsum": [N], "n_tsum_source": ("pcm", "model"), "sampler": T, "cls": N, "graph": GRAPH, "server": {"name": T}},
    "server": {"schema": "server/1", "name": T, "gpus": [{"id": N, "memory_bytes": N, "switch": N, "socket": N}], "nvlinks": [{"a": N, "b": N, "links": N}],
               "cliques": [[N]], "cls": N},
    "server-unlinked": {"schema": "server/1", "name": T, "gpus": [{"id": N, "memory_bytes": (N, None), "switch": (N, None), "socket": (N, None)}],
                        "nvlinks": None, "cliques": None, "cls": N},
    "graph": dict(GRAPH, schema="graph/1"),
    "graph-info": GRAPH,
    "pcie": {"tool": "pcm-pcie", "sockets": N, "iterations": N, "transactions": N, "per_socket": [N]},
    "iio": {"tool": "pcm-iio", "sockets": N, "iterations": N, "ib_read_sum": N, "bytes_read": N},
}


def name_of(shape):
    return shape.__name__ if isinstance(shape, type) else repr(shape)


def faults(value, shape, where):
    """Sentences about where the value has not the shape."""
    if isinstance(shape, tuple):
        found = [list(faults(value, one, where)) for one in shape]
        if all(found):
            yield from found[0]
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            yield f"{where} is {value!r:.40}, not an object"
            return
        for key, inner in shape.items():
            if key not in value:
                yield f"{where}.{key} is missing"
            else:
                yield from faults(value[key], inner, f"{where}.{key}")
    elif isinstance(shape, list):
        if not isinstance(value, list) or (shape and not value):
            yield f"{where} is {value!r:.40}, not a list" + (" of something" if shape else "")
            return
        for i, one in enumerate(value if shape else []):
            yield from faults(one, shape[0], f"{where}[{i}]")
    elif isinstance(shape, type):
        wanted = (int, float) if shape is float else shape
        if not isinstance(value, wanted) or (isinstance(value, bool) and shape is not bool):
            yield f"{where} is {value!r:.40}, not a {shape.__name__}"
    elif value != shape:
        yield f"{where} is {value!r:.40}, not {name_of(shape)}"


def main():
    for word in sys.argv[1:]:
        kind, _, path = word.partition("=")
        with open(path) as file:
            document = json.load(file)  # exactly one document: anything behind it is an error
        for fault in faults(document, SHAPES[kind], kind):
            print(fault)


main()
