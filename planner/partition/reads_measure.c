#include "planner/partition/reads_measure.h"

#include <omp.h>

#include "base/mem.h"
#include "base/rng.h"
#include "traces/sampling/sampler.h"

enum { STREAM_MEASURE = 0x6d656173, LINE = 64 };

enum st reads_measure(const struct graph *g, const struct partition_options *o, const uint8_t *own, int parts,
                      bool draws, uint64_t *work, struct err *err)
{
    enum st st = ST_OK;
    struct workload w = o->workload ? *o->workload : (struct workload){.hops = 2, .fanout = {25, 10}, .batch = 8000};
    struct sampler *s = NULL;
    OWNED uint32_t *mine = NULL;
    int threads = o->threads < 1 ? 1 : o->threads;
    w.order = ORDER_SHUFFLE;
    w.edge_share = 0;
    w.batch_dependency = 1;
    w.seed = rng_hash(o->seed, STREAM_MEASURE, 0);
    NEW(mine, g->train_count, "the training vertices of a part");
    TRY(sampler_new(g, &w, LINE, threads, &s, err));
    if (draws) TRY(sampler_keep_steps(s, err));
    for (int p = 0; p < parts; p++) {
        uint64_t count = 0, sum = 0;
        bool failed = false;
        for (uint64_t t = 0; t < g->train_count; t++)
            if (own[t] == p) mine[count++] = g->train[t];
        TRY(sampler_gpu(s, p, mine, count, 1, err));
        uint64_t batches = sampler_batches(s);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(+ : sum) reduction(|| : failed)
        for (uint64_t b = 0; b < batches; b++) {
            const uint32_t *ids;
            const struct sample_steps *steps;
            struct err ignored;
            uint64_t rows = sampler_batch(s, omp_get_thread_num(), b, NULL, &ids);
            if (!draws) sum += rows;
            else if (sampler_steps(s, omp_get_thread_num(), &steps, &ignored) != ST_OK) failed = true;
            else sum += steps->end[steps->levels - 1].draws;
        }
        work[p] = sum;
        if (failed) TRY(err_set(err, ST_LIMIT, "what a mini-batch draws: not enough memory"));
    }
done:
    sampler_free(s);
    return st;
}
