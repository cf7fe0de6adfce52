# handmade.sh - plans written by hand, as another program would write them (no checksum of their own text). Needs tools.sh and the graph in G.

# list DIR GPU PART BYTES ID..: writes the array and prints its {file, count, bytes}; DIR/.files gets its line of files[].
list() {
    local dir=$1 name=gpu$2_$3.npy part=$3 bytes=$4
    shift 4
    npy_u4 "$dir/$name" "($#,)" "$@"
    echo "{\"name\": \"$name\", \"bytes\": $(stat -c %s "$dir/$name"), \"sha256\": \"$(sha256sum <"$dir/$name" | cut -d' ' -f1)\"}," >>"$dir/.files"
    echo "\"$part\": {\"file\": \"$name\", \"count\": $#, \"bytes\": $bytes}"
}
# gpu DIR ID CLIQUE BUDGET PEERS FEATURES TOPOLOGY TOPOLOGY_BYTES TRAIN: prints one element of gpus[].
gpu() {
    # shellcheck disable=SC2086
    echo "{\"id\": $2, \"clique\": $3, \"budget_bytes\": $4, \"peers\": [$5], $(list "$1" "$2" feature $((48 * $(set -- $6; echo $#))) $6), $(list "$1" "$2" topology "$8" $7), $(list "$1" "$2" train 0 $9)}"
}
# plan_json DIR CLIQUES GPUS PREDICTED: writes plan.json for the graph in G.
plan_json() {
    echo "{\"schema\": \"plan/1\", \"policy\": \"by-hand\", \"server\": {\"name\": \"none\", \"fingerprint\": \"\", \"cls\": 64},
 \"graph\": {\"vertices\": 8, \"edges\": 19, \"feature_dim\": 12, \"feature_bytes\": 4, \"path\": \"G\"}, \"workload\": {\"fanout\": [2], \"batch\": 1, \"frontier\": \"new\", \"sampler\": \"uniform\", \"seed\": 1},
 \"cliques\": [$2], \"gpus\": [$3], \"predicted\": $4, \"simulated\": null, \"bound\": null, \"files\": [$(tr -d '\n' <"$1/.files" | sed 's/,$//')]}" >"$1/plan.json"
    rm "$1/.files"
}
# Two plans for two and for three GPUs: A and B.
plan_a() {
    mkdir A
    plan_json A '{"gpus": [0, 1], "alpha": 0.21, "predicted": {"topology_transactions": 10, "feature_transactions": 20, "total_transactions": 30}}' \
        "$(gpu A 0 0 200 1 '2 0 4' '2' 24 '0 4'), $(gpu A 1 0 160 0 '6 1' '4 0' 40 '7')" \
        '{"feature_hit_rate": 0.25, "topology_hit_rate": 0.5, "topology_transactions": 10, "feature_transactions": 20, "total_transactions": 30}'
}
plan_b() {
    mkdir B
    plan_json B '{"gpus": [0, 1], "alpha": 0.25, "predicted": {"topology_transactions": 12, "feature_transactions": 10, "total_transactions": 22}}, {"gpus": [3], "alpha": 0, "predicted": {"topology_transactions": 0, "feature_transactions": 5, "total_transactions": 5}}' \
        "$(gpu B 0 0 200 1 '2 6 3' '2 4' 44 '0'), $(gpu B 1 0 200 0 '0 1 5' '6' 20 '7 4'), $(gpu B 3 1 200 '' '2 7' '' 0 '')" \
        '{"feature_hit_rate": 0.5, "topology_hit_rate": 0.4, "topology_transactions": 12, "feature_transactions": 15, "total_transactions": 27}'
}
