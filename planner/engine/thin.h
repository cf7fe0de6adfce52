/* thin.h - a study of some of its rows, for what needs no answer to the last read: which deal or order is better, and
 * the points of a curve.
 *
 * Of every `each` vertices that follow each other by id one is taken, by a hash of the seed. Budgets shrink with the
 * bytes of the rows, so that the same share is held. Who trains what, what GPUs compute, and how much each of them
 * reads in all stay those of all vertices: only which share of it memory serves is that of the sample (measured:
 * partition/BENCH.md for scouts, planner/BENCH.md for cells). Cells are simulated on the same rows
 * (replay_sample.h).
 */
#ifndef PLANNER_ENGINE_THIN_H
#define PLANNER_ENGINE_THIN_H

#include "base/cmd.h"
#include "planner/engine/study_recording.h"

enum { THIN_ROWS = 1 << 15, THIN_CELL_ROWS = 1 << 20 }; /* vertices that are left at least: for scouts, for cells */

/* How many times as much is read of all rows as of those that are left, by recorded counts. */
struct thin_times {
    double rows[GPUS_MAX], lists[GPUS_MAX]; /* of each GPU: features, draws */
    double all;                             /* features of all GPUs */
    double each;                            /* rows of the graph per row that is left */
};

/* The rows that are left. */
struct thin {
    struct study study; /* of them; owns nothing */
    struct graph graph; /* of them: lengths of rows, not what they hold */
    int64_t *indptr;    /* owned */
    uint64_t *id;       /* [graph.n] in the graph that they were chosen from; owned */
    double bytes;       /* share of the whole graph's */
    struct thin_times times;
};

/* A recording of fewer rows, for scouts. */
struct thin_scouts {
    struct thin thin;
    struct study_recording recording; /* owns nothing */
    struct trace trace;               /* likewise */
    uint32_t *counts;                 /* owned */
    float *rates;                     /* owned */
};

/* Rows of the graph that each row of its scouts stands for; 1: they take all rows, for all_deals is set, the graph is
 * small or not plain, or rows are told apart by more than a recording says. */
uint64_t thin_each(const struct study *s);
/* The same of a cell's own plan, and of its recording; 1 also where the study is not `sampled`, or keeps or proves what
 * it plans. */
uint64_t thin_cell_each(const struct study_options *o, const struct policy *policy);
/* The share of the graph's rows that such a plan is of. */
double thin_cell_share(const struct study_options *o, const struct policy *policy);
/* Says that share to who waits for the answer; nothing where it is 1. */
void thin_say(const struct call *call, double share);

/* *out: one in `each` rows of the study's graph. Takes 16 bytes each. Release it with thin_release. ST_LIMIT without
 * memory. */
enum st thin_choose(const struct study *s, uint64_t each, struct thin *out, struct err *err) MUST_USE;
/* Borrows anew what may have changed in the study and, where it is of these rows, the recording since. */
void thin_attach(const struct study *s, const struct trace *of, struct thin *t);
/* Makes the cell's budgets those of the rows that are left. */
void thin_budget(const struct thin *t, const uint64_t *of, uint64_t *budget);
/* Makes a plan's predictions those of all rows. */
void thin_enlarge(const struct thin *t, struct plan *p);
/* The rows, for the simulation; borrowed. */
struct replay_sample thin_sample(const struct thin *t);
/* Zeroed is allowed, as below. */
void thin_release(struct thin *t);

/* *out: counts and estimates, which are calibrated, of one in `each` rows of those that the recording counts.
 * Release it with thin_scouts_release. ST_LIMIT without memory. */
enum st thin_scouts_make(const struct study *s, const struct study_recording *r, uint64_t each, struct thin_scouts *out,
                         struct err *err) MUST_USE;
void thin_scouts_release(struct thin_scouts *t);

#endif
