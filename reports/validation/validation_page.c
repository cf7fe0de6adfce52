#include "reports/shell/page_kind.h"
#include "reports/validation/validation.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/keys.h"

/* ---- reading: cases and points keep the document's order, the worst first; texts are borrowed from it ---- */

enum { VALIDATION_CASES = 128, VALIDATION_POINTS = 256 };

struct validation_case_read {
    const doc *of;
    const char *name, *title, *unit;
    double tolerance;
    const doc *points; /* array of at most VALIDATION_POINTS */
};
struct validation_read {
    doc *root; /* owned */
    int count;
    struct validation_case_read list[VALIDATION_CASES];
};

#define CASE(m) .flags = FIELD_NEEDED, FIELD_TO(struct validation_case_read, m)
static const struct field case_fields[] = {KEY_TEXT("name", "Of the case.", CASE(name)),
                                           KEY_TEXT("title", "A line for people.", CASE(title)),
                                           KEY_TEXT("unit", "Of its numbers.", CASE(unit)),
                                           KEY_NUMBER("tolerance", NULL, "The largest error that passes, a share.",
                                                      CASE(tolerance)),
                                           KEY_LIST("measured", NULL, "Its points.", .flags = FIELD_NEEDED,
                                                    .most = VALIDATION_POINTS),
                                           FIELDS_OPEN},
                          validation_fields[] = {KEY_LIST("cases", case_fields, "What was judged.",
                                                          .flags = FIELD_NEEDED, .least = 1,
                                                          FIELD_EACH(struct validation_read, list, count)),
                                                 FIELDS_OPEN};

static enum st validation_load(const char *path, struct validation_read *out, struct err *err)
{
    PASS(doc_load(path, "validation/1", &out->root, err));
    PASS(fields_read(validation_fields, out->root, path, out, err));
    for (int i = 0; i < out->count; i++) {
        out->list[i].of = doc_at(doc_get(out->root, "cases"), (uint64_t)i);
        out->list[i].points = doc_get(out->list[i].of, "measured");
    }
    return ST_OK;
}

static void validation_release(struct validation_read *v)
{
    doc_free(v->root);
    memset(v, 0, sizeof *v);
}

/* ---- figures ---- */

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
    for (int i = 0; i < v->count; i++) drawing_tick(&d, AXIS_Y, i, style_cut(name, v->list[i].name, 60));
    drawing_bars(&d, NULL, 0xE4ECF4, SERIES_UNNAMED);
    for (int i = 0; i < v->count; i++) {
        const double t = fmin(v->list[i].tolerance, most * 1.05);
        drawing_point(&d, t, i, NULL)->from = fmax(-t, fmax(-most, -1) * 1.05);
    }
    for (int i = 0; i < v->count; i++) case_add(&d, v, i, i);
    drawing_caption(&d, "A mark is a measured point, a band the tolerance of its case. Hollow marks were fitted.");
    return drawing_write(&d, figures, NULL, "errors", "How far off the predictions are", err);
}

/* Section 0 is the overview; section i + 1 is case i. */

static void error_cell(FILE *to, const doc *of, const char *key, double tolerance)
{
    double v = document_number(of, key);
    char text[STYLE_TEXT];
    snprintf(text, sizeof text, "%+.1f %%", 100 * v);
    html_element(to, !isnan(v) && fabs(v) > tolerance ? "<td class=\"off\">" : "<td>", isnan(v) ? "-" : text, "</td>");
}

static void number_cell(FILE *to, double v, const char *format)
{
    char text[STYLE_TEXT];
    snprintf(text, sizeof text, format, v);
    html_cell(to, isnan(v) ? "-" : text);
}

/* ---- overview ---- */

static void lead_write(const void *of, FILE *to)
{
    const struct validation_read *v = of;
    const doc *counts = doc_get(v->root, "counts");
    fprintf(to,
            "<p class=\"lead\">Of %d cases %lld meet their tolerance, %lld miss it and %lld could not be predicted.",
            v->count, (long long)doc_integer_value(doc_get(counts, "met"), 0),
            (long long)doc_integer_value(doc_get(counts, "missed"), 0),
            (long long)doc_integer_value(doc_get(counts, "not_known"), 0));
    fputs(" Each case states its source, what is fitted and to which points; all other points are predicted. Cases "
          "that miss stay in the table.</p>\n",
          to);
}

static void overview_write(FILE *to, const struct validation_read *v)
{
    static const struct html_column columns[] = {{"case", NULL, true},
                                                 {"points", "fitted", false},
                                                 {"worst", NULL, false},
                                                 {"median", NULL, false},
                                                 {"tolerance", NULL, false},
                                                 {"verdict", NULL, true},
                                                 {0}};
    html_table_begin(to, "Error = predicted / measured - 1; the worst case first.", columns);
    for (int i = 0; i < v->count; i++) {
        const struct validation_case_read *c = &v->list[i];
        fprintf(to, "<tr><th scope=\"row\"><a href=\"#c%d\">", i + 1);
        html_element(to, "", c->name, "</a></th>");
        fprintf(to, "<td>%lld (%lld)</td>", (long long)doc_integer_value(doc_get(c->of, "points"), 0),
                (long long)doc_integer_value(doc_get(c->of, "points_fitted"), 0));
        error_cell(to, c->of, "worst", c->tolerance);
        number_cell(to, 100 * document_number(c->of, "median"), "%.1f %%");
        number_cell(to, 100 * c->tolerance, "%.3g %%");
        html_element(to, "<td class=\"left\">", document_text(c->of, "verdict"), "</td></tr>\n");
    }
    html_table_end(to);
}

