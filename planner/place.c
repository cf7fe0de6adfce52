/* place.c - ways of placing rows that policies share (declared in policy.h). */
#include <string.h>

#include "base/mem.h"
#include "planner/policy.h"

static uint64_t bytes_of(const struct graph *g, uint32_t v, bool topology) { return topology ? graph_topology_bytes(g, v) : g->row_bytes; }

static struct row_list *lists_of(struct plan *plan, bool topology) { return topology ? plan->placement.topology : plan->placement.feature; }

static int members(const struct plan *plan, int clique, int *out)
{
    int k = 0;
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == clique) out[k++] = g;
    return k;
}

enum st place_dealt(const struct graph *g, const uint32_t *order, uint64_t count, bool topology, int clique, struct plan *plan, uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    int gpu[GPUS_MAX], k = members(plan, clique, gpu), next = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = bytes_of(g, order[i], topology);
        int tries = 0;
        while (tries < k && room[gpu[next]] < bytes) {
            next = (next + 1) % k;
            tries++;
        }
        if (tries == k) break;
        TRY(row_list_add(&lists_of(plan, topology)[gpu[next]], order[i], err));
        room[gpu[next]] -= bytes;
        next = (next + 1) % k;
    }
done:
    return st;
}

enum st place_prefix(const struct graph *g, const uint32_t *order, uint64_t count, bool topology, int gpu, struct plan *plan, uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    for (uint64_t i = 0; i < count && room[gpu] >= bytes_of(g, order[i], topology); i++) {
        TRY(row_list_add(&lists_of(plan, topology)[gpu], order[i], err));
        room[gpu] -= bytes_of(g, order[i], topology);
    }
done:
    return st;
}

enum st place_cslp(const struct policy_input *in, const uint32_t *order, uint64_t count, bool topology, int clique, struct plan *plan, uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    int gpu[GPUS_MAX], k = members(plan, clique, gpu);
    const uint32_t *hot[GPUS_MAX];
    uint64_t left[GPUS_MAX], held = 0, each[GPUS_MAX] = {0};
    uint8_t *owner = NULL;
    for (int i = 0; i < k; i++) {
        hot[i] = topology ? in->trace->topology[gpu[i]] : in->trace->feature[gpu[i]];
        left[i] = room[gpu[i]];
    }
    struct cslp_problem p = {k, hot, order, count, topology ? in->graph->indptr : NULL, in->graph->row_bytes, in->graph->n};
    NEW(owner, count, "owners of rows");
    TRY(in->kernels->cslp(in->threads, &p, left, owner, &held, err));
    for (uint64_t i = 0; i < held; i++) each[owner[i]]++;
    for (int i = 0; i < k; i++) {
        struct row_list *l = &lists_of(plan, topology)[gpu[i]];
        GROW(l->id, l->count + each[i], "the rows of a plan");
        l->capacity = l->count + each[i];
        room[gpu[i]] = left[i];
    }
    for (uint64_t i = 0; i < held; i++) {
        struct row_list *l = &lists_of(plan, topology)[gpu[owner[i]]];
        l->id[l->count++] = order[i];
    }
done:
    mem_free(owner);
    return st;
}

/* ---- Legion's candidates ---------------------------------------------------------------------------------------------------- */

/* hot[v] = sum over the clique's GPUs; order: hottest first. */
static enum st rank_clique(const struct policy_input *in, const struct plan *plan, int clique, bool topology, uint64_t *hot, uint32_t *order, struct err *err)
{
    int gpu[GPUS_MAX], k = members(plan, clique, gpu);
    const uint32_t *rows[GPUS_MAX];
    for (int i = 0; i < k; i++) rows[i] = topology ? in->trace->topology[gpu[i]] : in->trace->feature[gpu[i]];
    enum st st = in->kernels->column_sum(in->threads, rows, k, in->graph->n, hot, err);
    return st == ST_OK ? in->kernels->sort_hottest(in->threads, hot, in->graph->n, order, err) : st;
}

/* Prefix sums in the orders, and the sweep over them. */
static enum st sweep_clique(const struct policy_input *in, const struct plan *plan, int clique, int steps, const uint64_t *hot_topology, const uint64_t *hot_feature,
                            struct candidates *c, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    uint64_t *size = NULL, *prefix_size = NULL, *prefix_t = NULL, *prefix_f = NULL;
    struct sweep_problem p = {.n = g->n, .row_bytes = g->row_bytes, .n_tsum = in->trace->n_tsum[clique], .epochs = in->trace->epochs, .steps = steps,
                              .lines = (g->row_bytes + plan->cls - 1) / plan->cls};
    for (int i = 0; i < plan->assignment.gpus; i++)
        if (plan->assignment.clique_of[i] == clique) p.budget += plan->budget[i];
    NEW(size, g->n, "row sizes");
    NEW(prefix_size, g->n, "prefix sums");
    NEW(prefix_t, g->n, "prefix sums");
    NEW(prefix_f, g->n, "prefix sums");
    NEW(c->points, steps + 1, "the sweep");
    for (uint64_t v = 0; v < g->n; v++) size[v] = graph_topology_bytes(g, v);
    TRY(in->kernels->scan(in->threads, size, c->topology, g->n, prefix_size, err));
    TRY(in->kernels->scan(in->threads, hot_topology, c->topology, g->n, prefix_t, err));
    TRY(in->kernels->scan(in->threads, hot_feature, c->feature, g->n, prefix_f, err));
    p.size_topology = prefix_size;
    p.hot_topology = prefix_t;
    p.hot_feature = prefix_f;
    TRY(in->kernels->sweep(in->threads, &p, 1, c->points, err));
done:
    mem_free(size);
    mem_free(prefix_size);
    mem_free(prefix_t);
    mem_free(prefix_f);
    return st;
}

enum st candidates_make(const struct policy_input *in, const struct plan *plan, int clique, int steps, struct candidates *out, struct err *err)
{
    enum st st = ST_OK;
    struct candidates c = {0};
    uint64_t *hot_t = NULL, *hot_f = NULL, n = in->graph->n;
    NEW(hot_t, n, "topology hotness");
    NEW(hot_f, n, "feature hotness");
    NEW(c.topology, n, "an order of vertices");
    NEW(c.feature, n, "an order of vertices");
    TRY(rank_clique(in, plan, clique, true, hot_t, c.topology, err));
    TRY(rank_clique(in, plan, clique, false, hot_f, c.feature, err));
    if (steps > 0) TRY(sweep_clique(in, plan, clique, steps, hot_t, hot_f, &c, err));
    *out = c;
    memset(&c, 0, sizeof c);
done:
    mem_free(hot_t);
    mem_free(hot_f);
    candidates_free(&c);
    return st;
}

void candidates_free(struct candidates *c)
{
    mem_free(c->topology);
    mem_free(c->feature);
    mem_free(c->points);
    memset(c, 0, sizeof *c);
}

void place_no_peers(struct plan *plan) { memset(plan->placement.peers, 0, sizeof plan->placement.peers); }
