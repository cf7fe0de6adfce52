/* executed_page.h - the page of executed plans (executed/1): measured and predicted numbers, and both against alpha
 * (Legion, figure 13). One section per document.
 */
#ifndef REPORTS_EXECUTED_EXECUTED_PAGE_H
#define REPORTS_EXECUTED_EXECUTED_PAGE_H

#include "reports/shell/page_kind.h"

/* Draws results of hotset execute on one page. ST_INPUT: a document is not what it must be; else as page_write. */
enum st executed_report(const struct page_request *request, struct err *err) MUST_USE;

#endif
