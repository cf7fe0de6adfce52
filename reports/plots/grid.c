/* grid.c - grouping rows; see grid.h. */
#include "reports/plots/grid.h"
#include "reports/results/results_answer.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_budget(const struct grid_budget *b, const struct result_row *r)
{
    if (b->text && r->budget && !strcmp(b->text, r->budget) && !strcmp(b->per, r->per)) return true;
    if (!isnan(b->bytes) && !isnan(r->budget_bytes)) return b->bytes == r->budget_bytes && !(b->text && r->budget);
    return !b->text && !r->budget && same_number(b->bytes, r->budget_bytes) && same_number(b->share, r->share);
}

static enum st budget_find(struct grid *grid, const struct result_row *r, struct err *err)
{
    struct grid_budget *b;
    for (int i = 0; i < grid->budget_count; i++) {
        b = &grid->budgets[i];
        if (!same_budget(b, r)) continue;
        if (!b->text) b->text = r->budget;
        if (isnan(b->bytes)) b->bytes = r->budget_bytes;
        if (isnan(b->share)) b->share = r->share;
        return ST_OK;
    }
    if (grid->budget_count == GRID_BUDGETS_MAX)
        return err_set(err, ST_LIMIT,
                       "%.100s on %.100s: more than %d budgets, which is the most that a plot can show; give fewer "
                       "files",
                       grid->subject.graph, grid->subject.server, GRID_BUDGETS_MAX);
    grid->budgets[grid->budget_count++] =
        (struct grid_budget){.text = r->budget, .per = r->per, .bytes = r->budget_bytes, .share = r->share};
    return ST_OK;
}

static enum st policy_find(struct grid *grid, const struct result_row *r, struct err *err)
{
    for (int i = 0; i < grid->policy_count; i++)
        if (!strcmp(grid->policies[i], r->policy)) return ST_OK;
    if (grid->policy_count == GRID_POLICIES_MAX)
        return err_set(err, ST_LIMIT,
                       "%.100s on %.100s: more than %d policies, which is the most that a plot can show; give fewer "
                       "files",
                       grid->subject.graph, grid->subject.server, GRID_POLICIES_MAX);
    grid->policies[grid->policy_count++] = r->policy;
    return ST_OK;
}

static int by_x(const void *a, const void *b)
{
    const struct grid_budget *l = a, *r = b;
    return l->x < r->x ? -1 : l->x > r->x;
}

static void budget_name(struct grid_budget *b, int order)
{
    char text[STYLE_TEXT], name[STYLE_NAME];
    size_t digits = b->text ? strspn(b->text, "0123456789.") : 0;
    if (digits > 3 && !strcmp(b->text + digits, "B") && !isnan(b->bytes)) /* as hotset size writes a budget */
        snprintf(b->label, sizeof b->label, "%s", style_bytes(text, b->bytes));
    else if (b->text && digits && digits < 12 &&
             (b->text[digits] == '%' || isalpha((unsigned char)b->text[digits]))) /* "16GiB": a blank before the unit */
        snprintf(b->label, sizeof b->label, "%.*s %s", (int)digits, b->text, style_cut(name, b->text + digits, 8));
    else if (b->text) snprintf(b->label, sizeof b->label, "%s", style_cut(name, b->text, 14));
    else if (!isnan(b->bytes)) {
        snprintf(b->label, sizeof b->label, "%s", style_bytes(text, b->bytes));
        b->per = " per GPU"; /* as bytes are stated */
    } else if (!isnan(b->share)) snprintf(b->label, sizeof b->label, "%.3g %%", 100 * b->share);
    else snprintf(b->label, sizeof b->label, "budget %d", order + 1);
}

/* Two budgets on one spot would hide each other: then the order places them. */
static bool places_all(struct grid *grid, enum grid_axis axis)
{
    for (int i = 0; i < grid->budget_count; i++) {
        struct grid_budget *b = &grid->budgets[i];
        b->x = axis == GRID_AXIS_SHARE ? 100 * b->share : axis == GRID_AXIS_BYTES ? b->bytes : i + 1;
        if (!(b->x >= 0 && b->x < 1e18)) return false;
        for (int j = 0; j < i; j++)
            if (grid->budgets[j].x == b->x) return false;
    }
    return true;
}

