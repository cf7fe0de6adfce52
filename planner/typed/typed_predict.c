/* typed_predict.c - expected transactions of a typed plan (declared in typed_policy.h). */
#include <string.h>

#include "base/mem.h"
#include "planner/typed/typed_policy.h"

static void add_table(const struct typed_input *in, int clique, int table, const uint8_t *held, uint64_t epochs,
                      struct typed_expected *to)
{
    const struct typed_table *x = &in->rows->table[table];
    const struct typed_estimates *e = &in->estimates[clique];
    if (!typed_table_there(in->rows, table)) return;
    for (uint64_t i = x->first; i < x->first + x->count; i++) {
        to->reads += (double)e->reads[i];
        if (held[i]) continue;
        to->missed += (double)e->reads[i];
        to->transactions += in->benefit ? (double)in->benefit[clique][i] / (double)epochs : (double)e->saved[i];
    }
}

enum st typed_predict(const struct typed_input *in, uint64_t epochs, struct typed_plan *plan, struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &plan->assignment;
    int tables = in->rows->tables;
    uint8_t *held = NULL;
    NEW(held, in->rows->items, "rows that a clique holds");
    NEW(plan->expected, (uint64_t)a->cliques * (uint64_t)tables, "predictions");
    for (int c = 0; c < a->cliques; c++) {
        memset(held, 0, in->rows->items);
        for (int g = 0; g < a->gpus; g++)
            for (uint64_t i = 0; a->clique_of[g] == c && i < plan->placement.list[g].count; i++)
                held[plan->placement.list[g].id[i]] = 1;
        for (int t = 0; t < tables; t++) add_table(in, c, t, held, epochs, &plan->expected[c * tables + t]);
    }
    plan->predicted_held_out = !in->benefit;
done:
    mem_free(held);
    return st;
}
