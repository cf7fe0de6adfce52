/* self_reliant.h - PaGraph's self-reliant partitions (SoCC'20, algorithm 1 and equation 1): training vertices that
 * share neighbours within L hops come together, and each partition has a copy of everything that its training vertices
 * can reach in L hops.
 *
 * Training vertices are scanned in file order. Partition i scores |TV_i and IN(v)| * (|TV|/K - |TV_i|) / |PV_i|,
 * compared exactly. Ties (for example, no partition has a neighbour) go to the partition with the fewest vertices, then
 * to the lower position. A partition with ceil(|TV|/K) training vertices is full.
 *
 * The released code (zhiqi-0/PaGraph, partition/dg.py) scores (1 + |TV_i and IN(v)|) * (0.65 n/K - |TV_i|) /
 * (1 + |PV_i|) instead, n vertices, and has no limit: where another share than 65 % of the vertices trains, partitions
 * differ in size. Ties go to the partition with fewer training vertices, then (numpy leaves it open) to the lower
 * position.
 */
#ifndef PLANNER_PARTITION_SELF_RELIANT_H
#define PLANNER_PARTITION_SELF_RELIANT_H

#include "hwprofiles/model/server.h"
#include "traces/graph/graph.h"
#include "traces/recording/assignment.h"

#define SELF_RELIANT_PUBLIC "public" /* assignment.partition of partitions by the released code's score */
enum self_reliant_score { SCORE_PAPER, SCORE_PUBLIC };
/* A partition per GPU; hops: L; *out says "public" for the score of the released code. Takes n (8 + gpus / 8) bytes,
 * and the time of one L-hop search per training vertex. The caller releases *out. ST_INPUT when the server does not
 * state its links, ST_LIMIT without memory. */
enum st assign_self_reliant(const struct graph *g, const struct server *s, int hops, enum self_reliant_score score,
                            struct assignment *out, struct err *err) MUST_USE;

/* What training vertices reach in `hops` hops. */
struct self_reliant {
    uint64_t vertices, arcs; /* of the partition; rows are kept of vertices less than `hops` hops away */
    uint64_t *listed;        /* [n] 0: not in it; else 1 + in how many of its rows the vertex is listed; owned */
};
/* train: [count] vertex ids. Release *out with self_reliant_release. ST_LIMIT without memory. */
enum st self_reliant_make(const struct graph *g, const uint32_t *train, uint64_t count, int hops,
                          struct self_reliant *out, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void self_reliant_release(struct self_reliant *p);

#endif
