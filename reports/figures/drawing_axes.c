/* drawing_axes.c - ranges, ticks and names of a panel; see drawing_parts.h. */
#include "reports/figures/drawing_parts.h"

#include <math.h>
#include <string.h>

#include "reports/formats/gnuplot.h"

enum { DIGIT = 7, TURNED_MOST = 20, LEVEL_MOST = 60, FAR_APART = 15 }; /* pixels of a letter; letters of a line */
#define ZERO_BAND 0.15 /* of a broken axis, in parts of what is above it */

int drawing_ticks_end(const struct drawing *d, const struct drawing_panel *p)
{
    return p + 1 < d->panels + d->panel_count ? p[1].tick_first : d->tick_count;
}

int drawing_marks_end(const struct drawing *d, const struct drawing_panel *p)
{
    return p + 1 < d->panels + d->panel_count ? p[1].mark_first : d->mark_count;
}

int drawing_name_letters(const struct drawing *d) { return d->column ? 20 : 34; }

bool drawing_has(const struct drawing *d, const struct drawing_panel *p, enum drawing_shape shape)
{
    for (int i = p->first; i < p->first + p->count; i++)
        if (d->series[i].shape == shape) return true;
    return false;
}

int drawing_value_axis(const struct drawing_panel *p) { return p->axis[AXIS_Y].flags & AXIS_NAMES ? AXIS_X : AXIS_Y; }

/* ---- ranges ---- */

struct extent {
    double least, most, positive; /* positive: the least above 0 */
    double wide;                  /* the most that a bar needs with its words, in values and pixels */
    int letters;
};

static void include(struct extent *e, double v)
{
    double unused = NAN;
    layout_include(v, &e->least, &e->most);
    if (v > 0) layout_include(v, &e->positive, &unused);
}

static void extent_add(const struct drawing *d, const struct drawing_panel *p, int axis, struct extent *e)
{
    for (int s = p->first; s < p->first + p->count; s++)
        for (int i = d->series[s].first; i < d->series[s].first + d->series[s].count; i++) {
            const struct drawing_point *at = &d->points[i];
            const double v = axis == AXIS_X ? at->x : at->y;
            const int letters = style_length(drawing_said(d, at->text));
            include(e, v);
            if (d->series[s].shape == DRAWING_BARS && drawing_value_axis(p) == axis) include(e, at->from);
            if (d->series[s].shape == DRAWING_BARS && letters > e->letters) e->letters = letters;
            if (drawing_value_axis(p) != axis) continue;
            include(e, at->low);
            if (at->low < v / 10) e->positive = fmin(e->positive, v); /* an interval may reach to 0 */
            include(e, at->high);
        }
    for (int m = p->mark_first; m < drawing_marks_end(d, p); m++)
        if (d->marks[m].axis == axis && !d->marks[m].wide) include(e, d->marks[m].at);
}

/* Bytes are ruled in a power of 1024, long times in minutes or hours, as units_seconds tells them. */
static double unit_of(enum quantity quantity, double most)
{
    double unit = 1;
    if (quantity == QUANTITY_SECONDS) return most >= 7200 ? 3600 : most >= 120 ? 60 : 1;
    for (int i = 0; quantity == QUANTITY_BYTES && i < 5 && most >= 1024 * unit; i++) unit *= 1024;
    return unit;
}

static struct range scaled_range(enum quantity quantity, double low, double high, bool log)
{
    const double unit = unit_of(quantity, high);
    struct range r = layout_range(low / unit, high / unit, log);
    r.low *= unit;
    r.high *= unit;
    for (int i = 0; i < r.count; i++) r.tick[i] *= unit;
    return r;
}

/* A little room at both ends, where half of a dot would be cut. */
static void pad(struct range *r, double share)
{
    const double part = r->log ? pow(r->high / r->low, share) : (r->high - r->low) * share;
    r->low = r->log ? r->low / part : r->low - part;
    r->high = r->log ? r->high * part : r->high + part;
}

static bool doubles(const struct drawing_tick *t, int n)
{
    bool all = n > 1 && t[0].at > 0;
    for (int i = 1; i < n; i++) all &= t[i].at == 2 * t[i - 1].at;
    return all;
}

/* What an axis shows whose ticks are given. */
static struct range ruled_range(const struct drawing_axis *a, const struct drawing_tick *t, int n,
                                const struct extent *e)
{
    struct range r = {.low = e->least, .high = e->most > e->least ? e->most : e->least + 1};
    r.log = r.low > 0 && ((n > 2 && r.high / r.low >= 8) || doubles(t, n));
    if (a->flags & AXIS_EXACT) return (struct range){.low = a->low, .high = a->high};
    pad(&r, 0.03);
    return r;
}

