/* drawing_names.c - names beside dots and at the ends of lines; see drawing_parts.h. */
#include <math.h>
#include <string.h>

#include "reports/figures/drawing_parts.h"
#include "reports/formats/gnuplot.h"

/* ---- names beside dots ---- */

enum { NAMES_MOST = 12 };
struct names {
    const struct drawing *d;
    const struct drawing_panel *p;
    struct box taken[NAMES_MOST];
    int count;
};

static bool inside(const struct box *b, double x, double y, double more)
{
    return x > b->left - more && x < b->right + more && y > b->bottom - more && y < b->top + more;
}

/* Whether a box touches no level or upright line of comparison. */
static bool beside_marks(const struct names *n, const struct box *b)
{
    bool clear = true;
    for (int i = n->p->mark_first; i < drawing_marks_end(n->d, n->p); i++) {
        const struct drawing_mark *m = &n->d->marks[i];
        const double x = drawing_axes_x(n->p, m->at), y = drawing_axes_y(n->p, m->at);
        clear &= m->wide > 0 ||
                 (m->axis == AXIS_X ? x < b->left - 2 || x > b->right + 2 : y < b->bottom - 2 || y > b->top + 2);
    }
    return clear;
}

/* Whether a box touches no other name, no dot and, looked at in small steps, no line. */
static bool is_free(const struct names *n, const struct box *b)
{
    enum { STEPS = 100 };
    const struct box *plot = &n->p->box;
    bool clear = n->count < NAMES_MOST && beside_marks(n, b) && b->left > plot->left + 2 &&
                 b->right < plot->right + 20 && b->bottom > plot->bottom && b->top < plot->top + 8;
    for (int i = 0; i < n->count; i++)
        clear &= b->left >= n->taken[i].right || n->taken[i].left >= b->right || b->bottom >= n->taken[i].top ||
                 n->taken[i].bottom >= b->top;
    for (int s = n->p->first; s < n->p->first + n->p->count; s++) {
        const struct drawing_series *series = &n->d->series[s];
        const double dot = series->size > 1.5 ? 10 : 4;
        double x[2] = {0}, y[2] = {0};
        for (int i = 0; clear && i < series->count; i++) {
            const struct drawing_point *at = &n->d->points[series->first + i];
            x[1] = drawing_axes_x(n->p, at->x);
            y[1] = drawing_axes_y(n->p, at->y);
            clear = !inside(b, x[1], y[1], dot);
            for (int k = 0; clear && series->shape == DRAWING_LINE && i && k <= STEPS; k++)
                clear = !inside(b, x[0] + (x[1] - x[0]) * k / STEPS, y[0] + (y[1] - y[0]) * k / STEPS, 0);
            x[0] = x[1];
            y[0] = y[1];
        }
    }
    return clear;
}

/* Writes the words of a dot on the side where there is room; false: there is none. */
static bool name_write(struct names *n, const struct drawing_series *s, const struct drawing_point *at,
                       const struct figures *figures)
{
    enum { TALL = 14, MOST = 22 };
    static const int sides[][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {-1, 0}, {1, 0}};
    char name[STYLE_NAME], options[80];
    int letters, lines = style_wrap(name, drawing_said(n->d, at->text), MOST, &letters);
    const double x = drawing_axes_x(n->p, at->x), y = drawing_axes_y(n->p, at->y), away = s->size > 1.5 ? 13 : 8,
                 wide = DRAWING_LETTER * letters, half = TALL / 2.0 + DRAWING_TEXT / 2.0 * (lines - 1);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const double left = sides[i][0] < 0 ? x - away - wide : x + away, middle = y + sides[i][1] * (half + 5);
        const struct box b = {left, left + wide, middle - half, middle + half};
        if (!is_free(n, &b)) continue;
        n->taken[n->count++] = b;
        snprintf(options, sizeof options, "left front font small_font tc rgb '#%06X'", s->colour);
        drawing_label(figures, left, b.top - TALL / 2.0, name, options);
        return true;
    }
    return false;
}

/* Each name once, at the last of its dots that has room; the last series first. */
void drawing_names(const struct drawing *d, const struct drawing_panel *p, const struct figures *figures)
{
    struct names n = {.d = d, .p = p};
    const char *written[NAMES_MOST];
    int count = 0;
    for (int s = p->first + p->count - 1; s >= p->first; s--)
        for (int i = d->series[s].count - 1; i >= 0 && d->series[s].shape <= DRAWING_DOTS; i--) {
            const struct drawing_point *at = &d->points[d->series[s].first + i];
            bool known = !at->text || count == NAMES_MOST || isnan(at->x) || isnan(at->y);
            for (int k = 0; k < count && !known; k++) known = !strcmp(written[k], drawing_said(d, at->text));
            if (!known && name_write(&n, &d->series[s], at, figures)) written[count++] = drawing_said(d, at->text);
        }
}

/* ---- names at the ends of lines ---- */

