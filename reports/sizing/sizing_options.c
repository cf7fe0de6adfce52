/* sizing_options.c - what can be bought, as bars: time and money with their intervals, filling SSDs and training, host
 * memory; see sizing.h. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/formats/document.h"
#include "reports/sizing/sizing.h"

enum { BARS = 60 };

static void name_add(struct drawing *d, const doc *option, int row)
{
    char label[STYLE_NAME], text[STYLE_NAME + 20];
    snprintf(text, sizeof text, "%.0f x %s", document_number(option, "servers"),
             style_cut(label, doc_text_value(doc_get(option, "label"), "?"), 60));
    drawing_tick(d, AXIS_Y, row, text);
}

/* ---- time and money ---- */

/* What is drawn of each option, with its interval. */
struct measure {
    const char *key, *axis;
    enum quantity quantity;
};

static bool has(const doc *option, const struct measure *m) { return !isnan(document_number(option, m->key)); }

static const doc *interval_of(const doc *option, const struct measure *m, const char *ends)
{
    char key[80];
    snprintf(key, sizeof key, "%s_%s", m->key, ends);
    return doc_get(option, key);
}

/* Whether measured cases of one's own have changed its interval. */
static bool narrowed(const doc *option, const struct measure *m)
{
    const doc *range = interval_of(option, m, "interval"), *before = interval_of(option, m, "without_cases_interval");
    bool same = true;
    for (uint64_t i = 0; i < 2 && before; i++)
        same &= doc_real_value(doc_at(range, i), NAN) == doc_real_value(doc_at(before, i), NAN);
    return !same;
}

/* Options that have it; list: [BARS]. Returns how many. */
static int measured(const struct sizing *s, const struct measure *m, const doc **list)
{
    int n = 0;
    const doc *all = doc_get(s->root, "options");
    for (uint64_t i = 0; i < doc_size(all) && n < BARS; i++)
        if (has(doc_at(all, i), m) && sizing_listed(doc_at(all, i))) list[n++] = doc_at(all, i);
    return n;
}

/* The interval of an option as a bar; without: that without one's own cases, where it is another, as a pale one. */
static void interval_add(struct drawing *d, const doc *o, const struct measure *m, int row, bool without)
{
    const doc *range = interval_of(o, m, "interval"), *before = interval_of(o, m, "without_cases_interval");
    const double v = document_number(o, m->key), low = doc_real_value(doc_at(range, 0), v),
                 high = doc_real_value(doc_at(range, 1), v), from = doc_real_value(doc_at(before, 0), low),
                 to = doc_real_value(doc_at(before, 1), high);
    char text[3][STYLE_TEXT];
    if (without && (from != low || to != high)) drawing_point(d, to, row, NULL)->from = from;
    if (without) return;
    drawing_point(d, high, row, "%.0f x %.80s: %s, %s to %s", document_number(o, "servers"), document_text(o, "label"),
                  style_quantity(text[0], m->quantity, v), style_quantity(text[1], m->quantity, low),
                  style_quantity(text[2], m->quantity, high))
        ->from = low;
}

