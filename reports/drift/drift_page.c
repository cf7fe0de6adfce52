/* drift_page.c - the page of answers of hotset drift. */
#include <math.h>
#include <string.h>

#include "reports/drift/drift_plot.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/style.h"
#include "reports/shell/answers.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

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

static void schemes_table(FILE *to, const void *one)
{
    const struct drift *d = one;
    document_table(to, "Means over the windows after the first", d->schemes, NULL, drift_columns);
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
