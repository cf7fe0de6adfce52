#!/usr/bin/env bash
# Wrong use is answered with what was found and what to type.
. "$(dirname "$0")/tap"

# says CODE TEXT COMMAND..: the exit code, and the text in a single sentence on stderr
says() {
    local code=$1 text=$2
    shift 2
    exits "$code" "$@" || return 1
    [ "$(grep -c '^hotset: ' "$work/.stderr")" = 1 ] && grep -qF -- "$text" "$work/.stderr" || { echo "expected: $text"; cat "$work/.stderr"; return 1; }
}

"$HOTSET" graph synth uniform --vertices 500 --edges 4000 --feature-dim 16 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 --simulate-epochs 1 -o P --quiet >/dev/null
"$HOTSET" trace record --graph G --server siton --fanout 3,2 --batch 10 --epochs 1 -o T --quiet >/dev/null
# says_early COMMAND..: gnuplot is missing, found before anything was made
says_early() { exits 4 env PATH="$work/path" "$HOTSET" "$@" -o early && [ ! -e early ] && grep -q '^hotset: gnuplot' "$work/.stderr"; }
files() { ls -A | grep -vxE "\.(found|said|stderr|tests|failed)"; }
files >before

# the frontier rule `layers`: what reads a row once per mini-batch refuses it, and hotset compares the rest
"$HOTSET" plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 --frontier layers --simulate-epochs 1 -o L --quiet >/dev/null
ok "layers: simulate" exits 0 "$HOTSET" simulate L --epochs 1 --quiet
ok "layers: a dynamic cache" says 2 "a dynamic cache is asked for it once per mini-batch" "$HOTSET" simulate L --cache lru --epochs 1 --quiet
ok "layers: mini-batches" says 2 "the files of mini-batches list it once" "$HOTSET" simulate L --export-batches B --epochs 1 --quiet
ok "layers: execute" says 1 "gathers it once per mini-batch" "$HOTSET" execute L --run-epochs 1 --quiet
ok "layers: bgl is not planned, the others are" eval '"$HOTSET" compare --graph G --server siton --policy bgl,hotset --budget 5% --fanout 3,2 --batch 10 --frontier layers --quiet | unbroken >table && grep -q "reads it once per layer" table && grep -q "^hotset .* %" table'
ok "layers: walks" says 2 "a random walk has no frontier" "$HOTSET" plan --graph G --server siton --budget 5% --sampler walk --frontier layers -o W
rm -rf L table
files >before

# outputs: refused before any work, and nothing is left
mkdir empty && cd empty || exit 2
for o in . .. ./ sub/.. / ../empty/.; do ok "-o $o has no name" says 2 "-o $o: has no name of its own" "$HOTSET" graph synth uniform --vertices 9 --edges 9 -o $o; done
ok "server import -o ." says 2 "-o .: has no name of its own" "$HOTSET" server import "$root"/hwprofiles/servers/siton.json -o .
cd .. && rmdir empty
ok "-o over the plan that is read" says 3 "which this command reads" "$HOTSET" simulate P --epochs 1 --quiet -o P/plan.json
ok "-o over a graph" says 3 "which this command reads" "$HOTSET" compare --graph G --server siton --policy random --quiet -o G/graph.json
ok "the plan is whole" exits 0 "$HOTSET" verify P --quiet
ok "a place where nothing can be made" says 3 "/proc/Q: cannot be written" "$HOTSET" plan --graph G --server siton --budget 5% --fanout 3,2 --batch 10 -o /proc/Q
mkdir path
ok "demo without gnuplot" says_early demo
ok "reproduce without gnuplot" says_early reproduce --only legion-fig2
ok "report without gnuplot" says_early report P
rm -rf path

# a slash behind a folder changes nothing
"$HOTSET" report P -o W1 --quiet >/dev/null && "$HOTSET" report P/ -o W2/ --quiet >/dev/null
ok "report: P/ is P" diff -rx .hotset W1 W2
mkdir moved && cp -r G P moved/
ok "a plan that moved with its graph" exits 0 "$HOTSET" simulate moved/P/ --epochs 1 --quiet
mv G away
ok "and finds it beside itself" exits 0 "$HOTSET" simulate moved/P/ --epochs 1 --quiet
mv away G && rm -rf W1 W2 moved

