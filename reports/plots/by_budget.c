/* by_budget.c - values of all policies against the budget: epochs, transactions, hit rates, errors. Lines with names at
 * their ends; one small panel per family where there are more lines than one panel can name; bars where there is a
 * single budget. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/plots/plots.h"
#include "reports/results/results_answer.h"

enum { VALUES_MOST = 2, LINES_MOST = 10 /* that one panel can name */ };

/* One value of all policies. */
struct value {
    const char *heading, *axis;               /* heading: above the panel; NULL for none */
    double (*of)(const struct result_row *r); /* NaN: nothing to draw */
    enum quantity quantity;
    bool intervals;             /* draw the row's low .. high */
    double reference;           /* a dashed level; NaN: none */
    const char *reference_name; /* or NULL */
};

static double value_at(const struct value *v, const struct grid *grid, int policy, int budget)
{
    const struct result_row *r = grid_row(grid, policy, budget);
    return r ? v->of(r) : NAN;
}

static bool has_value(const struct value *v, const struct grid *grid, int policy)
{
    for (int b = 0; b < grid->budget_count; b++)
        if (!isnan(value_at(v, grid, policy, b))) return true;
    return false;
}

/* Whether a policy has a number in any of the panels. */
static bool has_any(const struct value *list, int count, const struct grid *grid, int policy)
{
    bool any = false;
    for (int i = 0; i < count; i++) any |= has_value(&list[i], grid, policy);
    return any;
}

static void point_add(struct drawing *d, const struct value *v, const struct grid *grid, int policy, int budget,
                      double x, double y)
{
    const double number = value_at(v, grid, policy, budget);
    const struct result_row *r = grid_row(grid, policy, budget);
    const bool bars = grid->budget_count == 1;
    char text[STYLE_TEXT];
    struct drawing_point *p = drawing_point(d, x, y, "%.120s%s%.60s: %s%s%.60s", grid->label[policy],
                                            bars ? "" : " at ", bars ? "" : grid->budgets[budget].label,
                                            style_quantity(text, v->quantity, number), v->heading ? ", " : "",
                                            v->heading ? v->heading : "");
    if (bars) p->text = drawing_say(d, "%s", isnan(number) ? "no number" : text);
    else p->at = drawing_say(d, "%s", grid->budgets[budget].label);
    if (!v->intervals || isnan(number) || isnan(r->simulated.total)) return;
    p->low = r->low;
    p->high = r->high;
}

/* The level of comparison, by its name and value. */
static void reference_add(struct drawing *d, const struct value *v, int axis, const char *between)
{
    char text[STYLE_TEXT], name[STYLE_NAME];
    snprintf(name, sizeof name, "%s%s%s", v->reference_name ? v->reference_name : "", between,
             style_quantity(text, v->quantity, v->reference));
    drawing_mark(d, axis, v->reference, 0, 0x666666, v->reference_name ? name : NULL);
}

/* ---- bars ---- */

static void bars_add(struct drawing *d, const struct value *list, int count, const struct grid *grid)
{
    for (int i = 0; i < count; i++) {
        int row = 0;
        drawing_panel(d, list[i].heading, &(struct drawing_axis){list[i].axis, list[i].quantity, 0, 0, 0},
                      &(struct drawing_axis){.flags = AXIS_NAMES});
        reference_add(d, &list[i], AXIS_X, ": ");
        for (int p = 0; p < grid->policy_count; p++) {
            if (!has_any(list, count, grid, p)) continue;
            drawing_tick(d, AXIS_Y, row, grid->label[p]);
            drawing_bars(d, grid->label[p], style_look(grid->policies[p]).colour, SERIES_STACKED | SERIES_UNNAMED);
            point_add(d, &list[i], grid, p, 0, value_at(&list[i], grid, p, 0), row++);
        }
    }
}

/* ---- lines ---- */

