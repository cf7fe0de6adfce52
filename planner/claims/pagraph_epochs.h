/* pagraph_epochs.h - epochs of the three systems that PaGraph's section 5 times: PaGraph, DGL and DGL+Cache.
 *
 * All three sample and gather rows on the CPU, and copy them; PaGraph reads its own partition. DGL+Cache has PaGraph's
 * ranking and room, on the whole graph; DGL caches nothing. Sampling runs beside the rest, and loading precedes
 * training, as section 2.3 says, so an epoch takes iterations * max(sample, load + transfer + propagate).
 */
#ifndef PLANNER_CLAIMS_PAGRAPH_EPOCHS_H
#define PLANNER_CLAIMS_PAGRAPH_EPOCHS_H

#include "planner/claims/repro_context.h"

enum pagraph_system { SYSTEM_PAGRAPH, SYSTEM_DGL_CACHE, SYSTEM_DGL, PAGRAPH_SYSTEMS };
extern const char *const pagraph_system_name[PAGRAPH_SYSTEMS]; /* "PaGraph", "DGL+Cache", "DGL" */

struct pagraph_epoch {
    double stage[EPOCH_STAGES]; /* seconds of an iteration at the published size; NaN: not known */
    double seconds;             /* of an epoch, at the published size */
};

/* What PaGraph's section 5.1 trains: set, server and model by name; cached: the budget per GPU of those that cache,
 * "54%V". out: [PAGRAPH_SYSTEMS]. Errors of repro_cells. */
enum st pagraph_epochs(struct repro *repro, const char *set, const char *server, const char *model, const char *cached,
                       struct pagraph_epoch *out, struct err *err) MUST_USE;
/* Seconds of an epoch with those stages. */
double pagraph_epoch_seconds(const double *stage, double iterations);

#endif
