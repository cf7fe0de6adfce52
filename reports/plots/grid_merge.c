#include "reports/plots/grid.h"

#include <math.h>
#include <string.h>

#include "reports/results/results_answer.h"

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_rates(const struct result_rates *a, const struct result_rates *b)
{
    return same_number(a->feature_hit, b->feature_hit) && same_number(a->topology_hit, b->topology_hit) &&
           same_number(a->topology, b->topology) && same_number(a->feature, b->feature) &&
           same_number(a->total, b->total);
}

static bool same_row(const struct result_row *a, const struct result_row *b)
{
    if (!a || !b) return !a && !b;
    return a->status == ROW_OK && b->status == ROW_OK && !isnan(row_total(a)) &&
           !strcmp(a->reach ? a->reach : "", b->reach ? b->reach : "") && same_rates(&a->simulated, &b->simulated) &&
           (!isnan(a->simulated.total) || same_rates(&a->predicted, &b->predicted)) &&
           same_number(a->uncached, b->uncached) && same_number(a->max_socket, b->max_socket);
}

static bool same_policy(const struct grid *grid, int a, int b)
{
    bool any = false, same = true;
    for (int k = 0; k < grid->budget_count && same; k++) {
        same = same_row(grid->cell[a][k], grid->cell[b][k]);
        any |= grid_row(grid, a, k) != NULL;
    }
    return any && same;
}

/* The policy that stands for `first` and its equals. label: names it first. */
static int stand_for(const struct grid *grid, int first, bool gone[GRID_POLICIES_MAX], char label[STYLE_NAME])
{
    const char *name[GRID_POLICIES_MAX];
    int at[GRID_POLICIES_MAX], equals = 0;
    for (int p = first; p < grid->policy_count; p++) {
        if (gone[p] || (p > first && !same_policy(grid, first, p))) continue;
        gone[p] = true;
        at[equals] = p;
        name[equals++] = grid->policies[p];
    }
    return at[results_names(name, (uint64_t)equals, true, label, STYLE_NAME)];
}

void grid_merge(struct grid *grid)
{
    bool gone[GRID_POLICIES_MAX] = {false};
    int kept = 0, old = grid->best;
    for (int p = 0; p < grid->policy_count; p++) {
        bool before = old >= 0 && gone[old];
        if (gone[p]) continue;
        int best = stand_for(grid, p, gone, grid->label[kept]);
        if (old >= 0 && gone[old] && !before) grid->best = kept;
        memmove(grid->cell[kept], grid->cell[best], sizeof grid->cell[0]); /* places before p are free */
        grid->policies[kept++] = grid->policies[best];
    }
    grid->policy_count = kept;
}
