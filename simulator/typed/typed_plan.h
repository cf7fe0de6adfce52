/* typed_plan.h - a plan for a typed graph (document plan/2): which GPU caches which rows of which type or relation,
 * what was predicted, what was simulated.
 *
 * A plan directory has plan.json and, for each GPU i, files of row numbers in fill order, hottest first: for table t of
 * kind feature gpu<i>_feature_<type>.npy (ids within the type), of kind topology gpu<i>_topology_<relation>.npy (ids
 * within the target type) and of kind edge_feature gpu<i>_edge_feature_<relation>.npy (positions in the relation's
 * indices.npy); <type> and <relation> are positions in graph.types and graph.relations. Tables that a GPU holds nothing
 * of have no file. Where a GPU holds some rows of a rounded type as the host does, gpu<i>_feature_<type>_exact.npy
 * lists those, in an entry of lists[] with `exact`. gpu<i>_train_<type>.npy are its training vertices.
 */
#ifndef SIMULATOR_TYPED_TYPED_PLAN_H
#define SIMULATOR_TYPED_TYPED_PLAN_H

#include "simulator/typed/typed_replay.h"

/* Expected reads of one clique and one table, per epoch. */
struct typed_expected {
    double reads, missed; /* reads, and those that the host serves */
    double transactions;  /* of the missed ones */
    double error;         /* relative errors of the rounded rows that GPUs serve, in sum; 0 where not measured */
    double overflowed;    /* reads of rounded rows with elements that overflow; they are not in error */
};

struct typed_plan {
    char policy[48], hotness[32];
    char server_name[64], server_fingerprint[80];
    uint64_t line_bytes, presample_epochs;
    struct typed_workload workload;
    struct assignment assignment;
    struct placement placement;
    uint64_t budget[GPUS_MAX];
    uint8_t links[GPUS_MAX][GPUS_MAX]; /* [reader][peer] bonded NVLinks */
    struct typed_expected *expected;   /* owned, [cliques][tables] */
    bool predicted_held_out;           /* false: the policy saw the evaluated epochs */
    doc *simulated;                    /* owned; NULL: turned off */
    doc *baselines;                    /* owned; what planning without types would cost; NULL: not simulated */
    doc *bound;    /* owned; a lower bound for every placement and the gap to it; NULL: not asked for */
    doc *rounding; /* owned; errors of rows that are held rounded (planner/study/rounding.h); NULL: not measured */
    doc *price;    /* owned; what an error costs, and how many rows are held rounded and exactly; NULL: no price */
    doc *alpha;    /* owned; legion: share of topology in each clique's budget; NULL: none */
};

void typed_plan_release(struct typed_plan *p); /* a zeroed struct is allowed */

/* Sorts every GPU's peers into serving order: widest link first, ties to the lower id. */
void typed_plan_order_peers(struct typed_plan *p);

/* Predicted transactions per epoch: of one table, or of all (table -1), each clique and table rounded half up. */
uint64_t typed_plan_predicted(const struct typed_plan *p, int tables, int table);

/* The member `simulated` of plan.json: totals, hit rates, one entry per table, one per GPU with its traffic in bytes
 * and its reads of every table by place. The caller frees it. */
doc *typed_simulated_document(const struct typed_plan *p, const struct graph *rows, const struct typed_replay *r);
/* The members `predicted` and `cliques` of plan.json. The caller frees them. */
doc *typed_predicted_document(const struct typed_plan *p, const struct graph *rows);
doc *typed_cliques_document(const struct typed_plan *p, const struct graph *rows);
/* {kind, type} or {kind, source, relation, target}: how documents name a table. The caller frees it. */
doc *typed_table_document(const struct graph *rows, int table);

/* The member `cache_types`: tables whose rows GPUs hold in another element type than the host; NULL: none. The caller
 * frees it. */
doc *typed_cached_document(const struct graph *rows);

/* Writes the plan directory, atomically. stamp: member `stamp`, borrowed; NULL: none. ST_INPUT when the path is taken,
 * ST_LIMIT when the disk is full. */
enum st typed_plan_save(const struct typed_plan *p, const struct graph *rows, const char *path, doc *stamp,
                        struct err *err) MUST_USE;
/* Reads and checks a plan directory. rows: of the plan's graph; its fingerprint is compared, and every list, budget and
 * checksum. Sets in which element types GPUs hold the tables of rows: those of this plan. Of the predictions the totals
 * per table are read, as those of the first clique. *out: to be released. ST_INPUT says what is wrong. */
enum st typed_plan_load(const char *path, struct graph *rows, struct typed_plan *out, struct err *err) MUST_USE;
/* *typed: whether `path` is a plan directory of schema plan/2. A fault is "no". ST_LIMIT without memory. */
enum st typed_plan_is(const char *path, bool *typed, struct err *err) MUST_USE;
/* The path of the graph that the plan states, or the same path as seen from the plan's folder, into out[PATH_BYTES].
 * ST_INPUT when the plan states none or no graph is there. */
enum st typed_plan_graph(const char *path, char out[PATH_BYTES], struct err *err) MUST_USE;

#endif
