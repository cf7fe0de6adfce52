/* balance.h - HyScale-GNN's dynamic resource management (section IV-A, algorithm 1), run on the time model in place
 * of a training job.
 *
 * Where the CPU samples, it may also train a share of every mini-batch. Each step looks at the stages' times, and,
 * guided by the longest and the shortest, moves work between CPU and GPUs (training, or sampling where the GPUs' rate
 * is known) or threads between the CPU's tasks. A step that does not make the iteration shorter is taken back and
 * tried half as large; it ends when no step helps. The threads' shares add up to 1.
 */
#ifndef SIMULATOR_MOVEMENT_BALANCE_H
#define SIMULATOR_MOVEMENT_BALANCE_H

#include "simulator/movement/epoch_time.h"

enum { BALANCE_STEPS_MAX = 64 };
struct balance_step {
    char what[48];
    struct cpu_part cpu;
    double execution;
};
struct balance {
    struct balance_step
        step[BALANCE_STEPS_MAX]; /* [0]: the start, threads in equal parts; then every step that helped */
    int steps;
    struct cpu_part cpu;    /* the last */
    bool known;             /* false: the server's constants are not; nothing was moved */
    struct epoch_time time; /* at the end; names what is not known */
};

/* how->cpu is left aside. Equal inputs give equal steps. */
void balance_run(const struct epoch_load *load, const struct server *s, const struct epoch_setup *how,
                 struct balance *out);
/* {share, sampled_by_gpus, threads{sample, load, train}, execution_seconds, unbalanced_seconds, steps[]{what, share,
 * execution_seconds}, unknown[]} */
doc *balance_document(const struct balance *b);
/* The CPU's part that such a document states; none when it states none. */
struct cpu_part balance_read(const doc *d);

#endif
