/* timeline_model.h - the time model (simulator/movement/epoch_time.h) evaluated for each mini-batch of an epoch, as a
 * timeline.
 *
 * What every GPU reads in a mini-batch is replayed, and the model of an epoch is evaluated on it as an epoch of one
 * iteration. An iteration takes what its slowest GPU and fullest link take, so iterations of different mini-batches
 * take longer together than as many of the mean one: both are stated.
 *
 * Pipelined, a slot of time holds a stage of one mini-batch and the next stage of the one before, and lasts as the
 * model says: its longest stage, and `unoverlapped` of the others. Stages that no mini-batch needs have no slot. The
 * SSDs' time of the epoch (simulated.memories.ssd) is shared among mini-batches by what each reads from the host.
 *
 * Every GPU is a process with the lanes below; what GPUs share is process TIMELINE_SERVER.
 */
#ifndef SIMULATOR_TIMELINE_TIMELINE_MODEL_H
#define SIMULATOR_TIMELINE_TIMELINE_MODEL_H

#include "simulator/movement/epoch_args.h"
#include "simulator/timeline/timeline.h"

enum timeline_gpu_lane {
    LANE_SAMPLE,
    LANE_LOOKUP, /* measured only */
    LANE_HOST,
    LANE_PEERS,
    LANE_OWN,
    LANE_COMPUTE,
    LANE_WAIT,
    GPU_LANES
};
enum { TIMELINE_SERVER = 1, TIMELINE_GPUS = 2 /* numbers of processes */ };
/* Names the process of a GPU and the lanes of it that `used` has. */
void timeline_gpu(struct timeline *t, int process, const char *name, const bool used[GPU_LANES], bool cpu_gathers);

/* The mini-batches of the first epoch of the request. */
struct timeline_model {
    const struct plan *plan; /* borrowed */
    struct epoch_setup how;
    bool cpu_gathers, sampler_gpus;
    uint64_t count;
    struct replay *replay;   /* [count], owned: what each reads */
    struct epoch_time *time; /* [count], owned: its iteration */
    double *ssd;             /* [count], owned: seconds of the drives */
    double mean;             /* seconds of an iteration of the epoch's mean mini-batch */
    uint64_t epoch_batches;  /* of the longest reader */
};

/* most: mini-batches per GPU, 1 or more. simulated: the plan's member of that name. *out: to be released, also after an
 * error. ST_NO when the server lacks a constant of the model: the sentence names it. Takes a replay (replay_batches)
 * and struct epoch_time per mini-batch. */
enum st timeline_model_make(const struct replay_request *r, const struct plan *p, const struct server *s,
                            const struct epoch_options *o, const doc *simulated, uint64_t most,
                            struct timeline_model *out, struct err *err) MUST_USE;
void timeline_model_release(struct timeline_model *m); /* a zeroed struct is allowed */
/* What GPU g read in mini-batch b, for one of its lanes: {batch, ..}; owned by the caller. */
doc *timeline_reads(const struct timeline_model *m, uint64_t b, int g, enum timeline_gpu_lane lane);

/* Writes the timeline. *about: what the file states of itself, timeline/1 {batches, epoch_batches, pipelined, seconds,
 * mean_seconds}: seconds: until the last mini-batch is trained; mean_seconds: of as many mean iterations. Owned by the
 * caller. */
enum st timeline_simulated(const struct timeline_model *m, const char *path, doc **about, struct err *err) MUST_USE;

#endif
