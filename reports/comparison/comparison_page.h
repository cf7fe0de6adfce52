/* comparison_page.h - the page of a comparison (results/1 and plan/1): who needs how many transactions, every figure,
 * and how the numbers were made. One section per graph and server.
 */
#ifndef REPORTS_COMPARISON_COMPARISON_PAGE_H
#define REPORTS_COMPARISON_COMPARISON_PAGE_H

#include "reports/shell/page_kind.h"

/* The kind of every document that no other page shows. */
extern const struct page_kind page_kind_comparison_page;

#endif
