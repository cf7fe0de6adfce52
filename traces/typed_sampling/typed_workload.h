/* typed_workload.h - how mini-batches of a typed graph are drawn: fan-outs per relation and hop.
 *
 * The law of PyG's NeighborLoader on HeteroData, and of GraphBolt on a fused CSC with one fan-out per edge type: in hop
 * h each frontier vertex v draws, from its row of every relation r whose target type is v's, min(fanout[r][h], length)
 * distinct neighbours, every set equally likely; rows of different relations are drawn independently. A relation with
 * fan-out 0 in a hop is not visited. What is found joins the frontier of its own type. The frontier rule `new` (PyG)
 * expands what the previous hop found first, `all` (DGL, GraphBolt) every distinct vertex so far.
 *
 * With `together` it is the law of GraphBolt on a fused CSC with one fan-out for all edge types: v draws min(fanout[h],
 * sum of its lengths) distinct entries of its rows of all relations, one behind the other, every set equally likely. So
 * the entries drawn from one row are hypergeometric. All its rows are visited, since their lengths must be known.
 */
#ifndef TRACES_TYPED_SAMPLING_TYPED_WORKLOAD_H
#define TRACES_TYPED_SAMPLING_TYPED_WORKLOAD_H

#include "traces/sampling/workload.h"
#include "traces/graph/graph.h"

struct typed_workload {
    int hops;
    uint64_t batch; /* training vertices per mini-batch and GPU, >= 1 */
    bool frontier_all, together;
    uint64_t seed;
    int relations;
    uint32_t fanout[GRAPH_RELATIONS_MAX][HOPS_MAX]; /* [relations][hops] 0..FANOUT_MAX; together: equal for all */
};

#define FANOUT_OVER_WORDS "relation|vertex"

/* Makes *out from --fanout (one list for every relation, or "NAME=LIST;.."; NAME is a relation's name, its
 * SOURCE-NAME->TARGET, or * for those not named), --fanout-over (one of FANOUT_OVER_WORDS; vertex: together), --batch,
 * --frontier and --seed. ST_USAGE names the part that is wrong. */
enum st typed_workload_make(const struct graph *g, const struct int_list *fanout, const char *over, int64_t batch,
                            const char *frontier, uint64_t seed, struct typed_workload *out, struct err *err) MUST_USE;
/* Adds fanout {relation: list}, fanout_over where it is "vertex", batch, frontier, sampler and seed to an object. */
void typed_workload_put(const struct graph *g, const struct typed_workload *w, doc *object);
/* Reads them. where: the file, for messages. ST_INPUT. */
enum st typed_workload_read(const struct graph *g, const doc *object, const char *where, struct typed_workload *out,
                            struct err *err) MUST_USE;

/* Mini-batches per epoch of a GPU with `count` training vertices. */
static inline uint64_t typed_batches(const struct typed_workload *w, uint64_t count)
{
    return (count + w->batch - 1) / w->batch;
}
/* Entries that a visit of a row of that length draws; of a workload that is not `together`. */
static inline uint64_t typed_draws(const struct typed_workload *w, int relation, int hop, uint64_t degree)
{
    return degree < w->fanout[relation][hop] ? degree : w->fanout[relation][hop];
}
/* Entries among which a visit of row `row` of a relation draws: those of the row, or together those of all rows of its
 * vertex. Of a row with entries it is at least 1. */
uint64_t typed_pool(const struct graph *g, const struct typed_workload *w, int relation, uint64_t row);
/* Expected entries that a visit draws of that row; a whole number unless `together`. */
double typed_mean_draws(const struct graph *g, const struct typed_workload *w, int relation, int hop, uint64_t row);

#endif
