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
 * iterations, execution_seconds, stages{sample, load, transfer, propagate, network and storage where they were put
 * beside, sync}, bottleneck, limited_by, mteps, gpus[], limits{sample, ..},
 * calibration}; of a plan that was just made also
 * without_cache_seconds. ids: [gpus] ids of the GPUs. Owned by the caller. */
doc *epoch_time_document(const struct epoch_timed *t, const int *ids, int gpus);
/* Puts a stage beside the model's, `seconds` of an epoch (epoch_time_beside): all that states or compares the time of
 * an epoch then has it. What nothing cached would take of that stage is not known, so without_cache becomes NaN. */
void epoch_timed_beside(struct epoch_timed *t, enum stage_name stage, double seconds, const char *limit);
/* Seconds of an epoch without that stage. */
double epoch_timed_without(const struct epoch_timed *t, enum stage_name stage);
/* Seconds of an epoch whose rows and lists all lie in the GPU that reads them: nothing is loaded, transferred, or read
 * from other nodes and drives. NaN: not known. */
double epoch_timed_without_reads(const struct epoch_timed *t);
/* Prints the lines for people, with a table of stages; nothing for NULL. */
void epoch_time_print(const struct epoch_timed *t, FILE *to);

#endif
