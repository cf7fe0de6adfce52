/* tally.h - the counting of a replay: what one GPU read from each source under each placement.
 *
 * A session is opened for one reader (a GPU) with tables that say, for every placement, which source serves each row.
 * The counts of a group of mini-batches are then added to sums by source; any number of groups may follow. This is the
 * part of a replay that is as large as the graph. All sums are integers, so they are equal on every backend and number
 * of threads. A vertex with a feature count of 0 is skipped: every visited vertex is in its mini-batch. A session
 * belongs to one thread at a time; the arrays of the problem are borrowed until close(). Errors as in kernel.h.
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
    const uint32_t *fanout;         /* [hops] */
    uint8_t whole_rows;             /* bytes per entry of a row longer than the fan-out, where a visit reads it whole: 4
                                       for ids (labor), 8 with weights (biased), 12 with times (temporal), which are
                                       read of short rows, too; 0: a visit reads what it draws */
    uint64_t row_bytes, line_bytes; /* of a feature row; per transaction */
    int placements, sources;        /* sources: 2..TALLY_SOURCES_MAX; source 0 is the host */
    bool on_device;                 /* all counts will be device arrays, so no memory is needed for copies of them */
    /* [2 * placements][n]: for placement i, tables 2 i and 2 i + 1 say which source serves the topology row and the
     * feature row of each vertex. */
    const uint8_t *const *where;
};

/* Counts of a group of mini-batches: host arrays, or device arrays for a session on that device. */
struct tally_counts {
    const uint32_t *feature;                /* [n] mini-batches that hold v */
    const uint32_t *lines;                  /* [n] transactions of the visits of v if the host served them */
    const uint32_t *visits[TALLY_HOPS_MAX]; /* [n] visits of v, per hop */
    const uint32_t *draws; /* [n] draws from v; NULL: the sum over hops of visits * min(degree, fanout) */
    bool on_device;        /* the arrays are device arrays */
};

/* Sums of one placement: rows by the source of the feature row, the other arrays by the source of the topology row. */
struct tally_sums {
    uint64_t rows[TALLY_SOURCES_MAX];    /* feature rows read */
    uint64_t visits[TALLY_SOURCES_MAX];  /* visits of topology rows */
    uint64_t draws[TALLY_SOURCES_MAX];   /* neighbours drawn */
    uint64_t degrees[TALLY_SOURCES_MAX]; /* row lengths, once per visit */
    uint64_t entries[TALLY_SOURCES_MAX]; /* bytes of row entries read: 4 per draw; of whole rows 4 or, with weights, 8
                                            each */
    uint64_t topology, feature;          /* transactions of topology rows and of feature rows that the host serves */
    uint64_t lines;                      /* transactions of all visits if the host served every one */
};

/* Sums that are the same for every placement. draws: visits * min(degree, fanout); all_draws: as counted. */
struct tally_hops {
    uint64_t visits[TALLY_HOPS_MAX], draws[TALLY_HOPS_MAX], all_draws;
};

struct tally {
    /* *session: to be closed. */
    enum st (*open)(int threads, const struct tally_problem *p, void **session, struct err *err);
    /* Adds a group of mini-batches to sums[placements] and *hops. */
    enum st (*add)(void *session, const struct tally_counts *c, struct tally_sums *sums, struct tally_hops *hops,
                   struct err *err);
    void (*close)(void *session); /* NULL is allowed */
};

#ifdef __cplusplus
}
#endif

#endif
