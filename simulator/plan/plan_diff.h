/* plan_diff.h - the rows that move when one plan replaces another.
 *
 * GPUs are matched by the server's ids; a GPU that only one plan has holds nothing in the other. For each vertex, the
 * GPUs that hold its row in the first plan only are paired, in ascending order, with those that hold it in the second
 * only. A pair is a row that moved. GPUs without a pair removed the row (first plan) or added it (second plan). So per
 * GPU before = kept + removed + moved_out and after = kept + added + moved_in, and the second plan loads added +
 * moved_in. A copy in one element type is another row than one in another: a GPU that changes removes the one and adds
 * the other. Rows of edge features are of kind feature.
 */
#ifndef SIMULATOR_PLAN_PLAN_DIFF_H
#define SIMULATOR_PLAN_PLAN_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "simulator/lib/hotset.h"
#include "simulator/plan/plan.h"

enum { DIFF_GPUS_MAX = 144, DIFF_KINDS = 3 }; /* GPUs of two plans; kinds as in enum hotset_list */

struct diff_amount {
    uint64_t rows, bytes;
};

struct diff_gpu {
    struct diff_amount before, after, kept, added, removed, moved_in, moved_out;
};

struct diff {
    int gpus, parts;
    int id[DIFF_GPUS_MAX];                  /* ids of the GPUs of either plan, ascending */
    bool bytes_known[DIFF_KINDS];           /* false: the bytes of topology rows need a graph */
    struct diff_gpu (*kind)[DIFF_GPUS_MAX]; /* [DIFF_KINDS], owned */
    /* [parts] of several types: tables of rows, and last the training vertices; else the kinds; owned */
    struct diff_gpu (*gpu)[DIFF_GPUS_MAX];
    struct diff_amount (*moved)[DIFF_GPUS_MAX][DIFF_GPUS_MAX]; /* [DIFF_KINDS][from][to], owned */
};

/* Compares two plans of one plain graph, or of one whose training set or edges changed: ST_INPUT when vertices or bytes
 * per feature row differ. indptr: [vertices + 1] of the graph, with arc_bytes bytes per neighbour; or NULL. *out: to be
 * released. Takes 16 bytes per vertex for each 64 GPUs, for 16 Mi vertices at a time; ST_LIMIT when that is refused. */
enum st diff_make(const hotset_plan *before, const hotset_plan *after, const int64_t *indptr, uint64_t arc_bytes,
                  struct diff *out, struct err *err) MUST_USE;
/* Compares plan[0], before, and plan[1] of a graph that is not plain. cached: [tables] in what element type the GPUs of
 * each hold them. Memory and errors likewise. */
enum st diff_tables(const struct plan *const plan[2], const enum precision *const cached[2], const struct graph *graph,
                    struct diff *out, struct err *err) MUST_USE;
/* Adds gpu to *to. */
void diff_add(struct diff_gpu *to, const struct diff_gpu *gpu);
void diff_release(struct diff *d); /* a zeroed struct is allowed */

#endif
