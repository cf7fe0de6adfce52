/* thin.h - a study of some of its rows, for what needs no exact answer: which deal or order is better.
 *
 * Of every `each` vertices that follow each other by id one is taken, by a hash of the seed. Budgets shrink with the
 * bytes of the rows, so that the same share is held. Who trains what, what GPUs compute, and how much each of them
 * reads in all stay those of all vertices: only which share of it memory serves is that of the sample (measured:
 * partition/BENCH.md).
 */
#ifndef PLANNER_ENGINE_THIN_H
#define PLANNER_ENGINE_THIN_H

#include "planner/engine/study_recording.h"

enum { THIN_ROWS = 1 << 15 }; /* vertices that are left at least */

/* How many times as much is read of all rows as of those that are left, by recorded counts. */
struct thin_times {
    double rows[GPUS_MAX], lists[GPUS_MAX]; /* of each GPU: features, draws */
    double all;                             /* features of all GPUs */
};

struct thin {
    struct study study;               /* of the rows that are left; owns nothing */
    struct study_recording recording; /* likewise */
    struct graph graph;
    struct trace trace;
    int64_t *indptr;  /* owned */
    uint32_t *counts; /* owned */
    float *rates;     /* owned */
    uint64_t *id;     /* [graph.n] in the whole graph; owned */
    double bytes;     /* share of the whole graph's */
    struct thin_times times;
};

/* Rows of the graph that each row of its scouts stands for; 1: they take all rows, for all_deals is set, the graph is
 * small or not plain, or rows are told apart by more than a recording says. */
uint64_t thin_each(const struct study *s);
/* *out: the thinned study and recording, whose estimates are calibrated; borrows from both. Takes 4 (gpus (2 + hops) +
 * 4 cliques + 4) bytes for each row that is left. Release it with thin_release. ST_LIMIT without memory. */
enum st thin_make(const struct study *s, const struct study_recording *r, struct thin *out, struct err *err) MUST_USE;
void thin_release(struct thin *t);

#endif
