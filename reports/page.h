/* page.h - index.html: what was compared, who needs how much, every figure, and how the numbers were made. */
#ifndef REPORTS_PAGE_H
#define REPORTS_PAGE_H

#include "reports/studio.h"

struct page {
    const char *title;
    const struct rows *rows;
    const struct scenes *scenes;
    const struct studio *studio; /* figures are drawn already */
    FILE *to;
};

enum st page_write(struct page *p, struct err *err) MUST_USE;

/* tables.c: the tables of one scene, and what did not run. */
void tables_write(const struct page *p, const struct scene *scene);
/* about.c: workload and seeds, how the numbers were made, the files. */
void about_write(const struct page *p);

#endif
