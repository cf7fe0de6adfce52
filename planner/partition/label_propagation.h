/* label_propagation.h - parts by label propagation, for graphs that METIS cannot hold (in the style of XtraPuLP: Slota
 * et al., IPDPS'17; clusters first, as in Meyerhenke, Sanders and Schulz, "Partitioning complex networks via
 * size-constrained clustering", SEA'14).
 *
 * 1. Clusters: labels of up to LABEL_CLUSTERS random vertices spread along the rows. A vertex takes the label that most
 *    of its neighbours have, while that cluster has room; vertices that no label reaches are put into clusters by id.
 * 2. The clusters, few enough for METIS whatever the graph, are split into parts by the arcs between them, balanced on
 *    vertices and training vertices.
 * 3. Refinement: vertices move to the part where most of their neighbours are, while that part has room for vertices
 *    (5 %) and training vertices (2 %).
 * Vertices are processed in blocks: those of a block choose in parallel by what was before the block, and move one
 * after the other in the order of ids, so the result is the same on any number of threads. Only rows are read: which
 * rows list a vertex is not known without a second copy of the graph.
 */
#ifndef PLANNER_PARTITION_LABEL_PROPAGATION_H
#define PLANNER_PARTITION_LABEL_PROPAGATION_H

#include "traces/graph/graph.h"

enum { LABEL_CLUSTERS = 2048 };

/* part: [n], set to 0..parts-1. parts: 2..PARTS_MAX, n >= 1; share: [parts] positive weights. Takes
 * label_propagation_bytes; ST_LIMIT without them. */
enum st label_propagation_split(const struct graph *g, int parts, const double *share, uint64_t seed, int threads,
                                uint8_t *part, struct err *err) MUST_USE;
/* Bytes at the peak: 2.2 per vertex, and up to 0.4 GiB for the clusters. */
uint64_t label_propagation_bytes(const struct graph *g, int threads);

#endif
