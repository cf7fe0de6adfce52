/* arcs_paired.h - whether a graph is symmetric, by its arcs and not by what its directory says. */
#ifndef PLANNER_PARTITION_ARCS_PAIRED_H
#define PLANNER_PARTITION_ARCS_PAIRED_H

#include "traces/graph/graph.h"

/* *out: every arc is stored in both directions and every row rises. Then the rows themselves are what a partitioner
 * needs, however the graph came here: an edge list that has both directions need not say so. Ends at the first arc
 * without its reverse, so it costs next to nothing for a directed graph. Takes 4 bytes per vertex; ST_LIMIT without. */
enum st arcs_paired(const struct graph *g, bool *out, struct err *err) MUST_USE;

#endif
