/* tally.h - the replay of plans: what a reader counted, held against where placements have the rows, summed by
 * source.
 *
 * The part of a replay that is as large as the graph. A session is opened for one reader with the tables that say
 * where it finds every row in every placement; counts of any number of groups of mini-batches are then added to sums.
 * All sums are integers, so they are the same on every backend and number of threads. A vertex counts only where
 * `feature` is not 0: whatever is visited is in the mini-batch. A session belongs to one thread at a time; arrays of
 * the problem must live as long as it does.
 */
#ifndef KERNELS_TALLY_H
#define KERNELS_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TALLY_HOPS_MAX = 16, TALLY_SOURCES_MAX = 129 };

struct tally_problem {
    uint64_t n;
    const int64_t *indptr; /* [n + 1] */
    int hops;
    const uint32_t *fanout; /* [hops] */
    bool whole_rows; /* a visit reads the row, and its weights where it is longer than the fan-out (biased sampling) */
    uint64_t row_bytes, line_bytes; /* of a feature row; per transaction */
    int placements, sources;        /* sources: 2..TALLY_SOURCES_MAX */
    bool on_device;                 /* all counts will be the device's own, so none need room */
    const uint8_t *const
        *where; /* [2 * placements][n] source of the topology row, of the feature row; below `sources`; 0 is the host */
};

/* Counts of some mini-batches: host arrays, or the device's own where a session is on one (a sampler's, say). */
struct tally_counts {
    const uint32_t *feature, *lines,
        *visits[TALLY_HOPS_MAX]; /* [n] mini-batches with v; transactions of its visits; visits per hop */
    const uint32_t *draws;       /* [n]; NULL: sum over hops of visits * min(degree, fanout) */
    bool on_device;
};

/* Sums of one placement. */
struct tally_sums {
    uint64_t rows[TALLY_SOURCES_MAX];                             /* feature rows by the source of features */
    uint64_t visits[TALLY_SOURCES_MAX], draws[TALLY_SOURCES_MAX]; /* by the source of topology, as the next two */
    uint64_t degrees[TALLY_SOURCES_MAX];                          /* row lengths, once per visit */
    uint64_t entries[TALLY_SOURCES_MAX]; /* bytes of entries: 4 per draw; of whole rows 4, with weights 8, per entry and
                                            visit */
    uint64_t topology, feature,
        lines; /* transactions: of host's topology rows, of host's feature rows, of all topology rows */
};

/* Sums that no placement changes. */
struct tally_hops {
    uint64_t visits[TALLY_HOPS_MAX], draws[TALLY_HOPS_MAX], all_draws;
}; /* draws: visits * min(degree, fanout); all_draws: as counted */

struct tally {
    enum st (*open)(int threads, const struct tally_problem *p, void **session, struct err *err);
    /* Adds to sums[placements] and *hops. */
    enum st (*add)(void *session, const struct tally_counts *c, struct tally_sums *sums, struct tally_hops *hops,
                   struct err *err);
    void (*close)(void *session); /* NULL is allowed */
};

#ifdef __cplusplus
}
#endif

#endif
