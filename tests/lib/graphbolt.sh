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
finish