enum { ENDS_MOST = 72, ENDS_LETTERS = 24 };
struct end {
    const char *text;
    unsigned colour;
    double x;     /* of the line's last point; NaN: at the right border */
    double place; /* its height, 0..1 of the plot */
    int line;     /* of the text, from 0 */
};

/* Sorts by place; of two at one place the first stands below. Each line of the text is an end. */
static void end_add(struct end *ends, int *n, struct end end)
{
    char name[STYLE_NAME];
    const int lines = style_wrap(name, end.text, ENDS_LETTERS, NULL);
    int at = *n;
    if (*n + lines > ENDS_MOST) return;
    for (; at > 0 && ends[at - 1].place > end.place; at--) ends[at - 1 + lines] = ends[at - 1];
    for (end.line = lines - 1; end.line >= 0; end.line--) ends[at++] = end;
    *n += lines;
}

static int ends_find(const struct drawing *d, const struct drawing_panel *p, struct end ends[ENDS_MOST])
{
    const struct range *y = &p->range[AXIS_Y];
    int n = 0;
    for (int i = p->first; i < p->first + p->count; i++) {
        const struct drawing_series *s = &d->series[i];
        int last = s->first + s->count - 1;
        while (last >= s->first && isnan(d->points[last].y)) last--;
        if (!(s->flags & (SERIES_PALE | SERIES_UNNAMED)) && last >= s->first)
            end_add(ends, &n,
                    (struct end){drawing_said(d, s->end_said ? s->end_said : s->said), s->colour, d->points[last].x,
                                 layout_place(y, d->points[last].y), 0});
    }
    for (int i = p->mark_first; i < drawing_marks_end(d, p); i++)
        if (d->marks[i].axis == AXIS_Y && d->marks[i].name)
            end_add(ends, &n,
                    (struct end){drawing_said(d, d->marks[i].name), d->marks[i].colour, NAN,
                                 layout_place(y, d->marks[i].at), 0});
    return n;
}

/* A line of a text in lines, which becomes that line. */
static const char *line_of(char *text, int line)
{
    while (line--) text = strstr(text, STYLE_BREAK) + strlen(STYLE_BREAK);
    char *end = strstr(text, STYLE_BREAK);
    if (end) *end = '\0';
    return text;
}

/* Right of the plot, a line of text apart, and joined with the ends of their lines. */
void drawing_ends(const struct drawing *d, const struct drawing_panel *p, const struct figures *figures)
{
    enum { GAP = 16, LEADER = 18, TEXT = 22, ABOVE = 6, BELOW = 20 }; /* pixels */
    const double tall = p->box.top - p->box.bottom, wide = p->box.right - p->box.left;
    struct end ends[ENDS_MOST];
    double at[ENDS_MOST];
    char position[80], name[STYLE_NAME];
    FILE *to = figures->script;
    const int n = ends_find(d, p, ends);
    for (int i = 0; i < n; i++) at[i] = ends[i].place * tall;
    layout_spread(at, n, GAP, -BELOW, tall + ABOVE);
    for (int i = 0; i < n; i++) {
        snprintf(position, sizeof position, "graph %.5f, graph %.5f", 1 + TEXT / wide, at[i] / tall);
        style_wrap(name, ends[i].text, ENDS_LETTERS, NULL);
        gnuplot_label(to, line_of(name, ends[i].line), position, "left tc rgb '#%06X'", ends[i].colour);
        if (ends[i].line) continue;
        fputs("set arrow from ", to);
        if (isnan(ends[i].x)) fputs("graph 1", to);
        else fprintf(to, "first %.9g", ends[i].x);
        fprintf(to, ", graph %.5f to graph %.5f, graph %.5f nohead lc rgb '#%06X' lw 0.6 dt (2,3)\n", ends[i].place,
                1 + LEADER / wide, at[i] / tall, ends[i].colour);
    }
}

/* The names that stand at the ends of lines: those of series, and of levels. */
static size_t ended(const struct drawing *d, int number)
{
    if (number >= d->series_count) {
        const struct drawing_mark *m = &d->marks[number - d->series_count];
        return m->axis == AXIS_Y ? m->name : 0;
    }
    const struct drawing_series *s = &d->series[number];
    return s->flags & (SERIES_PALE | SERIES_UNNAMED) ? 0 : s->end_said ? s->end_said : s->said;
}

int drawing_ends_width(const struct drawing *d)
{
    enum { LEADER = 42, LEAST = 8 };
    int longest = LEAST;
    char name[STYLE_NAME];
    for (int i = 0; i < d->series_count + d->mark_count; i++) {
        int letters;
        style_wrap(name, drawing_said(d, ended(d, i)), ENDS_LETTERS, &letters);
        if (letters > longest) longest = letters;
    }
    return LEADER + (int)(DRAWING_LETTER * longest);
}

int drawing_ends_lines(const struct drawing *d, const struct drawing_panel *p)
{
    int lines = 0;
    char name[STYLE_NAME];
    for (int s = p->first; s < p->first + p->count; s++)
        lines += ended(d, s) ? style_wrap(name, drawing_said(d, ended(d, s)), ENDS_LETTERS, NULL) : 0;
    return lines;
}
