#!/usr/bin/env bash
# Epochs in PyG over slow links, through a plan and with all features on the host: the ratio of their times beside the predicted one. throttled.py says how.
# HOTSET_PYTHON names a Python that has torch and torch_geometric.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3} lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
if ! "$python" -c 'import torch, torch_geometric' 2>/dev/null; then
    skip "epochs over slow links" "torch and torch_geometric are not installed for $python (HOTSET_PYTHON names another)"
    finish
fi
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
"$HOTSET" graph synth community --vertices "${THROTTLED_VERTICES:-12000}" --edges "${THROTTLED_EDGES:-150000}" --feature-dim 128 -o G --quiet >/dev/null
"$python" "$root/tests/lib/throttled.py" "$HOTSET" G 10% >verdicts 2>python.err
ok "the epochs ran to their end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
grep '^#' verdicts
while read -r verdict name; do ok "$name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
finish