/* ---- a case ---- */

static void words_write(FILE *to, const char *heading, const doc *list)
{
    if (!doc_size(list)) return;
    fprintf(to, "<p><b>%s.</b>", heading);
    for (uint64_t i = 0; i < doc_size(list); i++) html_element(to, " ", doc_text_value(doc_at(list, i), ""), "");
    fputs("</p>\n", to);
}

static void parameters_write(FILE *to, const doc *list)
{
    if (!doc_size(list)) return;
    fputs("<ul>\n", to);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *p = doc_at(list, i);
        html_element(to, "<li>", document_text(p, "name"), "");
        fprintf(to, " = %.4g, %s: ", document_number(p, "value"),
                doc_bool_value(doc_get(p, "fitted"), false) ? "fitted" : "not fitted");
        html_element(to, "", document_text(p, "about"), "</li>\n");
    }
    fputs("</ul>\n", to);
}

static void points_write(FILE *to, const struct validation_case_read *c)
{
    const struct html_column columns[] = {{"point", NULL, true},        {"use", NULL, true},
                                          {"measured", c->unit, false}, {"predicted", c->unit, false},
                                          {"error", NULL, false},       {0}};
    char text[STYLE_TEXT];
    html_table_begin(to, NULL, columns);
    for (uint64_t i = 0; i < doc_size(c->points); i++) {
        const doc *p = doc_at(c->points, i);
        html_element(to, "<tr><td class=\"left\">", document_text(p, "name"), "");
        if (*document_text(p, "note")) html_element(to, " <small>", document_text(p, "note"), "</small>");
        html_element(to, "</td><td class=\"left\">", document_text(p, "use"), "</td>");
        html_cell(to, style_number(text, document_number(p, "measured")));
        html_cell(to, style_number(text, document_number(p, "predicted")));
        error_cell(to, p, "error", c->tolerance);
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static void case_write(FILE *to, const struct validation_case_read *c)
{
    html_element(to, "<p><b>Source.</b> ", document_text(c->of, "source"), "");
    html_element(to, " <b>Hardware.</b> ", document_text(c->of, "hardware"), "</p>\n");
    html_element(to, "<p><b>Quantity.</b> ", document_text(c->of, "quantity"), ". ");
    html_element(to, "<b>Model.</b> <code>", document_text(c->of, "model"), "</code>: ");
    html_element(to, "", document_text(c->of, "model_summary"), ".</p>\n");
    words_write(to, "Known", doc_get(c->of, "known"));
    words_write(to, "Assumed", doc_get(c->of, "assumed"));
    words_write(to, "Why it misses", doc_get(c->of, "reason"));
    parameters_write(to, doc_get(c->of, "parameters"));
    points_write(to, c);
}

/* ---- the page ---- */

static enum st draw(const void *of, int section, struct figures *figures, struct err *err)
{
    if (section) return ST_OK;
    PASS(errors_draw(figures, of, err));
    return scatter_draw(figures, of, err);
}

static enum st section_write(const void *of, int section, const struct figures *figures, FILE *to, struct err *err)
{
    const struct validation_read *v = of;
    if (!section) {
        fputs("<section>\n", to);
        overview_write(to, v);
        PASS(page_figures_write(to, figures, section, err));
    } else {
        const struct validation_case_read *c = &v->list[section - 1];
        fprintf(to, "<section id=\"c%d\">\n", section);
        html_element(to, "<h2>", c->title, "");
        html_element(to, " <small>", c->name, "</small></h2>\n");
        case_write(to, c);
    }
    fputs("</section>\n", to);
    return ST_OK;
}

static struct page page_of(const struct validation_read *v, const char *title)
{
    return (struct page){.title = title,
                         .of = v,
                         .sections = v->count + 1,
                         .draw = draw,
                         .lead = lead_write,
                         .section = section_write};
}

static const char heading[] = "How far hotset is from what was measured";

static enum st validation_report(const struct page_request *request, struct err *err)
{
    enum st st;
    struct validation_read *v = NULL;
    NEW(v, 1, "a validation");
    if (request->count != 1) FAIL(ST_INPUT, "%d validations; a page shows one, so give one file", request->count);
    TRY(validation_load(request->inputs[0], v, err));
    struct page page = page_of(v, page_title(request, heading));
    TRY(page_write(&page, request, err));
done:
    if (v) validation_release(v);
    mem_free(v);
    return st;
}

enum st validation_report_into(const char *folder, struct err *err)
{
    enum st st;
    struct validation_read *v = NULL;
    struct figures figures = {0};
    char path[PATH_BYTES];
    NEW(v, 1, "a validation");
    TRY(path_join(path, folder, "validation.json", err));
    TRY(validation_load(path, v, err));
    TRY(path_join(path, folder, "plots", err));
    if (mkdir(path, 0777)) FAIL(ST_LIMIT, "%s: the folder cannot be made (%s); free disk space", path, strerror(errno));
    TRY(figures_init(&figures, folder, "plots", "plots", err));
    struct page page = page_of(v, heading);
    TRY(page_write_into(&page, &figures, err));
done:
    figures_release(&figures);
    if (v) validation_release(v);
    mem_free(v);
    return st;
}

extern const struct page_kind page_kind_validation_page;
const struct page_kind page_kind_validation_page = {.schema = "validation/",
                                                    .what = "results of hotset lab validate",
                                                    .name = "validation",
                                                    .one = true,
                                                    .report = validation_report};
