#!/usr/bin/env bash
# What is printed can be believed and typed: no nan or inf over odd inputs, verify misses no listed file, advise's command runs, the last
# option wins.
. "$(dirname "$0")/tap"
cd "$work" || exit 2
printf '{"schema": "server/1", "name": "solo", "gpus": [{"id": 0, "memory_bytes": 1000000}], "nvlinks": []}' >solo.json
few="--fanout 3,2 --batch 20 --presample-epochs 1 --simulate-epochs 1 --quiet"

# ---- graphs of which nothing, or everything, can be cached: a ratio may have a zero below it
printf '0 0\n' >one.txt
printf '# no edge but a loop\n5 5\n' >loop.txt
for g in one loop; do "$HOTSET" graph import $g.txt --train-share 1 --feature-dim 4 -o $g --quiet >/dev/null; done
quiet() { "$@" >o 2>&1 </dev/null; [ $? -lt 70 ] && ! grep -niE '(^|[^a-z])-?(nan|inf)([^a-z]|$)' o; }
for g in one loop; do
    for b in 0 100%; do
        on="--graph $g --server solo.json --budget $b $few"
        rm -rf P
        ok "$g, $b: plan" quiet "$HOTSET" plan $on -o P
        [ ! -d P ] || ok "$g, $b: simulate" quiet "$HOTSET" simulate P --graph $g --quiet
        ok "$g, $b: compare" quiet "$HOTSET" compare $on --policy hotset,legion,dsp,pagraph,oracle --all
        ok "$g, $b: advise" quiet "$HOTSET" advise $on
    done
    ok "$g: info" quiet "$HOTSET" graph info $g
done

# ---- verify opens every file of a plan
"$HOTSET" graph synth community --vertices 300 --edges 3000 --seed 3 --feature-dim 16 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100:2 --budget 5% --host-memory 60% --ssd 2xgen4 $few -o P2 >/dev/null
ok "a plan of GPUs, DRAM and SSDs is good" "$HOTSET" verify P2 --quiet
ok "it lists each of its files" [ "$(grep -c '"sha256"' P2/plan.json)" = "$(ls P2 | grep -vcx plan.json)" ]
for f in P2/*; do
    for how in "rm" "truncate -s -1" "flip"; do
        rm -rf Q && cp -r P2 Q
        if [ "$how" = flip ]; then
            printf '\377' | dd of="Q/${f#*/}" bs=1 seek=$(($(wc -c <"$f") - 1)) conv=notrunc 2>/dev/null
        else $how "Q/${f#*/}"; fi
        cmp -s "$f" "Q/${f#*/}" || ! "$HOTSET" verify Q --quiet >/dev/null 2>&1 || echo "$how of ${f#*/} was not noticed"
    done
done | none "a file that is removed, cut or changed is noticed"

# ---- what advise prints can be typed, also where names have spaces and quotes
mkdir "it's here" && cp -r G "it's here/G 1" && cp solo.json "it's here/my server.json"
"$HOTSET" advise --graph "it's here/G 1" --server "it's here/my server.json" --budget 5% $few >advice
sed -n 's/^command: hotset /"$HOTSET" /p' advice >typed.sh
ok "advise prints a command" [ "$(grep -c . typed.sh)" = 1 ]
ok "which runs as it stands" eval 'rm -rf P; HOTSET=$HOTSET bash -e typed.sh && [ -f P/plan.json ]'

# ---- an option that is given twice: the last one counts
twice() { "$HOTSET" plan --graph G --server solo.json --budget 5% $few "$@" >/dev/null; }
ok "--cache-type f16 --cache-type i8 is i8" eval 'twice --cache-type f16 --cache-type i8 -o a && twice --cache-type i8 -o b && diff -rx .hotset a b'
finish
