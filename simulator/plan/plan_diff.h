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

enum { DIFF_GPUS_MAX = 144, DIFF_KINDS = 3 }; /* GPUs of two plans; kinds as in enum hotset_list */

struct diff_amount {
    uint64_t rows, bytes;
};

struct diff_gpu {
    struct diff_amount before, after, kept, added, removed, moved_in, moved_out;
};

struct diff {
    int gpus;
    int id[DIFF_GPUS_MAX];        /* ids of the GPUs of either plan, ascending */
    bool bytes_known[DIFF_KINDS]; /* false: the bytes of topology rows need a graph */
    struct diff_gpu gpu[DIFF_KINDS][DIFF_GPUS_MAX];
    struct diff_amount (*moved)[DIFF_GPUS_MAX][DIFF_GPUS_MAX]; /* [kind][from][to]; owned */
};

/* Compares two plans of one graph: ST_INPUT when vertices, edges, bytes per feature row or stated fingerprints differ.
 * indptr: [vertices + 1] of the graph, with arc_bytes bytes per neighbour; or NULL. *out: to be released. Takes 16
 * bytes per vertex for each 64 GPUs, for 16 Mi vertices at a time; ST_LIMIT when that is refused. */
enum st diff_make(const hotset_plan *before, const hotset_plan *after, const int64_t *indptr, uint64_t arc_bytes,
                  struct diff *out, struct err *err) MUST_USE;
void diff_release(struct diff *d); /* a zeroed struct is allowed */

/* Steps of diff_make, for plans that hold rows of other kinds. Words of a set of GPUs; rows that are held in sets at a
 * time. */
#define DIFF_WORDS(gpus) (((gpus) + 63) / 64)
enum { DIFF_TILE = 1 << 24 };
/* Adds an id to ids[gpus], ascending, unless it is there. Returns how many there are then. */
int diff_add_gpu(int *ids, int gpus, int id);
/* Pairs the holders of one row before and after (sets of `words` words), and counts it: in gpu[] all but before and
 * after, in moved[from][to] the pairs. */
void diff_count(const uint64_t *before, const uint64_t *after, int words, uint64_t bytes, struct diff_gpu *gpu,
                struct diff_amount (*moved)[DIFF_GPUS_MAX]);
/* Adds up before and after. */
void diff_sum(struct diff_gpu *g);

#endif
