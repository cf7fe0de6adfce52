/* blocks.h - the rows of a graph, of all kinds, in a few hundred groups of similar density, so that the optimum
 * becomes a program that is solved in seconds.
 *
 * Items are those of traces/graph/rows.h. Memory is bytes whatever the kind, so a block mixes all. There are two ways
 * to cut. By density: items whose saving per byte lies in one logarithmic step for the clique that reads them most, and
 * in one step relative to it for every other clique of the component. By prices, once prices per byte are known: items
 * for which the same patterns are worth considering, by about the same margin; most rows have one pattern that is best
 * by far and fall into a few blocks, which leaves the fine steps to rows where it is close. Up to BLOCKS_MAX items are
 * blocks of their own. Items that fit on no GPU share one block; items that no clique of the component reads are in
 * none. Rates are the calibrated estimates, cut to multiples of 2^-20 transactions per epoch (as predictions add them),
 * so sums do not depend on the order of additions.
 */
#ifndef PLANNER_OPTIMUM_BLOCKS_H
#define PLANNER_OPTIMUM_BLOCKS_H

#include "planner/hotness/estimates.h"
#include "planner/hotness/reader_shares.h"
#include "planner/optimum/pattern_prices.h"
#include "traces/graph/rows.h"

enum { BLOCKS_MAX = 600 };

/* All rows of a graph; borrowed. */
struct items {
    const struct graph *graph;
    const struct estimates *estimates; /* [cliques] */
    int threads;
    const struct trace *trace; /* counts that tell how a clique's reads divide among its GPUs; NULL: evenly */
    uint16_t *share;           /* [items][gpus] shares of GPUs in units of 1 / READER_UNITS, of a reach whose readers
                                  are GPUs (items_divide); NULL: readers are cliques */
    int gpus;
};

/* Sets items->share where the reach has GPUs for readers; 2 bytes per row and GPU. The caller frees it. ST_LIMIT
 * without memory. */
enum st items_divide(const struct reach *r, struct items *items, struct err *err) MUST_USE;

static inline uint64_t items_count(const struct items *r) { return graph_items(r->graph); }

/* Transactions per epoch that clique c saves when all of it reaches item x, in units of 2^-20. */
static inline uint64_t items_clique_rate(const struct items *r, int c, uint64_t x)
{
    uint64_t n = graph_topology_rows(r->graph);
    float e = x < n ? r->estimates[c].topology[x] : r->estimates[c].feature[x - n];
    return e > 0 ? (uint64_t)((double)e * 0x1p20) : 0;
}
/* The same of reader c of a reach: a clique or a GPU. */
static inline uint64_t items_rate(const struct items *r, int c, uint64_t x)
{
    if (!r->share) return items_clique_rate(r, c, x);
    return items_clique_rate(r, r->trace->assignment.clique_of[c], x) * r->share[x * (uint64_t)r->gpus + (uint64_t)c] /
           READER_UNITS;
}
/* Whether patterns say what every reader reads: a clique's GPUs have equal shares, or readers are GPUs. */
static inline bool items_equal(const struct items *r) { return r->share || !r->trace || !r->estimates[0].readers; }
/* Share of GPU g in what its reader, its clique or itself, reads of item x. */
static inline double items_share(const struct items *r, const int *clique_size, const int *clique_of, int g, uint64_t x)
{
    if (items_equal(r)) return 1.0 / clique_size[clique_of[g]];
    uint64_t n = graph_topology_rows(r->graph);
    return (double)reader_share(r->graph, r->trace, r->estimates[clique_of[g]].readers, g, x < n, x < n ? x : x - n) /
           READER_UNITS;
}
/* Bytes of item x; 1 of a row that does not exist (a type without features), which nobody reads. */
static inline uint64_t items_bytes(const struct items *r, uint64_t x)
{
    uint64_t bytes = graph_item_bytes(r->graph, x);
    return bytes ? bytes : 1;
}

struct blocks {
    int cliques;
    int clique[SERVER_GPUS_MAX]; /* of the component */
    int count;
    uint64_t *bytes, *items; /* [count], owned */
    double *rate;            /* [count][cliques] transactions per epoch, owned */
    bool single;             /* every block is one item (but the one of too large items) */
    int too_large;           /* the block of items that fit on no GPU of the component; -1: there are none */
    /* from an item to its block */
    int level_shift, ratio_shift; /* by density: steps that were merged, in powers of two */
    bool by_prices;
    struct pattern_prices prices; /* by prices: owned */
    double band, steps; /* patterns within `band` (transactions per byte) of the best count, in steps that widen with
                           the margin */
    uint32_t slots;     /* of the table, a power of two */
    uint64_t *key;      /* [slots], owned; 0: empty */
    uint32_t *block;    /* [slots], owned */
    uint64_t largest;   /* bytes of the largest budget of one GPU */
};

/* Cuts by prices; price: [pools] transactions per byte, weight: [links]; NULL both: by density. band: how far a pattern
 * may be from the best, as a share of the mean price. Release *out with blocks_release. ST_LIMIT without memory. */
enum st blocks_make(const struct reach *r, int component, const struct items *items, const double *price,
                    const double *weight, double band, struct blocks *out, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void blocks_release(struct blocks *b);
/* The block of an item; -1: none. */
int blocks_find(const struct blocks *b, const struct items *items, uint64_t item);

#endif
