#!/usr/bin/env bash
# hotset.graphbolt in DGL's own fetcher and loader. HOTSET_DGL_PYTHON names a Python that has dgl (2.1.0 is the last on the package index) and its torch.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_DGL_PYTHON:-python3} lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
if ! "$python" -c 'import torch, dgl.graphbolt' 2>/dev/null; then
    skip "hotset.graphbolt in GraphBolt's loaders" "dgl is not installed for $python (HOTSET_DGL_PYTHON names another)"
    finish
fi
"$HOTSET" graph synth community --vertices 3000 --edges 30000 --feature-dim 6 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100:4 --policy hotset --budget 8% --fanout 10,5 --batch 32 --frontier all --simulate-epochs 0 -o P --quiet >/dev/null
"$HOTSET" simulate P --seed 99 --epochs 2 --json --quiet >judged.json
"$HOTSET" simulate P --seed 99 --epochs 2 --export-batches B --quiet >/dev/null
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
"$python" "$root/tests/lib/check_graphbolt.py" P G B judged.json >verdicts 2>python.err
ok "the replay ran to its end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
while read -r verdict name; do ok "$name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
# several relations: GraphBolt's laws with one fan-out for all of a vertex together, and with one for each
"$HOTSET" graph synth like ogbn-mag --scale 0.002 -o M --quiet >/dev/null
for over in vertex relation; do
    "$HOTSET" plan --graph M --server dgx-v100:1 --fanout 6,4 --fanout-over $over --batch 100 --frontier all --budget 1% --presample-epochs 1 --simulate-epochs 0 -o MP --quiet >/dev/null
    "$HOTSET" simulate MP --seed 99 --epochs 8 --export-batches MB --quiet >/dev/null
    "$python" "$root/tests/lib/check_typed_graphbolt.py" M MB >verdicts 2>python.err
    ok "the comparison with GraphBolt's sampler ran to its end, fan-outs over a $over" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
    while read -r verdict name; do ok "fan-outs over a $over, $name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
    rm -r MP MB
done
finish
