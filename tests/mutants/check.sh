#!/usr/bin/env bash
# Every fault of the list still applies exactly once, and there are at least 150.
cd "$(dirname "$0")/../.." || exit 2
if ! command -v python3 >/dev/null; then
    echo "ok 1 - mutants # SKIP python3 is not installed"
    echo "1..1"
    exit
fi
said=$(tests/mutants/run.py --check)
code=$?
count=$(printf '%s\n' "$said" | sed -n 's/^mutants: \([0-9]*\) faults.*/\1/p')
if [ $code -eq 0 ] && [ "${count:-0}" -ge 150 ]; then echo "ok 1 - every fault applies once"; else
    echo "not ok 1 - every fault applies once"
    printf '%s\n' "$said" | sed 's/^/# /'
fi
echo "1..1"
