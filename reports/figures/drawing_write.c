/* drawing_write.c - places of panels, and their data; see drawing.h. */
#include <math.h>
#include <string.h>

#include "reports/figures/drawing_parts.h"

enum {
    WIDTH = 980,
    TALL = 274,
    TITLE = 46,
    LEGEND = 22,
    HEADING = 26,
    TOP = 8,
    RIGHT = 24,
    SHARED = 14,
    CELL = 30,
    ROW_MOST = 16,
    LOW = 150 /* of a plot in a column */
};

static int across_of(const struct drawing *d)
{
    return d->across ? d->across : d->panel_count < 3 ? d->panel_count : 2;
}

/* Whether panels beside each other are ruled alike, so that the first one's axis is that of both. */
static bool alike(const struct drawing *d, const struct drawing_panel *a, const struct drawing_panel *b, int axis)
{
    return (a->axis[axis].flags & AXIS_NAMES) == (b->axis[axis].flags & AXIS_NAMES) &&
           drawing_has(d, a, DRAWING_CELLS) == drawing_has(d, b, DRAWING_CELLS) &&
           !strcmp(drawing_said(d, a->axis_title[axis]), drawing_said(d, b->axis_title[axis])) &&
           (a->axis_title[axis] || a->axis[axis].flags & (AXIS_NAMES | AXIS_EXACT)) &&
           !drawing_has(d, a, DRAWING_CELLS);
}

static int slots_of(const struct drawing *d, const struct drawing_panel *p)
{
    int slots = 0;
    for (int s = p->first; s < p->first + p->count; s++)
        slots += d->series[s].shape == DRAWING_BARS && (!(d->series[s].flags & SERIES_STACKED) || !slots);
    return slots ? slots : 1;
}

/* Pixels of a panel's plot from top to bottom. */
static int tall_of(const struct drawing *d, const struct drawing_panel *p)
{
    enum { ROW = 28, MORE = 18, MANY = 16, ROW_OF_MANY = 20, END = 17 };
    int places = 0, longest;
    for (int t = p->tick_first; t < drawing_ticks_end(d, p); t++) places += d->ticks[t].axis == AXIS_Y;
    if (drawing_has(d, p, DRAWING_CELLS))
        return places * (places > 10 ? 480 / places > 6 ? 480 / places : 6 : CELL) + 4;
    if (p->axis[AXIS_Y].flags & AXIS_NAMES)
        return 12 + places * ((places > MANY ? ROW_OF_MANY : ROW) + MORE * (slots_of(d, p) - 1) +
                              DRAWING_TEXT * (drawing_axes_lines(d, p, AXIS_Y, drawing_name_letters(d), &longest) - 1));
    const int usual = d->tall ? d->tall : TALL, plot = d->column && usual > LOW ? LOW : usual,
              ends = d->ends ? END * drawing_ends_lines(d, p) : 0;
    return ends > plot ? ends : plot; /* all names have room */
}

/* A row of panels from `from` on: how many, and pixels above, of and below their plots. */
struct row {
    int from, count, above, tall, below;
};

/* Places the panels of a row side by side: those whose axis is the first one's need no room for it. */
static void columns_place(struct drawing *d, const struct row *r, int width)
{
    const double right = d->ends ? drawing_ends_width(d) : RIGHT, cell = (double)width / across_of(d);
    double left[ROW_MOST], all = 0;
    for (int i = 0; i < r->count && i < ROW_MOST; i++) {
        const struct drawing_panel *p = &d->panels[r->from + i];
        left[i] = p->written ? drawing_axes_left(d, p) : SHARED;
        all += left[i] + right;
    }
    const bool even = d->panel_count % across_of(d) == 0 || r->count == across_of(d);
    double plot = ((even ? width : cell * r->count) - all) / r->count, x = 0;
    for (int i = 0; i < r->count && i < ROW_MOST; i++) {
        struct drawing_panel *p = &d->panels[r->from + i];
        double wide = plot;
        int names = 0;
        for (int t = p->tick_first; t < drawing_ticks_end(d, p); t++) names += d->ticks[t].axis == AXIS_X;
        if (drawing_has(d, p, DRAWING_CELLS)) wide = fmin(wide, 120.0 * names);
        else if (p->axis[AXIS_X].flags & AXIS_NAMES) /* few bars are not broad */
            wide = fmin(wide, 120 + (d->panel_count > 1 ? 60.0 : 180.0) * names * slots_of(d, p));
        p->box.left = x + left[i];
        p->box.right = p->box.left + wide;
        x += left[i] + plot + right;
    }
}

