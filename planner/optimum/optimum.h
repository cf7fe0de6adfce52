/* optimum.h - the block program: which share of every block is held by which pattern of pools (model/optimum.md).
 *
 * Variables: x[b,p], the share of block b that is held by pattern p of its component (reach.h). Minimise sum cost[b,p]
 * x[b,p] over sum_p x[b,p] = 1 and, for every pool, bytes held <= budget; cost[b,p] = sum over groups of rate * miss.
 * It is the program of y[b,i] >= 1 - sum over i's neighbours of s[b,g] in another form: a share of a pattern is a share
 * of rows, so turning shares into rows loses at most one row per block, and its value is the best that prices on bytes
 * can prove. A block has hundreds of patterns, so columns are generated as the duals call for them. Programs are solved
 * in stages: the first one's blocks are cut by density, those of the next ones by the prices that were found
 * (blocks.h), until value and proven bound are almost equal. Objective "slowest": minimise z >= what every PCIe switch
 * reads. NVLink costs nothing in both.
 */
#ifndef PLANNER_OPTIMUM_OPTIMUM_H
#define PLANNER_OPTIMUM_OPTIMUM_H

#include "planner/optimum/blocks.h"

/* OBJECTIVE_EPOCH: engine/study_best.h. */
enum objective { OBJECTIVE_TOTAL, OBJECTIVE_SLOWEST, OBJECTIVE_EPOCH };

#define OBJECTIVE_WORDS "epoch|transactions|slowest|time"
/* The objective of that word (time: an old one for epoch); OBJECTIVE_TOTAL for NULL. */
enum objective objective_of(const char *word);

struct optimum_options {
    enum objective objective;
    double seconds; /* of GLPK; 0: no limit */
    int megabytes;  /* of GLPK; 0: no limit */
    bool quick;     /* ends at a thousandth, and where looking closer at rows does not help: the bound is weaker */
};

struct block_share {
    int component, block, pattern;
    double share;
};

struct optimum {
    struct blocks *blocks;     /* [components], owned */
    struct block_share *share; /* [shares] by component, block, pattern; owned. Blocks without one: not held */
    int shares;
    double price[SERVER_GPUS_MAX];  /* [pools] transactions per byte */
    double weight[SERVER_GPUS_MAX]; /* [links] of the switches' reads in the bound: 1 for the total; for the slowest
                                       they add up to 1 */
    double value; /* of the block program: rows of one block share one pattern, so it lies above the optimum of shares
                     of rows */
    double bound; /* proven for every placement, by the prices: see bound.h */
    bool whole;   /* of the bound, see bound.h */
    bool optimal; /* false: stopped by the clock */
};

/* r: by switch for OBJECTIVE_SLOWEST. Release *out with optimum_release. ST_MISSING without GLPK, ST_LIMIT when GLPK
 * gave up or memory ended. */
enum st optimum_solve(const struct reach *r, const struct items *items, const struct optimum_options *o,
                      struct optimum *out, struct err *err) MUST_USE;
/* components: of the reach that it was solved for. Zeroed is allowed. */
void optimum_release(struct optimum *optimum, int components);

#endif
