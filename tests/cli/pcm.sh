#!/usr/bin/env bash
# trace import, and trace record --pcm around a stand-in for pcm-pcie that counts 1,000 lines per socket and second, and 70,000 more while a file is there.
. "$(dirname "$0")/tap"

cat >pcm-pcie <<'S'
#!/bin/sh
out=${2#-csv=}
echo "definitions, with PCIRdCur in them"
trap 'exit 0' INT
while :; do
    more=0
    [ -e "$PCM_BUSY" ] && more=70000
    printf 'Skt,PCIRdCur,ItoM\n0,%d,5\n1,1000,5\n' $((1000 + more)) >>"$out"
    [ $more = 0 ] || rm "$PCM_BUSY" # only now: the command that is watched waits for it
    sleep 1
done
S
cat >broken <<'S'
#!/bin/sh
echo "Access to Processor Counter Monitor has denied (no MSR or PCI CFG space access)." >&2
exit 1
S
chmod +x pcm-pcie broken
export PCM_BUSY=$work/busy
printf '0 1\n0 2\n0 3\n1 0\n1 2\n2 0\n2 1\n2 3\n2 4\n3 0\n3 2\n4 2\n4 5\n4 6\n6 4\n6 5\n6 7\n7 0\n7 6\n' >edges.txt
"$HOTSET" graph import edges.txt --sample out --train-share 0.5 --feature-dim 4 -o G --quiet >/dev/null
record() { "$HOTSET" trace record --graph G --server dgx-v100 --fanout 2,2 --batch 2 --epochs 1 -o "$@"; }

ok "a missing pcm-pcie is exit code 4" exits 4 env PATH=/nowhere "$HOTSET" trace record --graph G --server dgx-v100 --pcm --pcm-tool ./nothing -o T0
ok "--pcm needs a command to watch" exits 2 record T0 --pcm --pcm-tool ./pcm-pcie
ok "--pcm-run needs --pcm" exits 2 record T0 --pcm-run true
ok "counters that cannot be read are exit code 4" exits 4 record T0 --pcm --pcm-tool ./broken --pcm-run true
ok "the tool's own words are passed on" eval 'record T0 --pcm --pcm-tool ./broken --pcm-run true 2>&1 | grep -q "denied (no MSR"'
ok "a failing command is exit code 3" exits 3 record T0 --pcm --pcm-tool ./pcm-pcie --pcm-idle 1 --pcm-run 'exit 7'
ok "nothing half-made is left" test ! -e T0
ok "a run is measured" record T1 --pcm --pcm-tool ./pcm-pcie --pcm-idle 1 --pcm-run 'touch "$PCM_BUSY"; while [ -e "$PCM_BUSY" ]; do sleep 0.1; done' --quiet
sum() { awk '/"n_tsum": \[/ { on = 1; next } /\]/ { on = 0 } on { s += $1 } END { print s + 0 }' "$1/trace.json"; }
ok "N_TSUM is what the command read, without the idle share" test "$(sum T1)" = 70000
ok "and says where it is from" grep -q '"n_tsum_source": "pcm"' T1/trace.json
ok "no stand-in is left running" eval '! pgrep -f "$work/pcm-pcie|[.]/pcm-pcie"'

record T --quiet >/dev/null
printf 'Skt,PCIRdCur,ItoM\n0,600,1\n1,400,1\n' >busy.csv
printf 'Skt,PCIRdCur,ItoM\n0,50,1\n1,50,1\nSkt,PCIRdCur,ItoM\n0,50,1\n1,50,1\n' >idle.csv
ok "a capture becomes N_TSUM" "$HOTSET" trace import busy.csv --idle idle.csv --trace T --graph G -o T2
ok "1000 reads less 100 idle ones" test "$(sum T2)" = 900
ok "a plan is made from it" "$HOTSET" plan --graph G --server dgx-v100 --trace T2 --policy legion --budget 100 --simulate-epochs 0 -o P --quiet
ok "a capture of two epochs is halved" "$HOTSET" trace import busy.csv --covered-epochs 2 --trace T --graph G -o T3
ok "1000 / 2" test "$(sum T3)" = 500
ok "swapped captures are refused" exits 3 "$HOTSET" trace import idle.csv --idle busy.csv --trace T --graph G -o T4
ok "a capture cut in a row is refused" exits 3 eval 'head -c 30 busy.csv >cut.csv; "$HOTSET" trace import cut.csv -o T4'
ok "nothing is left of it" test ! -e T4

# Hotness: eight vertices; what a text says is what plans rank by.
printf '# vertex count\n5 91\n3\t43\n0,11\n7 13\n6 1\n' >counts.txt
ok "counts per vertex replace the feature hotness" "$HOTSET" trace import counts.txt --trace T --graph G -o H
column() { od -An -v -tu4 -w32 -j128 "$1" | awk '{ for (i = 1; i <= 8; i++) s[i] += $i } END { for (i = 1; i <= 8; i++) printf "%d ", s[i] }'; }
ok "the sums over the GPUs are those of the file" test "$(column H/hotness_feature.npy)" = "11 0 0 43 0 91 1 13 "
ok "the topology stays" cmp H/hotness_topology.npy T/hotness_topology.npy
first() { "$HOTSET" plan --graph G --server pcie-8:1 --trace "$1" --policy quiver-plus --budget 32 --simulate-epochs 0 --force -o PF --quiet >/dev/null && od -An -v -tu4 -w8 -j128 PF/gpu0_feature.npy | tr -s ' '; }
"$HOTSET" trace record --graph G --server pcie-8:1 --assignment global --fanout 2,2 --batch 2 --epochs 1 -o TG --quiet >/dev/null
"$HOTSET" trace import counts.txt --trace TG --graph G -o HG --quiet >/dev/null
ok "a plan holds the two hottest of the file" test "$(first HG)" = " 5 3"
printf '\001\000\000\000\007\000\000\000' >order.bin
ok "a ranking, hottest first" "$HOTSET" trace import order.bin --as ranking --trace TG --graph G -o HR --quiet
ok "gives the plan that order" test "$(first HR)" = " 1 7"
ok "a vertex twice in a ranking is refused" exits 3 eval 'cat order.bin order.bin >twice.bin; "$HOTSET" trace import twice.bin --as ranking --trace TG --graph G -o HX'
ok "a vertex beyond the graph is refused" exits 3 eval 'echo "8 1" >beyond.txt; "$HOTSET" trace import beyond.txt --trace TG --graph G -o HX'
ok "a vertex twice in a text is refused" exits 3 eval 'printf "1 1\n1 2\n" >again.txt; "$HOTSET" trace import again.txt --trace TG --graph G -o HX'
ok "counts without a trace are exit code 2" exits 2 "$HOTSET" trace import counts.txt -o HX
ok "counts of the wrong size are refused" exits 3 "$HOTSET" trace import order.bin --trace TG --graph G -o HX
finish