/* Breaks the titles of a row's panels where the next panel or the figure ends; returns the lines of the tallest. */
static int titles_wrap(struct drawing *d, const struct row *r, int width)
{
    int most = 0;
    char text[STYLE_NAME];
    for (int i = r->from; i < r->from + r->count; i++) {
        struct drawing_panel *p = &d->panels[i];
        const double until = i + 1 < r->from + r->count ? p[1].box.left - 8 : width;
        p->title_letters = (int)fmax(1, (until - p->box.left) / DRAWING_LETTER);
        p->title_lines = p->title ? style_wrap(text, drawing_said(d, p->title), p->title_letters, NULL) : 0;
        if (p->title_lines > most) most = p->title_lines;
    }
    return most;
}

static struct row row_of(struct drawing *d, int from, int width)
{
    const int across = across_of(d);
    struct row r = {.from = from,
                    .count = d->panel_count - from < across ? d->panel_count - from : across,
                    .above = TOP};
    bool levelled = false;
    for (int i = from; i < from + r.count; i++) {
        struct drawing_panel *p = &d->panels[i];
        const int tall = tall_of(d, p), under = i + across;
        p->written = i == from || !alike(d, p - 1, p, AXIS_Y);
        p->titled = p->written && !(i >= across && drawing_axes_level(d, p, tall) && alike(d, p - across, p, AXIS_Y));
        p->continued = under < d->panel_count && alike(d, p, &d->panels[under], AXIS_X);
        levelled |= p->titled && drawing_axes_level(d, p, tall);
        if (tall > r.tall) r.tall = tall;
    }
    columns_place(d, &r, width);
    for (int i = from; i < from + r.count; i++) {
        const int below = d->panels[i].continued ? 30 : drawing_axes_below(d, &d->panels[i]);
        d->panels[i].levelled = levelled;
        if (below > r.below) r.below = below;
    }
    const int lines = titles_wrap(d, &r, width);
    if (lines) r.above = HEADING + DRAWING_TEXT * (lines - 1);
    if (levelled) r.above += 18;
    return r;
}

/* Places a row whose columns are placed below `top`, and makes its axes. */
static void row_place(struct drawing *d, const struct row *r, double top)
{
    for (int i = r->from; i < r->from + r->count; i++) {
        d->panels[i].box.top = top - r->above;
        d->panels[i].box.bottom = top - r->above - r->tall;
    }
    for (int i = 0; i < r->count && i < ROW_MOST; i++) {
        int until = i + 1, first = i;
        while (first > 0 && !d->panels[r->from + first].written) first--;
        while (until < r->count && !d->panels[r->from + until].written) until++;
        drawing_axes_make(d, &d->panels[r->from + i], &d->panels[r->from + first], until - first);
    }
}

/* ---- data ---- */

/* The name of a place: the tick there. */
static const char *tick_at(const struct drawing *d, const struct drawing_panel *p, int axis, double at)
{
    for (int t = p->tick_first; t < drawing_ticks_end(d, p); t++)
        if (d->ticks[t].axis == axis && d->ticks[t].at == at) return drawing_said(d, d->ticks[t].text);
    return "";
}

static void records_write(struct drawing *d, struct csv *to)
{
    static const char *const names[] = {"panel", "series", "at",     "x",      "y", "from [bars] or row [cells]",
                                        "low",   "high",   "x axis", "y axis", NULL};
    int record = 0;
    csv_header(to, names);
    for (int i = 0; i < d->panel_count; i++)
        for (int s = d->panels[i].first; s < d->panels[i].first + d->panels[i].count; s++) {
            const struct drawing_panel *p = &d->panels[i];
            const int names_axis = p->axis[AXIS_Y].flags & AXIS_NAMES && !drawing_has(d, p, DRAWING_CELLS) ? AXIS_Y
                                                                                                           : AXIS_X;
            d->series[s].record = record;
            record += d->series[s].count;
            for (int k = d->series[s].first; k < d->series[s].first + d->series[s].count; k++) {
                const struct drawing_point *at = &d->points[k];
                csv_name(to, drawing_said(d, p->title));
                csv_name(to, drawing_said(d, d->series[s].said));
                csv_name(to, tick_at(d, p, names_axis, names_axis == AXIS_Y ? at->y : at->x));
                csv_number(to, at->x);
                csv_number(to, at->y);
                csv_number(to, at->from);
                csv_number(to, at->low);
                csv_number(to, at->high);
                csv_name(to, drawing_said(d, d->panels[i].axis_title[AXIS_X]));
                csv_name(to, drawing_said(d, d->panels[i].axis_title[AXIS_Y]));
                csv_end(to);
            }
        }
}

