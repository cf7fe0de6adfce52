/* memory_bars.h - what the pages of memories below the GPUs share: a section per document with a sentence, a figure
 * of bars and a table.
 */
#ifndef REPORTS_MEMORIES_MEMORY_BARS_H
#define REPORTS_MEMORIES_MEMORY_BARS_H

#include "base/doc.h"
#include "reports/formats/html.h"
#include "reports/formats/style.h"
#include "reports/shell/page_kind.h"

enum { MEMORY_BARS_MOST = 16 };

/* One bar of the figure. */
struct memory_bar {
    char name[STYLE_NAME];
    double value; /* >= 0, or NaN: no bar */
};

/* What a page says about one document. A member that the document lacks is a dash. */
struct memory_page {
    const char *schema; /* what the documents' schemas begin with */
    const char *title;  /* of the page */
    const char *needs;  /* an array of objects without which a document is refused; NULL: none */
    const char *figure; /* title of the bars */
    const char *column; /* what they measure, with its unit: the axis and the CSV's header */
    const char *caption;
    enum quantity quantity;
    double (*bar)(const doc *root, int number, char name[STYLE_NAME]); /* NaN and *name 0: no more */
    void (*sentence)(const doc *root, FILE *to);
    void (*table)(const doc *root, FILE *to);
};

/* Draws the page of the documents in `request`. ST_INPUT: a document is none of these, or lacks what the page needs;
 * else as page_write. */
enum st memory_page_report(const struct memory_page *page, const struct page_request *request, struct err *err)
    MUST_USE;

#endif
