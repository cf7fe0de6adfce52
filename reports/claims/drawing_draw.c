/* drawing_draw.c - data, legend and places of the panels; see drawing_draw.h. */
#include "reports/claims/drawing_draw.h"

#include "reports/claims/drawing_panels.h"

enum { WIDTH = 900, TOP = 44, LEGEND_ROW = 22, PANEL_TALL = 330, CELL_TALL = 26 };

static void records_write(struct drawing *d, struct csv *to)
{
    static const char *const names[] = {"panel",  "series", "source", "category", "x", "y", "row [series number]",
                                        "x axis", "y axis", NULL};
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

/* above: pixels that title and legend take. */
static void panels_draw(struct figures *figures, const struct drawing *d, const struct drawing_legend *l, int above)
{
    int columns = columns_of(d), tall = panel_tall(d), height = figure_now(figures)->height;
    double wide = (double)(WIDTH - 10) / columns;
    for (int i = 0; i < d->count; i++) {
        bool matrix = d->panel[i].kind == DRAWING_MATRIX;
        double left = i % columns * wide + (matrix ? 84 : 58), top = height - above - i / columns * tall - 44;
        struct box box = {left, left + wide - 98 + (matrix ? 0 : 22), top - tall + 104, top};
        figure_panel(figures, &box); /* drops the labels of the panel before */
        if (!i) drawing_legend_write(l, figures, TOP, LEGEND_ROW);
        drawing_panel_draw(figures, &d->panel[i], l, &box);
        fputs("unset object\n", figures->script);
    }
}

enum st drawing_draw(struct figures *figures, struct drawing *d, struct err *err)
{
    enum st st;
    struct drawing_legend l = drawing_legend_make(d);
    int columns = columns_of(d), above = TOP + LEGEND_ROW * drawing_legend_rows(&l, WIDTH);
    TRY(figure_begin(figures, d->name, d->title, WIDTH, above + panel_tall(d) * ((d->count + columns - 1) / columns),
                     err));
    records_write(d, &figures->csv);
    panels_draw(figures, d, &l, above);
    TRY(figure_end(figures, err));
done:
    return st;
}
