/* epoch_args.h - the options of the time model, and epoch times of simulated plans. */
#ifndef SIMULATOR_MOVEMENT_EPOCH_ARGS_H
#define SIMULATOR_MOVEMENT_EPOCH_ARGS_H

#include "base/param.h"
#include "simulator/movement/epoch_document.h"
#include "simulator/plan/plan.h"

/* Members of a command's argument struct, set by the rows EPOCH_PARAMS(type, member). */
struct epoch_args {
    const char *model, *precision, *schedule, *cpu_share, *calibration, *unoverlapped, *prefetch;
    int64_t hidden, classes;
};

#define EPOCH_PARAMS(type, member)                                                                                     \
    OPTION_WORD("model", 0, type, member.model, "NAME", "sage", GNN_WORDS,                                             \
                "Model that is trained, for epoch times; it has a layer per hop."),                                    \
        OPTION_WORD("precision", 0, type, member.precision, "HOW", "f32", "f32|tf32|mixed",                            \
                    "Precision of computing, for epoch times. tf32: tensor units multiply float32, where they can "    \
                    "(PyTorch: "                                                                                       \
                    "allow_tf32). mixed: they multiply elements of 2 bytes (f16, bf16)."),                             \
        OPTION_INTEGER("hidden", 0, type, member.hidden, "N", "256", 1, 65536,                                         \
                       "Hidden channels of the model, for epoch times and the estimate of the reservation."),          \
        OPTION_INTEGER("classes", 0, type, member.classes, "N", "64", 1, 1000000,                                      \
                       "Classes, the width of the model's last layer."),                                               \
        OPTION_WORD("schedule", 0, type, member.schedule, "HOW", "pipelined", "pipelined|sequential",                  \
                    "pipelined: stages of different mini-batches overlap, and an iteration takes as long as its "      \
                    "longest stage and a share of the others (--unoverlapped). sequential: stages run one after "      \
                    "another, and their times add up."),                                                               \
        OPTION_WORD("prefetch", 0, type, member.prefetch, "HOW", "two-stage", "two-stage|one-stage",                   \
                    "two-stage: the CPU gathers rows for one mini-batch while those of another are copied. "           \
                    "one-stage: it does both one after the other (HyScale's ablation)."),                              \
        OPTION_TEXT("unoverlapped", 0, type, member.unoverlapped, "SHARE", NULL,                                       \
                    "Share of the other stages' time that a pipelined iteration takes beside its longest stage, 0 to " \
                    "1 [default: 0.15, fitted to GNNLab's measured epochs]."),                                         \
        OPTION_TEXT("cpu-share", 0, type, member.cpu_share, "SHARE", NULL,                                             \
                    "Share of every mini-batch that the CPU trains without PCIe, 0 to 1 [default: the share that the " \
                    "plan states (policy hyscale), else 0]."),                                                         \
        OPTION_PATH("calibration", 0, type, member.calibration, "FILE", NULL, PATH_READ,                               \
                    "Correct the modelled times by measured epochs, in a file like {\"schema\": \"calibration/1\", "   \
                    "\"points\": [{\"model_seconds\": 1.9, \"measured_seconds\": 2.3}, ..]}; a and b of time = a + b " \
                    "x model are fitted.")

/* The options, parsed. */
struct epoch_options {
    struct epoch_setup setup; /* gnn.hidden 0: no epoch times */
    bool share_given;         /* --cpu-share was given, which replaces the share that a plan states */
    bool calibrated;
    struct calibration calibration;
};

/* True for R-GAT in mixed precision, whose steps were measured (hotset validate, mlperf-rgat-steps). */
bool epoch_args_rgat(const struct epoch_args *a);

/* Parses the options and reads the calibration. ST_USAGE or ST_INPUT says what is wrong. */
enum st epoch_args_read(const struct epoch_args *a, struct epoch_options *out, struct err *err) MUST_USE;

/* Sets the plan's cpu_share: the option's where it was given, else the one that its policy states (`cpu`). Call it
 * before anything is made of a plan that was just predicted, or loaded. */
void epoch_args_share(const struct epoch_options *o, const struct graph *graph, struct plan *p);

/* How the model is evaluated for this plan: the options, the CPU's part that the plan states, and its graph's types. */
struct epoch_setup epoch_setup_of(const struct epoch_options *o, const struct plan *p, const struct graph *graph);

/* The model on what r counted under the plan p. server: NULL when it is not known; then the time is unknown. *out:
 * mem_free of the caller; stays NULL where no epoch times are asked for. ST_LIMIT for memory. */
enum st epoch_timed_make(const struct epoch_options *o, const struct server *server, const struct plan *p,
                         const struct replay *r, const struct graph *graph, struct epoch_timed **out, struct err *err)
    MUST_USE;

#endif
