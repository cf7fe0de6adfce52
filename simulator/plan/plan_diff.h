/* plan_diff.h - the rows that move when one plan replaces another.
 *
 * GPUs are matched by the server's ids; a GPU that only one plan has holds nothing in the other. For each vertex, the
 * GPUs that hold its row in the first plan only are paired, in ascending order, with those that hold it in the second
 * only. A pair is a row that moved. GPUs without a pair removed the row (first plan) or added it (second plan). So per
 * GPU before = kept + removed + moved_out and after = kept + added + moved_in, and the second plan loads added +
 * moved_in.
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
    int id[DIFF_GPUS_MAX];        /* ids of the GPUs of either plan, ascending */
    bool bytes_known[DIFF_KINDS]; /* false: the bytes of topology rows need a graph */
    /* [parts] kinds or, of several types, tables of rows and last the training vertices; owned */
    struct diff_gpu (*gpu)[DIFF_GPUS_MAX];
    /* [from][to] of every kind; of several types of all tables together, and of the training vertices; owned */
    struct diff_amount (*moved)[DIFF_GPUS_MAX][DIFF_GPUS_MAX];
};

/* Compares two plans of one plain graph, or of one whose training set or edges changed: ST_INPUT when vertices or bytes
 * per feature row differ. indptr: [vertices + 1] of the graph, with arc_bytes bytes per neighbour; or NULL. *out: to be
 * released. Takes 16 bytes per vertex for each 64 GPUs, for 16 Mi vertices at a time; ST_LIMIT when that is refused. */
enum st diff_make(const hotset_plan *before, const hotset_plan *after, const int64_t *indptr, uint64_t arc_bytes,
                  struct diff *out, struct err *err) MUST_USE;
/* Compares two plans of a graph that is not plain. Memory and errors likewise. */
enum st diff_tables(const struct plan *before, const struct plan *after, const struct graph *graph, struct diff *out,
                    struct err *err) MUST_USE;
void diff_release(struct diff *d); /* a zeroed struct is allowed */

#endif
