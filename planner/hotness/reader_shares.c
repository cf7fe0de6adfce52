#include "planner/hotness/reader_shares.h"

#include <string.h>

/* (row, GPU) pairs of one kind, by the reads of the other GPUs and of the GPU itself. */
struct tally_of_pairs {
    uint64_t n[READER_BINS * (READER_COUNTS + 1)]; /* [bin][count]; the last count: as many or more */
};

static void count_stretch(const struct trace *t, int clique, bool topology, int threads, uint64_t from, uint64_t to,
                          struct tally_of_pairs *out)
{
    const struct assignment *a = &t->assignment;
#pragma omp parallel num_threads(threads)
    {
        struct tally_of_pairs mine = {{0}};
#pragma omp for schedule(static) nowait
        for (uint64_t v = from; v < to; v++) {
            uint64_t count[GPUS_MAX], sum = reader_counts(t, topology, v, count);
            for (int g = 0; g < a->gpus && sum; g++) {
                if (a->clique_of[g] != clique) continue;
                uint64_t c = count[g] < READER_COUNTS ? count[g] : READER_COUNTS;
                mine.n[(uint64_t)reader_bin(sum - count[g]) * (READER_COUNTS + 1) + c]++;
            }
        }
#pragma omp critical(reader_pairs)
        for (int i = 0; i < READER_BINS * (READER_COUNTS + 1); i++) out->n[i] += mine.n[i]; /* integers: any order */
    }
}

/* In stretches: the counts of all GPUs may be larger than memory. */
static void count_pairs(const struct trace *t, int clique, bool topology, int threads, struct tally_of_pairs *out)
{
    memset(out, 0, sizeof *out);
    for (uint64_t from = 0; from < t->n; from += TRACE_STRETCH) {
        count_stretch(t, clique, topology, threads, from, t->n - from < TRACE_STRETCH ? t->n : from + TRACE_STRETCH,
                      out);
        trace_drop_pages(t);
    }
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

struct reader_rates reader_rates_make(const struct trace *t, int clique, int threads)
{
    return assignment_even(&t->assignment) ? (struct reader_rates){{{{0}}}, {0}}
                                           : reader_rates_counted(t, clique, threads);
}

struct reader_rates reader_rates_counted(const struct trace *t, int clique, int threads)
{
    struct reader_rates r = {{{{0}}}, {0}};
    uint64_t batches = fewest_batches(t, clique);
    if (!batches) return r;
    uint64_t hops = (uint64_t)t->workload.hops, reads = t->workload.frontier == FRONTIER_LAYERS ? hops + 1 : 1;
    for (int topology = 0; topology < 2; topology++) {
        struct tally_of_pairs pairs;
        uint64_t m = r.trials[topology] = batches * (topology ? hops : reads);
        count_pairs(t, clique, topology, threads, &pairs);
        for (int b = 0; b < READER_BINS; b++)
            for (uint64_t c = 0; c < READER_COUNTS; c++) {
                double rate = c > m ? 1 : rate_of(pairs.n + b * (READER_COUNTS + 1), c, m);
                r.of[topology][b][c] = (uint32_t)((rate < 1 ? rate : 1) * READER_RATE_UNITS);
            }
    }
    return r;
}
