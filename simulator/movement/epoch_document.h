/* epoch_document.h - an epoch time as a document, and for people. */
#ifndef SIMULATOR_MOVEMENT_EPOCH_DOCUMENT_H
#define SIMULATOR_MOVEMENT_EPOCH_DOCUMENT_H

#include "simulator/movement/calibration.h"
#include "simulator/movement/epoch_time.h"

#define EPOCH_NO_SERVER "server" /* in `unknown` when the server itself is not known */

/* {seconds, model_seconds, unknown[]} and, when nothing is unknown, {pipelined, model, hidden, classes, cpu_share,
 * iterations, execution_seconds, stages{sample, load, transfer, propagate, sync}, bottleneck, limited_by, mteps,
 * gpus[], calibration}; of a plan that was just made also without_cache_seconds. seconds are those of the calibration
 * c; NULL: of the model. ids: [gpus] ids of the GPUs. Owned by the caller. */
doc *epoch_time_document(const struct epoch_time *t, const struct epoch_setup *how, const int *ids, int gpus,
                         const struct calibration *c);
/* Seconds of an epoch with one more stage, which takes `more` seconds of an epoch and runs beside the others where they
 * are pipelined, and without it. of: such a document. Both NaN when a stage is not known. */
struct epoch_with_stage {
    double with, without;
};
struct epoch_with_stage epoch_document_with(const doc *of, double more);
/* Prints the lines for people, with a table of stages. of: such a document; nothing is printed for null. */
void epoch_time_print(const doc *of, FILE *to);

#endif
