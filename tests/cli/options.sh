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
plan() { "$HOTSET" plan $common --trace T --budget 1% --simulate-epochs 0 -o P "$@"; }
for option in "--fanout 2" "--batch 7" "--frontier all" "--sampler biased" "--sampler walk --walks 3" "--walk-length 2 --sampler walk" "--restart 0.1" \
    "--seeds edges --edge-share 0.3" "--order bfs" "--seed 9" "--presample-epochs 2" "--partition lp"; do
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
    "$HOTSET" trace record $common --plan P --epochs 1 --seed 77 -o R "$@" --quiet >/dev/null && workload R/trace.json >got && grep -q -- "$want" got || { cat got; return 1; }
}
"$HOTSET" plan $common --budget 1% --sampler walk --walks 4 --walk-length 2 --restart 0.25 --seeds edges --edge-share 0.5 --batch 60 --simulate-epochs 1 -o P --quiet >/dev/null
ok "trace record --plan: sampler, walks, restart and seeds are the plan's" follows '"fanout":\[1,1\],"batch":60,"frontier":"new","sampler":"walk","walks":4,"restart":0.25,"seeds":"edges","edge_share":0.5'
ok "--sampler replaces walks by fan-outs" follows '"fanout":\[25,10\],"batch":60,"frontier":"new","sampler":"uniform","seeds":"edges"' --sampler uniform
ok "--seeds replaces edges" follows '"sampler":"walk","walks":4,"restart":0.25,\?$' --seeds vertices
ok "--assignment beside --plan is told" says "^hotset: --deal is ignored: the plan" "$HOTSET" trace record $common --plan P --assignment bfs --epochs 1 --seed 77 -o R

# ---- lists
compare() { "$HOTSET" compare --graph G --threads 1 --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 1 "$@"; }
ok "compare: policies, budgets and servers that are listed twice are told" says "^hotset: --policy: hotset is listed more than once; it is used once" \
    compare --server siton,dgx-v100,siton --policy hotset,legion,hotset,legion:alpha=0.5 --budget 1KiB,2KiB,1024 -o twice.json
ok "the budget, too" counts 1 "--budget: 1024 is listed more than once"
ok "the server, too" counts 1 "--server: siton is listed more than once"
compare --server siton,dgx-v100 --policy hotset,legion,legion:alpha=0.5 --budget 1KiB,2KiB -o once.json --quiet >/dev/null
ok "and the result is that of the short lists" cmp once.json twice.json
"$HOTSET" plan $common --budget 5% --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 0 -o P --quiet >/dev/null
ok "simulate --cache: a cache that is listed twice is told" says "^hotset: --cache: lru is listed more than once" "$HOTSET" simulate P --cache lru,fifo,lru --json
ok "and has one row" eval '[ "$(grep -c "\"policy\": \"cache:lru\"" said.out)" = 1 ]'
ok "--cache-share without a cache is refused" exits 2 "$HOTSET" simulate P --cache-share clique
size() { "$HOTSET" size --graph G --threads 1 --batch 50 --fanout 3,2 --presample-epochs 1 --simulate-epochs 1 --steps 2 "$@"; }
ok "size: combinations that are listed twice are told" says "^hotset: 5 combinations are listed more than once" size --server siton --gpus 1,2,1 --feature-type f32,f16,f32 --json
ok "and tried once" eval '[ "$(grep -c "\"answer_budget_bytes\"" said.out)" = 4 ]'
finish
