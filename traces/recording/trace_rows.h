/* trace_rows.h - what a trace says of rows (traces/graph/rows.h).
 *
 * A trace counts vertices: visits per hop, and mini-batches. The rows of one table are those of one type's vertices, in
 * their order, so the counts of a table are a part of those of all vertices.
 */
#ifndef TRACES_RECORDING_TRACE_ROWS_H
#define TRACES_RECORDING_TRACE_ROWS_H

#include "traces/graph/rows.h"
#include "traces/recording/trace.h"

/* Id of the vertex that row 0 of a table belongs to: of a relation's topology, the first of its target type. Not of
 * edge features. */
static inline uint64_t trace_first_vertex(const struct graph *g, struct row_table table)
{
    if (table.kind == ROWS_TOPOLOGY) return graph_csr(g, table.of).first_target;
    return graph_vertices(g, table.of).first;
}
/* Visits of a topology table's rows by GPU `gpu` in a hop; without counts (all 0) where the relation has no fan-out. */
static inline struct count_row trace_visits(const struct trace *t, const struct graph *g, struct row_table table,
                                            int hop, int gpu)
{
    if (!workload_fanout(&t->workload, table.of, hop)) return (struct count_row){NULL, 0};
    return count_row_from(t->visits[hop][gpu], trace_first_vertex(g, table));
}
/* Mini-batches that gather the rows of a table of vertex features. */
static inline struct count_row trace_gathers(const struct trace *t, const struct graph *g, struct row_table table,
                                             int gpu)
{
    return count_row_from(t->feature[gpu], trace_first_vertex(g, table));
}

/* Entries that visits of a row are expected to have drawn, rounded. */
uint64_t trace_expected_draws(const struct trace *t, const struct graph *g, struct row_table table, uint64_t row,
                              int gpu);
/* Entries that GPU `gpu` drew from row `row` of a topology table: recorded of a plain graph, else expected. */
static inline uint64_t trace_row_draws(const struct trace *t, const struct graph *g, struct row_table table,
                                       uint64_t row, int gpu)
{
    return graph_plain(g) ? count_at(t->topology[gpu], row) : trace_expected_draws(t, g, table, row, gpu);
}
/* How often it read a row: visits of a topology row, gathers of a vertex's features, expected gathers of an edge's,
 * rounded down. */
uint64_t trace_row_reads(const struct trace *t, const struct graph *g, struct row_table table, uint64_t row, int gpu);
/* The same of an item. */
uint64_t trace_item_reads(const struct trace *t, const struct graph *g, uint64_t item, int gpu);
/* What GPU `gpu` made of an item, as policies rank rows: draws of topology rows, else reads. */
uint64_t trace_table_heat(const struct trace *t, const struct graph *g, uint64_t item, int gpu);
static inline uint64_t trace_item_heat(const struct trace *t, const struct graph *g, uint64_t item, int gpu)
{
    if (!graph_plain(g)) return trace_table_heat(t, g, item, gpu);
    return item < g->n ? count_at(t->topology[gpu], item) : count_at(t->feature[gpu], item - g->n); /* in hot loops */
}

#endif
