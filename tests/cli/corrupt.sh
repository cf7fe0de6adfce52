#!/usr/bin/env bash
# Damaged plans, traces and graphs: never a crash, never our own fault (70), and never a silent success where a checksum covers what changed.
. "$(dirname "$0")/tap"

cat >solo.json <<'J'
{"schema": "server/1", "name": "pair", "gpus": [{"id": 0, "memory_bytes": 4096}, {"id": 1, "memory_bytes": 4096}], "nvlinks": [{"a": 0, "b": 1, "links": 2}]}
J
printf '0 1\n0 2\n0 3\n1 0\n1 2\n2 0\n2 1\n2 3\n2 4\n3 0\n3 2\n4 2\n4 5\n4 6\n6 4\n6 5\n6 7\n7 0\n7 6\n' >edges.txt
"$HOTSET" graph import edges.txt --sample out --train-share 0.5 --feature-dim 4 -o G --quiet >/dev/null
"$HOTSET" trace record --graph G --server solo.json --fanout 2,2 --batch 2 --epochs 1 -o T --quiet >/dev/null
"$HOTSET" plan --graph G --server solo.json --trace T --policy quiver-plus --budget 60B --simulate-epochs 0 -o P --quiet >/dev/null
base=$("$HOTSET" simulate P --graph G --seed 9 --epochs 1 --json --quiet) || base=
ok "the plan is good as it is" test -n "$base"
sim() { "$HOTSET" simulate D --graph G --seed 9 --epochs 1 --threads 1 --json --quiet; }
# without checksum and fingerprint the numbers of the graph still tell another one
stripped() { rm -rf D; cp -r P D; sed -i '/"checksum"/d; /"fingerprint"/d; '"$1" D/plan.json; sed -i -z 's/,\n*\( *}\)/\n\1/g' D/plan.json; }
ok "a plan without checksum and fingerprint" eval 'stripped "" && [ "$(sim | sed "/fingerprint/d")" = "$(printf "%s\n" "$base" | sed "/fingerprint/d")" ]'
ok "edges of another graph" eval 'stripped "s/\"edges\": [0-9]*/\"edges\": 7/" && exits 3 sim >/dev/null && grep -q "was made for another graph" .stderr'
rm -rf D; cp -r P D; sed -i '/"checksum"/d; s/"fingerprint": "[^"]*"/"fingerprint": "sha256-16m:0"/' D/plan.json; sed -i -z 's/,\n*\( *}\)/\n\1/g' D/plan.json
ok "another graph with as many vertices and edges" eval 'exits 3 "$HOTSET" explain D --graph G --json --quiet && grep -q "was made for another graph than G (vertices, edges or fingerprint differ)" .stderr'

# arrays of another graph with as many vertices, edges and training vertices
sed '1s/0 1/0 7/' edges.txt >other.txt
"$HOTSET" graph import other.txt --sample out --train-share 0.5 --feature-dim 4 -o other --quiet >/dev/null
rm -rf D; cp -r G D; cp other/indices.npy D
foreign() { exits 3 "$@" --quiet && grep -q "D: its arrays are not those that graph.json was written for" .stderr; }
draw=(--server solo.json --fanout 2,2 --batch 2)
ok "indices of another graph: simulate" foreign "$HOTSET" simulate P --graph D
ok "indices of another graph: plan" foreign "$HOTSET" plan --graph D "${draw[@]}" --policy quiver --budget 60B --force -o Q
ok "indices of another graph: compare" foreign "$HOTSET" compare --graph D "${draw[@]}" --policy quiver --budget 60B -o Q.json
ok "indices of another graph: trace record" foreign "$HOTSET" trace record --graph D "${draw[@]}" --force -o Q
ok "indices of another graph: graph info tells, and --verify says no" eval '"$HOTSET" graph info D --quiet >/dev/null && ! "$HOTSET" graph info D --verify --quiet >/dev/null 2>&1'
sed -i 's/sha256-16m:/other:/' D/graph.json
ok "a fingerprint of another program is no error" "$HOTSET" trace record --graph D "${draw[@]}" --epochs 1 -o Q0 --quiet
rm -rf Q D

