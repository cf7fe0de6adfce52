/* what_if_size.h - the options of a size/1 document as subjects of what_if.h: each stage of an option's iteration is
 * moved, as the document states it (stage_seconds), and the answer is chosen anew. */
#ifndef PLANNER_DECISIONS_WHAT_IF_SIZE_H
#define PLANNER_DECISIONS_WHAT_IF_SIZE_H

#include "planner/decisions/what_if.h"

enum { WHAT_IF_STAGES = 6 };
struct what_if_option {
    double stage[WHAT_IF_STAGES]; /* seconds of an iteration: sample, load, transfer, propagate, network, storage */
    double gradients;             /* on top of propagate, over the network */
    double seconds, weight;       /* of an epoch; what is least, per second of an epoch */
    double cost, energy, high;    /* per second of an epoch; long end of the interval per second */
    double fill;                  /* seconds of filling SSDs once */
    double fill_cost, fill_energy, fill_weight; /* what is spent meanwhile */
    bool sure;                                  /* targets that inputs do not move are surely met */
};

struct what_if_sizes {
    doc *document; /* owned */
    int count, answer;
    struct what_if_option option[WHAT_IF_SUBJECTS];
    double unoverlapped, epochs;
    double handicap; /* by what the answer is above the least, which size takes for the same */
    double most_seconds, most_training, most_cost, most_energy; /* targets, of an epoch, of the training; NaN: none */
    const struct what_if *what;
};

/* Reads the document. ST_INPUT for one without epoch times or of an older version. End with what_if_sizes_end. */
enum st what_if_sizes_begin(const char *path, const struct size_errors *errors, struct what_if_sizes *of,
                            struct what_if *out, struct err *err) MUST_USE;
void what_if_sizes_end(struct what_if_sizes *of);

#endif
