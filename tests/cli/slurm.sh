#!/usr/bin/env bash
# A comparison and a size question as Slurm arrays: the script that is printed, run with a stand-in for sbatch, gives the bytes of a single run.
. "$(dirname "$0")/tap"

# The stand-in runs the tasks of an array in reverse order, and a dependent job only when they succeeded.
mkdir bin
cat >bin/sbatch <<'END'
#!/bin/sh
first=0 last=0 wrap= needs=
while [ $# -gt 0 ]; do
    case $1 in
        --array=*) range=${1#--array=} first=${range%-*} last=${range#*-} ;;
        --dependency=afterok:*) needs=${1#--dependency=afterok:} ;;
        --wrap) shift; wrap=$1 ;;
    esac
    shift
done
[ -z "$needs" ] || [ -e "job$needs.ok" ] || { echo "job $needs failed" >&2; exit 1; }
id=$(($(ls job*.log 2>/dev/null | wc -l) + 17))
: >"job$id.log"
i=$last good=yes
while [ $i -ge $first ]; do
    SLURM_ARRAY_TASK_ID=$i sh -c "$wrap" >>"job$id.log" 2>&1 || good=
    i=$((i - 1))
done
[ -z "$good" ] || : >"job$id.ok"
echo "$id;cluster"
END
chmod +x bin/sbatch
export PATH="$PWD/bin:$PATH"

"$HOTSET" graph synth community --vertices 1000 --edges 8000 --train-share 0.1 --feature-dim 32 -o "a graph" --quiet >/dev/null
# legion-topogpu cannot at 0.1 %: the topology does not fit. Its row still states what its recording reads uncached, if another part knows it.
compare() {
    "$HOTSET" compare --graph "a graph" --server siton,dgx-v100 --fanout 5,3 --batch 10 --budget 0.1%,40% --simulate-epochs 1 \
        --policy legion,legion-topogpu,gnnlab,cache:lru --threads 1 --quiet -o R.json "$@"
}
compare >single.txt
mv R.json single.json
ok "one cell cannot be planned" grep -q '"status": "oom"\|"status": "unsupported"' single.json
for n in 3 20; do
    compare --slurm-array $n >script
    ok "$n tasks: the script only prints" [ ! -e R.json ]
    ok "$n tasks: the script is bash" bash -n script
    ok "$n tasks: it runs" bash script --time=1:00
    ok "$n tasks: the same document" cmp single.json R.json
    ok "$n tasks: the last job prints the same table" eval 'cmp single.txt "$(ls -v job*.log | tail -1)"'
    ok "$n tasks: nothing else is left" eval '! ls R.json.*'
    rm -f R.json job*
    rest
done

# A task's shell is sh, and the locale of a batch job often C.
cp -r "a graph" "an ümläut's \$graph"
ln -s "$HOTSET" "the 'hötset"
compare --graph "an ümläut's \$graph" --json >single.out
mv R.json other.json
LC_ALL=C compare --graph "an ümläut's \$graph" --json --slurm-array 2 >script
ok "names of any letters: it runs" env LC_ALL=C HOTSET="./the 'hötset" bash script
ok "names of any letters: the same document" cmp other.json R.json
ok "--json is for the last job" cmp single.out "$(ls -v job*.log | tail -1)"
rm -f R.json job*

# A size question of eight curves: a GPU that is too small for training, a server without constants (epoch times are not known), targets that are met.
# size COMMON OPTIONS..; the numbers of curves are those of the results' curves[].
size() {
    "$HOTSET" size --graph "a graph" --server siton,dgx-v100 --gpus 1,2 --nvlink both --fanout 5,3 --batch 10 --simulate-epochs 1 --presample-epochs 2 \
        --steps 3 --threads 1 --quiet -o R.json "$@"
}
# as_array NAME CODE OPTIONS..: a single run ends with CODE, and arrays of 1, 2, 3 and 20 tasks give its bytes and the code of its merge
as_array() {
    local name=$1 code=$2 n
    shift 2
    size "$@" >single.txt 2>single.err
    ok "$name: exit code $code" [ $? = "$code" ]
    mv R.json single.json
    for n in 1 2 3 20; do
        size "$@" --slurm-array $n >script
        ok "$name, $n tasks: the script only prints" [ ! -e R.json ]
        size "${@/--json/--quiet}" --cells 0/$n >said 2>&1 # --json is for the last job alone
        ok "$name, $n tasks: a task gives no answer" [ $? = 0 -a ! -s said -a ! -e R.json ]
        ok "$name, $n tasks: the script runs" bash script --time=1:00
        ok "$name, $n tasks: the same document" cmp single.json R.json
        ok "$name, $n tasks: the last job says the same" eval 'cat single.txt single.err | cmp - "$(ls -v job*.log | tail -1)"'
        ok "$name, $n tasks: nothing else is left" eval '! ls R.json.*'
        rm -f R.json job*
    done
}
as_array "targets that are met" 0 --target 'hit-rate>=0.3'
ok "there are eight curves" [ "$(grep -c '"largest_clique": ' single.json)" = 8 ]
as_array "no target" 0 --vary gpus,budget
as_array "a target that none meets" 1 --target 'hit-rate>=0.3,transactions<=0,epoch-time<=1us'
as_array "prices that are not known" 3 --target 'cost<=0.01'
as_array "GPUs that are too small" 1 --target 'hit-rate>=0.3' --second-job 500GiB
as_array "some GPUs are too small" 0 --target 'hit-rate>=0.3' --second-job 20GiB --json
ok "some GPUs are too small: curves without points" grep -q '"missing_bytes": [1-9]' single.json