static struct range value_range(const struct drawing_axis *a, const struct extent *e)
{
    const bool log = a->flags & AXIS_LOG || (a->flags & AXIS_FAR && e->most / e->positive > FAR_APART);
    double low = fmin(0, e->least), high = fmax(0, e->most);
    struct range r;
    if (log && e->positive > 0) {
        const double clear = a->flags & (AXIS_LOG | AXIS_NEAR) ? 1.1 : 1; /* of the ends */
        r = scaled_range(a->quantity, e->positive / clear, e->most * clear, true);
        if (e->least <= 0) r.broken = r.low;
        if (e->least <= 0) r.low /= pow(r.high / r.low, ZERO_BAND);
        return r;
    }
    if (a->quantity == QUANTITY_RATE) {
        high = fmax(high, 1);
        if (a->flags & AXIS_NEAR) low = e->least < 0.6 ? 0 : e->least < 0.9 ? floor(10 * e->least) / 10 : 0.9;
    }
    if (a->quantity == QUANTITY_ERROR) {
        low = fmin(low, -0.01);
        high = fmax(high, 0.01);
    }
    return scaled_range(a->quantity, low, high > low ? high : low + 1, false);
}

/* Words behind bars and above them stand inside of the plot. */
static void make_room(const struct drawing_panel *p, int axis, const struct extent *e, struct range *r)
{
    const double pixels = axis == AXIS_X ? p->box.right - p->box.left : p->box.top - p->box.bottom,
                 words = axis == AXIS_X ? DIGIT * e->letters + 8 : 18;
    if (!e->letters || drawing_value_axis(p) != axis || r->log || words > 0.8 * pixels) return;
    const double needs = e->most + (r->high - r->low) * words / (pixels - words);
    r->high = fmax(r->high, needs);
    if (e->least < 0) r->low = fmin(r->low, e->least - (r->high - r->low) * words / pixels);
}

/* Leaves every second of many ticks, with 0 among them. */
static void thin(struct range *r)
{
    enum { ENOUGH = 6 };
    int zero = 0, n = 0;
    for (int i = 0; i < r->count; i++)
        if (r->tick[i] == 0) zero = i;
    if (r->count <= ENOUGH) return;
    for (int i = zero % 2; i < r->count; i += 2) r->tick[n++] = r->tick[i];
    r->count = n;
}

void drawing_axes_make(const struct drawing *d, struct drawing_panel *p, const struct drawing_panel *row, int count)
{
    const bool cells = drawing_has(d, p, DRAWING_CELLS);
    for (int axis = 0; axis < AXES; axis++) {
        const struct drawing_axis *a = &p->axis[axis];
        struct extent e = {NAN, NAN, NAN, 0, 0};
        struct range *r = &p->range[axis];
        int names = 0, n = 0;
        for (int t = p->tick_first; t < drawing_ticks_end(d, p); t++) names += d->ticks[t].axis == axis;
        if (a->flags & AXIS_NAMES) {
            const double beyond = cells ? 0.5 : 0.6;
            *r = (struct range){.low = -beyond, .high = (names ? names : 1) - 1 + beyond};
            if (axis == AXIS_Y) *r = (struct range){.low = r->high, .high = r->low};
            continue;
        }
        for (int i = 0; axis == AXIS_Y && i < count; i++) extent_add(d, &row[i], axis, &e);
        if (axis == AXIS_X || !count) extent_add(d, p, axis, &e);
        if (a->low != 0 || a->high != 0) {
            include(&e, a->low);
            include(&e, a->high);
        }
        if (isnan(e.least)) include(&e, 0);
        for (n = p->tick_first; n < drawing_ticks_end(d, p) && d->ticks[n].axis != axis;) n++;
        if (names) *r = ruled_range(a, d->ticks + n, names, &e);
        else *r = value_range(a, &e);
        if (a->flags & AXIS_EXACT) {
            r->low = a->low;
            r->high = a->high;
            continue;
        }
        make_room(p, axis, &e, r);
        if (d->column) thin(r);
        if (axis == AXIS_X && !names && !r->log) pad(r, 0.02);
    }
}

static double drawing_axes_place(double from, double until, const struct range *r, double v)
{
    return from + layout_place(r, v) * (until - from);
}

double drawing_axes_x(const struct drawing_panel *p, double x)
{
    return drawing_axes_place(p->box.left, p->box.right, &p->range[AXIS_X], x);
}

double drawing_axes_y(const struct drawing_panel *p, double y)
{
    return drawing_axes_place(p->box.bottom, p->box.top, &p->range[AXIS_Y], y);
}

