#!/usr/bin/env bash
# plan --for RUNTIME: never above what export loses of a free plan, below it for at least three runtimes, on a real graph.
. "$(dirname "$0")/tap"

"$HOTSET" graph import "$root/tests/data/squirrel.npz" -o G --feature-dim 64 --train-share 0.5 --quiet >/dev/null
lower=0
for runtime in pyg wholegraph glt graphbolt quiver legion; do
    rm -rf P E
    "$HOTSET" plan --graph G --server dgx-v100:4 --for $runtime --budget 4% --fanout 10,5 --batch 100 -o P --quiet >said
    cat >check.py <<'END'
import json, sys
p, runtime = json.load(open("P/plan.json")), sys.argv[1]
f = p["for"]
print(f)
assert f["runtime"] == ("dgl" if runtime == "graphbolt" else runtime) and f["loss"] <= f["free_loss"]
assert (f["free_loss"] < 0) == (runtime == "pyg") == (p["topology_access"] == "cpu")  # PyG's CPU samples, and reads no list over PCIe
assert (p["workload"]["frontier"] == "all") == (runtime == "graphbolt")  # which GraphBolt has alone
if runtime != "legion":
    assert all(g["topology"]["count"] == 0 < g["feature"]["count"] for g in p["gpus"])
    assert p["simulated"]["total_transactions"] == f["as_run"], "the runtime executes another plan than it was made for"
assert abs(f["loss"] - (f["as_run"] / f["free_transactions"] - 1)) < 1e-8
END
    ok "$runtime: not above the free plan's loss" python3 check.py $runtime
    python3 -c 'import json; f = json.load(open("P/plan.json"))["for"]; exit(f["as_run"] >= f["free_as_run"])' && lower=$((lower + 1))
    ok "$runtime: the loss is printed" eval 'name=${runtime/graphbolt/dgl}; grep -q "made freely, as $name executes it" said && grep -q "made for $name, as $name executes it" said'
    ok "$runtime: the plan is good" exits 0 "$HOTSET" verify P
    case $runtime in wholegraph | glt | quiver | pyg | graphbolt)
        "$HOTSET" export P --to $runtime -o E --quiet >/dev/null
        ok "$runtime: its export loses nothing more" python3 -c 'import json
d = json.load(open("E/export.json"))["simulated"]
assert d["as_run"]["total_transactions"] == d["plan"]["total_transactions"], d'
        ;;
    esac
done
ok "lower for at least three runtimes" [ "$lower" -ge 3 ]
for n in 1 5; do "$HOTSET" plan --graph G --server dgx-v100:4 --for glt --budget 4% --fanout 10,5 --batch 100 -o "T$n" --threads $n --quiet >/dev/null; done
ok "the same bytes on any number of threads" diff -rx .hotset T1 T5
for reach in forward p2p; do
    ok "GPUs that pass rows on, --peer-access $reach" eval 'exits 2 "$HOTSET" plan --graph G --server dgx-v100 --for quiver --peer-access $reach --budget 4% --force -o X && grep -q -- "--for quiver: its GPUs read each other directly" "$work/.stderr"'
done
ok "GPUs below a PCIe switch read directly" "$HOTSET" plan --graph G --server pcie-8 --for quiver --peer-access p2p --budget 4% --fanout 5,2 --batch 100 --simulate-epochs 0 --force -o X --quiet
"$HOTSET" plan --graph G --server dgx-v100 --for pyg --sampler labor --frontier layers --budget 4% --fanout 5,2 --batch 100 --simulate-epochs 0 --force -o X >/dev/null 2>said
ok "a sampler and a frontier that the runtime does not have are told" eval 'grep -q "pyg .* does not draw by sampler labor" said && grep -q "pyg does not expand and read every layer" said'
rm -rf X
"$HOTSET" plan --graph G --server dgx-v100 --for dgl --budget 4% --fanout 5,2 --batch 100 --simulate-epochs 0 --force -o X --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100 --for graphbolt --budget 4% --fanout 5,2 --batch 100 --simulate-epochs 0 -o Y --quiet >/dev/null
ok "dgl is another name of graphbolt" diff -rx .hotset X Y
rm -rf X Y
"$HOTSET" plan --graph G --server dgx-v100 --budget 4% --fanout 5,2 --batch 100 --simulate-epochs 0 -o free --quiet >/dev/null
ok "an export that loses something names --for" eval '"$HOTSET" export free --to pyg --simulate-epochs 0 -o EF 2>/dev/null | tr "\n" " " | grep -q "plan with --for pyg, which .*.hotset plan --like free --for pyg -o P2. plans for what pyg can do"'
rm -rf free EF
plan() { "$HOTSET" plan --graph G --server dgx-v100:4 --budget 4% --fanout 5,2 --batch 100 --simulate-epochs 0 --force -o "$@" >/dev/null; }
ok "f16 where the runtime holds it" eval 'for r in pyg wholegraph; do plan X-$r --for $r --cache-type f16 2>/dev/null && "$HOTSET" export X-$r --to $r --simulate-epochs 0 --force -o EX --quiet >/dev/null || exit 1; done'
ok "and a refusal by name where not" eval 'exits 2 plan X --for glt --cache-type f16 && grep -q -- "--for glt: its GPUs hold features as f16, but glt holds them as the host does" .stderr && exits 2 plan X --for wholegraph --cache-type i8 && grep -q "as the host does or as f16 or bf16" .stderr'
ok "an order that its script has, or not" eval 'plan X --for glt --order bfs 2>said && ! grep -q shuffles said && rm -r X && plan X --for legion --order bfs 2>said && grep -q "legion shuffles" said; s=$?; rm -rf X; [ $s = 0 ]'
ok "labor, which GraphBolt has" eval 'plan X --for graphbolt --sampler labor --frontier all 2>said && ! grep -q "sampler labor" said && "$HOTSET" export X --to graphbolt --force -o EX --quiet >/dev/null && [ "$(python3 -c "import json; print([w[\"what\"] for w in json.load(open(\"EX/export.json\"))[\"simulated\"][\"without\"]])")" = "[]" ]'
ok "a runtime that no plan is made for" eval 'exits 2 plan X --for gids && grep -q -- "--for gids: no plans are made for it, because its caches fill while they run" .stderr'
ok "an unknown one" eval 'exits 2 plan X --for quivr && grep -q -- "--for: .quivr. is not known, did you mean" .stderr'

