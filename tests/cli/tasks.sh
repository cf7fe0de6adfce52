#!/usr/bin/env bash
# The tasks of planner/GUIDE.md's table, in order, on one real graph with the server of task 2: each command is taken from the
# table, so that the table is what works.
. "$(dirname "$0")/tap"
graphs=$root/../shared/data/graphs
edges=$graphs/soc-slashdot0902/soc-Slashdot0902.txt.gz
if [ -f "$edges" ]; then cp "$edges" edges.txt.gz; else
    skip "on soc-Slashdot0902" "the shared data is not there; on the graph in tests/data"
    python3 - "$root/tests/data/squirrel.npz" <<'X' || { skip "the tasks of the guide" "python3 is not installed"; finish; }
import gzip, struct, sys, zipfile
b = zipfile.ZipFile(sys.argv[1]).read("edges.npy")
at = 10 + struct.unpack("<H", b[8:10])[0]
ends = struct.unpack("<%dq" % ((len(b) - at) // 8), b[at:])
with gzip.open("edges.txt.gz", "wt") as f:
    for u, v in zip(ends[::2], ends[1::2]): f.write("%d %d\n" % (u, v))
X
fi
# what nvidia-smi topo -m prints on a machine with four GPUs in two pairs
{
    printf '\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n'
    printf 'GPU0\t X \tNV12\tSYS\tSYS\t0-31\t0\nGPU1\tNV12\t X \tSYS\tSYS\t0-31\t0\n'
    printf 'GPU2\tSYS\tSYS\t X \tNV12\t32-63\t1\nGPU3\tSYS\tSYS\tNV12\t X \t32-63\t1\n'
} >topo.txt

# The table's commands, in order. Where a name is asked for again it is the same thing; sizes are those of a small graph.
awk -F'|' '/^## .* tasks/ { on = 1 } /^## / && on++ > 1 { exit } on && /^\| .*`build\/hotset/ { print $3 }' "$root/planner/GUIDE.md" | sed 's/^ *`//; s/` *$//; s,^build/hotset,"$HOTSET",' >tasks
ok "the table has thirteen tasks" [ "$(wc -l <tasks)" = 13 ]
number=0
while read -r command; do
    number=$((number + 1))
    case $command in
    # task 2 lacks rates, which it says; those of a profile make tasks with times answer
    *"server import"*) ok "task $number says what it does not answer" eval "$command 2>&1 >/dev/null | grep -q 'does not answer: epoch times'"
        command="$command --rates-of dgx-a100 --force" ;;
    *"graph synth like"*) command=${command/-o G/-o T} ;;                      # the graph of the other tasks stays
    *"nodes "*) command="$command --fanout 10,5 --batch 500" ;;
    *"plan "*"-o P"*) command="$command --fanout 10,5 --batch 500" ;;
    *advise*|*compare*|*tiers*|*size*|*"-o D"*) case $command in *"--like P"*) ;; *) command="$command --fanout 10,5 --batch 500" ;; esac ;;
    esac
    case $command in *"-o D"*) command=${command/-o D/-o D$number} ;; esac
    case $command in *" size "*) command=${command/hit-rate>=0.9/hit-rate>=0.5} ;; esac
    ok "task $number: ${command#*HOTSET\" }" eval "$command --quiet </dev/null"
done <tasks
# what the guide says of them: no file beside the plan
rm -rf S.json
for c in "simulate P" "plan --like P --host-memory 130% --force -o K" "plan --like P --host-memory 50% --ssd gen4 --force -o K" "what-if P" "explain P --vertex 7"; do
    ok "after S.json has gone: $c" eval '"$HOTSET" $c --quiet >/dev/null'
done
ok "and it has times" eval '"$HOTSET" simulate P --quiet | grep -q "^An epoch takes "'
finish
