/* report.c - tells documents apart and draws the page of their kind; see report.h. */
#include "reports/report.h"

#include "base/doc.h"
#include "base/file.h"
#include "base/text.h"
#include "reports/advice/advice_page.h"
#include "reports/comparison/comparison_page.h"
#include "reports/executed/executed_page.h"
#include "reports/formats/gnuplot.h"
#include "reports/sizing/sizing_page.h"
#include "reports/validation/validation_page.h"

/* Documents with a page of their own; all others are compared. */
static const struct kind {
    const char *schema, *what;
    enum st (*report)(const struct page_request *request, struct err *err);
} kinds[] = {{"size/", "answers of hotset size", sizing_report},
             {"advice/", "answers of hotset advise", advice_report},
             {"executed/", "results of hotset execute", executed_report},
             {"validation/", "results of hotset validate", validation_report}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The kind of a file; KINDS for everything else, and for what cannot be read: the comparison says why. ST_LIMIT for
 * lack of memory. */
static enum st kind_of(const char *path, int *out, struct err *err)
{
    doc *d = NULL;
    int kind = 0;
    *out = KINDS;
    if (file_is_directory(path)) return ST_OK;
    enum st st = doc_load(path, NULL, &d, err);
    if (st != ST_OK) return st == ST_LIMIT ? st : ST_OK;
    while (kind < KINDS && !text_starts(doc_text_value(doc_get(d, "schema"), ""), kinds[kind].schema)) kind++;
    doc_free(d);
    *out = kind;
    return ST_OK;
}

enum st report_check(const char *out_dir, struct err *err)
{
    enum st st = output_check(out_dir, "index.html", err);
    return st == ST_OK ? gnuplot_check(err) : st;
}

enum st report_write(const char *const *inputs, int count, const char *out_dir, const char *title, bool quiet,
                     double pdf, struct err *err)
{
    const struct page_request request = {inputs, count, out_dir, title, quiet, pdf};
    int found[KINDS + 1] = {0}, kind;
    for (int i = 0; i < count; i++) {
        enum st st = kind_of(inputs[i], &kind, err);
        if (st != ST_OK) return st;
        found[kind]++;
    }
    for (int k = 0; k < KINDS; k++) {
        if (found[k] == count) return kinds[k].report(&request, err);
        if (found[k])
            return err_set(err, ST_INPUT,
                           "%d of %d inputs are %s, which have a page of their own; draw them into another folder",
                           found[k], count, kinds[k].what);
    }
    return comparison_report(&request, err);
}
