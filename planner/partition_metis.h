/* partition_metis.h - the fence around METIS: 32-bit ids in Debian's build, prints to stdout, takes an empty graph badly. */
#ifndef PLANNER_PARTITION_METIS_H
#define PLANNER_PARTITION_METIS_H

#include "traces/graph.h"

/* About what a split takes: our symmetric copy and METIS's own levels (65 bytes per entry measured on graphs of 31 to 320 million entries). */
uint64_t metis_bytes(const struct graph *g);
/* False when the symmetric graph could have more entries than METIS's 32-bit indices can count. */
bool metis_possible(const struct graph *g);
/* part[v] in 0..parts-1; two constraints, vertices (10 %) and training vertices (3 %). parts >= 2, n >= 1. */
enum st metis_split(const struct graph *g, int parts, const double *share, uint64_t seed, uint8_t *part, struct err *err) MUST_USE;

#endif
