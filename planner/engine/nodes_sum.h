/* nodes_sum.h - what the nodes of a cell read together.
 *
 * Counts are sums; seconds of an epoch are those of the slowest node, for which the others wait; seconds of reads are
 * means, as all nodes have equally many GPUs.
 */
#ifndef PLANNER_ENGINE_NODES_SUM_H
#define PLANNER_ENGINE_NODES_SUM_H

#include "planner/engine/study_cell.h"
#include "simulator/movement/memories_read.h"
#include "traces/graph/graph.h"

/* Of a simulated cell; of one node, its own. */
struct nodes_sum {
    struct simulated_sums sums;
    const struct epoch_timed *time; /* of the slowest node, borrowed; NULL: not known */
    struct memories_read memories;  /* without places: none are known */
};
void nodes_sum(const struct study_cell *c, struct nodes_sum *out);

/* The member `simulated`; of several nodes {nodes, epochs, seed, feature_hit_rate, topology_hit_rate,
 * topology_transactions, feature_transactions, total_transactions, prediction_error, gpus[]{node, ..}, epoch_time,
 * movement (totals), memories}; with the movement where that is asked for. The caller frees it, as all here. */
doc *nodes_sum_simulated(const struct study_cell *c, const struct graph *g, bool movement);
/* A member `predicted`: transactions; hit rates are null, as plans do not state how many reads they expect. */
doc *nodes_sum_predicted(const struct study_cell *c);
/* A member `cliques`: those of all nodes, with `node` where there are several. */
doc *nodes_sum_cliques(const struct study_cell *c, const struct graph *g);

#endif
