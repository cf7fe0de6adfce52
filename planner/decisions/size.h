/* size.h - capacity planning: curves of what a cache of a given size gives, and the choice between them.
 *
 * A curve is one server (with some of its GPUs, with or without NVLink), one feature type, one workload: recorded
 * once, planned at every budget of a grid, all simulated in shared passes over held-out epochs. Below the smallest
 * budget that meets the targets the grid is refined. Where an option needs SSDs, the largest cache is planned once more
 * with DRAM and SSDs of the server as one problem (study_memories.h): every row that a GPU holds saves reads of these,
 * so a smaller one would only take longer. A graph may stand for one `factor` times as large (a scaled
 * stand-in, a growing graph): budgets and mini-batches are divided by the factor, so a mini-batch reaches the same
 * share of the graph and an epoch has as many of them; transactions and the loads behind epoch times are multiplied by
 * it. `trains` mini-batches stand behind each one of a stand-in that trains only a part of its training vertices. DRAM
 * is divided, and the seconds of SSDs multiplied likewise. All bytes in these structs are those of the full size, per
 * GPU.
 */
#ifndef PLANNER_DECISIONS_SIZE_H
#define PLANNER_DECISIONS_SIZE_H

#include "hwprofiles/model/drive.h"
#include "planner/decisions/size_error.h"
#include "planner/decisions/size_own.h"
#include "planner/decisions/size_run.h"
#include "planner/decisions/size_shared.h"
#include "planner/decisions/size_target.h"
#include "planner/options/options.h"

enum { SIZE_POINTS_MAX = 128, SIZE_CURVES_MAX = 256, SIZE_INNER = 7, SIZE_INNER_TWICE = 3 };
/* Steps of a curve that nobody states: with --exact, and without. */
enum { SIZE_EXACT_STEPS = 16, SIZE_STEPS = 8 };

/* What each server has beside its GPUs. */
struct size_beside {
    uint64_t host_memory; /* 0: what its description states */
    double host_share;    /* instead: of topology and features, beside system and loader; 0: not asked */
    struct drives drives; /* count 0: none */
    double nic_gbps;      /* of all NICs; 0: as host_memory */
};

/* One thing to try. */
struct size_variant {
    const char *server; /* file or profile; borrowed */
    int gpus;           /* the first so many; 0: all */
    bool nvlink;        /* false: NVLink disabled */
    uint64_t element;   /* bytes of a feature element; 0: the graph's */
    struct int_list fanout;
    int64_t batch; /* per GPU, of the full size */
    double grow;   /* factor by which the graph grows */
    double share;  /* of every GPU's memory that this job may use, above 0 to 1 */
    struct size_beside beside;
};

struct size_point {
    uint64_t budget;                     /* bytes per GPU */
    double value[SIZE_METRICS];          /* NaN: not known */
    double best_seconds;                 /* of the plans up to this budget: a smaller plan fits a larger memory, too */
    double stage[EPOCH_STAGES];          /* seconds of an iteration */
    char bottleneck[16], limited_by[40]; /* "" unknown */
    bool meets;                          /* all targets */
    bool unsure;                         /* no target is missed, but the value of at least one is not known */
    bool inner;                          /* of the finer grid */
    double iterations;                   /* of an epoch */
    double noise;                        /* half of the interval of ln transactions: epochs differ */
    double storage;                      /* seconds of an iteration that SSDs read for all GPUs; 0: without SSDs */
    double ssd_reads;                    /* blocks of an epoch; likewise */
};

struct size_curve {
    struct size_variant of;
    char server[80];       /* as the server calls itself */
    char label[96];        /* the server, and what differs between curves */
    uint64_t step;         /* of its grid */
    unsigned char key[32]; /* equal for curves that share recordings (size_shared.h) */
    int gpus, cliques, largest_clique;
    double factor; /* graph : full size */
    double trains; /* of size_graph */
    double price;  /* per hour, of the whole server; NaN unknown */
    struct size_price priced;
    struct size_owned owned;
    struct size_watts watts;
    char gpu[80];                        /* the model of its first GPU */
    double efficiency;                   /* of that in training; 0: not stated */
    bool products_assumed;               /* how fast one of its GPUs multiplies was not measured (product_rate.h) */
    uint64_t host_memory;                /* 0 unknown */
    double nic_gbps;                     /* of all NICs of a server; 0 unknown */
    uint64_t topology, features, loader; /* bytes of host memory, of the full size */
    uint64_t offsets;                    /* the part of the topology that is always in host memory */
    uint64_t stored;                     /* what SSDs hold where rows lie on them */
    bool topology_in_dram;               /* all of it: the sampler reads it in ways that SSDs are not modelled for */
    double vertices;                     /* of the full size */
    uint64_t row_bytes;                  /* the widest feature row */
    uint64_t element_bytes;              /* of an element of it */
    uint64_t weights;                    /* bytes of the model's gradients */
    uint64_t memory;                     /* of the smallest GPU; 0 unknown */
    uint64_t everything;                 /* topology and feature bytes of the graph */
    uint64_t cached;                     /* the same as GPUs hold them */
    struct reservation reservation;
    uint64_t useful;  /* bytes per GPU that hold everything */
    uint64_t limit;   /* bytes of the largest cache that is tried: what is free, or what is useful */
    uint64_t missing; /* bytes that a GPU lacks before anything is left; then there are no points */
    int64_t smaller;  /* then: the mini-batch, halved as often as needed, that leaves something; 0: none does */
    int count;
    struct size_point point[SIZE_POINTS_MAX];
    struct size_point ssd; /* the largest cache, planned with DRAM and SSDs, where an option needs these */
    char ssd_lacks[200];   /* why there is no such plan; "" where it is made, or not needed */
    int answer;            /* first point that meets; -1 none */
    bool unsure;           /* none meets, but some points are unsure: the answer is not known, which is not "no" */
    bool simulated;        /* its points are filled */
    int unknowns;          /* constants that epoch times lack */
    char unknown[UNKNOWNS_MAX][48];
};

