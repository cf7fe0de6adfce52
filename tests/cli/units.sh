#!/usr/bin/env bash
# Sizes without their unit: every SIZE option of every command (from its option table) refuses 0.05, 64g and 5%%, and
# 5 and 64 where they hold nothing; the message has the form that was meant.
. "$(dirname "$0")/tap"
"$HOTSET" graph synth community --vertices 4000 --edges 60000 --communities 40 --seed 3 --feature-dim 64 -o G --quiet >/dev/null
"$HOTSET" plan --graph G --server dgx-v100 --budget 5% --fanout 5,4 --batch 100 --presample-epochs 1 --simulate-epochs 1 -o P --quiet >/dev/null
"$HOTSET" trace record --graph G --server dgx-v100 --plan P --epochs 1 -o T --quiet >/dev/null
printf '\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0-7\nGPU1\tSYS\t X \t0-7\n' >topo.txt
of="--graph G --server dgx-v100 --fanout 5,4 --batch 100"

# The command line that each needs but for the option: NAME and words. A new command with a SIZE option is missed below.
line() {
    case $1 in
    plan) echo "$of --force -o Q" ;;
    compare) [ $2 = reserve ] && return 2 # refused beside any budget, and compare always has one
        echo "$of --policy hotset" ;;
    advise) echo "$of" ;;
    what-if) echo "$of" ;;
    size) echo "$of --target hit-rate>=0.1 --steps 1" ;;
    nodes) echo "--graph G --fanout 5,4 --batch 100 --nodes 2" ;;
    simulate) echo "P --cache lru --epochs 1" ;;
    "lab execute") echo "P --run-epochs 1" ;;
    demo) echo "-o D" ;;
    refresh) echo "P --trace T --force -o Q" ;;
    "lab drift") case $2 in budget) echo "$of --windows 2" ;; *) echo "$of --windows 2 --budget 5%" ;; esac ;;
    "server import") echo "topo.txt --force -o Q" ;;
    "server probe") ;;
    *) return 1 ;;
    esac
}

# The message of a refusal ends with a form that is accepted: a number with its unit, or a share.
refused() { # command line, option, value
    [ -e Q ] && rm -rf Q Q.partial
    exits 2 timeout 60 "$HOTSET" $1 --quiet "--$2" "$3" >out || return 1
    grep -Eq -- "--$2: .*(write|units are) .*(GiB|5% )" .stderr || { cat .stderr; return 1; }
}

count=0
commands | while read -r c; do
    "$HOTSET" $c --help-all | grep -oE -- '--[a-z-]+ SIZE(,\.\.)?$|--[a-z-]+ SIZE(,\.\.)? ' | sed 's/^--//; s/ SIZE.*//' | sort -u | while read -r option; do
        if [ "$option" = memory ]; then # of every command: parsed before anything else
            for v in 0.05 5 64 64g 5%%; do refused "$c" memory "$v" >>said 2>&1 || echo "$c --memory $v"; done
            continue
        fi
        words=$(line "$c" "$option"); code=$?
        [ $code = 2 ] && continue
        [ $code = 0 ] || { echo "$c --$option has no command line in this test"; continue; }
        for v in 0.05 5 64 64g 5%%; do refused "$c $words" "$option" "$v" >>said 2>&1 || echo "$c --$option $v: $(head -c 300 .stderr)"; done
    done
done | none "every size without its unit is refused with the right form"
ok "there are such options" [ "$("$HOTSET" plan --help-all | grep -c ' SIZE')" -ge 4 ]
# what the right forms mean
ok "64GiB, 64GB and 5% are sizes" eval '"$HOTSET" plan $of --budget 5% --host-memory 64GB --memory 64GiB --force -o Q --quiet >/dev/null'
ok "of a budget in bytes every digit counts" eval '"$HOTSET" plan $of --budget 54321 --force -o Q --quiet >/dev/null && grep -q "\"budget_bytes\": 54321," Q/plan.json'
ok "0 caches nothing" "$HOTSET" plan $of --budget 0 --force -o Q --quiet
ok "5B is 5 bytes, which hold no row" eval 'exits 2 "$HOTSET" plan $of --budget 5 --force -o Q --quiet && "$HOTSET" plan $of --budget 5B --force -o Q --quiet'
finish
