/* page_kind.h - a kind of page: which documents it shows and what draws them.
 *
 * A page is a plug-in: a file reports/ROOM/NAME_page.c that defines `const struct page_kind page_kind_NAME_page`. The
 * Makefile lists them (build/gen/page_kinds.c), and report.c finds the kind of a document by its schema.
 */
#ifndef REPORTS_SHELL_PAGE_KIND_H
#define REPORTS_SHELL_PAGE_KIND_H

#include "base/fields.h"
#include "reports/shell/page.h"

struct bars;
struct page_kind {
    const char *schema; /* what the documents' schemas begin with: "size/" */
    const char *what;   /* "answers of hotset size" */
    const char *name;   /* the page's folder on a front page: "size" */
    const char *file; /* the document in the folder that the command writes ("tiers.json"); NULL: it is a file alone */
    bool one;         /* a page shows a single document */

    /* Of a page with a section per document: heading, the answer in a sentence, figures, tables. A member that the
     * document lacks is NaN or "". */
    const char *title; /* of the page */
    const char *exact; /* the only schema of its documents; NULL: any that begins so */
    const struct field
        *fields;               /* its keys, checked before all else; `hotset list schemas` shows them; NULL: no table */
    const char *needs;         /* an array of objects without which a document is refused; NULL: none */
    const char *slug;          /* the key of the text that ends figures' names; NULL: the name above */
    const struct bars *figure; /* figures of bars (bars.h), ended by a member without a title; NULL: none */
    void (*sentence)(const doc *root, FILE *to); /* as HTML; NULL: no page of this form, but `report` */
    void (*table)(const doc *root, FILE *to);
    /* The others may be NULL. What the section is of, for its heading and the figures: else the document's graph on its
     * server. Checks a document behind `needs`; draws figures that are no bars; writes what stands in the heading in
     * place of graph and server, and what stands before the figures. */
    void (*of)(const doc *root, char name[STYLE_NAME]);
    enum st (*check)(const doc *root, const char *path, struct err *err);
    enum st (*draw)(struct figures *figures, const doc *root, const struct figure_subject *subject, struct err *err);
    void (*heading)(const doc *root, const struct figure_subject *subject, FILE *to);
    void (*facts)(const doc *root, FILE *to);

    /* draws the page. request->inputs are files of this kind (of the comparison: also plan folders). */
    enum st (*report)(const struct page_request *request, struct err *err);
};

/* Draws the page of a kind. Errors: those of page_write; ST_INPUT: a document is none of these, or lacks what the page
 * needs. */
enum st page_kind_report(const struct page_kind *kind, const struct page_request *request, struct err *err) MUST_USE;

/* One page behind the front page. */
struct front_entry {
    const struct page_kind *kind;
    const char *const *inputs; /* borrowed */
    int count;
};

/* Draws every entry into a folder of its own below request->out_dir, and index.html in front of them. Errors are those
 * of the pages; a failure leaves the old folder or nothing. */
enum st front_report(const struct page_request *request, const struct front_entry *entries, int count, struct err *err)
    MUST_USE;

extern const struct page_kind *const page_kinds_registered[]; /* ended by NULL */

#endif
