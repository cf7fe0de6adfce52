/* estimates.h - what every row of a clique is expected to save per epoch, from calibrated rates and the transaction
 * model.
 *
 * topology[v] = sum over hops of visits per epoch * (lines of the offset pair + expected distinct lines of the row
 * that the draws touch); feature[v] = mini-batches per epoch * lines of the row (MODEL.md, sections 6, 7.2 and 7.3).
 * Estimates come from leave-one-out tables, so their sum over a set that was chosen by them is a nearly unbiased
 * prediction. Without folds (a foreign trace) plain means take their place.
 */
#ifndef PLANNER_HOTNESS_ESTIMATES_H
#define PLANNER_HOTNESS_ESTIMATES_H

#include "planner/hotness/vip.h"

struct estimates {
    float *topology,
        *feature; /* [n] transactions saved per epoch when the row is held in reach of the whole clique; owned */
    float *visits, *rows;         /* [n] expected visits and feature reads per epoch; owned */
    struct checkpoint_array kept; /* where they lie when they were made in a store; else they are blocks of memory */
};

/* Where rates come from. RATE_PRESAMPLE: the means that were counted, which flatter what is chosen by them;
 * RATE_VIP: the analytic prior. */
enum rate_source { RATE_CALIBRATED, RATE_PRESAMPLE, RATE_VIP, RATE_SOURCES };
/* The name of a hotness metric to a source; RATE_SOURCES when it gives no rates. */
enum rate_source rate_source_of(const char *hotness);

/* Expected transactions of one visit per hop; the same for every clique. uniform, walk: estimates_visit. biased:
 * exactly the offset pair and both rows, or one row drawn whole. layer-wise: estimates_lines_share, with the share of
 * the frontier's entries that the recorded hops drew on average, because a visit's draws depend on who else is in the
 * frontier. */
struct visit_costs {
    float *cost[HOPS_MAX]; /* [n], owned; hops of one fan-out share an array */
};
enum st visit_costs_make(const struct graph *g, const struct trace *t, uint64_t line_bytes, int threads,
                         struct visit_costs *out, struct err *err) MUST_USE;
void visit_costs_release(struct visit_costs *c); /* zeroed is allowed */

struct estimates_input {
    const struct graph *graph;
    const struct trace *trace;
    const struct kernels *kernels;
    const struct visit_costs *costs;
    int clique, threads;
    uint64_t line_bytes;
    enum rate_source source;
    const struct checkpoint
        *checkpoint; /* NULL: in memory; else in the file `name` there, and what is finished there is not made again */
    char name[96];
};

/* Takes 16 n bytes for the result and, while it works, about 50 n more. */
enum st estimates_make(const struct estimates_input *in, struct estimates *out, struct err *err) MUST_USE;
void estimates_drop_pages(const struct estimates *e); /* lets go of pages that lie in a store */
void estimates_release(struct estimates *e);          /* zeroed is allowed */

/* Expected distinct lines of line_bytes bytes that k draws without replacement touch in a row of `degree` 4-byte
 * entries at byte `start`: sum over its lines of 1 - C(degree - c, k) / C(degree, k), c = entries in the line
 * (MODEL.md, section 6). */
double estimates_lines(uint64_t degree, uint64_t k, uint64_t start, uint64_t line_bytes);
/* Expected lines of a row when each of its entries is drawn with chance `share`, independently: sum over its lines of
 * 1 - (1 - share)^c. */
double estimates_lines_share(uint64_t degree, double share, uint64_t start, uint64_t line_bytes);
/* Expected transactions of one visit of v that draws uniformly (or walks, fan-out 1): offset pair and row. */
double estimates_visit(const struct graph *g, uint64_t v, uint32_t fanout, uint64_t line_bytes);

#endif
