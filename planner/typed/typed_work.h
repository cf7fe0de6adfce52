/* typed_work.h - what the typed commands share: graph, server, workload, deal and recording. Private to planner/typed.
 */
#ifndef PLANNER_TYPED_TYPED_WORK_H
#define PLANNER_TYPED_TYPED_WORK_H

#include "planner/typed/typed_policy.h"
#include "planner/typed/typed_study.h"

struct typed_work {
    struct graph graph;
    struct server server;
    struct trace trace;
    const struct kernels *kernels;
    bool recorded; /* here, not loaded */
};

/* Refuses every option on the command line that is not in `known` (NULL-ended). ST_USAGE names it. */
enum st typed_only_options(const struct call *call, const char *const *known, struct err *err) MUST_USE;
/* Opens the graph and checks the workload options that typed graphs do not know. */
enum st typed_work_open(struct call *call, const struct typed_request *q, struct typed_work *w, struct err *err)
    MUST_USE;
/* Loads a server (file or profile) in the place of the one before. Errors of server_load. */
enum st typed_work_server(const char *name, struct typed_work *w, struct err *err) MUST_USE;
/* *out: what the options ask to train. Errors of workload_make. */
enum st typed_work_workload(const struct call *call, const struct typed_request *q, const struct typed_work *w,
                            struct workload *out, struct err *err) MUST_USE;
/* How training vertices are dealt when the user names no deal. */
struct typed_deal {
    bool global;  /* at random over all GPUs; else a part of the graph per clique */
    int samplers; /* GPUs that train nothing: the first ones; then at random over the others, whatever the user names */
};
/* What is made of a recording. */
struct typed_kept {
    int plans;                /* that are in memory together; 0: only the trace is wanted */
    bool sees;                /* some policy plans from the simulated epochs */
    uint64_t simulate_epochs; /* 0: none are simulated */
};
/* Estimates what the study takes, from the options or, with q->trace, from the trace that was loaded; says it from 1
 * GiB on. ST_LIMIT when a stage exceeds --memory. */
enum st typed_work_memory(const struct call *call, const struct typed_request *q, const struct typed_deal *by,
                          const struct typed_work *w, const struct typed_kept *kept, struct err *err) MUST_USE;
/* Deals the training vertices and records q->epochs epochs. */
enum st typed_work_record(struct call *call, const struct typed_request *q, const struct typed_deal *deal,
                          struct typed_work *w, struct err *err) MUST_USE;
void typed_work_close(struct typed_work *w); /* a zeroed struct is allowed */

#endif
