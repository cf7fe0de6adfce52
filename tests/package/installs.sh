#!/usr/bin/env bash
# The install lines of planner/RUNTIMES.md in empty environments, each with the wheel, and what runs there without a GPU. `make test-installs` runs it: it needs
# pip with a package index, 10 GB of disk in $TMPDIR and several minutes. HOTSET_INSTALLS="pyg graphbolt": only these. A runtime that cannot be had is skipped
# aloud, with what pip or the import said last; what was found is kept, with its date, in RUNTIMES.md.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3}
mk() { flock "$root/Makefile" make -C "$root" --no-print-directory -s BUILD="${BUILD:-build}" "$@"; }
names=$(awk '/^### Install lines/ { on = 1 } on && /^```/ { if (++fence == 2) exit; next } on && fence == 1 && /^# / { print $2 }' "$root/planner/RUNTIMES.md")
ok "RUNTIMES.md has install lines" [ "$(wc -w <<<"$names")" -ge 5 ]
if [ -z "${INSTALL_TESTS:-}" ]; then
    for name in $names; do skip "$name in an empty environment" "make test-installs runs it"; done
    finish
fi
ok "make wheel" eval 'mk wheel >made 2>&1 || { cat made; false; }'
wheel=$(sed -n 's/^\([^ ]*\.whl\)$/\1/p' made | tail -n 1) wheel=$root/${wheel#"$root/"}

# NAME: the lines of a runtime
lines() { awk -v name="$1" '/^### Install lines/ { on = 1 } on && /^```/ { if (++fence == 2) exit; next } on && fence == 1 { if (/^# /) here = $2 == name; else if (here) print }' "$root/planner/RUNTIMES.md"; }
# NAME MODULE: installs it; says why where that fails, or where the module cannot be imported
installed() {
    rm -rf env
    "$python" -m venv env || return 1
    while read -r line; do
        PATH=$PWD/env/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 timeout "${INSTALL_SECONDS:-900}" bash -c "${line/pip install/pip install -q}" >.pip 2>&1 ||
            { why="$line: $(grep -vE '^ *$|note:|See above|\[notice\]' .pip | tail -n 1 | cut -c1-200)"; return 1; }
    done < <(lines "$1"; echo "pip install $wheel")
    env/bin/python -W ignore -c "import $2" >.import 2>&1 || { why="import $2: $(tail -n 1 .import | cut -c1-200)"; return 1; }
}
# NAME MODULES DISTRIBUTIONS COMMAND..: the commands pass in the environment
try() {
    local name=$1 module=$2 of=$3 begun=$SECONDS why="" here=$PWD/env/bin
    [[ " ${HOTSET_INSTALLS:-$names} " == *" $name "* ]] || return 0
    if ! installed "$name" "$module"; then
        skip "$name in an empty environment" "$why"
        return
    fi
    ok "$name is installed: $(env/bin/pip list 2>/dev/null | awk -v of="$of" 'index(" " of " ", " " $1 " ") { printf "%s %s, ", $1, $2 }')$((SECONDS - begun)) s, $(du -sh env | cut -f1)" true
    for command in "${@:4}"; do
        ok "$name runs there: $command" env PATH="$here:$PATH" HOTSET="$here/hotset" BUILD="${BUILD:-build}" HOTSET_PYTHON="$here/python" HOTSET_DGL_PYTHON="$here/python" \
            HOTSET_GLT_PYTHON="$here/python" root="$root" bash -c "$command >.ran 2>&1 || { grep -A12 '^not ok' .ran || tail -n 20 .ran; false; }"
    done
}
try pyg torch_geometric "torch torch-geometric torch_geometric pandas numpy" "python -W ignore -m hotset.examples.loop" "python -W ignore -m hotset.examples.pyg_sage" \
    '"$root/tests/lib/pyg.sh"' '"$root/tests/lib/processes.sh"' '"$root/tests/lib/reload.sh"'
try graphbolt dgl.graphbolt "torch dgl torchdata numpy" '"$root/tests/lib/graphbolt.sh"'
try glt graphlearn_torch "torch graphlearn-torch" '"$root/tests/lib/exported.sh"'
try wholegraph "cugraph_pyg, pylibwholegraph.torch" "torch cugraph-pyg-cu12 pylibwholegraph-cu12" '"$root/tests/lib/exported.sh"'
try quiver quiver "torch torch-quiver" '"$root/tests/lib/exported.sh"'
finish
