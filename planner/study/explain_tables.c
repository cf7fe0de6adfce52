#include "planner/study/explain_tables.h"

#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"

enum st explained_clique_make(const struct explain_input *in, int clique, struct explained_clique *out, struct err *err)
{
    const struct plan *p = in->plan;
    struct explained_clique x = {.in = in, .clique = clique};
    struct visit_costs costs = {{NULL}};
    enum rate_source source = rate_source_of(p->hotness);
    const struct estimates_input i = {.graph = in->graph,
                                      .trace = in->trace,
                                      .kernels = in->kernels,
                                      .costs = &costs,
                                      .clique = clique,
                                      .threads = in->threads,
                                      .line_bytes = p->line_bytes,
                                      .source = source == RATE_SOURCES ? RATE_CALIBRATED : source};
    enum st st = ST_OK;
    NEW(x.held, graph_items(in->graph), "rows that a clique holds");
    TRY(visit_costs_make(in->graph, in->trace, p->line_bytes, in->threads, &costs, err));
    TRY(estimates_make(&i, &x.estimates, err));
    for (int g = 0; g < p->assignment.gpus; g++)
        for (uint64_t k = 0; p->assignment.clique_of[g] == clique && k < placement_count(&p->placement, g); k++)
            x.held[placement_item(&p->placement, in->graph, g, k)]++;
    *out = x;
    memset(&x, 0, sizeof x);
done:
    explained_clique_release(&x);
    visit_costs_release(&costs);
    return st;
}

void explained_clique_release(struct explained_clique *x)
{
    estimates_release(&x->estimates);
    mem_free(x->held);
    memset(x, 0, sizeof *x);
}

static double density_of(double saved, uint64_t bytes) { return bytes ? saved / (double)bytes : 0; }

/* What is expected of an item: of two arrays, one by topology row and one by feature row. */
static double of_item(const struct explained_clique *x, const float *topology, const float *feature, uint64_t item)
{
    uint64_t rows = graph_topology_rows(x->in->graph);
    return (double)(item < rows ? topology[item] : feature[item - rows]);
}

static double saved_by(const struct explained_clique *x, uint64_t item)
{
    return of_item(x, x->estimates.topology, x->estimates.feature, item);
}

static double reads_of(const struct explained_clique *x, uint64_t item)
{
    return of_item(x, x->estimates.visits, x->estimates.rows, item);
}

/* Bytes of the form in which the clique holds the row; of a row that it does not hold, those of the rounded one. */
static uint64_t bytes_of(const struct explained_clique *x, const struct row_table *t, uint64_t row)
{
    const struct placement *p = &x->in->plan->placement;
    for (int g = 0; g < p->gpus; g++)
        if (x->in->plan->assignment.clique_of[g] == x->clique && placement_exact(p, x->in->graph, g, t->first + row))
            return t->row_bytes;
    return row_table_bytes(x->in->graph, t, row);
}

void explain_table(const struct explained_clique *x, int table, struct explained_table *out)
{
    const struct row_table t = graph_table(x->in->graph, table);
    memset(out, 0, sizeof *out);
    out->least_held = -1;
    for (uint64_t i = 0; i < t.count; i++) {
        uint64_t bytes = bytes_of(x, &t, i);
        double saved = saved_by(x, t.first + i), density = density_of(saved, bytes);
        out->bytes += bytes;
        out->reads += reads_of(x, t.first + i);
        out->saved += saved;
        out->densest = density > out->densest ? density : out->densest;
        if (!x->held[t.first + i]) {
            out->best_left = density > out->best_left ? density : out->best_left;
            continue;
        }
        out->held++;
        out->held_bytes += bytes;
        out->held_exact += bytes > row_table_bytes(x->in->graph, &t, i);
        out->saved_held += saved;
        if (out->least_held < 0 || density < out->least_held) out->least_held = density;
    }
    if (out->least_held < 0) out->least_held = 0;
}

static void find_copies(const struct explained_clique *x, const struct row_table *t, uint64_t row,
                        struct explained_item *out)
{
    const struct plan *plan = x->in->plan;
    const struct placement *p = &plan->placement;
    for (int g = 0; g < plan->assignment.gpus; g++) {
        uint64_t places[2] = {0, 0}; /* in the file of rounded rows, and in that of exact ones */
        if (plan->assignment.clique_of[g] != x->clique) continue;
        for (uint64_t i = 0; i < placement_count(p, g); i++) {
            uint64_t item = placement_item(p, x->in->graph, g, i);
            if (item < t->first || item - t->first >= t->count) continue;
            bool exact = placement_exact(p, x->in->graph, g, item);
            if (item == t->first + row) {
                out->gpu[out->copies] = g;
                out->exact[out->copies] = exact;
                out->place[out->copies++] = places[exact];
            }
            places[exact]++;
        }
    }
}

/* Room that the clique's GPUs have left. */
static uint64_t room_of(const struct explained_clique *x)
{
    const struct plan *p = x->in->plan;
    uint64_t room = 0, bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX];
    for (int g = 0; g < p->assignment.gpus; g++)
        if (p->assignment.clique_of[g] == x->clique)
            room += p->budget[g] - placement_held(&p->placement, g, x->in->graph, bytes, count);
    return room;
}

void explain_item(const struct explained_clique *x, int table, uint64_t row, struct explained_item *out)
{
    const struct graph *g = x->in->graph;
    const struct row_table own = graph_table(g, table);
    uint64_t self = own.first + row, before = 0;
    memset(out, 0, sizeof *out);
    out->bytes = bytes_of(x, &own, row);
    out->reads = reads_of(x, self);
    out->saved = saved_by(x, self);
    out->rank = 1;
    uint64_t key = density_key(out->saved, out->bytes);
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (!graph_table_there(g, k)) continue;
        out->of += t.count;
        for (uint64_t i = 0; i < t.count; i++) {
            uint64_t item = t.first + i, bytes = bytes_of(x, &t, i), other = density_key(saved_by(x, item), bytes);
            if (other < key || (other == key && item >= self)) continue;
            out->rank++;
            before += x->held[item] ? 0 : bytes;
        }
    }
    find_copies(x, &own, row, out);
    uint64_t wanted = before + out->bytes, room = room_of(x);
    if (!out->copies) out->more_bytes = wanted > room ? wanted - room : 1;
}
