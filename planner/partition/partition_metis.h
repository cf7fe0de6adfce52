/* partition_metis.h - the only file that calls METIS.
 *
 * Debian's build has 32-bit ids, prints to stdout, does not survive an empty graph, and catches signals. So it works in
 * a child process; what aborts there ends as an error here. METIS sees the share `kept` of the edges (0..1, 1 for all):
 * those whose keyed hash falls below it, in both directions or in none.
 */
#ifndef PLANNER_PARTITION_PARTITION_METIS_H
#define PLANNER_PARTITION_PARTITION_METIS_H

#include "planner/partition/coarsen.h"
#include "traces/graph/graph.h"

/* METIS sees the share `kept` of the edges, 1 for all: those whose keyed hash falls below it, in both directions or
 * none. */

/* Entries of the symmetric graph, at most. */
uint64_t metis_entries(const struct graph *g);
/* About what a split takes: our symmetric copy and METIS's own levels (65 bytes per entry measured on graphs of 31 to
 * 320 million entries). */
uint64_t metis_bytes(const struct graph *g, double kept);
/* False when the symmetric graph could have more entries than METIS's 32-bit indices can count. */
bool metis_possible(const struct graph *g, double kept);
/* The share of edges, at most `most`, that METIS can hold in `bytes`; 0: none. */
double metis_share(const struct graph *g, double most, uint64_t bytes);
/* part: [n], set to 0..parts-1, under two constraints: vertices (10 %), or with by_bytes the bytes of their topology
 * rows (3 %), and training vertices (3 %).
 * parts: 2..PARTS_MAX, n >= 1; share: [parts] positive weights. ST_LIMIT when METIS fails, with a method to take
 * instead. */
enum st metis_split(const struct graph *g, double kept, int parts, const double *share, uint64_t seed, bool by_bytes,
                    uint8_t *part, struct err *err) MUST_USE;

/* The same of a level with weights of arcs, stored in both directions (or without weights: the finest level, whose
 * rows are made symmetric first). Slack 10 % for vertices, 3 % for training vertices. part: [n]. */
enum st metis_split_level(const struct level *l, int parts, const double *share, uint64_t seed, uint8_t *part,
                          struct err *err) MUST_USE;

#endif
