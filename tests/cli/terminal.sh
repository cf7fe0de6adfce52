#!/usr/bin/env bash
# Tables, help and messages fit terminals of 40 to 200 columns; colours are for terminals only.
. "$(dirname "$0")/tap"
if ! why=$(python3 -c 'import pty; pty.openpty()' 2>&1); then
    skip "what is printed fits a terminal" "no pseudo-terminal can be made here: ${why##*$'\n'}"
    finish
fi
"$HOTSET" graph synth uniform --vertices 500 --edges 4000 -o G --quiet >/dev/null
for p in P:hotset Q:legion; do
    "$HOTSET" plan --graph G --server siton --policy ${p#*:} --budget 5% --fanout 3,2 --batch 10 --simulate-epochs 1 -o ${p%:*} --quiet >/dev/null
done
exec python3 "$root/tests/cli/terminal.py" "$HOTSET" "$work"
