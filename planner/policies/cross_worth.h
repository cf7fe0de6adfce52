/* cross_worth.h - what copies of a row save where GPUs of one clique reach different rows, because NVLinks lead beyond
 * the clique (model/optimum.md). A copy on GPU g serves g and all GPUs that read it. A GPU's reads are its share
 * of its clique's (hotness/reader_shares.h).
 */
#ifndef PLANNER_POLICIES_CROSS_WORTH_H
#define PLANNER_POLICIES_CROSS_WORTH_H

#include "planner/policies/policy.h"
#include "planner/policies/side_counts.h"

enum { CROSS_CLIQUES_MOST = 4, CROSS_GPUS_MOST = 32 };

struct cross_worth {
    const struct policy_input *in; /* borrowed, like the next */
    const struct assignment *assignment;
    uint64_t rows[2];                /* of features [0] and topology [1] */
    uint32_t reach[CROSS_GPUS_MOST]; /* bit i: a copy on the GPU serves GPU i */
    struct side_counts counts;       /* of all GPUs; here those of the trace, row by row */
};

/* GPUs read by the peers of the plan's placement. */
struct cross_worth cross_worth_of(const struct policy_input *in, const struct plan *plan);

/* worth[i], [gpus]: transactions per epoch that GPU i saves when it reaches row v of the kind; count[i], [GPUS_MAX]:
 * its recorded reads, from which that is estimated. */
void cross_worth_row(const struct cross_worth *w, bool topology, uint64_t v, double *worth, uint64_t *count);

/* What a copy on g saves for the GPUs that have none in reach. covered: bit i: GPU i has one. */
static inline double cross_worth_gain(const struct cross_worth *w, int g, uint32_t covered, const double *worth)
{
    double gain = 0;
    for (uint32_t fresh = w->reach[g] & ~covered; fresh; fresh &= fresh - 1) gain += worth[__builtin_ctz(fresh)];
    return gain;
}

/* Marks of both kinds, a bit per GPU: [rows], zeroed. bits: owns their memory; freed by the caller. ST_LIMIT. */
enum st cross_worth_marks(const struct cross_worth *w, struct count_row row[2], char *bits[2], struct err *err)
    MUST_USE;
static inline void cross_worth_mark(struct count_row row, uint64_t v, uint32_t gpus)
{
    count_put((void *)(uintptr_t)row.data, row.bytes, v, gpus);
}

/* ---- copies by key, the greatest on top; equal keys: the lower number ---- */

struct copy {
    uint64_t key;
    uint32_t number;
};
struct copies {
    struct copy *at; /* owned */
    uint64_t count, capacity;
};
void copies_free(struct copies *c);                                             /* a zeroed one is allowed */
enum st copies_push(struct copies *c, struct copy x, struct err *err) MUST_USE; /* ST_LIMIT without memory */
struct copy copies_pop(struct copies *c);                                       /* of at least one */

#endif
