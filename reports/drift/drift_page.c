/* drift_page.c - the page of answers of hotset drift. */
#include <math.h>
#include <string.h>

#include "reports/drift/drift_plot.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/style.h"
#include "reports/shell/answers.h"

enum { SCHEMES_MOST = 64, WINDOWS_MOST = 100000 };

struct drift {
    doc *root; /* owned */
    const doc *schemes;
    struct figure_subject subject;
};

/* ---- reading ---- */

static enum st load(const char *path, void *one, const void *with, struct err *err)
{
    struct drift *out = one;
    doc *schemes, *windows;
    const char *name;
    (void)with;
    PASS(doc_load(path, "drift/1", &out->root, err));
    PASS(doc_need_array(out->root, "schemes", path, &schemes, err));
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
    out->schemes = schemes;
    out->subject = figure_subject_make(document_text(doc_get(out->root, "graph"), "name"),
                                       document_text(out->root, "server"), "drift");
    return ST_OK;
}

/* ---- the page ---- */

static enum st figures_write(struct figures *figures, const void *one, struct err *err)
{
    const struct drift *d = one;
    return drift_plot(figures, &d->subject, d->root, err);
}

static const doc *scheme_of(const struct drift *d, const char *name)
{
    for (uint64_t i = 0; i < doc_size(d->schemes); i++)
        if (!strcmp(document_text(doc_at(d->schemes, i), "scheme"), name)) return doc_at(d->schemes, i);
    return NULL;
}

/* What saves most seconds against the first plan; NULL: nothing does. */
static const doc *best_of(const struct drift *d)
{
    const doc *best = NULL;
    double most = 0;
    for (uint64_t i = 0; i < doc_size(d->schemes); i++) {
        double saved = document_number(doc_at(d->schemes, i), "seconds_saved");
        if (!(saved > most)) continue;
        most = saved;
        best = doc_at(d->schemes, i);
    }
    return best;
}

static void answer_write(FILE *to, const void *one, const char *open)
{
    const struct drift *d = one;
    const doc *fixed = scheme_of(d, "fixed"), *best = best_of(d);
    char text[3][STYLE_TEXT];
    fputs(open, to);
    if (!best) {
        fputs("No way of keeping up pays: the plan of the first window stays the fastest.</p>\n", to);
        return;
    }
    html_element(to, "<b>", document_text(best, "scheme"), "</b>");
    fprintf(to,
            " pays most: after the first window an epoch reads the host in %s transactions, with the first plan's rows "
            "in %s; in all it saves %s, loading deducted.</p>\n",
            style_count(text[0], document_count(best, "total_transactions")),
            style_count(text[1], document_count(fixed, "total_transactions")),
            style_seconds(text[2], document_count(best, "seconds_saved")));
}

/* Seconds that may be negative: "-12.5 ms". */
static void signed_seconds(FILE *to, double seconds)
{
    char text[STYLE_TEXT], cell[STYLE_TEXT + 4];
    snprintf(cell, sizeof cell, "%s%s", seconds < 0 ? "-" : "", style_seconds(text, fabs(seconds)));
    html_cell(to, cell);
}

static void schemes_table(FILE *to, const void *one)
{
    const struct drift *d = one;
    const bool below = doc_get(d->root, "host_memory_bytes");
    const struct html_column columns[] = {{"rows", NULL, true},
                                          {"hits", "features", false},
                                          {"hits", "topology", false},
                                          {"transactions", "per epoch", false},
                                          {"loaded", "all windows", false},
                                          {"loading", NULL, false},
                                          {"saved", "loading deducted", false},
                                          {below ? "below GPUs" : NULL, "DRAM and SSDs, per epoch", false},
                                          {0}};
    char text[STYLE_TEXT];
    html_table_begin(to, "Means over the windows after the first", columns);
    for (uint64_t i = 0; i < doc_size(d->schemes); i++) {
        const doc *x = doc_at(d->schemes, i);
        html_element(to, "<tr><th scope=\"row\">", document_text(x, "scheme"), "</th>");
        html_cell(to, style_percent(text, document_number(x, "feature_hit_rate"), 1));
        html_cell(to, style_percent(text, document_number(x, "topology_hit_rate"), 1));
        html_cell(to, style_count(text, document_count(x, "total_transactions")));
        html_cell(to, style_bytes(text, document_count(x, "bytes_loaded")));
        html_cell(to, style_seconds(text, document_count(x, "seconds_loading")));
        signed_seconds(to, document_number(x, "seconds_saved"));
        if (below) html_cell(to, style_seconds(text, document_count(doc_get(x, "memories"), "seconds")));
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static const struct answers page = {.title = "How plans age",
                                    .bytes = sizeof(struct drift),
                                    .root = offsetof(struct drift, root),
                                    .subject = offsetof(struct drift, subject),
                                    .load = load,
                                    .draw = figures_write,
                                    .sentence = answer_write,
                                    .tables = schemes_table};

extern const struct page_kind page_kind_drift_page;
const struct page_kind page_kind_drift_page = {.schema = "drift/",
                                               .what = "answers of hotset drift",
                                               .name = "drift",
                                               .answers = &page};
