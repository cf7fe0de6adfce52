/* partition_metis.h - the fence around METIS: 32-bit ids in Debian's build, prints to stdout, takes an empty graph
 * badly, and catches signals: so it works in a child process, which also bounds what an abort of its can end. */
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
/* The share of edges, at most `wanted`, that METIS can hold in `bytes`; 0: none. */
double metis_share(const struct graph *g, double wanted, uint64_t bytes);
/* part[v] in 0..parts-1; two constraints, vertices (10 %) and training vertices (3 %). parts >= 2, n >= 1. */
enum st metis_split(const struct graph *g, double kept, int parts, const double *share, uint64_t seed, uint8_t *part,
                    struct err *err) MUST_USE;

/* The same of a small weighted graph: between[k * k], symmetric, without arcs where 0; vertices of size[k] vertices
 * and trains[k] training vertices each. Slack 3 % for both. part: [k]. */
enum st metis_split_matrix(int k, const uint32_t *between, const uint64_t *size, const uint64_t *trains, int parts,
                           const double *share, uint64_t seed, uint8_t *part, struct err *err) MUST_USE;
uint64_t metis_matrix_bytes(int k);

/* The same of a level with weights of arcs, stored in both directions (or without weights: the finest level, whose
 * rows are made symmetric first). Slack 10 % for vertices, 3 % for training vertices. part: [n]. */
enum st metis_split_level(const struct level *l, int parts, const double *share, uint64_t seed, uint8_t *part,
                          struct err *err) MUST_USE;

#endif
