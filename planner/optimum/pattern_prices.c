#include "planner/optimum/pattern_prices.h"

#include <string.h>

#include "base/mem.h"

void pattern_prices_release(struct pattern_prices *c)
{
    mem_free(c->price);
    mem_free(c->miss);
    mem_free(c->pools);
    memset(c, 0, sizeof *c);
}

/* miss: [count][cliques] */
static bool dominates(const struct pattern_prices *c, const double *miss, int a, int b)
{
    if (c->price[a] > c->price[b]) return false;
    for (int k = 0; k < c->cliques; k++)
        if (miss[a * c->cliques + k] > miss[b * c->cliques + k]) return false;
    return true;
}

/* Drops patterns that another one beats or equals in everything; the empty one stays first. */
static void prune(struct pattern_prices *c, double *miss)
{
    int kept = 1;
    for (int p = 1; p < c->count; p++) {
        bool beaten = false;
        for (int q = 0; q < c->count && !beaten;
             q++) { /* those before `kept` were moved down, those in between are gone */
            if (q >= kept && q <= p) continue;
            beaten = dominates(c, miss, q, p);
        }
        if (beaten) continue;
        c->price[kept] = c->price[p];
        c->pools[kept] = c->pools[p];
        memmove(&miss[kept * c->cliques], &miss[p * c->cliques], (size_t)c->cliques * sizeof *miss);
        kept++;
    }
    c->count = kept;
}

enum st pattern_prices_make(const struct reach *r, int component, const double *price, const double *weight,
                            struct pattern_prices *c, struct err *err)
{
    enum st st = ST_OK;
    const struct component *comp_of = &r->component[component];
    int local[SERVER_GPUS_MAX];
    OWNED double *miss = NULL;
    memset(c, 0, sizeof *c);
    c->complete = comp_of->complete;
    c->largest = comp_of->largest;
    c->count = comp_of->patterns;
    for (int i = 0; i < comp_of->groups; i++) {
        int clique = r->clique_of_group[comp_of->group[i]], k = 0;
        while (k < c->cliques && c->clique[k] != clique) k++;
        if (k == c->cliques) c->clique[c->cliques++] = clique;
        local[i] = k;
    }
    NEW(c->price, c->count, "patterns of copies");
    NEW(miss, c->count * c->cliques, "patterns of copies");
    NEW(c->miss, c->count * c->cliques, "patterns of copies");
    NEW(c->pools, c->count, "patterns of copies");
    for (int p = 0; p < c->count; p++) {
        c->pools[p] = comp_of->pattern[p].pools;
        for (int k = 0; k < r->pools; k++) c->price[p] += c->pools[p] >> k & 1 ? price[k] : 0;
        for (int i = 0; i < comp_of->groups; i++)
            miss[p * c->cliques + local[i]] += comp_of->pattern[p].miss[i] *
                                               weight[r->switch_of_group[comp_of->group[i]]];
    }
    prune(c, miss);
    for (int p = 0; p < c->count; p++)
        for (int k = 0; k < c->cliques; k++) c->miss[k * c->count + p] = miss[p * c->cliques + k];
done:
    if (st != ST_OK) pattern_prices_release(c);
    return st;
}
