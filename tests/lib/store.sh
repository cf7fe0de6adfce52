#!/usr/bin/env bash
# hotset.pyg.Store in PyG's own loaders, in one process and under gloo; libhotset_cuda on the PTX interpreter stands in for GPUs. HOTSET_PYTHON as for pyg.sh.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3} build=$root/${BUILD:-build}
[ -d "$build/lib/hotset" ] || build=${BUILD:-build}
if ! "$python" -c 'import torch, torch_geometric' 2>/dev/null; then
    skip "the store of a running job" "torch and torch_geometric are not installed for $python (HOTSET_PYTHON names another)"
    finish
fi
emulated=$build/ptx/libhotset_cuda.so
[ -e "$emulated" ] || emulated=
PYTHONPATH=$build/lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore "$python" "$root/tests/lib/check_store.py" "$HOTSET" . $emulated >verdicts 2>python.err
ok "the checks ran to their end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
while read -r verdict name; do ok "$name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
ok "the check for GPUs runs its steps on the CPU, and finds all right" eval 'PYTHONPATH=$build/lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore "$python" -m hotset.examples.first_gpu_run --cpu --vertices 6000 >said && grep -q "\"all_right\": true" said'
grep -q 'not run$' verdicts && skip "GPUs of the interpreter" "build/ptx/libhotset_cuda.so is not there (make ptx-check, with nvcc)"
finish
