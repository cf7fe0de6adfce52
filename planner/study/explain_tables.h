/* explain_tables.h - why rows of a graph of several types are held or not.
 *
 * In each clique rows of all tables stand in one order, by expected transactions saved per byte (policy hotset's order,
 * whatever the policy ranks by). An explanation of a table states how dense its rows are, how many are held, and where
 * among them the budget ended; that of a row its rank, its copies, and the bytes that are missing.
 */
#ifndef PLANNER_STUDY_EXPLAIN_TABLES_H
#define PLANNER_STUDY_EXPLAIN_TABLES_H

#include "planner/study/explain.h"

/* One clique of a plan. */
struct explained_clique {
    const struct explain_input *in; /* borrowed */
    int clique;
    struct estimates estimates;
    uint8_t *held; /* [items] copies in the clique; owned */
};

/* Estimates what the rows save and finds what the clique holds. *out: to be released. Takes 9 bytes per row, and what
 * estimates_make takes. ST_LIMIT without memory. */
enum st explained_clique_make(const struct explain_input *in, int clique, struct explained_clique *out, struct err *err)
    MUST_USE;
void explained_clique_release(struct explained_clique *x); /* zeroed is allowed */

/* One table of rows in one clique; densities are transactions saved per byte and epoch. */
struct explained_table {
    uint64_t held, held_bytes, bytes; /* rows; bytes of the held ones and of all */
    uint64_t held_exact;              /* of the held rows: as on the host, although others are rounded */
    double reads, saved, saved_held;  /* expected per epoch: all rows, and those that are held */
    double densest;                   /* of all rows */
    double least_held;                /* of the rows that are held; 0 when none is */
    double best_left;                 /* of those that are not; 0 when all are held */
};
void explain_table(const struct explained_clique *x, int table, struct explained_table *out);

/* Row `row` of a table in one clique. */
struct explained_item {
    uint64_t bytes, rank, of; /* 1 = densest */
    double reads, saved;
    int copies, gpu[GPUS_MAX];
    bool exact[GPUS_MAX];     /* the copy is as on the host, although the table is rounded */
    uint64_t place[GPUS_MAX]; /* in the GPU's file of that table */
    uint64_t more_bytes;      /* of cache that the clique lacks to reach the row in that order; 0 when it is held */
};
void explain_item(const struct explained_clique *x, int table, uint64_t row, struct explained_item *out);

#endif
