/* comparison_page.h - index.html: what was compared, who needs how much, every figure, and how the numbers were
 * made. */
#ifndef REPORTS_COMPARISON_COMPARISON_PAGE_H
#define REPORTS_COMPARISON_COMPARISON_PAGE_H

#include "reports/figures/figures.h"

struct page {
    const char *title;
    const struct rows *rows;
    const struct grids *grids;
    const struct figures *figures; /* figures are drawn already */
    FILE *to;
};

enum st page_write(struct page *p, struct err *err) MUST_USE;

/* tables.c: the tables of one scene, and what did not run. */
void tables_write(const struct page *p, const struct grid *grid);
/* about.c: workload and seeds, how the numbers were made, the files. */
void method_notes_write(const struct page *p);

#endif
