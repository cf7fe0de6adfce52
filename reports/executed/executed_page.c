/* executed_page.c - the page of executed plans; see reports/shell/page_kind.h. */
#include "reports/shell/answers.h"

#include <math.h>
#include <string.h>
#include "reports/executed/executed.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

/* ---- reading ---- */

const char *const executed_kinds[EXECUTED_KINDS] = {"predicted", "simulated", "counted", "measured"};

static enum st check_points(const doc *points, const char *path, struct err *err)
{
    double before = -1;
    if (!doc_is_array(points) || doc_size(points) > EXECUTED_POINTS_MAX)
        return err_set(err, ST_INPUT,
                       "%s: \"points\" of \"sweep\" is not a list of at most %d points; write the document again with "
                       "hotset execute --sweep",
                       path, EXECUTED_POINTS_MAX);
    for (uint64_t i = 0; i < doc_size(points); i++) {
        double alpha = document_count(doc_at(points, i), "alpha");
        if (!(alpha > before && alpha <= 1))
            return err_set(err, ST_INPUT,
                           "%s: point %d of \"sweep\" has no alpha in 0..1 above the one before; write the document "
                           "again with hotset execute --sweep",
                           path, (int)i + 1);
        before = alpha;
    }
    return ST_OK;
}

static enum st load(const char *path, void *one, const void *with, struct err *err)
{
    struct executed *out = one;
    doc *totals, *gpus;
    (void)with;
    PASS(doc_load(path, "executed/1", &out->root, err));
    PASS(doc_need_object(out->root, "totals", path, &totals, err));
    PASS(doc_need_array(out->root, "gpus", path, &gpus, err));
    if (doc_size(gpus) > EXECUTED_GPUS_MAX)
        return err_set(err, ST_LIMIT, "%s: has %llu GPUs, and at most %d can be drawn; execute fewer with --gpu", path,
                       (unsigned long long)doc_size(gpus), EXECUTED_GPUS_MAX);
    out->totals = totals;
    out->gpus = gpus;
    out->policy = doc_text_value(doc_get(out->root, "policy"), "?");
    out->device = doc_text_value(doc_get(doc_get(out->root, "machine"), "device"), "?");
    if (doc_is_object(doc_get(out->root, "sweep"))) {
        out->points = doc_get(doc_get(out->root, "sweep"), "points");
        PASS(check_points(out->points, path, err));
    }
    out->subject = figure_subject_make(doc_text_value(doc_get(doc_get(out->root, "graph"), "name"), "a graph"),
                                       doc_text_value(doc_get(doc_get(out->root, "server"), "name"), "a server"),
                                       out->policy);
    return ST_OK;
}

/* ---- the page ---- */

static void notes_list(FILE *to, const struct executed *x)
{
    const doc *notes = doc_get(x->root, "notes"), *measured = doc_get(doc_at(x->gpus, 0), "measured");
    const char *how[] = {doc_text_value(doc_get(measured, "feature_how"), NULL),
                         doc_text_value(doc_get(measured, "total_how"), NULL)};
    fputs("<h3>Notes</h3>\n<ul>\n", to);
    for (int i = 0; i < 2; i++) {
        if (!how[i] || (i && !strcmp(how[0] ? how[0] : "", how[1]))) continue;
        fprintf(to, "<li>%s: ", i ? "Measured total" : "Measured features");
        html_text(to, !strcmp(how[i], "timed") ? "from the time that rows of the host took, at the rate of timed reads "
                                                 "of such rows"
                      : !strcmp(how[i], "counters") ? "by the driver's counter of bytes received over PCIe"
                                                    : how[i]);
        fputs(".</li>\n", to);
    }
    for (uint64_t i = 0; i < doc_size(notes); i++)
        html_element(to, "<li>", doc_text_value(doc_at(notes, i), ""), "</li>\n");
    fputs("</ul>\n", to);
}

static enum st figures_write(struct figures *figures, const void *one, struct err *err)
{
    return executed_plots(figures, one, err);
}

static double total_of(const struct executed *x, const char *kind)
{
    return document_count(doc_get(x->totals, kind), "total_transactions");
}

/* What was found, in a sentence: what the execution counted, and how far the prediction was off. */
static void answer_write(FILE *to, const void *one, const char *open)
{
    const struct executed *x = one;
    double counted = total_of(x, "counted"), measured = total_of(x, "measured"), predicted = total_of(x, "predicted"),
           known = isnan(measured) ? counted : measured;
    char text[STYLE_TEXT];
    if (isnan(known)) return;
    html_element(to, open, isnan(measured) ? "Counted while it ran: " : "Measured while it ran: ", "");
    fprintf(to, "%s PCIe transactions per epoch", style_count(text, known));
    if (predicted > 0) fprintf(to, ", %+.1f %% against the prediction", 100 * (known / predicted - 1));
    if (isnan(measured)) fputs(". This machine could not measure them", to);
    fputs(".</p>\n", to);
}

static void heading_write(FILE *to, const void *one)
{
    const struct executed *x = one;
    char text[STYLE_NAME];
    html_element(to, "", style_cut(text, x->policy, 60), "");
    html_element(to, " <small>", x->subject.graph, "");
    html_element(to, " on ", x->subject.server, "");
    html_element(to, ", executed by ", style_cut(text, x->device, 100), "</small>");
}

static void tables_write(FILE *to, const void *one)
{
    fputs("<h3>Transactions per epoch</h3>\n", to);
    document_columns(to, NULL,
                     &(struct column_table){.columns = execute_totals,
                                            .rows = ((const struct executed *)one)->totals,
                                            .skip = execute_errors});
    fputs("<h3>Each GPU</h3>\n", to);
    document_table(to, NULL, ((const struct executed *)one)->gpus, NULL, execute_times);
    notes_list(to, one);
}

static const struct answers page = {.title = "Executed cache plans",
                                    .bytes = sizeof(struct executed),
                                    .root = offsetof(struct executed, root),
                                    .subject = offsetof(struct executed, subject),
                                    .load = load,
                                    .draw = figures_write,
                                    .sentence = answer_write,
                                    .heading = heading_write,
                                    .tables = tables_write};

extern const struct page_kind page_kind_executed_page;
const struct page_kind page_kind_executed_page = {.schema = "executed/",
                                                  .what = "results of hotset execute",
                                                  .name = "executed",
                                                  .answers = &page};
