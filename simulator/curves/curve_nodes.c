#include "simulator/curves/curve_nodes.h"

#include <math.h>

#include "base/mem.h"

uint64_t curve_nodes_inner(const struct curve_nodes *n)
{
    uint64_t inner = 0;
    while (inner < n->count && n->capacity[inner] < n->distinct) inner++;
    return inner;
}

void curve_nodes_release(struct curve_nodes *n)
{
    mem_free(n->pick);
    n->pick = NULL;
}

/* ---- choice ---- */

/* 0: no row; 1 or 2: as many as are requested. */
static double place_of(const struct curve_nodes *n, uint64_t size)
{
    double root = sqrt((double)n->capacity[size] / (double)n->distinct), most = (double)(n->requests - n->distinct);
    return root + (n->lru && most > 0 ? (double)(n->requests - n->lru[size]) / most : 0);
}
static double last_place(const struct curve_nodes *n) { return n->lru && n->requests > n->distinct ? 2 : 1; }

/* The size in from+1..to-1 that is nearest the middle of the gap; at: where the gap ends. */
static uint32_t middle_of(const struct curve_nodes *n, uint64_t from, uint64_t to, double at)
{
    double middle = (place_of(n, from) + at) / 2;
    uint64_t best = from + 1;
    for (uint64_t i = from + 2; i < to && fabs(place_of(n, i) - middle) < fabs(place_of(n, best) - middle);) best = i++;
    return (uint32_t)best;
}

/* Adds a size in the widest gap behind a pick that has a size inside. */
static void add_pick(struct curve_nodes *n)
{
    double widest = -1;
    uint64_t gap = 0;
    uint32_t chosen = 0;
    for (uint64_t k = 0; k < n->picks; k++) {
        uint64_t from = n->pick[k], to = k + 1 < n->picks ? n->pick[k + 1] : n->inner;
        double end = k + 1 < n->picks ? place_of(n, to) : last_place(n), wide = end - place_of(n, from);
        if (to - from < 2 || wide <= widest) continue;
        widest = wide;
        gap = k;
        chosen = middle_of(n, from, to, end);
    }
    for (uint64_t k = n->picks++; k > gap + 1; k--) n->pick[k] = n->pick[k - 1];
    n->pick[gap + 1] = chosen;
}

enum st curve_nodes_pick(struct curve_nodes *n, uint64_t picks, struct err *err)
{
    n->inner = curve_nodes_inner(n);
    MAKE(n->pick, picks + 1, "the sizes of a curve");
    n->picks = picks > 0;
    while (n->picks < picks) add_pick(n);
    return ST_OK;
}

/* ---- between nodes ---- */

/* A node: the place of its size, misses less LRU's, the bar. Node 0: no row; node picks + 1: all. */
struct node {
    double x, y, bar;
};

static struct node node_of(const struct curve_nodes *n, const struct curve_estimate *at, uint64_t k)
{
    if (!k) return (struct node){0, n->lru ? 0 : (double)n->requests, 0};
    if (k > n->picks) return (struct node){last_place(n), n->lru ? 0 : (double)n->distinct, 0};
    uint64_t size = n->pick[k - 1];
    return (struct node){place_of(n, size), at[k - 1].misses - (n->lru ? (double)n->lru[size] : 0), at[k - 1].bar};
}

static double slope(struct node a, struct node b) { return (b.y - a.y) / (b.x - a.x); }

/* Twice what a parabola through a third node changes at x, between a and b (Newton's form). */
static double bend(struct node a, struct node b, struct node c, double x)
{
    return 2 * fabs((slope(b, c) - slope(a, b)) / (c.x - a.x) * (x - a.x) * (x - b.x));
}

/* Size i, behind node k and before the next. */
static struct curve_estimate between(const struct curve_nodes *n, const struct curve_estimate *at, uint64_t k,
                                     uint64_t i)
{
    struct node a = node_of(n, at, k), b = node_of(n, at, k + 1);
    double x = place_of(n, i), part = (x - a.x) / (b.x - a.x), off = 0;
    double misses = a.y + part * (b.y - a.y) + (n->lru ? (double)n->lru[i] : 0);
    if (k) off = bend(node_of(n, at, k - 1), a, b, x);
    if (k < n->picks) off = fmax(off, bend(a, b, node_of(n, at, k + 2), x));
    return (struct curve_estimate){fmin(fmax(misses, (double)n->distinct), (double)n->requests),
                                   a.bar + part * (b.bar - a.bar) + off, true};
}

void curve_nodes_fill(const struct curve_nodes *n, const struct curve_estimate *at, struct curve_estimate *out)
{
    for (uint64_t i = 0, k = 0; i < n->count; i++) {
        bool node = i < n->inner && k < n->picks && n->pick[k] == i;
        if (node) out[i] = at[k++];
        else if (i >= n->inner) out[i] = (struct curve_estimate){.misses = (double)n->distinct};
        else out[i] = between(n, at, k, i);
    }
}
