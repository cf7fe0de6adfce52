/* export_runs.h - the plan as a runtime will execute it, simulated and compared with the plan itself.
 *
 * The first run is the plan. Then comes one run for each thing that the runtime cannot honour: the plan without that
 * thing alone, where that can be simulated. The last one is the plan as the runtime will run it. All runs see the same
 * held-out epochs; runs with another assignment of training vertices are simulated in passes of their own. Lists of a
 * run's placement are borrowed: from the plan, or from what the runs own.
 */
#ifndef PLANNER_EXPORTS_EXPORT_RUNS_H
#define PLANNER_EXPORTS_EXPORT_RUNS_H

#include "simulator/plan/plan.h"

enum { EXPORT_RUNS = 14, EXPORT_OWNED = 8 * GPUS_MAX };

/* How a runtime draws mini-batches, where it does not as the plan does. */
struct export_draws {
    bool shuffled; /* training vertices are shuffled in every epoch, whatever order the plan has them in */
    bool plain;    /* uniform in place of labor or biased; with `labor`, LABOR without iterations and dependencies */
    bool new_frontier; /* a hop expands what the previous one found first, and a row is read once per mini-batch */
    bool layers;       /* hops and reads go by layers */
    bool all_frontier; /* a hop expands every vertex so far */
};

struct export_run {
    char what[120], why[700];
    bool simulate;                       /* false: a remark without a number */
    bool as_run;                         /* the last one */
    struct placement placement;          /* lists borrowed */
    const struct assignment *assignment; /* NULL: the plan's */
    const char *cache;                   /* features in a dynamic cache per GPU, `rows` each; NULL: static lists */
    uint64_t rows[GPUS_MAX];
    struct export_draws draws;
    uint64_t row_bytes;   /* of a feature row as the runtime keeps it; 0: the graph's */
    struct replay result; /* owned */
};

struct export_runs {
    const struct plan *plan;
    const struct graph *graph;   /* of the simulation, borrowed */
    bool labor, order, together; /* as the target's (export.h) */
    struct export_draws
        draws;              /* of how it will run: the lacks add to it (export_lack_workload, export_lack_frontier) */
    struct export_run *run; /* owned, [EXPORT_RUNS] */
    int count;
    struct assignment other[2]; /* owned: of a runtime that deals for itself */
    void *owned[EXPORT_OWNED];
    int owned_count;
};

/* Starts with the plan (borrowed) as the first run. Release with export_runs_release. ST_LIMIT without memory. */
enum st export_runs_begin(struct export_runs *r, const struct plan *plan, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void export_runs_release(struct export_runs *r);

/* Adds a thing that the runtime cannot honour. *out (may be NULL): the new run, a copy of the plan's placement to take
 * that thing from; not simulated unless `simulate` is set. why: whole sentences. */
enum st export_lack(struct export_runs *r, struct export_run **out, const char *what, struct err *err, const char *why,
                    ...) MUST_USE PRINTF_LIKE(5, 6);
/* Adds how it will run: a copy of the plan's placement, simulated. why: whole sentences. */
enum st export_as_run(struct export_runs *r, struct export_run **out, struct err *err, const char *why, ...)
    MUST_USE PRINTF_LIKE(4, 5);

/* *out: a zeroed list of count ids that the runs own. ST_LIMIT without memory. */
enum st export_runs_list(struct export_runs *r, uint64_t count, uint32_t **out, struct err *err) MUST_USE;
/* Takes the lists of a placement over, which is left without them. */
enum st export_runs_take(struct export_runs *r, struct export_run *run, struct placement *from, struct err *err)
    MUST_USE;

/* Removes all topology rows; true when there were some. */
bool export_run_no_topology(struct export_run *run);
/* Removes feature rows of edges, from lists that the runs then own. *taken: whether there were some. ST_LIMIT without
 * memory. */
enum st export_run_no_edges(struct export_runs *r, struct export_run *run, const struct graph *g, bool *taken,
                            struct err *err) MUST_USE;
/* Removes all peers; true when there were some. */
bool export_run_no_peers(struct export_run *run);
/* Removes peers beyond the clique; true when there were some. */
bool export_run_clique_peers(struct export_run *run, const struct assignment *a);
/* Lets every GPU sample for itself and read what it lacks line by line. */
void export_run_reads(struct export_run *run);
/* Keeps one copy of each row per clique: the one that stands hottest in its list (ties: the lower GPU). lists: [gpus]
 * of ids below n; kept: [gpus] room for what is left, which the lists then are; their own ids will do. *taken: whether
 * copies were removed. ST_LIMIT without memory. */
enum st export_once_per_clique(const struct assignment *a, struct row_list *lists, uint64_t n, uint32_t *const *kept,
                               bool *taken, struct err *err) MUST_USE;
/* The same of a run's feature rows, n of them, with lists that the runs own. */
enum st export_run_once_per_clique(struct export_runs *r, struct export_run *run, uint64_t n, bool *taken,
                                   struct err *err) MUST_USE;

/* Simulates all runs on the request's epochs. request: of the plan. Errors of the replay. */
enum st export_runs_simulate(struct export_runs *r, const struct replay_request *request, struct err *err) MUST_USE;

/* {epochs, seed, plan{..}, without[]{what, why, ..}, as_run{..}}: rates, transactions per epoch and difference to the
 * plan. The caller frees it. */
doc *export_runs_document(const struct export_runs *r);
/* What the target cannot honour, and a table of the runs, for people. */
void export_runs_print(const struct export_runs *r, const char *target, FILE *to);

#endif
