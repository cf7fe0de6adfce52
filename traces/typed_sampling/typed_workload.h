/* typed_workload.h - how mini-batches of a typed graph are drawn: fan-outs per relation and hop.
 *
 * The law of PyG's NeighborLoader on HeteroData, and of GraphBolt on a fused CSC with one fan-out per edge type: in hop
 * h each frontier vertex v draws, from its row of every relation r whose target type is v's, min(fanout[r][h], length)
 * distinct neighbours, every set equally likely; rows of different relations are drawn independently. A relation with
 * fan-out 0 in a hop is not visited. What is found joins the frontier of its own type. The frontier rule `new` (PyG)
 * expands what the previous hop found first, `all` (DGL, GraphBolt) every distinct vertex so far.
 */
#ifndef TRACES_TYPED_SAMPLING_TYPED_WORKLOAD_H
#define TRACES_TYPED_SAMPLING_TYPED_WORKLOAD_H

#include "traces/sampling/workload.h"
#include "traces/typed/typed_graph.h"

struct typed_workload {
    int hops;
    uint64_t batch; /* training vertices per mini-batch and GPU, >= 1 */
    bool frontier_all;
    uint64_t seed;
    int relations;
    uint32_t fanout[TYPED_RELATIONS_MAX][HOPS_MAX]; /* [relations][hops] 0..FANOUT_MAX */
};

/* Makes *out from --fanout (one list for every relation, or "NAME=LIST;.."; NAME is a relation's name, its
 * SOURCE-NAME->TARGET, or * for those not named), --batch, --frontier and --seed. ST_USAGE names the part that is
 * wrong. */
enum st typed_workload_make(const struct typed_graph *g, const struct int_list *fanout, int64_t batch,
                            const char *frontier, uint64_t seed, struct typed_workload *out, struct err *err) MUST_USE;
/* Adds fanout {relation: list}, batch, frontier, sampler and seed to an object. */
void typed_workload_put(const struct typed_graph *g, const struct typed_workload *w, doc *object);
/* Reads them. where: the file, for messages. ST_INPUT. */
enum st typed_workload_read(const struct typed_graph *g, const doc *object, const char *where,
                            struct typed_workload *out, struct err *err) MUST_USE;

/* Mini-batches per epoch of a GPU with `count` training vertices. */
static inline uint64_t typed_batches(const struct typed_workload *w, uint64_t count)
{
    return (count + w->batch - 1) / w->batch;
}
/* Entries that a visit of a row of that length draws. */
static inline uint64_t typed_draws(const struct typed_workload *w, int relation, int hop, uint64_t degree)
{
    return degree < w->fanout[relation][hop] ? degree : w->fanout[relation][hop];
}

#endif