/* "20.0 ms" becomes "20 ms". */
static void trim_zeros(char *text)
{
    char *point = strchr(text, '.'), *unit = strchr(text, ' ');
    if (!point || !unit || point > unit) return;
    char *end = unit;
    while (end[-1] == '0') end--;
    if (end[-1] == '.') end--;
    memmove(end, unit, strlen(unit) + 1);
}

/* ---- ticks ---- */

static void tick_text(const struct drawing_axis *a, double v, double most, char out[STYLE_TEXT])
{
    switch (a->quantity) {
    case QUANTITY_BYTES: {
        const double unit = unit_of(a->quantity, most);
        style_bytes(out, unit);
        const char *name = strchr(out, ' ');
        char text[STYLE_TEXT];
        snprintf(text, sizeof text, v == 0 ? "0" : "%.6g%s", v / unit, name ? name : "");
        memcpy(out, text, sizeof text);
        break;
    }
    case QUANTITY_RATE: snprintf(out, STYLE_TEXT, "%.4g %%", 100 * v); break;
    case QUANTITY_ERROR: snprintf(out, STYLE_TEXT, "%s%.4g %%", v > 0 ? "+" : "", 100 * v); break;
    case QUANTITY_COUNT: style_tick(out, v); break;
    case QUANTITY_SECONDS: {
        const double unit = unit_of(a->quantity, most);
        if (unit > 1 && v >= unit) {
            snprintf(out, STYLE_TEXT, "%.4g %s", v / unit, unit > 60 ? "h" : "min");
            break;
        }
        style_seconds(out, v);
        trim_zeros(out);
        break;
    }
    default: style_quantity(out, a->quantity, v);
    }
}

/* Two strokes through an axis that does not go on to 0. */
static void break_write(FILE *to, int axis, const struct range *r)
{
    for (int i = 0; i < 2 && r->broken > 0; i++) {
        const double at = r->low * pow(r->broken / r->low, 0.4 + 0.2 * i), end = at * pow(r->broken / r->low, 0.2);
        if (axis == AXIS_Y) fprintf(to, "set arrow from graph -0.012, first %.9g to graph 0.012, first %.9g", at, end);
        else fprintf(to, "set arrow from first %.9g, graph -0.02 to first %.9g, graph 0.02", at, end);
        fputs(" nohead front lc rgb '#999999' lw 1.2\n", to);
    }
}

int drawing_axes_lines(const struct drawing *d, const struct drawing_panel *p, int axis, int most, int *longest)
{
    int lines = 1;
    char name[STYLE_NAME];
    *longest = 0;
    for (int t = p->tick_first; t < drawing_ticks_end(d, p); t++) {
        int letters,
            n = d->ticks[t].axis == axis ? style_wrap(name, drawing_said(d, d->ticks[t].text), most, &letters) : 0;
        if (n > lines) lines = n;
        if (n && letters > *longest) *longest = letters;
    }
    return lines;
}

static bool below_turned(const struct drawing *d, const struct drawing_panel *p)
{
    int longest, names = 0;
    if (!(p->axis[AXIS_X].flags & AXIS_NAMES)) return false;
    for (int t = p->tick_first; t < drawing_ticks_end(d, p); t++) names += d->ticks[t].axis == AXIS_X;
    drawing_axes_lines(d, p, AXIS_X, TURNED_MOST, &longest);
    return longest > 4 && 7.4 * longest > (p->box.right - p->box.left) / (names ? names : 1);
}

/* Letters of a line of a name that stands at an axis. */
static int most_letters(const struct drawing *d, const struct drawing_panel *p, int axis)
{
    if (axis == AXIS_X) return below_turned(d, p) ? TURNED_MOST : LEVEL_MOST;
    return drawing_has(d, p, DRAWING_CELLS) ? LEVEL_MOST : drawing_name_letters(d);
}

/* Those given, and of ticks that would touch not all. */
static void given_write(const struct drawing *d, const struct drawing_panel *p, int axis, FILE *to)
{
    const bool names = p->axis[axis].flags & AXIS_NAMES, turned = axis == AXIS_X && below_turned(d, p);
    const int most = most_letters(d, p, axis);
    double taken = -1e9;
    bool first = true;
    char name[STYLE_NAME];
    for (int t = p->tick_first; t < drawing_ticks_end(d, p); t++) {
        if (d->ticks[t].axis != axis) continue;
        const char *text = name;
        style_wrap(name, drawing_said(d, d->ticks[t].text), most, NULL);
        if (axis == AXIS_X && !turned &&
            !layout_label_fits(drawing_axes_x(p, d->ticks[t].at), style_length(text), &taken))
            text = "";
        if (axis == AXIS_Y && !layout_label_fits(-2.2 * drawing_axes_y(p, d->ticks[t].at), 3, &taken)) text = "";
        gnuplot_tic(to, axis == AXIS_X || p->written ? text : "", d->ticks[t].at, first);
        first = false;
    }
    if (first) fputs("'' 0", to);
    fprintf(to, ")%s%s\n",
            turned           ? " rotate by 30 right offset 0,-0.1"
            : axis == AXIS_X ? " norotate center"
                             : "",
            names ? " scale 0" : "");
}

