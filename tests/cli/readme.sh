#!/usr/bin/env bash
# README.md, planner/GUIDE.md, RUNTIMES.md and planner/model tell the truth: the commands, options and files that they name exist, the README's first block
# does its job, and its table is what the command above it prints.
. "$(dirname "$0")/tap"

[ -f "$root/README.md" ] || { skip "the README" "there is no README.md"; finish; }
cd "$root" || exit 2
block() { awk -v want="$1" '/^```/ { inside = !inside; if (inside) n++; next } inside && n == want' README.md; }
ok "the first block is one command line" eval '[ "$(block 1 | grep -c .)" = 1 ]'
ok "the second block is one command line that tests" eval '[ "$(block 2 | grep -c .)" = 1 ] && block 2 | grep -q "make.* test"'
# every "hotset WORDS --options" in code, of the README and of the documents for users
commands >"$work/list"
# checked FILE: prints what its commands name that does not exist
checked() {
    { awk '/^```/ { inside = !inside; next } inside' "$1"; grep -oE '`[^`]*`' "$1" | tr -d '`'; } | sed 's/ #.*//' | grep -oE '(build/)?hotset [a-z][^|;&]*' | sed 's,^build/,,' | sort -u >"$work/used"
    while read -r line; do
        words=($line)
        name=${words[1]}
        grep -qx "$name ${words[2]:-}" "$work/list" && name="$name ${words[2]}"
        if ! grep -qE "^$name( |\$)" "$work/list"; then [ "$name" = help ] || echo "no command '$name' in: $line"; continue; fi
        "$HOTSET" $name --help-all >"$work/help" 2>/dev/null
        for o in $(echo "$line" | grep -oE '(^| )--[a-z-]+'); do
            grep -q -- "$o" "$work/help" || [ "$o" = --version ] || echo "no option $o in: $line"
        done
    done <"$work/used"
    [ "$(wc -l <"$work/used")" -ge "$2" ] || echo "only $(wc -l <"$work/used") commands were found, at least $2 were expected"
}
checked README.md 8 | none "every command and option in README.md exists"
checked planner/GUIDE.md 40 | none "every command and option in planner/GUIDE.md exists"
checked planner/WORKLOADS.md 8 | none "every command and option in planner/WORKLOADS.md exists"
checked planner/RUNTIMES.md 4 | none "every command and option in planner/RUNTIMES.md exists"
checked planner/TIERS.md 3 | none "every command and option in planner/TIERS.md exists"
cat planner/model/*.md >"$work/model.md"
checked "$work/model.md" 5 | none "every command and option in planner/model exists"
# options that stand alone, as in `--cache-share clique`
{ while read -r c; do "$HOTSET" $c --help-all; done <"$work/list"; "$HOTSET" help -h; } >"$work/helps" 2>/dev/null
cat README.md planner/GUIDE.md planner/WORKLOADS.md planner/RUNTIMES.md planner/TIERS.md planner/model/*.md | grep -oE '`--[^`]*`' | grep -oE -- '--[a-z-]+' | sort -u | while read -r o; do
    grep -qE -- "$o( |,|\$)" "$work/helps" || echo "no command has an option $o"
done | none "every option that is named alone exists"
# how many there are
count() { "$HOTSET" list "$1" --json | grep -c '"name"'; }
ok "planner/GUIDE.md knows how many figures there are" grep -q "regenerates $(count claims) figures" planner/GUIDE.md
# folders, files and links that the documents name
for f in README.md planner/GUIDE.md planner/WORKLOADS.md planner/RUNTIMES.md planner/TIERS.md planner/model/*.md; do
    grep -oE '\]\([^)#]+\)' "$f" | tr -d ']()' | sort -u | while read -r to; do [ -e "$(dirname "$f")/$to" ] || echo "$f links to $to, which is not there"; done
    grep -oE '(^|[ (`])(base|kernels|hwprofiles|traces|reports|simulator|planner|tests)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]' "$f" | tr -d ' (`' | sort -u | while read -r to; do
        compgen -G "$to" >/dev/null || echo "$f names $to, which is not there"
    done
done | none "every file and folder that the documents name exists"
ok "README.md has at most 650 words" [ "$(wc -w <README.md)" -le 650 ]
ok "README.md has at most 110 lines, planner/GUIDE.md 386 beside its generated table" eval '[ "$(wc -l <README.md)" -le 110 ] && [ "$(sed "/^<!-- matrix/,/^<!-- end of matrix/d" planner/GUIDE.md | wc -l)" -le 386 ]'
awk 'length($0) > 140 && !/apt-get/ { print FILENAME ":" FNR ": " length($0) " columns, at most 140" }' README.md planner/GUIDE.md planner/WORKLOADS.md planner/RUNTIMES.md planner/TIERS.md planner/model/*.md | none "no line has more than 140 columns"
grep -oE '!\[[^]]*\]\([^)]*' README.md | sed 's/.*(//' | while read -r picture; do
    ok "$picture of the README is an SVG of less than 100 KB" eval 'grep -q "<svg" "$picture" && [ "$(wc -c <"$picture")" -lt 100000 ]'
done
# the first block, with apt-get and sudo that do nothing, in a folder that looks like a clone
rest
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
# the third block makes the table in the fourth, on the graph in tests/data
block 3 | sed "s,build/hotset,$HOTSET,g" >"$work/third.sh"
ok "the third block runs" eval '(cd "$work" && ln -s "$root/tests" tests && bash -e third.sh >table.txt 2>/dev/null)'
tr -s ' ' <"$work/table.txt" >"$work/rows"
block 4 | tr -s ' ' | while read -r row; do grep -qxF -- "$row" "$work/rows" || echo "the command does not print: $row"; done | none "the README's table is what its command prints"
ok "which is a table" eval '[ "$(block 4 | grep -c "%")" -ge 5 ]'
finish