# one dash
while read -r option meant command; do ok "$command $option is $meant elsewhere" says 2 "'$option' is not known, did you mean ${meant/_/ }?;" "$HOTSET" ${command/_/ } $option 5%; done <<'W'
--max-memory --memory plan
--ram --memory graph_import
--cache --budget plan
--cache --budget compare
--fp16 --cache-type_f16 plan
--half --cache-type_f16 size
--float16 --feature-type_f16 graph_import
--sockets --socket-rows plan
W
ok "and no option that the command has not" eval 'exits 2 "$HOTSET" graph info --fp16 && ! grep -q "did you mean" .stderr'
ok "-graph is not -g raph" says 2 "did you mean --graph?" "$HOTSET" plan -graph G --server siton --force -o Q
ok "nor -graph=G" says 2 "did you mean --graph?" "$HOTSET" plan -graph=G --server siton --force -o Q
ok "-output is not -o utput" says 2 "did you mean --output?" "$HOTSET" compare --graph G --server siton -output Q
ok "fan-outs with dashes" says 2 "fanout: '25-10' is not a list of integers; write them with commas between" "$HOTSET" plan --graph G --server siton --fanout 25-10 --force -o Q
ok "-seed, a common option" says 2 "did you mean --seed?" "$HOTSET" plan --graph G --server siton -seed 3 --force -o Q
ok "-oDIR is an option with its value" exits 0 "$HOTSET" export P --to npy -oX --simulate-epochs 0 --quiet

# what is missing
ok "plan: one option" says 2 "plan: --server S (or --cluster FILE) is missing; expected: hotset plan --graph G" "$HOTSET" plan --graph G --force -o Q
ok "plan: two" says 2 "plan: --graph G and -o P are missing" "$HOTSET" plan --server siton
ok "plan: three" says 2 "plan: --graph G, --server S (or --cluster FILE) and -o P are missing" "$HOTSET" plan
ok "size: one of two" says 2 "size: --graph G (or --stand-in NAME) is missing" "$HOTSET" size --server siton
ok "size: the other is enough" says 3 "nosuch" "$HOTSET" size --stand-in products --server nosuch --quiet
ok "size: both" says 2 "exclude each other" "$HOTSET" size --stand-in products --graph G --server siton
ok "export" says 2 "export: --to TARGET is missing" "$HOTSET" export P --force -o Q
ok "report" says 2 "report: -o DIR is missing" "$HOTSET" report R.json
ok "graph import" says 2 "graph import: -o G is missing" "$HOTSET" graph import edges
while read -r c; do # options of the usage line outside of brackets
    "$HOTSET" $c -h | sed -n 's/^usage: hotset //p' | sed 's/\[[^]]*\]//g' | grep -qE -- ' (--[a-z]+|-o) ' || continue
    for words in "" "a" "a b"; do "$HOTSET" $c $words </dev/null 2>&1 >/dev/null; done | grep -q "missing" || echo "$c"
done < <(commands | grep -v simulate) | none "a missing option is named wherever the usage line has one"

# -o -
for c in "plan --graph G --server siton" "compare --graph G --server siton --policy random" "graph synth uniform --vertices 9 --edges 9" "report P" "simulate P --epochs 1" "graph import -"; do
    ok "${c%% -*}: -o - is refused" says 2 "not to standard output" "$HOTSET" $c -o -
done
ok "a folder called - can be written" exits 0 "$HOTSET" graph synth uniform --vertices 9 --edges 9 -o ./- --quiet
rm -rf ./-

