/* typed_rows.h - every row of a typed graph that a GPU can hold, in one space of numbers.
 *
 * Items: [0, rows) are topology rows, [rows, rows + n) feature rows of vertices, and behind them edge_rows feature rows
 * of edges. A table is the rows of one kind of one relation or type: tables [0, relations) are topology, then one per
 * type, then one per relation for edge features. Items of a type without features have 0 bytes and are never placed.
 * Host arrays begin at a page, one per table, so transactions follow from the place within the table. GPUs may hold a
 * table's feature rows in a smaller element type than the host's (base/precision.h).
 */
#ifndef TRACES_TYPED_TYPED_ROWS_H
#define TRACES_TYPED_TYPED_ROWS_H

#include "base/precision.h"
#include "traces/typed/typed_graph.h"

enum typed_kind { TYPED_TOPOLOGY, TYPED_FEATURE, TYPED_EDGE, TYPED_KINDS };

enum { TYPED_TABLES_MAX = 2 * TYPED_RELATIONS_MAX + TYPED_TYPES_MAX };
/* Loops over fewer rows are faster on one thread. */
enum { TYPED_PARALLEL = 1 << 14 };

/* One table of rows. */
struct typed_table {
    enum typed_kind kind;
    int of;                /* relation, or type */
    uint64_t first, count; /* items */
    uint64_t row_bytes;    /* of feature rows on the host; 0: there are none. Topology rows differ in size */
    uint64_t cached_bytes; /* of feature rows on a GPU */
    enum precision cached; /* in what element type GPUs hold them */
};

struct typed_rows {
    const struct typed_graph *g;
    uint64_t items;
    int tables;
    struct typed_table table[TYPED_TABLES_MAX];
};

/* Lists the tables of g, which is borrowed. ST_LIMIT when there are 2^32 - 1 items or more. */
enum st typed_rows_make(const struct typed_graph *g, struct typed_rows *out, struct err *err) MUST_USE;

/* Whether a table has rows that a GPU could hold. */
bool typed_table_there(const struct typed_rows *r, int table);
/* Table of an item, item < items. */
int typed_table_of(const struct typed_rows *r, uint64_t item);
/* "topology", "feature", "edge_feature" (static). */
const char *typed_kind_name(enum typed_kind kind);
/* What the table is called in tables for people: a type's name, or a relation's label, into out. Returns out. */
const char *typed_table_label(const struct typed_rows *r, int table, char out[TYPED_LABEL_BYTES]);

/* How the elements of a table's rows are written: on the host ("f32"), or "" for topology. */
const char *typed_table_element(const struct typed_rows *r, int table);
/* Whether GPUs can hold a table's rows in p: floating-point rows that get smaller. */
bool typed_table_rounds(const struct typed_rows *r, int table, enum precision p);
/* Lets GPUs hold a table's rows in p, for which typed_table_rounds, or as on the host. */
void typed_table_round(struct typed_rows *r, int table, enum precision p);

/* Bytes that row `row` of a table takes on a GPU. */
uint64_t typed_row_bytes(const struct typed_rows *r, int table, uint64_t row);
/* Transactions of one read of that row from the host; of feature rows only. */
uint64_t typed_row_lines(const struct typed_rows *r, int table, uint64_t row, uint64_t line_bytes);

#endif
