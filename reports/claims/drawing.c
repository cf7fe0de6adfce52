/* drawing.c - data, legend and places of a figure; drawing_panels.c draws each panel. */
#include "reports/claims/drawing.h"

#include <math.h>
#include <string.h>

#include "reports/formats/gnuplot.h"

enum { WIDTH = 900, TOP = 44, LEGEND_ROW = 22, PANEL_TALL = 330, CELL_TALL = 26, LEGEND_GAP = 44 };

static void data_write(struct drawing *d, struct csv *to)
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

int drawing_legend_at(const struct drawing_legend *l, const char *name)
{
    for (int i = 0; i < l->count; i++)
        if (!strcmp(l->name[i], name)) return i;
    return 0;
}

unsigned drawing_colour(const struct drawing_legend *l, const char *name)
{
    static const unsigned colours[] = {0xD55E00, 0x0072B2, 0x00805F, 0xAA4499, 0xB07A00,
                                       0x332288, 0x777777, 0x882255, 0x117733, 0x3F7F93};
    static const char stated[] = "paper, ";
    int at = drawing_legend_at(l, name),
        of = strncmp(name, stated, sizeof stated - 1) ? at : drawing_legend_at(l, name + sizeof stated - 1);
    return colours[(l->count && !strcmp(name + (of == at ? 0 : sizeof stated - 1), l->name[of]) ? of : at) % 10];
}

static struct drawing_legend legend_of(const struct drawing *d)
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

/* Writes the legend below the title when draw is true; returns its rows. */
static int legend_write(struct figures *s, const struct drawing_legend *l, int height, bool draw)
{
    char name[STYLE_NAME], position[80];
    double x = 14;
    int rows = l->count > 1 || (l->count == 1 && *l->name[0]) ? 1 : 0;
    for (int i = 0; i < l->count; i++) {
        double wide = LEGEND_GAP + 7.4 * style_length(style_cut(name, l->name[i], 60));
        if (x + wide > WIDTH - 10 && x > 14) {
            x = 14;
            rows++;
        }
        double y = height - TOP - LEGEND_ROW * (rows - 1) - 8;
        if (draw) {
            unsigned colour = drawing_colour(l, l->name[i]);
            fprintf(s->script,
                    "set object rectangle from screen %.5f, screen %.5f to screen %.5f, screen %.5f fc rgb '#%06X' fs "
                    "%s rgb '#%06X'\n",
                    x / WIDTH, (y - 5) / height, (x + 12) / WIDTH, (y + 5) / height, colour,
                    l->stated[i] ? "empty border" : "solid 1.0 border", colour);
            snprintf(position, sizeof position, "screen %.5f, screen %.5f", (x + 18) / WIDTH, y / height);
            gnuplot_label(s->script, name, position, "left tc rgb '#333333'");
        }
        x += wide;
    }
    return rows;
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

static void panels_draw(struct figures *s, const struct drawing *d, const struct drawing_legend *l, int above)
{
    int columns = columns_of(d), tall = panel_tall(d), height = s->list[0].height;
    double wide = (double)(WIDTH - 10) / columns;
    for (int i = 0; i < d->count; i++) {
        double left = i % columns * wide + (d->panel[i].kind == DRAWING_MATRIX ? 84 : 58),
               top = height - above - i / columns * tall - 44;
        struct box box = {left, left + wide - 98 + (d->panel[i].kind == DRAWING_MATRIX ? 0 : 22), top - tall + 104,
                          top};
        figures_panel(s, &box); /* drops the labels of the panel before */
        if (!i) legend_write(s, l, height, true);
        drawing_panel_draw(s, d, &d->panel[i], l, &box);
        fputs("unset object\n", s->script);
    }
}

enum st drawing_write(struct drawing *d, const char *folder, struct err *err)
{
    enum st st;
    struct figure figure = {.width = WIDTH};
    struct figures s = {.list = &figure, .count = 1};
    struct drawing_legend l = legend_of(d);
    char path[320], data[320];
    int columns = columns_of(d), rows = legend_write(&s, &l, 1, false), above = TOP + LEGEND_ROW * rows;
    snprintf(s.folder, sizeof s.folder, "%s", folder);
    figure.height = above + panel_tall(d) * ((d->count + columns - 1) / columns);
    snprintf(figure.name, sizeof figure.name, "%s", d->name);
    snprintf(figure.title, sizeof figure.title, "%s", d->title);
    snprintf(path, sizeof path, "figures/%s.gp", d->name);
    snprintf(data, sizeof data, "figures/%s.csv", d->name);
    TRY(figures_file(&s, data, &s.data.to, err));
    data_write(d, &s.data);
    TRY(figures_file(&s, path, &s.script, err));
    path[strlen(path) - strlen(".gp")] = '\0';
    gnuplot_begin_at(s.script, path, data, WIDTH, figure.height);
    fputs("unset key\nset multiplot\n", s.script);
    s.titled = false;
    panels_draw(&s, d, &l, above);
    fputs("unset multiplot\n", s.script);
    gnuplot_end(s.script);
    TRY(figures_file_close(&s.script, path, err));
    TRY(figures_file_close(&s.data.to, data, err));
done:
    if (s.script) fclose(s.script);
    if (s.data.to) fclose(s.data.to);
    return st;
}
