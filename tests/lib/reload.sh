#!/usr/bin/env bash
# A job goes on with another plan, or refuses it: one process, processes under gloo, and what other processes are handed. HOTSET_PYTHON as for pyg.sh.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3} lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
if ! "$python" -c 'import torch, torch_geometric' 2>/dev/null; then
    skip "plans that a running job loads" "torch and torch_geometric are not installed for $python (HOTSET_PYTHON names another)"
    finish
fi
PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore "$python" "$root/tests/lib/check_reload.py" "$HOTSET" . >verdicts 2>python.err
ok "the checks ran to their end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
while read -r verdict name; do ok "$name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
finish