static void budgets_sort(struct grid *grid)
{
    for (grid->axis = GRID_AXIS_SHARE; grid->axis < GRID_AXIS_ORDER && !places_all(grid, grid->axis);) grid->axis++;
    if (grid->axis == GRID_AXIS_ORDER) places_all(grid, GRID_AXIS_ORDER);
    qsort(grid->budgets, (size_t)grid->budget_count, sizeof grid->budgets[0], by_x);
    for (int i = 0; i < grid->budget_count; i++) budget_name(&grid->budgets[i], i);
}

static int budget_of(const struct grid *grid, const struct result_row *r)
{
    int i = 0;
    while (i < grid->budget_count && !same_budget(&grid->budgets[i], r)) i++;
    return i;
}

static int policy_of(const struct grid *grid, const struct result_row *r)
{
    int i = 0;
    while (i < grid->policy_count && strcmp(grid->policies[i], r->policy)) i++;
    return i;
}

static bool belongs(const struct grid *grid, const struct result_row *r)
{
    return !strcmp(grid->subject.graph, r->graph) && !strcmp(grid->subject.server, r->server);
}

static void cells_fill(struct grid *grid, struct result_rows *rows)
{
    memset(grid->cell, 0, sizeof grid->cell);
    for (uint64_t i = 0; i < rows->count; i++) {
        const struct result_row *r = &rows->list[i];
        const struct result_row **cell;
        int policy = policy_of(grid, r), budget = budget_of(grid, r);
        if (!belongs(grid, r) || policy == grid->policy_count || budget == grid->budget_count) continue;
        cell = &grid->cell[policy][budget];
        if (*cell) rows->list[*cell - rows->list].replaced = true;
        *cell = r;
        grid->uncached = fmax(grid->uncached, r->uncached); /* fmax and fmin pass over NaN */
        grid->uncached_least = fmin(grid->uncached_least, r->uncached);
    }
}

static bool has_numbers(const struct grid *grid, int budget)
{
    for (int p = 0; p < grid->policy_count; p++)
        if (grid_row(grid, p, budget) && !isnan(row_total(grid_row(grid, p, budget)))) return true;
    return false;
}

static int runs_at(const struct grid *grid, int budget)
{
    int n = 0;
    for (int p = 0; p < grid->policy_count; p++) n += grid->cell[p][budget] != NULL;
    return has_numbers(grid, budget) ? n : 0;
}

/* Of the budgets that the most policies were run at, the one nearest the middle (the smaller one of two). */
static int middle_find(const struct grid *grid)
{
    int middle = (grid->budget_count - 1) / 2, best = middle;
    for (int d = 0; d < grid->budget_count; d++) {
        if (middle - d >= 0 && runs_at(grid, middle - d) > runs_at(grid, best)) best = middle - d;
        if (middle + d < grid->budget_count && runs_at(grid, middle + d) > runs_at(grid, best)) best = middle + d;
    }
    return best;
}

static double rank(const struct grid *grid, int policy)
{
    const struct result_row *r = grid_row(grid, policy, grid->middle);
    double total = r ? row_total(r) : NAN;
    return isnan(total) ? INFINITY : total;
}

/* Which of two policies stands first: as in the terminal's table, so that figures, tables and the answer agree. */
static int order(const struct grid *grid, int a, int b)
{
    const double seconds[] = {grid_seconds(grid, a, grid->middle), grid_seconds(grid, b, grid->middle)},
                 total[] = {rank(grid, a), rank(grid, b)};
    if (seconds[0] != seconds[1]) return seconds[0] < seconds[1] ? -1 : 1;
    if (total[0] != total[1]) return total[0] < total[1] ? -1 : 1;
    return strcmp(grid->policies[a], grid->policies[b]);
}

