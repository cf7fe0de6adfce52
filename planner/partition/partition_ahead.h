/* partition_ahead.h - cuts a graph in the ways that later calls will ask for, side by side.
 *
 * METIS uses one thread. A comparison of policies needs several cuts of the same graph (between cliques, between GPUs,
 * by vertices, by bytes), so as many are made at once as there are threads and as PARTITION_AHEAD_BYTES hold, while the
 * caller goes on with what needs none of them. Cuts by levels share the levels, and are made at once. The parts go into
 * the memo, where partition_graph finds them or waits for them: plans are the same with and without.
 */
#ifndef PLANNER_PARTITION_PARTITION_AHEAD_H
#define PLANNER_PARTITION_PARTITION_AHEAD_H

#include "planner/partition/partition.h"

enum { PARTITION_CUTS_MOST = 8 };
#define PARTITION_AHEAD_BYTES ((uint64_t)2 << 30)

struct partition_cut {
    const char *method; /* as partition_options.method */
    int parts;
    double share[PARTS_MAX];
};

struct partition_ahead; /* METIS's cuts under way */

/* METIS's runs that may take place at once on that graph: 1..threads. */
int partition_together(const struct graph *g, int threads);
/* Whether they take little enough of the memory that all may take (0: any) to go on while others are recorded. */
bool partition_beside(const struct graph *g, uint64_t memory, int threads);

/* Begins those cuts that are METIS's, and makes those by levels: two or more of a kind, not yet in o->memo and not
 * o->given. A cut that fails is left to the later call, which says why. cut: [count]; o: threads, seed, memory and memo
 * are used; graph and memo must stay until the end. With one thread METIS's are noted in the memo alone. NULL: none is
 * under way. */
struct partition_ahead *partition_ahead_begin(const struct graph *g, const struct partition_options *o,
                                              const struct partition_cut *cut, int count);
/* Makes one of METIS's cuts that studies of one thread each have left for whoever waits for another (they were
 * given to partition_ahead_begin). False: there is none. o: memo is used. */
bool partition_ahead_meanwhile(const struct graph *g, const struct partition_options *o);
/* Whether a cut was begun, so that who needs it should better come late. a: NULL has none. */
bool partition_ahead_has(const struct partition_ahead *a, const char *method, int parts);
/* Waits for the cuts that are being made; none is begun any more. NULL is allowed. */
void partition_ahead_end(struct partition_ahead *a);

#endif
