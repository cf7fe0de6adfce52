#!/usr/bin/env bash
# Help, man page and completion know every command and every option.
. "$(dirname "$0")/tap"

commands >list
ok "there are commands" eval '[ "$(wc -l <list)" -ge 10 ]'
for c in $(awk 'NF == 2 { print $1 }' list | sort -u); do ok "$c: an option in the place of a command is refused" exits 2 "$HOTSET" "$c" --quiet; done
options() { "$HOTSET" $1 $2 | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE '\-\-[a-z-]+' | sort -u; }
while read -r c; do "$HOTSET" help --man $c >"man-${c// /-}.txt"; done <list
"$HOTSET" help --man >man.txt
"$HOTSET" help --completion >completion.bash
for shell in zsh fish; do "$HOTSET" help --completion $shell >completion.$shell; done
ok "help --commands lists them" eval 'cmp <(sort list) <("$HOTSET" help --commands | sort)'
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
while read -r c; do
    "$HOTSET" $c --help-all | awk '/^common options:/ { exit } { print }' | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE '\-\-[a-z-]+' | while read -r option; do
        sed 's/\\//g' "man-${c// /-}.txt" | grep -qE -- "fB$option(fR| |\$)|$option" || echo "$c $option"
        grep -qE -- "(^| |\")$option( |\")" completion.bash || echo "bash: $c $option"
        grep -F -- "'$c') _arguments" completion.zsh | grep -qF -- "$option[" || grep -F -- "'$c') _arguments" completion.zsh | grep -qF -- "$option}" || echo "zsh: $c $option"
        grep -qF -- "__hotset_at $c' -l ${option#--} " completion.fish || echo "fish: $c $option"
    done
done <list | none "man pages and completions list every option of every command"
# a name that goes on in the next line: --simulate- / epochs, or its dashes alone
while read -r c; do
    for all in -h --help-all; do "$HOTSET" $c $all | grep -nE -- '(^|[ (=|])--([a-z][a-z-]*-)?$' | sed "s/^/$c $all: /"; done
done <list | none "no name of an option is broken over two lines"
# what a command does is told in whole sentences, however long the whole text is
while read -r c; do
    "$HOTSET" $c -h | awk -v c="$c" '/^(options|commands|examples|[a-z, ]+):$/ && !over { over = 1; if (n && last !~ /[.:;)]$/) print c " ends with: " last } /^usage: / { n = 0; next } !over && NF { last = $0; n++ }'
done <list | none "help ends with whole sentences"
# and what an option does, with its words and its default
while read -r c; do
    "$HOTSET" $c --help-all | awk -v c="$c" 'function tell() { if (option && last !~ /[.)\]]$/) print c option ": " last; option = "" } /^(  -[a-z],|     ) --[a-z]/ { tell(); option = $0 } !NF || /^[a-z]/ { tell() } NF { last = $0 } END { tell() }'
