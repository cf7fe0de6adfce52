/* candidates_sweep.c - Legion's sweep over alpha (declared in place.h). */
#include "base/mem.h"
#include "base/units.h"
#include "planner/policies/place.h"
#include "traces/graph/rows.h"

/* Walks an order as the room grows, and keeps what its rows were read. */
struct walk {
    uint64_t at, bytes, saved;
};

static void walk_on(const struct graph *g, const uint32_t *order, uint64_t count, const uint64_t *hot, bool topology,
                    uint64_t room, struct walk *w)
{
    for (; w->at < count; w->at++) {
        uint64_t bytes = graph_item_bytes(g, (topology ? 0 : graph_topology_rows(g)) + order[w->at]);
        if (w->bytes + bytes > room) return;
        w->bytes += bytes;
        w->saved += hot[order[w->at]];
    }
}

/* The sweep of kernel.h where rows differ in size: V_T and V_F of the cost model are the longest prefixes whose bytes
 * fit their parts of the budget. hot_feature: in lines. */
static enum st sweep_types(const struct policy_input *in, uint64_t budget, const struct sweep_scale *scale,
                           const uint64_t *hot_topology, const uint64_t *hot_feature, struct candidates *c,
                           struct err *err)
{
    const struct graph *g = in->graph;
    struct walk t = {0}, f = {0};
    uint64_t all_t = 0, all_f = 0;
    MAKE(c->points, SWEEP_STEPS + 1, "the sweep");
    for (uint64_t i = 0; i < c->topologies; i++) all_t += hot_topology[c->topology[i]];
    for (uint64_t i = 0; i < c->features; i++) all_f += hot_feature[c->feature[i]];
    for (unsigned i = 0; i <= SWEEP_STEPS; i++) {
        struct sweep_point *p = &c->points[i], *q = &c->points[SWEEP_STEPS - i];
        uint64_t other = (uint64_t)((unsigned __int128)(SWEEP_STEPS - i) * budget / SWEEP_STEPS);
        walk_on(g, c->topology, c->topologies, hot_topology, true,
                (uint64_t)((unsigned __int128)i * budget / SWEEP_STEPS), &t);
        walk_on(g, c->feature, c->features, hot_feature, false, budget - other, &f);
        p->rows_topology = t.at;
        q->rows_feature = f.at;
        p->topology = all_t ? units_round_half_up((unsigned __int128)scale->n_tsum * (all_t - t.saved),
                                                  (unsigned __int128)all_t * scale->epochs)
                            : units_round_half_up(scale->n_tsum, scale->epochs);
        q->feature = units_round_half_up(all_f - f.saved, scale->epochs);
    }
    return ST_OK;
}

void candidates_weigh_lines(const struct graph *g, uint64_t line_bytes, uint64_t *hot)
{
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        uint64_t lines = (table.row_bytes + line_bytes - 1) / line_bytes,
                 *to = hot + (table.first - graph_topology_rows(g));
        for (uint64_t v = 0; table.kind != ROWS_TOPOLOGY && v < table.count; v++) to[v] *= lines;
    }
}

enum st candidates_sweep(const struct policy_input *in, const struct plan *plan, int clique,
                         const struct sweep_scale *scale, const uint64_t *hot_topology, const uint64_t *hot_feature,
                         struct candidates *c, struct err *err)
{
    const struct graph *g = in->graph;
    struct sweep_problem p = {.n = g->n,
                              .row_bytes = graph_cached_bytes(g),
                              .n_tsum = scale->n_tsum,
                              .epochs = scale->epochs,
                              .lines = scale->lines,
                              .steps = SWEEP_STEPS};
    for (int i = 0; i < plan->assignment.gpus; i++)
        if (plan->assignment.clique_of[i] == clique) p.budget += plan->budget[i];
    if (!graph_plain(g)) return sweep_types(in, p.budget, scale, hot_topology, hot_feature, c, err);
    OWNED_NEW(uint64_t, size, g->n, "row sizes");
    OWNED_NEW(uint64_t, prefix_size, g->n, "prefix sums");
    OWNED_NEW(uint64_t, prefix_t, g->n, "prefix sums");
    OWNED_NEW(uint64_t, prefix_f, g->n, "prefix sums");
    MAKE(c->points, SWEEP_STEPS + 1, "the sweep");
    for (uint64_t v = 0; v < g->n; v++) size[v] = graph_topology_bytes(g, v);
    trace_drop_pages(in->trace);
    PASS(in->kernels->scan(in->threads, size, c->topology, g->n, prefix_size, err));
    PASS(in->kernels->scan(in->threads, hot_topology, c->topology, g->n, prefix_t, err));
    PASS(in->kernels->scan(in->threads, hot_feature, c->feature, g->n, prefix_f, err));
    p.size_topology = prefix_size;
    p.hot_topology = prefix_t;
    p.hot_feature = prefix_f;
    return in->kernels->sweep(in->threads, &p, 1, c->points, err);
}

void candidates_there(const struct graph *g, struct candidates *c)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < c->features; i++)
        if (graph_item_bytes(g, graph_topology_rows(g) + c->feature[i])) c->feature[kept++] = c->feature[i];
    c->features = kept;
}