# numbers
ok "--hbm-gbps below 0" says 2 "--hbm-gbps: -3 is out of range" "$HOTSET" export P --to ugache --hbm-gbps -3 --pcie-gbps 8 --force -o Q
ok "--pcie-gbps below 0" says 2 "--pcie-gbps: -8 is out of range" "$HOTSET" export P --to ugache --hbm-gbps 300 --pcie-gbps=-8 --force -o Q
size="$HOTSET size --graph G --server siton --fanout 3,2 --batch 10 --target"
ok "a percentage without %" says 2 "write 'hit-rate>=90%' or 'hit-rate>=0.9'" $size 'hit-rate>=90'
ok "a time without a unit" says 2 "write 'epoch-time<=2s'" $size 'epoch-time<=2'
plan="$HOTSET plan --graph G --server siton --fanout 3,2 --batch 10 --quiet -o N"
ok "a budget as a fraction" says 2 "--budget: '0.05' has no unit; write 5% for a share of topology and feature bytes, or 0.05GiB" $plan --budget 0.05
ok "a budget without a unit, below a row" says 2 "'5' means bytes, which do not hold one feature row (64 bytes); write 5% for a share, 5GiB for a size, or 5B" $plan --budget 5
ok "a unit of one letter" says 2 "--budget: '64g' is not a size; write 64GiB" $plan --budget 64g
ok "two percent signs" says 2 "--budget: '5%%' is not a share; write 5%" $plan --budget 5%%
ok "bytes that are meant" exits 0 $plan --budget 5B --simulate-epochs 0
rm -rf N
ok "a reservation without a unit" says 2 "--reserve: '2' means bytes" $plan --reserve 2
ok "the limit of memory without a unit" says 2 "--memory: '16' means bytes" $plan --memory 16
for c in "plan --graph G --server siton --fanout 3,2 -o N" "compare --graph G --server siton --budget 2% --fanout 3,2" "size --graph G --server siton --price 0 --fanout 3,2"; do
    ok "${c%% *}: host memory without a unit" says 2 "(4096 bytes); write 64GiB for a size, or 64B where bytes are meant" "$HOTSET" $c --host-memory 64
done

# arrays and ids
arrays() { python3 - <<'PYTHON'
import struct
def save(name, kind, shape, data):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)).encode()
    head += b' ' * (64 - (len(head) + 11) % 64) + b'\n'
    open(name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + data)
save('flat.npy', '<f4', '(8000,)', bytes(32000))
save('one.npy', '<f4', '(500,)', bytes(2000))
save('turned.npy', '<f4', '(16, 500)', bytes(32000))
save('wide.npy', '<f4', '(500, 32)', bytes(64000))
save('reals.npy', '<f8', '(2, 2)', struct.pack('<4d', 0, 1, 1, 2))
PYTHON
}
arrays
for c in "export P --to dgl --force -o Q" "execute P"; do
    ok "${c%% *}: flat features" says 3 "has shape (8000,), but features of this graph have shape (500, 16); save it as np.save(FILE, a.reshape(500, 16))" "$HOTSET" $c --features flat.npy
    ok "${c%% *}: 1-D features" says 3 "has shape (500,), but features of this graph have shape (500, 16)" "$HOTSET" $c --features one.npy
    ok "${c%% *}: transposed features" says 3 "save its transpose" "$HOTSET" $c --features turned.npy
    ok "${c%% *}: another dimension" says 3 "--feature-dim 32" "$HOTSET" $c --features wide.npy
done
import() { printf "$1" >edges.txt && says 3 "$2" "$HOTSET" graph import edges.txt --force -o Q; }
ok "ids with a fraction" import '0 1\n1.0 2\n' "line 2 has '1.0', which is not an integer ('1.0 2'); expected two vertex ids, separated by blanks, a tab or a comma; write 1 instead"
ok "ids that are reals throughout" import '0.0 1.0\n1.0 2.0\n' "line 2 has '1.0', which is not an integer"
ok "names, and a line of numbers" import 'alice bob\nbob carol\n1 2\n' "line 3 ('1 2') has two numbers, but ids above it are names"
ok "names behind a header, one empty" import '# friends\nsource,target\nalice,bob\ncarol,\n' "line 4: the name is empty"
ok "a name among numbers asks" import '0 1\nx 2\n' "if vertices have names, --names takes every id as one"
ok "ids as reals in an array" says 3 "save them with .astype('int64')" "$HOTSET" graph import reals.npy --force -o Q

