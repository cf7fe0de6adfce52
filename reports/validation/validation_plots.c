/* validation_plots.c - predictions against measurements; see validation.h. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/validation/validation.h"

enum { UNITS = 6, COLOURS = 8, MARKS = 5 };

/* The points of a case, those that a parameter was fitted to as hollow marks. row: of errors; below 0: both values. */
static void case_add(struct drawing *d, const struct validation_read *v, int number, int row)
{
    static const unsigned colours[COLOURS] = {0x0B4F8A, 0xB64500, 0x00785A, 0x8A3A7C,
                                              0x7A5C00, 0x5B6673, 0xB01E3C, 0x007A99};
    static const int filled[MARKS] = {7, 5, 9, 11, 13}, hollow[MARKS] = {6, 4, 8, 10, 12};
    const struct validation_case_read *c = &v->list[number];
    for (int fitted = 0; fitted < 2; fitted++) {
        drawing_series(d, &(struct drawing_series){.name = c->name,
                                                   .colour = colours[number % COLOURS],
                                                   .shape = DRAWING_DOTS,
                                                   .flags = row < 0 ? 0 : SERIES_UNNAMED,
                                                   .mark = (fitted ? hollow : filled)[number / COLOURS % MARKS],
                                                   .width = 1.4,
                                                   .size = 0.9});
        for (uint64_t k = 0; k < doc_size(c->points); k++) {
            const doc *p = doc_at(c->points, k);
            const double measured = document_count(p, "measured"), predicted = document_count(p, "predicted"),
                         error = document_number(p, "error");
            if ((strcmp(document_text(p, "use"), "fit") == 0) != fitted) continue;
            drawing_point(d, row < 0 ? measured : error, row < 0 ? predicted : row,
                          "%.80s, %.80s: measured %.4g, predicted %.4g %.40s, %+.1f %%", c->name,
                          document_text(p, "name"), measured, predicted, c->unit, 100 * error);
        }
    }
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

static enum st scatter_draw(struct figures *figures, const struct validation_read *v, struct err *err)
{
    static const double factors[] = {1, 1.25, 1 / 1.25};
    OWNED_BY(drawing_release) struct drawing d = {.across = 2, .tall = 386};
    const char *unit[UNITS];
    char name[STYLE_NAME], title[2][STYLE_NAME + 40];
    const int units = units_find(v, unit);
    double low, high;
    for (int u = 0; u < units; u++) {
        if (!span(v, unit[u], &low, &high)) continue;
        snprintf(title[0], sizeof title[0], "measured, %s", style_cut(name, unit[u], 24));
        snprintf(title[1], sizeof title[1], "predicted, %s", name);
        drawing_panel(&d, NULL, &(struct drawing_axis){title[0], QUANTITY_COUNT, AXIS_LOG, low, high},
                      &(struct drawing_axis){title[1], QUANTITY_COUNT, AXIS_LOG, low, high});
        for (int i = 0; i < 3; i++) {
            drawing_series(&d, &(struct drawing_series){.colour = i ? 0x9AA4AE : 0x444444,
                                                        .dash = i > 0,
                                                        .mark = -1,
                                                        .width = 1.2,
                                                        .flags = SERIES_UNNAMED});
            drawing_point(&d, low, low * factors[i], NULL);
            drawing_point(&d, high, high * factors[i], NULL);
        }
        for (int i = 0; i < v->count; i++)
            if (!strcmp(v->list[i].unit, unit[u])) case_add(&d, v, i, -1);
    }
    drawing_caption(&d, "On the line a prediction is exact; between the dashed lines it is within a factor of 1.25. "
                        "Hollow "
                        "marks "
                        "are points that a parameter was fitted to.");
    return drawing_write(&d, figures, NULL, "predicted", "Predicted against measured", err);
}

/* ---- errors ---- */

static enum st errors_draw(struct figures *figures, const struct validation_read *v, struct err *err)
{
    OWNED_BY(drawing_release) struct drawing d = {0};
    char name[STYLE_NAME];
    double most = 0.05;
    for (int i = 0; i < v->count; i++)
        for (uint64_t k = 0; k < doc_size(v->list[i].points); k++) /* fmax passes over NaN */
            most = fmax(most, fabs(document_number(doc_at(v->list[i].points, k), "error")));
    most = fmin(most, 10);
    drawing_panel(&d, NULL,
                  &(struct drawing_axis){"predicted / measured - 1", QUANTITY_ERROR, AXIS_EXACT, fmax(-most, -1) * 1.05,
                                         most * 1.05},
                  &(struct drawing_axis){.flags = AXIS_NAMES});
    for (int i = 0; i < v->count; i++) drawing_tick(&d, AXIS_Y, i, style_cut(name, v->list[i].name, 30));
    drawing_bars(&d, NULL, 0xE4ECF4, SERIES_UNNAMED);
    for (int i = 0; i < v->count; i++) {
        const double t = fmin(v->list[i].tolerance, most * 1.05);
        drawing_point(&d, t, i, NULL)->from = fmax(-t, fmax(-most, -1) * 1.05);
    }
    for (int i = 0; i < v->count; i++) case_add(&d, v, i, i);
    drawing_caption(&d, "A mark is a measured point, a band the tolerance of its case. Hollow marks were fitted.");
    return drawing_write(&d, figures, NULL, "errors", "How far off the predictions are", err);
}

enum st validation_plots(struct figures *figures, const struct validation_read *v, struct err *err)
{
    PASS(errors_draw(figures, v, err));
    return scatter_draw(figures, v, err);
}
