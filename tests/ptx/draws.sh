#!/usr/bin/env bash
# tests/emulated/draws.sh, with the program whose CUDA code is executed as nvcc compiles it.
export EMULATED=${BUILD:-build}/ptx/hotset
case $EMULATED in /*) ;; *) EMULATED=$(cd "$(dirname "$0")/../.." && pwd)/$EMULATED ;; esac
[ -x "$EMULATED" ] || { echo "ok 1 - draws # SKIP there is no nvcc"; echo 1..1; exit; }
exec "$(dirname "$0")/../emulated/draws.sh"
