/* replay_benefit.c - what caching each row would save (declared in replay.h). */
#include "base/ranks.h"
#include "simulator/replay/replay.h"
#include "simulator/replay/replay_counts.h"
#include "simulator/replay/replay_tables.h"
#include "traces/sampling/seeds.h"

enum st replay_benefit(const struct replay_request *r, uint64_t *const *topology, uint64_t *const *feature,
                       struct err *err)
{
    enum st st;
    struct workload w = *r->workload;
    struct sampler *s = NULL;
    struct replay_counts k = {0};
    const struct graph *g = r->graph;
    w.seed = r->seed;
    TRY(replay_counts_new(g, &w, &k, err));
    TRY(sampler_new(g, &w, r->line_bytes, r->threads, &s, err));
    TRY(sampler_use_device(s, r->kernels, NULL, err));
    for (int i = 0; i < r->assignment->gpus; i++) {
        if (!replay_own_reader(i)) continue;
        uint64_t *to_t = topology[r->assignment->clique_of[i]], *to_f = feature[r->assignment->clique_of[i]];
        TRY(sampler_gpu(s, r->assignment->id[i], assignment_seeds(r->assignment, i), r->assignment->train_count[i],
                        r->epochs, err));
        TRY(sampler_fits(s, sampler_batches(s) * r->epochs, err));
        replay_counts_clear(&k, r->threads);
        sampler_run(s, 0, sampler_batches(s) * r->epochs, &k.c);
        TRY(sampler_collect(s, &k.c, err));
        tables_lines(g, &k.c, r->line_bytes, r->threads, to_t, to_f);
    }
    for (int c = 0; c < r->assignment->cliques; c++) {
        TRY(ranks_sum_wide(topology[c], graph_topology_rows(g), err));
        TRY(ranks_sum_wide(feature[c], graph_feature_rows(g), err));
    }
done:
    replay_counts_free(&k);
    sampler_free(s);
    return st;
}

uint64_t replay_epochs(const struct graph *graph, const struct assignment *a, const struct workload *w, uint64_t wanted)
{
    uint64_t batches = 0;
    for (int g = 0; g < a->gpus; g++) batches += seeds_batches(w, graph, a->train[g], a->train_count[g]);
    uint64_t epochs = batches ? (wanted + batches - 1) / batches : 1;
    return epochs < 1 ? 1 : epochs > 8 ? 8 : epochs;
}

uint64_t replay_default_epochs(const struct graph *graph, const struct assignment *a, const struct workload *w)
{
    return replay_epochs(graph, a, w, 200);
}
