/* label_propagation.h - parts by label propagation, for graphs that METIS cannot hold (in the style of XtraPuLP: Slota
 * et al., IPDPS'17; clusters first, as in Meyerhenke, Sanders and Schulz, "Partitioning complex networks via
 * size-constrained clustering", SEA'14).
 *
 * 1. Clusters: labels of up to LABEL_CLUSTERS random vertices spread along the rows. A vertex takes the label that most
 *    of its neighbours have, while that cluster has room; what no label reaches is put into clusters by id.
 * 2. The clusters, few enough for METIS whatever the graph, are split into parts by the arcs between them, balanced
 * on vertices and training vertices.
 * 3. Refinement: vertices move to the part where most of their neighbours are, while that part has room for vertices
 * (5 %) and training vertices (2 %). Vertices are looked at in blocks: all of a block choose by what was before it,
 * in parallel, and move one after the other in the order of ids. So the result is the same on any number of threads.
 * Only rows are read: who lists a vertex is not known without a second copy of the graph.
 */
#ifndef PLANNER_PARTITION_LABEL_PROPAGATION_H
#define PLANNER_PARTITION_LABEL_PROPAGATION_H

#include "traces/graph/graph.h"

enum { LABEL_CLUSTERS = 2048 };

/* part[v] in 0..parts-1. parts >= 2, n >= 1. Takes label_propagation_bytes. */
enum st label_propagation_split(const struct graph *g, int parts, const double *share, uint64_t seed, int threads,
                                uint8_t *part, struct err *err) MUST_USE;
/* 2.2 bytes per vertex, and up to 0.4 GiB for the clusters. */
uint64_t label_propagation_bytes(const struct graph *g, int threads);

#endif
