/* typed_study.h - the planning commands on graphs with several types: from options to documents.
 *
 * The steps are those of graphs with one type: deal, recording, estimates, placement, check, prediction, held-out
 * simulation. Options that do not work on typed graphs yet are refused by name, never ignored.
 */
#ifndef PLANNER_TYPED_TYPED_STUDY_H
#define PLANNER_TYPED_TYPED_STUDY_H

#include "planner/study/options.h"

/* What the commands were asked; texts are borrowed, NULL where an option was not given. */
struct typed_request {
    const char *graph, *server, *trace, *policy, *hotness, *budget, *clique_budget, *reserve, *deal, *partition,
        *output, *cache_type, *features;
    const struct workload_args *workload;
    bool bound;              /* also compute a lower bound */
    double error_price;      /* of --error-price; negative: not given */
    int64_t epochs;          /* to record, >= 1 */
    int64_t simulate_epochs; /* -1: as many as give 200 mini-batches; 0: none */
    int64_t simulate_seed;   /* -1: derived from the seed */
};

/* What options that commands share ask; the rest is NULL. Pointers are borrowed. */
struct typed_request typed_request_of(const struct study_args *study, const struct workload_args *workload);

/* Makes a plan directory of schema plan/2 and prints it. Errors as 'hotset plan'. */
enum st typed_plan_run(struct call *call, const struct typed_request *q, struct err *err) MUST_USE;
/* Plans and simulates policies x budgets x servers (policy, budget and server are lists) and prints or writes
 * results/1. Errors as 'hotset compare'. */
enum st typed_compare_run(struct call *call, const struct typed_request *q, struct err *err) MUST_USE;
/* Makes a trace directory of schema trace/2 and prints it. Errors as 'hotset trace record'. */
enum st typed_record_run(struct call *call, const struct typed_request *q, struct err *err) MUST_USE;
/* Writes the plan call->words[0] (plan/2) as look-up tables. target: must be npy. ST_NO for another one; errors as
 * 'hotset export'. */
enum st typed_export_run(struct call *call, const char *graph, const char *target, const char *folder, struct err *err)
    MUST_USE;

/* Compares the plans call->words[0] and [1] (plan/2): rows that move, table by table. Errors as 'hotset diff'. */
enum st typed_diff_run(struct call *call, const char *graph, struct err *err) MUST_USE;

#endif
