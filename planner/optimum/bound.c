#include "planner/optimum/bound.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/optimum/pattern_prices.h"

/* ---- one row ---- */

/* Who of a component reads, and from which pools. */
struct readers {
    int count, gpu[SERVER_GPUS_MAX], pools[SERVER_GPUS_MAX];
    uint8_t pool[SERVER_GPUS_MAX][SERVER_GPUS_MAX]; /* [count][pools] */
};

static void find_readers(const struct reach *r, int component, struct readers *out)
{
    out->count = 0;
    for (int g = 0; g < r->gpus; g++) {
        if (r->component_of[r->pool_of[g]] != component) continue;
        int i = out->count++;
        out->gpu[i] = g;
        out->pools[i] = 0;
        for (int k = 0; k < r->pools; k++)
            if (r->readers[k] >> g & 1) out->pool[i][out->pools[i]++] = (uint8_t)k;
    }
}

/* Below the least of all sets of pools: each reader pays up to its reads, no pool gets more than its charge. */
static double covered(const struct reach *r, int component, const struct readers *readers, const struct items *items,
                      const double *price, const double *weight, uint64_t item)
{
    double left[SERVER_GPUS_MAX], sum = 0;
    uint64_t bytes = items_bytes(items, item);
    bool held = bytes <= r->component[component].largest;
    for (int k = 0; k < r->pools; k++) left[k] = price[k] * (double)bytes;
    for (int i = 0; i < readers->count; i++) {
        int g = readers->gpu[i];
        const uint8_t *pool = readers->pool[i];
        uint64_t rate = items_rate(items, r->clique_of[g], item);
        if (!rate) continue;
        double pay = (double)rate * 0x1p-20 * items_share(items, r->clique_size, r->clique_of, g, item) *
                     weight[r->switch_of_group[r->group_of[g]]];
        for (int k = 0; k < readers->pools[i] && held; k++)
            if (left[pool[k]] < pay) pay = left[pool[k]];
        for (int k = 0; k < readers->pools[i]; k++) left[pool[k]] -= pay;
        sum += pay;
    }
    return sum;
}

/* ---- all rows ---- */

/* True when patterns say what every reader of the component reads: a clique's GPUs have equal shares, or all of them
 * reach one pool and read through one group. */
static bool items_even(const struct reach *r, int component, const struct items *items)
{
    int pools = 0;
    for (int k = 0; k < r->pools; k++) pools += r->component_of[k] == component;
    return (pools == 1 && r->component[component].groups == 1) || items_equal(items);
}

static enum st add_component(const struct reach *r, int component, const struct items *items, const double *price,
                             const double *weight, uint64_t *sum, struct err *err)
{
    OWNED_BY(pattern_prices_release) struct pattern_prices c = {0};
    struct readers readers;
    uint64_t all = items_count(items), least = 0;
    bool even = items_even(r, component, items);
    find_readers(r, component, &readers);
    PASS(pattern_prices_make(r, component, price, weight, &c, err));
#pragma omp parallel for num_threads(items->threads) reduction(+ : least)
    for (uint64_t x = 0; x < all; x++) {
        double rate[SERVER_GPUS_MAX], any = 0;
        int p;
        for (int k = 0; k < c.cliques; k++) any += rate[k] = (double)items_rate(items, c.clique[k], x) * 0x1p-20;
        if (!(any > 0)) continue;
        double cost = c.complete && even ? pattern_prices_cheapest(&c, rate, (double)items_bytes(items, x), &p)
                                         : covered(r, component, &readers, items, price, weight, x);
        least += (uint64_t)(cost * 0x1p20); /* integers: threads do not show, and cutting keeps it a bound */
    }
    *sum += least;
    return ST_OK;
}

enum st bound_at(const struct reach *r, const struct items *items, const double *price, const double *weight,
                 struct bound *out, struct err *err)
{
    struct bound b = {.whole = true};
    uint64_t sum = 0;
    for (int i = 0; i < r->components; i++) {
        PASS(add_component(r, i, items, price, weight, &sum, err));
        b.whole &= r->component[i].complete && items_even(r, i, items);
    }
    b.value = (double)sum * 0x1p-20;
    for (int k = 0; k < r->pools; k++) b.value -= price[k] * (double)r->budget[k];
    if (b.value < 0) b.value = 0;
    *out = b;
    return ST_OK;
}

/* ---- what a placement costs ---- */

/* Reads of GPU g that its reach does not hold, in units of 2^-20. */
static double missed(const struct reach *r, const struct items *items, int g, bool topology, const uint8_t *at)
{
    uint64_t sum = 0, base = topology ? 0 : graph_topology_rows(items->graph),
             rows = graph_kind_rows(items->graph, topology);
    bool even = items_equal(items);
#pragma omp parallel for num_threads(items->threads) reduction(+ : sum)
    for (uint64_t v = 0; v < rows; v++)
        sum += at[v] ? 0
                     : items_rate(items, r->clique_of[g], base + v) *
                           (even ? 1
                                 : reader_share(items->graph, items->trace, items->estimates[r->clique_of[g]].readers,
                                                g, topology, v));
    return (double)sum / (even ? r->clique_size[r->clique_of[g]] : READER_UNITS);
}

enum st bound_cost(const struct reach *r, const struct items *items, const struct placement *p,
                   struct placement_cost *out, struct err *err)
{
    double link[SERVER_GPUS_MAX] = {0};
    OWNED_NEW(uint8_t, at, graph_most_rows(items->graph), "the look-up of a placement");
    struct placement_cost cost = {0};
    for (int g = 0; g < r->gpus; g++) {
        double mine = 0;
        for (int topology = 0; topology < 2; topology++) {
            placement_locate(p, g, topology ? p->topology : p->feature, graph_kind_rows(items->graph, topology), at);
            mine += missed(r, items, g, topology, at) * 0x1p-20;
        }
        cost.total += mine;
        link[r->switch_of_group[r->group_of[g]]] += mine;
    }
    for (int l = 0; l < r->links; l++) cost.slowest = fmax(cost.slowest, link[l]);
    *out = cost;
    return ST_OK;
}
