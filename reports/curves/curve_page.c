/* curve_page.c - the page of answers of hotset curve. */
#include <math.h>
#include <string.h>

#include "reports/curves/curve_plot.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/style.h"
#include "reports/shell/answers.h"

enum { PARTS_MOST = 4096, POINTS_MOST = 100000 };

struct curve {
    doc *root; /* owned */
    const doc *parts;
    struct figure_subject subject;
};

/* ---- reading ---- */

static enum st check_part(const doc *part, const char *path, struct err *err)
{
    doc *lines, *rate;
    const char *name;
    PASS(doc_need_text(part, "unit", path, &name, err));
    PASS(doc_need_text(part, "table", path, &name, err));
    PASS(doc_need_array(part, "lines", path, &lines, err));
    for (uint64_t i = 0; i < doc_size(lines); i++) {
        PASS(doc_need_text(doc_at(lines, i), "name", path, &name, err));
        PASS(doc_need_array(doc_at(lines, i), "hit_rate", path, &rate, err));
        if (doc_size(rate) < 2 || doc_size(rate) > POINTS_MOST)
            return err_set(err, ST_INPUT,
                           "%s: a line has %llu hit rates, expected 2 to %d; write the document again with hotset "
                           "curve",
                           path, (unsigned long long)doc_size(rate), POINTS_MOST);
    }
    return ST_OK;
}

static enum st load(const char *path, void *one, const void *with, struct err *err)
{
    struct curve *out = one;
    doc *parts;
    (void)with;
    PASS(doc_load(path, "curve/1", &out->root, err));
    PASS(doc_need_array(out->root, "parts", path, &parts, err));
    if (doc_size(parts) < 1 || doc_size(parts) > PARTS_MOST)
        return err_set(err, ST_INPUT,
                       "%s: has %llu parts, expected 1 to %d; write the document again with hotset curve", path,
                       (unsigned long long)doc_size(parts), PARTS_MOST);
    for (uint64_t i = 0; i < doc_size(parts); i++) PASS(check_part(doc_at(parts, i), path, err));
    out->parts = parts;
    out->subject = figure_subject_make(doc_text_value(doc_get(out->root, "graph"), "requests"),
                                       doc_text_value(doc_get(out->root, "server"), "a server"), "curve");
    return ST_OK;
}

/* ---- the page ---- */

/* Whether a part is drawn: what all caches hold together, and the first where there is no such part. */
static bool drawn(const struct curve *c, uint64_t i)
{
    return !i || !strcmp(document_text(doc_at(c->parts, i), "unit"), "all");
}

static enum st figures_write(struct figures *figures, const void *one, struct err *err)
{
    const struct curve *c = one;
    char what[32] = "curve";
    for (uint64_t i = 0; i < doc_size(c->parts); i++) {
        if (!drawn(c, i)) continue;
        if (i) snprintf(what, sizeof what, "curve-%llu", (unsigned long long)i);
        PASS(curve_plot(figures, &c->subject, doc_at(c->parts, i), what, err));
    }
    return ST_OK;
}

/* The knee of the best line that has one. */
static void answer_write(FILE *to, const void *one, const char *open)
{
    const struct curve *c = one;
    const doc *lines = doc_get(doc_at(c->parts, 0), "lines"), *best = NULL;
    char text[2][STYLE_TEXT];
    for (uint64_t i = 0; i < doc_size(lines); i++) {
        const doc *knee = doc_get(doc_at(lines, i), "knee");
        const char *rate = "hit_rate";
        if (doc_is_object(knee) && !(document_number(knee, rate) <= document_number(doc_get(best, "knee"), rate)))
            best = doc_at(lines, i);
    }
    if (!best) return;
    const doc *knee = doc_get(best, "knee");
    html_element(to, open, document_text(best, "name"), "");
    fprintf(to, " turns at %s of cache, which serve %s of the reads; beyond that, more memory buys less.</p>\n",
            style_bytes(text[0], document_number(knee, "bytes")),
            style_percent(text[1], document_number(knee, "hit_rate"), 1));
}

static void knees_table(FILE *to, const void *one)
{
    const struct curve *c = one;
    static const struct html_column columns[] = {{"caches", NULL, true},
                                                 {"rows", NULL, true},
                                                 {"order or rule", NULL, true},
                                                 {"knee at", NULL, false},
                                                 {"of all rows", NULL, false},
                                                 {"hit rate there", "of reads", false},
                                                 {0}};
    char text[STYLE_TEXT];
    html_table_begin(to, "Where each line turns", columns);
    for (uint64_t i = 0; i < doc_size(c->parts); i++) {
        const doc *part = doc_at(c->parts, i), *lines = doc_get(part, "lines");
        for (uint64_t k = 0; k < doc_size(lines); k++) {
            const doc *knee = doc_get(doc_at(lines, k), "knee");
            if (!doc_is_object(knee)) continue;
            html_element(to, "<tr><th scope=\"row\">", document_text(part, "unit"), "</th>");
            html_element(to, "<td class=\"left\">", document_text(part, "table"), "</td>");
            html_element(to, "<td class=\"left\">", document_text(doc_at(lines, k), "name"), "</td>");
            html_cell(to, style_bytes(text, document_number(knee, "bytes")));
            html_cell(to, style_percent(text, document_number(knee, "share"), 0));
            html_cell(to, style_percent(text, document_number(knee, "hit_rate"), 1));
            fputs("</tr>\n", to);
        }
    }
    html_table_end(to);
}

static enum st curve_report(const struct page_request *request, struct err *err)
{
    static const struct answers page = {.title = "How much cache is enough",
                                        .bytes = sizeof(struct curve),
                                        .root = offsetof(struct curve, root),
                                        .subject = offsetof(struct curve, subject),
                                        .load = load,
                                        .draw = figures_write,
                                        .sentence = answer_write,
                                        .tables = knees_table};
    return answers_report(&page, request, err);
}

extern const struct page_kind page_kind_curve_page;
const struct page_kind page_kind_curve_page = {.schema = "curve/",
                                               .what = "answers of hotset curve",
                                               .name = "curve",
                                               .report = curve_report};
