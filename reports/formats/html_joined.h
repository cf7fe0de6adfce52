/* html_joined.h - a page in memory whose numbers are joined with their units when it is saved.
 *
 * In running text the blank of "45.0 %" becomes one that does not break. Cells, figures and scripts stay as they are:
 * they have no lines to break.
 */
#ifndef REPORTS_FORMATS_HTML_JOINED_H
#define REPORTS_FORMATS_HTML_JOINED_H

#include <stdio.h>
#include "base/status.h"

struct html_joined {
    FILE *to; /* to be written into */
    char *text;
    size_t bytes;
};

/* The stream for the page, page->to; NULL where memory is out, which html_joined_save tells. page: zeroed. */
FILE *html_joined_open(struct html_joined *page);
/* Writes the page into folder/name. Errors of out_file_open and out_file_close; ST_LIMIT: memory was out. */
enum st html_joined_save(struct html_joined *page, const char *folder, const char *name, struct err *err) MUST_USE;
/* Frees what html_joined_open made; zeroed is allowed. */
void html_joined_release(struct html_joined *page);

#endif
