#!/usr/bin/env bash
# Help, man page and completion know every command and every option.
. "$(dirname "$0")/tap"

commands >list
ok "there are commands" eval '[ "$(wc -l <list)" -ge 10 ]'
for c in $(awk 'NF == 2 { print $1 }' list | sort -u); do ok "$c: an option in the place of a command is refused" exits 2 "$HOTSET" "$c" --quiet; done
options() { "$HOTSET" $1 $2 | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE '\-\-[a-z-]+' | sort -u; }
"$HOTSET" help --man >man.txt
"$HOTSET" help --completion >completion.bash
while read -r c; do
    ok "$c -h" exits 0 "$HOTSET" $c -h
    ok "$c --help says the same" eval 'cmp <("$HOTSET" $c -h) <("$HOTSET" $c --help)'
    ok "$c -h fits a screen" eval '[ "$("$HOTSET" $c -h | wc -l)" -le 40 ]'
    ok "$c --help-all names every option that -h names" eval '[ -z "$(comm -23 <(options "$c" -h) <(options "$c" --help-all))" ]'
    ok "help $c says the same" eval 'cmp <("$HOTSET" $c -h) <("$HOTSET" help $c)'
    ok "$c: usage names it" eval '"$HOTSET" $c -h | grep -q "^usage: hotset $c"'
    ok "$c: an unknown option is refused" exits 2 "$HOTSET" $c --no-such-option
    "$HOTSET" $c --help-all | awk 'length($0) > 300 { print "line of " length($0) ": " $0 }' | none "$c: help has no endless lines"
done <list
# the part of the man page behind a command's heading
section() { awk -v want=".SS \"hotset $1 " 'index($0, ".S") == 1 { on = index($0, want) == 1 } on' man.txt; }
while read -r c; do
    "$HOTSET" $c --help-all | awk '/^common options:/ { exit } { print }' | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE '\-\-[a-z-]+' | while read -r option; do
        section "$c" | sed 's/\\//g' | grep -qE -- "fB$option(fR| |\$)|$option" || echo "$c $option"
        grep -qE -- "(^| |\")$option( |\")" completion.bash || echo "completion: $c $option"
    done
done <list | none "the man page and the completion list every option of every command"
ok "the completion is valid bash" bash -n completion.bash
complete_words() { bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hotset; printf "%s\n" "${COMPREPLY[@]}"' _ "$@"; }
ok "completion of a command" eval 'complete_words hotset pl | grep -qx plan'
ok "completion of a command in a group" eval 'complete_words hotset graph imp | grep -qx import'
ok "completion of an option" eval 'complete_words hotset graph import --und | grep -qx -- --undirected'
PATH=$(dirname "$HOTSET"):$PATH
ok "completion of a policy" eval 'complete_words hotset plan --policy leg | grep -qx legion'
ok "completion of a target" eval 'complete_words hotset export --to qui | grep -qx quiver'
if command -v man >/dev/null; then
    ok "man renders the page without a warning" eval 'MANWIDTH=100 man -l --warnings=w ./man.txt >page.txt 2>warnings && [ ! -s warnings ] || { cat warnings; false; }'
    ok "the page holds the names" eval 'grep -q "EXIT STATUS" page.txt && grep -q "hotset plan" page.txt'
else
    skip "man renders the page" "man is not installed"
fi
"$HOTSET" help --man | grep -nE "^'|^\\.[^A-Za-z]" | none "no line of text begins with a control letter of roff"

# other names of options
while read -r c; do "$HOTSET" $c --help-all | grep -q -- '-o, --output ' && echo "$c"; done <list >writers
ok "commands write results with -o" eval '[ "$(wc -l <writers)" -ge 12 ]'
while read -r c; do
    for name in output out; do ok "$c: --$name is taken" eval 'exits 2 "$HOTSET" $c --'$name' && grep -q -- "--'$name' needs a value" "$work/.stderr"'; done
done <writers
{ while read -r c; do "$HOTSET" $c --help-all; done <list; sed 's/\\//g' man.txt; cat completion.bash; } | grep -nE -- '--out( |$|[^a-z-])' | none "help, man page and completion name --output only"
"$HOTSET" server import --help-all | grep -nE -- '^ +--memory' | none "server import does not show the old name of --gpu-memory"
ok "nor does its completion" eval '! complete_words hotset server import --mem | grep -q memory && complete_words hotset plan --mem | grep -qx -- --memory'
printf '\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n' >topo.txt
ok "the old name is taken, with a note" eval '"$HOTSET" server import topo.txt --memory 16GiB --out old.json >/dev/null 2>note && grep -qx "hotset: --memory is now called --gpu-memory here" note && [ "$(grep -c . note)" = 1 ]'
ok "and means the same" eval '"$HOTSET" server import topo.txt --gpu-memory 16GiB -o new.json >/dev/null 2>note && [ ! -s note ] && cmp <(sed s/old/new/ old.json) new.json'
finish
