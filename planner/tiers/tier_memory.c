#include "planner/tiers/tier_memory.h"

enum { FIXED = 32 << 20 }; /* tables that do not grow with the graph: calibration's, mostly */

struct tier_memory tier_memory_estimate(const struct tier_work *w)
{
    const struct server *s = w->request.server;
    uint64_t n = w->graph->n, nodes = (uint64_t)w->request.nodes, hops = (uint64_t)w->workload->hops,
             gpus = nodes * (uint64_t)s->gpus, cliques = nodes * (uint64_t)s->cliques,
             readers = cliques * (uint64_t)(s->sockets > 1 ? s->sockets : 1), threads = (uint64_t)w->threads;
    uint64_t rows = 16 * n, trains = 4 * w->graph->train_count, counts = 4 * n * (2 + hops) * gpus,
             folds = 2 * n * (1 + hops) * (uint64_t)trace_folds(w->presample_epochs) * cliques,
             draws = 4 * n * (1 + hops) + threads * (n / 8 + 4 * w->workload->batch), reads = 12 * n * readers,
             estimates = 66 * n + 4 * n * hops, solutions = 3 * 4 * n, solver = 2 * n * 36 + solutions;
    return (struct tier_memory){.partition = FIXED + rows + trains + 2 * n +
                                             partition_bytes(w->graph, (int)gpus, w->partition.method, w->threads),
                                .recording = FIXED + rows + trains + counts + folds + draws,
                                .planning = FIXED + rows + trains + counts + folds + reads +
                                            (estimates > solver ? estimates : solver),
                                .held_out = FIXED + rows + trains + solutions + counts +
                                            (draws > reads ? draws : reads)};
}
