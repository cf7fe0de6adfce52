#!/usr/bin/env bash
# What points of figures say is what the documents say, and they stand where the values are drawn: size, execute, advise, validate, reproduce, drift and
# plan --job inference (points.py reads both). How they are used is tested by pages.sh, in a browser.
. "$(dirname "$0")/tap"
command -v gnuplot >/dev/null || { skip "points of figures" "gnuplot is not installed"; finish; }
command -v python3 >/dev/null || { skip "points of figures" "python3 is not installed"; finish; }
"$HOTSET" graph synth community --vertices 3000 --edges 40000 --seed 3 -o G --quiet >/dev/null
few="--graph G --batch 60 --fanout 8,4 --presample-epochs 1 --simulate-epochs 1 --quiet"
"$HOTSET" plan $few --server dgx-v100:4 --policy legion --budget 3% -o P >/dev/null
"$HOTSET" execute P --sweep 0,40,100 -o executed.json --quiet >/dev/null
"$HOTSET" size $few --server p3.16xlarge,p4d.24xlarge --gpus 2,8 --target 'hit-rate>=0.8' --vary budget,gpus --steps 5 -o size.json >/dev/null
"$HOTSET" advise $few --server siton --budget 3% -o advice.json >/dev/null
"$HOTSET" drift --graph G --server dgx-v100:2 --batch 60 --fanout 8,4 --presample-epochs 1 --simulate-epochs 1 --budget 3% --windows 4 -o drift.json --quiet >/dev/null
"$HOTSET" plan --job inference --graph G --server l4-2 --layers 3 --budget 20KiB --host-memory 5MiB --ssd gen4 --chunk 300 --json -o I --quiet >inference.json
for name in executed size advice drift inference; do "$HOTSET" report $name.json -o page-$name --quiet >/dev/null || echo "$name is not drawn"; done | none "pages are drawn"
"$HOTSET" validate --only gather-host,gnnlab-copy,dsp-uva-papers -o page-validation --quiet >/dev/null
cp page-validation/validation.json .
"$HOTSET" reproduce -o page-claims --only legion-fig2,legion-fig3,legion-fig10 --scale 0.02 --quiet >/dev/null
cp page-claims/claims.json .
for name in executed size advice drift inference validation claims; do ok "$name" python3 "$root/tests/cli/points.py" $name; done
finish
