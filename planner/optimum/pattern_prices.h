/* pattern_prices.h - a component's patterns at given prices: what holding a row costs against what it saves. */
#ifndef PLANNER_OPTIMUM_PATTERN_PRICES_H
#define PLANNER_OPTIMUM_PATTERN_PRICES_H

#include "base/status.h"
#include "planner/optimum/reach.h"

/* The patterns that are cheapest for some row: a pattern is left out when another one is as good in everything. The
 * empty pattern comes first. */
struct pattern_prices {
    int cliques, count;
    int clique[SERVER_GPUS_MAX];
    double *price;    /* [count] transactions per byte, owned */
    double *miss;     /* [cliques][count] shares that read from the host, times the weights of their links; owned */
    pool_set *pools;  /* [count], owned */
    uint64_t largest; /* bytes: a larger row fits nowhere, so only the empty pattern is open to it */
    bool complete;    /* as the component's */
};

/* price: [pools] transactions per byte, weight: [links]. Release *out with pattern_prices_release. ST_LIMIT without
 * memory. */
enum st pattern_prices_make(const struct reach *r, int component, const double *price, const double *weight,
                            struct pattern_prices *out, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void pattern_prices_release(struct pattern_prices *c);

/* cost: [count], host reads and charge of a row under each pattern, in transactions; rate: [cliques] transactions per
 * epoch that each whole clique reads of the row. Patterns lie side by side for vectors of the processor. */
static inline void pattern_prices_costs(const struct pattern_prices *c, const double *rate, double bytes, double *cost)
{
    cost[0] = c->price[0] * bytes; /* the empty pattern is always there */
    for (int p = 1; p < c->count; p++) cost[p] = c->price[p] * bytes;
    for (int k = 0; k < c->cliques; k++) {
        const double *miss = &c->miss[k * c->count];
        for (int p = 0; p < c->count; p++) cost[p] += miss[p] * rate[k];
    }
}

/* The least cost of a row; *i: its pattern. cost: as above, set. */
static inline double pattern_prices_cheapest(const struct pattern_prices *c, const double *rate, double bytes,
                                             double *cost, int *i)
{
    int count = bytes > (double)c->largest ? 1 : c->count;
    pattern_prices_costs(c, rate, bytes, cost);
    *i = 0;
    for (int p = 1; p < count; p++)
        if (cost[p] < cost[*i]) *i = p;
    return cost[*i];
}

#endif
