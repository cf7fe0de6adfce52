/* compare.h - the grid of policies x budgets on one server after the other.
 *
 * A comparison is zeroed, then filled by comparison_policies (and comparison_hotness); it owns what cache words become.
 */
#ifndef PLANNER_RESULTS_COMPARE_H
#define PLANNER_RESULTS_COMPARE_H

#include "planner/options/job_array.h"
#include "planner/options/option_uses.h"
#include "planner/options/own_lists.h"
#include "planner/options/site.h"
#include "simulator/caches/cache.h"

enum { COMPARISON_POLICIES = 64 };

struct comparison {
    struct budget budget[BUDGET_LIST_MAX];
    const struct policy *policy[COMPARISON_POLICIES];
    double option[COMPARISON_POLICIES][POLICY_OPTIONS];
    int budgets, policies, caches, owns;
    struct policy cache[CACHES_MAX]; /* of words "cache:NAME": nothing is planned, the whole budget holds features by
                                        that rule */
    char cache_name[CACHES_MAX][48];
    struct own_lists own[OWN_LISTS_MOST]; /* of words NAME=lists:DIR */
    const char *hotness;                  /* NULL: every policy's own */
    struct checkpoint *checkpoint;        /* where finished steps are kept; NULL: nowhere */
    const float *measured;                /* [items] errors of rows that GPUs hold rounded; NULL: not measured */
    const struct options_given *given;    /* rows state what of it their policies do not use; NULL: nothing */
    const struct memory_args *memory;     /* what lies below the GPUs */
    const char *lists;                    /* folder of --from-lists, of policy "lists", whose train files say for all
                                             policies who trains what; NULL: none */
    struct job_array_task task;           /* only cells of this task; parts 0: all of them */
    int server;                           /* number of the server that is compared, for the names there */
    uint64_t before;                      /* cells of the servers before it */
    bool batch_said;                      /* that a mini-batch is all that a GPU trains */
    struct premises premises;             /* of the servers */
};

/* Adds the policies that `names` names, behind "lists" where c->lists is set: "all" (every registered one that plans
 * such graphs), or names parted by commas; "cache:lru" is a dynamic cache, "mine=lists:DIR" a policy of one's own
 * (own_lists.h). Of several types also those that results_tables_gain compares with. ST_USAGE for unknown ones. */
enum st comparison_policies(struct comparison *c, const struct graph *g, const char *names, struct err *err) MUST_USE;
/* Ranks by another metric in all of them. ST_USAGE when a policy cannot take it, or when none can; all: those that
 * cannot are left out instead. */
enum st comparison_hotness(struct comparison *c, const char *hotness, bool all, struct err *err) MUST_USE;

/* Drops policies and budgets that are listed more than once, and says so on stderr. */
void comparison_drop_twins(const struct call *call, struct comparison *c);

/* Plans and simulates every cell on the server `name` (file or profile; NULL: that of the cluster file), which
 * becomes that of the site (graph and workload are there), with the memories below its GPUs, and on several nodes, as
 * `memory` says; appends one row of results/1 per cell to `rows`, budget by budget, behind each budget's policies
 * hotset at other reaches; with parts, of its cells only, as {"cell", "recording", "row"}
 * (job_array.h). Adds the cells to c->before. Errors of reading the server, of budgets, recording and planning; a
 * policy that cannot make a plan is a row with a status, not an error. */
enum st comparison_server(struct comparison *c, struct site *site, const struct study_args *a, const char *name,
                          doc *rows, struct err *err) MUST_USE;
/* Only adds the server's cells to c->before. */
enum st comparison_count(struct comparison *c, struct site *site, const struct study_args *a, const char *name,
                         struct err *err) MUST_USE;

#endif
