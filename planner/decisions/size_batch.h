/* size_batch.h - whether the mini-batches that are sized are more than a GPU trains. */
#ifndef PLANNER_DECISIONS_SIZE_BATCH_H
#define PLANNER_DECISIONS_SIZE_BATCH_H

#include "planner/decisions/size.h"

/* Says of the first of `count` curves whose mini-batch, at full size, is more than a GPU trains in an epoch that it is
 * so. */
void size_say_batch(const struct size_question *q, const struct size_graph *g, const struct size_curve *curves,
                    int count);

#endif
