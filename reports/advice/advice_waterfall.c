#include "reports/advice/advice_waterfall.h"

#include <math.h>
#include <stdio.h>

#include "reports/figures/figure_places.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"

enum { WIDTH = 980, HEIGHT = 420, AXIS = 84, WHOLE = 0x5B6673, SAME = 0x0B4F8A, CHECK = 0xD55E00 };

static double left_by(const doc *value) { return document_count(value, "transactions"); }

static void record_write(struct figures *figures, const char *name, const doc *value)
{
    csv_name(&figures->csv, name);
    csv_number(&figures->csv, left_by(value));
    csv_number(&figures->csv, document_count(value, "seconds"));
    csv_end(&figures->csv);
}

static void records_write(struct figures *figures, const struct advice_read *a)
{
    static const char *const header[] = {"after", "transactions [per epoch]", "epoch [s]", NULL};
    csv_header(&figures->csv, header);
    record_write(figures, "today", doc_get(a->today, "value"));
    for (int i = 0; i < a->steps; i++)
        record_write(figures, document_text(a->step[i], "name"), doc_get(a->step[i], "on_top"));
    record_write(figures, "advice", doc_get(a->advice, "value"));
}

/* A bar between two numbers, with a text above it; what it is of says the same. */
static enum st bar_write(struct figures *figures, const struct figure_places *places, int at, double from, double until,
                         const struct figure_key *key, const char *name, const char *text, struct err *err)
{
    FILE *to = figures->script;
    char position[80], count[STYLE_TEXT];
    if (isnan(from) || isnan(until)) return ST_OK;
    double top = fmax(from, until), bottom = fmin(from, until);
    fprintf(to,
            "set object rect from first %.2f, first %.9g to first %.2f, first %.9g fs solid 1.0 noborder fc rgb "
            "'#%06X' front\n",
            at - 0.34, bottom, at + 0.34, top, key->colour);
    snprintf(position, sizeof position, "first %d, first %.9g", at, top);
    gnuplot_label(to, text, position, "center offset 0,0.6 front");
    PASS(figure_series(figures, key->name, key->colour, err));
    figure_bar(figures, places, at - 0.34, bottom, at + 0.34, top, "%.80s: %s left", name, style_count(count, until));
    return ST_OK;
}

static enum st bars_write(struct figures *figures, const struct advice_read *a, const struct figure_places *at,
                          const struct figure_key *keys, struct err *err)
{
    double now = left_by(doc_get(a->today, "value"));
    char text[STYLE_TEXT];
    PASS(bar_write(figures, at, 0, 0, now, &keys[0], "today", style_count(text, now), err));
    for (int i = 0; i < a->steps; i++) {
        double next = left_by(doc_get(a->step[i], "on_top"));
        bool check = doc_bool_value(doc_get(a->step[i], "may_change_accuracy"), true);
        snprintf(text, sizeof text, "%+.1f %%", 100 * (next / now - 1));
        PASS(bar_write(figures, at, i + 1, now, next, &keys[check ? 2 : 1], document_text(a->step[i], "name"), text,
                       err));
        now = next;
    }
    return bar_write(figures, at, a->steps + 1, 0, now, &keys[0], "together", style_count(text, now), err);
}

static void names_write(FILE *to, const struct advice_read *a)
{
    char name[STYLE_NAME];
    fprintf(to, "set xrange [-0.6:%.1f]\nset xtics scale 0 (", a->steps + 1.6);
    gnuplot_tic(to, "today", 0, true);
    for (int i = 0; i < a->steps; i++)
        gnuplot_tic(to, style_cut(name, document_text(a->step[i], "name"), 14), i + 1, false);
    gnuplot_tic(to, "together", a->steps + 1, false);
    fputs(")\n", to);
}

enum st advice_waterfall(struct figures *figures, const struct advice_read *a, struct err *err)
{
    static const struct figure_key keys[] = {{"all transactions", WHOLE},
                                             {"saved, accuracy unchanged", SAME},
                                             {"saved, accuracy to be checked", CHECK}};
    struct box box = {AXIS, WIDTH - 40, 44, HEIGHT - 66};
    struct figure_axis y = figure_axis_make('y', QUANTITY_COUNT, 1.08 * left_by(doc_get(a->today, "value")));
    PASS(figure_begin_of(figures, &a->subject, "levers", "What the levers save together", WIDTH, HEIGHT, err));
    records_write(figures, a);
    figure_panel(figures, &box);
    figure_legend(figures, AXIS, 50, keys, 3);
    figure_axis_left(figures, &box, 72, "PCIe transactions per epoch");
    figure_axis_write(figures->script, &y);
    names_write(figures->script, a);
    PASS(bars_write(figures, a, &(struct figure_places){box, figure_span(-0.6, a->steps + 1.6), figure_axis_span(&y)},
                    keys, err));
    fputs("plot NaN notitle\nunset object\n", figures->script);
    figure_caption(figures, "Each lever is put on top of those left of it, and its percentage is of what they left. "
                            "Simulated on held-out epochs. A lever that saved less than 0.5 %% there is left out.");
    return figure_end(figures, err);
}
