#!/usr/bin/env bash
# The loaders that exports bring along run. LOADER_PYTHON or HOTSET_DGL_PYTHON names a Python with NumPy, torch and DGL; what is not there is skipped.
. "$(dirname "$0")/tap"
: "${LOADER_PYTHON:=${HOTSET_DGL_PYTHON:-python3}}"
has() { "$LOADER_PYTHON" -c "import $1" 2>/dev/null; }

"$HOTSET" graph synth community --vertices 1500 --edges 15000 --communities 12 --feature-dim 20 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100 --fanout 5,4 --batch 40 --budget 4% --simulate-epochs 0 --quiet -o P >/dev/null
printf '#!/bin/sh\necho "$CUDA_VISIBLE_DEVICES $* $(wc -l <meta_config)"\n' >server && chmod +x server
"$HOTSET" export P --to legion -o E-legion --simulate-epochs 0 --quiet >/dev/null
ok "legion: the server starts in its folder, on the plan's GPUs" eval 'SAMPLING_SERVER=$work/server sh E-legion/run.sh >said && grep -qE "^0,1,2,3,4,5,6,7 8 2 [0-9]+$" said'
if ! has numpy; then
    skip "the other loaders" "NumPy is not installed"
    finish
fi
"$LOADER_PYTHON" -c 'import numpy; numpy.save("features.npy", numpy.arange(30000, dtype="f4").reshape(1500, 20))'
for t in quiver dgl; do "$HOTSET" export P --to $t -o E-$t --simulate-epochs 0 $([ $t = quiver ] || echo --features features.npy) --quiet >/dev/null; done
loads() { "$LOADER_PYTHON" "$root/tests/cli/loaders.py" "$@" features.npy; }
ok "quiver: every GPU reads every row" loads quiver E-quiver
cp -r E-quiver turned && "$LOADER_PYTHON" -c 'import numpy
a = numpy.load("turned/clique1_local_order.npy")
numpy.save("turned/clique1_local_order.npy", a[::-1])'
ok "quiver: another order is seen" eval '! loads quiver turned'
if has torch; then
    "$HOTSET" export P --to wholegraph -o E-wholegraph --simulate-epochs 0 --quiet >/dev/null
    ok "wholegraph: tables, books, and a permutation that fits its cache" loads wholegraph E-wholegraph
    cp -r E-wholegraph other && cp other/clique1_position.npy other/clique0_position.npy
    ok "wholegraph: another position is seen" eval '! loads wholegraph other'
else
    skip "wholegraph: its tables" "torch is not installed"
fi
if has dgl.graphbolt; then
    ok "dgl: every GPU trains its vertices with the rows asked for" loads dgl E-dgl
else
    skip "dgl: the loader in GraphBolt" "DGL is not installed (LOADER_PYTHON names a Python that has it)"
fi
finish
