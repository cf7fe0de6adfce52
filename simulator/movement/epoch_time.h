/* epoch_time.h - the time of an epoch, by HyScale-GNN's performance model (section V, equations 5 to 13;
 * held against measurements in simulator/BENCH.md and by `hotset validate`).
 *
 * An iteration is one mini-batch on every GPU that trains. It has four stages, and an epoch takes
 * iterations * max(sample, load, transfer, propagate) when it is pipelined (eq. 6), otherwise iterations * their sum.
 * Stages that run beside each other share the machine, so a pipelined iteration takes `unoverlapped` of the time of the
 * other stages longer than its longest one.
 *
 *   - sample: draws / sampling rate, of each GPU, of the CPU, or of all sampler GPUs together. Reads of the topology
 *     count as transfer.
 *   - load (eq. 7): bytes of feature rows that the CPU gathers / the rate of random rows (bandwidth.h), and a start.
 *     0 when GPUs read rows themselves.
 *   - transfer (eq. 8): the longest of four times. Bytes over PCIe / the effective bandwidth for their payload, summed
 *     over the GPUs below a switch (bytes between GPUs below it: on their own links only); bytes of peers / bandwidth
 * of each NVLink that they pass, also where a GPU passes them on; what a GPU's cache serves / its memory bandwidth;
 * zero-copy reads / host memory bandwidth.
 *   - propagate (eq. 9): the slowest trainer + sync. A trainer (eq. 10) takes the sum of aggregate(l) + update(l)
 *     over the layers, and as much for the backward pass, in which layer 1 only updates. "+" is the larger of both
 *     when the GPU streams them.
 *       aggregate(l) = |E^l| f^(l-1) S / memory bandwidth                              (eq. 11)
 *       update(l) = |V^l| f^(l-1) f^l / multiply-and-adds per second                   (eq. 12)
 *     The GPU reaches shares of both peaks, and a layer of a mini-batch takes `layer_seconds` beside (server.h).
 *       sync = 2 * sum of f^(l-1) f^l S / PCIe bandwidth, with more than one trainer   (eq. 13)
 *     where NVLinks do not join the trainers; sync.h has both ways.
 *
 * That is two-stage prefetching (HyScale section IV-B). With one-stage prefetching load + transfer is one stage.
 *
 * f^0 is the length of a feature row, f^L the number of classes, other f^l the hidden channels; S is the bytes of an
 * element. (The paper counts l from another origin in 11, 12 and 13.) GraphSAGE joins a vertex's own row (eq. 4), so
 * its updates and weights count f^(l-1) twice. R-GAT first transforms the rows that a layer reads, once for each
 * relation that their type is drawn by (relations / types in the mean), and then sums them, f^l wide:
 *       aggregate(l) = |E^l| f^l S / memory bandwidth,  update(l) = |V^(l-1)| relations / types f^(l-1) f^l / rate
 * In mixed precision updates run at the rate of the tensor units, and inner elements have 2 bytes; in TF32 they run at
 * that of its products (product_rate.h).
 *
 * The CPU may train a share of every mini-batch (hybrid training). Its threads are shared among its tasks, which
 * divides its sampling rate, its flops and the host memory bandwidth. A constant that a server does not state makes its
 * stages NaN, and `unknown` names it. Any thread may call these functions.
 */
#ifndef SIMULATOR_MOVEMENT_EPOCH_TIME_H
#define SIMULATOR_MOVEMENT_EPOCH_TIME_H

#include "hwprofiles/model/server.h"
#include "simulator/movement/epoch_load.h"

enum gnn_kind { GNN_SAGE, GNN_GCN, GNN_RGAT };
struct gnn {
    enum gnn_kind kind;
    uint64_t hidden, classes; /* channels of the hidden layers, of the last one */
};
#define GNN_WORDS "sage|gcn|rgat"
const char *gnn_name(enum gnn_kind kind); /* "sage", "gcn", "rgat" */
enum gnn_kind gnn_of(const char *name);   /* GNN_SAGE for NULL and other names */
/* Bytes of the gradients (f32) of a model of so many layers on rows of `dim` elements; relations: of the graph, 0 and 1
 * alike; R-GAT has weights for each. */
double gnn_gradient_bytes(const struct gnn *g, int layers, double dim, double relations);

/* The CPU's part. threads: the share of the CPU's threads that a task has; 1 for each task means that tasks do not slow
 * each other down, as in equations 7 and 11. */
enum cpu_task { CPU_SAMPLE, CPU_LOAD, CPU_TRAIN, CPU_TASKS };
struct cpu_part {
    double share;              /* of every mini-batch that the CPU trains, 0..1 */
    double sampled_by_gpus;    /* of the mini-batches that GPUs sample where the CPU would (ACCESS_CPU), 0..1 */
    double threads[CPU_TASKS]; /* 0..1 each */
};
/* The share fitted to GNNLab's measured pipelined epochs (figure 13, 33 points: at most 9.5 % off); figure 15, 18
 * points not fitted, is predicted within 8.9 %. */