static void policies_sort(struct grid *grid)
{
    for (int i = 1; i < grid->policy_count; i++)
        for (int j = i; j > 0; j--) {
            const struct result_row *cells[GRID_BUDGETS_MAX];
            const char *name = grid->policies[j];
            if (order(grid, j - 1, j) <= 0) break;
            memcpy(cells, grid->cell[j], sizeof cells);
            memcpy(grid->cell[j], grid->cell[j - 1], sizeof cells);
            memcpy(grid->cell[j - 1], cells, sizeof cells);
            grid->policies[j] = grid->policies[j - 1];
            grid->policies[j - 1] = name;
        }
    grid->best = -1;
    for (int p = 0; p < grid->policy_count && grid->best < 0; p++)
        if (isfinite(rank(grid, p)) && !style_is_yardstick(grid->policies[p])) grid->best = p;
    if (grid->best < 0 && grid->policy_count && isfinite(rank(grid, 0))) grid->best = 0;
}

/* Two names may have one slug. */
static void slug_make_unique(struct grids *all, struct grid *grid)
{
    int clashes = 0;
    for (int i = 0; &all->list[i] < grid; i++)
        if (text_starts(all->list[i].subject.slug, grid->subject.slug)) clashes++;
    if (clashes) text_append(grid->subject.slug, sizeof grid->subject.slug, "--%d", clashes + 1);
}

static enum st grid_find(struct grids *out, const struct result_row *r, struct grid **found, struct err *err)
{
    enum st st = ST_OK;
    for (int i = 0; i < out->count; i++)
        if (belongs(&out->list[i], r)) {
            *found = &out->list[i];
            goto done;
        }
    if (out->count == GRIDS_MAX)
        FAIL(ST_LIMIT,
             "the inputs have more than %d pairs of graph and server, which is the most that one page can show; give "
             "fewer files",
             GRIDS_MAX);
    GROW(out->list, out->count + 1, "grids");
    *found = &out->list[out->count];
    **found = (struct grid){.subject = figure_subject_make(r->graph, r->server, r->server),
                            .uncached = NAN,
                            .uncached_least = NAN,
                            .best = -1};
    slug_make_unique(out, *found);
    out->count++;
done:
    return st;
}

static void group_fill(struct grid *grid)
{
    grid->group_count = 0;
    for (int p = 0; p < grid->policy_count; p++)
        if (grid->cell[p][grid->middle]) grid->group[grid->group_count++] = grid->cell[p][grid->middle]->object;
    results_sort(grid->group, (uint64_t)grid->group_count);
}

/* ---- policies that give equal results share a row: "exact = hotset" ---- */

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

/* Gives every policy its label, and joins those whose numbers are the same at every budget: the first that is hotset,
 * else the first that is no yardstick, else the first keeps its place, and its label names the others before it. best
 * stays the same policy, or the one that it was joined with. */
static void merge_equals(struct grid *grid)
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

/* ---- all grids ---- */

enum st grids_make(struct result_rows *rows, struct grids *out, struct err *err)
{
    struct grid *grid = NULL;
    for (uint64_t i = 0; i < rows->count; i++) {
        PASS(grid_find(out, &rows->list[i], &grid, err));
        PASS(budget_find(grid, &rows->list[i], err));
        PASS(policy_find(grid, &rows->list[i], err));
    }
    for (int i = 0; i < out->count; i++) {
        grid = &out->list[i];
        budgets_sort(grid);
        cells_fill(grid, rows);
        grid->middle = middle_find(grid);
        policies_sort(grid);
        group_fill(grid);
        merge_equals(grid);
    }
    return ST_OK;
}

void grids_release(struct grids *grids)
{
    mem_free(grids->list);
    *grids = (struct grids){0};
}

const struct result_row *grid_row(const struct grid *grid, int policy, int budget)
{
    const struct result_row *r = grid->cell[policy][budget];
    return r && r->status == ROW_OK ? r : NULL;
}

double grid_seconds(const struct grid *grid, int policy, int budget)
{
    const struct result_row *r = grid_row(grid, policy, budget);
    return r && !isnan(row_total(r)) ? results_seconds(r->object) : INFINITY;
}

const doc *grid_nothing_cached(const struct grid *grid)
{
    for (int i = 0; i < grid->group_count; i++)
        if (!strcmp(doc_text_value(doc_get(grid->group[i], "policy"), ""), GRID_NOTHING_CACHED)) return grid->group[i];
    return NULL;
}

double grid_reads_uncached(const struct grid *grid)
{
    return doc_number(doc_get(grid_nothing_cached(grid), "simulated"), "total_transactions");
}

