/* place_problem.h - rows, the memories (places) that may hold them, and the readers that need them.
 *
 * Nodes are alike. Each has the memories of `cliques` groups of GPUs and `homes` (the DRAM of a socket is one); place
 * (cliques + homes) * node + i is group i, then home i - cliques. A reader takes a row from the cheapest memory that
 * has it: the GPUs of its own clique, a home of its node, those of any other node, or the last memory (SSDs), which has
 * all rows. So a solution costs the sum over rows and readers of demand * the least cost. GPUs hold copies only:
 * without a last memory every row that is there is in some home. The rows of a place take at most its capacity. Demand
 * and cost have any units whose product is wanted: reads per epoch and seconds per read, or bytes and seconds per byte.
 *
 * Where a row lies is a set of places, a bit each; given which homes of its node and whether another node has the row,
 * every clique decides for itself. So the cheapest set of a row is found in nodes * 2^homes * readers steps, for any
 * number of places.
 */
#ifndef PLANNER_PLACES_PLACE_PROBLEM_H
#define PLANNER_PLACES_PLACE_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "simulator/plan/plan_places.h"

enum { PLACES_MAX = 1024, PLACE_HOMES_MAX = 8, PLACE_READERS_MAX = 72 /* of a node */ };
/* Kinds of reads, which differ in cost: of topology, then of features of each size. */
enum place_read { PLACE_TOPOLOGY, PLACE_FEATURE, PLACE_READ_KINDS_MAX = PLAN_READS_MAX };

struct place_problem { /* arrays are borrowed */
    uint64_t rows, topology_rows;
    const uint64_t *bytes;     /* [rows]; 0: the row is not there, and nobody needs it */
    const uint64_t *gpu_bytes; /* [rows] on GPUs, where they hold rows rounded; 0 where `bytes` are; NULL: the same */
    const uint8_t *kind;       /* [rows] of its reads, below `kinds`; NULL: topology_rows of topology, then features */
    int kinds;                 /* with `kind` */
    int nodes, cliques, homes, readers;
    int clique_of[PLACE_READERS_MAX]; /* 0..cliques-1; -1: no GPU memory is near */
    const float *const *demand;       /* [nodes * readers] arrays of [rows], finite, >= 0 */
    double gpus[PLACE_READ_KINDS_MAX]
               [PLACE_READERS_MAX]; /* cost of a read from the own clique's GPUs; all costs are >= 0 */
    double home[PLACE_READ_KINDS_MAX][PLACE_READERS_MAX][PLACE_HOMES_MAX]; /* .. from homes of the own node */
    double remote[PLACE_READ_KINDS_MAX][PLACE_READERS_MAX];                /* .. from homes of another node */
    double last[PLACE_READ_KINDS_MAX][PLACE_READERS_MAX];                  /* .. from the last memory */
    bool has_last;
    bool topology_home;            /* the last memory cannot be read for topology: every row of it is in some home */
    uint64_t capacity[PLACES_MAX]; /* bytes; UINT64_MAX: no limit */
};

static inline int place_read_kinds(const struct place_problem *p) { return p->kind ? p->kinds : PLACE_FEATURE + 1; }
static inline int place_read_kind(const struct place_problem *p, uint64_t row)
{
    return p->kind ? p->kind[row] : row >= p->topology_rows;
}
/* Whether the last memory serves a kind of reads; and whether a row needs a home. */
static inline bool place_last_serves(const struct place_problem *p, int kind)
{
    return p->has_last && !(p->topology_home && kind == PLACE_TOPOLOGY);
}
static inline bool place_needs_home(const struct place_problem *p, uint64_t row)
{
    return p->bytes[row] && !place_last_serves(p, place_read_kind(p, row));
}
static inline int place_count(const struct place_problem *p) { return p->nodes * (p->cliques + p->homes); }
static inline bool place_is_home(const struct place_problem *p, int k)
{
    return k % (p->cliques + p->homes) >= p->cliques;
}

/* Bytes that a row takes on place k. */
static inline uint64_t place_bytes(const struct place_problem *p, int k, uint64_t row)
{
    return p->gpu_bytes && !place_is_home(p, k) ? p->gpu_bytes[row] : p->bytes[row];
}
static inline uint64_t place_gpu_bytes(const struct place_problem *p, uint64_t row)
{
    return p->gpu_bytes ? p->gpu_bytes[row] : p->bytes[row];
}

/* Sets of places: `stride` bytes per row. */
struct place_solution {
    uint8_t *held; /* [rows * stride]; owned */
    int stride;
    uint64_t used[PLACES_MAX];
    double cost;
};
static inline int place_stride(const struct place_problem *p) { return (place_count(p) + 7) / 8; }
static inline bool place_holds(const uint8_t *set, int k) { return set[k >> 3] >> (k & 7) & 1; }
static inline void place_add(uint8_t *set, int k) { set[k >> 3] |= (uint8_t)(1 << (k & 7)); }
static inline void place_drop(uint8_t *set, int k) { set[k >> 3] &= (uint8_t) ~(1 << (k & 7)); }
static inline uint8_t *place_set_of(const struct place_solution *s, uint64_t row)
{
    return s->held + row * (uint64_t)s->stride;
}
void place_solution_release(struct place_solution *s); /* a zeroed struct is allowed */

/* Least costs of homes, other nodes and the last memory by what has a row: what readers pay who have no copy. */
struct place_table {
    const struct place_problem *p; /* borrowed */
    double *base;                  /* [rows kinds][2][2^sockets][readers]; owned */
};
/* p: checked. Release with place_table_release. ST_LIMIT without memory. */
enum st place_table_make(const struct place_problem *p, struct place_table *out, struct err *err) MUST_USE;
void place_table_release(struct place_table *t); /* a zeroed struct is allowed */

/* ST_USAGE, with a sentence, for numbers that are not as described above; ST_LIMIT for 2^32 rows or more. */
enum st place_check(const struct place_problem *p, struct err *err) MUST_USE;
/* What the reads of a row by the readers of a node cost when `set` holds it; elsewhere: another node's home has it.
 * INFINITY when a reader that needs it cannot. */
double place_node_cost(const struct place_table *t, uint64_t row, int node, const uint8_t *set, bool elsewhere);
/* The same over all nodes. */
double place_row_cost(const struct place_table *t, uint64_t row, const uint8_t *set);
/* Reads and prices of bytes (price[places] each; INFINITY: not allowed) of a row in its cheapest set; INFINITY when
 * there is none. single: at most one home holds it. set: gets it; NULL: not wanted. Ties go to fewer places. */
double place_cheapest(const struct place_table *t, uint64_t row, const double *price, bool single, uint8_t *set);
/* Sets used and cost from held. ST_INPUT, naming the row or place, for a row without a home or a place that is too
 * full: a solver of this room is checked by it. */
enum st place_judge(const struct place_problem *p, struct place_solution *s, struct err *err) MUST_USE;

#endif
