#!/usr/bin/env bash
# Options that do nothing are refused or told; what a list names twice is taken once.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth uniform --vertices 400 --edges 4000 --seed 2 -o G --quiet >/dev/null
common="--graph G --server siton --threads 1"
small="--batch 50 --fanout 3,2 --epochs 1 --seed 4"
"$HOTSET" trace record $common $small -o T --quiet >/dev/null
says() { # WORDS COMMAND..: the command succeeds and says these words on stderr
    local words=$1
    shift
    "$@" >said.out 2>said && grep -q -- "$words" said || { cat said; return 1; }
}
counts() { # N WORDS: stderr of the last command has so many such lines
    [ "$(grep -c -- "$2" said)" = "$1" ] || { cat said; return 1; }
}

# ---- what a trace fixes: every option of the workload
plan() { "$HOTSET" plan $common --trace T --budget 1% --simulate-epochs 0 --force -o P "$@"; }
for option in "--fanout 2" "--batch 7" "--frontier all" "--sampler biased" "--sampler walk --walks 3" "--walk-length 2 --sampler walk" "--restart 0.1" \
    "--seeds edges --edge-share 0.3" "--order bfs" "--seed 9" "--presample-epochs 2" "--partition stream"; do
    name=${option%% *}
    ok "plan --trace: $option is told to be ignored" says "^hotset: $name is ignored: the trace" plan $option
done
plan --seeds edges --edge-share .3 --fanout 2,2 >/dev/null 2>said
ok "each option by name" counts 3 "is ignored: the trace T states its own"
plan --quiet >/dev/null && cp P/plan.json plain.json
plan --seeds edges --edge-share .3 --fanout 9 --quiet >/dev/null
ok "and the plan is that of the trace" cmp plain.json P/plan.json
ok "nothing is told when nothing is ignored" eval 'plan >/dev/null 2>said && counts 0 ignored'
ok "--fanout with random walks is told" says "^hotset: --fanout is ignored: --sampler walk" "$HOTSET" trace record $common $small --sampler walk -o W

# ---- trace record --plan follows the whole workload of the plan
workload() { awk '/"(frontier|sampler|walks|restart|seeds|edge_share|order|batch)"/ { printf "%s", $0 } /"fanout"/ { on = 1 } on { printf "%s", $0 } /\]/ { on = 0 }' "$1" | tr -d ' \n'; }
follows() { # SAME AS THE PLAN, option of trace record ..
    local want=$1
    shift
    "$HOTSET" trace record $common --plan P --epochs 1 --seed 77 --force -o R "$@" --quiet >/dev/null && workload R/trace.json >got && grep -q -- "$want" got || { cat got; return 1; }
}
"$HOTSET" plan $common --budget 1% --sampler walk --walks 4 --walk-length 2 --restart 0.25 --seeds edges --edge-share 0.5 --batch 60 --simulate-epochs 1 --force -o P --quiet >/dev/null
ok "trace record --plan: sampler, walks, restart and seeds are the plan's" follows '"fanout":\[1,1\],"batch":60,"frontier":"new","sampler":"walk","walks":4,"restart":0.25,"seeds":"edges","edge_share":0.5'
ok "--sampler replaces walks by fan-outs" follows '"fanout":\[25,10\],"batch":60,"frontier":"new","sampler":"uniform","seeds":"edges"' --sampler uniform
ok "--seeds replaces edges" follows '"sampler":"walk","walks":4,"restart":0.25,\?$' --seeds vertices
ok "--assignment beside --plan is told" says "^hotset: --assignment is ignored: the plan" "$HOTSET" trace record $common --plan P --assignment bfs --epochs 1 --seed 77 --force -o R

# ---- options that the policy cannot use: refused with the reason (planner/options/option_uses)
refuses() { # WORDS COMMAND..: exit code 2, and stderr has the words
    local words=$1
    shift
    exits 2 "$@" && grep -q -- "$words" "$work/.stderr" || { cat "$work/.stderr"; return 1; }
}
one() { "$HOTSET" plan $common --fanout 3,2 --batch 50 --presample-epochs 1 --simulate-epochs 0 --budget 5% --force -o O --quiet "$@"; }
for p in pagraph bgl gnnlab pagraph-plus hyscale; do
    ok "--assignment nested, $p" refuses "^hotset: --assignment: the system of policy $p assigns training vertices itself" one --policy $p --assignment nested
