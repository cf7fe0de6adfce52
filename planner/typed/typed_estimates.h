/* typed_estimates.h - what every row of a typed graph is expected to save per epoch, for one clique.
 *
 * As planner/hotness/estimates.h, with tables of their own per type, hop and relation: counts of a type's vertices are
 * calibrated among that type alone. The prior is vip, with chances along every relation: a vertex escapes a hop with
 * the product over all rows (r, v) that list it of 1 - q(v) min(1, fanout[r] / length). A frontier vertex visits its
 * rows of all relations with a fan-out, so their rates are one. An edge of row (r, v) is drawn with chance min(1,
 * fanout / length) per visit, whichever edge it is. Where a vertex draws from its rows of all relations together,
 * length is that of all of them.
 */
#ifndef PLANNER_TYPED_TYPED_ESTIMATES_H
#define PLANNER_TYPED_TYPED_ESTIMATES_H

#include "planner/hotness/estimates.h"
#include "traces/graph/rows.h"
#include "traces/recording/trace_rows.h"

struct typed_estimates {
    float *saved; /* [items] transactions per epoch that are saved when the whole clique reaches the row; owned */
    float *reads; /* [items] expected reads per epoch; owned */
};

/* source: calibrated (plain means where the trace has no folds), presample or vip. Takes 8 bytes per item for the
 * result, and about 16 n + 4 n hops more while it works. Release *out with typed_estimates_release. ST_LIMIT without
 * memory. */
enum st typed_estimates_make(const struct graph *rows, const struct trace *t, int clique, enum rate_source source,
                             int threads, struct typed_estimates *out, struct err *err) MUST_USE;
void typed_estimates_release(struct typed_estimates *e); /* zeroed is allowed */

/* The prior alone: feature: [n] expected mini-batches per epoch with v; visits[h]: [n] expected visits in hop h. All
 * set; owned by the caller (mem_free). ST_LIMIT without memory. */
struct typed_vip {
    float *feature, *visits[HOPS_MAX];
};
enum st typed_vip_make(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                       int threads, struct typed_vip *out, struct err *err) MUST_USE;
void typed_vip_release(struct typed_vip *v); /* zeroed is allowed */

#endif
