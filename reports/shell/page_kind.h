/* page_kind.h - a kind of page: which documents it shows and what draws them.
 *
 * A page is a plug-in: a file reports/ROOM/NAME_page.c that defines `const struct page_kind page_kind_NAME_page`. The
 * Makefile lists them (build/gen/page_kinds.c), and report.c finds the kind of a document by its schema.
 */
#ifndef REPORTS_SHELL_PAGE_KIND_H
#define REPORTS_SHELL_PAGE_KIND_H

#include "base/doc.h"
#include "reports/shell/page.h"

struct answers;
struct bars;
struct page_kind {
    const char *schema; /* what the documents' schemas begin with: "size/" */
    const char *what;   /* "answers of hotset size" */
    const char *name;   /* the page's folder on a front page: "size" */
    const char *file; /* the document in the folder that the command writes ("tiers.json"); NULL: it is a file alone */
    bool one;         /* a page shows a single document */
    /* Of a page of bars (bars.h); sentence NULL: it is none. */
    const char *title;         /* of the page */
    const char *needs;         /* an array of objects without which a document is refused; NULL: none */
    const struct bars *figure; /* ended by a member without a title; NULL: none */
    void (*sentence)(const doc *root, FILE *to);
    void (*table)(const doc *root, FILE *to);
    /* What the section is of, for its heading and the figures; NULL: the document's graph on its server. */
    void (*of)(const doc *root, char name[STYLE_NAME]);
    const struct answers *answers; /* a page with a section per document (answers.h); NULL: */
    /* draws the page. request->inputs are files of this kind (of the comparison: also plan folders). */
    enum st (*report)(const struct page_request *request, struct err *err);
};

extern const struct page_kind *const page_kinds_registered[]; /* ended by NULL */

#endif
