#!/usr/bin/env bash
# Lines of 64 bytes of host memory that the warps of `hotset execute` ask for, counted access by access, against the transactions that the line rule
# (model/transactions.md) gives for the same mini-batches: equal for rows of features of a line or more; topology within a tenth or so, see there.
. "$(dirname "$0")/../cli/tap"
ptx=${PTX_PROGRAM:-${BUILD:-build}/ptx/hotset}
case $ptx in /*) ;; *) ptx=$root/$ptx ;; esac
if [ ! -x "$ptx" ]; then
    skip "lines of host memory" "there is no nvcc"
    finish
    exit
fi
# A cache that holds all features: they are not read once more to be timed. The first mini-batch is drawn and gathered once more than the others.
export HOTSET_EMULATED_L2=1000000000
lines() { # kernel, column of the counts; those of all mini-batches less the repeated first
    awk -v kernel="$1" -v column="$2" '$1 == "lines" && $5 == "host" && $2 ~ kernel { if (FILENAME == "c.one") one += $column; else all += $column } END { print all - one / 2 }' c.one c.all
}
counted() { sed -n '/"counted"/,/}/p' e.json | sed -n "s/.*\"$1_transactions\": \([0-9]*\).*/\1/p" | head -n 1; }
echo "# row bytes, host rows' lines by the rule and counted; topology's by the rule, counted at entries, at offsets"
for dim in 1 8 16 25 101 150 250 1024; do
    "$HOTSET" graph synth community --vertices 1200 --edges 16000 --seed 5 --feature-dim $dim -o G --quiet >/dev/null
    "$HOTSET" plan --graph G --server pcie-8:2 --fanout 5,4 --batch 20 --budget 3% --simulate-epochs 1 --quiet --policy legion -o P >/dev/null
    rm -f c.one c.all
    HOTSET_PTX_COUNTS=c.one "$ptx" execute P --device cuda --gpu 0 --batches 1 --quiet --force -o e.json >/dev/null 2>&1
    HOTSET_PTX_COUNTS=c.all "$ptx" execute P --device cuda --gpu 0 --quiet --force -o e.json >/dev/null 2>&1
    f=$(counted feature) t=$(counted topology) rows=$(lines copy_rows 10) entries=$(lines look 10) offsets=$(lines choose 10)
    echo "# $((4 * dim)) $f $rows; $t $entries $offsets"
    if [ $dim -ge 16 ]; then ok "rows of $((4 * dim)) bytes: as many lines as the rule says" awk "BEGIN { exit !($f > 0 && $f == $rows) }"
    else ok "rows of $((4 * dim)) bytes, of which a warp finds several in a line: no more lines than the rule says" awk "BEGIN { exit !($rows > 0 && $rows <= $f) }"; fi
    ok "rows of $((4 * dim)) bytes: lines of topology" awk "BEGIN { r = ($entries + $offsets) / $t; exit !($t > 0 && r > 0.9 && r < 1.25) }"
    rm -rf G P
done
finish
