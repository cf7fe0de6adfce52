#!/usr/bin/env bash
# The program's commands as Python functions: the same bytes as from the shell, results, errors, interruptions.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-${PYTHON:-python3}} lib=$root/${BUILD:-build}/lib
[ -d "$lib/hotset" ] || lib=${BUILD:-build}/lib
if ! "$python" -c 'import numpy' 2>/dev/null; then
    skip "hotset's commands from Python" "NumPy is not installed for $python"
    finish
fi
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1 HOTSET
"$HOTSET" graph synth community --vertices 2000 --edges 16000 --feature-dim 8 -o G --quiet >/dev/null
"$HOTSET" graph synth like ogbn-mag --scale 0.001 --feature-dim 8 -o M --quiet >/dev/null

# ---- ten plans and more, keywords beside words: every file the same bytes
while IFS='|' read -r keywords words; do
    # shellcheck disable=SC2086
    eval "\"$HOTSET\" plan --server dgx-v100:4 --batch 32 $words -o P --quiet" >/dev/null
    ok "same plan: $keywords" eval '"$python" -c "import hotset; hotset.make_plan(server=\"dgx-v100:4\", batch=32, path=\"Q\", quiet=True, $keywords)" && diff -rx .hotset P Q'
    rm -rf P Q
done <<'END2'
graph='G', budget='5%', fanout=[10, 5]|--graph G --budget 5% --fanout 10,5
graph=hotset.graph('G'), budget='2%', policy='legion', fanout=(5, 3)|--graph G --budget 2% --policy legion --fanout 5,3
graph='G', budget=4096, policy='quiver-plus', deal='global'|--graph G --budget 4096 --policy quiver-plus --assignment global
graph='G', clique_budget='40KiB', reach='own', bound=False|--graph G --clique-budget 40KiB --peer-access own
graph='G', budget='3%V', policy='gnnlab', seed=7|--graph G --budget 3%V --policy gnnlab --seed 7
graph='G', budget='5%', fanout=[5, 3, 2], frontier='all', threads=1|--graph G --budget 5% --fanout 5,3,2 --frontier all
graph='G', budget='5%', fanout=[8, 4], sampler='labor', labor_iterations=1|--graph G --budget 5% --fanout 8,4 --sampler labor --labor-iterations 1
graph='G', budget='4%', fanout=[8, 4], cache_type='f16'|--graph G --budget 4% --fanout 8,4 --cache-type f16
graph='G', budget='5%', fanout=[8, 4], order='blocks:4', deal='nested'|--graph G --budget 5% --fanout 8,4 --order blocks:4 --assignment nested
graph='G', budget='5%', fanout='8,4', presample_epochs=2, simulate_epochs=2, simulate_seed=3|--graph G --budget 5% --fanout 8,4 --presample-epochs 2 --simulate-epochs 2 --simulate-seed 3
graph='M', budget='2%', fanout={'cites': [5, 3], ('author', 'writes', 'paper'): [4, 2]}, simulate_epochs=1|--graph M --budget 2% --fanout "cites=5,3;author-writes->paper=4,2" --simulate-epochs 1
graph='M', budget='2%', fanout=[3, 2], cache_type={'paper': 'f16'}, simulate_epochs=1|--graph M --budget 2% --fanout 3,2 --cache-type paper=f16 --simulate-epochs 1
END2

