/* plan.h - the plan document (schema plan/1): who holds which row, what was predicted, what was simulated.
 *
 * A struct plan that plan_load returned obeys: ids below the graph's vertices and unique per list, training sets
 * disjoint, stated counts, bytes and checksums equal to the files', no budget exceeded, peers and cliques name GPUs
 * of the plan.
 */
#ifndef SIMULATOR_PLAN_PLAN_H
#define SIMULATOR_PLAN_PLAN_H

#include "simulator/replay/placement.h"
#include "simulator/replay/replay.h"
#include "traces/graph/graph.h"

struct plan_sweep {
    double alpha;
    uint64_t topology, feature;
};

/* Transactions are per epoch. */
struct plan_clique {
    double alpha;               /* share of the budget (legion) or of the bytes held (others) for topology */
    uint64_t topology, feature; /* predicted transactions */
    struct plan_sweep *sweep;   /* owned; NULL when there was none */
    int sweep_count;
    bool regret_known;
    uint64_t regret; /* transactions per epoch that the best point of the sweep costs above this plan, as predicted */
};

struct plan {
    char policy[48];
    char server_name[64], server_fingerprint[80];
    uint64_t line_bytes;
    struct workload workload;
    struct assignment assignment;
    struct placement placement;
    uint64_t budget[GPUS_MAX], index_bytes[GPUS_MAX];
    char cache[16]; /* dynamic: features are held per GPU by this rule (cache.h), empty at first, and feature lists are
                       empty; "": static */
    uint64_t cache_rows[GPUS_MAX];     /* dynamic: capacity, at most the graph's vertices; within the budget with the
                                          topology rows */
    uint8_t links[GPUS_MAX][GPUS_MAX]; /* NVLinks from reader to peer, for the order of serving */
    int pcie_switch[GPUS_MAX], socket[GPUS_MAX]; /* -1 unknown */
    struct plan_clique clique[GPUS_MAX];
    double predicted_feature_hit,
        predicted_topology_hit; /* shares of feature rows and of topology visits; NaN when nothing was read */
    bool interval_known;
    double predicted_low, predicted_high; /* 95 % interval of the total transactions per epoch that training will see */
    bool predicted_held_out;              /* false: the policy saw the evaluated epochs (oracle) */
    char hotness[32], assignment_source[16];
    doc *bound;  /* what no placement can beat, and the gap to it; owned; NULL when not asked for */
    doc *stated; /* further members of plan.json that the policy states: its options, what only it knows; owned; NULL:
                    none */
    uint64_t presample_epochs; /* that the plan was made from; 0: not known */
    doc *simulated;            /* owned; NULL when turned off */
};

void plan_release(struct plan *p);                            /* zeroed is allowed */
void plan_state(struct plan *p, const char *key, doc *value); /* adds a member to `stated`; takes value */

struct plan_totals {
    uint64_t topology, feature, total;
};
struct plan_totals plan_predicted(const struct plan *p);

/* Orders every GPU's peers by link width (widest first), ties to the lower id. */
void plan_order_peers(struct plan *p);

/* Gives every GPU a cache by that rule, of as many rows as its budget has room for beside the topology rows. cache:
 * may be p->cache. */
void plan_set_cache(struct plan *p, const char *cache, const struct graph *graph);

/* Bytes that GPU g's rows of each kind take. */
uint64_t plan_topology_bytes(const struct plan *p, int g, const struct graph *graph);
uint64_t plan_feature_bytes(const struct plan *p, int g, const struct graph *graph);

/* Adds topology_transactions, feature_transactions and total_transactions (their sum), per epoch, to d. */
void plan_put_transactions(doc *d, uint64_t topology, uint64_t feature);
/* The members of `predicted`; null when the plan is dynamic. */
doc *plan_predicted_document(const struct plan *p);
/* The cliques[] array of plan.json. */
doc *plan_cliques_document(const struct plan *p, const struct graph *graph);

enum st plan_save(const struct plan *p, const struct graph *graph, const char *path, doc *stamp, struct err *err)
    MUST_USE;
/* graph: the graph that the plan is for; its counts and fingerprint are compared. */
enum st plan_load(const char *path, const struct graph *graph, struct plan *out, struct err *err) MUST_USE;
/* Where the plan says its graph lies; ST_INPUT when it does not say. out[PATH_BYTES]. */
enum st plan_graph_path(const char *path, char out[PATH_BYTES], struct err *err) MUST_USE;

#endif
