/* sizing_choices.c - all curves in one panel: a colour per server, a dash per number of GPUs, the answer bold; see
 * sizing_plots.h. */
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"
#include "reports/sizing/sizing_lines.h"
#include "reports/sizing/sizing_plots.h"

enum {
    TALL = 300,
    TOP = 50,
    ROW = 22,
    LEFT = 14,
    SAMPLE = 34,
    NAMES_MOST = 40,
    COUNTS_MOST = 16,
    DASHES = 6,
    FIRST_MOST = 7 /* lines that a reader tells apart */
};

/* What tells curves apart: everything but the number of GPUs, and that number. */
struct keys {
    char name[NAMES_MOST][STYLE_NAME];
    double gpus[COUNTS_MOST]; /* descending; NaN where a document does not say */
    int names, counts;
};

/* A curve's label without its number of GPUs: "p3.16xlarge:8 f16" is "p3.16xlarge f16". */
static const char *name_of(const struct sizing_curve *c, char out[STYLE_NAME])
{
    char count[STYLE_TEXT], label[STYLE_NAME];
    const char *at;
    style_cut(label, c->label, 60);
    snprintf(count, sizeof count, ":%.0f", document_number(c->of, "gpus"));
    at = strstr(label, count);
    if (at && at[strlen(count)] && at[strlen(count)] != ' ' && at[strlen(count)] != ',') at = NULL;
    snprintf(out, STYLE_NAME, "%.*s%s", at ? (int)(at - label) : (int)strlen(label), label,
             at ? at + strlen(count) : "");
    return out;
}

static int name_place(const struct keys *k, const struct sizing_curve *c)
{
    char name[STYLE_NAME];
    int i = 0;
    name_of(c, name);
    while (i < k->names && strcmp(k->name[i], name)) i++;
    return i;
}

static int count_place(const struct keys *k, const struct sizing_curve *c)
{
    double gpus = document_number(c->of, "gpus");
    int i = 0;
    while (i < k->counts && !(k->gpus[i] == gpus || (isnan(k->gpus[i]) && isnan(gpus)))) i++;
    return i;
}

static bool drawn(const struct sizing *s, const struct sizing_curve *c)
{
    return c->count && !isnan(sizing_value(&s->points[c->first + c->count - 1], s->primary));
}

static int keys_make(const struct sizing *s, struct keys *out)
{
    int curves = 0;
    *out = (struct keys){.names = 0};
    for (int i = 0; i < s->curve_count; i++) {
        const struct sizing_curve *c = &s->curves[i];
        double gpus = document_number(c->of, "gpus");
        if (!drawn(s, c)) continue;
        curves++;
        if (name_place(out, c) == out->names && out->names < NAMES_MOST) name_of(c, out->name[out->names++]);
        if (count_place(out, c) < out->counts || out->counts == COUNTS_MOST) continue;
        int at = out->counts++;
        for (; at > 0 && gpus > out->gpus[at - 1]; at--) out->gpus[at] = out->gpus[at - 1];
        out->gpus[at] = gpus;
    }
    return curves;
}

static unsigned colour_at(int name) { return sizing_colours[name % SIZING_COLOURS]; }
static const char *dash_at(int count)
{
    static const char *const dashes[DASHES] = {"1", "(14,5)", "(7,5)", "(2,4)", "(14,4,2,4)", "(7,3,2,3,2,3)"};
    return dashes[count % DASHES];
}

/* ---- the legend ---- */

/* A place in rows of names; move_on gives each name its room. */
struct row_place {
    double x, y; /* pixels, y from the top */
};

static struct row_place place_next(struct row_place *at, int characters)
{
    double wide = SAMPLE + 30 + 7.4 * characters;
    struct row_place here;
    if (at->x + wide > SIZING_WIDTH && at->x > LEFT) *at = (struct row_place){LEFT, at->y + ROW};
    here = *at;
    at->x += wide;
    return here;
}

static void sample_write(struct figures *figures, struct row_place p, const char *stroke, const char *name,
                         const char *text)
{
    const struct figure *f = figure_now(figures);
    double y = f->height - p.y;
    fprintf(figures->script, "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead %s\n",
            p.x / f->width, y / f->height, (p.x + SAMPLE) / f->width, y / f->height, stroke);
    figure_label(figures, p.x + SAMPLE + 8, y, name, text);
}