/* A panel of one measure. Returns whether it shows the target. */
static bool measure_add(struct drawing *d, const struct sizing *s, const struct measure *m, const doc *const *list,
                        int n)
{
    static const struct drawing_series series[] =
        {{.name = "without cases", .colour = 0xC9CDD2, .shape = DRAWING_BARS, .flags = SERIES_UNNAMED, .width = 0.5},
         {.name = "other options",
          .colour = 0x0B4F8A,
          .shape = DRAWING_BARS,
          .flags = SERIES_STACKED | SERIES_UNNAMED,
          .width = 0.24},
         {.name = "the answer",
          .colour = SIZING_ANSWER,
          .shape = DRAWING_BARS,
          .flags = SERIES_STACKED | SERIES_UNNAMED,
          .width = 0.24},
         {.name = "prediction",
          .colour = 0x111111,
          .shape = DRAWING_DOTS,
          .flags = SERIES_UNNAMED,
          .mark = 7,
          .size = 0.7}};
    const doc *number = doc_get(doc_get(s->root, "decision"), "option"),
              *chosen = doc_is_integer(number)
                            ? doc_at(doc_get(s->root, "options"), (uint64_t)doc_integer_value(number, 0))
                            : NULL;
    const double target = sizing_target(s, m->key);
    double most = NAN;
    for (int i = 0; i < n; i++) {
        most = fmax(most, doc_real_value(doc_at(interval_of(list[i], m, "interval"), 1), NAN));
        most = fmax(most, doc_real_value(doc_at(interval_of(list[i], m, "without_cases_interval"), 1), NAN));
    }
    const bool near = target < 4 * most; /* a loose one would leave no room for the bars */
    drawing_panel(d, NULL, &(struct drawing_axis){m->axis, m->quantity, 0, 0, 0},
                  &(struct drawing_axis){.flags = AXIS_NAMES});
    for (int i = 0; i < n; i++) name_add(d, list[i], i);
    if (near) drawing_mark(d, AXIS_X, target, 0, SIZING_ANSWER, NULL);
    for (int k = 0; k < 4; k++) {
        drawing_series(d, &series[k]);
        for (int i = 0; i < n; i++) {
            if (!has(list[i], m)) continue;
            if (k == 3) drawing_point(d, document_number(list[i], m->key), i, NULL);
            else if (!k || (list[i] == chosen) == (k == 2)) interval_add(d, list[i], m, i, !k);
        }
    }
    return near;
}

/* The one that all prices are in; "": there is none. */
static const char *currency_of(const struct sizing *s)
{
    const char *one = "";
    for (int i = 0; i < s->curve_count; i++) {
        const char *mine = doc_text_value(doc_get(s->curves[i].of, "currency"), "");
        if (*one && *mine && strcmp(one, mine)) return "";
        if (*mine) one = mine;
    }
    return one;
}

/* What the answer says of each option: its time, of the training where that is longer than an epoch, and its money. */
static enum st intervals_draw(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                              struct err *err)
{
    const bool trains = sizing_trains_longer(s);
    const char *currency = currency_of(s);
    char money[80];
    snprintf(money, sizeof money, "money of %s%s%.8s", trains ? "the whole training" : "one epoch",
             *currency ? ", " : "", currency);
    const struct measure all[] = {{trains ? "training_seconds" : "epoch_seconds",
                                   trains ? "time of the training" : "time of an epoch", QUANTITY_SECONDS},
                                  {"cost", money, QUANTITY_PRICE}};
    OWNED_BY(drawing_release) struct drawing d = {0};
    const doc *list[BARS], *priced[BARS];
    const int n = measured(s, all, list), prices = measured(s, all + 1, priced);
    if (!n) return ST_OK;
    bool near = measure_add(&d, s, &all[0], list, n);
    d.across = 2;
    if (prices) near |= measure_add(&d, s, &all[1], list, n);
    else d.across = 0;
    drawing_caption(&d, "Bars are 90 %% intervals, the dot is the prediction; red is the answer.%s",
                    near ? " The dashed line is the target." : "");
    for (int i = 0; i < n; i++) {
        if (!narrowed(list[i], &all[0])) continue;
        drawing_caption(&d, " A grey bar behind is the interval without measured cases of one's own.");
        break;
    }
    return drawing_write(&d, figures, subject, "intervals",
                         prices ? "Time and money of each option" : "Time of each option", err);
}

/* ---- bars of two parts ---- */

/* Two parts of an option; NaN: it has none. */
struct parts {
    double part[2];
};

static struct parts filling_of(const doc *o)
{
    const double fill = document_number(o, "ssd_fill_seconds");
    return (struct parts){{fill, document_number(o, "training_seconds") - fill}};
}

