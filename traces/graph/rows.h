/* rows.h - every row of a graph that a GPU can hold, in one space of numbers.
 *
 * Items: with T topology rows, [0, T) are those, [T, T + n) feature rows of vertices, and behind them edge_rows feature
 * rows of edges. A table is the rows of one kind of one relation or type: tables [0, relations) are topology, then one
 * per type, then one per relation for edge features; a plain graph has two. Items of a type without features have 0
 * bytes and are never placed. What is the same for a table's rows is decided per table, never per row. Host arrays
 * begin at a page, one per table, so transactions follow from the place within the table. GPUs may hold a table's
 * feature rows in a smaller element type than the host's (base/precision.h).
 */
#ifndef TRACES_GRAPH_ROWS_H
#define TRACES_GRAPH_ROWS_H

#include "base/precision.h"
#include "traces/graph/graph.h"

enum row_kind { ROWS_TOPOLOGY, ROWS_FEATURE, ROWS_EDGE, ROWS_KINDS };

enum { GRAPH_TABLES_MAX = 2 * GRAPH_RELATIONS_MAX + GRAPH_TYPES_MAX };
/* Loops over fewer rows are faster on one thread. */
enum { ROWS_PARALLEL = 1 << 14 };

/* One table of rows. */
struct row_table {
    enum row_kind kind;
    int of;                /* relation, or type */
    uint64_t first, count; /* items */
    uint64_t row_bytes;    /* of feature rows on the host; 0: there are none. Topology rows differ in size */
    uint64_t cached_bytes; /* of feature rows on a GPU */
    enum precision cached; /* in what element type GPUs hold them */
};

/* Lists the tables of g, whose types and relations are set, in g->table. ST_LIMIT when there are 2^32 - 1 items or
 * more, or memory is out. */
enum st graph_list_tables(struct graph *g, struct err *err) MUST_USE;

static inline int graph_tables(const struct graph *g) { return graph_plain(g) ? 2 : g->tables; }
/* Table k < graph_tables(g). */
static inline struct row_table graph_table(const struct graph *g, int k)
{
    if (!graph_plain(g)) return g->table[k];
    if (k == 0) return (struct row_table){ROWS_TOPOLOGY, 0, 0, g->n, 0, 0, PRECISION_HOST};
    return (struct row_table){ROWS_FEATURE, 0, g->n, g->n, g->row_bytes, graph_cached_bytes(g), g->cached};
}
/* The table of type t's features. */
static inline struct row_table graph_feature_table(const struct graph *g, int t)
{
    return graph_table(g, graph_relation_count(g) + t);
}
static inline uint64_t graph_items(const struct graph *g) { return graph_topology_rows(g) + graph_feature_rows(g); }

/* Rows of one kind: of topology, or of features; and of the kind with more. */
static inline uint64_t graph_kind_rows(const struct graph *g, bool topology)
{
    return topology ? graph_topology_rows(g) : graph_feature_rows(g);
}
static inline uint64_t graph_most_rows(const struct graph *g)
{
    uint64_t t = graph_topology_rows(g), f = graph_feature_rows(g);
    return t > f ? t : f;
}

/* Whether a table has rows that a GPU could hold. */
bool graph_table_there(const struct graph *g, int table);
/* Bytes on the host of rows of features, each size once, ascending, into out[most]. Returns how many there are, which
 * may be more than `most`. */
int graph_feature_sizes(const struct graph *g, int most, uint64_t *out);
/* Table of an item, item < items. */
static inline int graph_table_of(const struct graph *g, uint64_t item)
{
    int low = 0, high = g->tables;
    if (graph_plain(g)) return item >= g->n;
    while (high - low > 1) { /* the last table that begins at or before the item is not empty */
        int middle = (low + high) / 2;
        if (g->table[middle].first <= item) low = middle;
        else high = middle;
    }
    return low;
}
/* "topology", "feature", "edge_feature" (static). */
const char *row_kind_name(enum row_kind kind);
/* What the table is called in tables for people: a type's name, or a relation's label, into out. Returns out. */
const char *graph_table_label(const struct graph *g, int table, char out[GRAPH_LABEL_BYTES]);

/* How the elements of a table's rows are written: on the host ("f32"), or "" for topology. */
const char *graph_table_element(const struct graph *g, int table);
/* Elements of a row; of a table of features. */
uint64_t graph_table_dim(const struct graph *g, int table);
/* Whether GPUs can hold a table's rows in p: floating-point rows that get smaller. */
bool graph_table_rounds(const struct graph *g, int table, enum precision p);
/* Lets GPUs hold a table's rows in p, for which graph_table_rounds, or as on the host. */
void graph_table_round(struct graph *g, int table, enum precision p);

/* Number of a table's first row among the rows of its kind, topology or others; t: of graph_table. */
static inline uint64_t row_table_begin(const struct graph *g, const struct row_table *t)
{
    return t->kind == ROWS_TOPOLOGY ? t->first : t->first - graph_topology_rows(g);
}

/* Whether GPUs hold any table's rows rounded. */
bool graph_is_rounded(const struct graph *g);

/* Bytes that row `row` of a table takes on a GPU; t: of graph_table. */
static inline uint64_t row_table_bytes(const struct graph *g, const struct row_table *t, uint64_t row)
{
    if (t->kind != ROWS_TOPOLOGY) return t->cached_bytes;
    const struct graph_csr csr = graph_csr(g, t->of);
    return csr_row_bytes(&csr, row);
}
/* The same on the host. */
static inline uint64_t row_table_host_bytes(const struct graph *g, const struct row_table *t, uint64_t row)
{
    return t->kind == ROWS_TOPOLOGY ? row_table_bytes(g, t, row) : t->row_bytes;
}
uint64_t graph_row_bytes(const struct graph *g, int table, uint64_t row);
/* The same of an item. */
static inline uint64_t graph_item_bytes(const struct graph *g, uint64_t item)
{
    if (graph_plain(g)) return item < g->n ? graph_topology_bytes(g, item) : graph_cached_bytes(g);
    int k = graph_table_of(g, item);
    return row_table_bytes(g, &g->table[k], item - g->table[k].first);
}

#endif
