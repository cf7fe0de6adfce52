/* size_run.h - the whole run: epochs that depend on the global mini-batch, start-up, loading, steps, evaluation.
 *
 * Epochs that a training needs follow from the vertices of a global mini-batch, batch x GPUs x servers: given for some
 * of them, linear in its logarithm between, and those of the nearest outside. Start-up is a constant of published runs
 * (data/runs.json) or stated. Loading is the bytes of graph and rows that a server keeps, at a stated rate; without the
 * rate the published start-up stands for both. An evaluation is a forward pass over so many vertices in mini-batches of
 * training: the stages of an iteration, of propagating a third. What is not asked for is left out, and named.
 *
 * The total's interval: errors of the parts are independent, so what they are off adds as squares.
 */
#ifndef PLANNER_DECISIONS_SIZE_RUN_H
#define PLANNER_DECISIONS_SIZE_RUN_H

#include <stdbool.h>
#include "base/status.h"

/* A value and its interval; NaN: not known. */
struct size_range {
    double mid, low, high;
};

enum { SIZE_RUN_POINTS = 16 };
struct size_run {
    int points; /* of the rule, ascending; 1: any mini-batch needs the same epochs */
    double batch[SIZE_RUN_POINTS], epochs[SIZE_RUN_POINTS];
    double half;                /* of the 90 % interval of ln epochs; 0: they are stated */
    double evaluations;         /* in an epoch; 0: none */
    double evaluated;           /* vertices, or a share of all, up to 1 */
    double evaluation_half;     /* of ln seconds of an evaluation, beside what its steps are off */
    double storage_gbps;        /* 0: loading is not asked for */
    struct size_range start_up; /* seconds; mid NaN: left out */
    bool whole, loaded;         /* more than the steps is counted; loading is in the published start-up */
};

/* epochs: "0.85", "0.85@16k,0.95@32k" (k: 1024, M: 1024 x 1024) or "mlperf"; evaluate: "20@0.1%", "20@788379";
 * start_up: "published", "30s"; NULL: not given. storage_gbps: 0: not given. ST_USAGE. */
enum st size_run_read(const char *epochs, const char *evaluate, const char *start_up, double storage_gbps,
                      struct size_run *out, struct err *err) MUST_USE;
/* Epochs that a global mini-batch of so many vertices needs. *outside, not wanted where NULL: it is not between the
 * points of the rule. */
double size_run_epochs(const struct size_run *r, double global_batch, bool *outside);

/* Parts beside the steps: the name of the part that is left out, "" where it is counted. */
enum { SIZE_RUN_PARTS = 3 };
const char *size_run_left_out(const struct size_run *r, int part);
/* Whether the run is more than the epoch that it is told beside. */
static inline bool size_run_told(const struct size_run *r) { return r->whole || r->points > 1 || r->epochs[0] != 1; }

struct size_question;
struct size_curve;
struct size_point;
struct size_option;
/* Seconds of an iteration of these stages, [ALL_STAGES]. */
double size_run_iteration(const struct size_question *q, const double *stage);
/* Middle seconds of the whole run of one server with that plan. */
double size_run_training(const struct size_question *q, const struct size_curve *c, const struct size_point *p);
/* Sets the parts of an option whose epoch seconds and stages are set: o->run, and the whole in its values of training,
 * cost and energy. epoch_energy: kWh of an epoch. */
void size_run_fill(const struct size_question *q, const struct size_curve *c, struct size_range epoch_energy,
                   struct size_option *o);

#endif
