/* balance.h - HyScale-GNN's dynamic resource management (section IV-A, algorithm 1), run on the time model instead of a
 * training job.
 *
 * Where the CPU samples, it may also train a share of every mini-batch. Each step compares the times of the stages. By
 * the longest and the shortest it moves work between CPU and GPUs (training; or sampling, when the GPUs' rate is
 * known), or threads between the CPU's tasks. A step that does not shorten the iteration is undone and tried at half
 * the size. The search ends when no step helps. The shares of the threads add up to 1.
 */
#ifndef SIMULATOR_MOVEMENT_BALANCE_H
#define SIMULATOR_MOVEMENT_BALANCE_H

#include "simulator/movement/epoch_time.h"

enum { BALANCE_STEPS_MAX = 64 };
/* A step that helped, and the state after it. */
struct balance_step {
    char what[48]; /* "training to the CPU" */
    struct cpu_part cpu;
    double execution; /* seconds of an iteration */
};
struct balance {
    struct balance_step step[BALANCE_STEPS_MAX]; /* [0]: the start, with threads in equal parts */
    int steps;
    struct cpu_part cpu;    /* after the last step */
    bool known;             /* false: the server lacks constants, and nothing was moved */
    struct epoch_time time; /* after the last step; names the constants that are missing */
};

/* What may be moved. NONE: the GPUs train everything, and threads are in equal parts. STATIC: the CPU's share of the
 * training, in steps of 1/64, is the one that the model says is fastest, threads are in equal parts. FULL: from
 * there on by algorithm 1, as the paper starts from what the model predicts (section IV-A).
 */
enum balance_moves { BALANCE_NONE, BALANCE_STATIC, BALANCE_FULL };
/* Runs the search; how->cpu is ignored. Equal inputs give equal steps. */
void balance_run(const struct epoch_load *load, const struct server *s, const struct epoch_setup *how,
                 enum balance_moves moves, struct balance *out);
/* {share, sampled_by_gpus, threads{sample, load, train}, execution_seconds, unbalanced_seconds, steps[]{what, share,
 * sampled_by_gpus, threads, execution_seconds}, unknown[]}, owned by the caller. */
doc *balance_document(const struct balance *b);
/* The CPU's part that such a document states; cpu_part_none when it states none. */
struct cpu_part balance_read(const doc *d);

#endif
