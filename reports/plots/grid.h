/* grid.h - what one set of plots shows: the rows of one graph on one server, as a grid of policies by budgets.
 *
 * Policies are sorted by their transactions at the middle budget, the fewest first (those without a number last, then
 * by name); budgets by size. Where two rows claim one cell, the later one stands and the earlier one is marked
 * `replaced`.
 */
#ifndef REPORTS_PLOTS_GRID_H
#define REPORTS_PLOTS_GRID_H

#include "reports/plots/result_rows.h"
#include "reports/formats/style.h"

enum { GRIDS_MAX = 64, BUDGETS_MAX = 64, POLICIES_MAX = 64, BUDGET_LABEL = 64 };

enum axis {
    AXIS_SHARE,
    AXIS_BYTES,
    AXIS_ORDER
}; /* what places budgets: percent of the graph, bytes per GPU, or their order */

struct budget {
    const char *text;         /* as given, or NULL */
    const char *per;          /* " per GPU", " per clique" or "" */
    double bytes, share;      /* NaN when unknown */
    double x;                 /* on the axis */
    char label[BUDGET_LABEL]; /* "5 %", "16GiB" */
};

struct grid {
    const char *graph, *server;
    char slug[2 * STYLE_TEXT + 8];
    struct budget budgets[BUDGETS_MAX];
    int budget_count, middle; /* middle: the one that single-budget figures show */
    const char *policies[POLICIES_MAX];
    int policy_count;
    const struct row *cell[POLICIES_MAX][BUDGETS_MAX]; /* NULL where there is no row */
    enum axis axis;
    double uncached, uncached_least; /* transactions per epoch with nothing cached, the most and the least of all rows;
                                        NaN when unknown */
    int best; /* policy with the fewest transactions at the middle budget; -1 when none has a number */
};

struct grids {
    struct grid *list;
    int count;
};

enum st grids_make(struct rows *rows, struct grids *out, struct err *err) MUST_USE; /* borrows rows */
void grids_release(struct grids *s);

/* The row of a policy at a budget if it has numbers (status ok), else NULL. */
const struct row *grid_row(const struct grid *s, int policy, int budget);

/* The families of the scene's policies, the one with the best policy first, yardsticks last. Returns how many. */
int grid_families(const struct grid *s, enum family out[FAMILIES]);

#endif
