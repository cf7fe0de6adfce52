/* typed_explain.h - why rows of a typed plan are held or not. Private to planner/typed.
 *
 * In each clique rows of all types and relations stand in one order, by expected transactions saved per byte (policy
 * hotset's order, whatever the policy ranks by). An explanation of a table states how dense its rows are, how many are
 * held, and where among them the budget ended; that of a row its rank, its copies, and the bytes that are missing.
 */
#ifndef PLANNER_TYPED_TYPED_EXPLAIN_H
#define PLANNER_TYPED_TYPED_EXPLAIN_H

#include "planner/typed/typed_estimates.h"
#include "simulator/plan/plan.h"

struct typed_explain_input {
    const struct graph *rows;
    const struct plan *plan;
    const struct typed_estimates *estimates; /* [cliques] */
    const uint8_t *held;                     /* [cliques][items] copies in the clique */
};

/* One table of rows in one clique; densities are transactions saved per byte and epoch. */
struct typed_explained_table {
    uint64_t held, held_bytes, bytes; /* rows; bytes of the held ones and of all */
    uint64_t held_exact;              /* of the held rows: as on the host, although others are rounded */
    double reads, saved, saved_held;  /* expected per epoch: all rows, and those that are held */
    double densest;                   /* of all rows */
    double least_held;                /* of the rows that are held; 0 when none is */
    double best_left;                 /* of those that are not; 0 when all are held */
};
void typed_explain_table(const struct typed_explain_input *in, int clique, int table,
                         struct typed_explained_table *out);

struct typed_explained_row {
    uint64_t bytes, rank, of; /* 1 = densest */
    double reads, saved;
    int copies, gpu[GPUS_MAX];
    bool exact[GPUS_MAX];     /* the copy is as on the host, although the table is rounded */
    uint64_t place[GPUS_MAX]; /* in the GPU's file of that table */
    uint64_t more_bytes;      /* of cache that the clique lacks to reach the row in that order; 0 when it is held */
};
void typed_explain_row(const struct typed_explain_input *in, int clique, int table, uint64_t row,
                       struct typed_explained_row *out);

#endif
