#!/usr/bin/env bash
# The installed library as its users meet it: pkg-config, the C example shared and static, the package, the training examples.
. "$(dirname "$0")/../cli/tap"

: "${CC:=cc}"
python=${HOTSET_PYTHON:-${PYTHON:-python3}}
mk() { flock "$root/Makefile" make -C "$root" --no-print-directory -s BUILD="${BUILD:-build}" "$@"; }
p=$work/p
mk install PREFIX="$p" >/dev/null 2>&1
"$HOTSET" graph synth community --vertices 3000 --edges 30000 --feature-dim 8 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100 --policy hotset --budget 8% --fanout 10,5 --batch 32 --simulate-epochs 0 -o P --quiet >/dev/null
"$HOTSET" simulate P --seed 99 --epochs 2 --json --quiet >judged.json
"$HOTSET" simulate P --seed 99 --epochs 2 --export-batches B --quiet >/dev/null

# ---- C
# the answer, from the files alone: peers of GPU 2 that plan.json states in their order, then the lists
ids() { od -An -v -tu4 -w4 -j128 "P/gpu$1_feature.npy" | awk -v g="$1" '{ print $1, "GPU", g, "slot", NR - 1 }'; }
peers=$(awk '/"gpus": \[/ && !/cliques/ { } /"id": 2,/ { on = 1 } on && /"peers": \[/ { list = 1; next } list && /\]/ { exit } list { gsub(/[ ,]/, ""); print }' <(sed '/^ "server": {/,/^ }/d' P/plan.json)) # the server's own list of GPUs is not meant
{ ids 2; for g in $peers; do ids "$g"; done; } | awk '!($1 in seen) { seen[$1] = 1; print }' | sort >held
seq 0 2999 | awk 'NR == FNR { held[$1] = $0; next } { print ($1 in held) ? held[$1] : $1 " host" }' held - >want
ok "the truth is not trivial" eval 'grep -q host want && grep -q "GPU 2 " want && [ $(grep -c "GPU [013-7] " want) -gt 10 ]'
if ! command -v pkg-config >/dev/null; then skip "the C example" "pkg-config is not installed"; else
    export PKG_CONFIG_PATH=$p/lib/pkgconfig
    ok "pkg-config knows the version" eval '[ "$(pkg-config --modversion hotset)" = 2.0.0 ]'
    # shellcheck disable=SC2046
    ok "the example builds" $CC ${SANITIZE:-} -Wall -Wextra -Werror "$root/simulator/lib/examples/serve.c" $(pkg-config --cflags --libs hotset) -o serve
    ok "the example runs" eval 'seq 0 2999 | LD_LIBRARY_PATH=$p/lib ./serve P 2 >have'
    ok "the example serves what the files say" diff want have
    ok "the example is 60 lines at most" eval '[ $(wc -l <"$root/simulator/lib/examples/serve.c") -le 60 ]'
    # shellcheck disable=SC2046
    ok "the example builds against the static library" $CC ${SANITIZE:-} $(pkg-config --cflags hotset) "$root/simulator/lib/examples/serve.c" "$p/lib/libhotset.a" $(pkg-config --static --libs-only-l hotset | sed 's/-lhotset//') -pthread -o serve-static
    ok "and serves the same" eval 'seq 0 2999 | ./serve-static P 2 | diff want -'
    # shellcheck disable=SC2046
    ok "the gathering example builds" $CC ${SANITIZE:-} -Wall -Wextra -Werror "$root/simulator/lib/examples/gather.c" $(pkg-config --cflags --libs hotset) -o gather
    ok "it gathers mini-batches" eval 'LD_LIBRARY_PATH=$p/lib ./gather P B >gathered'
    # rows and visits by place as simulate counted them, from its document: the lines after "feature_rows" and "topology_visits" of each GPU
    awk -F'[:,]' '/"id":/ { id = $2 } /"feature_rows"/ { on = "rows" } /"topology_visits"/ { on = "visits" } on && /"local"/ { own = $2 } on && /"peer"/ { peer = $2 }
        on && /"host"/ { print "GPU" id " " on " own" own " peer" peer " host" $2; on = "" }' judged.json >counted
    ok "each GPU reads rows and neighbour lists of all three places" eval '[ "$(grep -c . counted)" = 16 ] && ! grep -q " 0\b" <(cut -d" " -f3- counted)'
    ok "rows and visits of its own, of peers and of the host are those of the simulation" diff counted gathered
    ok "a plan that is not there is told" eval 'exits 3 env LD_LIBRARY_PATH=$p/lib ./serve nowhere 2; grep -q "nowhere/plan.json" .stderr'