done <list | none "no option's text is cut off"
ok "another shell is refused" exits 2 "$HOTSET" help --completion csh
ok "the completion is valid bash" bash -n completion.bash
complete_words() { bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hotset; printf "%s\n" "${COMPREPLY[@]}"' _ "$@"; }
ok "completion of a command" eval 'complete_words hotset pl | grep -qx plan'
ok "completion of a command in a group" eval 'complete_words hotset graph imp | grep -qx import'
ok "completion of an option" eval 'complete_words hotset graph import --und | grep -qx -- --undirected'
PATH=$(dirname "$HOTSET"):$PATH
ok "completion of a policy" eval 'complete_words hotset plan --policy leg | grep -qx legion'
ok "completion of a target" eval 'complete_words hotset export --to qui | grep -qx quiver'
if command -v zsh >/dev/null; then ok "the completion is valid zsh" zsh -n completion.zsh; else skip "the completion is valid zsh" "zsh is not installed"; fi
if command -v fish >/dev/null; then
    offers() { fish -c "source completion.fish; complete -C '$1'" | grep -qE -- "^$2(	|\$)"; }
    ok "fish completes a command, an option, a word and a name" eval 'offers "hotset graph im" import && offers "hotset graph import --und" --undirected && offers "hotset plan --sampler lab" labor && offers "hotset plan --policy leg" legion'
else
    skip "fish completes a command, an option, a word and a name" "fish is not installed"
fi
if command -v man >/dev/null; then
    for page in man*.txt; do MANWIDTH=100 man -l --warnings=w "./$page" 2>&1 >"page-$page" | sed "s/^/$page: /"; done | none "man renders every page without a warning"
    ok "the pages hold the names" eval 'grep -q "EXIT STATUS" page-man.txt && grep -q "hotset-plan(1)" page-man.txt && grep -q "hotset graph import" page-man-graph-import.txt'
else
    skip "man renders every page" "man is not installed"
fi
cat man*.txt | grep -nE "^'|^\\.[^A-Za-z]" | none "no line of text begins with a control letter of roff"

# words of answers
for w in clique CSLP "peer access" assignment hotness alpha "NVLink neighbours" budget interval "held-out epoch" transaction; do
    ok "help $w: what it means, and the page that has more" eval '"$HOTSET" help "$w" >word.txt && [ "$(wc -w <word.txt)" -gt 10 ] && [ -s "$root/$(sed -n "s/^more: //p" word.txt)" ]'
done
ok "words in upper and lower case, several, one by one" eval '"$HOTSET" help Cliques | grep -q "^clique: " && "$HOTSET" help peer access | grep -q "^peer access: " && "$HOTSET" help left-of-uncached | grep -q "^left of"'
"$HOTSET" help --words | grep -oE '^[A-Za-z -]+: ' | tr -d : | while read -r w; do "$HOTSET" help "$w" >word.txt && [ -s "$root/$(sed -n "s/^more: //p" word.txt)" ] || echo "$w"; done | none "every word has a page that is there"
ok "commands come before words" eval '"$HOTSET" help plan | grep -q "^usage: hotset plan"'
ok "what is neither is refused" eval 'exits 2 "$HOTSET" help zebrafish && grep -q "is not a command" .stderr'
"$HOTSET" graph synth uniform --vertices 500 --edges 4000 --feature-dim 16 -o W --quiet >/dev/null
ok "--explain says the same of a column" eval '"$HOTSET" compare --graph W --server dgx-v100 --budget 5% --fanout 3,2 --batch 10 --policy dsp,hotset --simulate-epochs 1 --explain --quiet | tr "\n" " " | grep -qF "$("$HOTSET" help "peer access" | sed "/^more/d;s/\.$//" | tr "\n" " " | sed "s/ *$//")"'

# other names of options
while read -r c; do "$HOTSET" $c --help-all | grep -q -- '-o, --output ' && echo "$c"; done <list >writers
ok "commands write results with -o" eval '[ "$(wc -l <writers)" -ge 12 ]'
while read -r c; do
    for name in output out; do ok "$c: --$name is taken" eval 'exits 2 "$HOTSET" $c --'$name' && grep -q -- "--'$name' needs a value" "$work/.stderr"'; done
done <writers
{ while read -r c; do "$HOTSET" $c --help-all; done <list; cat man*.txt | sed 's/\\//g'; cat completion.*; } | grep -nE -- '--out( |$|[^a-z-])' | none "help, man page and completion name --output only"
"$HOTSET" server import --help-all | grep -nE -- '^ +--memory' | none "server import does not show the old name of --gpu-memory"
ok "nor does its completion" eval '! complete_words hotset server import --mem | grep -q memory && complete_words hotset plan --mem | grep -qx -- --memory'
printf '\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n' >topo.txt
"$HOTSET" server import topo.txt --gpu-memory 16GiB -o new.json >/dev/null 2>plain
ok "the old name is taken, with a note" eval '"$HOTSET" server import topo.txt --memory 16GiB --out old.json >/dev/null 2>note && [ "$(head -n 1 note)" = "hotset: --memory is now called --gpu-memory here" ]'
ok "and nothing else differs" eval 'diff <(tail -n +2 note) <(sed s/new.json/old.json/ plain) && cmp <(sed s/old/new/ old.json) new.json'
ok "the new name needs no note" eval '! grep -q "now called" plain'
finish
