#!/usr/bin/env bash
# What the daily commands print: on 80 x 24 and on 100 x 30 the answer, the header of its table and the rows stand on the last screen; a pipe's sentences have at most 100
# columns, and a command to copy is one line everywhere.
. "$(dirname "$0")/tap"
if ! why=$(python3 -c 'import pty; pty.openpty()' 2>&1); then
    skip "the answer is on the last screen" "no pseudo-terminal can be made here: ${why##*$'\n'}"
    finish
fi
"$HOTSET" graph synth community --vertices 2000 --edges 20000 --seed 3 --feature-dim 64 -o G --quiet >/dev/null
exec python3 "$root/tests/cli/screens.py" "$HOTSET" "$work"
