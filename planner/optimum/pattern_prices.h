/* pattern_prices.h - an component's patterns at given prices: what a row weighs against what. */
#ifndef PLANNER_OPTIMUM_PATTERN_PRICES_H
#define PLANNER_OPTIMUM_PATTERN_PRICES_H

#include "base/status.h"
#include "planner/optimum/reach.h"

/* Patterns that are the cheapest for some row: those that another one beats or equals in everything are left out. The
 * empty one comes first. */
struct pattern_prices {
    int cliques, count;
    int clique[SERVER_GPUS_MAX];
    double *price;    /* [count] per byte */
    double *miss;     /* [count][cliques] shares that read from the host, times the weights of their links */
    pool_set *pools;  /* [count] */
    uint64_t largest; /* bytes: a larger row fits nowhere, so only the empty pattern is open to it */
    bool complete;    /* as the component's */
};

/* price: [pools], weight: [links]. */
enum st pattern_prices_make(const struct reach *r, int component, const double *price, const double *weight,
                            struct pattern_prices *out, struct err *err) MUST_USE;
void pattern_prices_release(struct pattern_prices *c); /* zeroed is allowed */

/* Reads and charge of a row under pattern i; rate: [cliques] transactions per epoch of each whole clique. */
static inline double pattern_prices_cost(const struct pattern_prices *c, int i, const double *rate, double bytes)
{
    double cost = c->price[i] * bytes;
    for (int k = 0; k < c->cliques; k++) cost += c->miss[i * c->cliques + k] * rate[k];
    return cost;
}

/* The least of them; *i: which pattern. */
static inline double pattern_prices_cheapest(const struct pattern_prices *c, const double *rate, double bytes, int *i)
{
    double best = pattern_prices_cost(c, 0, rate, bytes);
    int count = bytes > (double)c->largest ? 1 : c->count;
    *i = 0;
    for (int p = 1; p < count; p++) {
        double cost = pattern_prices_cost(c, p, rate, bytes);
        if (cost >= best) continue;
        best = cost;
        *i = p;
    }
    return best;
}

#endif
