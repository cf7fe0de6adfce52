#!/usr/bin/env bash
# Every Python block of the documents does what it should, with what its reader has around it (blocks.py). HOTSET_PYTHON names a Python with NumPy.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3} lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
if ! "$python" -c 'import numpy' 2>/dev/null; then
    skip "Python blocks of documents" "NumPy is not installed for $python (HOTSET_PYTHON names another)"
    finish
fi
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1 HOTSET
mkdir one types
"$HOTSET" graph synth community --vertices 600 --edges 4000 --feature-dim 6 --train-share 0.3 -o one/G --quiet >/dev/null
"$HOTSET" plan --graph one/G --server dgx-v100:2 --budget 5% --fanout 5,3 --batch 32 --simulate-epochs 0 -o one/P --quiet >/dev/null
"$python" -W ignore "$root/tests/lib/blocks.py" "$root" >verdicts 2>python.err
ok "the blocks ran to their end" eval 'cat python.err verdicts | tail -n 40; tail -n 1 verdicts | grep -q "^ok end"'
while read -r verdict name; do ok "$name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
while IFS='|' read -r what why; do skip "${what#skip }" "$why"; done < <(grep '^skip ' verdicts)
finish
