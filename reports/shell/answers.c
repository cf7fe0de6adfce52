/* answers.c - pages with a section per document; see page_kind.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/shell/bars.h"

/* A document and what it is of. */
struct answer {
    doc *root; /* owned */
    struct figure_subject subject;
    char name[STYLE_NAME]; /* of the subject, where the page names it */
};

struct answers {
    const struct page_kind *of;
    struct answer *list; /* [count], owned */
    int count;
};

/* A text, or the name of an object: documents have both. */
static const char *name_of(const doc *value, const char *otherwise)
{
    return doc_text_value(doc_is_object(value) ? doc_get(value, "name") : value, otherwise);
}

static enum st load(const struct page_kind *kind, const char *path, struct answer *d, struct err *err)
{
    doc *needed;
    PASS(doc_load(path, kind->exact, &d->root, err));
    const char *schema = document_text(d->root, "schema");
    if (!text_starts(schema, kind->schema)) PASS(document_refuse(schema, path, err));
    if (kind->fields) PASS(fields_read(kind->fields, d->root, path, NULL, err));
    if (kind->needs) PASS(doc_need_array(d->root, kind->needs, path, &needed, err));
    if (kind->check) PASS(kind->check(d->root, path, err));
    const char *slug = kind->slug ? doc_text_value(doc_get(d->root, kind->slug), "?") : kind->name,
               *server = document_text(doc_get(d->root, "plan"), "server");
    if (!*server) server = name_of(doc_get(d->root, "server"), kind->exact ? "a server" : "several nodes");
    if (kind->of) {
        kind->of(d->root, d->name);
        d->subject = figure_subject_make(d->name, "", slug);
    } else d->subject = figure_subject_make(name_of(doc_get(d->root, "graph"), "a graph"), server, slug);
    return ST_OK;
}

static enum st draw(const void *of, int section, struct figures *figures, struct err *err)
{
    const struct answers *l = of;
    const struct answer *a = &l->list[section];
    if (l->of->draw) PASS(l->of->draw(figures, a->root, &a->subject, err));
    for (const struct bars *b = l->of->figure; b && b->title; b++)
        PASS(bars_draw(figures, a->root, &a->subject, b, err));
    return ST_OK;
}

/* A paragraph with the answer, where there is one. */
static void sentence_write(FILE *to, const struct page_kind *of, const doc *root, const char *open)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *said = text_stream(&text, &bytes);
    if (said) of->sentence(root, said);
    if (!said || fclose(said)) text_note_loss();
    else if (bytes) fprintf(to, "%s%s</p>\n", open, text);
    free(text);
}

static void lead(const void *of, FILE *to)
{
    const struct answers *l = of;
    if (l->count == 1) sentence_write(to, l->of, l->list->root, "<p class=\"lead\">");
}

static enum st section_write(const void *of, int section, const struct figures *figures, FILE *to, struct err *err)
{
    const struct answers *l = of;
    const struct answer *a = &l->list[section];
    fprintf(to, "<section class=\"subject\" id=\"s%d\">\n<h2>", section + 1);
    if (l->of->heading) l->of->heading(a->root, &a->subject, to);
    else {
        html_element(to, "", a->subject.graph, "");
        if (*a->subject.server) html_element(to, " <small>on ", a->subject.server, "</small>");
    }
    fputs("</h2>\n", to);
    if (l->count > 1) sentence_write(to, l->of, a->root, "<p>");
    if (l->of->facts) l->of->facts(a->root, to);
    PASS(page_figures_write(to, figures, section, err));
    l->of->table(a->root, to);
    fputs("</section>\n", to);
    return ST_OK;
}

enum st page_kind_report(const struct page_kind *kind, const struct page_request *request, struct err *err)
{
    enum st st;
    struct answers l = {.of = kind, .count = request->count};
    if (!kind->sentence) return kind->report(request, err);
    NEW(l.list, l.count, "documents of a page");
    for (int i = 0; i < l.count; i++) {
        TRY(load(kind, request->inputs[i], &l.list[i], err));
        if (l.count > 1) figure_subject_number(&l.list[i].subject, i + 1);
    }
    TRY(page_write(&(struct page){.title = page_title(request, kind->title),
                                  .of = &l,
                                  .sections = l.count,
                                  .draw = draw,
                                  .lead = lead,
                                  .section = section_write},
                   request, err));
done:
    for (int i = 0; l.list && i < l.count; i++) doc_free(l.list[i].root);
    mem_free(l.list);
    return st;
}
