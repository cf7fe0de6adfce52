/* gnnlab_epochs.h - epochs of the three systems that GNNLab's tables 4 and 5 compare: DGL, T_SOTA and GNNLab.
 *
 * In DGL and T_SOTA every GPU samples, with the whole topology in its memory, and then trains; the CPU gathers the rows
 * that are missing. DGL caches none, T_SOTA the same rows on every GPU. Their stages follow each other (the published
 * totals of table 1 are sums of stages). GNNLab has GPUs that only sample (policy gnnlab), and stages overlap.
 */
#ifndef PLANNER_CLAIMS_GNNLAB_EPOCHS_H
#define PLANNER_CLAIMS_GNNLAB_EPOCHS_H

#include "planner/claims/repro_context.h"

enum gnnlab_system { GNNLAB_DGL, GNNLAB_T_SOTA, GNNLAB_OWN, GNNLAB_SYSTEMS };
extern const char *const gnnlab_system_name[GNNLAB_SYSTEMS]; /* "DGL", "T_SOTA", "GNNLab" */

/* What both tables train on graphs that have stand-ins. */
enum { GNNLAB_CELLS = 4 };
struct gnnlab_cell {
    const char *set, *model, *name; /* data set; "gcn" (15,10,5) or "sage" (25,10); "GCN, PR" */
    double cached[GNNLAB_SYSTEMS];  /* share of the vertices per GPU, 0..1, as table 5 publishes it */
};
extern const struct gnnlab_cell gnnlab_cells[GNNLAB_CELLS];

/* Where. */
struct gnnlab_setup {
    const char *server[GNNLAB_SYSTEMS];
    const char *hotness; /* that T_SOTA ranks by */
    int samplers;        /* of GNNLab */
};
struct gnnlab_epoch {
    double sample, extract, train; /* seconds of an epoch at the published size; NaN: not known */
    double seconds;                /* of the epoch: their sum, or overlapped (GNNLab) */
};

/* out: [GNNLAB_SYSTEMS]. Errors of repro_cells. */
enum st gnnlab_epochs(struct repro *repro, const struct gnnlab_cell *of, const struct gnnlab_setup *on,
                      struct gnnlab_epoch *out, struct err *err) MUST_USE;

#endif