#define EPOCH_UNOVERLAPPED 0.15
/* What R-GAT in mixed precision reaches, fitted to MLPerf's entries (`hotset validate --only mlperf-rgat-steps`, where
 * each is also predicted from the others). */
#define RGAT_EFFICIENCY 0.425
#define RGAT_STEP_SECONDS 0.0315
#define RGAT_READS 1.22
struct cpu_part cpu_part_none(void); /* the CPU trains nothing; threads 1 each */
/* Seconds of pipelined stages: the longest of stage[count], and `unoverlapped` of the sum of the others. */
double epoch_pipelined(const double *stage, int count, double unoverlapped);

struct epoch_setup {
    struct gnn gnn;
    bool pipelined;
    bool one_stage; /* loading and transfer follow each other (one-stage prefetch) instead of overlapping; pipelined */
    double unoverlapped; /* share of the other stages' time that a pipelined iteration takes beside the longest, 0..1 */
    struct cpu_part cpu;
    bool tf32;  /* precision: tensor units multiply float32 with mantissas of 10 bits, where there are such */
    bool mixed; /* precision: tensor units multiply elements of 2 bytes, float32 is kept for the rest */
    double relations, types; /* of the graph; 0: one */
    double efficiency;       /* share of the GPU's peaks that the model reaches; 0: what the server states */
    double step_seconds;     /* of computing a mini-batch, whatever its size */
    double reads;   /* rate at which rows come from the host, in those that the server states; 0: as it states */
    double enlarge; /* the graph stands for one this many times as large, in mini-batches as much larger; the caller
                       enlarges the load (epoch_load_enlarge); 0: for itself */
};

/* The model's stages, and what is added beside them: rows over the network between servers, and SSDs. */
enum stage_name {
    STAGE_SAMPLE,
    STAGE_LOAD,
    STAGE_TRANSFER,
    STAGE_PROPAGATE,
    EPOCH_STAGES,
    STAGE_NETWORK = EPOCH_STAGES,
    STAGE_STORAGE,
    ALL_STAGES
};
const char *stage_word(enum stage_name s); /* "sample", "load", "transfer", "propagate", "network", "storage" */

/* Who serves a GPU's part of the transfer: the host (and GPUs below its switch) over its PCIe link, peers over its
 * NVLinks, the caches in its memory (which serve its peers, too). They work beside each other. */
enum transfer_part { PART_PCIE, PART_NVLINK, PART_MEMORY, TRANSFER_PARTS };

enum { UNKNOWNS_MAX = 12 };
struct epoch_time {
    double iterations;
    double stage[ALL_STAGES];   /* seconds of an iteration; NaN: unknown; 0: nothing is added beside the model */
    char limit[ALL_STAGES][40]; /* what the stage waits for: "PCIe switch 0", "GPU 3", "host memory", "CPU", .. */
    double gpu[EPOCH_STAGES][GPUS_MAX];    /* the stage of each GPU alone, without others below its switch; load: 0 */
    double part[TRANSFER_PARTS][GPUS_MAX]; /* of a GPU's transfer */
    double uplink[GPUS_MAX], host_memory;  /* of the transfer: the switch above a GPU; reads of the host */
    double sample_cpu, sample_gpu, train_cpu, train_gpu; /* parts of stages, for balance.h */
    double sync;                                         /* the part of propagate */
    double execution;                                    /* seconds of an iteration; NaN: unknown */
    double seconds;                                      /* of an epoch; NaN: unknown */
    double edges;                                        /* of all trainers */
    double mteps;                                        /* millions of edges per second (eq. 5) */
    enum stage_name bottleneck;                          /* the longest stage; ALL_STAGES: unknown */
    char unknown[UNKNOWNS_MAX][48];                      /* keys of server/1 that are missing, and what has no model */
    int unknowns;
};

/* Seconds of an iteration whose stages take so long; stage: [ALL_STAGES]. */
double epoch_iteration(const struct epoch_setup *how, const double *stage);
/* Evaluates the model. out->seconds is NaN when unknowns > 0. */
void epoch_time(const struct epoch_load *load, const struct server *s, const struct epoch_setup *how,
                struct epoch_time *out);
/* Puts a stage beside the model's: `seconds` of an epoch, limited by `limit`. It overlaps them as they do each other.
 * In place of what was put there before; nothing where the time is unknown. */
void epoch_time_beside(struct epoch_time *t, const struct epoch_setup *how, enum stage_name stage, double seconds,
                       const char *limit);

#endif
