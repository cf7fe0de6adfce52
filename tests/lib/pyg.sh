#!/usr/bin/env bash
# hotset.pyg in PyTorch Geometric's own loaders. HOTSET_PYTHON names a Python that has torch and torch_geometric.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3} lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
if ! "$python" -c 'import torch, torch_geometric' 2>/dev/null; then
    skip "hotset.pyg in PyG's loaders" "torch and torch_geometric are not installed for $python (HOTSET_PYTHON names another)"
    finish
fi
"$HOTSET" graph synth community --vertices 3000 --edges 30000 --feature-dim 6 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100:4 --policy hotset --budget 8% --fanout 10,5 --batch 32 --sampling gpu --simulate-epochs 0 -o P --quiet >/dev/null
"$HOTSET" simulate P --seed 99 --epochs 2 --json --quiet >judged.json
"$HOTSET" simulate P --seed 99 --epochs 2 --export-batches B --quiet >/dev/null
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
"$python" "$root/tests/lib/check_pyg.py" P G B judged.json >verdicts 2>python.err
ok "the replay ran to its end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
while read -r verdict name; do ok "$name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
# graphs with several node types
mkdir -p typed
"$python" "$root/tests/lib/check_hetero.py" "$HOTSET" typed >verdicts 2>python.err
ok "the replay of a typed plan ran to its end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
while read -r verdict name; do ok "typed: $name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
grep -q 'not run$' verdicts && skip "typed: PyG's own sampler through the stores" "pyg-lib and torch-sparse are not installed for $python"
"$HOTSET" graph synth like ogbn-mag --scale 0.002 -o M --quiet >/dev/null
"$HOTSET" trace record --graph M --server dgx-v100:1 --fanout 5,3 --batch 100 --frontier new --epochs 8 -o MT --quiet >/dev/null
"$python" "$root/tests/lib/check_typed_sampler.py" M MT >verdicts 2>python.err
ok "the comparison with PyG's sampler ran to its end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -qE "^ok end|not run$"'
while read -r verdict name; do ok "mini-batches as PyG's, $name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
grep -q 'not run$' verdicts && skip "mini-batches as those of PyG's own sampler" "pyg-lib and torch-sparse are not installed for $python"
# what the gids export writes, in torch's own reader and by GIDS's arithmetic
"$HOTSET" export P --to gids -o E-gids --simulate-epochs 0 --quiet >/dev/null
ok "torch loads the rows that GIDS buffers, and they are the plan's" "$python" - <<'END'
import sys
sys.path.insert(0, "E-gids")
import torch, hotset, load_gids
plan, rows = hotset.Plan("P"), load_gids.buffered()
held = set().union(*(plan.feature_ids(g).tolist() for g in plan.gpus))
assert rows.dtype == torch.int64 and set(rows.tolist()) == held and len(rows) == len(held) == int(3000 * load_gids.PERCENT)
assert len(set(torch.load(load_gids.pin_file(), weights_only=True).tolist())) == 3000
END
# the guide's lines, with a model and arrays around them
sed -n '/^import hotset.pyg$/,/^```$/p' "$root/planner/RUNTIMES.md" | sed '/^```$/,$d' >lines
{
    cat <<'END'
import numpy as np, torch, torch.nn.functional as F
from torch_geometric.nn import SAGEConv
torch.manual_seed(1)
x = np.random.default_rng(1).normal(size=(3000, 6)).astype(np.float32)
np.save("features.npy", x)
np.save("labels.npy", x[:, :3].argmax(1))
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = SAGEConv(6, 32), SAGEConv(32, 3)
    def forward(self, x, edges):
        return self.two(F.relu(self.one(x, edges)), edges)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), 0.01)
losses, cross_entropy = [], F.cross_entropy
def noted(*words):
    losses.append(cross_entropy(*words))
    return losses[-1]
F.cross_entropy = noted
END
    cat lines
    echo 'assert sum(losses[-5:]) < 0.8 * sum(losses[:5]) and len(losses) == 10 * -(-len(data.plan.train_ids(0)) // 32), losses'
} >guide.py
ok "the guide's lines train a model" eval '[ "$(grep -c . lines)" -ge 5 ] && "$python" guide.py >said && cat said && grep -q "own" said'
ok "a user writes 8 lines at most" [ "$(grep -c . lines)" -le 8 ]
# the installed example, in one process and in one per GPU; on tolokers where its file is there
loker=$root/../shared/data/graphs/tolokers/tolokers.npz
[ -f "$loker" ] || skip "the example on the tolokers graph" "$loker is not there; a made graph stands in"
"$python" - "$loker" G <<'END'
import os, sys
import numpy as np
if os.path.exists(sys.argv[1]):
    d = np.load(sys.argv[1])
    x, y, parts = d["node_features"], d["node_labels"], [np.flatnonzero(d[k][0]) for k in ("train_masks", "val_masks", "test_masks")]
    x = (x - x.mean(0)) / x.std(0)
