/* arcs_paired.h - whether a graph is symmetric, by its arcs and not by what its directory says. */
#ifndef PLANNER_PARTITION_ARCS_PAIRED_H
#define PLANNER_PARTITION_ARCS_PAIRED_H

#include "traces/graph/graph.h"

/* *out: every arc is stored in both directions and every row rises. Then the rows themselves are what a partitioner
 * needs, however the graph came here: an edge list that has both directions need not say so. (Which method is taken,
 * and what memory it is expected to take, follow what graph.json says, as they are chosen before.) Ends at the first
 * arc without its reverse, which in a directed graph comes early. Rows have fewer than 2^32 entries. Takes 4 bytes per
 * vertex; ST_LIMIT without. */
enum st arcs_paired(const struct graph *g, bool *out, struct err *err) MUST_USE;

#endif
