#include "planner/study/plan_tables_print.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/study/cached_types.h"
#include "traces/recording/trace_rows.h"

void trace_tables_print(const struct trace *t, const struct graph *g, FILE *to)
{
    static const char *const headers[] = {"rows", "kind", ">reads/epoch", ">distinct", NULL};
    struct table *table = table_new(headers);
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES];
    for (int k = 0; k < g->tables; k++) {
        const struct row_table *x = &g->table[k];
        uint64_t reads = 0, distinct = 0;
        if (x->kind == ROWS_EDGE) continue; /* follow from the visits */
        for (uint64_t v = 0; v < x->count; v++) {
            uint64_t sum = 0;
            for (int i = 0; i < t->assignment.gpus; i++) {
                if (x->kind == ROWS_FEATURE) sum += count_at(trace_gathers(t, g, *x, i), v);
                for (int h = 0; x->kind == ROWS_TOPOLOGY && h < t->workload.hops; h++)
                    sum += count_at(trace_visits(t, g, *x, h, i), v);
            }
            reads += sum;
            distinct += sum > 0;
        }
        table_add(table, "%s", graph_table_label(g, k, label));
        table_add(table, "%s", x->kind == ROWS_TOPOLOGY ? "visits of topology rows" : "vertices in mini-batches");
        table_add(table, "%s", units_count(text, reads / t->epochs));
        table_add(table, "%s", units_count(text, distinct));
    }
    table_print(table, to);
    table_free(table);
    uint64_t sum = 0;
    for (int c = 0; c < t->assignment.cliques; c++) sum += t->n_tsum[c];
    terminal_print(to, "\ntransactions of sampling per epoch, uncached: %s\n", units_count(text, sum / t->epochs));
}

static void cliques_print(const struct plan *p, const struct graph *rows, FILE *to)
{
    static const char *const headers[] = {"clique",    "GPUs",           ">budget", ">topology",
                                          ">features", ">edge features", NULL};
    struct table *t = table_new(headers);
    for (int c = 0; c < p->assignment.cliques; c++) {
        int id[GPUS_MAX], k = 0;
        uint64_t budget = 0, of[ROWS_KINDS] = {0}, bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX];
        char gpus[300] = "";
        for (int g = 0; g < p->assignment.gpus; g++) {
            if (p->assignment.clique_of[g] != c) continue;
            id[k++] = p->assignment.id[g];
            budget += p->budget[g];
            (void)placement_held(&p->placement, g, rows, bytes, count);
            for (int i = 0; i < rows->tables; i++) of[rows->table[i].kind] += bytes[i];
        }
        text_append_ids(gpus, sizeof gpus, id, k);
        table_add(t, "%d", c);
        table_add(t, "%s", gpus);
        table_add_bytes(t, (double)budget);
        for (int i = 0; i < ROWS_KINDS; i++) table_add_bytes(t, (double)of[i]);
    }
    table_print(t, to);
    table_free(t);
}

/* The entry of simulated.tables or predicted.tables for a table of rows, or NULL. */
static const doc *entry_of(const doc *tables, const struct graph *rows, int table)
{
    for (uint64_t i = 0; i < doc_size(tables); i++)
        if (plan_table_is(rows, table, doc_at(tables, i))) return doc_at(tables, i);
    return NULL;
}

static void add_rate(struct table *t, double rate)
{
    if (isnan(rate)) table_add(t, "-");
    else table_add(t, "%.1f %%", 100 * rate);
}

static void rows_print(const struct plan *p, const struct graph *rows, FILE *to)
{
    static const char *const headers[] =
        {"rows",      "kind", ">held", ">of", ">bytes", ">hit rate", ">predicted trans.", ">simulated trans.",
         ">uncached", NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES];
    uint64_t bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX];
    placement_held_all(&p->placement, rows, bytes, count);
    for (int k = 0; k < rows->tables; k++) {
        const doc *s = entry_of(doc_get(p->simulated, "tables"), rows, k);
        if (!graph_table_there(rows, k)) continue;
        table_add(t, "%s", graph_table_label(rows, k, label));
        table_add(t, "%s", row_kind_name(rows->table[k].kind));
        table_add(t, "%s", units_count(text, count[k]));
        table_add(t, "%s", units_count(text, rows->table[k].count));
        table_add_bytes(t, (double)bytes[k]);
        add_rate(t, doc_real_value(doc_get(s, "hit_rate"), NAN));
        table_add(t, "%s", units_count(text, plan_expected_transactions(p, k)));
        if (s) table_add(t, "%s", units_count(text, (uint64_t)doc_integer_value(doc_get(s, "transactions"), 0)));
        else table_add(t, "-");
        if (s)
            table_add(t, "%s", units_count(text, (uint64_t)doc_integer_value(doc_get(s, "uncached_transactions"), 0)));
        else table_add(t, "-");
    }
    table_print(t, to);
    table_free(t);
}

void plan_tables_print(const struct plan *p, const struct graph *rows, FILE *to)
{
    char a[UNIT_TEXT], b[UNIT_TEXT];
    const doc *interval = doc_get(p->simulated, "total_interval");
    uint64_t total = (uint64_t)doc_integer_value(doc_get(p->simulated, "total_transactions"), 0);
    terminal_print(to, "policy %s on %s, server %s\n\n", p->policy, rows->name, p->server_name);
    cliques_print(p, rows, to);
    fputc('\n', to);
    rows_print(p, rows, to);
    terminal_print(to, "\ntransactions per epoch: predicted %s", units_count(a, plan_expected_transactions(p, -1)));
    if (p->simulated)
        terminal_print(to, ", simulated %s on %lld held-out epochs (prediction %+.2f %%)", units_count(b, total),
                       (long long)doc_integer_value(doc_get(p->simulated, "epochs"), 0),
                       100 * doc_real_value(doc_get(p->simulated, "prediction_error"), NAN));
    fputc('\n', to);
    if (doc_size(interval) == 2)
        terminal_print(to, "95 %% interval of the simulation: %s to %s\n",
                       units_count(a, (uint64_t)doc_integer_value(doc_at(interval, 0), 0)),
                       units_count(b, (uint64_t)doc_integer_value(doc_at(interval, 1), 0)));
    if (p->bound)
        terminal_print(to, "no placement is expected to leave fewer than %s; this plan: %.2f %% more\n",
                       units_count(a, (uint64_t)doc_integer_value(doc_get(p->bound, "total_transactions"), 0)),
                       100 * doc_real_value(doc_get(p->bound, "gap"), NAN));
    for (uint64_t i = 0; i < doc_size(p->baselines); i++) {
        const doc *one = doc_at(p->baselines, i);
        const char *name = doc_text_value(doc_get(one, "policy"), "");
        const double ratio = doc_real_value(doc_get(one, "ratio"), NAN);
        terminal_print(to, "%s (%s): %s transactions",
                       !strcmp(name, "mean-row")     ? "all types as one, rows of mean size"
                       : !strcmp(name, "rounded")    ? "if errors cost nothing"
                       : !strcmp(name, "as-on-host") ? "if no row may be rounded"
                                                     : "caching one type only",
                       name, units_count(a, (uint64_t)doc_integer_value(doc_get(one, "total_transactions"), 0)));
        if (ratio >= 0) terminal_print(to, ", %.3f times this plan's\n", ratio);
        else terminal_print(to, ", where this plan leaves none\n");
    }
    cached_types_print(p, rows, to);
}
