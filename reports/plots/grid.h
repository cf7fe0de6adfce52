/* grid.h - what one section of a comparison shows: the rows of one graph on one server, as a grid of policies by
 * budgets.
 *
 * Policies are sorted at the middle budget as in the terminal's table: the shortest epoch first, those without one by
 * their transactions, those without a number last, then by name; budgets by size. Where two rows claim one cell, the
 * later one stands and the earlier one is marked `replaced`.
 */
#ifndef REPORTS_PLOTS_GRID_H
#define REPORTS_PLOTS_GRID_H

#include "reports/figures/figures.h"
#include "reports/plots/result_rows.h"

enum { GRIDS_MAX = 64, GRID_BUDGETS_MAX = 64, GRID_POLICIES_MAX = 64, GRID_LABEL = 64, GRID_BUDGET_TEXT = 160 };

/* What places budgets on an axis: their share of the graph in percent, bytes per GPU, or their order. */
enum grid_axis { GRID_AXIS_SHARE, GRID_AXIS_BYTES, GRID_AXIS_ORDER };

struct grid_budget {
    const char *text;       /* as given, or NULL */
    const char *per;        /* " per GPU", " per clique" or "": what the text was given for */
    double bytes;           /* per GPU; NaN when unknown */
    double share;           /* of the graph, per clique; NaN when unknown */
    double x;               /* on the axis */
    char label[GRID_LABEL]; /* "5 %", "16 GiB" */
};

struct grid {
    struct figure_subject subject; /* the graph and the server */
    struct grid_budget budgets[GRID_BUDGETS_MAX];
    int budget_count;
    int middle; /* the budget that figures of one budget show */
    const char *policies[GRID_POLICIES_MAX];
    char label[GRID_POLICIES_MAX][STYLE_NAME]; /* how pages name them: "exact = hotset" */
    int policy_count;
    const struct result_row *cell[GRID_POLICIES_MAX][GRID_BUDGETS_MAX]; /* NULL where there is no row */
    enum grid_axis axis;
    double uncached, uncached_least; /* transactions per epoch with nothing cached: the most and the least of all rows;
                                        NaN when unknown */
    const doc *group[GRID_POLICIES_MAX]; /* the middle budget's rows, as results_sort has them, equals included */
    int group_count;
    int best; /* the first policy that is no yardstick; -1: none has a number */
};

struct grids {
    struct grid *list; /* owned */
    int count;
};

/* Groups all rows, and marks those that are replaced. out: zeroed by the caller, who releases it also after a failure;
 * it borrows rows. ST_LIMIT: more graphs on servers, policies or budgets than can be shown, or memory is out. */
enum st grids_make(struct result_rows *rows, struct grids *out, struct err *err) MUST_USE;
/* Frees the grids, not the rows; zeroed grids are allowed. */
void grids_release(struct grids *grids);

/* The row of a policy at a budget if it has numbers (status ok), else NULL. */
const struct result_row *grid_row(const struct grid *grid, int policy, int budget);
/* Seconds of an epoch of a policy at a budget; infinite where they are not known. */
double grid_seconds(const struct grid *grid, int policy, int budget);
#define GRID_NOTHING_CACHED "dgl-uva"
/* The middle budget's row of the policy that caches nothing; NULL where it was not run. */
const doc *grid_nothing_cached(const struct grid *grid);
/* Its transactions per epoch; NaN where it was not run. */
double grid_reads_uncached(const struct grid *grid);
/* The fewest transactions per epoch at a budget, yardsticks aside; NaN when no policy has a number. */
double grid_least(const struct grid *grid, int budget);
/* The name of a policy as readers see it, at most `most` characters, into out. Returns out. */
const char *grid_policy(const struct grid *grid, int policy, int most, char out[STYLE_NAME]);
/* Whether the grid is one policy at one budget: a plan, with nothing to compare. */
bool grid_is_plan(const struct grid *grid);
/* A budget in words, into out: "5 % per GPU (1.2 GiB per GPU, 40 % of the graph per clique)". Returns out. */
const char *grid_budget_text(const struct grid *grid, int budget, char out[GRID_BUDGET_TEXT]);
/* The families of the grid's policies into out, in the order of their best policies, yardsticks last. Returns how many.
 */
int grid_families(const struct grid *grid, enum family out[FAMILIES]);

enum { GRID_FIRST = 6 }; /* shown of many */

/* Copies a grid with at most GRID_FIRST of its policies, in its order: those that the answer names, the default, the
 * best of each family, then the next best, yardsticks last. The best policy is among them. Returns false when the grid
 * has no more, and *out all of them. *out borrows what the grid borrows. */
bool grid_first(const struct grid *grid, struct grid *out);

#endif
