/* small.h - the optimal placement of a few rows, by branch and bound.
 *
 * The block program shares rows out and knows pools, not GPUs; where rows are few and large, what does not fit together
 * matters. Here rows are placed one after the other, densest first, under every pattern of their component and on every
 * GPU of a pattern's pools. At prices per byte (optimum.h) the rows that are left cost at least what each of them costs
 * by itself at its cheapest, minus what the room that is left would charge (weak duality, as in bound.h); branches that
 * cannot beat the best placement so far are cut.
 */
#ifndef PLANNER_OPTIMUM_SMALL_H
#define PLANNER_OPTIMUM_SMALL_H

#include "planner/optimum/blocks.h"

enum { SMALL_ITEMS = 32 };

struct small_placement {
    int count;
    uint64_t item[SMALL_ITEMS]; /* those that some clique reads */
    pool_set gpus[SMALL_ITEMS]; /* bit g: GPU g holds it */
    double cost;                /* host reads per epoch, in transactions */
    bool optimal;               /* false: the search was stopped */
};

/* Whether at most SMALL_ITEMS items are read by some clique. */
bool small_possible(const struct reach *r, const struct items *items);

/* Places the items, which must be small_possible. budget: [gpus] bytes, price: [pools] >= 0 transactions per byte: any
 * are correct, good ones make it quick. Stops after 4 million steps per component, with the best placement so far.
 * ST_LIMIT without memory. */
enum st small_place(const struct reach *r, const struct items *items, const uint64_t *budget, const double *price,
                    struct small_placement *out, struct err *err) MUST_USE;

#endif
