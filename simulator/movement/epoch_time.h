/* epoch_time.h - how long an epoch takes, by HyScale-GNN's performance model (section V, equations 5-13) on the
 * counts of a replay.
 *
 * An iteration is one mini-batch on every GPU that trains. It has four stages, and an epoch takes iterations *
 *   max(sample, load, transfer, propagate) pipelined (eq. 6), or * their sum.
 * sample draws / rate of who samples: each GPU, the CPU, or the sampler GPUs for all trainers. Reads of the topology
 * count as transfer. load the CPU gathers feature rows (eq. 7): bytes of all V^0 / host memory bandwidth. Only where
 * it does (cpu_gathers); else GPUs read for themselves. transfer what comes over PCIe (eq. 8) / the effective
 * bandwidth at its payload, summed over the GPUs below one switch; or what comes from
 *            peers / NVLink; or what zero-copy reads take from host memory / its bandwidth: whichever is longest.
 * propagate the slowest trainer + sync (eq. 9). A trainer (eq. 10): sum of (+)(aggregate, update) over the layers,
 *            then backwards update of layer 1 and (+) of the others; (+) adds, or takes the longer of both where the
 *            dataflow is streamed. For layer l = 1..L,
 *              aggregate(l) = |E^l| f^(l-1) S / memory bandwidth (eq. 11) update(l) = |V^l| f^(l-1) f^l /
 *              (multiply-and-adds per second) (eq. 12) sync = 2 sum of f^(l-1) f^l S / PCIe bandwidth, where more
 *              than one trains (eq. 13)
 *            (the paper writes l one apart in 11, 12 and 13; here f^0 is a feature row, f^L the classes, V^L the
 *            seeds, V^0 all vertices of the mini-batch, E^l the draws that layer l sums over). GraphSAGE joins the
 *            own row (eq. 4), so its updates and weights count f^(l-1) twice.
 * Under the rule `new` a layer sums over the draws of its own hop and of the hops before it, because a vertex draws
 * once and is computed in each.
 *
 * The CPU may train a share of every mini-batch (HyScale's hybrid training); shares of its threads divide its
 * sampling rate, its flops and the host memory's bandwidth. What a server does not state is unknown: the stages that
 * need it are NaN, and it is named. Any thread may call these.
 */
#ifndef SIMULATOR_MOVEMENT_EPOCH_TIME_H
#define SIMULATOR_MOVEMENT_EPOCH_TIME_H

#include "hwprofiles/model/server.h"
#include "simulator/plan/plan.h"

enum gnn_kind { GNN_SAGE, GNN_GCN };
struct gnn {
    enum gnn_kind kind;
    uint64_t hidden, classes;
};
#define GNN_WORDS "sage|gcn"
const char *gnn_name(enum gnn_kind kind); /* "sage", "gcn" */
enum gnn_kind gnn_of(const char *name);   /* GNN_SAGE for what it does not know */

/* What one GPU does in an epoch: sums, not means. */
struct epoch_gpu {
    double batches;                /* mini-batches that it trains; 0: it does not */
    bool samples;                  /* a sampler GPU (ACCESS_SAMPLERS) */
    double vertices[HOPS_MAX + 1]; /* |V^l|, l = 0..L */
    double edges[HOPS_MAX + 1];    /* |E^l|, l = 1..L */
    double draws;
    double feature_bytes, topology_bytes;     /* over PCIe from the host */
    double feature_payload, topology_payload; /* bytes of one request */
    double peer_bytes[GPUS_MAX];              /* over NVLink from each GPU */
};

struct epoch_load {
    int gpus, layers; /* layers 0: not modelled (random walks) */
    enum topology_access access;
    bool cpu_gathers;            /* the CPU gathers the host's feature rows; else GPUs read them for themselves */
    uint64_t dim, element_bytes; /* of a feature row */
    struct epoch_gpu gpu[GPUS_MAX];
};

/* How the CPU takes part. threads: shares of the CPU's threads; 1 each: tasks do not disturb each other, as in
 * equations 7 and 11. */
enum cpu_task { CPU_SAMPLE, CPU_LOAD, CPU_TRAIN, CPU_TASKS };
struct cpu_part {
    double share;              /* of every mini-batch that the CPU trains, 0 <= share <= 1 */
    double sampled_by_gpus;    /* share of the mini-batches that GPUs sample where the CPU would (ACCESS_CPU) */
    double threads[CPU_TASKS]; /* 0 <= .. <= 1 */
};
struct cpu_part cpu_part_none(void); /* no share, threads 1 each */

struct epoch_setup {
    struct gnn gnn;
    bool pipelined;
    struct cpu_part cpu;
};

enum stage_name { STAGE_SAMPLE, STAGE_LOAD, STAGE_TRANSFER, STAGE_PROPAGATE, EPOCH_STAGES };
const char *stage_word(enum stage_name s); /* "sample", "load", "transfer", "propagate" */

enum { UNKNOWNS_MAX = 12 };
struct epoch_time {
    double iterations;
    double stage[EPOCH_STAGES]; /* seconds of an iteration; NaN unknown */
    char limit[EPOCH_STAGES]
              [40]; /* what it waits for: "PCIe switch 0", "GPU 3", "host memory", "CPU", "NVLink of GPU 1" */
    double gpu[EPOCH_STAGES][GPUS_MAX];                  /* its own, without others below its switch; load: 0 */
    double sample_cpu, sample_gpu, train_cpu, train_gpu; /* parts of stages, for the balance */
    double sync;                                         /* part of propagate */
    double execution;                                    /* seconds of an iteration; NaN unknown */
    double seconds;                                      /* of an epoch */
    double mteps;                                        /* millions of edges per second (eq. 5) */
    enum stage_name bottleneck;                          /* the longest stage; EPOCH_STAGES: unknown */
    char unknown[UNKNOWNS_MAX][48]; /* keys of server/1 that are missing, and what is not modelled */
    int unknowns;
};

/* out->seconds is NaN when unknowns > 0. */
void epoch_time(const struct epoch_load *load, const struct server *s, const struct epoch_setup *how,
                struct epoch_time *out);

/* ---- where loads come from (epoch_load.c) ---- */

/* Layers of a GPU from what its hops visited and drew, and the distinct vertices of its mini-batches (sums). hops: of
 * the workload. */
void epoch_load_layers(const struct workload *w, const double *visits, const double *draws, double rows,
                       struct epoch_gpu *out);
/* The load that a replay counted under a placement. Takes no memory. */
void epoch_load_of(const struct placement *p, const struct replay *r, const struct graph *graph,
                   const struct workload *w, uint64_t line_bytes, struct epoch_load *out);

/* ---- documents (epoch_document.c) ---- */

struct calibration;
#define EPOCH_NO_SERVER "server" /* in `unknown` where there is no description at all */
/* {seconds, model_seconds, unknown[]} and, where nothing is unknown, {pipelined, model, hidden, classes, cpu_share,
 * iterations, execution_seconds, stages{sample, load, transfer, propagate, sync}, bottleneck, limited_by, mteps,
 * gpus[], calibration}; seconds follow the calibration where there is one (NULL: none). ids: of the GPUs. */
doc *epoch_time_document(const struct epoch_time *t, const struct epoch_setup *how, const int *ids, int gpus,
                         const struct calibration *c);
/* The lines for people under a plan's tables; of: such a document, or null. */
void epoch_time_print(const doc *of, FILE *to);

#endif
