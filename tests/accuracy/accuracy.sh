#!/usr/bin/env bash
# What planned deals and orders cost in accuracy (about ten minutes on two cores). ACCURACY_PYTHON names a Python with NumPy and torch;
# without it nothing is trained. ACCURACY holds more options of accuracy.py.
cd "$(dirname "$0")/../.." || exit 2
: "${HOTSET:?names the program to test}" "${BUILD:=build}"
lib=$(dirname "$HOTSET")/lib
why=
if [ -z "${ACCURACY_PYTHON:-}" ]; then why="ACCURACY_PYTHON names no Python with torch and NumPy (pip install torch numpy); make accuracy runs it"
elif ! "$ACCURACY_PYTHON" -c 'import numpy, torch' 2>/dev/null; then why="$ACCURACY_PYTHON has no torch or no NumPy (pip install torch numpy)"
elif [ ! -e "$lib/libhotset.so" ]; then why="libhotset is not built; type: make lib"; fi
if [ -n "$why" ]; then
    echo "ok 1 - accuracy # SKIP $why"
    echo "1..1"
    exit
fi
# shellcheck disable=SC2086
exec "$ACCURACY_PYTHON" tests/accuracy/accuracy.py --hotset "$HOTSET" --library "$lib" --tolokers ../shared/data/graphs/tolokers/tolokers.npz ${ACCURACY:-}
