/* estimates.h - what every row of a clique is expected to save per epoch, from rates and the transaction model.
 *
 * topology[v] = sum over hops of visits per epoch * (lines of the offset pair + expected distinct lines of the row that
 * the draws touch); feature[v] = mini-batches per epoch * lines of the row (MODEL.md, sections 6, 7.2 and 7.3).
 * Calibrated rates come from leave-one-out tables, so their sum over a set that was chosen by them is a nearly unbiased
 * prediction. A trace without folds (made elsewhere) gives plain means instead.
 */
#ifndef PLANNER_HOTNESS_ESTIMATES_H
#define PLANNER_HOTNESS_ESTIMATES_H

#include "planner/hotness/reader_shares.h"
#include "planner/hotness/vip.h"

struct estimates {
    float *topology,
        *feature;         /* [n] transactions per epoch that are saved when the whole clique reaches the row; owned */
    float *visits, *rows; /* [n] expected visits and feature reads per epoch; owned */
    struct reader_rates *readers; /* how the clique's reads divide among its GPUs; owned; NULL: evenly */
    struct checkpoint_array kept; /* where they lie when a checkpoint has them; else they are blocks of memory */
};

/* Where rates come from. RATE_PRESAMPLE: the counted means, too high for rows that were chosen by them; RATE_VIP: the
 * analytic prior. */
enum rate_source { RATE_CALIBRATED, RATE_PRESAMPLE, RATE_VIP, RATE_SOURCES };
/* The source that a hotness metric names; RATE_SOURCES when it gives no rates. */
enum rate_source rate_source_of(const char *hotness);

/* Expected transactions of one visit, per hop; the same for every clique. Samplers uniform and walk: the offset pair
 * and the expected lines of the row. biased: exactly the offset pair and both rows, or one row drawn whole. labor:
 * exactly the offset pair and the row. layer-wise: the share of the frontier's entries that the recorded hops drew on
 * average, because a visit's draws depend on who else is in the frontier. */
struct visit_costs {
    float *cost[HOPS_MAX]; /* [n], owned; hops of one fan-out share an array */
};
/* Release *out with visit_costs_release. ST_LIMIT without memory. */
enum st visit_costs_make(const struct graph *g, const struct trace *t, uint64_t line_bytes, int threads,
                         struct visit_costs *out, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void visit_costs_release(struct visit_costs *c);

struct estimates_input { /* pointers are borrowed */
    const struct graph *graph;
    const struct trace *trace;
    const struct kernels *kernels;
    const struct visit_costs *costs;
    int clique, threads;
    uint64_t line_bytes;
    enum rate_source source;
    const struct reader_rates *readers;  /* of the clique, by reader_rates_counted, where known; NULL: counted here */
    const struct checkpoint *checkpoint; /* NULL: in memory; else in its file `name`, taken up when it is finished */
    char name[96];
};

/* Takes 16 n bytes for the result and about 50 n more while it works. ST_USAGE for vip rates of a sampler that vip does
 * not know; ST_LIMIT without memory or disk. */
enum st estimates_make(const struct estimates_input *in, struct estimates *out, struct err *err) MUST_USE;
/* Lets go of pages that lie in a checkpoint. */
void estimates_drop_pages(const struct estimates *e);
/* Zeroed is allowed. */
void estimates_release(struct estimates *e);

/* Expected distinct lines of line_bytes bytes that k draws without replacement touch in a row of `degree` 4-byte
 * entries at byte `start`: sum over its lines of 1 - C(degree - c, k) / C(degree, k), c = entries in the line
 * (MODEL.md, section 6). */
double estimates_lines(uint64_t degree, uint64_t k, uint64_t start, uint64_t line_bytes);
/* The same of a row that is a part of the `pool` entries from which k are drawn; pool >= degree. */
double estimates_lines_of(uint64_t pool, uint64_t degree, uint64_t k, uint64_t start, uint64_t line_bytes);

#endif