/* Writes the legend when figures is given. Returns its height in pixels. */
static double legend(struct figures *figures, const struct keys *k, const char *answer)
{
    struct row_place at = {LEFT, TOP};
    char text[STYLE_NAME], stroke[96];
    for (int i = 0; i < k->names; i++) {
        struct row_place p = place_next(&at, style_length(k->name[i]));
        snprintf(stroke, sizeof stroke, "lc rgb '#%06X' lw 4", colour_at(i));
        if (figures) sample_write(figures, p, stroke, k->name[i], "left tc rgb '#333333'");
    }
    if (k->counts > 1) at = (struct row_place){LEFT, at.y + ROW};
    for (int i = 0; i < k->counts && k->counts > 1; i++) {
        snprintf(text, sizeof text, "%.0f GPU%s", k->gpus[i], k->gpus[i] == 1 ? "" : "s");
        struct row_place p = place_next(&at, style_length(text));
        /* gnuplot 5.4 joins strokes of one width and colour, whatever their dashes are */
        snprintf(stroke, sizeof stroke, "lc rgb '#444444' lw %.2f dt %s", 2 + 0.02 * i, dash_at(i));
        if (figures) sample_write(figures, p, stroke, text, "left tc rgb '#333333'");
    }
    if (*answer) {
        at = (struct row_place){LEFT, at.y + ROW};
        if (figures) {
            const struct figure *f = figure_now(figures);
            fprintf(figures->script,
                    "set object circle at screen %.5f, screen %.5f size screen 0.0075 fs empty border lc rgb '#%06X' "
                    "lw 2.4\n",
                    (at.x + SAMPLE / 2.0) / f->width, 1 - at.y / f->height, (unsigned)SIZING_ANSWER);
            figure_label(figures, at.x + SAMPLE + 8, f->height - at.y, answer, "left tc rgb '#111111'");
        }
    }
    return at.y + ROW - TOP;
}

static void answer_text(const struct sizing *s, char out[STYLE_NAME])
{
    char bytes[STYLE_TEXT], label[STYLE_NAME];
    out[0] = 0;
    if (s->answer < 0) return;
    const struct sizing_point *p = &s->points[s->answer];
    snprintf(out, STYLE_NAME, "the answer (bold line): %s, %s of cache per GPU",
             style_cut(label, s->curves[p->curve].label, 60), style_bytes(bytes, p->budget));
}

/* ---- the lines ---- */

static bool is_answer(const struct sizing *s, int curve)
{
    return s->answer >= 0 && s->points[s->answer].curve == curve;
}

/* Longer lines first, so that a shorter one stays visible on top of a longer one that it runs along; the answer last.
 */
static int order(const struct sizing *s, int *out)
{
    int n = 0;
    for (int i = 0; i < s->curve_count; i++) {
        int at = n;
        if (!drawn(s, &s->curves[i])) continue;
        for (; at > 0 &&
               (is_answer(s, out[at - 1]) || (!is_answer(s, i) && s->curves[out[at - 1]].limit < s->curves[i].limit));
             at--)
            out[at] = out[at - 1];
        out[at] = i;
        n++;
    }
    return n;
}

static enum st lines_write(struct figures *figures, const struct sizing *s, const struct keys *k,
                           const struct figure_axis *x, const struct figure_places *at, struct err *err)
{
    int list[SIZING_CURVES_MAX], n = order(s, list);
    for (int i = 0; i < n; i++) {
        const struct sizing_curve *c = &s->curves[list[i]];
        char stroke[96];
        int name = name_place(k, c);
        snprintf(stroke, sizeof stroke, "lc rgb '#%06X' dt %s lw %s", colour_at(name), dash_at(count_place(k, c)),
                 is_answer(s, list[i]) ? "4.5" : "1.8");
        sizing_line_write(figures, c, x, sizing_column(s->primary), stroke, name / SIZING_COLOURS % 2 ? 5 : 7, i == 0);
    }
    fputc('\n', figures->script);
    for (int i = 0; i < n; i++) {
        const struct sizing_curve *c = &s->curves[list[i]];
        int name = name_place(k, c);
        PASS(
            sizing_points(figures, s, c, s->primary, &(struct figure_key){k->name[name], colour_at(name)}, at, x, err));
    }
    return ST_OK;
}

