/* nodes_sum.h - what the nodes of a cell read together, as documents.
 *
 * Counts are sums; seconds of an epoch are those of the slowest node, for which the others wait; seconds of reads are
 * means, as all nodes have equally many GPUs.
 */
#ifndef PLANNER_ENGINE_NODES_SUM_H
#define PLANNER_ENGINE_NODES_SUM_H

#include "planner/engine/study_cell.h"
#include "traces/graph/graph.h"

/* A member `simulated`: {nodes, epochs, seed, feature_hit_rate, topology_hit_rate, topology_transactions,
 * feature_transactions, total_transactions, prediction_error, gpus[]{node, ..}, epoch_time, movement (totals),
 * memories}; members of memories are those of places_replay.h, with a place per kind. The caller frees it, as all
 * here. */
doc *nodes_sum_simulated(const struct study_cell *c);
/* The member memories of `simulated` alone. of: [nodes] those of every node. */
doc *nodes_sum_memories(const doc *const *of, int nodes);
/* A member `predicted`: transactions; hit rates are null, as plans do not state how many reads they expect. */
doc *nodes_sum_predicted(const struct study_cell *c);
/* A member `cliques`: those of all nodes, with `node` where there are several. */
doc *nodes_sum_cliques(const struct study_cell *c, const struct graph *g);

#endif
