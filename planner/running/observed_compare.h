/* compare.h - observed counters beside the plan's simulation, and which differences are sampling noise.
 *
 * K epochs are simulated, each from a seed of its own, so that they are independent as a job's epochs are. For a GPU
 * and a place, x_k is the number of rows per mini-batch in simulated epoch k, with mean m and standard deviation s over
 * the K epochs. A job's mean o over B mini-batches, with b of them in a simulated epoch, then differs from m by chance
 * with the variance s^2 (b / B + 1 / K): counts of mini-batches are taken to be independent. A difference is noise when
 *
 *     |o - m| <= t s sqrt(b / B + 1 / K)
 *
 * with Student's t of K - 1 degrees of freedom at the level 5 % / N for N comparisons (Bonferroni), so that a job that
 * follows its plan is told of a difference in one run of 20, however many GPUs it has.
 */
#ifndef PLANNER_RUNNING_OBSERVED_COMPARE_H
#define PLANNER_RUNNING_OBSERVED_COMPARE_H

#include "planner/running/observed.h"

enum { COMPARE_EPOCHS = 8 };

struct observed_difference {
    bool known;       /* the job stated it */
    double observed;  /* rows per mini-batch; of the hit rate: 0..1 */
    double simulated; /* mean of the simulated epochs */
    double noise;     /* the difference up to which it is noise */
    bool differs;
};
struct compared {
    uint64_t epochs; /* simulated */
    int comparisons;
    double t;
    struct observed_difference (*place)[PLACES]; /* [parts][gpus]; owned */
    struct observed_difference hit;              /* feature rows that caches served, of all GPUs that were observed */
    bool all_gpus;                               /* every GPU that trains was observed */
};

void compared_release(struct compared *c); /* a zeroed struct is allowed */

/* Simulates `epochs` epochs, 2 or more, from the request's seed on, and compares. *out: to be released. Errors of the
 * replay. */
enum st observed_compare(const struct observed *o, const struct plan *p, const struct replay_request *r,
                         uint64_t epochs, struct compared *out, struct err *err) MUST_USE;

#endif
