/* typed_ranked.c - systems that rank feature rows by one metric (declared in typed_policy.h). A metric of connections
 * sees all types as one graph, as these systems do; rows still take their own bytes. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/hotness/hotness.h"
#include "planner/typed/typed_policy.h"
#include "traces/graph/graph_union.h"

/* ---- the order ---- */

/* key: [n], by gathers that all GPUs recorded: with a global shuffle every GPU reads what any of them does. */
static void recorded_keys(const struct typed_input *in, const struct plan *plan, uint64_t *key)
{
    for (int i = 0; i < plan->assignment.gpus; i++)
        for (uint64_t v = 0; v < in->rows->n; v++) key[v] += count_at(in->trace->feature[i], v);
}

/* key: [n], by expected gathers of all cliques. */
static void rate_keys(const struct typed_input *in, const struct plan *plan, uint64_t *key)
{
    for (int c = 0; c < plan->assignment.cliques; c++)
        for (uint64_t v = 0; v < in->rows->n; v++)
            key[v] += (uint64_t)((double)in->estimates[c].reads[in->rows->topology_rows + v] * 0x1p20);
}

/* key: [n], by a metric of the union of all relations. */
static enum st union_keys(const struct typed_input *in, uint64_t *key, struct err *err)
{
    struct graph_union u = {.indptr = NULL};
    enum st st;
    TRY(graph_union_make(in->rows, &u, err));
    const struct hotness_input h = {.graph = &u.graph,
                                    .kernels = in->kernels,
                                    .threads = in->threads,
                                    .seed = in->seed};
    TRY(hotness_keys(in->hotness, &h, key, err));
done:
    graph_union_release(&u);
    return st;
}

/* Feature rows of all types by in->hotness, rows of no hotness last. *order: [*count] items, owned by the caller. */
static enum st rank_rows(const struct typed_input *in, const struct plan *plan, uint32_t **order, uint64_t *count,
                         struct err *err)
{
    const struct graph *g = in->rows;
    uint64_t *key = NULL;
    enum st st = ST_OK;
    NEW(key, graph_items(in->rows), "hotness");
    if (!strcmp(in->hotness, "presample")) recorded_keys(in, plan, key + g->topology_rows);
    else if (rate_source_of(in->hotness) != RATE_SOURCES) rate_keys(in, plan, key + g->topology_rows);
    else TRY(union_keys(in, key + g->topology_rows, err));
    for (uint64_t v = 0; v < g->n; v++) { /* rows of no hotness fill, too; keys stay below 2^63 */
        uint64_t *k = &key[g->topology_rows + v];
        *k = *k >> 62 ? UINT64_MAX >> 1 : 2 * *k + 1;
    }
    TRY(typed_order(in, key, order, count, err));
done:
    mem_free(key);
    return st;
}

/* ---- quiver, data-tiering ---- */

/* Deals an order of feature rows over a clique; a row that fits nowhere is skipped, because one of another type may. */
static enum st deal_rows(const struct typed_input *in, const uint32_t *order, uint64_t count, int clique,
                         struct plan *plan, uint64_t *room, struct err *err)
{
    int gpu[GPUS_MAX], k = 0, next = 0;
    enum st st = ST_OK;
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == clique) gpu[k++] = g;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = in->rows->table[graph_table_of(in->rows, order[i])].cached_bytes;
        int tried = 0;
        for (; tried < k && room[gpu[next]] < bytes; tried++) next = (next + 1) % k;
        if (tried == k) continue;
        TRY(placement_add(&plan->placement, in->rows, gpu[next], order[i], err));
        room[gpu[next]] -= bytes;
        next = (next + 1) % k;
    }
done:
    return st;
}

enum st typed_place_ranked(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                           struct err *err)
{
    enum st st;
    uint64_t count, room[GPUS_MAX];
    uint32_t *order = NULL;
    (void)verdict;
    memcpy(room, plan->budget, sizeof room);
    TRY(rank_rows(in, plan, &order, &count, err));
    for (int c = 0; c < plan->assignment.cliques; c++) TRY(deal_rows(in, order, count, c, plan, room, err));
done:
    mem_free(order);
    return st;
}

enum st typed_place_tiering(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    plan->placement.access = ACCESS_CPU;
    return typed_place_ranked(in, plan, verdict, err);
}

/* ---- gnnlab ---- */

int typed_gnnlab_samplers(const struct server *s) { return s->gpus < 2 ? 0 : s->gpus < 16 ? 1 : s->gpus / 8; }

/* The topology of all relations on one sampler; its budget is what its memory has, for it trains nothing. */
static enum st fill_sampler(const struct typed_input *in, struct plan *plan, int gpu, struct policy_verdict *verdict,
                            struct err *err)
{
    uint64_t need = graph_totals(in->rows).topology, have = in->free_bytes[gpu];
    char want[UNIT_TEXT], there[UNIT_TEXT];
    enum st st = ST_OK;
    if (need > have) {
        verdict->status = POLICY_OOM;
        snprintf(verdict->reason, sizeof verdict->reason,
                 "a sampler GPU must hold the topology of all relations, %s (%llu bytes), but has %s",
                 units_bytes(want, need), (unsigned long long)need, have ? units_bytes(there, have) : "unknown memory");
        return ST_OK;
    }
    plan->budget[gpu] = have;
    for (uint64_t row = 0; row < in->rows->topology_rows; row++)
        TRY(placement_add(&plan->placement, in->rows, gpu, row, err));
done:
    return st;
}

/* Rows in order while they fit: every trainer the same, because their budgets are. */
static enum st fill_trainer(const struct typed_input *in, struct plan *plan, int gpu, const uint32_t *order,
                            uint64_t count, struct err *err)
{
    uint64_t room = plan->budget[gpu];
    enum st st = ST_OK;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = in->rows->table[graph_table_of(in->rows, order[i])].cached_bytes;
        if (bytes > room) continue; /* a row of another type may fit */
        TRY(placement_add(&plan->placement, in->rows, gpu, order[i], err));
        room -= bytes;
    }
done:
    return st;
}

enum st typed_place_gnnlab(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                           struct err *err)
{
    int samplers = typed_gnnlab_samplers(in->server);
    uint32_t *order = NULL;
    uint64_t count;
    enum st st = ST_OK;
    if (!samplers) {
        verdict->status = POLICY_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason, "needs at least 2 GPUs: one samples, the others train");
        return ST_OK;
    }
    memset(plan->placement.peers, 0, sizeof plan->placement.peers);
    plan->placement.access = ACCESS_SAMPLERS;
    TRY(rank_rows(in, plan, &order, &count, err));
    for (int g = 0; g < plan->assignment.gpus && verdict->status == POLICY_OK; g++)
        if (g < samplers) TRY(fill_sampler(in, plan, g, verdict, err));
        else TRY(fill_trainer(in, plan, g, order, count, err));
done:
    mem_free(order);
    return st;
}
