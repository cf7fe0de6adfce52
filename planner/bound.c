#include "planner/bound.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* One island's patterns at given prices: those that are cheapest for some row. */
struct choice {
    int cliques, count;
    int clique[SERVER_GPUS_MAX];
    double *price;       /* [count] per byte */
    double *miss;        /* [count][cliques] weighted shares */
    pool_set *pools;     /* [count] */
    uint64_t largest;
    bool complete;
};

static void choice_release(struct choice *c)
{
    mem_free(c->price);
    mem_free(c->miss);
    mem_free(c->pools);
}

static bool dominates(const struct choice *c, int a, int b)
{
    if (c->price[a] > c->price[b]) return false;
    for (int k = 0; k < c->cliques; k++)
        if (c->miss[a * c->cliques + k] > c->miss[b * c->cliques + k]) return false;
    return true;
}

/* Drops patterns that another one beats or equals in everything; the empty one stays first. */
static void prune(struct choice *c)
{
    int kept = 1;
    for (int p = 1; p < c->count; p++) {
        bool beaten = false;
        for (int q = 0; q < c->count && !beaten; q++) { /* those before `kept` were moved down, those in between are gone */
            if (q >= kept && q <= p) continue;
            beaten = dominates(c, q, p);
        }
        if (beaten) continue;
        c->price[kept] = c->price[p];
        c->pools[kept] = c->pools[p];
        memmove(&c->miss[kept * c->cliques], &c->miss[p * c->cliques], (size_t)c->cliques * sizeof *c->miss);
        kept++;
    }
    c->count = kept;
}

static enum st make_choice(const struct reach *r, int island, const double *price, const double *weight, struct choice *c, struct err *err)
{
    enum st st = ST_OK;
    const struct island *x = &r->island[island];
    int local[SERVER_GPUS_MAX];
    c->complete = x->complete;
    c->largest = x->largest;
    c->count = x->patterns;
    for (int i = 0; i < x->groups; i++) {
        int clique = r->clique_of_group[x->group[i]], k = 0;
        while (k < c->cliques && c->clique[k] != clique) k++;
        if (k == c->cliques) c->clique[c->cliques++] = clique;
        local[i] = k;
    }
    NEW(c->price, c->count, "patterns of copies");
    NEW(c->miss, c->count * c->cliques, "patterns of copies");
    NEW(c->pools, c->count, "patterns of copies");
    for (int p = 0; p < c->count; p++) {
        c->pools[p] = x->pattern[p].pools;
        for (int k = 0; k < r->pools; k++) c->price[p] += c->pools[p] >> k & 1 ? price[k] : 0;
        for (int i = 0; i < x->groups; i++) c->miss[p * c->cliques + local[i]] += x->pattern[p].miss[i] * weight[r->link_of_group[x->group[i]]];
    }
    prune(c);
done:
    return st;
}

/* ---- one row ---------------------------------------------------------------------------------------------------------------- */

/* Least of reads and charge; *p: the pattern. rate: [cliques] in units of 2^-20. */
static double cheapest(const struct choice *c, const uint64_t *rate, uint64_t bytes, int *p)
{
    double best = INFINITY;
    for (int i = 0; i < (bytes > c->largest ? 1 : c->count); i++) {
        double cost = c->price[i] * (double)bytes * 0x1p20;
        for (int k = 0; k < c->cliques; k++) cost += c->miss[i * c->cliques + k] * (double)rate[k];
        if (cost >= best) continue;
        best = cost;
        *p = i;
    }
    return best;
}

/* Below the least of all sets of pools: each reader pays up to its reads, no pool gets more than its charge. */
static double covered(const struct reach *r, int island, const struct rows *rows, const double *price, const double *weight, uint64_t item)
{
    double left[SERVER_GPUS_MAX], sum = 0;
    uint64_t bytes = rows_bytes(rows, item);
    for (int k = 0; k < r->pools; k++) left[k] = price[k] * (double)bytes * 0x1p20;
    for (int g = 0; g < r->gpus; g++) {
        if (r->island_of[r->pool_of[g]] != island) continue;
        double pay = (double)rows_rate(rows, r->clique_of[g], item) / r->clique_size[r->clique_of[g]] * weight[r->link_of_group[r->group_of[g]]];
        for (int k = 0; k < r->pools && bytes <= r->island[island].largest; k++)
            if (r->readers[k] >> g & 1 && left[k] < pay) pay = left[k];
        for (int k = 0; k < r->pools; k++)
            if (r->readers[k] >> g & 1) left[k] -= pay;
        sum += pay;
    }
    return sum;
}

/* ---- all rows --------------------------------------------------------------------------------------------------------------- */

