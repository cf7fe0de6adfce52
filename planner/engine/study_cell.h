/* study_cell.h - one cell of a comparison: one policy at one budget on the study's graph and server.
 *
 * The caller sets what is planned (policy, options, metric, budget); the study sets the rest. Zeroed is the empty cell.
 */
#ifndef PLANNER_ENGINE_STUDY_CELL_H
#define PLANNER_ENGINE_STUDY_CELL_H

#include "planner/policies/policy.h"
#include "planner/engine/budget.h"

struct study_recording;

struct study_cell {
    const struct policy *policy;
    bool scout;          /* tells a deal or an order from others: nothing is searched for */
    int number;          /* of the study's cells; names the cell's files in a checkpoint */
    const char *hotness; /* NULL: the policy's own metric; else one that policy_check_hotness allows */
    bool options_given;  /* false: the policy's default options */
    double option[POLICY_OPTIONS];
    const struct given_lists *lists; /* of a policy of one's own (own_lists.h); NULL: the study's. Borrowed */
    struct budget budget;
    /* below: set by study_plan_all */
    uint64_t budget_bytes[GPUS_MAX];   /* of each GPU */
    struct study_recording *recording; /* borrowed from the study */
    struct plan plan;                  /* owned */
    bool sampled;                      /* the plan numbers the rows of recording->thin, and reads are those of all */
    struct policy_verdict verdict;
    int samplers;             /* chosen by the policy from predicted epoch times; 0: its default rule */
    double split[GPUS_MAX];   /* epoch seconds by number of samplers, when they were chosen; NaN: not possible */
    double seconds;           /* of planning, without recording */
    doc *dynamic;             /* owned: counts of a dynamic cache, set by study_simulate */
    struct study_cell *other; /* owned: the same cell on the other nodes (study_memories.h), `others` of them */
    int others;
    doc *traffic; /* owned: what passes the NICs of a cluster file (nodes_network_document.h); NULL: not simulated */
};

/* The metric that the cell ranks by. Borrowed. */
const char *study_cell_hotness(const struct study_cell *c);
/* Where the cell's rates come from; RATE_SOURCES when its policy needs no estimates. */
enum rate_source study_cell_source(const struct study_cell *c);
/* The cell on a node; 0: itself. */
static inline const struct study_cell *study_cell_of(const struct study_cell *c, int node)
{
    return node ? &c->other[node - 1] : c;
}
/* Frees plans and counts; a zeroed cell is allowed. */
void study_cell_release(struct study_cell *c);

/* ST_OK when the policy made a plan; else why it did not: ST_MISSING when something is absent here, else ST_NO. */
enum st study_cell_verdict(const struct study_cell *cell, struct err *err) MUST_USE;

#endif