# one kind of folder or document in the place of another
ok "report of a graph" says 3 "G/graph.json: is a graph (graph/1), expected results/1" "$HOTSET" report G/graph.json --force -o Q
ok "and what to type" grep -qF "type 'hotset graph info G'" "$work/.stderr"
ok "report of a graph directory" says 3 "G: is a graph directory, expected a plan directory" "$HOTSET" report G --force -o Q
ok "report of a trace" says 3 "is a trace (trace/1)" "$HOTSET" report T/trace.json --force -o Q
"$HOTSET" server show siton --json >S.json && echo '{}' >other.json
ok "report of a server" says 3 "type 'hotset server show S.json'" "$HOTSET" report S.json --force -o Q
ok "report of another's document" says 3 'has no "schema"' "$HOTSET" report other.json --force -o Q
for c in simulate verify execute "explain --vertex 1" "export --to npy --force -o Q" "diff P"; do
    ok "${c%% *}: a graph is no plan" says 3 "G: is a graph directory, expected a plan directory" "$HOTSET" $c G
    ok "${c%% *}: plan.json is not its folder" says 3 "P/plan.json: is a file of a plan directory; name the directory: P" "$HOTSET" $c P/plan.json
    ok "${c%% *}: no such plan" says 3 "nosuch: does not exist, expected a plan directory" "$HOTSET" $c nosuch
done
plan="$HOTSET plan --server siton --fanout 3,2 --batch 10 --budget 5% --quiet --force -o Q --graph"
ok "a plan is no graph" says 3 "P: is a plan directory, expected a graph directory" $plan P
ok "graph.json is not its folder" says 3 "name the directory: G" $plan G/graph.json
ok "a file of edges is no graph yet" says 3 "create one with 'hotset graph import'" $plan edges.txt
ok "a graph is no trace" says 3 "G: is a graph directory, expected a trace directory" $plan G --trace G
(cd G && ok "the folder of a document without a slash" says 3 "name the directory: ." "$HOTSET" graph info graph.json)

