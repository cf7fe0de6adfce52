/* chart_families.c - small panels of lines, one per family and value; see chart_families.h. */
#include "reports/plots/chart_families.h"

#include <stdio.h>
#include <string.h>
#include "reports/plots/chart_lines.h"

enum {
    ACROSS = 2,
    LEFT = 84,
    PLOT_LEAST = 150,
    LABEL_ROOM = 17,
    HEADING = 40,
    FOOT = 30,
    AXIS_TITLE = 22,
    TITLE = 30,
    MOST = FAMILIES * CHART_PANELS_MAX
};

/* Which policies a family's panels name: its own, and the best one for comparison. Returns how many names the fullest
 * panel has. */
static int name_family(struct chart *c, enum family f)
{
    int names[CHART_PANELS_MAX] = {0}, most = 0;
    double x, y;
    for (int p = 0; p < c->grid->policy_count; p++) {
        c->hidden[p] = style_look(c->grid->policies[p]).family != f && p != c->grid->best;
        for (int i = 0; i < c->panel_count; i++) {
            if (!c->hidden[p] && chart_line_end(c, &c->panels[i], p, &x, &y)) names[i]++;
            if (names[i] > most) most = names[i];
        }
    }
    return most + (c->panels[0].reference_name != NULL);
}

/* Whether a family has a line of its own in any panel. */
static bool has_line(const struct chart *c, enum family f)
{
    double x, y;
    for (int p = 0; p < c->grid->policy_count; p++)
        for (int i = 0; i < c->panel_count; i++)
            if (style_look(c->grid->policies[p]).family == f && chart_line_end(c, &c->panels[i], p, &x, &y))
                return true;
    return false;
}

static int families_drawn(const struct chart *c, enum family out[FAMILIES])
{
    enum family all[FAMILIES];
    int n = grid_families(c->grid, all), kept = 0;
    for (int i = 0; i < n; i++)
        if (has_line(c, all[i])) out[kept++] = all[i];
    return kept;
}

/* Heights of the plots of each line of cells, by the fuller cell. Returns how many lines. */
static int lines_of_cells(struct chart *c, const enum family *family, int families, int tall[MOST])
{
    int cells = families * c->panel_count;
    memset(tall, 0, MOST * sizeof *tall);
    for (int i = 0; i < cells; i++) {
        int names = name_family(c, family[i / c->panel_count]), plot = LABEL_ROOM * names - 10;
        if (plot < PLOT_LEAST) plot = PLOT_LEAST;
        if (plot > tall[i / ACROSS]) tall[i / ACROSS] = plot;
    }
    return (cells + ACROSS - 1) / ACROSS;
}

int chart_families_height(struct chart *c)
{
    enum family family[FAMILIES];
    int tall[MOST], lines = lines_of_cells(c, family, families_drawn(c, family), tall),
                    height = TITLE + AXIS_TITLE + 10;
    for (int i = 0; i < lines; i++) height += HEADING + tall[i] + FOOT;
    return height;
}

static int widest_names(struct chart *c, const enum family *family, int families)
{
    int widest = 0;
    for (int i = 0; i < families; i++) {
        name_family(c, family[i]);
        if (chart_label_width(c) > widest) widest = chart_label_width(c);
    }
    return widest;
}

enum st chart_families(struct chart *c, int width, struct err *err)
{
    enum family family[FAMILIES];
    int families = families_drawn(c, family), tall[MOST], cells = families * c->panel_count,
        labels = widest_names(c, family, families);
    double wide = (double)width / ACROSS, whole = chart_families_height(c), top = whole - TITLE;
    lines_of_cells(c, family, families, tall);
    for (int i = 0; i < cells; i++) {
        int column = i % ACROSS, panel = i % c->panel_count;
        char heading[120];
        double left = column * wide + LEFT, high = top - HEADING;
        bool last = i + ACROSS >= cells;
        name_family(c, family[i / c->panel_count]);
        snprintf(heading, sizeof heading, "%s%s%s", c->panels[panel].heading ? c->panels[panel].heading : "",
                 c->panels[panel].heading ? ": " : "", style_family(family[i / c->panel_count]));
        struct box box = {left, (column + 1) * wide - labels, high - tall[i / ACROSS], high},
                   beside = {left, 0, 0, i < c->panel_count ? whole : 0}; /* once per value */
        PASS(chart_line_panel(c, &(struct chart_line_panel){panel, box, heading, beside, last}, err));
        if (column == ACROSS - 1) top = high - tall[i / ACROSS] - FOOT;
    }
    return ST_OK;
}