static void round_write(const struct drawing_panel *p, int axis, FILE *to)
{
    const struct range *r = &p->range[axis];
    double taken = -1e9;
    char text[STYLE_TEXT];
    for (int i = 0; i < r->count; i++) {
        tick_text(&p->axis[axis], r->tick[i], r->tick[r->count - 1], text);
        if (axis == AXIS_X ? !layout_label_fits(drawing_axes_x(p, r->tick[i]), style_length(text), &taken)
                           : !p->written)
            *text = '\0';
        gnuplot_tic(to, text, r->tick[i], !i);
    }
    if (r->broken > 0) gnuplot_tic(to, axis == AXIS_X || p->written ? "0" : "", r->low, false);
    fputs(axis == AXIS_X ? ") norotate center\n" : ")\n", to);
}

static bool any_tick(const struct drawing *d, const struct drawing_panel *p, int axis)
{
    for (int t = p->tick_first; t < drawing_ticks_end(d, p); t++)
        if (d->ticks[t].axis == axis) return true;
    return p->axis[axis].flags & AXIS_NAMES;
}

int drawing_axes_left(const struct drawing *d, const struct drawing_panel *p)
{
    enum { NUMBERS = 84, FEW = 66, EDGE = 24, TITLE = 20 };
    int longest;
    if (!(p->axis[AXIS_Y].flags & AXIS_NAMES)) return d->column ? FEW : NUMBERS;
    drawing_axes_lines(d, p, AXIS_Y, most_letters(d, p, AXIS_Y), &longest);
    return EDGE + DIGIT * longest + (p->axis_title[AXIS_Y] ? TITLE : 0);
}

/* Pixels that turned names take more than level ones. */
static int turned_below(const struct drawing *d, const struct drawing_panel *p)
{
    int longest;
    return below_turned(d, p) ? 22 + 18 * drawing_axes_lines(d, p, AXIS_X, TURNED_MOST, &longest) : 0;
}

int drawing_axes_below(const struct drawing *d, const struct drawing_panel *p)
{
    return (!p->axis_title[AXIS_X] ? 28 : d->column ? 40 : 56) + turned_below(d, p);
}

/* The title of an axis, and that it is logarithmic: of x where its ticks do not tell. */
static const char *title_of(const struct drawing *d, const struct drawing_panel *p, int axis, char out[STYLE_NAME])
{
    const struct range *r = &p->range[axis];
    snprintf(out, STYLE_NAME, "%.150s%s", drawing_said(d, p->axis_title[axis]),
             r->log && (axis == AXIS_Y || !r->count) ? " (log scale)" : "");
    return out;
}

bool drawing_axes_level(const struct drawing *d, const struct drawing_panel *p, double tall)
{
    char title[STYLE_NAME];
    return 6.6 * style_length(title_of(d, p, AXIS_Y, title)) > tall + 20;
}

void drawing_axes_write(const struct drawing *d, const struct drawing_panel *p, const struct figures *figures)
{
    FILE *to = figures->script;
    for (int axis = 0; axis < AXES; axis++) {
        const struct range *r = &p->range[axis];
        const char c = axis == AXIS_X ? 'x' : 'y';
        fprintf(to, "set %crange [%.9g:%.9g]\n", c, r->low, r->high);
        if (r->log) fprintf(to, "set logscale %c\n", c);
        fprintf(to, "set %ctics (", c);
        if (any_tick(d, p, axis)) given_write(d, p, axis, to);
        else round_write(p, axis, to);
        break_write(to, axis, r);
    }
    const double below = p->box.bottom - (d->column ? 29 : 40) - turned_below(d, p);
    char title[STYLE_NAME];
    if (!p->continued && p->axis_title[AXIS_X])
        drawing_label(figures, (p->box.left + p->box.right) / 2, below, title_of(d, p, AXIS_X, title),
                      "center tc rgb '#444444'");
    if (p->titled && drawing_axes_level(d, p, p->box.top - p->box.bottom))
        drawing_label(figures, p->box.left - (d->column ? 56 : 60), p->box.top + 15, title_of(d, p, AXIS_Y, title),
                      "left font small_font tc rgb '#444444'");
    else if (p->titled && p->axis_title[AXIS_Y])
        drawing_label(figures, p->box.left - drawing_axes_left(d, p) + 12, (p->box.bottom + p->box.top) / 2,
                      title_of(d, p, AXIS_Y, title), "center rotate by 90 tc rgb '#444444'");
}
