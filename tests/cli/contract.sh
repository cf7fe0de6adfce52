#!/usr/bin/env bash
# Documents have the members that runtimes and scripts rely on: contract.py says which.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "members of documents" "python3 is not installed"; finish; }

has() { python3 "$root/tests/cli/contract.py" "$@" >"$work/.faults" 2>&1 && [ ! -s "$work/.faults" ] || { cat "$work/.faults"; false; }; }
# says KIND COMMAND..: what the command prints with --json is one document of that kind
says() {
    local kind=$1
    shift
    "$HOTSET" "$@" --json >"$work/.document" 2>"$work/.stderr" || { cat "$work/.stderr"; return 1; }
    has "$kind=$work/.document"
}
few="--fanout 3,2 --batch 10 --quiet"
"$HOTSET" graph synth uniform --vertices 400 --edges 4000 -o G --quiet >/dev/null
ok "graph.json" has graph=G/graph.json
ok "graph info" says graph-info graph info G
ok "server show" says server server show dgx-v100
echo '{"schema": "server/1", "name": "bare", "gpus": [{"id": 0}, {"id": 1}]}' >bare.json
ok "server show where little is stated" says server-unlinked server show bare.json
ok "trace record" says trace trace record --graph G --server dgx-v100 --epochs 2 -o T $few
ok "trace.json" has trace=T/trace.json
for p in hotset legion dsp gnnlab pagraph data-tiering hyscale; do
    ok "plan --policy $p" says "plan$([ $p = legion ] && echo -swept)" plan --graph G --server dgx-v100 --policy $p --budget 5% -o P-$p $few
done
ok "plan.json" has plan=P-hotset/plan.json plan-swept=P-legion/plan.json
ok "the regret of a grid is what its best point costs above the plan" python3 -c 'import json
for c in json.load(open("P-hotset/plan.json"))["cliques"]:
    more = min(x["total_transactions"] for x in c["sweep"]) - c["predicted"]["total_transactions"]
    assert c["grid_regret_transactions"] == more > 0, more'
ok "plan --simulate-epochs 0" says plan-unsimulated plan --graph G --server siton --budget 5% --simulate-epochs 0 -o P0 $few
ok "a plan of dynamic caches" says plan-dynamic plan --graph G --server siton --policy bgl --budget 5% -o P-bgl $few
if "$HOTSET" plan --graph G --server siton --budget 5% --bound -o P-bound $few >/dev/null 2>&1; then
    ok "plan --bound" has plan-bound=P-bound/plan.json
else skip "plan --bound" "GLPK is not built in"; fi
ok "simulate" says results simulate P-legion --epochs 1 --quiet
ok "simulate -o" eval '"$HOTSET" simulate P-legion --epochs 1 --quiet -o S.json >/dev/null && has results=S.json'
ok "simulate --cache" says results-dynamic simulate P-legion --epochs 1 --quiet --cache lru,fifo
ok "simulate of dynamic caches" says results-dynamic simulate P-bgl --epochs 1 --quiet
ok "execute" says executed execute P-hotset --device cpu --quiet
ok "execute --gpu" says executed execute P-hotset --device cpu --gpu 3 --batches 1 --quiet
ok "execute --sweep" says executed-swept execute P-legion --device cpu --sweep 0,50 --quiet
ok "compare" says results compare --graph G --server dgx-v100,siton --policy legion,hotset --budget 2%,5% -o R.json $few
ok "compare -o" has results=R.json
ok "rows that cannot be" says results-refused compare --graph G --server dgx-v100 --policy legion-topogpu,gnnlab:samplers=8 --budget 1B $few
printf 'Skt,PCIRdCur,ItoM\n0,5,5\n1,7,5\n' >pcie.csv
printf 'Socket,Name,Part,IB write,IB read\nSocket0,IIO,Part0,1,64\n' >iio.csv
ok "trace import of pcm-pcie" says pcie trace import pcie.csv -o C1 --quiet
ok "trace import of pcm-iio" says iio trace import iio.csv --interval 1 -o C2 --quiet
finish
