#!/usr/bin/env bash
# Every command beside every feature runs and is checked, or is refused with one reason; the guide has the table.
. "$(dirname "$0")/tap"
why=""
command -v python3 >/dev/null || why="python3 is not installed"
command -v mpirun >/dev/null || why="mpirun is not installed (apt-get install libopenmpi-dev openmpi-bin)"
[ -z "$why" ] || { skip "commands beside features" "$why"; finish; }
exec python3 "$root/tests/cli/matrix.py" --hotset "$HOTSET" --check "$root/planner/GUIDE.md"
