/* typed_predict.c - expected transactions of a typed plan (declared in typed_policy.h). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/typed/typed_policy.h"

/* What memory in reach serves of a clique's reads. */
struct found {
    uint8_t *where; /* [items] of the GPU that was looked up last; owned */
    float *missed;  /* [items] share of the clique's reads that no memory in reach serves; NULL: where is that of all
                       GPUs; owned */
};

/* Reads of a row that GPUs serve rounded. */
static void add_error(const struct typed_input *in, double reads, uint64_t item, struct plan_expected *to)
{
    double error = (double)in->measured[item];
    if (isinf(error)) to->overflowed += reads;
    else to->error += reads * error;
}

static void add_table(const struct typed_input *in, int clique, int table, const struct found *f, uint64_t epochs,
                      struct plan_expected *to)
{
    const struct row_table *x = &in->rows->table[table];
    const struct typed_estimates *e = &in->estimates[clique];
    if (!graph_table_there(in->rows, table)) return;
    for (uint64_t i = x->first; i < x->first + x->count; i++) {
        double share = f->missed ? (double)f->missed[i] : f->where[i] ? 0 : 1;
        to->reads += (double)e->reads[i];
        if (in->measured && x->cached != PRECISION_HOST) add_error(in, (1 - share) * (double)e->reads[i], i, to);
        if (!(share > 0)) continue;
        to->missed += share * (double)e->reads[i];
        to->transactions += share *
                            (in->benefit ? (double)in->benefit[clique][i] / (double)epochs : (double)e->saved[i]);
    }
}

/* Whether all GPUs of the clique read each other and nobody else, so that one look-up is that of all. */
static bool reaches_itself(const struct plan *plan, int clique)
{
    const struct assignment *a = &plan->assignment;
    bool whole = true;
    int members = 0;
    for (int g = 0; g < a->gpus; g++) members += a->clique_of[g] == clique;
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique) continue;
        whole &= plan->placement.peers[g] == members - 1;
        for (int i = 0; i < plan->placement.peers[g]; i++) whole &= a->clique_of[plan->placement.peer[g][i]] == clique;
    }
    return whole;
}

static enum st find_missed(const struct plan *plan, const struct graph *graph, int clique, struct found *f,
                           struct err *err)
{
    uint64_t items = graph_items(graph);
    const struct assignment *a = &plan->assignment;
    enum st st = ST_OK;
    uint64_t train = 0;
    mem_free(f->missed);
    f->missed = NULL;
    if (reaches_itself(plan, clique)) {
        int first = 0;
        while (a->clique_of[first] != clique) first++;
        placement_locate_items(&plan->placement, first, graph, f->where);
        return ST_OK;
    }
    NEW(f->missed, items, "the look-up of a prediction");
    for (int g = 0; g < a->gpus; g++) train += a->clique_of[g] == clique ? a->train_count[g] : 0;
    for (int g = 0; g < a->gpus; g++) {
        float share = train ? (float)a->train_count[g] / (float)train : 0;
        if (a->clique_of[g] != clique) continue;
        placement_locate_items(&plan->placement, g, graph, f->where);
        for (uint64_t i = 0; i < items; i++) f->missed[i] += f->where[i] ? 0 : share;
    }
done:
    return st;
}

/* Topology that other processors sample: blocks of 8 bytes per recorded draw. */
static void expect_blocks(const struct typed_input *in, int clique, int relation, bool samplers,
                          struct plan_expected *to)
{
    const struct trace *t = in->trace;
    const struct graph_relation *r = &in->rows->relation[relation];
    double draws = 0; /* whole numbers, unless rows are drawn together */
    for (int g = 0; g < t->assignment.gpus; g++) {
        if (t->assignment.clique_of[g] != clique) continue;
        for (int h = 0; h < t->workload.hops; h++)
            for (uint64_t v = 0; v < r->rows; v++)
                draws += (double)count_at(trace_visits(t, in->rows, graph_table(in->rows, relation), h, g), v) *
                         workload_mean_draws(in->rows, &t->workload, relation, h, v);
    }
    to->missed = samplers ? 0 : to->reads;
    to->transactions = 8 * draws / ((double)in->line_bytes * (double)t->epochs);
}

enum st typed_predict(const struct typed_input *in, uint64_t epochs, struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &plan->assignment;
    enum topology_access access = plan->placement.access;
    int tables = in->rows->tables;
    struct found f = {NULL, NULL};
    NEW(f.where, graph_items(in->rows), "the look-up of a prediction");
    plan->tables = tables;
    NEW(plan->expected, (uint64_t)a->cliques * (uint64_t)tables, "predictions");
    for (int c = 0; c < a->cliques; c++) {
        TRY(find_missed(plan, in->rows, c, &f, err));
        for (int t = 0; t < tables; t++) {
            add_table(in, c, t, &f, epochs, &plan->expected[c * tables + t]);
            if (access != ACCESS_GPU && in->rows->table[t].kind == ROWS_TOPOLOGY)
                expect_blocks(in, c, t, access == ACCESS_SAMPLERS, &plan->expected[c * tables + t]);
        }
    }
    plan->predicted_held_out = !in->benefit;
    plan_sum_expected(plan, in->rows);
done:
    mem_free(f.where);
    mem_free(f.missed);
    return st;
}