# every FILE: flips each byte in turn; prints what is wrong. allowed exit codes: 0 (unless sealed), 3, 5
flips() { # folder, file, sealed, step, command..
    local folder=$1 file=$2 sealed=$3 step=$4 size at code old new
    shift 4
    rm -rf D
    cp -r "$folder" D
    size=$(stat -c %s "D/$file")
    for ((at = 0; at < size; at += step)); do
        old=$(od -An -tu1 -j$at -N1 "D/$file" | tr -d ' ')
        new=$((old ^ (1 << (at % 8))))
        printf "\\$(printf %03o $new)" | dd of="D/$file" bs=1 seek=$at conv=notrunc status=none
        "$@" >out 2>err </dev/null
        code=$?
        case $code in
        0) [ "$sealed" = no ] || echo "$file byte $at: $old -> $new was not noticed" ;;
        3 | 5) grep -q '^hotset: ..*' err || echo "$file byte $at: no sentence" ;;
        2) [ "$file" = plan.json ] || echo "$file byte $at: exit code 2" ;; # the seed of the plan may have become that of the command
        *) echo "$file byte $at: $old -> $new: exit code $code: $(head -n1 err)" ;;
        esac
        printf "\\$(printf %03o "$old")" | dd of="D/$file" bs=1 seek=$at conv=notrunc status=none
    done
}
plan_bytes=$(stat -c %s P/plan.json)
flips P plan.json yes $((plan_bytes / 300 + 1)) sim | none "plan.json: every flipped byte is noticed"
rest
unsealed() { sed -e '$!N' -e 's/,\n *"checksum": "[^"]*"//' -e 'P;D' "$1/plan.json" >"$1/new" && mv "$1/new" "$1/plan.json"; } # as others write plans
rm -rf U
cp -r P U
unsealed U
ok "plan.json without a checksum is taken" eval '! grep -q checksum U/plan.json && rm -rf D && cp -r U D && sim'
flips U plan.json no $((plan_bytes / 1500 + 1)) sim | none "plan.json without a checksum: flipped bytes never crash"
for f in P/*.npy; do flips P "$(basename "$f")" yes 3 sim | none "$(basename "$f"): every flipped byte is noticed"; done
load_trace() { "$HOTSET" plan --graph G --server solo.json --trace D --policy quiver-plus --budget 60B --simulate-epochs 0 --threads 1 --force -o Q --quiet; }
flips T trace.json no 3 load_trace | none "trace.json: flipped bytes never crash"
flips T visits.npy no 5 load_trace | none "visits.npy: flipped bytes never crash"
flips T train_gpu1.npy no 2 load_trace | none "train_gpu1.npy: flipped bytes never crash"
load_graph() { "$HOTSET" plan --graph D --server solo.json --policy quiver --budget 60B --fanout 2,2 --batch 2 --simulate-epochs 1 --threads 1 --force -o Q --quiet; }
flips G graph.json no 2 load_graph | none "graph.json: flipped bytes never crash"
flips G indptr.npy no 2 load_graph | none "indptr.npy: flipped bytes never crash"
flips G indices.npy no 2 load_graph | none "indices.npy: flipped bytes never crash"
flips G train.npy no 2 load_graph | none "train.npy: flipped bytes never crash"
for f in graph.json indptr.npy indices.npy train.npy; do
    [ $f = graph.json ] || flips G $f yes 4 "$HOTSET" graph info D --verify --quiet 2>&1 | grep -v 'exit code 1:' | grep -vE 'byte ([0-9]|[0-9][0-9]|1[01][0-9]|12[0-7]): .*was not noticed' | none "$f: --verify notices every flipped number"
done

cuts() { # folder, file, command: truncated at many lengths
    local size at code
    size=$(stat -c %s "$1/$2")
    for at in 0 1 5 9 10 11 63 64 127 128 129 $((size / 2)) $((size - 2)); do
        [ $at -lt "$size" ] || continue
        rm -rf D
        cp -r "$1" D
        truncate -s $at "D/$2"
        $3 >out 2>err </dev/null
        code=$?
        [ $code = 3 ] || echo "$2 cut to $at of $size: exit code $code: $(head -n1 err)"
    done
}
for f in P/*; do cuts P "$(basename "$f")" sim; done | none "plan: cut files are refused"
for f in T/*; do cuts T "$(basename "$f")" load_trace; done | none "trace: cut files are refused"
for f in G/*; do cuts G "$(basename "$f")" load_graph; done | none "graph: cut files are refused"
for f in P/*; do rm -rf D; cp -r P D; rm "D/$(basename "$f")"; sim >out 2>err </dev/null; c=$?; [ $c = 3 ] || echo "$f missing: exit code $c"; done | none "plan: missing files are refused"
for pair in "gpu0_feature gpu1_feature" "gpu0_train gpu1_train" "gpu0_topology gpu0_feature" "gpu1_train gpu1_feature"; do
    set -- $pair
    rm -rf D
    cp -r P D
    cp "P/$1.npy" "D/$2.npy"
    cp "P/$2.npy" "D/$1.npy"
    cmp -s "P/$1.npy" "P/$2.npy" && continue
    sim >out 2>err </dev/null
    c=$?
    [ $c = 3 ] || echo "$1 <-> $2: exit code $c"
done | none "plan: swapped files are noticed"

# a change of the lists together with their checksums: what is left are the invariants
reseal() { # file: states its checksum in plan.json
    local sum
    sum=$(sha256sum "D/$1" | cut -d' ' -f1)
    awk -v f="\"$1\"" -v sum="$sum" '$0 ~ "\"name\": " f { hit = 1 } hit && /"sha256"/ { sub(/"[0-9a-f]{64}"|"[0-9a-f]+"$/, "\"" sum "\""); hit = 0 } { print }' D/plan.json >D/new && mv D/new D/plan.json
}
put() { printf "\\$(printf %03o "$3")\\000\\000\\000" | dd of="D/$1" bs=1 seek=$((128 + 4 * $2)) conv=notrunc status=none; }
twist() { # name, file, place, value, what is said
    local words=$5
    rm -rf D
    cp -r U D
    put "$2" "$3" "$4"
    reseal "$2"
    ok "plan: $1 is refused" eval 'exits 3 sim && grep -q "$words" .stderr'
    ok "plan: libhotset refuses $1" eval '"$HOTSET" verify D >said 2>&1; [ $? = 1 ] && grep -q "gpu[01]_.*npy: id" said'
}
rm -rf D; cp -r U D; reseal gpu0_feature.npy
ok "plan: resealing alone changes nothing" exits 0 sim
twist "an id beyond the graph" gpu0_feature.npy 0 8 "id 8 at place 0, but the graph has 8 vertices"
first=$(od -An -tu4 -j128 -N4 P/gpu0_feature.npy | tr -d ' ')
twist "an id that is held twice" gpu0_feature.npy 1 "$first" "id $first is listed twice"
other=$(od -An -tu4 -j128 -N4 P/gpu1_train.npy | tr -d ' ')
twist "a training vertex of two GPUs" gpu0_train.npy 0 "$other" "training vertex $other belongs to two GPUs"
edited() { rm -rf D; cp -r U D; sed -i -z "$1" D/plan.json; ! cmp -s U/plan.json D/plan.json; }
ok "plan: a peer that is the GPU itself is refused" eval 'edited "s/\"peers\": \[\n *1/\"peers\": [0/" && exits 3 sim && grep -q "GPU 0: \"peers\" entry 0 is not another GPU of the plan" .stderr'
held=$(python3 -c 'import json; g = json.load(open("U/plan.json"))["gpus"][0]; print(g["topology"]["bytes"] + g["feature"]["bytes"])')
ok "plan: a budget of a byte less than is held is refused" eval 'edited "s/\"budget_bytes\": 60/\"budget_bytes\": $((held - 1))/" && exits 3 sim && grep -q "GPU 0 holds $held bytes, its budget is $((held - 1)) bytes" .stderr'
for bytes in 47 49; do
    rm -rf D; cp -r U D; sed -i "0,/\"bytes\": 48/s//\"bytes\": $bytes/" D/plan.json
    if cmp -s U/plan.json D/plan.json; then skip "plan: stated bytes that are wrong are refused" "no such number in the plan"; else ok "plan: $bytes stated bytes of 48 are refused" exits 3 sim; fi
done
finish