rm -rf X S.json other.json edges.txt ./*.npy
files | diff before - | grep -v before | none "nothing was written"

# standard input and pipes
printf '0 1\n1 2\n2 0\n' >edges.txt
"$HOTSET" graph import edges.txt --name g -o A --quiet >/dev/null
same() { diff -rx .hotset A B && rm -r B; }
ok "a graph from a pipe" eval 'cat edges.txt | "$HOTSET" graph import - --name g --force -o B --quiet && same'
ok "compressed, and by its other name" eval 'gzip -c edges.txt | "$HOTSET" graph import /dev/stdin --name g -o B/ --quiet && same'
ok "from a file" eval '"$HOTSET" graph import - --name g --force -o B --quiet <edges.txt && same'
ok "from a process" eval '"$HOTSET" graph import <(cat edges.txt) --name g --force -o B --quiet && same'
ok "from two" eval '"$HOTSET" graph import <(head -n 1 edges.txt) <(tail -n 2 edges.txt) --name g --force -o B --quiet && same'
"$HOTSET" graph import edges.txt --name g --train <(echo 1) --force -o B --quiet >/dev/null
ok "training vertices from a process" eval '"$HOTSET" graph info B --json | grep -q "\"train_vertices\": 1,"'
rm -r B
ok "mistakes have a plain name" eval 'printf "0 1\n1 x\n" | "$HOTSET" graph import - --force -o B 2>said; [ $? = 3 ] && grep -q "^hotset: standard-input: line 2 " said'
ok "a pipe is read once" eval 'cat edges.txt | "$HOTSET" graph import - - --force -o B 2>said; [ $? = 2 ] && grep -q "named twice" said'
ok "nothing is an empty input" says 3 "standard-input: is empty" "$HOTSET" graph import - --force -o B
printf '\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n' >topo.txt
ok "a server from a pipe" eval 'cat topo.txt | "$HOTSET" server import - --name s --gpu-memory 1GiB -o one.json --quiet && "$HOTSET" server import topo.txt --name s --gpu-memory 1GiB -o two.json --quiet && cmp one.json two.json'
ok "no copy stays" eval '! ls -A | grep "input"'
if ! command -v script >/dev/null; then
    skip "a terminal is no input" "script is not installed"
elif ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    skip "a terminal is no input" "no pseudo-terminal can be made here"
else
    ok "a terminal is no input" eval 'script -qec "$HOTSET graph import - --force -o B" /dev/null </dev/null | grep -q "standard input is a terminal"'
fi

# bytes
"$HOTSET" server import topo.txt --name s --gpu-memory 4096 -o small.json --quiet >/dev/null
ok "what-if of paths that are not there" says 3 "nothere: does not exist, expected a plan directory" "$HOTSET" what-if nothere other
ok "many bytes are also said in GiB" says 1 " bytes (1.14 GiB)" "$HOTSET" plan --graph G --server small.json --fanout 3,2 --batch 10 --quiet --force -o Q
# commands of groups
ok "a command of one group is found" says 2 "'synth' is not a command, did you mean 'graph synth'?" "$HOTSET" synth rmat
ok "and one of several" says 2 "'import' is not a command, did you mean 'server import' or 'graph import' or 'trace import'?" "$HOTSET" import x
# a mini-batch beyond what a GPU trains: 500 vertices, 10 % train, 25 on each of two GPUs
few="--graph G --fanout 3,2 --presample-epochs 1 --simulate-epochs 1"
share="a GPU of siton:2 trains about 25 vertices per epoch"
told() { "$HOTSET" "$@" >/dev/null 2>said; [ "$(grep -c "^hotset: --batch 26: $share, fewer than that, so its epoch is one mini-batch of them" said)" = 1 ]; }
# shellcheck disable=SC2086
{
    ok "plan says that a mini-batch is all that a GPU trains" told plan $few --server siton:2 --budget 5% --batch 26 --force -o Q
    ok "compare says it once" told compare $few --server siton:2,siton:4 --budget 5%,6% --policy hotset,legion --batch 26
    ok "so does size" told size $few --server siton:2,siton:4 --target 'hit-rate>=0.5' --batch 26
    ok "a mini-batch that it trains is not worth a word" eval '! told plan $few --server siton:2 --budget 5% --batch 25 --force -o Q && ! grep -q "fewer than that" said'
}
# words that have no place
ok "a graph without its option" says 2 "'G' is one argument too many after 'compare'; a graph is given as --graph G" "$HOTSET" compare G --server dgx-v100
ok "a share with a blank" says 2 "'%' is one argument too many after 'plan'; values have no blanks, as in 25,10 and 5%" "$HOTSET" plan --graph G --server dgx-v100 --budget 5 % --force -o Q
ok "other words have no hint" says 2 "'now' is one argument too many after 'plan'; expected:" "$HOTSET" plan now --graph G

# near misses: what somebody typed, but not what a folder lacks
echo '{}' >R.json
ok "a file that is nearly there" says 3 "R.jsn: cannot be opened (No such file or directory); check the path; did you mean R.json?" "$HOTSET" report R.jsn -o page
ok "a folder that is nearly there" says 3 "did you mean G?" "$HOTSET" plan --graph GG --server siton --force -o Q
ok "nothing near is no hint" eval 'exits 3 "$HOTSET" report nothing.zzz -o page && ! grep -q "did you mean" .stderr'
cp -r G damaged && mv damaged/indptr.npy damaged/indptr.old
ok "what a folder lacks has no hint" eval 'exits 3 "$HOTSET" plan --graph damaged --server siton --force -o Q && grep -q "damaged/indptr.npy: cannot be opened" .stderr && ! grep -q "did you mean" .stderr'
rm -r damaged R.json
ok "a graph has info" says 2 "'show' is not a command of hotset graph, did you mean 'info'?; 'hotset graph -h' lists them" "$HOTSET" graph show G
ok "a server has show" says 2 "'info' is not a command of hotset server, did you mean 'show'?; 'hotset server -h' lists them" "$HOTSET" server info siton
ok "what others call a command" says 2 "'plots' is not a command, did you mean 'report'?" "$HOTSET" plots
ok "version is a word, too" eval '[ "$("$HOTSET" version)" = "$("$HOTSET" --version)" ]'
like() { "$HOTSET" plan --graph G --server siton --budget 5% --simulate-epochs 1 "$@" >/dev/null; }
ok "PyG's words are taken" eval 'like --fanout 3,2 --batch 10 -o Pa -q 2>quiet && like --num-neighbors 3,2 --batch-size 10 -o Pb -q 2>>quiet && cmp Pa/plan.json Pb/plan.json && ! [ -s quiet ]'
rm -r Pa Pb quiet
finish
