#include "planner/running/refresh_exchange.h"

#include <stdlib.h>

#include "base/mem.h"
#include "traces/recording/trace_rows.h"

/* A row that the other GPU reads at least as often: by how many recorded reads more. */
struct offer {
    int64_t more;
    uint64_t slot;
};

static int by_more(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    if (x->more != y->more) return x->more > y->more ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Rows of the table that GPU `holder` alone of the clique holds and `other` reads as often or more. out: [rows it
 * holds]. holders: [feature rows]. */
static uint64_t offers_of(const struct policy_input *in, const struct row_list *l, const struct row_table *t,
                          int holder, int other, const uint8_t *holders, struct offer *out)
{
    const uint64_t topology = graph_topology_rows(in->graph);
    uint64_t count = 0;
    for (uint64_t i = 0; i < l->count; i++) {
        uint64_t x = topology + l->id[i];
        if (x - t->first >= t->count || holders[l->id[i]] > 1) continue;
        int64_t more = (int64_t)trace_item_heat(in->trace, in->graph, x, other) -
                       (int64_t)trace_item_heat(in->trace, in->graph, x, holder);
        if (more >= 0) out[count++] = (struct offer){more, i};
    }
    qsort(out, count, sizeof *out, by_more);
    return count;
}

/* Between two GPUs, rows of one table. side: [2], work space. least: recorded reads that an exchange must save more
 * than. Takes what they load from *most. */
static void exchange(const struct policy_input *in, struct row_list *const list[2], const int gpu[2],
                     const struct row_table *t, const uint8_t *holders, double least, double *most,
                     struct offer *const side[2])
{
    uint64_t count[2];
    const double bytes = 2 * (double)t->cached_bytes;
    for (int k = 0; k < 2; k++) count[k] = offers_of(in, list[k], t, gpu[k], gpu[1 - k], holders, side[k]);
    for (uint64_t i = 0; i < count[0] && i < count[1] && *most >= bytes; i++) {
        if (!((double)(side[0][i].more + side[1][i].more) > least)) break;
        uint32_t *a = &list[0]->id[side[0][i].slot], *b = &list[1]->id[side[1][i].slot], row = *a;
        *a = *b;
        *b = row;
        *most -= bytes;
    }
}

enum st refresh_exchange(const struct policy_input *in, struct placement *p, const int *gpu, int gpus, double epochs,
                         double most, struct err *err)
{
    enum st st = ST_OK;
    struct offer *side[2] = {NULL, NULL};
    OWNED uint8_t *holders = NULL;
    uint64_t longest = 0;
    if (gpus < 2 || !(epochs > 0)) return ST_OK;
    for (int k = 0; k < gpus; k++) longest = p->feature[gpu[k]].count > longest ? p->feature[gpu[k]].count : longest;
    NEW(holders, graph_feature_rows(in->graph) + 1, "GPUs that hold a row");
    for (int k = 0; k < 2; k++) NEW(side[k], longest + 1, "rows to exchange");
    for (int k = 0; k < gpus; k++)
        for (uint64_t i = 0; i < p->feature[gpu[k]].count; i++) holders[p->feature[gpu[k]].id[i]]++;
    for (int a = 0; a < gpus; a++)
        for (int b = a + 1; b < gpus; b++) {
            if (!in->server->links[gpu[a]][gpu[b]]) continue;
            for (int k = 0; k < graph_tables(in->graph); k++) {
                const struct row_table t = graph_table(in->graph, k);
                if (t.kind == ROWS_TOPOLOGY) continue;
                exchange(in, (struct row_list *const[2]){&p->feature[gpu[a]], &p->feature[gpu[b]]},
                         (const int[2]){gpu[a], gpu[b]}, &t, holders, 2 * (double)in->trace->epochs / epochs, &most,
                         side);
            }
        }
done:
    for (int k = 0; k < 2; k++) mem_free(side[k]);
    return st;
}
