#!/usr/bin/env bash
# Timelines: what each mini-batch reads is what was exported and counted, lanes hold no two events at once, slots last as the model says, and sums are those of
# the documents.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "timelines" "python3 is not installed"; finish; }

"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 --train-share 0.2 -o G --quiet >/dev/null
plans="--batch 20 --fanout 10,5 --presample-epochs 2 --simulate-epochs 1 --budget 3% --quiet"
"$HOTSET" plan --graph G --server dgx-v100 $plans -o P >/dev/null
"$HOTSET" simulate P --epochs 1 --export-batches B --quiet >/dev/null

# NAME PLAN [B] SIMULATE-OPTIONS..: the timeline of an epoch, held against everything else
holds() {
    local name=$1 plan=$2 batches=
    shift 2
    if [ "${1:-}" = B ]; then batches="$plan B"; shift; fi
    rm -f T.json
    "$HOTSET" simulate "$plan" --epochs 1 --timeline T.json --timeline-batches 1000 "$@" --json --quiet >S.json || echo "not written"
    python3 "$root/tests/cli/trace_events.py" T.json 2>&1 | none "$name: events as the format has them, each thread's in the order of time"
    python3 "$root/tests/cli/timeline.py" T.json S.json $batches 2>&1 | none "$name"
}
holds "GPUs read" P B
holds "one stage after the other" P B --schedule sequential
holds "R-GAT computes, nothing hides" P --model rgat --precision mixed --unoverlapped 1
for policy in dgl-uva pagraph gnnlab hyscale; do
    "$HOTSET" plan --graph G --server dgx-v100 $plans --policy $policy -o P_$policy >/dev/null
    holds "$policy" P_$policy
    holds "$policy, one stage of prefetching" P_$policy --prefetch one-stage
    holds "$policy, sequential" P_$policy --schedule sequential
    rest
done
"$HOTSET" plan --graph G --server siton $plans --host-memory 40% --ssd 2xgen4 -o P_ssd >/dev/null
holds "SSDs" P_ssd
ok "SSDs have a lane" grep -q '"SSDs"' T.json
# What drives need is shared among mini-batches, so that their times are those of the epoch.
ok "the drives' seconds" python3 - T.json S.json <<'P'
import json, sys
trace, row = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["rows"][0]["simulated"]
got = sum(e["dur"] for e in trace["traceEvents"] if e["name"] == "read") / 1e6
assert abs(got - row["memories"]["ssd"]["seconds"]) < 1e-3 * got, (got, row["memories"]["ssd"])
P
"$HOTSET" graph synth like ogbn-mag --scale 0.005 -o H --quiet >/dev/null
"$HOTSET" plan --graph H --server dgx-v100:4 --budget 3% --batch 200 --fanout 5,5 --presample-epochs 1 --simulate-epochs 1 --quiet -o P_types >/dev/null
holds "several types" P_types
"$HOTSET" simulate P --epochs 1 --timeline T1.json --threads 1 --quiet >/dev/null
"$HOTSET" simulate P --epochs 1 --timeline T2.json --threads 3 --quiet >/dev/null
ok "the same on one thread and on three" cmp T1.json T2.json
"$HOTSET" simulate P --epochs 1 --timeline T3.json --timeline-batches 3 --quiet >few
ok "people are told how many" grep -Eq '^timeline: T3.json, 3 of [0-9]+ mini-batches per GPU in [0-9.]+ ms \([0-9.]+ ms as mean ones' few
ok "only the first ones" python3 -c 'import json; assert {e["args"]["batch"] for e in json.load(open("T3.json"))["traceEvents"] if e["name"] == "compute"} == {0, 1, 2}'