double grid_least(const struct grid *grid, int budget)
{
    double least = NAN;
    for (int p = 0; p < grid->policy_count; p++) {
        const struct result_row *r = grid_row(grid, p, budget);
        if (r && !style_is_yardstick(grid->policies[p])) least = fmin(least, row_total(r)); /* fmin passes over NaN */
    }
    return least;
}

const char *grid_budget_text(const struct grid *grid, int budget, char out[GRID_BUDGET_TEXT])
{
    const struct grid_budget *b = &grid->budgets[budget];
    bool bytes = !isnan(b->bytes) && b->text, share = !isnan(b->share); /* without a text, the label has the bytes */
    char text[STYLE_TEXT];
    size_t used = (size_t)snprintf(out, GRID_BUDGET_TEXT, "%s%s", b->label, b->per);
    if (bytes)
        used += (size_t)snprintf(out + used, GRID_BUDGET_TEXT - used, " (%s per GPU", style_bytes(text, b->bytes));
    if (share)
        used += (size_t)snprintf(out + used, GRID_BUDGET_TEXT - used, "%s%.3g %% of the graph per clique",
                                 bytes ? ", " : " (", 100 * b->share);
    if (bytes || share) snprintf(out + used, GRID_BUDGET_TEXT - used, ")");
    return out;
}

const char *grid_policy(const struct grid *grid, int policy, int most, char out[STYLE_NAME])
{
    char name[STYLE_NAME];
    return style_cut(out, style_policy(name, grid->policies[policy]), most);
}

bool grid_is_plan(const struct grid *grid) { return grid->policy_count == 1 && grid->budget_count == 1; }

int grid_families(const struct grid *grid, enum family out[FAMILIES])
{
    bool seen[FAMILIES] = {false};
    int n = 0;
    for (int p = 0; p < grid->policy_count; p++) {
        enum family f = style_look(grid->policies[p]).family;
        if (!seen[f] && f != FAMILY_YARDSTICK) out[n++] = f;
        seen[f] = true;
    }
    if (seen[FAMILY_YARDSTICK]) out[n++] = FAMILY_YARDSTICK;
    return n;
}

/* ---- the policies that a page shows first ---- */

static bool is_ranked(const struct grid *grid, int policy)
{
    const struct result_row *r = grid_row(grid, policy, grid->middle);
    return r && !isnan(row_total(r));
}

/* The policies that the answer names: the best, and the best of the others (of ours, where it is not ours); and the
 * default, which the terminal's table has, too. Returns how many. */
static int pick_named(const struct grid *grid, bool *pick)
{
    const doc *list[GRID_POLICIES_MAX], *named[] = {results_best(grid->group, (uint64_t)grid->group_count), NULL};
    uint64_t count = 0;
    int n = 0;
    for (int i = 0; named[0] && i < grid->group_count; i++)
        if (results_ours(grid->group[i]) != results_ours(named[0])) list[count++] = grid->group[i];
    named[1] = results_best(list, count);
    for (int p = 0; p < grid->policy_count; p++) {
        const struct result_row *r = grid->cell[p][grid->middle];
        pick[p] = r && (r->object == named[0] || r->object == named[1] || !strcmp(grid->policies[p], "hotset"));
        n += pick[p];
    }
    return n;
}

/* And the best policy of each family, yardsticks aside. Returns how many are picked. */
static int pick_families(const struct grid *grid, bool *pick)
{
    bool seen[FAMILIES] = {[FAMILY_YARDSTICK] = true};
    int n = pick_named(grid, pick);
    for (int p = 0; p < grid->policy_count; p++) seen[style_look(grid->policies[p]).family] |= pick[p];
    for (int p = 0; p < grid->policy_count && n < GRID_FIRST; p++) {
        enum family f = style_look(grid->policies[p]).family;
        if (seen[f] || !is_ranked(grid, p)) continue;
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
            bool last = !is_ranked(grid, p) || style_look(grid->policies[p]).family == FAMILY_YARDSTICK;
            if (pick[p] || last != rest) continue;
            pick[p] = true;
            picked++;
        }
}

bool grid_first(const struct grid *grid, struct grid *out)
{
    bool pick[GRID_POLICIES_MAX] = {false};
    *out = *grid;
    if (grid->policy_count <= GRID_FIRST) return false;
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
