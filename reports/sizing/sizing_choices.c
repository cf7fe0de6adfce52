/* sizing_choices.c - all curves in one panel: a colour per server, a dash per number of GPUs, the answer bold; see
 * sizing_plots.h. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "reports/formats/document.h"
#include "reports/sizing/sizing.h"

enum { NAMES_MOST = 40, COUNTS_MOST = 16, FIRST_MOST = 7 /* lines that a reader tells apart */ };
const unsigned sizing_colours[SIZING_COLOURS] = {0x0B4F8A, 0xB5500A, 0x1B7A4B, 0x8E3A80, 0x9A6B00, 0x3D7EA6,
                                                 0xA32638, 0x5B6570, 0x6A4FB0, 0x2F6F73, 0x7A5230, 0x000000};

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

/* What colours and dashes mean, in the legend alone. */
static void legend_add(struct drawing *d, const struct keys *k)
{
    char text[STYLE_TEXT];
    for (int i = 0; i < k->names; i++)
        drawing_series(d, &(struct drawing_series){.name = k->name[i],
                                                   .colour = sizing_colours[i % SIZING_COLOURS],
                                                   .width = 4});
    for (int i = 0; i < k->counts && k->counts > 1; i++) {
        snprintf(text, sizeof text, "%.0f GPU%s", k->gpus[i], k->gpus[i] == 1 ? "" : "s");
        drawing_series(d, &(struct drawing_series){.name = text, .colour = 0x444444, .dash = i});
    }
}

static void line_add(struct drawing *d, const struct sizing *s, const struct keys *k, int curve)
{
    const struct sizing_curve *c = &s->curves[curve];
    const int name = name_place(k, c);
    char bytes[STYLE_TEXT], value[STYLE_TEXT];
    drawing_series(d, &(struct drawing_series){.name = k->name[name],
                                               .colour = sizing_colours[name % SIZING_COLOURS],
                                               .flags = SERIES_UNNAMED,
                                               .dash = count_place(k, c),
                                               .mark = name / SIZING_COLOURS % 2 ? 5 : 7,
                                               .width = is_answer(s, curve) ? 4.5 : 1.8,
                                               .size = 0.45});
    for (int i = c->first; i < c->first + c->count; i++) {
        const double v = sizing_value(&s->points[i], s->primary);
        drawing_point(d, s->points[i].budget, v, "%.80s, %s per GPU: %s %s", c->label,
                      style_bytes(bytes, s->points[i].budget), sizing_metric_name(s->primary),
                      sizing_text(s->primary, v, value));
    }
}

static void answer_add(struct drawing *d, const struct sizing *s)
{
    char bytes[STYLE_TEXT], label[STYLE_NAME], text[STYLE_NAME];
    if (s->answer < 0) return;
    const struct sizing_point *p = &s->points[s->answer];
    snprintf(text, sizeof text, "the answer (bold line): %s, %s of cache per GPU",
             style_cut(label, s->curves[p->curve].label, 60), style_bytes(bytes, p->budget));
    drawing_series(d, &(struct drawing_series){.name = text,
                                               .colour = SIZING_ANSWER,
                                               .shape = DRAWING_DOTS,
                                               .flags = SERIES_HOLLOW,
                                               .size = 2.4});
    drawing_point(d, p->budget, sizing_value(p, s->primary), NULL);
}

/* what, title: of the figure; of: the configurations that the document has. */
static enum st plot(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                    const char *what, const char *title, int of, struct err *err)
{
    OWNED_BY(drawing_release) struct drawing d = {.tall = 300};
    struct keys keys;
    double limit = 0;
    int list[SIZING_CURVES_MAX], n = keys_make(s, &keys);
    if (n < 2) return ST_OK;
    for (int i = 0; i < s->curve_count; i++)
        if (drawn(s, &s->curves[i])) limit = fmax(limit, s->curves[i].limit);
    drawing_caption(&d,
                    "One line per configuration: the colour is the server, the dash the number of GPUs. A line begins "
                    "with nothing cached and ends with the largest cache that fits beside training, or with the whole "
                    "graph cached. Where lines lie on each other, the shorter is on top.%s",
                    !strcmp(s->primary, "epoch_seconds") ? " Epoch times are those of the best plan up to each budget, "
                                                           "because a plan for less memory fits, too."
                                                         : "");
    drawing_panel(&d, NULL, &(struct drawing_axis){"cache per GPU", QUANTITY_BYTES, 0, 0, limit},
                  &(struct drawing_axis){sizing_metric_name(s->primary), sizing_quantity(s->primary), 0, 0, 0});
    sizing_target_add(&d, s, s->primary);
    legend_add(&d, &keys);
    n = order(s, list);
    for (int i = 0; i < n; i++) line_add(&d, s, &keys, list[i]);
    answer_add(&d, s);
    if (of > n)
        drawing_caption(&d,
                        " Shown are %d of %d: the answer, the first of each server, and the next; all stand in the "
                        "next "
                        "figure.",
                        n, of);
    if (keys.names > SIZING_COLOURS)
        drawing_caption(&d, " Colours repeat after %d names; the dots differ.", (int)SIZING_COLOURS);
    return drawing_write(&d, figures, subject, what, title, err);
}

/* Leaves `most` curves drawn: the answer's, one of each name, and the next. curves: [s->curve_count], a copy that *few
 * takes; the others lose their points. */
static void sizing_choices_choose(const struct sizing *s, const struct keys *k, struct sizing_curve *curves)
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
        sizing_choices_choose(s, &keys, few.curves);
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
