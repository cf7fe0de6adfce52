#include "reports/validation/validation_plots.h"

#include <math.h>
#include <string.h>

#include "reports/figures/figure_places.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"

enum { WIDTH = 980, PANEL = 400, LEFT = 84, UNITS = 6, COLOURS = 8, MARKS = 5 };

static const unsigned colours[COLOURS] = {0x0B4F8A, 0xB64500, 0x00785A, 0x8A3A7C,
                                          0x7A5C00, 0x5B6673, 0xB01E3C, 0x007A99};
/* Filled point types and the hollow ones that belong to them. */
static const int filled[MARKS] = {7, 5, 9, 11, 13}, hollow[MARKS] = {6, 4, 8, 10, 12};

/* Case i's look; what a table of the page shows beside it. */
static unsigned colour_of(int i) { return colours[i % COLOURS]; }
static int mark_of(int i, bool fitted) { return (fitted ? hollow : filled)[i / COLOURS % MARKS]; }

/* ---- data: the same records for both figures, in blocks of one case and one use ---- */

static void records_write(struct figures *figures, const struct validation_read *v)
{
    static const char *const header[] = {"case",      "point",     "use", "unit", "measured",
                                         "predicted", "error [%]", "row", NULL};
    csv_header(&figures->csv, header);
    for (int i = 0; i < v->count; i++)
        for (uint64_t k = 0; k < doc_size(v->list[i].points); k++) {
            const doc *p = doc_at(v->list[i].points, k);
            csv_name(&figures->csv, v->list[i].name);
            csv_name(&figures->csv, document_text(p, "name"));
            csv_name(&figures->csv, document_text(p, "use"));
            csv_name(&figures->csv, v->list[i].unit);
            csv_number(&figures->csv, document_count(p, "measured"));
            csv_number(&figures->csv, document_count(p, "predicted"));
            csv_number(&figures->csv, 100 * document_number(p, "error"));
            csv_number(&figures->csv, v->count - i);
            csv_end(&figures->csv);
        }
}

/* Begins or continues a plot command with the points of case i. columns: of x and y, may use fit and made. */
static void series_write(struct figures *figures, const struct validation_read *v, int i, const char *x, const char *y)
{
    int first = 0;
    for (int k = 0; k < i; k++) first += (int)doc_size(v->list[k].points);
    for (int fitted = 0; fitted < 2; fitted++)
        fprintf(figures->script,
                ", \\\n  '%s' skip 1 every ::%d::%d using (%s):(strcol(3) eq 'fit' ? %s : %s) with points lc rgb "
                "'#%06X' pt %d ps 0.9 lw 1.4",
                figure_now(figures)->csv, first, first + (int)doc_size(v->list[i].points) - 1, x, fitted ? y : "NaN",
                fitted ? "NaN" : y, colour_of(i), mark_of(i, fitted));
}

/* What the points of case i say, in a panel of both values or of errors. */
static enum st points_write(struct figures *figures, const struct validation_read *v, int i, bool errors,
                            const struct figure_places *at, struct err *err)
{
    const struct validation_case_read *c = &v->list[i];
    PASS(figure_series(figures, c->name, colour_of(i), err));
    for (uint64_t k = 0; k < doc_size(c->points); k++) {
        const doc *p = doc_at(c->points, k);
        const double measured = document_count(p, "measured"), predicted = document_count(p, "predicted"),
                     error = 100 * document_number(p, "error");
        figure_dot(figures, at, errors ? error : measured, errors ? v->count - i : predicted,
                   "%.80s, %.80s: measured %.4g, predicted %.4g %.40s, %+.1f %%", c->name, document_text(p, "name"),
                   measured, predicted, c->unit, error);
    }
    return ST_OK;
}

/* ---- predicted against measured ---- */

static int units_find(const struct validation_read *v, const char **unit)
{
    int n = 0;
    for (int i = 0; i < v->count; i++) {
        int at = 0;
        while (at < n && strcmp(unit[at], v->list[i].unit)) at++;
        if (at == n && n < UNITS) unit[n++] = v->list[i].unit;
    }
    return n;
}

/* The range of both axes: all values of a unit. false: there is none to draw. */
static bool span(const struct validation_read *v, const char *unit, double *low, double *high)
{
    *low = *high = NAN;
    for (int i = 0; i < v->count; i++)
        for (uint64_t k = 0; k < doc_size(v->list[i].points) && !strcmp(v->list[i].unit, unit); k++) {
            double m = document_count(doc_at(v->list[i].points, k), "measured");
            double p = document_count(doc_at(v->list[i].points, k), "predicted");
            if (!(m > 0) || !(p > 0)) continue;
            layout_include(m, low, high);
            layout_include(p, low, high);
        }
    return !isnan(*low);
}

/* Names of the cases of a unit in the panel's upper left corner, with their marks. */
static void names_write(struct figures *figures, const struct validation_read *v, const char *unit,
                        const struct box *box)
{
    char name[STYLE_NAME], options[120];
    int row = 0;
    for (int i = 0; i < v->count; i++) {
        if (strcmp(v->list[i].unit, unit)) continue;
        snprintf(options, sizeof options,
                 "left font small_font tc rgb '#%06X' point pt %d ps 0.9 lc rgb '#%06X' offset 1,0", colour_of(i),
                 mark_of(i, false), colour_of(i));
        figure_label(figures, box->left + 10, box->top - 12 - 15 * row++, style_cut(name, v->list[i].name, 34),
                     options);
    }
}

