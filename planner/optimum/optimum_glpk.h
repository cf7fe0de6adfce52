/* optimum_glpk.h - the only file that calls GLPK: linear programs (lp) whose columns are generated as they are needed,
 * and small integer ones.
 *
 * GLPK aborts the process when it meets a fault or runs out of memory, and prints to the terminal while doing so: both
 * end here, as ST_LIMIT with its own words. One caller at a time is let in. A build without GLPK (which is under GPL-3)
 * answers ST_MISSING, "absent".
 *
 * Minimise cost'x subject to row'x <= high (or = high) and x >= 0. The caller starts with columns that make a feasible
 * basis and adds more in `price`, which sees the duals of every optimum so far; it is done when nothing was added.
 */
#ifndef PLANNER_OPTIMUM_OPTIMUM_GLPK_H
#define PLANNER_OPTIMUM_OPTIMUM_GLPK_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

struct lp_columns { /* arrays are owned */
    int count, capacity, entries, entry_capacity;
    double *cost;
    int *basic_for; /* row whose place in the first basis the column takes; -1: none */
    int *start;     /* first entry of each column */
    int *row;       /* [entries] 0.. */
    double *value;  /* [entries] */
};
/* Begins a column. basic_for: row whose place in the first basis it takes; -1: none. ST_LIMIT without memory. */
enum st glpk_column_begin(struct lp_columns *c, double cost, int basic_for, struct err *err) MUST_USE;
/* Adds an entry to the column begun last; each row once. ST_LIMIT without memory. */
enum st glpk_column_entry(struct lp_columns *c, int row, double value, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void lp_columns_release(struct lp_columns *c);

struct lp_problem {
    int rows;
    const double *high; /* [rows] */
    const bool *equal;  /* [rows] */
    struct lp_columns *columns;
    enum st (*price)(void *context, const double *dual, double objective,
                     struct err *err); /* appends to columns; dual: [rows] */
    void *context;
    bool integer; /* then also with every column an integer, within `nodes` nodes of the search */
    int nodes;
    double seconds; /* 0: no limit */
    int megabytes;  /* GLPK's own memory; 0: no limit */
};
struct lp_result {
    double *value; /* [columns], owned */
    double objective;
    bool feasible, optimal, stopped; /* stopped: by the clock; value is then the best so far, if feasible */
};

/* "GLPK 5.0"; NULL: this build has none. */
const char *glpk_solver(void);
/* Solves; the caller frees out->value. ST_MISSING without GLPK; ST_LIMIT when GLPK failed or memory ended. A time limit
 * is no error: out->stopped. */
enum st glpk_solve(const struct lp_problem *p, struct lp_result *out, struct err *err) MUST_USE;

#endif
