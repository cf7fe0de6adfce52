#include "planner/commands/trace_print.h"

#include "base/table.h"
#include "base/text.h"
#include "base/units.h"
#include "traces/recording/trace_rows.h"

static uint64_t sum_of(struct count_row counts, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t v = 0; v < count; v++) sum += count_at(counts, v);
    return sum;
}

/* Draws from topology rows and gathers of feature rows, of one GPU. What is recorded as it is, is added up as it is. */
static void count_gpu(const struct trace *t, const struct graph *g, int gpu, uint64_t *draws, uint64_t *rows)
{
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        if (table.kind == ROWS_FEATURE) *rows += sum_of(trace_gathers(t, g, table, gpu), table.count);
        else if (graph_plain(g)) *draws += sum_of(count_row_from(t->topology[gpu], 0), table.count);
        else
            for (uint64_t v = 0; v < table.count; v++)
                if (table.kind == ROWS_TOPOLOGY) *draws += trace_row_draws(t, g, table, v, gpu);
                else *rows += trace_row_reads(t, g, table, v, gpu);
    }
}

static void cliques_print(const struct trace *t, const struct graph *g, FILE *to)
{
    static const char *const headers[] = {"clique",
                                          "GPUs",
                                          ">training vertices",
                                          ">draws/epoch",
                                          ">feature rows/epoch",
                                          ">transactions of sampling/epoch, uncached",
                                          NULL};
    struct table *table = table_new(headers);
    char text[UNIT_TEXT];
    for (int c = 0; c < t->assignment.cliques; c++) {
        uint64_t train = 0, draws = 0, rows = 0;
        char gpus[300] = "";
        for (int i = 0; i < t->assignment.gpus; i++) {
            if (t->assignment.clique_of[i] != c) continue;
            text_append(gpus, sizeof gpus, *gpus ? ",%d" : "%d", t->assignment.id[i]);
            train += t->assignment.train_count[i];
            count_gpu(t, g, i, &draws, &rows);
        }
        table_add(table, "%d", c);
        table_add(table, "%s", gpus);
        table_add(table, "%s", units_count(text, train));
        table_add(table, "%s", units_count(text, draws / t->epochs));
        table_add(table, "%s", units_count(text, rows / t->epochs));
        table_add(table, "%s", units_count(text, t->n_tsum[c] / t->epochs));
    }
    table_show(table, to);
}

/* Visits of a topology row, or mini-batches that gathered a feature row, of all GPUs. */
static uint64_t reads_of(const struct trace *t, const struct graph *g, const struct row_table *table, uint64_t v)
{
    uint64_t sum = 0;
    for (int i = 0; i < t->assignment.gpus; i++) {
        if (table->kind == ROWS_FEATURE) sum += count_at(trace_gathers(t, g, *table, i), v);
        for (int h = 0; table->kind == ROWS_TOPOLOGY && h < t->workload.hops; h++)
            sum += count_at(trace_visits(t, g, *table, h, i), v);
    }
    return sum;
}

static void tables_print(const struct trace *t, const struct graph *g, FILE *to)
{
    static const char *const headers[] = {"rows", "kind", ">reads/epoch", ">distinct", NULL};
    struct table *table = table_new(headers);
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES];
    for (int k = 0; k < g->tables; k++) {
        const struct row_table *rows = &g->table[k];
        uint64_t reads = 0, distinct = 0;
        if (rows->kind == ROWS_EDGE) continue; /* follow from the visits */
        for (uint64_t v = 0; v < rows->count; v++) {
            uint64_t sum = reads_of(t, g, rows, v);
            reads += sum;
            distinct += sum > 0;
        }
        table_add(table, "%s", graph_table_label(g, k, label));
        table_add(table, "%s", rows->kind == ROWS_TOPOLOGY ? "visits of topology rows" : "vertices in mini-batches");
        table_add(table, "%s", units_count(text, reads / t->epochs));
        table_add(table, "%s", units_count(text, distinct));
    }
    fputc('\n', to);
    table_show(table, to);
}

void trace_print(const struct trace *t, const struct graph *g, FILE *to)
{
    cliques_print(t, g, to);
    if (!graph_plain(g)) tables_print(t, g, to);
}
