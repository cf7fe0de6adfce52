#!/usr/bin/env bash
# Layer-neighbour sampling from the command line: what documents say, what is refused, equal counts on any number of threads, fewer rows than uniform,
# held-out epochs that are recorded as they are simulated, dynamic caches that gain from dependent mini-batches.
# With DGL (GRAPHBOLT_PYTHON names a Python that has dgl 2.1.0) the rows of mini-batches are those of its LaborSampler within three standard errors.
. "$(dirname "$0")/tap"
ours=$root/${BUILD:-build}/tests/rivals/ours
case ${BUILD:-} in /*) ours=$BUILD/tests/rivals/ours ;; esac
"$HOTSET" graph synth rmat --vertices 20000 --edges 400000 --quiet -o G >/dev/null
how="--graph G --server dgx-v100 --fanout 5,3 --batch 64 --quiet"
record() { "$HOTSET" trace record $how --epochs 2 "$@" >/dev/null; }
# Feature reads of all mini-batches, from a plan's held-out epochs.
rows() {
    "$HOTSET" plan $how --budget 2% --simulate-epochs 2 --json "$@" --force -o P >plan
    rm -rf P
    python3 -c 'import json; print(sum(sum(g["feature_rows"].values()) for g in json.load(open("plan"))["simulated"]["gpus"]))'
}

ok "a trace of labor, one thread" record --sampler labor --labor-iterations 1 --batch-dependency 4 --threads 1 -o one
ok "the same on three" record --sampler labor --labor-iterations 1 --batch-dependency 4 --threads 3 -o three
for f in hotness_topology hotness_feature visits folds; do ok "equal $f" cmp one/$f.npy three/$f.npy; done
ok "the document says how" eval 'tr -d " \n" <one/trace.json | grep -q "\"sampler\":\"labor\",\"labor_iterations\":1,\"batch_dependency\":4,\"layer_dependency\":false"'
ok "until it converges" record --sampler labor --labor-iterations '*' -o star
ok "is -1 in the document" grep -q '"labor_iterations": -1' star/trace.json
rest
ok "a plan from the trace takes its sampler" eval '"$HOTSET" plan --graph G --server dgx-v100 --budget 2% --trace one --quiet --force -o P >/dev/null && grep -q "\"batch_dependency\": 4" P/plan.json'
ok "and trace record --plan the plan's" eval '"$HOTSET" trace record --graph G --server dgx-v100 --plan P --epochs 1 --quiet -o again >/dev/null && grep -q "\"batch_dependency\": 4" again/trace.json'
"$HOTSET" plan $how --sampler labor --batch-dependency 4 --budget 2% --simulate-epochs 3 --simulate-seed 7 -o Q >/dev/null 2>&1
"$HOTSET" trace record --graph G --server dgx-v100 --plan Q --seed 7 --epochs 3 --quiet -o held >/dev/null 2>&1
same_rows() {
    python3 - Q/plan.json held/hotness_feature.npy <<'END'
import json, struct, sys
gpus = json.load(open(sys.argv[1]))["simulated"]["gpus"]
told = [sum(g["feature_rows"].values()) for g in gpus]
data = open(sys.argv[2], "rb").read()
start = 10 + struct.unpack("<H", data[8:10])[0]
counts = memoryview(data[start:]).cast("I")
n = len(counts) // len(told)
found = [sum(counts[i * n:(i + 1) * n]) for i in range(len(told))]
sys.exit(f"simulated {told}, recorded {found}" if told != found or not sum(told) else 0)
END
}
ok "held-out epochs of kappa 4 are recorded as they were simulated" same_rows
ok "without folds, whose mini-batches would depend on each other" eval '[ ! -e held/folds.npy ] && "$HOTSET" plan --graph G --server dgx-v100 --budget 2% --trace held --simulate-epochs 0 --quiet -o R >/dev/null'
ok "their interval comes from whole epochs" eval '! "$HOTSET" simulate Q --epochs 3 --json --quiet | grep -q "\"total_interval\": null"'
ok "so one epoch has none" eval '"$HOTSET" simulate Q --epochs 1 --json --quiet | grep -q "\"total_interval\": null"'
# Feature rows that LRU caches of 2000 rows miss in three epochs.
missed() {
    "$HOTSET" plan $how --assignment clique --budget 2% --simulate-epochs 0 --sampler labor "$@" -o C >/dev/null 2>&1
    "$HOTSET" simulate C --cache lru --cache-rows 2000 --epochs 3 --seed 5 --json --quiet >lru
    rm -rf C
    python3 -c 'import json; print(sum(g["feature_rows"]["host"] for g in json.load(open("lru"))["rows"][0]["simulated"]["gpus"]))'
}
once=$(missed) more=$(missed --batch-dependency 64)
ok "an LRU cache misses fewer rows where mini-batches depend: $once, $more with kappa 64" [ "$more" -lt "$once" ]
shared_plan() {
    for kappa in 1 16; do "$HOTSET" plan $how --budget 2% --simulate-epochs 0 --sampler labor --batch-dependency $kappa -o K$kappa >/dev/null 2>&1; done
    for file in K1/*.npy; do cmp "$file" K16/"${file#K1/}" || return 1; done
}
ok "kappa leaves a static plan as it is" shared_plan
ok "vip does not know the sampler" eval '! "$HOTSET" plan $how --sampler labor --budget 2% --hotness vip -o no 2>why >/dev/null && grep -q "labor" why && [ ! -e no ]'
uniform=$(rows) plain=$(rows --sampler labor) once=$(rows --sampler labor --labor-iterations 1) star=$(rows --sampler labor --labor-iterations '*')
shared=$(rows --sampler labor --layer-dependency)
ok "fewer rows with each step: $uniform uniform, $plain labor, $once with an iteration, $star when they converge, $shared with shared hops" \
    [ "$plain" -lt "$uniform" -a "$once" -lt "$plain" -a "$star" -lt "$once" -a "$shared" -lt "$plain" ]
for wrong in "--labor-iterations 1" "--batch-dependency 2" "--layer-dependency" "--sampler labor --labor-iterations 51" "--sampler labor --batch-dependency 0"; do
    # shellcheck disable=SC2086
    ok "refused: $wrong" eval '! "$HOTSET" trace record $how $wrong -o no 2>why >/dev/null && grep -q -e "--" why && [ ! -e no ]'
done
if [ ! -x "$ours" ]; then
    skip "DGL's mini-batches" "$ours is not built; make test builds it"
elif "${GRAPHBOLT_PYTHON:-python3}" -c 'import dgl.dataloading, numpy' 2>/dev/null; then
    ok "as many rows as DGL's mini-batches, and as many of the mini-batch before" eval '"${GRAPHBOLT_PYTHON:-python3}" "$root/tests/rivals/labor.py" "$ours" G >dgl 2>trouble || { cat dgl trouble; false; }'
else
    skip "DGL's mini-batches" "no dgl; GRAPHBOLT_PYTHON names a Python that has it (pip install --no-deps dgl==2.1.0; pip install torch==2.2.1 torchdata==0.7.1 'numpy<2' ..)"
fi
finish
