#!/usr/bin/env bash
# Temporal samplers with --time-window and --time-direction. A plain program (windows.py) grows the tree of every seed
# through a small graph for all windows in both directions, by hand; then what documents say, what is read back, and
# what is refused.
. "$(dirname "$0")/tap"
# 12 vertices, arcs in a ring and across, some twice; times 0 .. 9, 0.5 apart where they are fine
python3 -c "
for i in range(40): print(i * 5 % 12, (i * i + 3 * i + 1) % 12, i * 7 % 10)" >a.txt
sed 's/$/.5/' a.txt >fine.txt
"$HOTSET" graph import a.txt --times --train-share 1 --feature-dim 4 --quiet -o A >/dev/null
"$HOTSET" graph import fine.txt --times --train-share 1 --feature-dim 4 --quiet -o F >/dev/null
record() { "$HOTSET" trace record --server siton:1 --batch 1 --epochs 1 --quiet --force "$@" >/dev/null; }
all_windows() { # GRAPH OPTIONS..: every window and direction against the plain program
    local g=$1 w d
    shift
    for d in backward forward; do
        for w in '' 1 2 3 4 5 6 7 8 9 10; do
            record --graph "$g" --sampler temporal --fanout -1,-1 --time-direction $d ${w:+--time-window $w} "$@" -o T &&
                python3 "$root/tests/cli/windows.py" "$g" T $d $w || { echo "# window '$w' $d"; return 1; }
        done
    done
}
ok "all windows, backward and forward" all_windows A
ok "the same on two threads" all_windows A --threads 2
ok "in the source's unit where times are fine" all_windows F
ok "all of them are the latest, too" record --graph A --sampler temporal-last --fanout -1,-1 --time-window 3 -o L
ok "as the plain program has them" python3 "$root/tests/cli/windows.py" A L backward 3
ok "the trace says the window" eval 'tr -d " \n" <L/trace.json | grep -q "\"sampler\":\"temporal-last\",\"time_window\":3"'
ok "and no direction, which is the default" eval '! grep -q time_direction L/trace.json'
rest
# ---- plans
plan() { "$HOTSET" plan --graph A --server siton:2 --budget 30% --batch 2 --fanout 2,2 --quiet --force "$@" >/dev/null; }
ok "a plan" plan --sampler temporal --time-window 3 --time-direction forward --threads 1 -o P
ok "is the same on two threads" eval 'plan --sampler temporal --time-window 3 --time-direction forward --threads 2 -o P2 && cmp P/gpu0_feature.npy P2/gpu0_feature.npy && cmp <(grep -v checksum P/plan.json) <(grep -v checksum P2/plan.json)'
ok "plan.json says both" eval 'tr -d " \n" <P/plan.json | grep -q "\"time_window\":3,\"time_direction\":\"forward\""'
ok "so do its settings" eval 'tr -d " \n" <P/plan.json | grep -q "\"time-window\":\"3\"" && tr -d " \n" <P/plan.json | grep -q "\"time-direction\":\"forward\""'
ok "repeated by --like" eval '"$HOTSET" plan --like P --quiet -o Q >/dev/null && cmp P/gpu1_feature.npy Q/gpu1_feature.npy && tr -d " \n" <Q/plan.json | grep -q "\"time_window\":3,\"time_direction\":\"forward\""'
ok "a trace of the plan draws so" eval '"$HOTSET" trace record --plan P --graph A --server siton:2 --epochs 2 --quiet -o TP >/dev/null && tr -d " \n" <TP/trace.json | grep -q "\"time_window\":3,\"time_direction\":\"forward\""'
ok "simulated and verified" eval '"$HOTSET" simulate P --quiet >/dev/null && "$HOTSET" verify P --graph A >/dev/null'
ok "executed as simulated" eval '"$HOTSET" execute P --quiet 2>/dev/null | grep -q "as simulated"'
ok "a window leaves fewer reads" eval 'plan --sampler temporal --fanout -1,-1 -o W0 && plan --sampler temporal --fanout -1,-1 --time-window 1 -o W1 && python3 -c "
import json
all, near = (sum(sum(g[\"feature_rows\"].values()) for g in json.load(open(p + \"/plan.json\"))[\"simulated\"][\"gpus\"]) for p in (\"W0\", \"W1\"))
assert 0 < near < all, (near, all)"'
ok "an export says that its runtime draws otherwise" eval '"$HOTSET" export P --to pyg --quiet -o X 2>/dev/null | grep -q "sampler" && grep -q "sampler temporal" X/export.json'
# ---- words
says() { # WORDS OPTIONS..: printed on stderr, and goes on
    local words=$1
    shift
    "$HOTSET" trace record --graph A --server siton:1 --batch 2 --fanout 2 --force "$@" -o S >/dev/null 2>why && grep -q -- "$words" why
}
ok "a window with a unit" says "times are taken to be seconds" --sampler temporal --time-window 2min
ok "is so many seconds" eval 'tr -d " \n" <S/trace.json | grep -q "\"time_window\":120"'
ok "a bare number says nothing" eval '! says "taken to be seconds" --sampler temporal --time-window 2'
refused() { # CODE WORDS OPTIONS..
    local code=$1 words=$2
    shift 2
    "$HOTSET" trace record --graph A --server siton:1 --batch 2 --fanout 2 --quiet "$@" -o R >/dev/null 2>why
    [ $? = "$code" ] && grep -q -- "$words" why
}
ok "a window of another sampler" refused 2 "--time-window: belongs to --sampler temporal" --time-window 3
ok "a direction of another sampler" refused 2 "--time-direction: belongs to --sampler temporal" --time-direction forward
ok "no such direction" refused 2 "backward|forward" --sampler temporal --time-direction both
ok "no time" refused 2 "--time-window" --sampler temporal --time-window soon
ok "nothing at all" refused 2 "more than 0" --sampler temporal --time-window 0
ok "less than the graph tells apart" refused 3 "less than one" --sampler temporal --time-window 0.25
sed 's/"time_window": 3/"time_window": -3/' L/trace.json >bad && cp -r L B && cp bad B/trace.json
ok "a trace with a window below 0" eval '"$HOTSET" plan --graph A --server siton:1 --budget 30% --trace B -o Z 2>why; [ $? = 3 ] && grep -q "time_window" why'
sed 's/"temporal-last"/"uniform"/' L/trace.json >B/trace.json
ok "a trace with a window of another sampler" eval '"$HOTSET" plan --graph A --server siton:1 --budget 30% --trace B -o Z 2>why; [ $? = 3 ] && grep -q "belongs to a temporal sampler" why'
finish