done
ok "--assignment clique, dsp" refuses "(gpu); leave --assignment out" one --policy dsp --assignment clique
ok "--assignment gpu is what dsp does" one --policy dsp --assignment gpu
ok "--assignment global is what gnnlab does" one --policy gnnlab --assignment global
for p in pagraph bgl gnnlab; do ok "--partition, $p" refuses "^hotset: --partition: the system of policy $p assigns" one --policy $p --partition stream; done
ok "--partition, a policy that deals at random" refuses "add --assignment clique, gpu or nested" one --policy quiver --partition stream
ok "with a deal it is used" one --policy quiver --partition stream --assignment gpu
ok "--partition, --assignment global" refuses "(global), which cuts no graph" one --partition stream --assignment global
ok "trace record, too" refuses "^hotset: --partition: --assignment global cuts no graph" "$HOTSET" trace record $common $small --assignment global --partition stream -o T2
awk 'BEGIN { for (v = 0; v < 400; v++) print v % 8 }' >parts8
awk 'BEGIN { for (v = 0; v < 400; v++) print v % 2 }' >parts2
ok "--partition lp, which was a method once" refuses "^hotset: --partition: lp is no method any more; write multilevel" one --policy quiver --assignment gpu --partition lp
ok "--partition beside --parts" refuses "^hotset: --partition: --parts gives the parts" one --partition stream --parts parts8 --server dgx-v100
ok "--parts, pagraph" refuses "^hotset: --parts: the system of policy pagraph" one --policy pagraph --parts parts8 --server dgx-v100
ok "--parts, --assignment global" refuses "^hotset: --parts: policy hotset assigns" one --assignment global --parts parts8 --server dgx-v100
ok "parts for GPUs with a policy that deals to cliques" eval 'one --policy legion --parts parts8 --server dgx-v100 && grep -q "\"partition\": \"given\"" O/plan.json && grep -q "\"chosen\": \"gpu\"" O/plan.json'
ok "parts for cliques with a system that takes one per GPU" eval 'exits 1 one --policy dsp --parts parts2 --server dgx-v100 && grep -q "takes a part of the graph per GPU" .stderr'
ok "--order, bgl" refuses "^hotset: --order: the system of policy bgl trains in breadth-first order" one --policy bgl --order blocks:2
ok "--order bfs is what bgl does" one --policy bgl --order bfs
ok "--order auto, a policy that plans none" refuses "^hotset: --order: policy legion plans no order" one --policy legion --order auto
for p in bgl gnnlab pagraph dgl-uva hyscale aligraph ducati pagraph-plus; do
    ok "--peer-access forward, $p" refuses "^hotset: --peer-access: GPUs of policy $p read no other GPU" one --policy $p --peer-access forward --server dgx-v100
done
ok "--peer-access own is what pagraph does" one --policy pagraph --peer-access own --server dgx-v100
ok "a deal per clique needs the reach" one --policy dgl-uva --peer-access p2p --assignment clique --server pcie-8
ok "--reserve beside --budget" refuses "^hotset: --reserve: says what the budget is where none is given" one --reserve 1GiB
ok "not for a policy with GPUs that only sample" one --policy gnnlab --reserve 1GiB
ok "--time-limit without a linear program" refuses "^hotset: --time-limit: policy hotset solves no linear program; add --bound" one --time-limit 5
ok "--sampling of a policy whose system says who samples" refuses "^hotset: --sampling: the system of policy legion says who samples" one --policy legion --sampling gpu --server dgx-v100
ok "--objective of a policy with a rule of its own" refuses "^hotset: --objective: policy legion has a rule of its own" one --policy legion --objective time --server dgx-v100
"$HOTSET" plan $common --server dgx-v100 --budget 5% --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 0 -o F --quiet >/dev/null && mkdir LT && cp F/gpu*_feature.npy F/gpu*_train.npy LT
lists() { "$HOTSET" plan --graph G --server dgx-v100 --fanout 3,2 --batch 50 --presample-epochs 1 --simulate-epochs 0 --from-lists LT --force -o O --quiet "$@"; }
ok "lists" lists
ok "--partition beside train files" refuses "^hotset: --partition: the train files of --from-lists say who trains what" lists --partition stream
ok "--assignment beside train files" refuses "^hotset: --assignment: the train files of --from-lists say who trains what" lists --assignment gpu
ok "size refuses, too" refuses "^hotset: --assignment: the system of policy pagraph" "$HOTSET" size --graph G --server dgx-v100 --fanout 3,2 --policy pagraph --assignment gpu

