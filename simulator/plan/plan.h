/* plan.h - a plan (document plan/1, or plan/2 for a graph that is not plain): which GPU caches which rows, what was
 * predicted, what was simulated.
 *
 * plan_load checks what it reads: ids are below the graph's vertices and unique per list; training sets are disjoint;
 * counts, bytes and checksums are those of the files; no budget is exceeded; peers and cliques name GPUs of the plan.
 * One thread uses a plan at a time.
 *
 * A plan directory has plan.json and files of row numbers in fill order, hottest first. plan/1: for each GPU i
 * gpu<i>_topology.npy, gpu<i>_feature.npy and gpu<i>_train.npy, vertex ids. plan/2: for table t of kind feature
 * gpu<i>_feature_<type>.npy (ids within the type), of kind topology gpu<i>_topology_<relation>.npy (ids within the
 * target type) and of kind edge_feature gpu<i>_edge_feature_<relation>.npy (positions in the relation's indices.npy);
 * <type> and <relation> are positions in graph.types and graph.relations. Tables that a GPU holds nothing of have no
 * file. gpu<i>_train_<type>.npy are its training vertices. Both schemas: gpu<i>_order.npy, where the order has a circle
 * (traces/sampling/order.h), ids among the vertices of all types.
 */
#ifndef SIMULATOR_PLAN_PLAN_H
#define SIMULATOR_PLAN_PLAN_H

#include "simulator/plan/plan_places.h"
#include "simulator/replay/placement.h"
#include "simulator/replay/replay.h"
#include "traces/graph/graph.h"
#include "traces/recording/trace_parts.h"

/* One point of the alpha sweep: predicted transactions per epoch. */
struct plan_sweep {
    double alpha;
    uint64_t topology, feature;
};

/* Expected reads of one clique and one table of rows, per epoch. */
struct plan_expected {
    double reads, missed; /* reads, and those that the host serves */
    double transactions;  /* of the missed ones */
    double error;         /* relative errors of the rounded rows that GPUs serve, in sum; 0 where not measured */
    double overflowed;    /* reads of rounded rows with elements that overflow; they are not in error */
};

/* One clique. Transactions are per epoch. */
struct plan_clique {
    double alpha;               /* share of topology in the budget (legion) or in the bytes held (other policies) */
    uint64_t topology, feature; /* predicted transactions */
    struct plan_sweep *sweep;   /* [sweep_count], owned; NULL: no sweep */
    int sweep_count;
    bool regret_known;
    uint64_t regret; /* predicted transactions of the best point of the sweep, less those of this plan */
};

struct plan_totals {
    uint64_t topology, feature, total; /* transactions per epoch */
};

/* What a replay counted under a plan (simulator/movement/simulated.h): `simulated` in documents. */
struct simulated_sums {
    uint64_t rows[READ_SOURCES], visits[READ_SOURCES]; /* of feature rows and of topology rows, over the epochs */
    struct plan_totals transactions;
    uint64_t pcie_wire, nvlink, most_of_a_link; /* bytes per epoch */
};
struct simulated {
    struct replay replay;       /* owned */
    double part;                /* of the reads, that GPUs do; the CPU trains the rest */
    struct simulated_sums sums; /* of that part */
    uint64_t low, high;         /* the replay's interval of the transactions; 0: not known */
    double error;               /* predicted / simulated - 1; NaN: nothing is predicted */
    struct epoch_timed *time;   /* simulator/movement/epoch_document.h; owned; NULL: no epoch times were asked for */
    struct memories_read *memories; /* simulator/movement/memories_read.h; owned; NULL: none */
};
void simulated_free(struct simulated *s); /* NULL is allowed */

