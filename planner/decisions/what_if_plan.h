/* what_if_plan.h - plans of one graph as subjects of what_if.h: rates of their servers are moved in the time model, on
 * the same held-out epochs; batch and fan-outs draw the epochs again, with the plan's lists as they are. */
#ifndef PLANNER_DECISIONS_WHAT_IF_PLAN_H
#define PLANNER_DECISIONS_WHAT_IF_PLAN_H

#include "base/cmd.h"
#include "planner/decisions/what_if.h"
#include "simulator/movement/epoch_args.h"

struct what_if_plans {
    struct call *call;
    struct graph *graph;
    int count;
    struct plan *plan;            /* [count] */
    struct server **server;       /* [count] */
    struct epoch_options *timing; /* [count] */
    uint64_t *epochs, *seed;      /* [count] held-out epochs (0: as many as hotset simulate takes), and of what seed */
    double within;                /* seconds of an epoch; NaN: no target */
    const struct kernels *kernels;
    const struct what_if *what; /* whose inputs `value` is asked for */
    struct replay *replay;      /* [count] of the plans as they are */
    double *blocks;             /* [count] that their drives read in an epoch; 0: they have none */
};

/* Replays the plans and makes them the subjects of `out`, whose inputs it adds. ST_NO where a server lacks constants of
 * the time model. `of` lives as long as `out`; end with what_if_plans_end, also after an error. */
enum st what_if_plans_begin(struct what_if_plans *of, const struct size_errors *errors, struct what_if *out,
                            struct err *err) MUST_USE;
void what_if_plans_end(struct what_if_plans *of);

#endif
