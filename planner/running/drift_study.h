/* drift_study.h - a study of drift at work: what drift.c, drift_judge.c and drift_document.c share.
 *
 * Every window cuts its training set into a part per node, with numbers that are chance. So each scheme says which node
 * trains which part, where most of what the part reads lies under its plans, and which GPU of the node which share.
 */
#ifndef PLANNER_RUNNING_DRIFT_STUDY_H
#define PLANNER_RUNNING_DRIFT_STUDY_H

#include "planner/running/drift.h"
#include "planner/running/refresh_next.h"
#include "simulator/caches/dynamic.h"

enum drift_scheme {
    DRIFT_FIXED,
    DRIFT_REFRESH,
    DRIFT_AUTO,
    DRIFT_REPLAN,
    DRIFT_ORACLE,
    DRIFT_STATICS,
    DRIFT_LRU = DRIFT_STATICS,
    DRIFT_SIEVE,
    DRIFT_SCHEMES
};
extern const char *const drift_scheme_names[DRIFT_SCHEMES];

struct drift_moved {
    uint64_t bytes;             /* that GPUs load */
    double seconds;             /* of the node that takes longest */
    struct refresh_amount dram; /* what comes into the DRAM of all nodes */
};
struct drift_outcome {                                 /* of all nodes */
    uint64_t rows, missed_rows, visits, missed_visits; /* sums over the epochs */
    uint64_t transactions;                             /* per epoch */
    double stage;                                      /* seconds per epoch of the transfer stage, of the slowest */
    struct drift_moved moved;                          /* before the window */
    struct memories_read *memories;                    /* below the GPUs; owned; NULL: none */
};

struct drift_node {
    struct plan plan[DRIFT_STATICS]; /* of the node, that serve the next window; oracle's: of this one */
    /* Of the part of the window that has the node's number: */
    int by[DRIFT_STATICS];           /* the node that trains it */
    int to[DRIFT_STATICS][GPUS_MAX]; /* the GPU there that trains what the recording has each train */
};

struct drift {
    const struct drift_options *o;
    const char *deal;           /* of all windows; auto until the first is planned */
    struct train_view view;     /* the graph of the window */
    struct drift_window window; /* what it trains */
    struct study_nodes study;   /* of the window */
    struct study_cell cell[2];  /* the window's own plan, and the oracle's */
    int nodes;
    struct drift_node *node; /* owned */
    struct drift_moved moved[DRIFT_STATICS];
    struct stream served[GPUS_MAX];                /* by the dynamic caches in the window before */
    struct drift_outcome (*result)[DRIFT_SCHEMES]; /* [windows] owned */
};

static inline struct study_cell *drift_cell(struct drift *d, int cell, int part)
{
    return part ? &d->cell[cell].other[part - 1] : &d->cell[cell];
}

/* Schemes of the study: dynamic caches hold rows of one table, and have no lists to plan memories for. */
int drift_schemes(const struct drift *d);
/* Every scheme on the held-out epochs of the window. The oracle's plans are those of cell 1. */
enum st drift_judge(struct drift *d, int number, struct err *err) MUST_USE;
/* The document drift/1; the caller frees it. */
doc *drift_document(const struct drift *d);

#endif
