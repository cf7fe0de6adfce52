/* typed_optimum.h - rows of a typed graph as the items of the block program (planner/optimum). Private to
 * planner/typed. */
#ifndef PLANNER_TYPED_TYPED_OPTIMUM_H
#define PLANNER_TYPED_TYPED_OPTIMUM_H

#include "planner/optimum/blocks.h"
#include "planner/typed/typed_policy.h"

struct typed_items {
    const float *saved[GPUS_MAX];
    struct other_items other;
    struct items items; /* borrows other, rows and estimates */
};
/* Items are those of in->rows; rates those of in->estimates. *out must stay where it is. */
void typed_items_make(const struct typed_input *in, int cliques, struct typed_items *out);

#endif