/* What all curves share. */
struct size_question {
    struct call *call;
    const struct study_args *study;
    const struct kernels *kernels;
    const struct workload_args *workload;
    const struct policy *policy;
    double option[POLICY_OPTIONS];
    struct size_target target[SIZE_TARGETS_MAX];
    int targets, steps;   /* of the grid, from nothing to the largest limit */
    uint64_t second_job;  /* bytes of every GPU that another training job holds */
    int id_bytes, copies; /* of a vertex in host memory; of graph and rows there */
    uint64_t most;        /* no cache larger than this; 0: as large as fits */
    uint64_t step;        /* of one grid for all curves; 0: every curve has its own */
    struct size_prices prices;
    struct size_buy buy;
    double host_gbps;       /* of servers that state none; 0: not given */
    double power;           /* watts of a busy server; NaN: from the data */
    struct size_run run;    /* epochs of the training, and what else is of it */
    double unoverlapped;    /* --unoverlapped; NaN: stages follow each other */
    const char *cache_type; /* in what GPUs hold rows, as the option of that name says; NULL: as on the host */
    struct int_list nodes;  /* numbers of servers to try; empty: 1, 2, 4 and the fewest that hold the graph */
    struct size_errors errors, shipped_errors; /* with and without one's own cases */
    const char *like;                          /* data set of the stand-in, or NULL */
    bool reversed;                             /* that stand-in has the reverse of every arc */
};

/* A graph and what it stands for: full size = factor x graph. */
struct size_graph {
    const struct graph *graph;
    double factor;
    double trains;             /* training vertices at this size : those of the graph; 1 but for stand-ins */
    const struct graph *as[5]; /* the graph, where it has several types, by bytes of an element of its features; NULL:
                                  its own */
};

/* Sets server facts, reservation and limit of a variant; nothing is recorded. ST_INPUT for a server that cannot be
 * read, ST_USAGE for a workload or reservation that is wrong. */
enum st size_curve_begin(const struct size_question *q, const struct size_graph *g, const struct size_variant *v,
                         struct size_curve *out, struct err *err) MUST_USE;
/* Gives all curves one grid, whose step follows from the largest limit: for maps over budgets. */
void size_steps(struct size_question *q, const struct size_curve *curves, int count);
/* Records, plans and simulates: fills point[], answer, unknown. Does nothing for a curve that lacks memory. ST_NO when
 * the policy cannot make a plan; errors of recording and planning. with: of this graph; what the curve before made and
 * this one needs is taken. A curve that has points already only gets its plan with SSDs. */
enum st size_curve_run(const struct size_question *q, const struct size_graph *g, struct size_shared *with,
                       struct size_curve *c, struct err *err) MUST_USE;

/* *bytes: what running the curve takes of arrays, at most. Errors of size_curve_begin. */
enum st size_curve_bytes(const struct size_question *q, const struct size_graph *g, const struct size_curve *c,
                         uint64_t *bytes, struct err *err) MUST_USE;

/* The share of the graph's rows that curves are of (engine/thin.h). */
double size_rows_share(const struct size_question *q, const struct graph *g);
/* From the values of all points, in ascending order of budgets: which meet, best_seconds, answer, unsure. For a curve
 * that size_curve_begin began and that was run elsewhere. */
void size_curve_finish(const struct size_question *q, struct size_curve *c);

/* Watts of one server while it trains with that plan: GPUs idle but for sampling and computing, the host busy. */
double size_point_watts(const struct size_curve *c, const struct size_point *p);
/* What host memory holds beside graph and features: the system, and for each GPU its process and the rows of the
 * mini-batches that are being loaded. An assumption. */
enum { SIZE_HOST_SYSTEM_GIB = 4, SIZE_HOST_PROCESS_GIB = 2 };

/* Bytes of one GPU that a curve takes with a cache of `budget`: reservation, second job and cache. */
uint64_t size_gpu_bytes(const struct size_question *q, const struct size_curve *c, uint64_t budget);
/* What is drawn and compared: the first target's metric; without targets epoch time where it is known, else
 * transactions. */
enum size_metric size_primary(const struct size_question *q, const struct size_curve *curves, int count);
/* The curve that tables and figures show where there is no answer: the one that comes nearest in the primary metric.
 * -1: none has points. */
int size_shown(const struct size_question *q, const struct size_curve *curves, int count);

#endif
