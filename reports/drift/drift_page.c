/* drift_page.c - the page of answers of hotset drift. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/style.h"
#include "reports/shell/page_kind.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

enum { SCHEMES_MOST = 64, WINDOWS_MOST = 100000 };

/* ---- reading ---- */

static enum st drift_page_check(const doc *root, const char *path, struct err *err)
{
    const doc *schemes = doc_get(root, "schemes");
    doc *windows;
    const char *name;
    if (doc_size(schemes) < 1 || doc_size(schemes) > SCHEMES_MOST)
        return err_set(err, ST_INPUT,
                       "%s: has %llu schemes, expected 1 to %d; write the document again with hotset drift", path,
                       (unsigned long long)doc_size(schemes), SCHEMES_MOST);
    for (uint64_t i = 0; i < doc_size(schemes); i++) {
        PASS(doc_need_text(doc_at(schemes, i), "scheme", path, &name, err));
        PASS(doc_need_array(doc_at(schemes, i), "windows", path, &windows, err));
        if (doc_size(windows) < 1 || doc_size(windows) > WINDOWS_MOST)
            return err_set(err, ST_INPUT,
                           "%s: scheme %.40s has %llu windows, expected 1 to %d; write the document again with hotset "
                           "drift",
                           path, name, (unsigned long long)doc_size(windows), WINDOWS_MOST);
    }
    return ST_OK;
}

/* ---- the page ---- */

/* Hit rates window by window: of features, or where no cache holds any, of topology. */
static enum st figures_write(struct figures *figures, const doc *root, const struct figure_subject *subject,
                             struct err *err)
{
    enum { LINES = 7 };
    static const unsigned colours[LINES] = {0x000000, 0xB5500A, 0x1B7A4B, 0x0B4F8A, 0x6B7280, 0x8E3A80, 0xA32638};
    static const int dashes[LINES] = {0, 1, 3, 0, 2, 4, 1}, marks[LINES] = {7, 5, 9, 11, 13, 6, 4};
    const doc *schemes = doc_get(root, "schemes");
    OWNED_BY(drawing_release) struct drawing d = {.ends = true, .tall = 314};
    bool held = false;
    double last = 1;
    char text[STYLE_TEXT];
    for (uint64_t i = 0; i < doc_size(schemes); i++)
        held |= document_number(doc_at(schemes, i), "feature_hit_rate") > 0;
    drawing_panel(&d, NULL, &(struct drawing_axis){"window", QUANTITY_COUNT, AXIS_NEAR, 0, 0},
                  &(struct drawing_axis){"hit rate (share of reads)", QUANTITY_RATE, 0, 0, 0});
    for (int i = 0; i < LINES && i < (int)doc_size(schemes); i++) {
        const doc *scheme = doc_at(schemes, (uint64_t)i), *windows = doc_get(scheme, "windows");
        const char *name = document_text(scheme, "scheme");
        drawing_series(&d, &(struct drawing_series){name, NULL, colours[i], DRAWING_LINE, .dash = dashes[i],
                                                    .mark = marks[i]});
        for (uint64_t k = 0; k < doc_size(windows); k++) {
            const double window = document_count(doc_at(windows, k), "window"),
                         rate = document_number(doc_at(windows, k), held ? "feature_hit_rate" : "topology_hit_rate");
            drawing_point(&d, window, rate, "%.60s, window %.0f: %s", name, window, style_percent(text, rate, 1));
            last = fmax(last, window);
        }
    }
    for (int window = 0; window <= last && last < 1e6; window++) {
        snprintf(text, sizeof text, "%d", window);
        if (window || last < 2) drawing_tick(&d, AXIS_X, window, text);
    }
    drawing_caption(&d,
                    "Reads of %s rows that GPUs hold, on held-out epochs of each window. Window 0 made the first plan; "
                    "oracle knows the window that it serves.",
                    held ? "feature" : "topology");
    return drawing_write(&d, figures, subject, "drift", "Hit rate window by window", err);
}

static const doc *scheme_of(const doc *root, const char *name)
{
    const doc *schemes = doc_get(root, "schemes");
    for (uint64_t i = 0; i < doc_size(schemes); i++)
        if (!strcmp(document_text(doc_at(schemes, i), "scheme"), name)) return doc_at(schemes, i);
    return NULL;
}

/* What saves most seconds against the first plan; NULL: nothing does. */
static const doc *best_of(const doc *root)
{
    const doc *schemes = doc_get(root, "schemes");
    const doc *best = NULL;
    double most = 0;
    for (uint64_t i = 0; i < doc_size(schemes); i++) {
        double saved = document_number(doc_at(schemes, i), "seconds_saved");
        if (!(saved > most)) continue;
        most = saved;
        best = doc_at(schemes, i);
    }
    return best;
}

static void answer_write(const doc *root, FILE *to)
{
    const doc *fixed = scheme_of(root, "fixed"), *best = best_of(root);
    char text[3][STYLE_TEXT];
    if (!best) {
        fputs("No way of keeping up pays: the plan of the first window stays the fastest.", to);
        return;
    }
    html_element(to, "<b>", document_text(best, "scheme"), "</b>");
    fprintf(to,
            " pays most: after the first window an epoch reads the host in %s transactions, with the first plan's rows "
            "in %s; in all it saves %s, loading deducted.",
            style_count(text[0], document_count(best, "total_transactions")),
            style_count(text[1], document_count(fixed, "total_transactions")),
            style_seconds(text[2], document_count(best, "seconds_saved")));
}

static void schemes_table(const doc *root, FILE *to)
{
    document_table(to, "Means over the windows after the first", doc_get(root, "schemes"), NULL, drift_columns);
}

extern const struct page_kind page_kind_drift_page;
const struct page_kind page_kind_drift_page = {.schema = "drift/",
                                               .what = "answers of hotset drift",
                                               .name = "drift",
                                               .title = "How plans age",
                                               .exact = "drift/1",
                                               .needs = "schemes",
                                               .check = drift_page_check,
                                               .draw = figures_write,
                                               .sentence = answer_write,
                                               .table = schemes_table};
