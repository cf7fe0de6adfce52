/* reader_shares.h - how the reads of a clique divide among its GPUs.
 *
 * Where a clique's GPUs train random parts of one set (assignment_even), each has an equal share of every row's reads.
 * Where each GPU trains a part of the graph of its own, the counts of the trace tell; but a GPU that was chosen because
 * it has the highest count has a lower rate than its count says. So a GPU's rate is what leaving one mini-batch out
 * shows: of (row, GPU) pairs with c reads in m - 1 of the m recorded mini-batches, the share that is read in the m-th
 * (Good-Turing), with N_c pairs of c reads in all m:
 *     rate(c) = (c + 1) N_(c+1) / ((c + 1) N_(c+1) + (m - c) N_c),
 * for rows that all other GPUs together read about as often: those of a row that another clique reads
 * much are spread, those of a community's row are not. A GPU's share is its rate over the sum of its clique's.
 * Of several types a row's reads are those of its vertex in the hops where its relation is drawn from; rates are those
 * of vertices, whatever their type.
 * Shares matter where GPUs of one clique reach different rows, over NVLinks to other cliques.
 */
#ifndef PLANNER_HOTNESS_READER_SHARES_H
#define PLANNER_HOTNESS_READER_SHARES_H

#include "traces/recording/trace_rows.h"

enum { READER_UNITS = 1024, READER_BINS = 12, READER_COUNTS = 64, READER_RATE_UNITS = 1 << 20 };

/* Rates per mini-batch of a clique's GPUs, in units of 1 / READER_RATE_UNITS: of features [0] and topology [1], for
 * rows that the others read 0, 1, 2 to 3, 4 to 7, .. times [bin], after so many reads by the GPU [count]; more reads
 * than READER_COUNTS - 1: count / trials. */
struct reader_rates {
    uint32_t of[2][READER_BINS][READER_COUNTS];
    uint64_t trials[2]; /* mini-batches, for topology times hops */
};
/* *out: [cliques], from the counts of the trace in one pass over them, on any number of threads the same, whatever the
 * deal. GPUs that train random parts of one set (assignment_even) still read rare rows unequally, because each keeps
 * its part: that decides how much passes NVLinks, not how much passes PCIe. ST_LIMIT without memory. */
enum st reader_rates_counted(const struct trace *t, int threads, struct reader_rates *out, struct err *err) MUST_USE;

static inline int reader_bin(uint64_t reads)
{
    int b = reads ? 64 - __builtin_clzll(reads) : 0;
    return b < READER_BINS ? b : READER_BINS - 1;
}

/* Reads of vertex v's topology (in all hops) or feature row by GPU g, a position. */
static inline uint64_t reader_vertex_count(const struct trace *t, int g, bool topology, uint64_t v)
{
    uint64_t count = topology ? 0 : count_at(t->feature[g], v);
    for (int h = 0; topology && h < t->workload.hops; h++) count += count_at(t->visits[h][g], v);
    return count;
}
/* Reads of a row. v: its number within the kind; of a plain graph a vertex. */
static inline uint64_t reader_count(const struct graph *graph, const struct trace *t, int g, bool topology, uint64_t v)
{
    if (graph_plain(graph)) return reader_vertex_count(t, g, topology, v); /* in hot loops */
    return trace_item_reads(t, graph, topology ? v : graph->topology_rows + v, g);
}

/* Those of `some` vertices from `from` on: reads[some]. */
static inline void reader_count_block(const struct trace *t, int g, bool topology, uint64_t from, uint64_t some,
                                      uint32_t *reads)
{
    for (uint64_t i = 0; i < some; i++) reads[i] = 0;
    if (!topology) count_row_add(t->feature[g], from, some, reads);
    for (int h = 0; topology && h < t->workload.hops; h++) count_row_add(t->visits[h][g], from, some, reads);
}

static inline uint64_t reader_rate(const struct reader_rates *r, bool topology, uint64_t others, uint64_t count)
{
    if (count < READER_COUNTS) return r->of[topology][reader_bin(others)][count];
    return count * READER_RATE_UNITS / (r->trials[topology] ? r->trials[topology] : 1);
}

/* count[g]: reads of the row by each GPU; returns their sum. */
static inline uint64_t reader_counts(const struct graph *graph, const struct trace *t, bool topology, uint64_t v,
                                     uint64_t *count)
{
    uint64_t sum = 0;
    for (int g = 0; g < t->assignment.gpus; g++) sum += count[g] = reader_count(graph, t, g, topology, v);
    return sum;
}

/* Shares of a clique's GPUs in its reads of the row by their counts, whatever the deal, in units of 1 / READER_UNITS:
 * sets share[g] for its GPUs alone. r: of that clique, by reader_rates_counted; NULL: they share alike. count, sum: by
 * reader_counts. */
static inline void reader_shares_counted(const struct trace *t, const struct reader_rates *r, int clique, bool topology,
                                         const uint64_t *count, uint64_t sum, uint32_t *share)
{
    const struct assignment *a = &t->assignment;
    uint64_t size = 0, all = 0, rate[GPUS_MAX];
    for (int i = 0; i < a->gpus; i++) {
        if (a->clique_of[i] != clique) continue;
        size++;
        rate[i] = r && sum ? reader_rate(r, topology, sum - count[i], count[i]) : 0;
        all += rate[i];
    }
    for (int i = 0; i < a->gpus; i++)
        if (a->clique_of[i] == clique)
            share[i] = (uint32_t)(all ? (rate[i] * READER_UNITS + all / 2) / all : (READER_UNITS + size / 2) / size);
}

/* The share of one of them, GPU g. */
static inline uint32_t reader_share(const struct graph *graph, const struct trace *t, const struct reader_rates *r,
                                    int g, bool topology, uint64_t v)
{
    uint64_t count[GPUS_MAX], sum = r ? reader_counts(graph, t, topology, v, count) : 0;
    uint32_t share[GPUS_MAX];
    reader_shares_counted(t, r, t->assignment.clique_of[g], topology, count, sum, share);
    return share[g];
}

#endif