# A policy that cannot plan one of the curves: the sentence of a single run, after all tasks succeeded.
size --policy legion-topogpu --most 1KiB >single.txt 2>&1
ok "a policy that cannot: exit code 1" [ $? = 1 -a ! -e R.json ]
for i in 0 1 2; do size --policy legion-topogpu --most 1KiB --cells $i/3 || no=$i; done
ok "a policy that cannot: tasks succeed" [ -z "${no:-}" ]
size --policy legion-topogpu --most 1KiB --merge-cells 3 >said 2>&1
ok "a policy that cannot: the merge says so" [ $? = 1 -a ! -e R.json ]
ok "a policy that cannot: the same sentence" cmp single.txt said
rm -f R.json*

# fails CODE SENTENCE OPTIONS..: one sentence, and no results; of the command that $run names
run=compare
fails() {
    $run "${@:3}" >said 2>&1
    local got=$?
    cat said
    [ $got = "$1" ] && [ "$(grep -c '^hotset: ' said)" = 1 ] && grep -q "$2" said && [ ! -e R.json ]
}
compare --cells 0/3 && compare --cells 2/3
ok "a missing part" fails 3 "part1-of-3 is missing; task 1" --merge-cells 3
compare --cells 1/3 --seed 2 --force
ok "a part of another seed" fails 3 "part1-of-3 was made from another --seed .*(2, expected 1)" --merge-cells 3
compare --cells 1/3 --force
cp R.json.part2-of-3 R.json.part1-of-3
ok "a part in place of another" fails 3 "part1-of-3: row 0 is not that of cell 1" --merge-cells 3
sed 's/"policy": "legion"/"policy": "gnnlab"/' R.json.part0-of-3 >changed && mv changed R.json.part0-of-3
ok "a part that was changed" fails 3 "part0-of-3" --merge-cells 3
for word in 3/3 -1/3 1 1/0 1/3x a/b; do ok "--cells=$word" fails 2 "expected I/N" "--cells=$word"; done
ok "two of the options" fails 2 "exclude each other" --cells 0/3 --merge-cells 3
ok "a part with --json" fails 2 "give --json to the run with --merge-cells" --cells 0/3 --json
ok "a part without an output" exits 2 "$HOTSET" compare --graph "a graph" --server siton --cells 0/2
rm -f R.json*

run=size
size --cells 0/3 && size --cells 2/3
ok "size: a missing part" fails 3 "part1-of-3 is missing; task 1" --merge-cells 3
size --cells 1/3 --gpus 1 --force
ok "size: a part of other options" fails 3 "part1-of-3 was made from another --gpus .*(1, expected 1,2)" --merge-cells 3
size --cells 1/3 --force
cp R.json.part2-of-3 R.json.part1-of-3
ok "size: a part in place of another" fails 3 "part1-of-3: row 0 is not that of cell 1" --merge-cells 3
size --cells 1/3 --force
sed 's/"inner": false/"inner": true/' R.json.part0-of-3 >changed && mv changed R.json.part0-of-3
ok "size: a part that was changed" fails 3 "part0-of-3" --merge-cells 3
rm R.json.part0-of-3
compare --cells 0/3
ok "size: a part of a comparison" fails 3 "part0-of-3: .*size-part/1" --merge-cells 3
rm R.json.part0-of-3
size --cells 0/3
touch -d '1 hour ago' "a graph/train.npy"
ok "size: parts of other files" fails 3 "part0-of-3 was made from another file train.npy of the graph" --merge-cells 3
for i in 0 1 2; do size --cells $i/3; done
ok "size: then all is well" size --merge-cells 3
rm -f R.json
ok "size: a task number that is none" fails 2 "expected I/N" --cells=3/3
ok "size: two of the options" fails 2 "exclude each other" --slurm-array 3 --merge-cells 3
ok "size: a part with --json" fails 2 "give --json to the run with --merge-cells" --cells 0/3 --json
ok "size: a part with --stamp" fails 2 "belongs to a single run" --cells 0/3 --stamp
ok "size: a part without an output" exits 2 "$HOTSET" size --graph "a graph" --server siton --cells 0/2
ok "size: stand-ins" exits 2 "$HOTSET" size --stand-in products --server siton --cells 0/2 -o R.json
finish