static enum st panel_write(struct figures *figures, const struct validation_read *v, const char *unit,
                           const struct box *box, struct err *err)
{
    double low, high;
    char title[STYLE_NAME + 40], name[STYLE_NAME];
    if (!span(v, unit, &low, &high)) return ST_OK;
    struct figure_axis x = figure_axis_make_log('x', QUANTITY_COUNT, low, high), y = x;
    y.axis = 'y';
    figure_panel(figures, box);
    figure_axis_write(figures->script, &x);
    figure_axis_write(figures->script, &y);
    snprintf(title, sizeof title, "measured, %s", style_cut(name, unit, 24));
    figure_axis_below(figures, box, title);
    snprintf(title, sizeof title, "predicted, %s", name);
    figure_axis_left(figures, box, 60, title);
    names_write(figures, v, unit, box);
    fputs("plot x with lines lc rgb '#444444' lw 1.2, x*1.25 with lines lc rgb '#9AA4AE' dt 2, x/1.25 with lines lc "
          "rgb '#9AA4AE' dt 2",
          figures->script);
    for (int i = 0; i < v->count; i++)
        if (!strcmp(v->list[i].unit, unit)) series_write(figures, v, i, "$5", "$6");
    fputc('\n', figures->script);
    const struct figure_places at = figure_places_make(box, &x, &y);
    for (int i = 0; i < v->count; i++)
        if (!strcmp(v->list[i].unit, unit)) PASS(points_write(figures, v, i, false, &at, err));
    return ST_OK;
}

enum st validation_scatter(struct figures *figures, const struct validation_read *v, struct err *err)
{
    const char *unit[UNITS];
    int units = units_find(v, unit), rows = (units + 1) / 2, height = 60 + rows * (PANEL + 90);
    PASS(figure_begin(figures, "predicted", "Predicted against measured", WIDTH, height, err));
    records_write(figures, v);
    for (int i = 0; i < units; i++) {
        double left = LEFT + i % 2 * 480, top = height - 60 - i / 2 * (PANEL + 90);
        PASS(panel_write(figures, v, unit[i], &(struct box){left, left + PANEL, top - PANEL, top}, err));
    }
    figure_caption(figures, "On the line a prediction is exact; between the dashed lines it is within a factor of "
                            "1.25. Hollow marks are points that a parameter was fitted to.");
    return figure_end(figures, err);
}

/* ---- errors ---- */

static double widest(const struct validation_read *v)
{
    double most = 0.05;
    for (int i = 0; i < v->count; i++)
        for (uint64_t k = 0; k < doc_size(v->list[i].points); k++) {
            double e = document_number(doc_at(v->list[i].points, k), "error");
            if (!isnan(e)) most = fmax(most, fabs(e));
        }
    return 100 * fmin(most, 10);
}

static void rows_write(struct figures *figures, const struct validation_read *v)
{
    char name[STYLE_NAME];
    fprintf(figures->script, "set yrange [0.4:%d.6]\nset ytics scale 0 (", v->count);
    for (int i = 0; i < v->count; i++)
        gnuplot_tic(figures->script, style_cut(name, v->list[i].name, 30), v->count - i, i == 0);
    fputs(")\n", figures->script);
    for (int i = 0; i < v->count; i++) {
        double t = 100 * fmin(v->list[i].tolerance, 10);
        fprintf(figures->script,
                "set object rect from %.9g, %.2f to %.9g, %.2f fs solid 1.0 noborder fc rgb '#E4ECF4' back\n", -t,
                v->count - i - 0.36, t, v->count - i + 0.36);
    }
}

enum st validation_errors(struct figures *figures, const struct validation_read *v, struct err *err)
{
    int height = 130 + 34 * v->count;
    struct box box = {250, WIDTH - 30, 66, height - 50};
    double most = widest(v);
    struct range r = layout_range(fmax(-most, -100), most, false);
    char text[STYLE_TEXT];
    PASS(figure_begin(figures, "errors", "How far off the predictions are", WIDTH, height, err));
    records_write(figures, v);
    figure_panel(figures, &box);
    fprintf(figures->script, "set xrange [%.9g:%.9g]\nset xtics (", r.low, r.high);
    for (int i = 0; i < r.count; i++) {
        snprintf(text, sizeof text, "%+g %%", r.tick[i]);
        gnuplot_tic(figures->script, r.tick[i] == 0 ? "0" : text, r.tick[i], i == 0);
    }
    fputs(")\n", figures->script);
    rows_write(figures, v);
    figure_axis_below(figures, &box, "predicted / measured - 1");
    fputs("plot NaN notitle", figures->script);
    for (int i = 0; i < v->count; i++) series_write(figures, v, i, "$7", "$8");
    fputs("\nunset object\n", figures->script);
    for (int i = 0; i < v->count; i++)
        PASS(points_write(figures, v, i, true, &(struct figure_places){box, r, figure_span(0.4, v->count + 0.6)}, err));
    figure_caption(figures, "A mark is a measured point, a band the tolerance of its case. Hollow marks were fitted.");
    return figure_end(figures, err);
}
