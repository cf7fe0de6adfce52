/* what_if_size.h - the options of a size/1 document as subjects of what_if.h: each stage of an option's iteration is
 * moved, as the document states it (stage_seconds), and the answer is chosen anew. */
#ifndef PLANNER_DECISIONS_WHAT_IF_SIZE_H
#define PLANNER_DECISIONS_WHAT_IF_SIZE_H

#include "planner/decisions/what_if.h"

enum { WHAT_IF_STAGES = 6 };
/* What states a constant: all options whose GPU, or server, is the same have it from there. */
enum what_if_by { BY_GPU, BY_SERVER, BY_NOTHING };

struct what_if_option {
    char label[96], key[BY_NOTHING][80];
    double stage[WHAT_IF_STAGES]; /* seconds of an iteration: sample, load, transfer, propagate, network, storage */
    double gradients;             /* on top of propagate, over the network */
    double seconds, weight;       /* of an epoch; what is least, per second of an epoch */
    double cost, energy, high;    /* per second of an epoch; long end of the interval per second */
    double epochs, fill;          /* of its training; seconds of what is beside the steps: filling SSDs, loading, .. */
    double fill_cost, fill_energy, fill_weight; /* what is spent meanwhile */
    double efficiency;                          /* of its GPU in training; 0: not stated */
    bool sure;                                  /* targets that inputs do not move are surely met */
    bool products_assumed;
};

/* What an input moves: of the options with that key ("": of all). */
struct what_if_moved_input {
    enum what_if_by by;
    int moves, kind;
    char key[80], name[100], what[200];
};

struct what_if_sizes {
    doc *loaded;         /* owned, of what_if_sizes_begin */
    const doc *document; /* which is read */
    int count, answer;
    struct what_if_option option[WHAT_IF_SUBJECTS];
    struct what_if_moved_input moved[WHAT_IF_INPUTS];
    struct size_errors errors; /* of its times */
    double unoverlapped;
    double grow;     /* the future that the answer is of; options of others are no choice */
    double handicap; /* by what the answer is above the least, which size takes for the same */
    double most_seconds, most_training, most_cost, most_energy; /* targets, of an epoch, of the training; NaN: none */
    const struct what_if *what;
};

/* Takes the options of a size/1 document, which the caller keeps; both structs are zeros. */
void what_if_sizes_read(const doc *document, const struct size_errors *errors, struct what_if_sizes *of,
                        struct what_if *out);
/* Reads the document; errors: used where given, else those that the document states. ST_INPUT for one without epoch
 * times or of an older version. End with what_if_sizes_end. */
enum st what_if_sizes_begin(const char *path, const struct size_errors *errors, bool given, struct what_if_sizes *of,
                            struct what_if *out, struct err *err) MUST_USE;
/* The option that size would take with every input at its factor, by the middle of times: the first within 1 % of the
 * least of the objective that meets the targets; -1: none meets them. factor: [inputs]. */
int what_if_sizes_best(const struct what_if_sizes *s, const double *factor);
void what_if_sizes_end(struct what_if_sizes *of);

#endif
