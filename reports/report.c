/* report.c - tells documents apart and draws the page of their kind; see report.h. */
#include "reports/report.h"

#include "base/doc.h"
#include "base/text.h"
#include "reports/comparison/comparison_page.h"
#include "reports/executed/executed_page.h"
#include "reports/sizing/sizing_page.h"

/* Documents with a page of their own; all others are compared. */
static const struct kind {
    const char *schema, *what;
    enum st (*report)(const struct page_request *request, struct err *err);
} kinds[] = {{"size/", "answers of hotset size", sizing_report},
             {"executed/", "results of hotset execute", executed_report}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The kind of a file; KINDS for everything else, and for what cannot be read: the comparison says why. */
static int kind_of(const char *path)
{
    struct err ignored = {0};
    doc *d = NULL;
    int kind = 0;
    if (file_is_directory(path) || doc_load(path, NULL, &d, &ignored) != ST_OK) return KINDS;
    while (kind < KINDS && !text_starts(doc_text_value(doc_get(d, "schema"), ""), kinds[kind].schema)) kind++;
    doc_free(d);
    return kind;
}

enum st report_write(const char *const *inputs, int count, const char *out_dir, const char *title, bool quiet,
                     struct err *err)
{
    const struct page_request request = {inputs, count, out_dir, title, quiet};
    int found[KINDS + 1] = {0};
    for (int i = 0; i < count; i++) found[kind_of(inputs[i])]++;
    for (int k = 0; k < KINDS; k++) {
        if (found[k] == count) return kinds[k].report(&request, err);
        if (found[k])
            return err_set(err, ST_INPUT,
                           "%d of %d inputs are %s, which have a page of their own; draw them into another folder",
                           found[k], count, kinds[k].what);
    }
    return comparison_report(&request, err);
}
