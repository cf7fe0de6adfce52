#!/usr/bin/env bash
# Plans in several processes: samplers for torch, Lightning and Accelerate, and graphs with several types. HOTSET_PYTHON names a Python with torch and PyG.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3} lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
if ! "$python" -c 'import torch, torch_geometric' 2>/dev/null; then
    skip "plans in several processes" "torch and torch_geometric are not installed for $python (HOTSET_PYTHON names another)"
    finish
fi
PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1 "$python" -W ignore "$root/tests/lib/check_processes.py" "$HOTSET" . >verdicts 2>python.err
ok "the checks ran to their end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
while read -r verdict name; do ok "$name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
while read -r _ what; do skip "${what%%: *}" "${what#*: }"; done < <(grep '^skip ' verdicts)
finish
