/* typed_diff.h - the rows that move when one plan of a typed graph replaces another: plan_diff.h, table by table. */
#ifndef SIMULATOR_TYPED_TYPED_DIFF_H
#define SIMULATOR_TYPED_TYPED_DIFF_H

#include "simulator/plan/plan_diff.h"
#include "simulator/typed/typed_plan.h"

struct typed_diff {
    int gpus, tables;
    int id[DIFF_GPUS_MAX]; /* ids of the GPUs of either plan, ascending */
    /* [tables + 1] of every table of rows, and last the training vertices; owned */
    struct diff_gpu (*table)[DIFF_GPUS_MAX];
    struct diff_amount (*moved)[DIFF_GPUS_MAX]; /* [from][to] rows of all tables; owned */
};

/* Compares two plans of the graph of `rows`. *out: to be released. Takes 16 bytes per row for each 64 GPUs, for 16 Mi
 * rows at a time; ST_LIMIT when that is refused. */
enum st typed_diff_make(const struct typed_plan *before, const struct typed_plan *after, const struct graph *rows,
                        struct typed_diff *out, struct err *err) MUST_USE;
void typed_diff_release(struct typed_diff *d); /* a zeroed struct is allowed */

#endif
