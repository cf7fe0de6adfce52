#!/usr/bin/env bash
# A size run keeps finished servers beside -o: interrupted or killed, the same command continues from there, does not run them again, and
# writes the bytes of a run that was not disturbed.
. "$(dirname "$0")/tap"
"$HOTSET" graph synth community --vertices 5000 --edges 60000 --seed 3 --feature-dim 64 -o G --quiet >/dev/null
ask="$HOTSET size --graph G --server p3.16xlarge,p4d.24xlarge,g5.48xlarge --batch 60 --fanout 8,4 --presample-epochs 1 --simulate-epochs 1 --steps 3 --nodes 1 --target cost<=0.01 --training-epochs 200"
like="$HOTSET size --stand-in igbh-tiny --scale 0.01 --server dgx-v100 --fanout 8,4 --batch 200 --presample-epochs 1 --simulate-epochs 1 --steps 3"
# half SIGNAL NOTE COMMAND..: ends the command once that note is there
half() {
    local signal=$1 note=$2
    shift 2
    for _ in 1 2 3 4 5; do
        rm -rf R.json R.json.partial
        "$@" -o R.json >/dev/null 2>half.err &
        local pid=$!
        while kill -0 $pid 2>/dev/null && ! ls R.json.partial/$note >/dev/null 2>&1; do sleep 0.01; done
        kill "-$signal" $pid 2>/dev/null
        wait $pid 2>/dev/null
        ls R.json.partial/$note >/dev/null 2>&1 && return 0
    done
    return 1
}
again() { "$@" -o R.json >again.out 2>again.err && cmp whole.json R.json && [ ! -e R.json.partial ]; }
$ask -o whole.json >whole.out 2>/dev/null
ok "an interrupt leaves the first server, and no document" eval 'half INT "curve0.note" $ask --threads 1 && [ ! -e R.json ]'
ok "and says how to go on" grep -q "interrupted; the same command continues from R.json.partial" half.err
ok "the same command writes the same bytes" again $ask --threads 1
ok "and prints the same" eval 'sed "s/R.json/whole.json/" again.out | cmp - whole.out'
ok "it says that it continues, and from what" eval 'grep -q "continuing from R.json.partial" again.err && grep -q "1 of 3 need not run again: p3.16xlarge$" again.err'
ok "it does not run that one again" eval 'grep -q "1/2 p4d.24xlarge" again.err && ! grep -q "/[23] p3.16xlarge" again.err'
ok "killed side by side, continued" eval 'half KILL "curve*.note" $ask --threads 3 && [ ! -e R.json ] && again $ask --threads 2'
rest
ok "interrupted before one is finished: said so" eval 'half INT partial.json $ask --threads 1; grep -q "before a first part was finished" half.err'
ok "and the same command works" again $ask
ok "--no-resume starts over" eval 'half INT "curve0.note" $ask --threads 1 && again $ask --no-resume && ! grep -q "need not run" again.err'
ok "another question starts over" eval 'half INT "curve0.note" $ask --threads 1 && $ask --batch 50 -o R.json 2>&1 | grep -q "started over: it was made with another value of --batch"'
rm -rf R.json whole.json
$like -o whole.json >/dev/null 2>&1
ok "repeats of a stand-in continue, too" eval 'half INT "repeat0-0.note" $like && again $like'
ok "without -o nothing is kept" eval '$like >/dev/null 2>&1; ! ls -d *.partial 2>/dev/null'
finish
