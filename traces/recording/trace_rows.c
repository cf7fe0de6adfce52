#include "traces/recording/trace_rows.h"

uint64_t trace_expected_draws(const struct trace *t, const struct graph *g, struct row_table table, uint64_t row,
                              int gpu)
{
    double sum = 0; /* whole numbers, unless rows are drawn together */
    for (int h = 0; h < t->workload.hops; h++)
        sum += (double)count_at(trace_visits(t, g, table, h, gpu), row) *
               workload_mean_draws(g, &t->workload, table.of, h, row);
    return (uint64_t)(sum + 0.5);
}

/* The row of a relation that holds the entry at that position of its indices. */
static uint64_t row_of_entry(const struct graph_relation *r, uint64_t at)
{
    uint64_t low = 0, high = r->rows;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if ((uint64_t)r->indptr[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}

uint64_t trace_row_reads(const struct trace *t, const struct graph *g, struct row_table table, uint64_t row, int gpu)
{
    uint64_t sum = 0;
    if (table.kind == ROWS_FEATURE) return count_at(trace_gathers(t, g, table, gpu), row);
    if (table.kind == ROWS_TOPOLOGY) {
        for (int h = 0; h < t->workload.hops; h++) sum += count_at(trace_visits(t, g, table, h, gpu), row);
        return sum;
    }
    const struct graph_relation *r = &g->relation[table.of];
    uint64_t of = row_of_entry(r, row);
    return trace_row_draws(t, g, graph_table(g, table.of), of, gpu) / relation_degree(r, of);
}

uint64_t trace_item_reads(const struct trace *t, const struct graph *g, uint64_t item, int gpu)
{
    const struct row_table table = graph_table(g, graph_table_of(g, item));
    return trace_row_reads(t, g, table, item - table.first, gpu);
}

uint64_t trace_table_heat(const struct trace *t, const struct graph *g, uint64_t item, int gpu)
{
    const struct row_table table = graph_table(g, graph_table_of(g, item));
    return table.kind == ROWS_TOPOLOGY ? trace_row_draws(t, g, table, item - table.first, gpu)
                                       : trace_row_reads(t, g, table, item - table.first, gpu);
}
