/* nodes.h - feature rows over several nodes, and copies of remote ones (SALIENT++: Kaler et al., MLSys 2023, section
 * 3).
 *
 * A node owns a part of the graph: its feature rows, and the training vertices that its GPUs train. The topology is on
 * every node. A mini-batch gathers rows: those of the own part and those that the node keeps a copy of are local, each
 * other row comes from its owner over the network once per mini-batch. With a replication factor alpha a node copies
 * alpha * vertices / nodes remote rows (rounded down): the first of a ranking. Of several types rows differ in size:
 * then it copies the first that together take at most alpha / nodes of all features, and rows of edges lie with the
 * topology. (A read of a row saves its bytes, so per byte of copies the reads count, whatever its size.) Remote rows
 * are counted in held-out epochs, whose seed ranking did not use. `sharded` is the other way to lay rows out: striped
 * over all nodes by id, training vertices dealt at random, nothing copied (WholeGraph's distributed tensors).
 */
#ifndef PLANNER_PLACES_NODES_H
#define PLANNER_PLACES_NODES_H

#include "kernels/kernel.h"
#include "planner/places/nodes_network.h"
#include "planner/partition/partition.h"
#include "traces/recording/trace.h"

enum { NODES_MAX = 64, NODES_ALPHAS = 16, NODES_RANKINGS = 12 };

/* How remote rows are ranked, besides by a hotness metric. */
#define NODES_HALO "halo"     /* neighbours of the own part, by the arcs that lead there from it */
#define NODES_ORACLE "oracle" /* by the held-out counts themselves: a limit, not a plan */

struct nodes_request { /* borrowed */
    const struct graph *graph;
    const struct workload *workload; /* its seed is the planning seed */
    const struct kernels *kernels;
    struct partition_options partition;
    int nodes, gpus;                         /* GPUs of each node; together at most GPUS_MAX */
    uint64_t presample_epochs, epochs, seed; /* held out: epochs, seed */
    const char *ranking[NODES_RANKINGS];     /* names of metrics, NODES_HALO, NODES_ORACLE */
    int rankings;
    double alpha[NODES_ALPHAS]; /* >= 0 each */
    int alphas;
    const struct nodes_network *network; /* its servers and GPUs are nodes and gpus; NULL: not known */
    int threads;
    bool progress;
};

struct nodes_reads {
    uint64_t rows, bytes;
};

struct nodes_result {
    uint8_t *part;                               /* [n] owner of each vertex; owned */
    uint64_t *bytes, all_bytes;                  /* [n] of feature rows; owned; all together */
    struct partition_report report;              /* of the parts */
    struct trace recorded, held_out;             /* cliques are nodes */
    uint32_t *order[NODES_RANKINGS][NODES_MAX];  /* remote rows of a node, the first copied first; owned */
    uint64_t ordered[NODES_RANKINGS][NODES_MAX]; /* how many: those that the largest alpha copies, at most */
    uint64_t owned[NODES_MAX];                   /* rows */
    uint64_t owned_bytes[NODES_MAX];
    uint64_t gathered[NODES_MAX]; /* rows gathered by the GPUs of each node, all held-out epochs */
    struct nodes_reads remote[NODES_RANKINGS][NODES_ALPHAS][NODES_MAX]; /* of them over the network */
    struct nodes_reads sharded[NODES_MAX];                              /* likewise, striped */
    uint64_t sharded_gathered[NODES_MAX];
    struct nodes_traffic traffic[NODES_RANKINGS][NODES_ALPHAS], sharded_traffic; /* with a network */
};

/* Rows that each node copies with that alpha, of one type: alpha * vertices / nodes. */
uint64_t nodes_copies(const struct nodes_request *r, double alpha);
/* Rows, and bytes, of order[k][node] that the node copies with that alpha. */
struct nodes_reads nodes_copied(const struct nodes_request *r, const struct nodes_result *result, int k, int node,
                                double alpha);
/* Bytes of what every node holds: topology, offsets, and rows of edges. */
uint64_t nodes_topology_bytes(const struct graph *g);

/* Plans and counts. *out: zeroed by the caller, to be released. Takes 4 n (2 + hops) bytes per GPU for each of two
 * recordings, and 20 n more. Errors of partition_graph, trace_record and hotness_keys. */
enum st nodes_run(const struct nodes_request *r, struct nodes_result *out, struct err *err) MUST_USE;
void nodes_release(struct nodes_result *result); /* a zeroed struct is allowed */

#endif
