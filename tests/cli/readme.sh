#!/usr/bin/env bash
# The README tells the truth: its commands and options exist, and its first block does its job.
. "$(dirname "$0")/tap"

[ -f "$root/README.md" ] || { skip "the README" "there is no README.md"; finish; }
cd "$root" || exit 2
block() { awk -v want="$1" '/^```/ { inside = !inside; if (inside) n++; next } inside && n == want' README.md; }
ok "the first block is one command line" eval '[ "$(block 1 | grep -c .)" = 1 ]'
ok "the second block is one command line that tests" eval '[ "$(block 2 | grep -c .)" = 1 ] && block 2 | grep -q "make.* test"'
# every "hotset WORDS --options" in code
commands >"$work/list"
{ awk '/^```/ { inside = !inside; next } inside' README.md; grep -oE '`[^`]*`' README.md | tr -d '`'; } | sed 's/ #.*//' | grep -oE '(build/)?hotset [a-z][^|;&]*' | sed 's,^build/,,' | sort -u >"$work/used"
while read -r line; do
    words=($line)
    name=${words[1]}
    grep -qx "$name ${words[2]:-}" "$work/list" && name="$name ${words[2]}"
    if ! grep -qE "^$name( |\$)" "$work/list"; then [ "$name" = help ] || echo "no command '$name' in: $line"; continue; fi
    "$HOTSET" $name -h >"$work/help" 2>/dev/null
    for o in $(echo "$line" | grep -oE '(^| )--[a-z-]+'); do
        grep -q -- "$o" "$work/help" || [ "$o" = --version ] || echo "no option $o in: $line"
    done
done <"$work/used" | none "every command and option in the README exists"
ok "there are some" eval '[ "$(wc -l <"$work/used")" -ge 8 ]'
# the first block, with apt-get and sudo that do nothing, in a folder that looks like a clone
if [ "${TEST_FAST:-}" = 1 ]; then skip "the first block runs" "TEST_FAST=1"; finish; fi
mkdir "$work/clone" "$work/bin"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/"*
for f in *; do # not what earlier runs left there: the demo would write into it
    case $f in "${BUILD%%/*}" | build* | hotset-demo) ;; *) ln -s "$root/$f" "$work/clone/$f" ;; esac
done
mkdir -p "$work/clone/$(dirname "$BUILD")"
ln -s "$root/$BUILD" "$work/clone/$BUILD"
block 1 | sed "s,build/hotset,$BUILD/hotset,g; s,make ,make BUILD=$BUILD ," >"$work/first.sh"
ok "the first block runs (slow)" eval 'cd "$work/clone" && PATH="$work/bin:$PATH" flock "$root/Makefile" bash -e "$work/first.sh" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; false; }'
page=$(find "$work/clone" -maxdepth 3 -name index.html | head -n 1)
if command -v gnuplot >/dev/null; then ok "and leaves a page" test -n "$page"; else skip "and leaves a page" "gnuplot is not installed"; fi
ok "and a table that ends with totals" grep -q legion "$work/log"
finish
