/* partition.h - splits a graph into parts with few cut edges and balanced training vertices (measured: BENCH.md beside
 * this file; model/cliques.md).
 *
 * "auto" is METIS k-way with two constraints (vertices, training vertices) up to METIS_AUTO_ENTRIES arcs, then
 * clusters by levels (multilevel.h): a function of the graph alone, so that equal inputs give equal plans everywhere.
 * "reads"
 * begins with the same and then moves training vertices so that fewer rows are read and the rows that each part gathers
 * are balanced (reads.h); "reads-draws" balances the neighbours that each part draws, which computing takes time for;
 * "reads-fewest" balances neither where clearly fewer rows are read then: numbers of training vertices alone.
 * "metis-sampled" shows METIS a keyed random share of the edges (Legion, section 6.6): METIS_SAMPLED_PERCENT, or as
 * many as it can hold in METIS_AUTO_BYTES. "metis-bytes" balances the bytes of topology rows instead of vertices (DSP's
 * patches). "stream" is one pass in id order (linear deterministic greedy: Stanton and Kliot, KDD'12), "hash" ignores
 * edges. Then training vertices move, least loss first, until every part is within 2 % of its share. Deterministic for
 * a seed, on any number of threads.
 */
#ifndef PLANNER_PARTITION_PARTITION_H
#define PLANNER_PARTITION_PARTITION_H

#include <string.h>

#include "planner/partition/parts.h"
#include "traces/graph/graph.h"
#include "traces/sampling/workload.h"

struct partition_memo;
enum { PARTITION_HELD_MOST = 16 };
enum { METIS_SAMPLED_PERCENT = 25 };
#define METIS_AUTO_BYTES ((uint64_t)16 << 30)
#define METIS_AUTO_ENTRIES ((uint64_t)1 << 25) /* beyond, METIS takes more than about ten seconds */
/* With more arcs, METIS and levels take long where there are no parts to be found. Cuts for reads then begin with
 * "hash". */
#define PARTITION_PASS_ARCS ((uint64_t)1 << 21)

#define PARTITION_WORDS "auto|metis|metis-bytes|metis-sampled|multilevel|reads|reads-draws|reads-fewest|stream|hash"
#define PARTITION_GONE                                                                                                 \
    "lp is no method any more; write multilevel, which cuts fewer arcs, or stream, which takes a byte per vertex"
struct partition_options {
    const char *method; /* one of PARTITION_WORDS */
    uint64_t seed;
    uint64_t memory;             /* bytes that METIS may take (ST_LIMIT beyond); 0: no limit */
    int threads;                 /* 0: one; parts do not depend on it */
    struct partition_memo *memo; /* parts that were found before (partition_memo.h); NULL: nothing is kept */
    bool keeps_lists;            /* other cuts for reads will follow: the memo keeps what training vertices read */
    bool quick;                  /* cuts for reads look at fewer of the rows (reads_lists.h) */

    const uint8_t *given; /* [n] parts that another program found: taken instead of `method`, then balanced; or NULL */
    bool kept;            /* the given parts stay as they are: nothing is balanced */

    /* For "reads"; zeroed is allowed. */
    const struct workload *workload; /* what is sampled; NULL: fan-outs 25,10 and mini-batches of 8000 */
    const uint8_t *group;            /* [parts] parts that share their memory (GPUs of a clique), numbered from 0; NULL:
                                        none do. "multilevel" puts parts with many arcs between them into one group */
    double held[PARTITION_HELD_MOST]; /* shares of the graph's bytes that one GPU might hold, ascending */
    int held_count;                   /* 0: 1, 2, 4 and 8 % */
};

struct partition_report {
    char method[16];      /* what was used: a method but "auto", "none" (one part), or "given" */
    uint64_t cut;         /* stored arcs between parts */
    uint64_t moved;       /* training vertices that were moved for balance */
    uint64_t metis_bytes; /* estimate of what METIS takes on this graph */
};

/* The method for a policy that wants parts of equal bytes: "metis-bytes" where `method` is "auto" and stands for METIS
 * on this graph, else `method`. */
const char *partition_by_bytes(const struct graph *g, const char *method);
/* Bytes that the method takes at its peak, in addition to the parts and 16 per training vertex. */
uint64_t partition_bytes(const struct graph *g, int parts, const char *method, int threads);

/* part: [n], set to 0..parts-1. share: [parts] positive weights; parts get training vertices in proportion (within 3 %,
 * or one vertex; "reads-draws" within an eighth and two, without one more mini-batch). parts: 1..PARTS_MAX. ST_LIMIT
 * when METIS cannot hold the graph or memory ends. */
enum st partition_graph(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                        uint8_t *part, struct partition_report *report, struct err *err) MUST_USE;

/* A method of deals that are planned: "auto", or "hash" where one pass finds no parts. */
#define PARTITION_AUTO_OR_HASH "auto-or-hash"
/* What stands for `method` in such deals. */
static inline const char *partition_planned(const char *method)
{
    return strcmp(method, "auto") ? method : PARTITION_AUTO_OR_HASH;
}

/* The method that finds the first parts: what "auto" stands for on this graph, and what PARTITION_AUTO_OR_HASH is and
 * "reads" begins with, for which one pass may be made (kept in o->memo). o: memo, seed and threads are used. */
const char *partition_first_method(const struct graph *g, const struct partition_options *o, const char *method);
/* Without looking at the graph's arcs: of the methods that it may be, the one that takes most memory. */
const char *partition_first_costliest(const struct graph *g, const char *method);
/* Whether that method, resolved for g, ends with reads_refine; and the method that finds the first parts. */
bool partition_reads(const struct graph *g, const struct partition_options *o, const char *method, const char **first);
/* Finishes parts that were found piece by piece: with `reads` reads_refine, then balance; the cut is counted. Errors of
 * reads_refine. */
enum st partition_finish(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                         bool reads, uint8_t *part, struct partition_report *report, struct err *err) MUST_USE;

#endif
