/* advice_page.h - the page of advice (advice/1): what each lever saves alone, and the better ones on top of each other.
 * One section per document.
 */
#ifndef REPORTS_ADVICE_ADVICE_PAGE_H
#define REPORTS_ADVICE_ADVICE_PAGE_H

#include "reports/shell/page_kind.h"

/* Draws answers of hotset advise on one page. ST_INPUT: a document is not what it must be; else as page_write. */
enum st advice_report(const struct page_request *request, struct err *err) MUST_USE;

#endif