/* ---- layouts ---- */

/* Pixels of a figure above its panels, and of all of it. */
struct size {
    int width, title, legend, height;
};

static struct size size_of(struct drawing *d, int width)
{
    struct size s = {.width = width, .title = d->untitled ? TOP : TITLE};
    const int legend = drawing_legend(d, NULL, width, 0);
    s.legend = legend ? LEGEND * legend + 6 : 0;
    s.height = s.title + s.legend;
    for (int i = 0; i < d->panel_count; i += across_of(d)) {
        const struct row r = row_of(d, i, width);
        s.height += r.above + r.tall + r.below;
    }
    return s;
}

static enum st panels_write(struct drawing *d, struct figures *figures, const struct size *s, struct err *err)
{
    double top = s->height - s->title - s->legend;
    figures->titled = d->untitled;
    for (int i = 0; i < d->panel_count; i += across_of(d)) {
        const struct row r = row_of(d, i, s->width);
        row_place(d, &r, top);
        for (int k = i; k < i + r.count; k++) {
            drawing_panel_begin(figures, &d->panels[k].box);
            if (!k) drawing_legend(d, figures, s->width, s->title + 6);
            PASS(drawing_panel_write(d, &d->panels[k], figures, err));
        }
        top -= r.above + r.tall + r.below;
    }
    return ST_OK;
}

/* Lines that a grey print would not tell apart, because dash and mark are the same, get a mark that no line has. */
static void looks_part(struct drawing *d)
{
    static const int marks[] = {7, 5, 9, 13, 11, 4, 6, 8, 10, 12};
    enum { MARKS = sizeof marks / sizeof *marks };
    for (int i = 0; i < d->series_count; i++) {
        struct drawing_series *s = &d->series[i];
        if (s->flags & (SERIES_PALE | SERIES_UNNAMED) || s->shape != DRAWING_LINE || s->mark < 0) continue;
        bool taken[MARKS] = {false}, alike = false;
        for (int k = 0; k < d->series_count; k++) {
            const struct drawing_series *o = &d->series[k];
            if (o->shape != DRAWING_LINE || !strcmp(drawing_said(d, o->said), drawing_said(d, s->said))) continue;
            for (int m = 0; m < MARKS; m++) taken[m] |= drawing_mark_of(o) == marks[m];
            alike |= k < i && o->dash == s->dash && drawing_mark_of(o) == drawing_mark_of(s);
        }
        int free = 0;
        while (free < MARKS && taken[free]) free++;
        if (alike && free < MARKS) s->mark = marks[free];
    }
}

/* The same as a PDF for a column of a paper: as wide as that at text of 7 to 8 points, with its names in a legend,
 * inside the plot where that has room, and without a title, which stands in the paper's caption. */
static enum st column_write(struct drawing *d, struct figures *figures, int page_width, struct err *err)
{
    const int width = (int)(figures->pdf * 120); /* 13 pixels are 7.8 points */
    const int across = width * across_of(d) / page_width;
    struct figure_page page;
    d->column = d->untitled = true;
    d->ends = false;
    d->across = across > 0 ? across : 1;
    looks_part(d);
    struct size s = size_of(d, width);
    if (s.legend) { /* paper has no room to spare */
        const struct row r = row_of(d, 0, width);
        row_place(d, &r, s.height - s.legend - s.title);
        if (drawing_legend_inside(d)) s = size_of(d, width);
    }
    PASS(figure_column_begin(figures, width, s.height, &page, err));
    const enum st st = panels_write(d, figures, &s, err), end = figure_column_end(figures, &page, err);
    return st != ST_OK ? st : end;
}

enum st drawing_write(struct drawing *d, struct figures *figures, const struct figure_subject *subject,
                      const char *what, const char *title, struct err *err)
{
    const int width = d->width ? d->width : WIDTH;
    if (d->texts && fflush(d->texts) && d->st == ST_OK)
        d->st = err_set(&d->err, ST_LIMIT, "memory is out for the texts of a figure");
    if (d->st != ST_OK) return err_set(err, d->st, "%s", d->err.text);
    if (!d->point_count) return ST_OK;
    const struct size s = size_of(d, width);
    if (subject) PASS(figure_begin_of(figures, subject, what, title, width, s.height, err));
    else PASS(figure_begin(figures, what, title, width, s.height, err));
    records_write(d, &figures->csv);
    PASS(panels_write(d, figures, &s, err));
    if (figures->pdf > 0) PASS(column_write(d, figures, width, err));
    figure_caption(figures, "%s", d->caption);
    return figure_end(figures, err);
}
