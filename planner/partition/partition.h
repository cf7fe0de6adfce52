/* partition.h - splits a graph into parts with few cut edges and balanced training vertices (MODEL.md, section 2, step
 * 2).
 *
 * "auto" is METIS k-way with two constraints (vertices, training vertices) where it would take at most
 * METIS_AUTO_BYTES, whatever the machine, so that equal inputs give equal plans everywhere; else label propagation
 * (label_propagation.h). "metis-sampled" shows METIS a keyed random share of the edges (Legion, section 6.6):
 * METIS_SAMPLED_PERCENT, or as many as it can hold in METIS_AUTO_BYTES. "stream" is one pass in id order (linear
 * deterministic greedy: Stanton and Kliot, KDD'12), "hash" ignores edges. Then training vertices move, least loss
 * first, until every part is within 2 % of its share. Deterministic for a seed, on any number of threads.
 */
#ifndef PLANNER_PARTITION_PARTITION_H
#define PLANNER_PARTITION_PARTITION_H

#include "planner/partition/parts.h"
#include "traces/graph/graph.h"

enum { METIS_SAMPLED_PERCENT = 25 };
#define METIS_AUTO_BYTES ((uint64_t)16 << 30)

#define PARTITION_WORDS "auto|metis|metis-sampled|lp|stream|hash"
struct partition_options {
    const char *method; /* one of PARTITION_WORDS; lp: label propagation */
    uint64_t seed;
    uint64_t memory; /* bytes that METIS may take (ST_LIMIT beyond); 0: no limit */
    int threads;     /* 0: one; parts do not depend on it */
};

struct partition_report {
    char method[16];      /* what was used: a method but "auto", or "none" (one part) */
    uint64_t cut;         /* stored arcs between parts */
    uint64_t moved;       /* training vertices that were moved for balance */
    uint64_t metis_bytes; /* estimate of what METIS takes on this graph */
};

/* Bytes that the method takes at its peak, beside the parts and 16 per training vertex. */
uint64_t partition_bytes(const struct graph *g, int parts, const char *method, int threads);

/* part: [n], set to 0..parts-1. share: [parts] positive weights; parts get training vertices in proportion (within 3 %,
 * or one vertex). parts: 1..PARTS_MAX. ST_LIMIT when METIS cannot hold the graph or memory ends. */
enum st partition_graph(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                        uint8_t *part, struct partition_report *report, struct err *err) MUST_USE;

#endif
