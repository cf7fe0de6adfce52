/* export_runs.h - what a runtime makes of a plan, judged beside the plan itself.
 *
 * The first run is the plan. Then one run for each thing that the runtime cannot express: the plan without that thing
 * alone, where that can be simulated. The last one is the plan as the runtime will run it. All runs see the same
 * held-out epochs; runs that deal the training vertices otherwise are judged in passes of their own. Lists of a run's
 * placement are borrowed: from the plan, or from what the runs own.
 */
#ifndef PLANNER_EXPORTS_EXPORT_RUNS_H
#define PLANNER_EXPORTS_EXPORT_RUNS_H

#include "simulator/plan/plan.h"

enum { EXPORT_RUNS = 14, EXPORT_OWNED = 4 * GPUS_MAX };

struct export_run {
    char what[120], why[700];
    bool simulate; /* false: a remark without a number */
    bool as_run;
    struct placement placement;          /* lists borrowed */
    const struct assignment *assignment; /* NULL: the plan's */
    const char *cache;                   /* features in a dynamic cache per GPU, `rows` each; NULL: static lists */
    uint64_t rows[GPUS_MAX];
    bool shuffled;        /* training vertices are shuffled in every epoch, whatever order the plan has them in */
    uint64_t row_bytes;   /* of a feature row as the runtime keeps it; 0: the graph's */
    struct replay result; /* owned */
};

struct export_runs {
    const struct plan *plan;
    struct export_run *run; /* owned, [EXPORT_RUNS] */
    int count;
    struct assignment other[2]; /* owned: of a runtime that deals for itself */
    void *owned[EXPORT_OWNED];
    int owned_count;
};

/* Starts with the plan as the first run. */
enum st export_runs_begin(struct export_runs *r, const struct plan *plan, struct err *err) MUST_USE;
void export_runs_release(struct export_runs *r); /* zeroed is allowed */

/* A thing that cannot be expressed; the new run is a copy of the plan's placement to take that thing from, and is not
 * simulated unless `simulate` is set. why: whole sentences. */
enum st export_lack(struct export_runs *r, struct export_run **out, const char *what, struct err *err, const char *why,
                    ...) MUST_USE PRINTF_LIKE(5, 6);
/* How it will run: a copy of the plan's placement, simulated. */
enum st export_as_run(struct export_runs *r, struct export_run **out, struct err *err, const char *why, ...)
    MUST_USE PRINTF_LIKE(4, 5);

/* A zeroed list of ids that the runs own. */
enum st export_runs_list(struct export_runs *r, uint64_t count, uint32_t **out, struct err *err) MUST_USE;
/* Takes lists over from a placement, which is left without them. */
enum st export_runs_take(struct export_runs *r, struct export_run *run, struct placement *from, struct err *err)
    MUST_USE;

/* Takes things from a run's placement; those that return bool say whether there was something to take. */
bool export_run_no_topology(struct export_run *run);
bool export_run_no_peers(struct export_run *run);
bool export_run_clique_peers(struct export_run *run,
                             const struct assignment *a); /* NVLink reads inside the clique only */
/* Every GPU samples for itself and reads what it lacks line by line. */
void export_run_reads(struct export_run *run);
/* Leaves the copy of a feature row that stands hottest in its list (ties: the lower GPU) of those in one clique. */
enum st export_run_once_per_clique(struct export_runs *r, struct export_run *run, uint64_t n, bool *taken,
                                   struct err *err) MUST_USE;

/* Judges all runs on r->epochs epochs. request: of the plan. */
enum st export_runs_simulate(struct export_runs *r, const struct replay_request *request, struct err *err) MUST_USE;

/* {epochs, seed, plan{..}, without[]{what, why, ..}, as_run{..}}: rates, transactions per epoch and difference to the
 * plan. */
doc *export_runs_document(const struct export_runs *r);
void export_runs_print(const struct export_runs *r, const char *target, FILE *to);

#endif
