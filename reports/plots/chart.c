/* chart.c - which shape a chart by budget has; see chart.h. */
#include "reports/plots/chart.h"

#include <math.h>
#include "reports/plots/chart_bars.h"
#include "reports/plots/chart_families.h"
#include "reports/plots/chart_lines.h"

enum { LINES_MOST = 10 }; /* that one panel can name */

static void note_missing(struct figures *figures, const struct chart *c)
{
    int missing = 0;
    for (int p = 0; p < c->grid->policy_count; p++) missing += c->first[p] < 0;
    if (missing)
        figure_caption(figures, " %d %s no number here; the table says why.", missing,
                       missing == 1 ? "policy has" : "policies have");
}

/* Policies with a line in some panel. */
static int lines_count(const struct chart *c)
{
    int n = 0;
    for (int p = 0; p < c->grid->policy_count; p++) {
        bool any = false;
        double x, y;
        for (int i = 0; i < c->panel_count; i++) any |= chart_line_end(c, &c->panels[i], p, &x, &y);
        n += any;
    }
    return n;
}

enum st chart_draw(struct figures *figures, const struct grid *grid, const char *what, const char *title,
                   const char *caption, const struct chart_panel *panels, int count, struct err *err)
{
    struct chart_panel drawn[CHART_PANELS_MAX];
    struct chart c = {.figures = figures, .grid = grid, .panels = drawn};
    bool bars = grid->budget_count == 1, families;
    int width = 900, height = bars ? 100 + 24 * grid->policy_count
                                   : 290 + 12 * (grid->policy_count > 8 ? grid->policy_count - 8 : 0);
    for (int i = 0; i < count && i < CHART_PANELS_MAX; i++)
        if (chart_has_values(grid, &panels[i])) drawn[c.panel_count++] = panels[i];
    if (!c.panel_count || grid_is_plan(grid)) return ST_OK; /* a single bar compares nothing */
    if (bars) height += 20;
    height += 60;
    families = !bars && lines_count(&c) > LINES_MOST;
    c.values = !families && c.panel_count == 1;
    if (families) {
        width = 1000;
        height = chart_families_height(&c);
    }
    PASS(figure_begin_of(figures, &grid->subject, what, title, width, height, err));
    chart_records_write(&c);
    figure_caption(figures, "%s", caption);
    if (families)
        figure_caption(figures, " One panel per family of policies, all on one scale. Lines of other families are pale "
                                "grey.");
    if (families && grid->best >= 0)
        figure_caption(figures, " %s, the best at the middle budget, is in every panel.", grid->policies[grid->best]);
    note_missing(figures, &c);
    if (bars) PASS(chart_bars(&c, width, height, err));
    else if (families) PASS(chart_families(&c, width, err));
    else PASS(chart_lines(&c, width, height, err));
    return figure_end(figures, err);
}
