/* comparison_page.h - the page of a comparison (results/1 and plan/1): who needs how many transactions, every figure,
 * and how the numbers were made. One section per graph and server.
 */
#ifndef REPORTS_COMPARISON_COMPARISON_PAGE_H
#define REPORTS_COMPARISON_COMPARISON_PAGE_H

#include "reports/shell/page_kind.h"

/* Draws result documents and plan folders together on one page. ST_INPUT: a document is not what it must be; ST_LIMIT:
 * more rows, policies, budgets or graphs than one page can show; else as page_write. */
enum st comparison_report(const struct page_request *request, struct err *err) MUST_USE;

/* The kind of every document that no other page shows. */
extern const struct page_kind page_kind_comparison_page;

#endif
