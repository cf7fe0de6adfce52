#include "planner/results/results_tables.h"

#include <math.h>
#include <string.h>

#include "simulator/plan/plan.h"
#include "traces/graph/rows.h"

/* {sum, mean, overflowed_reads} of a table, or of all (table -1), per epoch of all nodes; null for tables that are not
 * rounded. */
static doc *error_document(const struct study *s, const struct study_cell *c, int table)
{
    const struct graph *rows = s->o.graph;
    double sum = 0, reads = 0, overflowed = 0;
    bool rounded = false;
    for (int n = 0; n <= c->others; n++) {
        const struct plan *p = &study_cell_of(c, n)->plan;
        for (int t = 0; t < rows->tables; t++) {
            if (rows->table[t].cached == PRECISION_HOST || (table >= 0 && t != table)) continue;
            rounded = true;
            for (int k = 0; k < p->assignment.cliques; k++) {
                const struct plan_expected *e = &p->expected[k * rows->tables + t];
                sum += e->error;
                reads += e->reads - e->missed - e->overflowed;
                overflowed += e->overflowed;
            }
        }
    }
    if (!rounded) return doc_null();
    return DOC(IS("sum", sum), IS("mean", reads > 0 ? sum / reads : NAN), IS("overflowed_reads", overflowed));
}

static void results_tables_add(doc *d, const char *key, uint64_t count)
{
    doc_put(d, key, doc_integer(doc_integer_value(doc_get(d, key), 0) + (int64_t)count));
}

/* Adds what the GPUs of a node hold of every table, and are predicted to read of it. */
static void add_node(doc *all, const struct plan *p, const struct graph *g)
{
    uint64_t bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX], at = 0;
    placement_held_all(&p->placement, g, bytes, count);
    for (int t = 0; t < g->tables; t++) {
        if (!graph_table_there(g, t)) continue;
        doc *d = doc_at(all, at++);
        results_tables_add(d, "held_rows", count[t]);
        results_tables_add(d, "held_bytes", bytes[t]);
        results_tables_add(d, "predicted_transactions", plan_expected_transactions(p, t));
    }
}

/* Every table that has rows: what all GPUs hold of it, and what was read. */
static doc *tables_document(const struct study *s, const struct study_cell *c, const doc *simulated)
{
    const struct graph *rows = s->o.graph;
    const doc *read = doc_get(simulated, "tables");
    uint64_t at = 0;
    doc *all = doc_array();
    for (int t = 0; t < rows->tables; t++) {
        char label[GRAPH_LABEL_BYTES];
        if (!graph_table_there(rows, t)) continue;
        const doc *one = doc_at(read, at++); /* the same tables in the same order */
        doc *d = plan_table_document(rows, t);
        DOC_PUT(d, IS("label", graph_table_label(rows, t, label)), IS("rows", rows->table[t].count), IS("held_rows", 0),
                IS("held_bytes", 0), IS("predicted_transactions", 0),
                IS("hit_rate", one ? doc_copy(doc_get(one, "hit_rate")) : doc_null()),
                IS("transactions", one ? doc_copy(doc_get(one, "transactions")) : doc_null()),
                IS("uncached_transactions", one ? doc_copy(doc_get(one, "uncached_transactions")) : doc_null()));
        if (one) doc_put(d, "reads", doc_copy(doc_get(one, "reads")));
        if (s->o.measured) doc_put(d, "expected_error", error_document(s, c, t));
        doc_append(all, d);
    }
    for (int n = 0; n <= c->others; n++) add_node(all, &study_cell_of(c, n)->plan, rows);
    return all;
}

void results_tables_put(const struct study *s, const struct study_cell *c, doc *row)
{
    const struct plan *p = &c->plan;
    doc *cached = plan_cached_document(s->o.graph);
    doc_put(row, "tables", tables_document(s, c, doc_get(row, "simulated")));
    if (cached) doc_put(row, "cache_types", cached);
    if (s->o.measured) doc_put(row, "expected_error", error_document(s, c, -1));
    if (p->placement.access != ACCESS_GPU)
        doc_put(row, "topology_access", doc_text(topology_access_name(p->placement.access)));
}

const char *const results_baselines[RESULTS_BASELINES] = {"mean-row", "single-type"};

static double total_of(const doc *row)
{
    const doc *shown = doc_get(row, "simulated");
    if (!doc_is_object(shown)) shown = doc_get(row, "predicted");
    return doc_number(shown, "total_transactions");
}

static bool text_equal(const doc *a, const doc *b, const char *key)
{
    return !strcmp(doc_text_value(doc_get(a, key), ""), doc_text_value(doc_get(b, key), ""));
}

/* What that baseline leaves on the row's server at its budget. */
static double baseline_of(const doc *rows, const doc *row, const char *baseline)
{
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *other = doc_at(rows, i);
        if (!strcmp(doc_text_value(doc_get(other, "policy"), ""), baseline) && text_equal(row, other, "server") &&
            text_equal(row, other, "budget"))
            return total_of(other);
    }
    return NAN;
}

void results_tables_gain(doc *rows)
{
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        doc *gain = doc_object(), *row = doc_at(rows, i);
        for (int b = 0; b < RESULTS_BASELINES; b++) {
            double base = baseline_of(rows, row, results_baselines[b]);
            doc_put(gain, results_baselines[b], doc_real(base > 0 ? 1 - total_of(row) / base : NAN));
        }
        doc_put(row, "gain", gain);
    }
}