/* What the plan is expected to read, beside what no placement can go below. */
struct plan_gap {
    uint64_t bound, expected; /* transactions per epoch */
    double gap;               /* expected / bound - 1; NaN: the bound is 0 and the plan is not */
};
struct plan_bound {
    bool asked, known, slowest_known, stage_known;
    struct plan_gap total, slowest;          /* slowest: of the busiest PCIe switch */
    double stage, stage_expected, stage_gap; /* of the transfer stage, seconds per epoch */
    const char *reason; /* why there is no number, or what weakens it; a constant; NULL: nothing does */
};

/* Another plan, of a policy that knows less, on the same draws. */
enum { PLAN_BASELINES = 2 };
struct plan_baseline {
    char policy[16];
    uint64_t transactions;
};

struct plan {
    char policy[48];
    char server_name[64], server_fingerprint[80];
    doc *server; /* the document server/1 of its server; owned; NULL: an older plan */
    uint64_t line_bytes;
    struct workload workload;
    struct assignment assignment;
    struct placement placement;
    uint64_t budget[GPUS_MAX], index_bytes[GPUS_MAX];
    /* A dynamic plan: every GPU holds features in a cache with this replacement rule (simulator/caches/cache.h), which
     * is empty at first, and feature lists are empty. "": a static plan. */
    char cache[16];
    uint64_t cache_rows[GPUS_MAX];     /* capacity of a dynamic cache: at most the vertices, and within the budget */
    uint8_t links[GPUS_MAX][GPUS_MAX]; /* [reader][peer] bonded NVLinks, for the serving order */
    int pcie_switch[GPUS_MAX], socket[GPUS_MAX]; /* numbers; -1: unknown */
    struct plan_clique clique[GPUS_MAX];
    double predicted_feature_hit;  /* share of feature rows that caches serve; NaN when no row is read */
    double predicted_topology_hit; /* share of topology visits that caches serve; NaN likewise */
    bool interval_known;
    bool interval_assumed; /* of a share of the total that is assumed: one recorded epoch shows no noise */
    double predicted_low, predicted_high; /* interval of the total transactions per epoch in training: of 95 %, unless
                                             it is assumed */
    bool folds_known;
    uint64_t fold_left[FOLDS_MAX]; /* transactions left in each fold that planning saw, in 1 / 1024; not written */
    bool predicted_held_out;       /* false: the policy saw the evaluated epochs (oracle) */
    double cpu_share; /* of every mini-batch that the CPU trains, 0..1. It reads the host's memory without PCIe, so what
                         is predicted and simulated is what the GPUs read for the rest */
    char hotness[32]; /* name of the hotness metric */
    int tables;       /* of expected */
    struct plan_expected *expected; /* [cliques][tables], owned; NULL: of a plain graph */
    struct plan_bound bound;
    doc *notes;                  /* members of plan.json that say how it was made (NOTE_KEYS); owned; NULL: none */
    struct plan_places *places;  /* the memories below the GPUs; owned; NULL: the host alone */
    uint64_t presample_epochs;   /* of the trace that the plan was made from; 0: not known */
    struct simulated *simulated; /* owned; NULL: turned off */
    bool baselines_known;        /* others were simulated, too */
    int baselines;
    struct plan_baseline baseline[PLAN_BASELINES];
};

void plan_release(struct plan *p); /* a zeroed struct is allowed */
/* Adds a member to `notes`; takes value. */
void plan_note(struct plan *p, const char *key, doc *value);

/* Sets cpu_share, and everything predicted from the old share to the new one. graph: read for several types only. */
void plan_set_cpu_share(struct plan *p, double share, const struct graph *graph);

/* Transactions per epoch that are expected of one table, or of all (-1), each clique and table rounded half up. */
uint64_t plan_expected_transactions(const struct plan *p, int table);
/* Sets what follows from `expected`: the transactions of every clique, and the hit rates. */
void plan_sum_expected(struct plan *p, const struct graph *graph);

/* Predicted transactions per epoch, summed over the cliques. */
struct plan_totals plan_predicted(const struct plan *p);

/* Sorts every GPU's peers into serving order: widest link first, ties to the lower id. */
void plan_order_peers(struct plan *p);