# a comparison in which some policies can: their rows have it, the others say that they do not
many() { "$HOTSET" compare --graph G --server dgx-v100 --threads 1 --fanout 3,2 --batch 50 --presample-epochs 1 --simulate-epochs 1 --budget 5% "$@"; }
ok "compare: who does not use --assignment is told" says "^hotset: --assignment is not used by pagraph, bgl: their systems assign" many --policy hotset,pagraph,quiver,bgl --assignment nested -o D.json
row() { python3 -c 'import json, sys; r = {x["policy"]: x for x in json.load(open(sys.argv[1]))["rows"]}; print(eval(sys.argv[2]))' "$@"; }
ok "rows say it" [ "$(row D.json '[r["pagraph"]["ignored"][0]["option"], "ignored" in r["hotset"], "ignored" in r["quiver"], r["quiver"]["deal"]["chosen"]]')" = "['--assignment', False, False, 'nested']" ]
many --policy pagraph --quiet -o E.json >/dev/null
ok "and are those of their systems" [ "$(row D.json 'r["pagraph"]["simulated"]')" = "$(row E.json 'r["pagraph"]["simulated"]')" ]
ok "compare: an option that none can use is refused" refuses "^hotset: --assignment: the system of policy pagraph" many --policy pagraph,bgl --assignment nested
ok "--reserve beside budgets" refuses "^hotset: --reserve" many --policy hotset,legion --reserve 1GiB
ok "--time-limit" refuses "^hotset: --time-limit" many --policy hotset,legion --time-limit 5

# ---- lists
compare() { "$HOTSET" compare --graph G --threads 1 --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 1 "$@"; }
ok "compare: policies, budgets and servers that are listed twice are told" says "^hotset: --policy: hotset is listed more than once; it is used once" \
    compare --server siton,dgx-v100,siton --policy hotset,legion,hotset,legion:alpha=0.5 --budget 1KiB,2KiB,1024 -o twice.json
ok "the budget, too" counts 1 "--budget: 1024 is listed more than once"
ok "the server, too" counts 1 "--server: siton is listed more than once"
compare --server siton,dgx-v100 --policy hotset,legion,legion:alpha=0.5 --budget 1KiB,2KiB -o once.json --quiet >/dev/null
ok "and the result is that of the short lists" cmp once.json twice.json
"$HOTSET" plan $common --budget 5% --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 0 --force -o P --quiet >/dev/null
ok "simulate --cache: a cache that is listed twice is told" says "^hotset: --cache: lru is listed more than once" "$HOTSET" simulate P --cache lru,fifo,lru --json
ok "and has one row" eval '[ "$(grep -c "\"policy\": \"cache:lru\"" said.out)" = 1 ]'
ok "--cache-share without a cache is refused" exits 2 "$HOTSET" simulate P --cache-share clique
size() { "$HOTSET" size --graph G --threads 1 --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 1 --steps 2 "$@"; }
ok "size: combinations that are listed twice are told" says "^hotset: 5 combinations are listed more than once" size --server siton --gpus 1,2,1 --feature-type f32,f16,f32 --json
ok "and tried once" eval '[ "$(grep -c "\"answer_budget_bytes\"" said.out)" = 4 ]'

# ---- the same option says the same in every command; option_words.txt names those that mean several things
if command -v python3 >/dev/null; then
    export HOTSET
    ok "options of several commands say the same" python3 "$root/tests/cli/option_words.py" "$root/tests/cli/option_words.txt"
else skip "options of several commands say the same" "python3 is not installed"; fi
finish
