/* size_growth.h - growth of the graph as demand: which option meets every future that --grow lists, and where a server
 * stops.
 *
 * The answer to a question is of its largest future. A smaller one is never chosen because it is cheaper: nobody
 * chooses how large the graph will be. For every future there is the option that would be the answer to it alone.
 */
#ifndef PLANNER_DECISIONS_SIZE_GROWTH_H
#define PLANNER_DECISIONS_SIZE_GROWTH_H

#include "planner/decisions/size_sentence.h"

/* The largest factor of `count` curves, 1 or more of them: what is demanded. */
double size_demand(const struct size_curve *curves, int count);
/* Whether the curve is of the future that the answer is of. */
static inline bool size_demanded(const struct size_result *r, const struct size_curve *c)
{
    return c->of.grow == r->grow;
}

/* Puts into a decision, where several futures are listed, `futures` {grow, option, line}, ascending, and `stops`
 * {label, grow, why, line}, one for every server with its GPUs, fan-outs and so on: the first future that no number of
 * them that was tried holds, or in which none meets the targets (grow null: none). Else both are empty. */
void size_growth_put(const struct size_result *r, doc *decision);

#endif
