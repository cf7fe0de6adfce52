/* report.c - tells documents apart and draws the page of their kind; see report.h. */
#include "reports/report.h"

#include <string.h>

#include "base/doc.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "reports/comparison/comparison.h"
#include "reports/formats/gnuplot.h"
#include "reports/shell/page_kind.h"

/* An input and what it turned out to be. */
struct input {
    const char *path;           /* of its document, or a plan folder */
    char *owned;                /* the path where a folder was given; NULL elsewhere */
    const struct page_kind *of; /* never NULL once it is known */
};

/* Finds the document in a folder that a command wrote, if there is one: that of a plan, else of another kind. */
static enum st document_of(const char *folder, bool *plan, struct input *out, struct err *err)
{
    char path[PATH_BYTES];
    for (int k = -1; k < 0 || page_kinds_registered[k]; k++) {
        const char *file = k < 0 ? "plan.json" : page_kinds_registered[k]->file;
        if (!file) continue;
        PASS(path_join(path, folder, file, err));
        if (!file_exists(path)) continue;
        MAKE(out->owned, strlen(path) + 1, "a path");
        out->path = strcpy(out->owned, path);
        *plan = k < 0;
        break;
    }
    return ST_OK;
}

/* What cannot be read is a comparison: it says why. ST_LIMIT for lack of memory. */
static enum st input_find(const char *given, struct input *out, struct err *err)
{
    enum st st = ST_OK;
    bool plan = false; /* whose folder a comparison takes */
    doc *d = NULL;
    out->path = given;
    out->of = &page_kind_comparison_page;
    if (file_is_directory(given)) {
        TRY(document_of(given, &plan, out, err));
        if (!out->owned) return ST_OK;
    }
    st = doc_load(out->path, NULL, &d, err);
    if (st != ST_OK) return st == ST_LIMIT ? st : ST_OK;
    for (int k = 0; page_kinds_registered[k]; k++)
        if (text_starts(doc_text_value(doc_get(d, "schema"), ""), page_kinds_registered[k]->schema))
            out->of = page_kinds_registered[k];
    if (plan && out->of == &page_kind_comparison_page) out->path = given;
    doc_free(d);
done:
    return st;
}

enum st report_check(const char *out_dir, struct err *err)
{
    enum st st = output_check(out_dir, NULL, err);
    return st == ST_OK ? gnuplot_check(err) : st;
}

/* The pages that the inputs need, in the order of their first documents: paths[] gets the documents, page by page, and
 * entries[] is ended by one without a kind. Returns how many pages. */
static int pages_make(struct input *inputs, int count, const char **paths, struct front_entry *entries)
{
    int pages = 0, placed = 0;
    for (int i = 0; i < count; i++) {
        const struct page_kind *kind = inputs[i].of;
        struct front_entry *e = &entries[pages];
        if (!kind) continue; /* on a page already */
        *e = (struct front_entry){.kind = kind, .inputs = paths + placed};
        for (int k = i; k < count; k++) {
            if (inputs[k].of != kind || (kind->one && e->count)) continue;
            inputs[k].of = NULL;
            paths[placed++] = inputs[k].path;
            e->count++;
        }
        pages++;
    }
    return pages;
}

/* Whether options that choose policies have a comparison to choose from. */
static enum st options_check(const struct report_options *o, const struct input *list, int count, struct err *err)
{
    bool any = !o->policies && !o->labels;
    for (int i = 0; i < count; i++) any |= list[i].of == &page_kind_comparison_page;
    return any ? ST_OK
               : err_set(err, ST_USAGE, "--policies and --labels are of results of hotset compare; none is given");
}

enum st report_write(const char *const *inputs, int count, const char *out_dir, const struct report_options *options,
                     struct err *err)
{
    enum st st;
    struct page_request request = {.out_dir = out_dir,
                                   .title = options->title,
                                   .quiet = options->quiet,
                                   .pdf = options->pdf,
                                   .policies = options->policies,
                                   .labels = options->labels};
    struct input *list = NULL;
    OWNED struct front_entry *entries = NULL;
    const char **paths = NULL;
    NEW(list, count, "inputs");
    NEW(entries, count + 1, "pages");
    NEW(paths, count, "inputs");
    for (int i = 0; i < count; i++) TRY(input_find(inputs[i], &list[i], err));
    TRY(options_check(options, list, count, err));
    int pages = pages_make(list, count, paths, entries);
    request.inputs = entries[0].inputs;
    request.count = entries[0].count;
    st = pages == 1 ? page_kind_report(entries[0].kind, &request, err) : front_report(&request, entries, pages, err);
done:
    for (int i = 0; list && i < count; i++) mem_free(list[i].owned);
    mem_free(list);
    mem_free(paths);
    return st;
}
