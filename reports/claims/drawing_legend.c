/* drawing_legend.c - names and colours of series; see drawing_legend.h. */
#include "reports/claims/drawing_legend.h"

#include <string.h>
#include "reports/figures/figure_panels.h"

enum { LEFT = 14, RIGHT = 10, GAP = 44, BOX = 12 }; /* pixels */

struct drawing_legend drawing_legend_make(const struct drawing *d)
{
    struct drawing_legend l = {.count = 0};
    for (int p = 0; p < d->count; p++)
        for (int i = 0; i < d->panel[p].count && d->panel[p].kind != DRAWING_MATRIX; i++) {
            const struct drawing_series *s = &d->panel[p].series[i];
            bool known = l.count && !strcmp(l.name[drawing_legend_at(&l, s->name)], s->name);
            if (known || l.count == DRAWING_SERIES) continue;
            l.stated[l.count] = s->stated;
            l.name[l.count++] = s->name;
        }
    return l;
}

int drawing_legend_at(const struct drawing_legend *l, const char *name)
{
    for (int i = 0; i < l->count; i++)
        if (!strcmp(l->name[i], name)) return i;
    return 0;
}

unsigned drawing_legend_colour(const struct drawing_legend *l, const char *name)
{
    static const unsigned colours[] = {0xD55E00, 0x0072B2, 0x00805F, 0xAA4499, 0xB07A00,
                                       0x332288, 0x777777, 0x882255, 0x117733, 0x3F7F93};
    static const char stated[] = "paper, ";
    const size_t prefix = sizeof stated - 1;
    int at = drawing_legend_at(l, name);
    if (!strncmp(name, stated, prefix)) {
        int of = drawing_legend_at(l, name + prefix);
        if (l->count && !strcmp(name + prefix, l->name[of])) at = of;
    }
    return colours[at % 10];
}

/* Where each name goes: pixels from the left edge, and its row. Returns how many rows there are. */
static int places(const struct drawing_legend *l, int width, double x[DRAWING_SERIES], int row[DRAWING_SERIES])
{
    char name[STYLE_NAME];
    double at = LEFT;
    int rows = 1;
    if (!l->count || (l->count == 1 && !*l->name[0])) return 0;
    for (int i = 0; i < l->count; i++) {
        double wide = GAP + 7.4 * style_length(style_cut(name, l->name[i], 60));
        if (at + wide > width - RIGHT && at > LEFT) {
            at = LEFT;
            rows++;
        }
        x[i] = at;
        row[i] = rows - 1;
        at += wide;
    }
    return rows;
}

int drawing_legend_rows(const struct drawing_legend *l, int width)
{
    double x[DRAWING_SERIES];
    int row[DRAWING_SERIES];
    return places(l, width, x, row);
}

void drawing_legend_write(const struct drawing_legend *l, const struct figures *figures, int top, int row_tall)
{
    const struct figure *f = figure_now(figures);
    double x[DRAWING_SERIES], wide = f->width, tall = f->height;
    int row[DRAWING_SERIES], rows = places(l, f->width, x, row);
    char name[STYLE_NAME];
    for (int i = 0; rows && i < l->count; i++) {
        double y = tall - top - row_tall * row[i] - 8;
        unsigned colour = drawing_legend_colour(l, l->name[i]);
        fprintf(figures->script,
                "set object rectangle from screen %.5f, screen %.5f to screen %.5f, screen %.5f fc rgb '#%06X' fs %s "
                "rgb '#%06X'\n",
                x[i] / wide, (y - 5) / tall, (x[i] + BOX) / wide, (y + 5) / tall, colour,
                l->stated[i] ? "empty border" : "solid 1.0 border", colour);
        figure_label(figures, x[i] + BOX + 6, y, style_cut(name, l->name[i], 60), "left tc rgb '#333333'");
    }
}
