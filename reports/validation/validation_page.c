#include "reports/shell/page_kind.h"
#include "reports/validation/validation.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"

/* ---- reading ---- */

static enum st read_case(const doc *d, const char *where, struct validation_case_read *out, struct err *err)
{
    doc *points;
    PASS(doc_need_text(d, "name", where, &out->name, err));
    PASS(doc_need_text(d, "title", where, &out->title, err));
    PASS(doc_need_text(d, "unit", where, &out->unit, err));
    PASS(doc_need_real(d, "tolerance", 0, 1e6, where, &out->tolerance, err));
    PASS(doc_need_array(d, "measured", where, &points, err));
    if (doc_size(points) > VALIDATION_POINTS)
        return err_set(err, ST_INPUT, "%s: case '%.60s' has %llu points, expected at most %d", where, out->name,
                       (unsigned long long)doc_size(points), VALIDATION_POINTS);
    out->of = d;
    out->points = points;
    return ST_OK;
}

static enum st validation_load(const char *path, struct validation_read *out, struct err *err)
{
    doc *cases;
    PASS(doc_load(path, "validation/1", &out->root, err));
    PASS(doc_need_array(out->root, "cases", path, &cases, err));
    if (!doc_size(cases) || doc_size(cases) > VALIDATION_CASES)
        return err_set(err, ST_INPUT, "%s: has %llu cases, expected 1 to %d", path, (unsigned long long)doc_size(cases),
                       VALIDATION_CASES);
    for (uint64_t i = 0; i < doc_size(cases); i++)
        PASS(read_case(doc_at(cases, i), path, &out->list[out->count++], err));
    return ST_OK;
}

static void validation_release(struct validation_read *v)
{
    doc_free(v->root);
    memset(v, 0, sizeof *v);
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
    html_table_begin(to, NULL, columns);
    for (uint64_t i = 0; i < doc_size(c->points); i++) {
        const doc *p = doc_at(c->points, i);
        html_element(to, "<tr><td class=\"left\">", document_text(p, "name"), "");
        if (*document_text(p, "note")) html_element(to, " <small>", document_text(p, "note"), "</small>");
        html_element(to, "</td><td class=\"left\">", document_text(p, "use"), "</td>");
        number_cell(to, document_number(p, "measured"), "%.4g");
        number_cell(to, document_number(p, "predicted"), "%.4g");
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
    return section ? ST_OK : validation_plots(figures, of, err);
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
                                                    .what = "results of hotset validate",
                                                    .name = "validation",
                                                    .one = true,
                                                    .report = validation_report};