/* Makes the plan dynamic: every GPU gets a cache of this rule with as many rows as fit the budget minus its topology
 * rows, at most the graph's vertices. cache: may be p->cache. */
void plan_set_cache(struct plan *p, const char *cache, const struct graph *graph);

/* Bytes of GPU g's look-up from vertex to (memory, slot): a direct table for both kinds (8 bytes per vertex), or a hash
 * table of the rows in reach (16 bytes per row, half full), whichever is smaller. n: vertices. */
uint64_t plan_index_bytes(const struct plan *p, int g, uint64_t n);

/* Adds topology_transactions, feature_transactions and total_transactions, their sum, to d. */
void plan_put_transactions(doc *d, uint64_t topology, uint64_t feature);
/* The member `predicted`, owned by the caller; its members are null when the plan is dynamic. */
doc *plan_predicted_document(const struct plan *p, const struct graph *graph);
/* The members `bound` and `baselines`, owned by the caller; null where nothing was asked. */
doc *plan_bound_document(const struct plan_bound *b);
doc *plan_baselines_document(const struct plan *p);
/* Transactions of that plan over those of p, as simulated; NaN: p leaves none. */
double plan_baseline_ratio(const struct plan *p, const struct plan_baseline *b);
/* The member `cliques`, owned by the caller. */
doc *plan_cliques_document(const struct plan *p, const struct graph *graph);
/* {kind, type} or {kind, source, relation, target}: how documents name a table; of a plain graph {kind}. The caller
 * frees it. */
doc *plan_table_document(const struct graph *graph, int table);
/* Whether an entry of tables[] or lists[] names that table. */
bool plan_table_is(const struct graph *graph, int table, const doc *entry);
/* Of plan.json: "plan/1" of a plain graph, else "plan/2" (static). */
static inline const char *plan_schema(const struct graph *g) { return graph_plain(g) ? "plan/1" : "plan/2"; }
/* The file of GPU id's rows of a table, of its training vertices of a type (0 of a plain graph), and of their circle.
 */
enum { PLAN_FILE_NAME = 64 };
void plan_list_file(const struct graph *graph, int id, int table, char out[PLAN_FILE_NAME]);
void plan_train_file(const struct graph *graph, int id, int type, char out[PLAN_FILE_NAME]);
void plan_order_file(int id, char out[PLAN_FILE_NAME]);
/* The member `cache_types`: tables whose rows GPUs hold in another element type than the host; NULL: none. The caller
 * frees it. */
doc *plan_cached_document(const struct graph *graph);

/* Writes a plan directory, atomically. simulated, stamp: these members, borrowed; stamp NULL: none. ST_INPUT when
 * the path is taken, ST_LIMIT when the disk is full. */
enum st plan_save(const struct plan *p, const struct graph *graph, const char *path, const doc *simulated,
                  const doc *stamp, struct err *err) MUST_USE;
/* Reads and checks a plan directory. graph: the plan's graph; its counts and fingerprint are compared, and the element
 * types in which GPUs hold features are set to those of the plan. Of a plan/2 the predictions are read per table, as
 * those of the first clique. *out: to be released. ST_INPUT says what is wrong. */
enum st plan_load(const char *path, struct graph *graph, struct plan *out, struct err *err) MUST_USE;
/* Checks what plan.json, of schema plan/1, says by itself: what plan_load checks without a graph and the arrays.
 * ST_INPUT. */
enum st plan_check_stated(const char *path, struct err *err) MUST_USE;
/* *several: whether `path` is a plan directory of schema plan/2. A fault is "no". ST_LIMIT without memory. */
enum st plan_has_types(const char *path, bool *several, struct err *err) MUST_USE;
/* The path of the graph that the plan states, or the same path as seen from the plan's folder, into out[PATH_BYTES].
 * ST_INPUT when the plan states none or no graph is there. */
enum st plan_graph_path(const char *path, char out[PATH_BYTES], struct err *err) MUST_USE;

#endif
