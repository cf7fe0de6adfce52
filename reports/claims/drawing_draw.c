/* drawing_draw.c - data, legend and places of the panels; see drawing_draw.h. */
#include "reports/claims/drawing_draw.h"

#include <string.h>

#include "reports/claims/drawing_panels.h"

enum { WIDTH = 900, TOP = 12, LEGEND_ROW = 22, PANEL_TALL = 330, CELL_TALL = 26 };

static void records_write(struct drawing *d, struct csv *to)
{
    static const char *const names[] = {"panel",  "series", "source", "category", "x", "y", "row [series number]",
                                        "x axis", "y axis", "low",    "high",     NULL};
    int record = 0;
    csv_header(to, names);
    for (int p = 0; p < d->count; p++)
        for (int i = 0; i < d->panel[p].count; i++) {
            struct drawing_panel *panel = &d->panel[p];
            struct drawing_series *s = &panel->series[i];
            s->first = record;
            record += s->count;
            for (int k = 0; k < s->count; k++) {
                csv_name(to, panel->title);
                csv_name(to, s->name);
                csv_text(to, s->stated ? "paper" : "hotset");
                csv_name(to, panel->kind == DRAWING_LINES ? "" : panel->category[(int)s->x[k]]);
                csv_number(to, s->x[k]);
                csv_number(to, s->y[k]);
                csv_number(to, i);
                csv_name(to, panel->x);
                csv_name(to, panel->y);
                csv_number(to, s->ranged ? s->low[k] : s->y[k]);
                csv_number(to, s->ranged ? s->high[k] : s->y[k]);
                csv_end(to);
            }
        }
}

static int columns_of(const struct drawing *d)
{
    for (int i = 0; i < d->count; i++)
        if (d->panel[i].kind == DRAWING_MATRIX && d->panel[i].categories > 6) return 2;
    return d->count < 3 ? d->count : d->count == 4 ? 2 : 3;
}

static int panel_tall(const struct drawing *d)
{
    int most = 0;
    for (int i = 0; i < d->count; i++) {
        int tall = d->panel[i].kind == DRAWING_MATRIX ? 128 + CELL_TALL * d->panel[i].count : PANEL_TALL;
        most = tall > most ? tall : most;
    }
    return most;
}

/* The panels of the row that panel `at` stands in and that share its vertical axis: of one kind, with one name of the
 * axis. own: whether `at` is the first of them and writes the axis. */
static struct range row_axis(const struct drawing *d, int at, int columns, bool *own)
{
    const struct drawing_panel *row[DRAWING_PANELS];
    int count = 0, from = at / columns * columns, first = -1;
    for (int i = from; i < d->count && i < from + columns; i++) {
        if (d->panel[i].kind == DRAWING_MATRIX || strcmp(d->panel[i].y, d->panel[at].y)) continue;
        first = first < 0 ? i : first;
        row[count++] = &d->panel[i];
    }
    *own = first == at || first < 0;
    return drawing_panels_axis(row, count);
}

/* above: pixels that the legend takes. */
static enum st panels_draw(struct figures *figures, const struct drawing *d, const struct drawing_legend *l, int above,
                           struct err *err)
{
    int columns = columns_of(d), tall = panel_tall(d), height = figure_now(figures)->height;
    double wide = (double)(WIDTH - 10) / columns;
    for (int i = 0; i < d->count; i++) {
        bool matrix = d->panel[i].kind == DRAWING_MATRIX, written;
        double left = i % columns * wide + (matrix ? 84 : 58), top = height - above - i / columns * tall - 44;
        struct box box = {left, left + wide - 98 + (matrix ? 0 : 22), top - tall + 104, top};
        struct range y = row_axis(d, i, columns, &written);
        figure_panel(figures, &box); /* drops the labels of the panel before */
        if (!i) drawing_legend_write(l, figures, TOP, LEGEND_ROW);
        PASS(drawing_panel_draw(figures, &d->panel[i], l, &y, written, &box, err));
        fputs("unset object\n", figures->script);
    }
    return ST_OK;
}

enum st drawing_draw(struct figures *figures, struct drawing *d, struct err *err)
{
    struct drawing_legend l = drawing_legend_make(d);
    int columns = columns_of(d), above = TOP + LEGEND_ROW * drawing_legend_rows(&l, WIDTH);
    PASS(figure_begin(figures, d->name, d->title, WIDTH, above + panel_tall(d) * ((d->count + columns - 1) / columns),
                      err));
    figures->titled = true; /* the title stands in the heading and the caption, not in the picture */
    records_write(d, &figures->csv);
    PASS(panels_draw(figures, d, &l, above, err));
    return figure_end(figures, err);
}
