#!/usr/bin/env bash
# At least 150 faults of the list still apply exactly once, and nine of ten; those that do not are told.
cd "$(dirname "$0")/../.." || exit 2
if ! command -v python3 >/dev/null; then
    echo "ok 1 - mutants # SKIP python3 is not installed"
    echo "1..1"
    exit
fi
said=$(tests/mutants/run.py --check)
read -r count stale < <(printf '%s\n' "$said" | sed -n 's/^mutants: \([0-9]*\) faults, \([0-9]*\) do not apply/\1 \2/p')
good=$((${count:-0} - ${stale:-0}))
if [ $good -ge 150 ] && [ $((10 * good)) -ge $((9 * count)) ]; then echo "ok 1 - $good of $count faults apply once"; else
    echo "not ok 1 - $good of ${count:-0} faults apply once; correct their old text"
fi
printf '%s\n' "$said" | sed 's/^/# /'
echo "1..1"
