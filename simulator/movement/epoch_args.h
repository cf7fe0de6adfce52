/* epoch_args.h - epoch times of plans: the options that describe model and schedule, and the time model on what was
 * simulated or recorded. */
#ifndef SIMULATOR_MOVEMENT_EPOCH_ARGS_H
#define SIMULATOR_MOVEMENT_EPOCH_ARGS_H

#include "base/param.h"
#include "simulator/movement/calibration.h"
#include "simulator/movement/epoch_time.h"
#include "traces/recording/trace.h"

struct timing_args {
    const char *model, *schedule, *cpu_share, *calibration;
    int64_t hidden, classes;
};

#define TIMING_PARAMS(type, member)                                                                                    \
    OPTION_WORD("model", 0, type, member.model, "NAME", "sage", GNN_WORDS,                                             \
                "Model that is trained, for epoch times; a layer per hop."),                                           \
        OPTION_INTEGER("hidden", 0, type, member.hidden, "N", "256", 1, 65536,                                         \
                       "Hidden channels of the model, for epoch times and the estimate of the reservation."),          \
        OPTION_INTEGER("classes", 0, type, member.classes, "N", "64", 1, 1000000,                                      \
                       "Classes, the width of the model's last layer."),                                               \
        OPTION_WORD("schedule", 0, type, member.schedule, "HOW", "pipelined", "pipelined|sequential",                  \
                    "Whether the stages of different mini-batches overlap, so that an iteration takes the longest, "   \
                    "or follow each other."),                                                                          \
        OPTION_TEXT("cpu-share", 0, type, member.cpu_share, "SHARE", NULL,                                             \
                    "Share of every mini-batch that the CPU trains, 0 to 1 [default: what the plan states, as "        \
                    "hyscale's does; else 0]."),                                                                       \
        OPTION_TEXT("calibration", 0, type, member.calibration, "FILE", NULL,                                          \
                    "Measured epochs (calibration/1): {\"schema\": \"calibration/1\", \"points\": "                    \
                    "[{\"model_seconds\": 1.9, "                                                                       \
                    "\"measured_seconds\": 2.3}, ..]}; times become a + b x model.")

struct timing {
    struct epoch_setup setup; /* gnn.hidden 0: no times */
    bool share_given, calibrated;
    double enlarge; /* the graph stands for one so many times as large, drawn in mini-batches as much larger; 0: for
                       itself */
    struct calibration calibration;
};

/* Reads the calibration, too. */
enum st timing_make(const struct timing_args *a, struct timing *out, struct err *err) MUST_USE;

/* Sets "epoch_time" of a `simulated` object from what r counted under the plan. server: NULL when it is not known;
 * then so is the time. */
enum st timing_put(const struct timing *t, const struct server *server, const struct plan *p, const struct replay *r,
                   const struct graph *graph, doc *simulated, struct err *err) MUST_USE;

/* What the recording's epochs do when nothing is cached and the CPU samples and gathers: for policies that choose
 * before anything is simulated. */
void timing_recorded(const struct graph *g, const struct trace *t, struct epoch_load *out);

/* The load of a factored design from a recording: GPUs below `samplers` sample, the others train all mini-batches,
 * and of every mini-batch missed[g] rows (a mean) come from the host on GPU g. recorded: of timing_recorded. */
void timing_split(const struct epoch_load *recorded, int samplers, const double *missed, uint64_t line_bytes,
                  struct epoch_load *out);

#endif