# ---- what was executed, and what a job observed
"$HOTSET" execute P --run-epochs 1 --timeline E.json --timeline-batches 1000 --json --quiet >executed.json
ok "executed: stages add up to what was measured, mini-batches begin together, counts are the model's" python3 - <<'P'
import json
trace, done = json.load(open("E.json")), json.load(open("executed.json"))
names = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
assert trace["otherData"]["model"] and trace["otherData"]["batches"] == max(g["batches"] for g in done["gpus"])
for g in done["gpus"]:
    own = [e for e in events if names[e["pid"]] == "GPU %d" % g["id"]]
    for stage, x in g["stages"].items():
        got = sum(e["dur"] for e in own if e["name"] == stage) / 1e6
        assert abs(got - x["seconds"]) < 1e-3 * got + 1e-8 * g["batches"], (g["id"], stage, got, x)
    for stage, key in ("gather_own", "own"), ("gather_peer", "peer"), ("gather_host", "host"):
        rows = {e["args"]["batch"]: e["args"]["feature_rows"] for e in own if e["name"] == stage}
        model = {e["args"]["batch"]: e["args"]["feature_rows"] for e in events if names[e["pid"]] == "GPU %d, by the model" % g["id"] and e["name"] == stage}
        for b, n in model.items(): assert rows.get(b, 0) == n, (g["id"], stage, b, n, rows)
lanes = {}
for e in events: lanes.setdefault((e["pid"], e["tid"]), []).append((round(1000 * e["ts"]), round(1000 * (e["ts"] + e["dur"]))))
for spans in lanes.values():
    spans.sort()
    assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), "two events at once"
first = {}
for e in events:
    if e["name"] == "sample": first.setdefault(e["args"]["batch"], set()).add(e["ts"])
assert first and all(len(at) == 1 for at in first.values()), first
P
cat >job.jsonl <<'J'
{"schema": "observed/1", "gpu": 0, "epoch": 0, "batches": 10, "rows": {"own": 9, "peer": 5, "host": 2}, "bytes": {"own": 4608, "peer": 2560, "host": 1024}, "seconds": {"sample": 0.2, "train": 0.5}}
{"schema": "observed/1", "gpu": 0, "epoch": 1, "batches": 10, "rows": {"own": 9, "peer": 5, "host": 2}, "bytes": {"own": 4608, "peer": 2560, "host": 1024}, "seconds": {"sample": 0.4, "train": 0.7}}
J
"$HOTSET" observe P job.jsonl --noise-epochs 2 --timeline O.json --json --quiet >observed.json 2>note
ok "a job's mean mini-batch: 30 ms and 60 ms, and the model beside" python3 - <<'P'
import json
trace = json.load(open("O.json"))
names = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
got = {(names[e["pid"]], lanes[e["pid"], e["tid"]]): (e["ts"], e["dur"]) for e in trace["traceEvents"] if e["ph"] == "X"}
assert got["GPU 0", "sample"] == (0, 30000) and got["GPU 0", "train"] == (30000, 60000), got
time = json.load(open("P/plan.json"))["simulated"]["epoch_time"]
assert abs(got["GPU 0, by the model", "propagate"][1] / 1e6 - time["gpus"][0]["propagate"]) < 1e-8, got
assert abs(trace["otherData"]["seconds"] - 0.09) < 1e-9
P
python3 "$root/tests/cli/trace_events.py" T1.json T3.json E.json O.json 2>&1 | none "executed and observed: events as the format has them"
# what the check must find: a change of T1.json each, in Python
while IFS='|' read -r finding change; do
    ok "found in a damaged timeline: $finding" eval 'python3 - "$change" <<"P" && python3 "$root/tests/cli/trace_events.py" bad.json | grep -q -- "$finding"
