#!/usr/bin/env bash
# A short look at every attack on every command (TORTURE_SECONDS=50); `make torture` takes an hour.
cd "$(dirname "$0")/../.." || exit 2
: "${HOTSET:?names the program to test}"
if ! command -v python3 >/dev/null; then
    echo "ok 1 - torture # SKIP python3 is not installed"
    echo "1..1"
    exit
fi
: "${SEED:=1}"
SEED=$SEED exec python3 tests/torture/torture.py --hotset "$HOTSET" --seconds "${TORTURE_SECONDS:-50}"
