/* typed_ranked.c - Quiver's placement on typed graphs (declared in typed_policy.h). A metric of connections sees all
 * types as one graph, as these systems do; rows still take their own bytes. */
#include <string.h>

#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/typed/typed_policy.h"
#include "traces/typed/typed_union.h"

/* key: [n], by gathers that all GPUs recorded: with a global shuffle every GPU reads what any of them does. */
static void recorded_keys(const struct typed_input *in, const struct typed_plan *plan, uint64_t *key)
{
    for (int i = 0; i < plan->assignment.gpus; i++)
        for (uint64_t v = 0; v < in->rows->g->n; v++) key[v] += in->trace->feature[i][v];
}

/* key: [n], by a metric of the union of all relations. */
static enum st union_keys(const struct typed_input *in, uint64_t *key, struct err *err)
{
    struct typed_union u = {.indptr = NULL};
    enum st st;
    TRY(typed_union_make(in->rows->g, &u, err));
    const struct hotness_input h = {.graph = &u.graph,
                                    .kernels = in->kernels,
                                    .threads = in->threads,
                                    .seed = in->seed};
    TRY(hotness_keys(in->hotness, &h, key, err));
done:
    typed_union_release(&u);
    return st;
}

/* Deals an order of feature rows over a clique; a row that fits nowhere is skipped, because one of another type may. */
static enum st deal_rows(const struct typed_input *in, const uint32_t *order, uint64_t count, int clique,
                         struct typed_plan *plan, uint64_t *room, struct err *err)
{
    int gpu[GPUS_MAX], k = 0, next = 0;
    enum st st = ST_OK;
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == clique) gpu[k++] = g;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = in->rows->table[typed_table_of(in->rows, order[i])].row_bytes;
        int tried = 0;
        for (; tried < k && room[gpu[next]] < bytes; tried++) next = (next + 1) % k;
        if (tried == k) continue;
        TRY(row_list_add(&plan->placement.list[gpu[next]], order[i], err));
        room[gpu[next]] -= bytes;
        next = (next + 1) % k;
    }
done:
    return st;
}

enum st typed_place_ranked(const struct typed_input *in, struct typed_plan *plan, struct err *err)
{
    enum st st = ST_OK;
    const struct typed_graph *g = in->rows->g;
    uint64_t *key = NULL, count, room[GPUS_MAX];
    uint32_t *order = NULL;
    memcpy(room, plan->budget, sizeof room);
    NEW(key, in->rows->items, "hotness");
    if (strcmp(in->hotness, "presample")) TRY(union_keys(in, key + g->rows, err));
    else recorded_keys(in, plan, key + g->rows);
    for (uint64_t v = 0; v < g->n; v++) { /* rows of no hotness fill, too; keys stay below 2^63 */
        uint64_t *k = &key[g->rows + v];
        *k = *k >> 62 ? UINT64_MAX >> 1 : 2 * *k + 1;
    }
    TRY(typed_order(in, key, &order, &count, err));
    for (int c = 0; c < plan->assignment.cliques; c++) TRY(deal_rows(in, order, count, c, plan, room, err));
done:
    mem_free(key);
    mem_free(order);
    return st;
}
