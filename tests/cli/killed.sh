#!/usr/bin/env bash
# A run that is killed leaves the old output or nothing, and nothing beside it after signals that can be caught.
. "$(dirname "$0")/tap"

"$HOTSET" graph synth uniform --vertices 60000 --edges 600000 -o G --quiet >/dev/null
mkdir out
# kill_at SIGNAL SECONDS COMMAND..: ends the command after that time; says whether it was still running
kill_at() {
    local signal=$1 after=$2
    shift 2
    "$@" >/dev/null 2>&1 &
    local pid=$!
    sleep "$after"
    kill "-$signal" $pid 2>/dev/null
    wait $pid 2>/dev/null
}
whole_graph() { "$HOTSET" graph info "$1" --verify --quiet; }
whole_trace() { "$HOTSET" plan --graph G --server siton --trace "$1" --budget 1% --simulate-epochs 0 -o "$work/P" --quiet; }
synth() { echo "$HOTSET" graph synth rmat --vertices 200000 --edges 2000000 --seed "$1" -o out/X --quiet; }
record() { echo "$HOTSET" trace record --graph G --server siton --fanout 10,5 --batch 500 --epochs 6 --seed "$1" -o out/X --quiet; }

try() { # what, marker, command maker, check
    local bad_new="" bad_old="" litter="" kills=0 finished=0
    for signal in KILL TERM INT; do
        for after in 0.02 0.1 0.25 0.5 0.8 1.2; do
            rm -rf out/X out/.X*
            kill_at $signal $after $($3 1)
            if [ -e out/X ]; then finished=$((finished + 1)); $4 out/X >/dev/null 2>&1 || bad_new="$bad_new $signal:$after"; else kills=$((kills + 1)); fi
            [ $signal = KILL ] || [ -z "$(find out -name '.X*')" ] || litter="$litter $signal:$after"
        done
    done
    rm -rf out/X out/.X*
    $($3 1) >/dev/null 2>&1
    cp -r out/X old
    for signal in KILL TERM; do
        for after in 0.05 0.3 0.6 1.0; do
            rm -rf out/X out/.X*
            cp -r old out/X
            kill_at $signal $after $($3 2)
            cmp -s out/X/"$2" old/"$2" && { diff -rq out/X old >/dev/null || bad_old="$bad_old $signal:$after"; continue; }
            $4 out/X >/dev/null 2>&1 || bad_old="$bad_old $signal:$after"
        done
    done
    rm -rf old
    echo -n "$bad_new" | none "$1: killed at 18 moments, a whole output or none ($kills were in time, $finished had finished)"
    echo -n "$litter" | none "$1: nothing is left beside the output after TERM and INT"
    echo -n "$bad_old" | none "$1: an old output stays whole, or is wholly replaced"
    ok "$1: at least one run was still at work" [ $kills -gt 0 ]
}

# Signals that come together: the second must not end the process before the first has removed what is unfinished.
left="" && mkdir two
for after in 0 0.001 0.002 0.005 0.01; do
    (cd two && exec "$HOTSET" graph synth uniform --vertices 300000 --edges 6000000 -o X --quiet >/dev/null 2>&1) &
    pid=$!
    for i in {1..400}; do [ "$(cat two/.X*/*.npy 2>/dev/null | wc -c)" -gt 16000000 ] && break || sleep 0.02; done
    kill -INT $pid 2>/dev/null && sleep $after && kill -TERM $pid 2>/dev/null
    wait $pid 2>/dev/null
    left="$left$(find two -name '.X*')"
    rm -rf two/X two/.X*
done
echo -n "$left" | none "two signals within 10 ms leave nothing"

# A mapped file that becomes shorter: a sentence, not SIGBUS.
told="" && wrong=""
for after in 0.1 0.2 0.4 0.8 1.6; do
    rm -rf S T && cp -r G S
    "$HOTSET" trace record --graph S --server siton --fanout 10,5 --batch 500 --epochs 40 -o T --quiet >/dev/null 2>short.err &
    pid=$!
    sleep $after && truncate -s 4096 S/indices.npy
    wait $pid 2>/dev/null
    code=$?
    [ $code -le 128 ] || wrong="$wrong exit $code"
    [ $code = 3 ] && grep -q "^hotset: .*S/indices.npy: could not be read to its end" short.err && told=1 && break
done
ok "an input that becomes shorter is told" [ -n "$told" ]
echo -n "$wrong" | none "and ends no command by a signal"

# nohup: a signal that is ignored stays ignored
(trap '' HUP && exec "$HOTSET" graph synth rmat --vertices 200000 --edges 2000000 -o H --quiet >/dev/null 2>hup.err) &
ignores=$!
for i in 1 2 3 4 5; do sleep 0.1 && kill -HUP $ignores 2>/dev/null; done
ok "an ignored SIGHUP ends no run" wait $ignores
ok "and its output is there" whole_graph H

# What SIGKILL leaves: the next run of the same command removes it when its process is gone, and nothing else.
mkdir left && cd left || exit 2
sleep 0 &
gone=$!
wait $gone
hex=0123456789abcdef
for old in ".X.tmp-$gone-$hex/deep" ".X.tmp-$gone-$hex-x" ".X.tmp-$$-$hex" ".XY.tmp-$gone-$hex" ".X.tmp-$gone-$hex.mine" ".X.tmp-$gone-0123"; do mkdir -p "$old" && echo a >"$old/file"; done
echo a >".R.json.tmp-$gone-$hex"
echo theirs >victim && ln -s ../victim ".X.tmp-$gone-$hex/link"
mkdir others && echo b >others/kept && ln -s others ".X.tmp-$gone-fedcba9876543210"
ok "a run beside leftovers" "$HOTSET" graph synth uniform --vertices 10 --edges 20 -o X --quiet
names=$(ls -A) # before the file is there
printf "%s\n" "$names" names | LC_ALL=C sort >names
printf '%s\n' ".R.json.tmp-$gone-$hex" ".X.tmp-$$-$hex" ".X.tmp-$gone-$hex.mine" ".X.tmp-$gone-0123" ".XY.tmp-$gone-$hex" ".X.tmp-$gone-fedcba9876543210" X names others victim | LC_ALL=C sort >expected_names
ok "leftovers of a process that is gone are removed, others stay" cmp names expected_names
ok "and nothing behind links" eval 'grep -q b others/kept && grep -q theirs victim'
ok "a leftover file, too" eval '"$HOTSET" server import "$root"/hwprofiles/servers/siton.json -o R.json --quiet >/dev/null && [ -z "$(ls -A | grep "R.json.tmp")" ]'
mkdir ".X.tmp-$gone-$hex"
ok "a folder that another process has locked stays" eval 'flock ".X.tmp-$gone-$hex" "$HOTSET" graph synth uniform --vertices 10 --edges 20 -o X --quiet >/dev/null && [ -d ".X.tmp-$gone-$hex" ]'
ok "an old output whose successor is missing stays" eval '(mkdir Z.d && cd Z.d && mkdir ".Z.tmp-$gone-$hex-old" && "$HOTSET" graph synth uniform --vertices 10 --edges 20 -o Z --quiet >/dev/null && [ -d ".Z.tmp-$gone-$hex-old" ] && "$HOTSET" graph synth uniform --vertices 10 --edges 20 -o Z --quiet && [ ! -e ".Z.tmp-$gone-$hex-old" ])'
cd ..
rest
try "graph synth" graph.json synth whole_graph
try "trace record" trace.json record whole_trace
finish
