#!/usr/bin/env bash
# The comparison with rivals (make bench-rivals) on a small graph: our side does the same on any number of threads, and PageRank agrees with a
# textbook kernel in floats, so that a pair's ratio compares equal work. With NumPy and SciPy, their script agrees too.
. "$(dirname "$0")/tap"
ours=$root/${BUILD:-build}/tests/rivals/ours
case ${BUILD:-} in /*) ours=$BUILD/tests/rivals/ours ;; esac
[ -x "$ours" ] || { skip "rivals" "$ours is not built; make test builds it"; finish; }
"$HOTSET" graph synth rmat --vertices 20000 --edges 400000 --quiet -o G >/dev/null

number() { grep -o "\"$2\": [-+.e0-9]*" "$1" | awk '{ print $2 }'; }
same() { [ -n "$(number "$2" "$1")" ] && [ "$(number "$2" "$1")" = "$(number "$3" "$1")" ]; }

ok "the plan's stages, one thread" eval '"$ours" plan G 1 >one'
ok "the same on three" eval '"$ours" plan G 3 >three'
ok "equal draws on any number of threads" same draws one three
ok "equal alpha" same alpha one three
ok "pre-sampling alone draws as much, and only its last run counts" eval '"$ours" sample G 2 >alone && same draws one alone'
ok "PageRank, ours and the textbook's" eval '"$ours" pagerank G 2 >rank'
ok "their scores agree to 1e-4" awk -v far="$(number rank farthest_score)" 'BEGIN { exit !(far != "" && far < 1e-4) }'
ok "the graph for GAP holds both directions" eval '"$ours" sg G G.sg >/dev/null && [ "$(stat -c %s G.sg)" = $((17 + 2 * (8 * 20001 + 4 * $(number rank arcs)))) ]'
ok "and hotset reads the same rows from it" eval '"$HOTSET" graph import G.sg --sample out -o back --quiet >/dev/null && cmp back/indices.npy G/indices.npy && cmp back/indptr.npy G/indptr.npy'
ok "a graph that is not there is refused" eval '! "$ours" plan nowhere 1 2>why >/dev/null && grep -q nowhere why'
if python3 -c 'import numpy, scipy' 2>/dev/null; then
    ok "the NumPy script" eval 'python3 "$root/tests/rivals/numpy_plan.py" G >numpy'
    ok "it draws as much to 1 %" awk -v a="$(number one draws)" -v b="$(number numpy draws)" 'BEGIN { exit !(b > 0.99 * a && b < 1.01 * a) }'
else
    skip "the NumPy script" "python3 has no numpy and scipy (pip install numpy scipy)"
fi
finish