# ---- the other commands, and all that needs a program of its own to be held against
"$HOTSET" plan --graph G --server dgx-v100:4 --batch 32 --budget 5% --fanout 10,5 --sampling gpu -o P --quiet >/dev/null
"$HOTSET" compare --graph G --server dgx-v100:4,siton --policy legion,hotset --budget 1%,5% --fanout 8,4 --batch 32 --quiet --json >compare.json
"$HOTSET" size --graph G --server dgx-v100:4 --target "hit-rate>=0.8" --fanout 8,4 --batch 32 --quiet --json >size.json
"$HOTSET" advise --graph G --server dgx-v100:2 --budget 5% --fanout 8,4 --batch 32 --quiet --json >advise.json
"$HOTSET" simulate P --epochs 2 --seed 9 --quiet --json >simulate.json
"$HOTSET" validate --quiet --json >validate.json
"$HOTSET" drift --graph G --server dgx-v100:2 --windows 4 --window-epochs 1 --fanout 8,4 --batch 32 --quiet --json >drift.json
"$HOTSET" curve P --points 20 --orders lru,degree-in --cache-share gpu --quiet --json >curve.json
"$HOTSET" what-if P --vary link=0.5..2 --quiet --json >what-if.json
"$HOTSET" trace record --graph G --server dgx-v100:4 --plan P --fanout 10,5 --batch 32 --epochs 1 --seed 5 -o T --quiet >/dev/null
"$HOTSET" refresh P --trace T -o R --quiet --json >refresh.json
"$python" -W ignore "$root/tests/lib/check_face.py" >verdicts 2>python.err
ok "the checks ran to their end" eval 'cat python.err verdicts | tail -n 30; tail -n 1 verdicts | grep -q "^ok end"'
while read -r verdict name; do ok "$name" [ "$verdict" = ok ]; done < <(grep -E '^(ok|failed) ' verdicts | grep -v '^ok end')
while read -r _ what; do skip "${what%%: *}" "${what#*: }"; done < <(grep '^skip ' verdicts)
ok "the example compares, draws, records and goes on with the next plan" eval '"$python" -m hotset.examples.compare >said && cat said && grep -q "^rows to load" said && grep -q "<polyline" compare.svg'
(cd "$root/simulator/lib/hotset" && for f in *.py examples/*.py; do f=${f##*/} f=${f%.py}; [ "$f" = __init__ ] || grep -q "\`$f\`" README.md || echo "$f"; done) | none "its README names every module"
"$python" "$root/tests/lib/check_docs.py" "$lib/hotset" | none "everything public has a docstring, and everything annotations"
ok "the options are the program's" eval 'python3 "$root/simulator/lib/package/options.py" "$HOTSET" | diff "$root/simulator/lib/hotset/_options.py" -'
ok "what each says is no qualification of what is cut off" "$python" -c 'import hotset, re; bad = [n for n, t in hotset._options.WORDS.items() if re.fullmatch("(Of|With|Without|Instead of|In|For)( [^ ]+){1,3}", t) or t in ("inference", "pipelined", "CPU threads, 0")]; assert not bad, bad'
ok "help() shows every option" "$python" -c 'import hotset, inspect; names = hotset._options.PlanOptions.__annotations__; assert len(names) > 70; doc = inspect.getdoc(hotset.make_plan); assert all("    %s: " % n in doc and n in inspect.signature(hotset.make_plan).parameters for n in names)'
found() { "$python" -c "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))" "$@"; }
if ! found mypy; then skip "mypy --strict" "mypy is not installed for $python"; else
    what="-p hotset"
    found torch torch_geometric dgl || { what=hotset/__init__.py; skip "mypy --strict over the modules for PyG, GraphBolt and torch" "these are not all installed for $python"; }
    # functions of torch itself that have no annotations may be called
    ok "mypy --strict has nothing to say: $what" eval '(cd "$lib" && MYPYPATH= PYTHONPATH= "$python" -m mypy --strict --untyped-calls-exclude=torch --no-error-summary --cache-dir="$work/.mypy" $what)'
    printf 'import hotset\nhotset.make_plan("G", "siton", bugdet="5%%")\n' >misspelt.py
    ok "mypy refuses a misspelt option" eval '"$python" -m mypy --strict --follow-imports=silent --cache-dir="$work/.mypy" misspelt.py | grep -q "Unexpected keyword argument .bugdet."'
fi
ok "pydoc shows shapes and errors" eval '"$python" -m pydoc hotset.make_plan >said && grep -q "hotset plan" said && "$python" -m pydoc hotset.Plan | grep -q "Raises Error"'
finish