static struct parts host_of(const doc *o)
{
    if (!doc_bool_value(doc_get(o, "fits"), false)) return (struct parts){{NAN, NAN}};
    return (struct parts){{document_number(o, "host_needs_bytes"), document_number(o, "host_left_bytes")}};
}

/* Whether both are of one server and have equal parts: other GPUs or other numbers of it that are asked about. */
static bool same_bar(const doc *a, const doc *b, struct parts (*of)(const doc *o))
{
    const char *one = document_text(a, "label"), *other = document_text(b, "label");
    const size_t name = strcspn(one, ":,");
    const struct parts parts = of(a), y = of(b);
    return parts.part[0] == y.part[0] && parts.part[1] == y.part[1] && strcspn(other, ":,") == name &&
           !strncmp(one, other, name);
}

struct part_figure {
    const char *what, *title, *axis, *caption, *name[2];
    enum quantity quantity;
    struct parts (*of)(const doc *o);
};

static enum st parts_draw(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                          const struct part_figure *f, struct err *err)
{
    static const unsigned colours[2] = {0x8C8C8C, 0x0B4F8A};
    OWNED_BY(drawing_release) struct drawing d = {0};
    const doc *list = doc_get(s->root, "options"), *shown[BARS];
    int n = 0;
    char text[STYLE_TEXT];
    for (uint64_t i = 0; i < doc_size(list) && n < BARS; i++) {
        const doc *o = doc_at(list, i);
        bool known = !sizing_listed(o) || isnan(f->of(o).part[0] + f->of(o).part[1]);
        for (int k = 0; k < n && !known; k++) known = same_bar(o, shown[k], f->of);
        if (!known) shown[n++] = o;
    }
    drawing_panel(&d, NULL, &(struct drawing_axis){f->axis, f->quantity, 0, 0, 0},
                  &(struct drawing_axis){.flags = AXIS_NAMES});
    for (int i = 0; i < n; i++) name_add(&d, shown[i], i);
    for (int k = 0; k < 2; k++) {
        drawing_bars(&d, f->name[k], colours[k], k ? SERIES_STACKED : 0);
        for (int i = 0; i < n; i++) {
            const struct parts p = f->of(shown[i]);
            const double from = k ? p.part[0] : 0;
            drawing_point(&d, from + p.part[k], i, "%.0f x %.34s, %s: %s", document_number(shown[i], "servers"),
                          document_text(shown[i], "label"), f->name[k], style_quantity(text, f->quantity, p.part[k]))
                ->from = from;
        }
    }
    drawing_caption(&d, "%s", f->caption);
    return drawing_write(&d, figures, subject, f->what, f->title, err);
}

enum st sizing_plot_options(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err)
{
    static const struct part_figure filling = {.what = "filling",
                                               .title = "Filling SSDs, then training",
                                               .axis = "time of the training",
                                               .caption = "The prediction, without its interval. SSDs are written "
                                                          "once, "
                                                          "before the first epoch; the time is part of the training, "
                                                          "of "
                                                          "its money and its energy.",
                                               .name = {"filling SSDs", "epochs"},
                                               .quantity = QUANTITY_SECONDS,
                                               .of = filling_of},
                                    host = {.what = "host-memory",
                                            .title = "Host memory of each server",
                                            .axis = "host memory",
                                            .caption = "Needed: topology, feature rows that lie on the host, the "
                                                       "system, "
                                                       "processes and the loader. The page cache may take what is "
                                                       "left; "
                                                       "training does not need it.",
                                            .name = {"needed", "left to the page cache"},
                                            .quantity = QUANTITY_BYTES,
                                            .of = host_of};
    const doc *list = doc_get(s->root, "options");
    bool filled = false;
    PASS(intervals_draw(figures, s, subject, err));
    for (uint64_t i = 0; i < doc_size(list); i++) filled |= document_number(doc_at(list, i), "ssd_fill_seconds") > 0;
    if (!filled) return ST_OK;
    PASS(parts_draw(figures, s, subject, &filling, err));
    return parts_draw(figures, s, subject, &host, err);
}
