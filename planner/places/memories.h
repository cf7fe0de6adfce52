/* memories.h - plans all memories of one or several nodes: GPUs, DRAM of sockets, SSDs, other nodes.
 *
 * Every node comes with a plan for its GPUs and a recording of it. Then what lies below the GPUs is placed for what
 * they do not serve; and, where GPUs may be planned anew (joint), everything as one problem, which is taken when its
 * reads are expected to take less time. What a solution costs is the seconds that all reads of an epoch take, summed
 * over all GPUs, as if none overlapped: not the time of an epoch, but what is to be small in it.
 */
#ifndef PLANNER_PLACES_MEMORIES_H
#define PLANNER_PLACES_MEMORIES_H

#include "planner/places/place_bound.h"
#include "planner/places/place_reads.h"

/* one: planned as one problem (place_solve.h). order: GPUs first, then DRAM for what they lack. */
enum memories_way { MEMORIES_ONE, MEMORIES_ORDER, MEMORIES_WAYS };
const char *memories_way_name(enum memories_way w); /* "one problem", "tier by tier" */

struct memories {
    struct memories_request request; /* borrowed pointers */
    const struct graph *graph;
    const struct kernels *kernels;
    int threads;
    bool joint;
    /* below: set by the functions */
    struct place_machine machine;
    uint64_t rows, *bytes; /* items of the graph (traces/graph/rows.h), on the host; owned */
    uint64_t *gpu_bytes;   /* [rows] on GPUs that hold rows rounded; NULL: as on the host; owned */
    uint8_t *kind;         /* [rows] of reads; NULL: of a plain graph; owned */
    float **all, **left;   /* [nodes * readers][rows]: needs, and those that no GPU serves; owned */
    uint64_t *budget;      /* [nodes * GPUs] owned */
    uint8_t *preferred;    /* [nodes * cliques][rows] the GPU of a clique that reads a row most; owned; joint */
    bool topology_home;    /* samplers read topology in ways that SSDs are not modelled for (storage_knows_topology) */
    double served;         /* seconds of reads that GPUs serve under the given plans */
    double lines, blocks;  /* of all recorded visits */
    struct place_solution way[MEMORIES_WAYS]; /* joint: of problem `whole`; else order alone, of problem `below` */
    double seconds[MEMORIES_WAYS];            /* expected */
    double bound;                             /* of the problem that was solved; seconds */
    bool changed;                             /* the GPUs' lists are those of one problem, not the given ones */
    struct row_list *list[LIST_KINDS];        /* [nodes * GPUs] of one problem; owned; joint */
};

/* Bytes of arrays that all of it takes, solving included, beside the studies of the nodes. */
uint64_t memories_bytes(const struct memories_request *r, const struct graph *g);
/* Finds the machine, and what cannot be planned is said before work begins: *memories has what the caller sets. Release
 * it also after an error. Takes 8 bytes per row of topology and features; 8 (joint: 12) per row and reader. */
enum st memories_begin(struct memories *memories, struct err *err) MUST_USE;
/* Takes over a node's plan: its lists, and what its GPUs are expected to read. trace: with folds. */
enum st memories_add(struct memories *memories, int node, const struct plan *plan, const struct trace *trace,
                     struct err *err) MUST_USE;
/* Plans, when all nodes are added. ST_NO when DRAM and SSDs do not hold all rows, or, where SSDs cannot be read for
 * topology, DRAM not all of it. */
enum st memories_solve(struct memories *memories, struct err *err) MUST_USE;
/* Gives a node's plan its memories and, where changed, its GPUs new lists: then *changed, and what it predicts is no
 * longer true. */
enum st memories_take(const struct memories *memories, int node, struct plan *plan, struct err *err) MUST_USE;
void memories_release(struct memories *memories); /* zeroed is allowed */

#endif
