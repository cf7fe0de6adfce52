/* executed_page.c - the page of executed plans; see reports/shell/page_kind.h. */
#include "reports/shell/page_kind.h"

#include <math.h>
#include <string.h>
#include "reports/executed/executed.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

/* ---- reading ---- */

enum { GPUS_MOST = 256, POINTS_MOST = 1001 };

static enum st check_points(const doc *points, const char *path, struct err *err)
{
    double before = -1;
    if (!doc_is_array(points) || doc_size(points) > POINTS_MOST)
        return err_set(err, ST_INPUT,
                       "%s: \"points\" of \"sweep\" is not a list of at most %d points; write the document again with "
                       "hotset execute --sweep",
                       path, POINTS_MOST);
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

static enum st check(const doc *root, const char *path, struct err *err)
{
    const doc *sweep = doc_get(root, "sweep"), *gpus = doc_get(root, "gpus");
    doc *totals;
    PASS(doc_need_object(root, "totals", path, &totals, err));
    if (doc_size(gpus) > GPUS_MOST)
        return err_set(err, ST_LIMIT, "%s: has %llu GPUs, and at most %d can be drawn; execute fewer with --gpu", path,
                       (unsigned long long)doc_size(gpus), GPUS_MOST);
    return doc_is_object(sweep) ? check_points(doc_get(sweep, "points"), path, err) : ST_OK;
}

/* ---- the page ---- */

static void notes_list(const doc *root, FILE *to)
{
    const doc *notes = doc_get(root, "notes"), *measured = doc_get(doc_at(doc_get(root, "gpus"), 0), "measured");
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

static double total_of(const doc *root, const char *kind)
{
    return document_count(doc_get(doc_get(root, "totals"), kind), "total_transactions");
}

/* What was found, in a sentence: what the execution counted, and how far the prediction was off. */
static void answer_write(const doc *root, FILE *to)
{
    double counted = total_of(root, "counted"), measured = total_of(root, "measured"),
           predicted = total_of(root, "predicted"), known = isnan(measured) ? counted : measured;
    char text[STYLE_TEXT];
    if (isnan(known)) return;
    fputs(isnan(measured) ? "Counted while it ran: " : "Measured while it ran: ", to);
    fprintf(to, "%s PCIe transactions per epoch", style_count(text, known));
    if (predicted > 0) fprintf(to, ", %+.1f %% against the prediction", 100 * (known / predicted - 1));
    if (isnan(measured)) fputs(". This machine could not measure them", to);
    fputs(".", to);
}

static void heading_write(const doc *root, const struct figure_subject *subject, FILE *to)
{
    char text[STYLE_NAME];
    html_element(to, "", style_cut(text, doc_text_value(doc_get(root, "policy"), "?"), 60), "");
    html_element(to, " <small>", subject->graph, "");
    html_element(to, " on ", subject->server, "");
    html_element(to, ", executed by ",
                 style_cut(text, doc_text_value(doc_get(doc_get(root, "machine"), "device"), "?"), 100), "</small>");
}

static void tables_write(const doc *root, FILE *to)
{
    fputs("<h3>Transactions per epoch</h3>\n", to);
    document_columns(to, NULL,
                     &(struct column_table){.columns = execute_totals,
                                            .rows = doc_get(root, "totals"),
                                            .skip = execute_errors});
    fputs("<h3>Each GPU</h3>\n", to);
    document_table(to, NULL, doc_get(root, "gpus"), NULL, execute_times);
    notes_list(root, to);
}

extern const struct page_kind page_kind_executed_page;
const struct page_kind page_kind_executed_page = {.schema = "executed/",
                                                  .what = "results of hotset execute",
                                                  .name = "executed",
                                                  .title = "Executed cache plans",
                                                  .exact = "executed/1",
                                                  .needs = "gpus",
                                                  .slug = "policy",
                                                  .check = check,
                                                  .draw = executed_plots,
                                                  .heading = heading_write,
                                                  .sentence = answer_write,
                                                  .table = tables_write};
