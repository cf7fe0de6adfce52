#!/usr/bin/env bash
# Three stories, each from the graph to what a runtime gets: small ones on tests/data, and on real data where ../shared/data has it.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "stories" "python3 is not installed"; finish; }
field() { python3 -c 'import json, sys; print(eval(sys.argv[2], {"d": json.load(open(sys.argv[1]))}))' "$1" "$2"; }
same() { [ "$(field "$1" "$2")" = "$(field "$3" "$4")" ] || { echo "$(field "$1" "$2") is not $(field "$3" "$4")"; return 1; }; }
q() { "$HOTSET" "$@" --quiet; }
keep() { local to=$1; shift; q "$@" --json >"$to"; }
total='["total_transactions"]'

# (a) a graph of several types that host memory does not hold: compare, plan, size, export, observe, refresh
larger_than_host() { # NAME EDGES TARGET SHARE WORKLOAD..
    local t=$1 draws="${*:5}" server="--server dgx-v100 --budget 2%" below="--host-memory $4 --ssd 2xgen4"
    python3 "$root/tests/cli/stories_types.py" "$2" "$3" "$t-types" || { ok "$t: types" false; return; }
    ok "$t: types are imported" q graph import "$t-types" -o "$t"
    ok "$t: policies are compared" keep "$t-R.json" compare --graph "$t" $server $below $draws --policy hotset,legion
    ok "$t: a plan of all memories" keep "$t-P.json" plan --graph "$t" $server $below $draws -o "$t-P"
    ok "$t: which is the comparison's" same "$t-R.json" 'd["rows"][0]["simulated"]'"$total" "$t-P.json" 'd["simulated"]'"$total"
    ok "$t: SSDs are read" [ "$(field "$t-P.json" 'd["simulated"]["memories"]["ssd"]["blocks"] > 0')" = True ]
    ok "$t: a server is chosen" keep "$t-Z.json" size --graph "$t" --server dgx-v100,siton $below $draws --steps 4 --target 'hit-rate>=0.2'
    ok "$t: that holds it with its SSDs" [ "$(field "$t-Z.json" 'any(o["fits"] and "--ssd" in o["command"] for o in d["options"])')" = True ]
    ok "$t: it is exported, lists of every memory" q export "$t-P" --to npy -o "$t-E"
    ok "$t: what has no SSDs is refused" exits 1 "$HOTSET" export "$t-P" --to pyg -o "$t-no" --quiet
    ok "$t: one epoch of a job" keep "$t-one.json" simulate "$t-P" --seed 501 --epochs 1
    python3 "$root/tests/cli/observe_types.py" "$t-one.json" "$t-P" 501 "$t-job.jsonl"
    ok "$t: reads what the plan says" q observe "$t-P" "$t-job.jsonl"
    python3 "$root/tests/cli/observe_types.py" "$t-one.json" "$t-P" 501 "$t-no.jsonl" nopeer
    ok "$t: a job that reads no peers does not" exits 1 "$HOTSET" observe "$t-P" "$t-no.jsonl" --quiet
    ok "$t: reads change" q trace record --graph "$t" --server dgx-v100 --plan "$t-P" --seed 7 --epochs 2 -o "$t-T"
    ok "$t: and the plan follows" q refresh "$t-P" --trace "$t-T" -o "$t-P2"
    ok "$t: to a good one" q verify "$t-P2"
}

