/* explain.h - why rows are cached or not: those of a vertex, or whole tables of rows.
 *
 * A pool shares its memory: a clique, or one GPU in systems without NVLink reads. In every pool a policy takes rows in
 * an order: all by expected transactions saved per byte, or topology and features each by the policy's hotness. The
 * explanation of a row states its rank in that order, where it lies and which GPU serves each reader; of one that is
 * not held, the last row that was taken, and the bytes that the pool lacks to reach the row in that order. That of a
 * table states how dense its rows are, how many are held, and where among them the budget ended. What rows save is
 * expected per epoch, from the trace (estimates.h), whatever the policy ranks by.
 */
#ifndef PLANNER_RESULTS_EXPLAIN_H
#define PLANNER_RESULTS_EXPLAIN_H

#include "planner/policies/policy.h"
#include "traces/graph/graph_names.h"

struct explain_input { /* borrowed */
    const struct graph *graph;
    const struct plan *plan;
    const struct trace *trace; /* of the plan's assignment */
    const struct kernels *kernels;
    const struct graph_names *names; /* of the type of the vertex that is asked about; zeroed or NULL: there are none */
    int threads;
};

/* What is asked about: tables of rows, or the row of one vertex in each of them. */
struct explain_subject {
    int tables, table[GRAPH_TABLES_MAX];
    bool whole; /* the tables */
    int type;   /* else: of this vertex */
    uint64_t vertex;
};
/* "V", a name or a number; of a graph with several types "TYPE:V". A name goes before a number. *names: of its type, to
 * be closed. ST_USAGE, ST_INPUT with the range when there is no such vertex. */
enum st explain_vertex(const struct graph *g, const char *text, int threads, struct explain_subject *out,
                       struct graph_names *names, struct err *err) MUST_USE;
/* Tables with rows: all (only NULL), the features of a type and the relations into it, or what a relation or a label
 * names. ST_USAGE when it names none. */
enum st explain_tables(const struct graph *g, const char *only, struct explain_subject *out, struct err *err) MUST_USE;

/* One row of the vertex in one pool. */
struct explained_row {
    uint64_t bytes;      /* as the pool holds it, else as GPUs would */
    double reads, saved; /* expected per epoch in the pool: visits or mini-batches; transactions saved when held */
    uint64_t rank, of;   /* 1 = hottest */
    bool useful;         /* false: its key in the order is 0 */
    int copies;
    struct {
        int gpu;
        uint64_t slot;
    } copy[GPUS_MAX]; /* positions of GPUs of the pool, places in their files of that table */
    bool lost;        /* some row was taken; the last one in the order: */
    int last_table;
    uint64_t last_row, last_bytes;
    double last_saved;
    uint64_t more_bytes; /* that the pool lacks, at least; 0 when held */
};

/* One table in one pool; densities are transactions saved per byte and epoch. */
struct explained_table {
    uint64_t held, held_bytes, bytes; /* rows; bytes of the held ones and of all */
    double reads, saved, saved_held;  /* expected per epoch: all rows, and those that are held */
    double densest;                   /* of all rows */
    double least_held;                /* of the rows that are held; NaN when none is */
    double best_left;                 /* of those that are not; NaN when all are held */
};

struct explained_pool {
    int clique, gpus, gpu[GPUS_MAX]; /* positions */
};

struct explanation {
    struct explain_subject of;
    uint64_t degree; /* of the vertex */
    int trained_by;  /* position of the GPU that trains it; -1: none */
    bool ranked;     /* false: the policy ranks nothing (dgl-uva) */
    bool one_order;  /* all rows in one order */
    bool substitute; /* the policy's own order cannot be repeated: that of the estimates is used */
    bool beyond; /* some GPU reads from another clique: a copy serves more than its pool, and a pool's order is a guide
                    only */
    int pools;
    struct explained_pool pool[GPUS_MAX];
    struct explained_row *row;     /* [pools][of.tables], owned; of a vertex */
    struct explained_table *table; /* [pools][of.tables], owned; of whole tables */
    int (*source)[GPUS_MAX];       /* [of.tables][reader], owned: position of the GPU that serves a vertex's row; -1:
                                      the host */
};

/* Explains what `of` asks about. *out: to be released. Takes 9 bytes per row, and what estimates_make takes. ST_LIMIT
 * without memory. */
enum st explain_make(const struct explain_input *in, const struct explain_subject *of, struct explanation *out,
                     struct err *err) MUST_USE;
void explanation_release(struct explanation *e); /* zeroed is allowed */

/* What a table is called in words: "topology"; of several types "paper feature". Returns out. */
enum { EXPLAIN_NAME = GRAPH_LABEL_BYTES + 16 };
const char *explain_table_name(const struct graph *g, int table, char out[EXPLAIN_NAME]);

#endif
