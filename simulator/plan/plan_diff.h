/* plan_diff.h - what moves when one plan takes another's place.
 *
 * GPUs are matched by the server's ids; a GPU that only one plan has holds nothing in the other. For one vertex, the
 * GPUs that hold its row in the first plan only (ascending) are paired with those that hold it in the second only: a
 * pair is a row that moved, what is left of the first was removed, of the second added. So per GPU before = kept +
 * removed + moved_out, after = kept + added + moved_in, and a new plan loads added + moved_in.
 */
#ifndef SIMULATOR_PLAN_PLAN_DIFF_H
#define SIMULATOR_PLAN_PLAN_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "simulator/lib/hotset.h"

enum { DIFF_GPUS_MAX = 144, DIFF_KINDS = 3 }; /* two plans of 72; feature, topology, train, as enum hotset_list */

struct diff_amount {
    uint64_t rows, bytes;
};

struct diff_gpu {
    struct diff_amount before, after, kept, added, removed, moved_in, moved_out;
};

struct diff {
    int gpus;
    int id[DIFF_GPUS_MAX];        /* ascending, of either plan */
    bool bytes_known[DIFF_KINDS]; /* false: bytes of topology rows need a graph */
    struct diff_gpu gpu[DIFF_KINDS][DIFF_GPUS_MAX];
    struct diff_amount (*moved)[DIFF_GPUS_MAX][DIFF_GPUS_MAX]; /* [kind][from][to]; owned */
};

/* Both plans must be for one graph: equal vertices, edges, bytes per feature row and, where both state one,
 * fingerprints (ST_INPUT otherwise). indptr: [vertices + 1] of that graph, arc_bytes per neighbour; or NULL. Takes 16
 * bytes per vertex for each 64 GPUs, for 16 Mi vertices at a time. */
enum st diff_make(const hotset_plan *before, const hotset_plan *after, const int64_t *indptr, uint64_t arc_bytes,
                  struct diff *out, struct err *err) MUST_USE;
void diff_release(struct diff *d); /* zeroed is allowed */

#endif