# (b) two nodes with SSDs: a plan for each, whose reads add up, and which is handed on
two_nodes() { # NAME GRAPH WORKLOAD..
    local t=$1 g=$2 draws="${*:3}"
    local on="--server dgx-v100:4 --budget 2% --host-memory 30% --ssd 2xgen4 --nodes 2 --nic-gbps 12.5"
    ok "$t: a plan for two nodes" keep "$t-P.json" plan --graph "$g" $on $draws -o "$t-N"
    ok "$t: each is good" eval 'q verify "$t-N/node0" && q verify "$t-N/node1"'
    ok "$t: they are simulated" keep "$t-S.json" simulate "$t-N"
    ok "$t: as planned" same "$t-P.json" 'sum(p["simulated"]'"$total"' for p in d["parts"])' "$t-S.json" 'sum(r["simulated"]'"$total"' for r in d["rows"])'
    ok "$t: SSDs and the other node are read" [ "$(field "$t-S.json" 'all({"ssd", "node"} <= {p["kind"] for p in r["simulated"]["memories"]["places"] if p["feature_rows"]} for r in d["rows"])')" = True ]
    ok "$t: policies are compared there" keep "$t-R.json" compare --graph "$g" $on $draws --policy hotset,dgl-uva
    ok "$t: lists of every memory are exported" q export "$t-N/node1" --to npy -o "$t-E"
}

# (c) LABOR, rounded rows, a planned order, rows forwarded: a runtime gets all that it can do, and says the rest
all_levers() { # NAME GRAPH WORKLOAD..
    local t=$1 g=$2 draws="${*:3}"
    local how="--server dgx-v100 --budget 3% --sampler labor --cache-type f16 --order auto --peer-access forward --frontier all"
    ok "$t: a plan with all of it" keep "$t-P.json" plan --graph "$g" $how $draws -o "$t-L"
    ok "$t: is simulated alike" eval 'keep "$t-S.json" simulate "$t-L" && same "$t-P.json" "d[\"simulated\"]$total" "$t-S.json" "d[\"rows\"][0][\"simulated\"]$total"'
    ok "$t: tables carry it" keep "$t-npy.json" export "$t-L" --to npy -o "$t-npy"
    ok "$t: wholly" [ "$(field "$t-npy.json" '(d["simulated"]["without"], d["simulated"]["as_run"]["difference"])')" = "([], 0.0)" ]
    ok "$t: GraphBolt" keep "$t-dgl.json" export "$t-L" --to dgl -o "$t-dgl"
    ok "$t: keeps all but topology on GPUs" [ "$(field "$t-dgl.json" '[w["what"] for w in d["simulated"]["without"]]')" = "['topology rows in GPU memory']" ]
    ok "$t: a runtime that draws uniformly says so" eval 'keep "$t-pyg.json" export "$t-L" --to pyg -o "$t-pyg" && [ "$(field "$t-pyg.json" "\"the sampler\" in [w[\"what\"] for w in d[\"simulated\"][\"without\"]]")" = True ]'
    ok "$t: one that reads its clique alone says what forwarding was worth" eval 'q plan --graph "$g" --server dgx-v100 --budget 3% --peer-access forward $draws -o "$t-F" && keep "$t-q.json" export "$t-F" --to quiver -o "$t-q" && [ "$(field "$t-q.json" "d[\"simulated\"][\"as_run\"][\"difference\"] > 0 and any(\"NVLinks\" in w[\"what\"] + w[\"why\"] for w in d[\"simulated\"][\"without\"])")" = True ]'
}

few="--batch 40 --fanout 5,3 --presample-epochs 2"
larger_than_host types "$root/tests/data/squirrel.npz" "" 50% $few
rest
q graph import "$root/tests/data/squirrel.npz" --undirected --train-share 0.2 --feature-dim 64 -o small >/dev/null
two_nodes small small $few
all_levers small small $few

real=$root/../shared/data/graphs
few="--batch 200 --fanout 5,3 --presample-epochs 2"
if [ -f "$real/musae-facebook/edges.csv.gz" ]; then
    larger_than_host facebook "$real/musae-facebook/edges.csv.gz" "$real/musae-facebook/target.csv.gz" 35% $few
else skip "types larger than host memory, on real data" "there is no ../shared/data/graphs/musae-facebook"; fi
if [ -f "$real/tolokers/tolokers.npz" ]; then
    q graph import "$real/tolokers/tolokers.npz" --undirected --train-share 0.2 --feature-dim 64 -o tolokers >/dev/null
    two_nodes tolokers tolokers $few
    all_levers tolokers tolokers $few
else skip "two nodes and all levers, on real data" "there is no ../shared/data/graphs/tolokers"; fi
finish