/* what, title: of the figure; of: the configurations that the document has. */
static enum st plot(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                    const char *what, const char *title, int of, struct err *err)
{
    struct keys keys;
    char answer[STYLE_NAME];
    double limit = 0, most = NAN, above;
    int n = keys_make(s, &keys), height;
    if (n < 2) return ST_OK;
    answer_text(s, answer);
    above = TOP + legend(NULL, &keys, answer);
    height = (int)above + TALL + 60;
    for (int i = 0; i < s->curve_count; i++) {
        if (!drawn(s, &s->curves[i])) continue;
        limit = fmax(limit, s->curves[i].limit);
        most = fmax(most, sizing_highest(s, s->curves[i].first, s->curves[i].count, s->primary));
    }
    PASS(figure_begin_of(figures, subject, what, title, SIZING_WIDTH, height, err));
    sizing_records_write(figures, s);
    struct box box = {SIZING_AXIS, SIZING_WIDTH - 24, 60, height - above};
    struct figure_axis x = figure_axis_make('x', QUANTITY_BYTES, limit),
                       y = figure_axis_make('y', sizing_quantity(s->primary), most);
    figure_panel(figures, &box);
    legend(figures, &keys, answer);
    figure_axis_left(figures, &box, 72, sizing_metric_name(s->primary));
    figure_axis_below(figures, &box, "cache per GPU");
    figure_axis_write(figures->script, &x);
    figure_axis_write(figures->script, &y);
    sizing_target_line(figures, s, s->primary, &y.range);
    if (s->answer >= 0)
        sizing_ring_write(figures, s->points[s->answer].budget / x.unit,
                          sizing_value(&s->points[s->answer], s->primary));
    const struct figure_places at = figure_places_make(&box, &x, &y);
    PASS(lines_write(figures, s, &keys, &x, &at, err));
    fputs("unset object\n", figures->script);
    figure_caption(figures,
                   "One line per configuration: the colour is the server, the dash the number of GPUs. A line begins "
                   "with nothing cached and ends with the largest cache that fits beside training, or with the whole "
                   "graph cached. Where lines lie on each other, the shorter is on top.%s",
                   !strcmp(s->primary, "epoch_seconds") ? " Epoch times are those of the best plan up to each budget, "
                                                          "because a plan for less memory fits, too."
                                                        : "");
    sizing_target_caption(figures, s, s->primary);
    if (of > n)
        figure_caption(figures,
                       " Shown are %d of %d: the answer, the first of each server, and the next; all stand in the "
                       "next figure.",
                       n, of);
    if (keys.names > SIZING_COLOURS)
        figure_caption(figures, " Colours repeat after %d names; the dots differ.", (int)SIZING_COLOURS);
    return figure_end(figures, err);
}

/* Leaves `most` curves drawn: the answer's, one of each name, and the next. curves: [s->curve_count], a copy that *few
 * takes; the others lose their points. */
static void choose(const struct sizing *s, const struct keys *k, struct sizing_curve *curves)
{
    bool keep[SIZING_CURVES_MAX] = {false}, named[NAMES_MOST + 1] = {false};
    int kept = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < s->curve_count && kept < FIRST_MOST; i++) {
            const int name = name_place(k, &s->curves[i]);
            if (!drawn(s, &s->curves[i]) || keep[i]) continue;
            if (round == 0 ? !is_answer(s, i) : round == 1 && named[name]) continue;
            keep[i] = named[name] = true;
            kept++;
        }
    for (int i = 0; i < s->curve_count; i++) {
        curves[i] = s->curves[i];
        if (!keep[i]) curves[i].count = 0;
    }
}

enum st sizing_plot_choices(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err)
{
    enum st st = ST_OK;
    struct sizing few = *s;
    struct keys keys;
    const int n = keys_make(s, &keys);
    few.curves = NULL;
    if (n > FIRST_MOST) {
        NEW(few.curves, s->curve_count, "curves");
        choose(s, &keys, few.curves);
        TRY(plot(figures, &few, subject, "choices-first", "Cache size by configuration", n, err));
    }
    figures->screen = n > FIRST_MOST; /* paper has the first ones, and the tables */
    TRY(plot(figures, s, subject, "choices",
             n > FIRST_MOST ? "Cache size, all configurations" : "Cache size by configuration", n, err));
done:
    figures->screen = false;
    mem_free(few.curves);
    return st;
}
