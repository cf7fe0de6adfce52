/* answers.h - a page with a section per document: heading, the answer in a sentence, figures, tables.
 *
 * Most pages of reports are of this form. A page room says what it reads and writes of one document; this file keeps
 * the list of them, numbers figures of several, and puts the sentence of a single one above its section.
 */
#ifndef REPORTS_SHELL_ANSWERS_H
#define REPORTS_SHELL_ANSWERS_H

#include <stddef.h>

#include "base/doc.h"
#include "reports/shell/page_kind.h"

/* What a page does with one document. `one`: the page's own struct of `bytes` bytes, zeroed before it is loaded, which
 * has a `doc *` (freed at the end) and a `struct figure_subject` at the places root and subject (offsetof). */
struct answers {
    const char *title; /* of the page */
    size_t bytes, root, subject;
    const void *with; /* whatever load needs; may be NULL */
    /* Reads and checks a document. ST_INPUT: it is none of these, or lacks what the page needs. */
    enum st (*load)(const char *path, void *one, const void *with, struct err *err);
    enum st (*draw)(struct figures *figures, const void *one, struct err *err);
    void (*sentence)(FILE *to, const void *one, const char *open); /* a paragraph that begins with `open`, as HTML */
    void (*heading)(FILE *to, const void *one); /* what stands inside of h2; NULL: "GRAPH on SERVER" */
    void (*facts)(FILE *to, const void *one);   /* before the figures; may be NULL */
    void (*tables)(FILE *to, const void *one);
};

/* Draws the page of the documents in `request`. Errors: those of load and page_write. */
enum st answers_report(const struct answers *of, const struct page_request *request, struct err *err) MUST_USE;

#endif
