#include "planner/hotness/reader_shares.h"

#include <string.h>

#include "base/mem.h"

/* (row, GPU) pairs of one kind, by the reads of the other GPUs and of the GPU itself. */
struct tally_of_pairs {
    uint64_t n[READER_BINS * (READER_COUNTS + 1)]; /* [bin][count]; the last count: as many or more */
};

/* Notes the pairs of `some` vertices, whose reads by each GPU are known. mine: [cliques]. */
enum { BLOCK = 48 };
static void note_pairs(const struct assignment *a, uint32_t (*reads)[BLOCK], uint64_t some, struct tally_of_pairs *mine)
{
    for (uint64_t i = 0; i < some; i++) {
        uint64_t sum = 0;
        for (int g = 0; g < a->gpus; g++) sum += reads[g][i];
        for (int g = 0; g < a->gpus && sum; g++) {
            uint64_t c = reads[g][i] < READER_COUNTS ? reads[g][i] : READER_COUNTS;
            mine[a->clique_of[g]].n[(uint64_t)reader_bin(sum - reads[g][i]) * (READER_COUNTS + 1) + c]++;
        }
    }
}

/* Notes the pairs of vertices from..to-1, block by block: GPU by GPU within it. */
static void count_pairs_of(const struct trace *t, bool topology, uint64_t from, uint64_t to,
                           struct tally_of_pairs *mine)
{
    uint32_t reads[GPUS_MAX][BLOCK];
    for (uint64_t v = from; v < to; v += BLOCK) {
        uint64_t some = to - v < BLOCK ? to - v : BLOCK;
        for (int g = 0; g < t->assignment.gpus; g++) reader_count_block(t, g, topology, v, some, reads[g]);
        note_pairs(&t->assignment, reads, some, mine);
    }
}

/* Of every clique, in one pass over the counts; in stretches, because the counts of all GPUs may be larger than memory.
 * room: [threads][cliques], zeroed; the first thread's get the sums. */
static void count_pairs(const struct trace *t, bool topology, int threads, struct tally_of_pairs *room)
{
    uint64_t cliques = (uint64_t)t->assignment.cliques;
    for (uint64_t from = 0; from < t->n; from += TRACE_STRETCH) {
        uint64_t rows = t->n - from < TRACE_STRETCH ? t->n - from : TRACE_STRETCH;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int i = 0; i < threads; i++)
            count_pairs_of(t, topology, from + rows * (uint64_t)i / (uint64_t)threads,
                           from + rows * (uint64_t)(i + 1) / (uint64_t)threads, room + (uint64_t)i * cliques);
        trace_drop_pages(t);
    }
    for (int i = 1; i < threads; i++)
        for (uint64_t c = 0; c < cliques; c++)
            for (int k = 0; k < READER_BINS * (READER_COUNTS + 1); k++)
                room[c].n[k] += room[(uint64_t)i * cliques + c].n[k]; /* integers: any order */
}

/* Mini-batches that the GPU of the clique with fewest of them recorded; 0: none. */
static uint64_t fewest_batches(const struct trace *t, int clique)
{
    uint64_t least = 0, batch = t->workload.batch ? t->workload.batch : 1;
    for (int g = 0; g < t->assignment.gpus; g++) {
        uint64_t batches = (t->assignment.train_count[g] + batch - 1) / batch * t->epochs;
        if (t->assignment.clique_of[g] == clique && batches && (!least || batches < least)) least = batches;
    }
    return least;
}

/* The rate after c reads in m - 1 trials. Few pairs are drawn towards what c itself says. */
static double left_out(const uint64_t *n, uint64_t c, uint64_t m)
{
    enum { PULL = 4 };
    double next = (double)(c + 1) * (double)n[c + 1], stay = (double)(m - c) * (double)n[c],
           own = ((double)c + 0.5) / (double)m;
    return (next + PULL * own) / (next + stay + PULL);
}

/* After c reads in m trials: between the rates after c (m - 1) / m reads in m - 1 trials. */
static double rate_of(const uint64_t *n, uint64_t c, uint64_t m)
{
    if (m < 2) return ((double)c + 0.25) / 1.25; /* a single trial leaves nothing to learn from */
    double at = (double)c * (double)(m - 1) / (double)m;
    uint64_t low = (uint64_t)at;
    if (low + 1 >= READER_COUNTS) return (double)c / (double)m;
    double below = left_out(n, low, m), above = low + 1 < m ? left_out(n, low + 1, m) : below;
    return below + (at - (double)low) * (above - below);
}

static void set_rates(const struct tally_of_pairs *pairs, bool topology, uint64_t m, struct reader_rates *r)
{
    r->trials[topology] = m;
    for (int b = 0; b < READER_BINS; b++)
        for (uint64_t c = 0; c < READER_COUNTS; c++) {
            double rate = c > m ? 1 : rate_of(pairs->n + b * (READER_COUNTS + 1), c, m);
            r->of[topology][b][c] = (uint32_t)((rate < 1 ? rate : 1) * READER_RATE_UNITS);
        }
}

enum st reader_rates_counted(const struct trace *t, int threads, struct reader_rates *out, struct err *err)
{
    OWNED struct tally_of_pairs *room = NULL;
    uint64_t cliques = (uint64_t)t->assignment.cliques, hops = (uint64_t)t->workload.hops,
             reads = t->workload.frontier == FRONTIER_LAYERS ? hops + 1 : 1;
    memset(out, 0, sizeof *out * cliques);
    for (int topology = 0; topology < 2; topology++) {
        MAKE(room, (uint64_t)threads * cliques, "pairs of rows and readers");
        count_pairs(t, topology, threads, room);
        for (int c = 0; c < t->assignment.cliques; c++) {
            uint64_t batches = fewest_batches(t, c);
            if (batches) set_rates(&room[c], topology, batches * (topology ? hops : reads), &out[c]);
        }
        mem_free(room);
        room = NULL;
    }
    return ST_OK;
}
