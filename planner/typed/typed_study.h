/* typed_study.h - the planning commands on graphs with several types: from options to documents.
 *
 * The steps are those of graphs with one type: deal, recording, estimates, placement, check, prediction, held-out
 * simulation. Options that do not work on typed graphs yet are refused by name, never ignored.
 */
#ifndef PLANNER_TYPED_TYPED_STUDY_H
#define PLANNER_TYPED_TYPED_STUDY_H

#include "planner/study/options.h"

/* What 'hotset simulate' is asked of a plan for a typed graph. */
struct typed_simulation {
    const char *graph;   /* NULL: the plan's */
    int64_t epochs;      /* 0: as many as give 200 mini-batches */
    const char *batches; /* folder for the mini-batches; NULL: they are counted and printed instead */
    int64_t gpu;         /* the one GPU whose mini-batches are written; -1: all */
};
/* Replays the plan call->words[0] (plan/2) on held-out epochs. Errors as 'hotset simulate'. */
enum st typed_simulate_run(struct call *call, const struct typed_simulation *q, struct err *err) MUST_USE;
/* Checks the plan call->words[0] (plan/2) and its graph. ST_NO names what is wrong. */
enum st typed_verify_run(struct call *call, const char *graph, struct err *err) MUST_USE;

/* Writes the plan call->words[0] (plan/2) as look-up tables. target: must be npy. ST_NO for another one; errors as
 * 'hotset export'. */
enum st typed_export_run(struct call *call, const char *graph, const char *target, const char *folder, struct err *err)
    MUST_USE;

/* Compares the plans call->words[0] and [1] (plan/2): rows that move, table by table. Errors as 'hotset diff'. */
enum st typed_diff_run(struct call *call, const char *graph, struct err *err) MUST_USE;
/* Explains the plan call->words[0] (plan/2): what every type and relation gets and why, or with vertex ("TYPE:ID") the
 * rows of one vertex. trace NULL: recorded again; only: a type or relation, or NULL. Errors as 'hotset explain'. */
enum st typed_explain_run(struct call *call, const char *graph, const char *trace, const char *vertex, const char *only,
                          struct err *err) MUST_USE;

#endif