/* One panel; family: whose lines are named, FAMILIES: all. values: names have the last value behind them. */
static void lines_add(struct drawing *d, const struct value *v, const struct grid *grid, const char *heading,
                      enum family family, bool values)
{
    const char *per = grid->budgets[0].per;
    char title[80], end[STYLE_NAME], text[STYLE_TEXT];
    for (int i = 1; i < grid->budget_count; i++)
        if (strcmp(grid->budgets[i].per, per)) per = "";
    snprintf(title, sizeof title, "cache budget%.20s%s", per,
             grid->axis == GRID_AXIS_ORDER ? " (in the order of input)" : "");
    drawing_panel(d, heading, &(struct drawing_axis){.title = title, .flags = AXIS_NEAR},
                  &(struct drawing_axis){v->axis, v->quantity, v->quantity == QUANTITY_COUNT ? AXIS_FAR : AXIS_NEAR, 0,
                                         0});
    for (int b = 0; b < grid->budget_count; b++) drawing_tick(d, AXIS_X, grid->budgets[b].x, grid->budgets[b].label);
    if (values) reference_add(d, v, AXIS_Y, "  ");
    else drawing_mark(d, AXIS_Y, v->reference, 0, 0x666666, v->reference_name);
    for (int p = grid->policy_count - 1; p >= 0; p--) { /* the best on top */
        const struct look look = style_look(grid->policies[p]);
        double last = NAN;
        if (!has_value(v, grid, p)) continue;
        for (int b = 0; b < grid->budget_count; b++)
            if (!isnan(value_at(v, grid, p, b))) last = value_at(v, grid, p, b);
        snprintf(end, sizeof end, "%.100s  %s", grid->label[p], style_quantity(text, v->quantity, last));
        drawing_series(d,
                       &(struct drawing_series){.name = grid->label[p],
                                                .end = values ? end : NULL,
                                                .colour = look.colour,
                                                .shape = DRAWING_LINE,
                                                .flags = family != FAMILIES && look.family != family && p != grid->best
                                                             ? SERIES_PALE
                                                             : 0,
                                                .dash = look.dash,
                                                .mark = look.mark,
                                                .width = look.width,
                                                .size = 0.7});
        for (int b = 0; b < grid->budget_count; b++)
            if (!isnan(value_at(v, grid, p, b)))
                point_add(d, v, grid, p, b, grid->budgets[b].x, value_at(v, grid, p, b));
    }
}

/* Whether a family has a line of its own in any panel. */
static bool has_line(const struct value *list, int count, const struct grid *grid, enum family f)
{
    bool any = false;
    for (int p = 0; p < grid->policy_count; p++)
        any |= style_look(grid->policies[p]).family == f && has_any(list, count, grid, p);
    return any;
}

static void families_add(struct drawing *d, const struct value *list, int count, const struct grid *grid)
{
    enum family family[FAMILIES];
    const int n = grid_families(grid, family);
    char heading[120], name[STYLE_NAME];
    for (int f = 0; f < n; f++)
        for (int i = 0; i < count && has_line(list, count, grid, family[f]); i++) {
            snprintf(heading, sizeof heading, "%s%s%s", list[i].heading ? list[i].heading : "",
                     list[i].heading ? ": " : "", style_family(family[f]));
            lines_add(d, &list[i], grid, heading, family[f], false);
        }
    d->across = 2;
    d->tall = 150;
    drawing_caption(d, " One panel per family of policies, all on one scale. Lines of other families are pale grey.");
    if (grid->best >= 0)
        drawing_caption(d, " %s, the best at the middle budget, is in every panel.",
                        grid_policy(grid, grid->best, 60, name));
}

/* title: without graph and server; values: 1 to VALUES_MOST. */
static enum st draw(struct figures *figures, const struct grid *grid, const char *what, const char *title,
                    const char *caption, const struct value *values, int count, struct err *err)
{
    OWNED_BY(drawing_release) struct drawing d = {.ends = grid->budget_count > 1, .back_first = true};
    struct value list[VALUES_MOST];
    int n = 0, lines = 0, missing = 0;
    for (int i = 0; i < count; i++)
        for (int p = 0; p < grid->policy_count; p++)
            if (has_value(&values[i], grid, p)) {
                list[n++] = values[i];
                break;
            }
    if (!n || grid_is_plan(grid)) return ST_OK; /* a single bar compares nothing */
    for (int p = 0; p < grid->policy_count; p++) lines += has_any(list, n, grid, p);
    missing = grid->policy_count - lines;
    drawing_caption(&d, "%s", caption);
    if (grid->budget_count == 1) bars_add(&d, list, n, grid);
    else if (lines > LINES_MOST) families_add(&d, list, n, grid);
    else
        for (int i = 0; i < n; i++) lines_add(&d, &list[i], grid, list[i].heading, FAMILIES, n == 1);
    if (missing)
        drawing_caption(&d, " %d %s no number here; the table says why.", missing,
                        missing == 1 ? "policy has" : "policies have");
    return drawing_write(&d, figures, &grid->subject, what, title, err);
}