else:  # classes by the first feature, with one label in ten turned
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 10))
    y, parts = (x[:, 0] > 0) ^ (rng.random(3000) < 0.1), np.split(rng.permutation(3000), [1500, 2250])
np.save("x.npy", x.astype(np.float32))
np.save("y.npy", y.astype(np.int64))
for name, ids in zip(("train", "valid", "test"), parts):
    np.save(name + ".npy", np.sort(ids))
END
source=$loker
[ -f "$loker" ] || source="G/indptr.npy G/indices.npy"
# shellcheck disable=SC2086
"$HOTSET" graph import $source --undirected --labels y.npy --train train.npy --valid valid.npy --test test.npy --feature-dim 10 -o L --quiet >/dev/null
"$HOTSET" plan --graph L --server dgx-v100:2 --budget 1% --fanout 10,5 --batch 256 --for pyg --simulate-epochs 0 -o LP --quiet >/dev/null
area() { sed -n "s/^$1: accuracy .* ROC-AUC \(0\.[0-9]*\)$/\1/p" "$2"; }
for processes in 1 2; do
    ok "the example trains, $processes process(es)" eval '"$python" -m hotset.examples.pyg_sage --graph L --plan LP --features x.npy --processes $processes --epochs 5 --observe $processes.jsonl >said.$processes && cat said.$processes && [ "$(grep -c "^epoch" said.$processes)" = 5 ]'
    for set in valid test; do
        ok "it learns: area under the ROC curve above 0.73, $set vertices" awk -v a="$(area $set said.$processes)" 'BEGIN { exit !(a > 0.73) }'
    done
    ok "it prints rows by place, and none is 0" eval '[ "$(grep -cE "^GPU [01] read [0-9]+ rows: own [1-9][0-9]* .*, peer [1-9][0-9]* .*, host [1-9]" said.$processes)" = 2 ]'
    ok "hotset observe finds its rows as predicted" eval '"$HOTSET" observe LP $processes.jsonl --quiet >seen && [ "$(grep -c " noise$" seen)" = 6 ]'
done
# it makes a graph where none is given; the most frequent class alone would get 0.6
accuracy() { sed -n "s/^$1: accuracy \(0\.[0-9]*\) (most frequent class: 0\.[56].*ROC-AUC.*/\1/p" "$2"; }
begun=$SECONDS
ok "the example runs on its own" eval '"$python" -m hotset.examples.pyg_sage >said.own && cat said.own'
printf '# %d s\n' $((SECONDS - begun))
for set in valid test; do
    ok "it learns more than the most frequent class: accuracy above 0.8, $set vertices" awk -v a="$(accuracy $set said.own)" 'BEGIN { exit !(a > 0.8) }'
    ok "area under its ROC curve above 0.9, $set vertices" awk -v a="$(area $set said.own)" 'BEGIN { exit !(a > 0.9) }'
done
# from HeteroData to the next plan, in 25 lines
loop=$root/simulator/lib/hotset/examples/loop.py
ok "25 lines of Python at most" [ "$(sed '1,/^"""$/d' "$loop" | grep -c .)" -le 25 ]
if ! "$python" -c 'import pandas' 2>/dev/null; then skip "the loop from HeteroData to the next plan" "pandas is not installed for $python"; else
    ok "table, picture, training with the simulation's counts, and the next plan" eval '"$python" -m hotset.examples.loop >said && cat said && grep -q "<polyline" loop.svg && [ "$(grep -cE "^GPU [01] read .*own.: [1-9]" said)" = 2 ] && tail -n 1 said | grep -qE "^rows loaded: .0: [1-9]"'
fi
ok "it refuses other numbers of processes" eval '! "$python" -m hotset.examples.pyg_sage --graph L --plan LP --features x.npy --processes 3 2>said && grep -q "give 1, or 2" said'
ok "a page: 120 lines at most" [ "$(wc -l <"$root/simulator/lib/hotset/examples/pyg_sage.py")" -le 120 ]
finish