rest
# ---- several types, and features of edges, which no runtime of them has
"$HOTSET" graph synth like ogbn-mag --scale 0.002 --feature-dim 16 -o M --quiet >/dev/null
for runtime in pyg glt wholegraph quiver dgl; do
    rm -rf P E
    "$HOTSET" plan --graph M --server dgx-v100:4 --for $runtime --budget 3% --fanout 3,2 --batch 50 --presample-epochs 1 -o P --quiet >said
    "$HOTSET" export P --to $runtime -o E --quiet >/dev/null
    ok "$runtime, of several types: the plan is what it executes" python3 - $runtime <<'END'
import json, sys
p, e = json.load(open("P/plan.json")), json.load(open("E/export.json"))["simulated"]
f = p["for"]
assert f["runtime"] == sys.argv[1] and f["loss"] <= f["free_loss"] and (f["free_loss"] < 0) == (f["runtime"] == "pyg"), f
assert all(x["kind"] == "feature" for g in p["gpus"] for x in g["lists"]) and p["simulated"]["total_transactions"] == f["as_run"]
assert e["without"] == [] and e["as_run"]["total_transactions"] == e["plan"]["total_transactions"], e
END
done
ok "legion has no types" eval 'exits 2 "$HOTSET" plan --graph M --server dgx-v100:4 --for legion --budget 3% --force -o X && grep -q -- "--for legion: has rows of several types, but legion reads one graph" .stderr'
ok "another policy is refused" exits 2 "$HOTSET" plan --graph G --server dgx-v100 --for glt --policy legion --budget 4% --force -o X
ok "another objective is refused" exits 2 "$HOTSET" plan --graph G --server dgx-v100 --for glt --objective time --budget 4% --force -o X
ok "a CPU that samples is refused" exits 2 "$HOTSET" plan --graph G --server dgx-v100 --for glt --sampling cpu --budget 4% --force -o X
ok "and GPUs that sample, for PyG" eval 'exits 2 "$HOTSET" plan --graph G --server dgx-v100 --for pyg --sampling gpu --budget 4% --force -o X && grep -q "plans are made for a CPU that samples; leave --sampling out" "$work/.stderr"'
ok "hops that were asked for stay, and are told" eval 'plan X --for graphbolt --frontier new 2>said && grep -q "plan with --frontier all" said && grep -q "\"frontier\": \"new\"" X/plan.json'
ok "those of a trace, too" eval '"$HOTSET" trace record --graph G --server dgx-v100:4 --fanout 5,2 --batch 100 --epochs 1 -o T --quiet >/dev/null && "$HOTSET" plan --graph G --server dgx-v100:4 --budget 4% --trace T --for graphbolt --simulate-epochs 0 --force -o X >/dev/null 2>said && grep -q "plan with --frontier all" said && grep -q "\"frontier\": \"new\"" X/plan.json'
"$HOTSET" plan --like P --graph M --force -o Y --quiet >/dev/null
ok "and --like repeats what was planned" python3 -c 'import json; a, b = (json.load(open(p + "/plan.json")) for p in "PY"); assert a["workload"] == b["workload"] and a["gpus"] == b["gpus"] and a["for"] == b["for"]'
finish
