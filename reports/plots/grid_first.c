/* grid_first.c - the policies that a page shows first; see grid.h. */
#include "reports/plots/grid.h"

#include <math.h>
#include <string.h>

static bool has_number(const struct grid *grid, int policy)
{
    const struct result_row *r = grid_row(grid, policy, grid->middle);
    return r && !isnan(row_total(r));
}

/* The best policy of each family, yardsticks aside. Returns how many. */
static int pick_families(const struct grid *grid, bool *pick)
{
    bool seen[FAMILIES] = {[FAMILY_YARDSTICK] = true};
    int n = 0;
    for (int p = 0; p < grid->policy_count && n < GRID_FIRST; p++) {
        enum family f = style_look(grid->policies[p]).family;
        if (seen[f] || !has_number(grid, p)) continue;
        seen[f] = pick[p] = true;
        n++;
    }
    return n;
}

/* The next best, yardsticks and policies without a number last. */
static void pick_next(const struct grid *grid, bool *pick, int picked)
{
    for (int rest = 0; rest < 2; rest++)
        for (int p = 0; p < grid->policy_count && picked < GRID_FIRST; p++) {
            bool last = !has_number(grid, p) || style_look(grid->policies[p]).family == FAMILY_YARDSTICK;
            if (pick[p] || last != rest) continue;
            pick[p] = true;
            picked++;
        }
}

bool grid_first(const struct grid *grid, struct grid *out)
{
    bool pick[GRID_POLICIES_MAX] = {false};
    *out = *grid;
    if (grid->policy_count <= GRID_FEW) return false;
    pick_next(grid, pick, pick_families(grid, pick));
    out->policy_count = 0;
    for (int p = 0; p < grid->policy_count; p++) {
        if (!pick[p]) continue;
        if (p == grid->best) out->best = out->policy_count;
        memcpy(out->cell[out->policy_count], grid->cell[p], sizeof out->cell[0]);
        memcpy(out->label[out->policy_count], grid->label[p], sizeof out->label[0]);
        out->policies[out->policy_count++] = grid->policies[p];
    }
    return true;
}
