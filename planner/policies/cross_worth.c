#include "planner/policies/cross_worth.h"

#include <string.h>

#include "base/mem.h"
#include "planner/hotness/reader_shares.h"

struct cross_worth cross_worth_of(const struct policy_input *in, const struct plan *plan)
{
    const struct placement *p = &plan->placement;
    int gpu[CROSS_GPUS_MOST], gpus = plan->assignment.gpus;
    struct cross_worth w = {.in = in,
                            .assignment = &plan->assignment,
                            .rows = {graph_feature_rows(in->graph), graph_topology_rows(in->graph)}};
    for (int g = 0; g < gpus; g++) {
        gpu[g] = g;
        w.reach[g] |= 1u << g;
        for (int i = 0; i < p->peers[g]; i++) w.reach[p->peer[g][i]] |= 1u << g;
    }
    w.counts = side_counts_none(in->graph, in->trace, gpu, gpus);
    return w;
}

static double saved_by_clique(const struct policy_input *in, int clique, uint64_t v, bool topology)
{
    const struct estimates *e = &in->estimates[clique];
    if (topology ? policy_no_topology(in) : in->no_edges && v >= in->graph->n) return 0;
    return topology ? (double)(e->topology[v] * policy_list_price(in)) : (double)e->feature[v];
}

void cross_worth_row(const struct cross_worth *w, bool topology, uint64_t v, double *worth, uint64_t *count)
{
    const struct assignment *a = w->assignment;
    uint64_t sum = side_reads(&w->counts, topology, v, count);
    uint32_t share[GPUS_MAX];
    for (int c = 0; c < a->cliques; c++)
        reader_shares_counted(w->in->trace, w->in->estimates[c].readers, c, topology, count, sum, share);
    for (int i = 0; i < a->gpus; i++)
        worth[i] = saved_by_clique(w->in, a->clique_of[i], v, topology) * share[i] / READER_UNITS;
}

enum st cross_worth_marks(const struct cross_worth *w, struct count_row row[2], char *bits[2], struct err *err)
{
    const int gpus = w->assignment->gpus, bytes = gpus <= 8 ? 1 : gpus <= 16 ? 2 : 4;
    for (int k = 0; k < 2; k++) {
        MAKE(bits[k], w->rows[k] * (uint64_t)bytes, "marks of copies");
        row[k] = (struct count_row){bits[k], bytes};
    }
    return ST_OK;
}

void copies_free(struct copies *c) { mem_free(c->at); }

static bool before(struct copy a, struct copy b) { return a.key > b.key || (a.key == b.key && a.number < b.number); }

enum st copies_push(struct copies *c, struct copy x, struct err *err)
{
    enum st st = ST_OK;
    uint64_t i = c->count;
    if (i == c->capacity) {
        uint64_t more = 2 * i + 1024;
        GROW(c->at, more, "copies of rows");
        c->capacity = more;
    }
    c->count++;
    for (; i && before(x, c->at[(i - 1) / 2]); i = (i - 1) / 2) c->at[i] = c->at[(i - 1) / 2];
    c->at[i] = x;
done:
    return st;
}

struct copy copies_pop(struct copies *c)
{
    struct copy top = c->at[0], last = c->at[--c->count];
    uint64_t i = 0;
    for (uint64_t next; (next = 2 * i + 1) < c->count; i = next) {
        next += next + 1 < c->count && before(c->at[next + 1], c->at[next]);
        if (!before(c->at[next], last)) break;
        c->at[i] = c->at[next];
    }
    c->at[i] = last;
    return top;
}
