#!/usr/bin/env bash
# Every command in a block of a document does what it should: it is run, in the order of the document, on a small graph that stands in for the reader's.
# What takes long, or needs a GPU, a network or a big file, is skipped by the list below, with the reason; a line of it that skips nothing is an error.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "commands in documents" "python3 is not installed"; finish; }
cat >skipped <<'X'
CONTRIBUTING.md | make | builds, or is this suite
CONTRIBUTING.md | HOTSET= | runs other tests
README.md | S= | tests/cli/readme.sh runs the first block, and the second is this suite
README.md | build/hotset graph import tests/data | tests/cli/readme.sh runs it
README.md | build/hotset compare --graph squirrel | the same, and compares the table
README.md | nvidia-smi | needs a GPU
planner/GUIDE.md | build/hotset server probe | needs a GPU
planner/GUIDE.md | nvidia-smi | needs a GPU
planner/GUIDE.md | build/hotset lab reproduce -o | takes minutes; tests/cli/reproduce.sh
planner/GUIDE.md | build/hotset size --stand-in papers100m | makes a stand-in of 110 M vertices in small, half a minute; tests/cli/like.sh
planner/WORKLOADS.md | build/hotset size --job inference --stand-in papers100m | the same
planner/model/example.md | build/hotset | tests/cli/model_example.sh runs it, and compares every number
planner/RUNTIMES.md | python -c | needs tolokers.npz of the network
planner/RUNTIMES.md | hotset graph import tolokers | needs tolokers.npz of the network
planner/RUNTIMES.md | python -m hotset.examples | needs PyTorch
planner/RUNTIMES.md | hotset observe | needs what the line above writes; tests/cli/observe.sh
planner/RUNTIMES.md | # | names the target, tests/package reads it
planner/RUNTIMES.md | pip | needs a network; tests/package
planner/RUNTIMES.md | cc | needs an installed libhotset; tests/cli/install.sh
planner/RUNTIMES.md | hotset simulate P --epochs 2 --export-batches B && ./gather | needs an installed libhotset; tests/cli/install.sh
planner/RANKS.md | mpirun | needs Open MPI and several ranks; tests/cli/ranks.sh
planner/RANKS.md | bash job.sh | needs Slurm; tests/cli/slurm.sh
planner/RANKS.md | hotset graph synth | makes a graph of 40 M arcs
planner/BENCH.md | hotset | needs a graph of 21 M arcs
simulator/BENCH.md | hotset | writes a big file; tests/cli/recount.py
tests/BENCH.md | hotset | needs a graph of 5 GB
X
# what readers have before they begin: a graph, a plan, a server, a cluster, a list of edges, messages with times
"$HOTSET" graph synth community --vertices 600 --edges 4000 --feature-dim 32 --train-share 0.3 -o graph --quiet >/dev/null
"$HOTSET" plan --graph graph --server dgx-v100 --budget 2% --fanout 5,3 --batch 100 --presample-epochs 1 --simulate-epochs 1 -o plan --quiet >/dev/null
python3 - <<'X'
import gzip, random
random.seed(5)
with gzip.open("edges.txt.gz", "wt") as to: to.writelines("%d %d\n" % (random.randrange(200), random.randrange(200)) for _ in range(1200))
with open("messages.txt", "w") as to: to.writelines("%d %d %d\n" % (random.randrange(300), random.randrange(300), t) for t in range(6000))
X
"$HOTSET" graph import messages.txt --times --feature-dim 8 -o messages --quiet >/dev/null
# one thread: on a busy machine more of them wait for each other, on small graphs for seconds; results do not depend on it
mkdir bin && printf '#!/bin/sh\ncase "$*" in *--threads*) exec "%s" "$@" ;; *) exec "%s" "$@" --threads 1 ;; esac\n' "$HOTSET" "$HOTSET" >bin/hotset && chmod +x bin/hotset
export PATH=$work/bin:$PATH
# commands_of FILE: every command of its blocks on a line, of shells (whatever follows hotset) and of output that begins with one; indented ones too, up to
# what explains them
names=$(commands | sed 's/ .*//' | sort -u | tr '\n' '|')
commands_of() {
    awk -v known="^(S=.*|(build/)?hotset (${names%|})|mpirun|bash|python|nvidia-smi|cc|pip|#) " -v any="^(build/)?hotset " '
        /^```(sh|text)$/ { inside = 1; begin = /sh$/ ? known "|" any : known; next } /^```/ { inside = 0 }
        inside && (held != "" || $0 ~ begin) { line = held $0; held = ""; if (line ~ /\\$/) { sub(/\\$/, "", line); held = line } else print line }
        !inside && /^    (HOTSET=|make |git )/ { sub(/^ +/, ""); sub(/   .*/, ""); print }' "$1"
}
skipping() { # DOCUMENT LINE: the reason, or nothing
    while IFS='|' read -r document begin reason; do
        document=${document% } begin=${begin# } begin=${begin% }
        [ "$1" = "$document" ] && case $2 in "$begin"*) echo "$document|$begin" >>"$work/used"; echo "${reason# }"; return ;; esac
    done <"$work/skipped"
}
: >used
while read -r document; do
    commands_of "$root/$document" >"$work/lines"
    [ -s "$work/lines" ] || continue
    there=$work/in-${document//\//-}
    mkdir -p "$there/build" && cp -r graph "$there/G" && cp -r plan "$there/P" && cp -r messages "$there/CollegeMsg" && cp edges.txt.gz "$there" && cp messages.txt "$there/CollegeMsg.txt"
    sed -i -e '1s/graph synth/graph import/' -e '/^\t/d' "$there/G/.hotset" "$there/P/.hotset" "$there/CollegeMsg/.hotset" # the reader's own, of options that nobody knows
    ln -s "$work/bin/hotset" "$there/build/hotset"
    printf '\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV2\t0-7\nGPU1\tNV2\t X \t0-7\n' >"$there/topo.txt"
    (cd "$there" && hotset server show dgx-v100 --json >S.json && awk '/^```json/ { on = 1; next } /^```/ { on = 0 } on' "$root/planner/TIERS.md" >FILE)
    while IFS= read -r line; do
        name="$document: ${line:0:90}"
        reason=$(skipping "$document" "$line")
        if [ -n "$reason" ]; then skip "$name" "$reason"; continue; fi
        began=$SECONDS
        ok "$name" eval '(cd "$there" && timeout 20 bash -c "$line" </dev/null >said 2>&1) || { tail -n 5 "$there/said"; false; }'
        [ $((SECONDS - began)) -lt 10 ] || echo "# took $((SECONDS - began)) s"
    done <"$work/lines"
    [ "$document" != README.md ] || rest # its commands are the short part
done < <(cd "$root" && ls *.md */*.md planner/model/*.md reports/manual/*.md)
sort -u used >told
while IFS='|' read -r document begin reason; do
    begin=${begin# }
    grep -qxF "${document% }|${begin% }" told || echo "$document | $begin: nothing is skipped by this"
done <skipped | none "the list of what is skipped has no line too many"
ok "commands were found" [ "$(cat .tests)" -ge 60 ]
finish
