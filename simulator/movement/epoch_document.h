/* epoch_document.h - an epoch time as a document, and for people. */
#ifndef SIMULATOR_MOVEMENT_EPOCH_DOCUMENT_H
#define SIMULATOR_MOVEMENT_EPOCH_DOCUMENT_H

#include "simulator/movement/calibration.h"
#include "simulator/movement/epoch_time.h"

#define EPOCH_NO_SERVER "server" /* in `unknown` when the server itself is not known */

/* The model on what a replay counted. */
struct epoch_timed {
    struct epoch_time time;
    struct epoch_setup how;
    bool calibrated;
    struct calibration calibration;
    double seconds;       /* of an epoch, calibrated; NaN: not known */
    double without_cache; /* the same with nothing cached; NaN: not known, -1: not asked for */
};

/* {seconds, model_seconds, unknown[]} and, when nothing is unknown, {pipelined, model, hidden, classes, cpu_share,
 * iterations, execution_seconds, stages{sample, load, transfer, propagate, sync}, bottleneck, limited_by, mteps,
 * gpus[], calibration}; of a plan that was just made also without_cache_seconds. ids: [gpus] ids of the GPUs. Owned by
 * the caller. */
doc *epoch_time_document(const struct epoch_timed *t, const int *ids, int gpus);
/* Seconds of an epoch with one more stage, which takes `more` seconds of an epoch and runs beside the others where they
 * are pipelined, and without it. Both NaN when a stage, or t, is not known. */
struct epoch_with_stage {
    double with, without;
};
struct epoch_with_stage epoch_with_stage(const struct epoch_timed *t, double more);
/* Prints the lines for people, with a table of stages; nothing for NULL. */
void epoch_time_print(const struct epoch_timed *t, FILE *to);

#endif