/* ---- the figures ---- */

static bool any_interval(const struct grid *grid)
{
    for (int p = 0; p < grid->policy_count; p++)
        for (int b = 0; b < grid->budget_count; b++)
            if (grid_row(grid, p, b) && !isnan(grid_row(grid, p, b)->low)) return true;
    return false;
}

static double epoch_of(const struct result_row *r)
{
    const double seconds = results_seconds(r->object);
    return isfinite(seconds) ? seconds : NAN;
}

/* Of the policy that caches nothing, which draws no line of its own: its value at the middle budget. NaN where it was
 * not run, or has a line. What others would take with nothing cached is no level: they assign other vertices to GPUs.
 */
static double level_of(const struct grid *grid, double value)
{
    bool drawn = false;
    for (int p = 0; p < grid->policy_count; p++) drawn |= !strcmp(grid->policies[p], GRID_NOTHING_CACHED);
    return drawn ? NAN : value;
}

enum st plot_epochs(struct figures *figures, const struct grid *grid, struct err *err)
{
    const doc *none = grid_nothing_cached(grid);
    const double seconds = none ? results_seconds(none) : NAN,
                 uncached = isfinite(seconds) ? level_of(grid, seconds) : NAN;
    const struct value value = {NULL,  "time of an epoch", epoch_of,        QUANTITY_SECONDS,
                                false, uncached,           "nothing cached"};
    char caption[400] = "Shorter is better. Reads are counted on the simulated epochs; a model of the server makes "
                        "seconds of them ('hotset lab validate' shows its errors).";
    if (!isnan(uncached))
        text_append(caption, sizeof caption, " The dashed line shows an epoch of dgl-uva, which caches nothing.");
    else if (none) text_append(caption, sizeof caption, " dgl-uva caches nothing.");
    return draw(figures, grid, "epochs", "Time of an epoch", caption, &value, 1, err);
}

enum st plot_transactions(struct figures *figures, const struct grid *grid, struct err *err)
{
    const double uncached = level_of(grid, grid_reads_uncached(grid));
    const struct value value =
        {NULL, "PCIe transactions per epoch", row_total, QUANTITY_COUNT, true, uncached, "nothing cached"};
    char caption[800] = "Fewer is better. A transaction is one cache line that a GPU reads from host memory over PCIe. "
                        "Topology and features are added up over all GPUs, per epoch.";
    if (any_interval(grid))
        text_append(caption, sizeof caption, " Whiskers show the confidence interval over the simulated epochs.");
    if (!isnan(uncached))
        text_append(caption, sizeof caption, " The dashed line shows an epoch of dgl-uva, which caches nothing.");
    return draw(figures, grid, "transactions", "PCIe transactions per epoch", caption, &value, 1, err);
}

enum st plot_hit_rates(struct figures *figures, const struct grid *grid, struct err *err)
{
    const struct value values[] = {{"Features", "hit rate (share of feature rows)", row_feature_hit, QUANTITY_RATE,
                                    false, NAN, NULL},
                                   {"Topology", "hit rate (share of topology visits)", row_topology_hit, QUANTITY_RATE,
                                    false, NAN, NULL}};
    return draw(figures, grid, "hit-rates", "Hit rates",
                "Higher is better. A hit is read from the GPU's own memory or from a peer over NVLink; a miss is read "
                "from the host. Features: share of the feature rows that mini-batches gather. Topology: share of the "
                "visits while sampling. A policy can trade one for the other, so the transactions decide which policy "
                "is better.",
                values, 2, err);
}

static double error_of(const struct result_row *r)
{
    double error = style_is_yardstick(r->policy) ? NAN : row_error(r); /* its epochs were not held out */
    return fabs(error) < 1e12 ? error : NAN;
}

enum st plot_errors(struct figures *figures, const struct grid *grid, struct err *err)
{
    const struct value value = {NULL, "predicted / simulated total - 1", error_of, QUANTITY_ERROR, false, 0, NULL};
    return draw(figures, grid, "errors", "Prediction error",
                "Near zero is better. The error compares the transactions that a plan predicts with those of the "
                "held-out epochs: below zero the plan predicted too few, above zero too many. Where the error is "
                "small, "
                "a prediction can be trusted without a simulation. Policies that know the held-out epochs are left "
                "out.",
                &value, 1, err);
}
