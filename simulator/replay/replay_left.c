#include "simulator/replay/replay_left.h"

#include "base/cacheline.h"
#include "base/wide.h"

enum { CHUNK = 512 }; /* rows whose transactions are looked at for all placements while they are near */

/* Sum of what rows leave to the host, which is source 0. */
WIDE static uint64_t sum_left(const uint64_t *topology, const uint64_t *feature, const uint8_t *topology_source,
                              const uint8_t *feature_source, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += (topology_source[i] ? 0 : topology[i]) + (feature_source[i] ? 0 : feature[i]);
    return sum;
}

/* Adds rows first..first + count - 1 to left[]. */
static void add_chunk(const struct tally_problem *p, const struct tally_counts *c, uint64_t first, uint64_t count,
                      uint64_t *left)
{
    uint64_t topology[CHUNK], feature[CHUNK];
    for (uint64_t i = 0; i < count; i++) {
        topology[i] = c->lines[first + i];
        feature[i] = c->feature[first + i] * cachelines_of_feature(first + i, p->row_bytes, p->line_bytes);
    }
    for (int k = 0; k < p->placements; k++)
        left[k] += sum_left(topology, feature, p->where[2 * k] + first, p->where[2 * k + 1] + first, count);
}

void replay_left(const struct tally_problem *p, const struct tally_counts *c, int threads, uint64_t *left)
{
    for (int k = 0; k < p->placements; k++) left[k] = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : left[:p->placements]) if (threads > 1)
    for (uint64_t first = 0; first < p->n; first += CHUNK)
        add_chunk(p, c, first, p->n - first < CHUNK ? p->n - first : CHUNK, left);
}
