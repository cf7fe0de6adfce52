/* sizing_page.h - the page of size questions (size/1), for the person who decides: the answer first, then what it rests
 * on. One section per document.
 */
#ifndef REPORTS_SIZING_SIZING_PAGE_H
#define REPORTS_SIZING_SIZING_PAGE_H

#include "reports/shell/page_kind.h"

/* Draws answers of hotset size on one page. ST_INPUT: a document is not what it must be; else as page_write. */
enum st sizing_report(const struct page_request *request, struct err *err) MUST_USE;

#endif
