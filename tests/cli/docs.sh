#!/usr/bin/env bash
# The manual: make docs builds it, every link and anchor of its pages leads somewhere, nothing comes from a network, and its search finds things.
. "$(dirname "$0")/tap"
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import markdown' 2>/dev/null && { python=$p; break; }; done
[ -n "$python" ] || { skip "the manual" "Python has no package markdown (apt-get install python3-markdown)"; finish; }
cd "$root" || exit 2
ok "the manual is built" "$python" reports/manual/manual.py "$HOTSET" "$work/docs"
"$python" tests/cli/docs.py "$work/docs" | none "every link, anchor and picture of the manual is there, and none is of a network"
"$HOTSET" help --commands | while read -r c; do [ -s "$work/docs/command-${c// /-}.html" ] || echo "$c"; done | none "every command has a page"
"$HOTSET" list schemas --json | grep -oE '"name": "[a-z-]+/[0-9]"' | sed 's/.*"\(.*\)"/\1/' | while read -r s; do [ -s "$work/docs/document-${s//\//-}.html" ] || echo "$s"; done |
    none "every document has a page"
git ls-files 'planner/model/*.md' 2>/dev/null | while read -r f; do f=${f%.md}; [ -s "$work/docs/${f//\//-}.html" ] || echo "$f"; done | none "every page of the model is in the manual"
ok "there are man pages of tutorial, guide and model" [ -s "$work/docs/man/hotset-tutorial.7" -a -s "$work/docs/man/hotset-guide.7" -a -s "$work/docs/man/hotset-model-time.7" ]
if command -v man >/dev/null; then
    for page in "$work"/docs/man/*.7; do LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings=mac -l "$page" 2>&1 >/dev/null | grep -v "can't break line\|cannot adjust" | head -n 2; done | none "man reads them without a warning"
else
    skip "man reads them" "man is not installed"
fi
if command -v node >/dev/null; then
    for question in "budget hotset plan:command-plan.html#budget" "alpha sweep:planner-model-legion.html" "vip:planner-model-hotness.html" "index_bytes:document-plan-1.html" "tutorial:reports-manual-tutorial.html"; do
        ok "search finds '${question%%:*}'" node tests/cli/docs.js "$work/docs" "${question%%:*}" "${question#*:}"
    done
    for question in "memory:commands.html#memory" "--memory:commands.html#memory" "RAM limit:commands.html#memory" "memory limit:commands.html#memory" "fp16:command-plan.html#cache-type" \
        "half precision:command-plan.html#cache-type" "cache type:command-plan.html#cache-type" "cache size:command-plan.html#budget"; do
        ok "the first that search finds for '${question%%:*}' is the option" node tests/cli/docs.js "$work/docs" "${question%%:*}" "${question#*:}" 1
    done
    ok "and --feature-type is among the first for fp16" node tests/cli/docs.js "$work/docs" fp16 command-graph-import.html#feature-type 6
    ok "search finds nothing where nothing is" eval '! node tests/cli/docs.js "$work/docs" "zebrafish" ""'
else
    skip "search" "node is not installed"
fi
finish
