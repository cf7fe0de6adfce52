/* inference_args.h - --job inference: its options, and what they ask for, read for `plan`, `compare`, `size` and
 * `advise` alike. The one place that refuses options which have no meaning with the job.
 */
#ifndef PLANNER_INFERENCE_INFERENCE_ARGS_H
#define PLANNER_INFERENCE_INFERENCE_ARGS_H

#include "planner/places/memory_args.h"
#include "planner/inference/inference_plan.h"
#include "planner/options/options.h"

struct inference_args {
    const char *job, *mode, *chunk, *order, *evaluate, *between;
    int64_t layers;
};

#define INFERENCE_PARAMS(type, member)                                                                                 \
    OPTION_GROUP("inference"),                                                                                         \
        OPTION_WORD("job", 0, type, member.job, "WHAT", "training", "training|inference",                              \
                    "inference: what reading, writing and keeping rows takes when a trained model is applied to all "  \
                    "vertices, layer by layer (PyG's 'inference', GraphBolt's layer-wise evaluation)."),               \
        OPTION_WORD("mode", 0, type, member.mode, "HOW", "layers", "layers|sampled",                                   \
                    "How --job inference goes on. layers: each layer of all vertices before the next, over all "       \
                    "neighbours. "                                                                                     \
                    "sampled: mini-batches of the evaluated vertices, drawn as in training."),                         \
        OPTION_INTEGER("layers", 0, type, member.layers, "L", "2", 1, INFERENCE_LAYERS_MAX, "Layers of the model."),   \
        OPTION_TEXT("evaluate", 0, type, member.evaluate, "SET", NULL,                                                 \
                    "Vertices whose results are wanted: all, train, valid, test, a type's name, or a file (.npy of "   \
                    "ids, counted through all types) [default: all; with --mode sampled test, else all]. Of "          \
                    "training, "                                                                                       \
                    "in size: how often in an epoch, and on how many vertices or which share of all: 20@788379, "      \
                    "20@0.1% [default: never]."),                                                                      \
        OPTION_TEXT("chunk", 0, type, member.chunk, "N|SIZE", "auto",                                                  \
                    "Vertices of a chunk, which a GPU computes at once: a number (65536), arcs (1000000edges), or "    \
                    "bytes that its rows stay below (4GiB); auto: the fastest that fits."),                            \
        OPTION_TEXT("chunk-order", 0, type, member.order, "HOW", "auto",                                               \
                    "Order of the vertices that is cut into chunks. id; part: by the part of the graph (one per "      \
                    "GPU); locality: along communities; bfs: breadth-first; auto: the fastest."),                      \
        OPTION_WORD("between", 0, type, member.between, "TYPE", "f32", "f32|f16|bf16",                                 \
                    "Elements of the rows that layers hand on, and of the results.")

/* Whether the options ask for it. */
static inline bool inference_asked(const struct inference_args *a) { return !strcmp(a->job, "inference"); }
/* Without --job inference: ST_USAGE for each of its options, but for `but`, which the command takes for training, too;
 * NULL: none. */
enum st inference_refuse(const struct call *call, const struct inference_args *a, const char *but, struct err *err)
    MUST_USE;

/* What a command gives beside. budget: NULL: GPU memory less what a chunk takes. */
struct inference_given {
    const struct inference_args *args;
    const struct workload_args *workload;
    const struct epoch_args *timing;
    const struct memory_args *memory;
    const char *graph, *server, *partition;
    const struct budget *budget;
    const char *const *also; /* further options that the command takes with the job; NULL-ended */
};

/* The question that the options ask. Refuses options that mean nothing here (ST_USAGE names the first). *graph: opened
 * unless given.graph is NULL, then it is there. All outputs zeroed by the caller; released by inference_question_end,
 * also after an error. */
enum st inference_question_make(struct call *call, const struct inference_given *given, struct inference_question *q,
                                struct err *err) MUST_USE;
/* Sets q's chunk sizes to powers of four vertices up to a GPU's share, and all of it. */
void inference_all_chunks(struct inference_question *q);
void inference_question_end(struct inference_question *q);

#endif