import json, sys
d = json.load(open("T1.json"))
e = d["traceEvents"]
x = [i for i in e if i["ph"] == "X"]
exec(sys.argv[1])
json.dump(d, open("bad.json", "w"))
P'
done <<'CHANGES'
goes back in time|e.reverse()
overlaps the event before|n = [i for i in x if (i["pid"], i["tid"]) == (x[0]["pid"], x[0]["tid"])][1]; x[0]["dur"] = n["ts"] + n["dur"] / 2 - x[0]["ts"]
two with one thread_name|m = [i for i in e if i["name"] == "thread_name"]; m[1]["args"] = m[0]["args"]
metadata twice|e.append(next(i for i in e if i["ph"] == "M"))
a thread without a name|x[0]["tid"] = 77
a process without a name|x[0]["pid"] = 77
args of metadata|e[0]["args"] = {}
unknown metadata|e[0]["name"] = "name_process"
dur|del x[0]["dur"]
ts|x[0]["ts"] = -1
name|x[0]["name"] = ""
ph|x[0]["ph"] = "Z"
args|x[0]["args"] = {"batch": None}
NaN is no JSON|x[0]["ts"] = float("nan")
ends what did not begin|x[0].pop("dur"); x[0]["ph"] = "E"
never ends|x[-1].pop("dur"); x[-1]["ph"] = "B"
no events|d["traceEvents"] = []
displayTimeUnit|d["displayTimeUnit"] = "s"
CHANGES
sed 's/, "seconds".*/}/' job.jsonl >silent.jsonl
refuses() { # EXIT WORDS COMMAND..
    local code=$1 words=$2
    shift 2
    "$HOTSET" "$@" >/dev/null 2>note
    [ $? = "$code" ] && grep -q -- "$words" note && ! ls T4.json >/dev/null 2>&1
}
ok "a job without seconds" refuses 1 "stated no seconds" observe P silent.jsonl --noise-epochs 2 --timeline T4.json --quiet
"$HOTSET" plan --graph G --server dgx-v100 $plans --policy bgl -o P_bgl >/dev/null
ok "a dynamic cache" refuses 1 "depends on all mini-batches before" simulate P_bgl --timeline T4.json --quiet
ok "beside requests" refuses 2 "--timeline: --export-requests ignores it" simulate P --timeline T4.json --export-requests r.bin --gpu 0 --quiet
"$HOTSET" plan --graph G --server siton --nodes 2 --nic-gbps 25 $plans -o P_nodes >/dev/null
ok "of two nodes" refuses 2 "P_nodes/node0" simulate P_nodes --timeline T4.json --quiet
ok "of one of them" eval '"$HOTSET" simulate P_nodes/node0 --timeline T5.json --quiet >/dev/null && [ -s T5.json ]'
for c in "simulate P" "execute P" "observe P job.jsonl"; do ok "${c%% *}: two documents in one file" refuses 2 "is what --output writes" $c --timeline T4.json -o T4.json --quiet; done
"$HOTSET" simulate P --epochs 1 --timeline T6.json --schedule sequential --quiet >few
ok "without a pipeline none is filled" eval 'grep -Eq "in [0-9.]+ ms \([0-9.]+ ms as mean ones\);" few'
ok "of two epochs the first" eval '"$HOTSET" execute P --run-epochs 2 --timeline T7.json --timeline-batches 1000 --quiet >few && "$HOTSET" execute P --run-epochs 1 --timeline T8.json --timeline-batches 1000 --quiet >one && [ "$(grep -o "T[0-9].json, .* per GPU" few | cut -d, -f2)" = "$(grep -o "T[0-9].json, .* per GPU" one | cut -d, -f2)" ]'
sed 's/"train": 0\.[57]/"train": 1e12/' job.jsonl >ages.jsonl
ok "a job of ages" eval '! "$HOTSET" observe P ages.jsonl --noise-epochs 2 --timeline T4.json --quiet >/dev/null 2>note && grep -q "285 years" note && ! [ -e T4.json ]'
ok "the number alone" refuses 2 "only --timeline uses it" simulate P --timeline-batches 3 --quiet
"$HOTSET" server import "$root/tests/data/power8gpudistances.xml" -o bare.json --quiet >/dev/null
"$HOTSET" plan --graph G --server bare.json $plans -o P_bare >/dev/null
ok "a server without rates" refuses 1 "timeline needs the rates of server .*host_memory_gbps" simulate P_bare --timeline T4.json --quiet
finish
