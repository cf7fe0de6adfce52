/* estimates.h - what every row of a clique is expected to save per epoch, from rates and the transaction model.
 *
 * topology[v] = sum over hops of visits per epoch * (lines of the offset pair + expected distinct lines of the row that
 * the draws touch); feature[v] = mini-batches per epoch * lines of the row (model/transactions.md, model/density.md,
 * model/estimates.md). Calibrated rates come from leave-one-out tables, so their sum over a set that was chosen by them
 * is a nearly unbiased prediction. A trace without folds (made elsewhere) gives plain means instead.
 *
 * Several types: rates are those of vertices per hop, calibrated among each type by itself. A vertex visits its rows of
 * all relations with a fan-out, so their rates are one. An edge of a row is drawn with chance min(1, fan-out / length)
 * per visit, whichever edge it is; where a vertex draws from its rows of all relations together, length is that of all
 * of them.
 */
#ifndef PLANNER_HOTNESS_ESTIMATES_H
#define PLANNER_HOTNESS_ESTIMATES_H

#include "planner/hotness/reader_shares.h"
#include "planner/hotness/vip.h"

struct estimates {
    /* Arrays of topology and visits have the topology rows of the graph, those of features its feature rows; owned. */
    float *topology, *feature;    /* transactions per epoch that are saved when the whole clique reaches the row */
    float *visits, *rows;         /* expected visits and feature reads per epoch */
    struct reader_rates *readers; /* how the clique's reads divide among its GPUs; owned; NULL: evenly */
    struct checkpoint_array kept; /* where they lie when a checkpoint has them; else they are blocks of memory */
};

/* Where rates come from. RATE_PRESAMPLE: the counted means, too high for rows that were chosen by them; RATE_VIP: the
 * analytic prior. */
enum rate_source { RATE_CALIBRATED, RATE_PRESAMPLE, RATE_VIP, RATE_SOURCES };
/* The source that a hotness metric names; RATE_SOURCES when it gives no rates. */
enum rate_source rate_source_of(const char *hotness);

/* The whole graph, where counts are of some of its vertices and the graph beside them has these alone (trace_sample);
 * borrowed. NULL graph: the other one is whole. */
struct estimates_whole {
    const struct graph *graph; /* plain */
    const uint64_t *id;        /* [vertices that are left] in it */
};

/* Expected transactions of one visit, per hop; the same for every clique. Samplers uniform and walk: the offset pair
 * and the expected lines of the row. biased: exactly the offset pair and both rows, or one row drawn whole. labor:
 * exactly the offset pair and the row. layer-wise: the share of the frontier's entries that the recorded hops drew on
 * average, because a visit's draws depend on who else is in the frontier. */
struct visit_costs {
    float *cost[HOPS_MAX]; /* [topology rows], owned; hops of the same fan-outs share an array */
};
/* whole: as in estimates_input, or NULL. Release *out with visit_costs_release. ST_LIMIT without memory. */
enum st visit_costs_make(const struct graph *g, const struct estimates_whole *whole, const struct trace *t,
                         uint64_t line_bytes, int threads, struct visit_costs *out, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void visit_costs_release(struct visit_costs *c);

struct estimates_input {          /* pointers are borrowed */
    const struct graph *graph;    /* whose rows are estimated */
    struct estimates_whole whole; /* of which priors are made */
    const struct trace *trace;
    const struct kernels *kernels;
    const struct visit_costs *costs;
    int clique, threads;
    uint64_t line_bytes;
    enum rate_source source;
    const struct reader_rates *readers; /* of the clique, by reader_rates_counted, where known; NULL: counted here */
    bool by_reader; /* how reads divide is wanted although GPUs train random parts of one set: they reach other rows */
    const struct checkpoint *checkpoint; /* NULL: in memory; else in its file `name`, taken up when it is finished */
    char name[96];
};

/* Takes 8 bytes per row for the result and about 50 n more while it works. ST_USAGE for vip rates of a sampler that vip
 * does not know; ST_LIMIT without memory or disk. */
enum st estimates_make(const struct estimates_input *in, struct estimates *out, struct err *err) MUST_USE;
/* Adds what vertices' visits in a hop, rate[n], are for edges with features: edges[edge rows] expected gathers. */
void estimates_spread(const struct graph *g, const struct workload *w, int hop, const float *rate, int threads,
                      float *edges);
/* Lets go of pages that lie in a checkpoint. */
void estimates_drop_pages(const struct estimates *e);
/* Zeroed is allowed. */
void estimates_release(struct estimates *e);

/* Expected distinct lines of line_bytes bytes that k draws without replacement from `pool` entries touch in a row that
 * is `degree` of them, 4 bytes each, from byte `start` on: sum over its lines of 1 - C(pool - c, k) / C(pool, k), c =
 * entries in the line (model/transactions.md). pool >= degree; the row's own draws: pool = degree. */
double estimates_lines_of(uint64_t pool, uint64_t degree, uint64_t k, uint64_t start, uint64_t line_bytes);

#endif
