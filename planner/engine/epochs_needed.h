/* epochs_needed.h - how many epochs must be recorded for a given error.
 *
 * A plan leaves some transactions per epoch; the folds of a trace tell how much that number varies. With s the
 * standard deviation of one epoch, K epochs have the standard error s / sqrt(K), and the 95 % half-width is Student's
 * factor (folds - 1 degrees of freedom: s itself is an estimate) times that. It is the noise of a mean, not the error
 * of choosing rows by noisy counts; calibrated estimates and held-out simulation cover the latter. A trace of one epoch
 * cannot tell: its folds have different training vertices, and differ more than epochs do.
 */
#ifndef PLANNER_ENGINE_EPOCHS_NEEDED_H
#define PLANNER_ENGINE_EPOCHS_NEEDED_H

#include "kernels/kernel.h"
#include "planner/hotness/estimates.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"

struct epochs_needed {
    bool known;             /* false: fewer than two folds, or a trace of one epoch */
    double mean, deviation; /* transactions of one epoch */
    int folds;
};

/* Mean and deviation from folds. left[folds]: transactions counted in each; epochs[folds]: how many epochs it covers
 * (0: left out). Var(left / epochs) = deviation^2 / epochs. */
struct epochs_needed epochs_needed_spread(const double *left, const double *epochs, int folds);
/* Half of the 95 % interval of the mean over `epochs` >= 1 epochs, as a share of the mean; 0 when the mean is 0. */
double epochs_needed_half_width(const struct epochs_needed *e, uint64_t epochs);
/* The smallest K whose half-width is at most `error` (a share, > 0); at least 1, at most EPOCHS_NEEDED_MOST. */
enum { EPOCHS_NEEDED_MOST = 1000000000 };
uint64_t epochs_needed_count(const struct epochs_needed *e, double error);
/* Student's 97.5 % point; freedom >= 1. */
double epochs_needed_student(int freedom);

/* *out: from the transactions that a plan leaves in each fold of t; GPUs that train in a clique are taken to have equal
 * shares of its reads. ST_LIMIT without memory. */
enum st epochs_needed_of_plan(const struct graph *g, const struct trace *t, const struct plan *p, int threads,
                              struct epochs_needed *out, struct err *err) MUST_USE;
/* The same for a typical plan: it holds `share` (0..1) of all bytes per clique, in density order of the counted means.
 */
enum st epochs_needed_of_share(const struct graph *g, const struct trace *t, const struct kernels *k, double share,
                               int threads, struct epochs_needed *out, struct err *err) MUST_USE;

#endif
