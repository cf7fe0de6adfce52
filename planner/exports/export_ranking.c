/* export_ranking.c - the plan's lists as one ranking, for runtimes that cache the first rows of a list (declared in
 * export.h). */
#include "base/mem.h"
#include "planner/exports/export.h"
#include "planner/hotness/hotness.h"

enum { SLOT_BITS = 33 };

/* Keys of rows that are held: above 2^33; of the others: below 2^32. */
static void rank_held(const struct placement *p, uint64_t *key, uint64_t n)
{
    const uint64_t low = ((uint64_t)1 << SLOT_BITS) - 1;
    for (uint64_t v = 0; v < n; v++)
        if (key[v] > UINT32_MAX) key[v] = UINT32_MAX;
    for (int g = 0; g < p->gpus; g++)
        for (uint64_t i = 0; i < p->feature[g].count; i++) {
            if (p->feature[g].id[i] >= n) continue; /* a row of an edge */
            uint64_t *k = &key[p->feature[g].id[i]], copies = *k >> SLOT_BITS, best = copies ? *k & low : 0,
                     here = UINT32_MAX - i;
            *k = (copies + 1) << SLOT_BITS | (here > best ? here : best);
        }
}

enum st export_ranking(const struct export_input *in, uint32_t *order, struct err *err)
{
    struct hotness_input h = {.graph = in->graph, .kernels = in->kernels, .threads = in->threads};
    OWNED_NEW(uint64_t, key, graph_feature_rows(in->graph), "keys of a ranking");
    PASS(hotness_keys("degree-out", &h, key, err));
    rank_held(&in->plan->placement, key, in->graph->n);
    return in->kernels->sort_hottest(in->threads, key, in->graph->n, order, err);
}