static enum st add_island(const struct reach *r, int island, const struct rows *rows, const double *price, const double *weight, uint64_t *sum, struct bound *out,
                          struct err *err)
{
    enum st st = ST_OK;
    struct choice c = {0};
    uint64_t all = 2 * rows->graph->n, least = 0, *held = NULL;
    TRY(make_choice(r, island, price, weight, &c, err));
    NEW(held, c.count, "bytes of patterns");
#pragma omp parallel num_threads(rows->threads) reduction(+ : least)
    {
        uint64_t rate[SERVER_GPUS_MAX], mine[64] = {0};
        int p = 0;
#pragma omp for
        for (uint64_t x = 0; x < all; x++) {
            uint64_t any = 0, bytes = rows_bytes(rows, x);
            for (int k = 0; k < c.cliques; k++) any |= rate[k] = rows_rate(rows, c.clique[k], x);
            if (!any) continue;
            double cost = cheapest(&c, rate, bytes, &p);
            least += (uint64_t)(c.complete ? cost : covered(r, island, rows, price, weight, x));
            if (p < 64) mine[p] += bytes;
            else
#pragma omp atomic
                held[p] += bytes;
        }
#pragma omp critical(bound_held)
        for (int i = 0; i < 64 && i < c.count; i++) held[i] += mine[i];
    }
    *sum += least;
    out->exact &= c.complete;
    for (int i = 0; i < c.count; i++)
        for (int k = 0; k < r->pools; k++) out->used[k] += c.pools[i] >> k & 1 ? (double)held[i] : 0;
done:
    mem_free(held);
    choice_release(&c);
    return st;
}

enum st bound_at(const struct reach *r, const struct rows *rows, const double *price, const double *weight, struct bound *out, struct err *err)
{
    enum st st = ST_OK;
    struct bound b = {.exact = true};
    uint64_t sum = 0;
    for (int i = 0; i < r->islands; i++) TRY(add_island(r, i, rows, price, weight, &sum, &b, err));
    b.value = (double)sum * 0x1p-20;
    for (int k = 0; k < r->pools; k++) b.value -= price[k] * (double)r->budget[k];
    if (b.value < 0) b.value = 0;
    *out = b;
done:
    return st;
}

enum st bound_improve(const struct reach *r, const struct rows *rows, const struct optimum *x, double target, int steps, struct bound *out, struct err *err)
{
    enum st st;
    struct bound best, at;
    double price[SERVER_GPUS_MAX], top[SERVER_GPUS_MAX], boldness = 1;
    memcpy(price, x->price, sizeof price);
    TRY(bound_at(r, rows, price, x->weight, &best, err));
    memcpy(top, price, sizeof top);
    at = best;
    for (int s = 0; s < steps && best.value < target; s++) {
        double norm = 0, slope[SERVER_GPUS_MAX];
        for (int k = 0; k < r->pools; k++) {
            slope[k] = at.used[k] - (double)r->budget[k];
            if (price[k] <= 0 && slope[k] < 0) slope[k] = 0;
            norm += slope[k] * slope[k];
        }
        if (norm <= 0) break;
        double step = boldness * (target - at.value) / norm;
        for (int k = 0; k < r->pools; k++) price[k] = fmax(0, price[k] + step * slope[k]);
        TRY(bound_at(r, rows, price, x->weight, &at, err));
        if (at.value > best.value) {
            best = at;
            memcpy(top, price, sizeof top);
        } else { /* too far: halve, and go on from the best */
            boldness /= 2;
            memcpy(price, top, sizeof price);
            at = best;
        }
    }
    *out = best;
done:
    return st;
}

/* ---- what a placement costs ------------------------------------------------------------------------------------------------- */

static uint64_t missed(const struct rows *rows, int clique, bool topology, const uint8_t *at)
{
    uint64_t sum = 0, n = rows->graph->n, base = topology ? 0 : n;
#pragma omp parallel for num_threads(rows->threads) reduction(+ : sum)
    for (uint64_t v = 0; v < n; v++) sum += at[v] ? 0 : rows_rate(rows, clique, base + v);
    return sum;
}

enum st bound_cost(const struct reach *r, const struct rows *rows, const struct placement *p, struct placement_cost *out, struct err *err)
{
    enum st st = ST_OK;
    double link[SERVER_GPUS_MAX] = {0};
    uint8_t *at = NULL;
    NEW(at, rows->graph->n, "the look-up of a placement");
    struct placement_cost cost = {0};
    for (int g = 0; g < r->gpus; g++) {
        uint64_t sum = 0;
        for (int topology = 0; topology < 2; topology++) {
            placement_locate(p, g, topology ? p->topology : p->feature, rows->graph->n, at);
            sum += missed(rows, r->clique_of[g], topology, at);
        }
        double mine = (double)sum * 0x1p-20 / r->clique_size[r->clique_of[g]];
        cost.total += mine;
        link[r->link_of_group[r->group_of[g]]] += mine;
    }
    for (int l = 0; l < r->links; l++) cost.slowest = fmax(cost.slowest, link[l]);
    *out = cost;
done:
    mem_free(at);
    return st;
}
