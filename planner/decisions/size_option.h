/* size_option.h - what can be bought: a curve's server, so many of them, and what becomes of it.
 *
 * N servers train a N-th of the mini-batches each. A server's host memory holds the topology, feature rows and what the
 * loader takes; feature rows that it cannot hold are split among the servers (the others' come over the network, as if
 * all rows that the GPUs do not hold were read equally often, which is the worst case: `hotset plan --nodes` places hot
 * ones better), or all rows lie on the SSDs of each server, and its DRAM has what a plan with both puts there, as
 * `hotset plan --host-memory, --ssd` does. What does not hold the graph is refused, with what would (size_room.h).
 * After every iteration N servers exchange their gradients by a ring: 2 (N - 1) / N of the model's weights in f32 over
 * all NICs of a server. The next forward pass waits for them, so that they lengthen propagate, as those between GPUs
 * do.
 *
 * What host memory holds beside these is left to the page cache, which may take it but does not need it. SSDs are
 * filled once with all rows, at the rate of long writes, before training begins: the time of the training has that in
 * it.
 *
 * Of all budgets that fit, an option takes the smallest whose epoch is within 1 % of the shortest: memory that is paid
 * for costs nothing more. With SSDs it takes the largest (size.h). Without epoch times it takes the smallest that meets
 * the targets, else the one with fewest transactions.
 *
 * Intervals are of 90 %. Stages are as much longer or shorter as size_error.h says, and the transfer by the hit rate
 * that a stand-in may be off. Composition of stages, sampling noise and the spread between stand-ins are independent of
 * that: their logarithms add as squares.
 */
#ifndef PLANNER_DECISIONS_SIZE_OPTION_H
#define PLANNER_DECISIONS_SIZE_OPTION_H

#include "planner/decisions/size.h"

enum size_verdict { VERDICT_UNKNOWN, VERDICT_NOT, VERDICT_PROBABLY, VERDICT_SURELY, VERDICT_NONE };
const char *size_verdict_word(enum size_verdict v); /* VERDICT_NONE: "" (no target) */

/* Times that nobody validated meet a target surely where their long end is within a tenth of it. */
enum { SIZE_BEYOND_MARGIN = 10 };

/* Where rows lie below the GPUs. */
enum size_below { BELOW_HOST, BELOW_SPLIT, BELOW_SSD };

/* What the whole run of an option is made of, in seconds (size_run.h). */
struct size_run_parts {
    double epochs;
    bool outside; /* the rule of epochs does not reach its mini-batch */
    struct size_range start_up, loading, steps, evaluation;
    double once_cost, once_energy; /* of all but the steps */
};

struct size_option {
    int curve, servers, point; /* point: of the curve; -1: nothing fits */
    double grow;               /* of the curve: the future that it is an option of */
    bool fits;
    enum size_below below;
    uint64_t host_needs;                   /* bytes of each server's host memory */
    uint64_t host_left;                    /* beside these, for the page cache; 0 where the memory is not stated */
    double ssd_reads;                      /* blocks that the SSDs of all servers read in an epoch; 0: none */
    double fill;                           /* seconds of filling SSDs once; 0: none; NaN: their rate is not known */
    double fill_cost, fill_energy;         /* of all servers meanwhile, in cost and energy; likewise, or no price */
    struct size_run_parts run;             /* zeros where nothing fits */
    char lacks[200];                       /* why it does not fit, or what is not known */
    char remedy[300];                      /* what would make it fit */
    struct size_range value[SIZE_METRICS]; /* of all servers together; cost and energy of the whole run */
    struct size_range shipped;             /* epoch seconds without one's own cases */
    double stage[ALL_STAGES];              /* seconds of an iteration; the last two: network (rows), SSDs */
    double gradients;                      /* and of exchanging gradients with other servers, on top of propagate */
    const char *binds;                     /* "PCIe", "GPU compute", ..; "" not known */
    enum size_verdict verdict, of_target[SIZE_TARGETS_MAX];
    bool beyond; /* an iteration is shorter than any that validate's training cases measured */
    bool front;  /* no option of this future that fits is better in time, money and energy */
    bool listed; /* where options are many: a row of the tables that people read, see size_decide */
};

enum { SIZE_OPTIONS_MAX = 1024 };
/* options: [SIZE_OPTIONS_MAX]; every curve with 1, 2, 4 servers and the fewest that hold the graph, or those of
 * q->nodes. spread: ln of high / low of epoch times between stand-ins, halved; 0. */
int size_options(const struct size_question *q, const struct size_curve *curves, int count, double spread,
                 struct size_option *options);

enum size_objective { BEST_MONEY, BEST_TIME, BEST_ENERGY, BEST_OBJECTIVES };
#define SIZE_OBJECTIVE_WORDS "money|time|energy"
/* The word's; NULL: money where an option of the future `grow` that fits and does not miss has a price, else time. */
enum size_objective size_objective_of(const char *word, const struct size_option *options, int count, double grow);
/* "money", "time", "energy" */
const char *size_objective_word(enum size_objective o);
/* The best option of the future `grow` by the objective among those of the best verdict that occurs, other than `but`;
 * -1: none. Options
 * whose value of the objective is not known are never ranked, nor are those without an epoch time beside one that has
 * it; of those within 1 % the first is taken. */
int size_best(const struct size_option *options, int count, double grow, enum size_objective o, int but);

/* "hotset plan ..": writes the plan of that option. graph: the directory, or NULL: a data set's. */
void size_option_command(const struct size_question *q, const struct size_curve *c, const struct size_option *o,
                         const char *graph, char *out, size_t bytes);
/* The point of the curve that the option takes; o->point is not -1. */
const struct size_point *size_option_point(const struct size_curve *c, const struct size_option *o);
/* Where rows are, in words. why: stands behind the size of the cache; "": nothing does. */
void size_option_cached(const struct size_curve *c, const struct size_option *o, const char *why, char *out,
                        size_t bytes);

#endif
