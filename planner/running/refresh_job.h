/* refresh_job.h - a plan and its next one (refresh_next.h), from and to files: opens what a refresh starts from, plans,
 * and saves. */
#ifndef PLANNER_RUNNING_REFRESH_JOB_H
#define PLANNER_RUNNING_REFRESH_JOB_H

#include "planner/decisions/epoch_interval.h"
#include "planner/options/options.h"
#include "planner/running/refresh_next.h"
#include "simulator/plan/plan_change.h"

struct refresh_source {
    const char *plan, *graph, *trace, *server; /* paths; graph and server NULL: the plan's */
};

struct refresh_node {
    struct plan before;
    struct trace trace;
};

struct refresh_job {
    struct graph graph;
    struct plan_change change;     /* of the graph, against that of the plan */
    struct nodes_network network;  /* its cluster has the server of every node; the rest is set of a cluster's plan */
    struct memories_request below; /* what lies below the GPUs of the plan; nodes 0: one host */
    doc *whole;                    /* plan.json of several nodes; owned; NULL: of one */
    int nodes;
    struct refresh_node *node; /* owned */
    struct refresh_next next;
    struct size_errors errors; /* what the seconds of simulated epochs are off by */
};

/* Opens plan, graph, server and recordings, one per node. *j: zeroed; refresh_job_end also after an error. ST_NO for a
 * plan that cannot be refreshed (refresh_check), or one node's part of several; ST_INPUT for a recording of another
 * server or graph; errors of loading them. */
enum st refresh_job_open(struct call *call, const struct refresh_source *from, struct refresh_job *j, struct err *err)
    MUST_USE;
/* Plans, chooses and weighs: cells as in refresh_cells for so many epochs and bytes. decide: keeps all rows where
 * loading takes longer than what those epochs save. Says on stderr who trains what otherwise, and what was decided. */
enum st refresh_job_plan(struct call *call, const struct study_args *study, double epochs, double move, bool decide,
                         struct refresh_job *j, struct err *err) MUST_USE;
/* Writes the next plan. stamp: borrowed; of one node; NULL: none. */
enum st refresh_job_save(struct refresh_job *j, const char *path, doc *stamp, struct err *err) MUST_USE;
void refresh_job_end(struct refresh_job *j); /* zeroed is allowed */

/* The plan of a node as it was (side 0), or as it is chosen (1). Borrowed. */
const struct plan *refresh_job_side(const struct refresh_job *j, int side, int node);

#endif