fi

# ---- Python
if ! "$python" -c 'import numpy' 2>/dev/null; then skip "the package" "NumPy is not installed for $python"; else
    export PYTHONPATH=$p/share/hotset PYTHONDONTWRITEBYTECODE=1
    cp "$root/tests/lib/check_python.py" .
    "$python" check_python.py P G have 2>python.err | while read -r verdict name; do echo "$verdict $name" >>verdicts; done
    ok "the package ran to its end" eval 'cat python.err; tail -n 1 verdicts | grep -q "^ok end"'
    while read -r verdict name; do ok "the package: $name" [ "$verdict" = ok ]; done < <(grep -v '^ok end' verdicts)
    mkdir typed
    ok "graphs and plans with several node types" "$python" -W ignore "$root/tests/lib/check_typed.py" "$HOTSET" typed
    # mini-batches, gathered
    cp "$root/tests/lib/check_gather.py" .
    "$python" check_gather.py P G B judged.json 2>python.err >gathered
    ok "a replay through the package ran to its end" eval 'cat python.err; tail -n 1 gathered | grep -q "^ok end"'
    while read -r verdict name; do ok "replay: $name" [ "$verdict" = ok ]; done < <(grep -v '^ok end' gathered)
    "$python" -c 'import torch' 2>/dev/null || skip "replay: torch tensors" "torch is not installed for $python"
    mkdir beside && cp -r "$p/share/hotset/hotset" beside
    ok "the package finds the library beside its folder" eval 'cp "$p"/lib/libhotset.so.2 beside/ && PYTHONPATH=beside "$python" -c "import hotset; hotset.Plan(\"P\")"'
    ok "the package finds the library in its folder" eval 'mv beside/libhotset.so.2 beside/hotset && PYTHONPATH=beside "$python" -c "import hotset; hotset.Plan(\"P\")"'
    rm beside/hotset/libhotset.so.2
    mkdir -p moved/share/hotset moved/lib && cp -r beside/hotset moved/share/hotset && cp "$p"/lib/libhotset.so.2 moved/lib
    ok "the package finds the library below its prefix" eval 'PYTHONPATH=moved/share/hotset "$python" -c "import hotset; hotset.Plan(\"P\")"'
    ok "the package finds the library on the loader's path" eval 'PYTHONPATH=beside LD_LIBRARY_PATH=moved/lib "$python" -c "import hotset; hotset.Plan(\"P\")"'
    ok "the package finds the library that HOTSET_LIBRARY names" eval 'PYTHONPATH=beside HOTSET_LIBRARY=moved/lib/libhotset.so.2 "$python" -c "import hotset; hotset.Plan(\"P\")"'
    ok "the package in a checkout finds the library of the build" eval '"$python" -c "import sys; sys.path.insert(0, \"$root/simulator/lib\"); import hotset; hotset.Plan(\"P\")" || [ "${BUILD:-build}" != build ]'
    ok "the package says so where there is none" eval '! PYTHONPATH=beside "$python" -c "import hotset" 2>said; grep -q "libhotset was not found" said'
    ok "the package says how to name a library that is not there" eval '! HOTSET_LIBRARY=/nowhere/lib.so "$python" -c "import hotset" 2>said; grep -q "set HOTSET_LIBRARY" said'
fi
examples=$root/simulator/lib/examples
if ! "$python" -c "import numpy, torch" 2>/dev/null; then skip "gather.py gathers alike with and without hotset_gather" "torch is not installed for $python"; else
    cat >alike.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import torch, hotset
from gather import Cache
plan = hotset.Plan("P")
features = torch.randn(plan.vertices, 8)
one, other = Cache(plan, features), Cache(plan, features, one_call=False)
assert one.readers and not other.readers
for reader in plan.gpus:
    ids = torch.randint(plan.vertices, (700,))
    assert torch.equal(one.gather(reader, ids), features[ids]) and torch.equal(other.gather(reader, ids), features[ids])
assert one.counts == other.counts and all(one.counts.values()), (one.counts, other.counts)
END
    ok "gather.py gathers alike with and without hotset_gather" "$python" alike.py "$examples"
fi
for need in torch torch_geometric; do
    script=graphsage.py
    [ $need = torch ] || script=pyg.py
    if ! "$python" -c "import numpy, torch, $need" 2>/dev/null; then skip "$script trains on gathered batches" "$need is not installed for $python"; else
        ok "$script trains on gathered batches" eval '"$python" "$examples/$script" P G --epochs 2 --batch 32 >trained && cat trained && grep -qE "^[1-9][0-9]* batches equal" trained'
    fi
done
finish
