#!/usr/bin/env bash
# Runs that are killed at random moments and started again write what an undisturbed run writes, byte by byte; SEED=n repeats one.
. "$(dirname "$0")/tap"

: "${SEED:=$$}"
echo "# SEED=$SEED"
RANDOM=$SEED
"$HOTSET" graph synth community --vertices 60000 --edges 900000 -o G --quiet >/dev/null
common="--graph G --fanout 10,5 --batch 400 --seed 3 --partition stream --quiet"
plan() { echo "$HOTSET" plan $common --server dgx-v100 --budget 4% --presample-epochs 6 --simulate-epochs 3 --policy "$1" -o "$2"; }
record() { echo "$HOTSET" trace record $common --server dgx-v100 --epochs 6 -o "$2"; }
compare() { echo "$HOTSET" compare $common --server siton,dgx-v100 --policy legion,hotset,pagraph-plus,dgl-uva --budget 2%,4% --presample-epochs 3 --simulate-epochs 1 -o "$2"; }

# hurt NAME SIGNAL COMMAND..: kills the command at random moments of its first second or so, over and over, then lets it end
hurt() {
    local signal=$1 kills=0
    shift
    for _ in 1 2 3; do
        "$@" >/dev/null 2>&1 &
        local pid=$!
        sleep "0.$((RANDOM % 60 + 10))"
        if kill "-$signal" $pid 2>/dev/null; then kills=$((kills + 1)); fi
        wait $pid 2>/dev/null
        [ -e out ] && break
    done
    "$@" >/dev/null || return 1
    echo "# $kills times ended by $signal"
}
judge() { # what, maker, its argument
    $($2 "$3" whole) >/dev/null || echo "# the undisturbed run failed"
    for signal in KILL INT; do
        rm -rf out out.partial
        ok "$1: ended by $signal again and again, then finished" hurt $signal $($2 "$3" out)
        ok "$1: the same bytes after $signal" diff -rx .hotset whole out
        ok "$1: the folder of the unfinished run is gone after $signal" [ ! -e out.partial ]
    done
    rm -rf whole out
}
# what is found half way
half_at() { # end of a name, command..: leaves out.partial with finished parts, once there is such a file
    local end=$1
    shift
    rm -rf out out.partial
    "$@" >/dev/null 2>half.err &
    local pid=$!
    while kill -0 $pid 2>/dev/null && ! ls out.partial/*$end >/dev/null 2>&1; do sleep 0.01; done
    kill -INT $pid 2>/dev/null
    wait $pid 2>/dev/null
    ls out.partial/*$end >/dev/null 2>&1
}
half() { half_at gpu2.note "$@"; } # once the first recordings are there
loud=$(plan hotset out | sed 's/ --quiet//')
$(plan hotset whole) >/dev/null
ok "an interrupt leaves finished parts" half $loud
ok "and says how to go on" grep -q 'interrupted; the same command continues from out.partial' half.err
ok "the same command goes on" eval '$loud >/dev/null 2>again.err && grep -q "continuing from out.partial" again.err && diff -rx .hotset whole out'
rest
half $loud
ok "threads and memory may be others" eval '$loud --threads 3 --memory 2GiB >/dev/null 2>again.err && grep -q "continuing" again.err && diff -rx .hotset whole out'
half $loud
ok "another budget starts over, and says why" eval '${loud/4%/3%} >/dev/null 2>again.err && grep -q "started over: it was made with another value of --budget" again.err'
half $loud
ok "--no-resume starts over" eval '$loud --no-resume >/dev/null 2>again.err && grep -q "started over: --no-resume was given" again.err && diff -rx .hotset whole out'
half $loud
touch G/train.npy
ok "a graph that was written again starts over" eval '$loud >/dev/null 2>again.err && grep -q "started over: it was made with another value of file train.npy of the graph" again.err && diff -rx .hotset whole out'
# A server may be named with a part of its GPUs, so a file's name need not be what was typed: what counts is what the server states.
"$HOTSET" server show dgx-v100 --json >my.json
mine=${loud/dgx-v100/my.json:4}
memory() { sed -i "s/\"memory_bytes\": [0-9]*/\"memory_bytes\": $1/" my.json; }
whole_of() { rm -rf fresh && ${1/-o out/-o fresh} --quiet --no-resume >/dev/null; }
started_over() { $1 >/dev/null 2>again.err && grep -q "started over: it was made with another value of $2" again.err; }
mine=${mine/--budget 4%/--reserve 1GiB}
half $mine
memory 2147483648
ok "another GPU memory of a server file starts over" started_over "$mine" "server my.json:4"
ok "and gives what a fresh run gives" eval 'whole_of "$mine" && diff -rx .hotset fresh out && grep -q "\"budget_bytes\": 1073741824" out/plan.json'
rm -rf out
half ${mine/plan/compare} --policy hotset,gnnlab
memory 3221225472
ok "the same for compare" started_over "${mine/plan/compare} --policy hotset,gnnlab" "server my.json:4"
rm -rf out
loud_record="$(record - out | sed 's/ --quiet//;s/dgx-v100/my.json/')"
half $loud_record
sed -i 's/"cls": 64/"cls": 128/' my.json
ok "the same for trace record" started_over "$loud_record" "server my.json"
rm -rf out
mkdir elsewhere
ok "--scratch: kept in another folder" eval 'half $loud; rm -rf out.partial; $loud --scratch elsewhere >/dev/null 2>&1 && diff -rx .hotset whole out && [ -z "$(ls elsewhere)" ]'
rm -rf out
mkdir out.partial && touch out.partial/mine
ok "a folder of others is refused" eval '! $loud >/dev/null 2>again.err && grep -q "holds files but no partial.json" again.err && [ -e out.partial/mine ]'
rm -rf out.partial
fails() { "$@" >/dev/null 2>again.err; [ $? = 2 ]; }
ok "--scratch names a folder" fails $loud --scratch nowhere
half $loud
: >"$(ls out.partial/*gpu0.array | head -n 1)"
ok "an array of another size starts over" eval '$loud >/dev/null 2>again.err && grep -q "started over: its file .*gpu0.array is damaged" again.err && diff -rx .hotset whole out'
rm -rf out out.partial
# every file of the folder in turn, with one bit that is another
damage() { # end of the last file's name, command..
    local end=$1
    shift
    rm -rf whole; "${@/#out/whole}" >/dev/null 2>&1
    for _ in {1..20}; do half_at "$end" "$@" && [ -s out.partial/partial.json ] && break; done # not one that was just being removed
    rm -rf kept && mv out.partial kept || echo "nothing was left by $*"
    for file in $(ls kept); do
        rm -rf out && cp -a kept out.partial
        local size at byte
        size=$(stat -c %s "kept/$file")
        at=$((size ? RANDOM * 32768 % size : 0))
        byte=$(od -An -tu1 -j"$at" -N1 "kept/$file")
        printf "\\x$(printf %x $((${byte:-0} ^ 1 << RANDOM % 8)))" | dd of="out.partial/$file" bs=1 seek="$at" conv=notrunc status=none
        local noted=true # an array that no note states was not finished, and is made again
        case $file in *.array) grep -qF "\"${file%.array}\": [" kept/*.note || noted=false ;; esac
        "$@" >/dev/null 2>again.err && diff -rx .hotset whole out && { ! $noted || grep -q "started over: its file $file is damaged" again.err; } && continue
        echo "$file, byte $at of $size:"
        cat again.err
    done
    rm -rf whole out out.partial
}
"$HOTSET" graph synth community --vertices 2000 --edges 20000 -o S --quiet >/dev/null
"$HOTSET" server show dgx-v100:2 --json >two.json
tiny="--graph S --fanout 5,3 --batch 20 --seed 3 --threads 1 --partition stream -o out --presample-epochs 2 --simulate-epochs 30 --budget 4%"
damage plan0.note "$HOTSET" plan $tiny --server two.json --policy hotset | none "a bit that flipped in a file of a plan's run: the file is named, and the result stays the same"
damage rows0-1.note "$HOTSET" compare $tiny --server two.json,siton:2 --policy legion | none "and of a comparison's run"
$(plan hotset whole) >/dev/null
if command -v flock >/dev/null; then
    half $loud
    exec 9<out.partial
    flock 9
    ok "two runs do not share a folder" eval '! $loud >/dev/null 2>again.err 9<&- && grep -q "another run of hotset is using this folder" again.err'
    exec 9<&-
else skip "two runs do not share a folder" "flock is not installed"; fi
$(compare - with.json) >table.with
"$HOTSET" compare ${common} --server siton,dgx-v100 --policy legion,hotset,pagraph-plus,dgl-uva --budget 2%,4% --presample-epochs 3 --simulate-epochs 1 >table.without
ok "without -o all is in memory, and the same" cmp table.with table.without
rm -rf whole out out.partial
judge "plan --policy legion" plan legion
judge "plan --policy hotset" plan hotset
judge "trace record" record -
judge "compare" compare -
finish
