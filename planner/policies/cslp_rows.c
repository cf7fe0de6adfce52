#include "planner/policies/cslp_rows.h"

#include "base/mem.h"
#include "traces/recording/wide_counts.h"

enum { AHEAD = 16 }; /* positions that are prefetched */

/* A stretch of the order as a problem of its own, whose vertices are the positions. */
struct stretch {
    uint32_t *hot, *order;         /* [gpus][most], [most] */
    const uint32_t *row[GPUS_MAX]; /* into hot */
    int64_t *indptr;               /* [most + 1] */
};

static void gather(const struct count_row *counts, int gpus, const uint32_t *order, uint64_t count, int threads,
                   uint32_t *hot, uint64_t most)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < count; i++) {
        for (int g = 0; i + AHEAD < count && g < gpus; g++) count_prefetch(counts[g], order[i + AHEAD]);
        for (int g = 0; g < gpus; g++) hot[(uint64_t)g * most + i] = count_at(counts[g], order[i]);
    }
}

static enum st in_stretches(const struct policy_input *in, const struct count_row *counts, int gpus,
                            const uint32_t *order, uint64_t count, bool topology, uint64_t *room, uint8_t *owner,
                            uint64_t *held, struct err *err)
{
    enum st st = ST_OK;
    struct stretch s = {0};
    const struct graph *g = in->graph;
    const uint64_t most = count < TRACE_STRETCH ? count : TRACE_STRETCH;
    const int64_t words = 1 + (int64_t)g->weight_bytes / 4; /* of 4 bytes per entry, of which the kernel knows one */
    uint64_t placed = 0;
    NEW(s.hot, (uint64_t)gpus * most, "counts of 32 bits");
    NEW(s.order, most, "positions of rows");
    if (topology) NEW(s.indptr, most + 1, "sizes of rows");
    for (int i = 0; i < gpus; i++) s.row[i] = s.hot + (uint64_t)i * most;
    for (uint64_t i = 0; i < most; i++) s.order[i] = (uint32_t)i;
    for (uint64_t from = 0, to; placed == from && from < count; from = to) {
        to = count - from < most ? count : from + most;
        gather(counts, gpus, order + from, to - from, in->threads, s.hot, most);
        for (uint64_t i = from; topology && i < to; i++) {
            const uint32_t v = order[i];
            s.indptr[i - from + 1] = s.indptr[i - from] + words * (g->indptr[v + 1] - g->indptr[v]);
        }
        struct cslp_problem p = {gpus,     s.row, s.order, to - from, topology ? s.indptr : NULL, graph_cached_bytes(g),
                                 to - from};
        uint64_t here = 0;
        TRY(in->kernels->cslp(in->threads, &p, room, owner + from, &here, err));
        placed = from + here;
    }
    *held = placed;
done:
    mem_free(s.hot);
    mem_free(s.order);
    mem_free(s.indptr);
    return st;
}

enum st cslp_rows(const struct policy_input *in, const struct count_row *counts, int gpus, const uint32_t *order,
                  uint64_t count, bool topology, uint64_t *room, uint8_t *owner, uint64_t *held, struct err *err)
{
    struct wide_counts hot;
    const uint64_t n = in->graph->n;
    if (!wide_counts_are(counts, gpus) || (topology && in->graph->weight_bytes))
        return in_stretches(in, counts, gpus, order, count, topology, room, owner, held, err);
    enum st st = wide_counts_make(counts, gpus, 0, n, in->threads, &hot, err); /* borrowed: takes nothing */
    if (st != ST_OK) return st;
    struct cslp_problem p =
        {gpus, hot.row, order, count, topology ? in->graph->indptr : NULL, graph_cached_bytes(in->graph), n};
    return in->kernels->cslp(in->threads, &p, room, owner, held, err);
}
