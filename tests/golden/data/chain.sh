# chain.sh - sourced by the cases: chain LINKS writes plan P of the eight vertices on three GPUs joined 0 - 1 (one NVLink) - 2 (LINKS NVLinks), as another
# program might: GPU 0 trains 0 and holds topology 0 and feature 0; GPU 1 holds topology 2, features 2 5; GPU 2 trains 4 7, holds topology 1 4, features 4 3.
chain() {
    mkdir P
    npy_u4 P/gpu0_train.npy "(1,)" 0; npy_u4 P/gpu0_topology.npy "(1,)" 0; npy_u4 P/gpu0_feature.npy "(1,)" 0
    npy_u4 P/gpu1_train.npy "(0,)"; npy_u4 P/gpu1_topology.npy "(1,)" 2; npy_u4 P/gpu1_feature.npy "(2,)" 2 5
    npy_u4 P/gpu2_train.npy "(2,)" 4 7; npy_u4 P/gpu2_topology.npy "(2,)" 1 4; npy_u4 P/gpu2_feature.npy "(2,)" 4 3
    local none='"predicted": {"topology_transactions": 0, "feature_transactions": 0, "total_transactions": 0}'
    gpu() { echo "{\"id\": $1, \"clique\": $2, \"budget_bytes\": 200, \"peers\": $3, \"peer_links\": $4, \"switch\": $5, \"socket\": 0,
        \"train\": {\"file\": \"gpu$1_train.npy\", \"count\": $6}, \"topology\": {\"file\": \"gpu$1_topology.npy\", \"count\": $7}, \"feature\": {\"file\": \"gpu$1_feature.npy\", \"count\": $8}}"; }
    cat >P/plan.json <<J
{"schema": "plan/1", "policy": "by-hand", "hotset_version": "by-hand", "server": {"name": "chain", "cls": 64}, "graph": {"vertices": 8, "edges": 19, "path": "G"},
 "workload": {"fanout": [4, 4], "batch": 8, "frontier": "new", "sampler": "uniform", "seed": 1}, "sampling_exchange": "push",
 "cliques": [{"gpus": [0, 1], "budget_bytes": 400, "alpha": 0, $none}, {"gpus": [2], "budget_bytes": 200, "alpha": 0, $none}], $none,
 "gpus": [$(gpu 0 0 '[1, 2]' '[1, 0]' 0 1 1 1), $(gpu 1 0 '[0, 2]' "[1, $1]" 0 0 1 2), $(gpu 2 1 '[0, 1]' "[0, $1]" 1 2 2 2)],
 "files": [$(cd P && for f in *.npy; do printf '%s{"name": "%s", "bytes": %s, "sha256": "%s"}' "$comma" $f "$(wc -c <$f)" "$(sha256sum <$f | cut -d' ' -f1)"; comma=", "; done)]}
J
}
